"""OpenVINO on its CPU device: its ONNX front end, with computation in the precision of the model."""

import openvino
from openvino import properties


class OpenVino:
    """One compiled model for each call."""

    name = "openvino"
    requirements = ("openvino",)
    specifications = ("sonnx/*", "onnx/*")
    capabilities = [
        # Types: the page on the CPU device, data types of its primitives. Spatial axes: the pages on OpenVINO's own
        # MaxPool and AvgPool, to which the front end brings both, take inputs of 3, 4 or 5 axes.
        {"operators": ["MaxPool"], "dtypes": ["float16", "float32", "int8", "uint8"], "ranks": [1, 2, 3]},
        {"operators": ["AveragePool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3]},
    ]
    reproduce = """import openvino
from openvino import properties

core = openvino.Core()
core.set_property("CPU", {properties.hint.execution_mode: properties.hint.ExecutionMode.ACCURACY})
found = core.compile_model(core.read_model(model.SerializeToString()), "CPU")([x])
got = [found[name] for name in outputs]"""

    def __init__(self):
        self.core = openvino.Core()
        # By default the device lowers the precision where that is faster, to bfloat16 for instance.
        self.core.set_property("CPU", {properties.hint.execution_mode: properties.hint.ExecutionMode.ACCURACY,
                                       properties.inference_num_threads: 1})

    def version(self):
        """The version of the package, without the build."""
        return openvino.__version__.partition("-")[0]

    def about(self):
        """Build, device and mode."""
        return {"build": openvino.__version__, "device": self.core.get_property("CPU", "FULL_DEVICE_NAME"),
                "execution mode": "ACCURACY"}

    def run(self, request):
        """The outputs by name. Raises what OpenVINO raises, with the phase."""
        try:
            compiled = self.core.compile_model(self.core.read_model(request.model), "CPU")
        except Exception as error:
            error.phase = "load"
            raise
        found = compiled([request.inputs["X"]])
        return {name: found[name] for name in request.outputs}
