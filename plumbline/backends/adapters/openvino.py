"""Adapter for OpenVINO on its CPU device, in the model's precision.

ONNX calls go through its ONNX front end. Calls with OpenVINO's native attributes go to its own operations, of the
version that the specification names. One kind of call is refused here: OpenVINO accepts any `index_element_type`, but
writes indices as int64 or int32, and so beyond the memory of narrower types; a later call would crash.

It computes in one thread, or in two for models with dynamic sizes. With inference_num_threads 1 an error in inferring a
shape is lost: the output has sizes of 0, and the process ends with SIGSEGV a few calls later. With more threads the
error is reported, as it is by default.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import openvino
from openvino import opset1, opset8, opset14, properties

if TYPE_CHECKING:
    from plumbline.backends.request import Request

unpacked = runpy.run_path(str(Path(__file__).with_name("_packed.py")))["unpacked"]

OPSETS = {"1": opset1, "8": opset8, "14": opset14}

BEYOND_NUMPY = {"bf16": ("bfloat16", 16), "f8e4m3": ("float8_e4m3fn", 8), "f8e5m2": ("float8_e5m2", 8),
                "f8e8m0": ("float8_e8m0fnu", 8), "f4e2m1": ("float4_e2m1fn", 4), "u4": ("uint4", 4), "i4": ("int4", 4)}
"""By name in OpenVINO the element types that numpy lacks: names in ml_dtypes, and bits."""

FLOATS = ["float32", "float16"]
NUMBERS = [*FLOATS, "int32", "int8", "uint8"]


class OpenVino:
    """An adapter that compiles a model for each call."""

    name = "openvino"
    requirements = ("openvino", "ml_dtypes")
    address_limit = True
    megabytes = 240
    specifications = ("sonnx/*", "onnx/*", "openvino/*")
    # Types: the page on the CPU device, data types of its primitives. Spatial axes: the pages on OpenVINO's own MaxPool
    # and AvgPool, to which the front end brings both operators, take inputs of 3, 4 or 5 axes.
    capabilities = [
        {"operators": ["MaxPool"], "dtypes": ["float16", "float32", "int8", "uint8"], "ranks": [1, 2, 3]},
        {"operators": ["AveragePool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3]},
        {"operators": ["Conv", "GlobalAveragePool", "GlobalMaxPool", "LpPool"], "dtypes": FLOATS, "ranks": [1, 2, 3]},
        {"operators": ["Gemm", "MatMul"], "dtypes": FLOATS},
        {"operators": ["Exp", "LeakyRelu", "Log", "Sigmoid", "Softmax", "Sqrt", "Tanh"], "dtypes": FLOATS},
        {"operators": ["Clip", "Div", "Less", "Max", "Min", "Mul", "Relu", "Sub"], "dtypes": NUMBERS},
        {"operators": ["Abs", "Add"], "dtypes": NUMBERS, "attributes": {"consumed_inputs": []}},
        {"operators": ["Pow"], "dtypes": [*FLOATS, "int32"],
         "inputs": {"B": {"dtypes": [*FLOATS, "float64", "int32", "int64"]}}},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": NUMBERS}}},
        {"operators": ["ArgMax"], "dtypes": NUMBERS},
        {"operators": ["Concat", "Flatten", "Shape"], "dtypes": NUMBERS},
        {"operators": ["Unsqueeze"], "opsets": [1, 12], "dtypes": NUMBERS},  # later ones take axes as a constant alone
    ]
    contexts = ("open-sizes", "transposed", "cast", "quantized", "quantized-signed", "threads", "strided",
                "again", "after-convolution", "in-a-layer", "between-convolutions", "in-blocks",
                "before-rectifier", "after-rectifier")
    reproduce = """import openvino
from openvino import properties

core = openvino.Core()
core.set_property("CPU", {properties.hint.execution_mode: properties.hint.ExecutionMode.ACCURACY})
found = core.compile_model(core.read_model(model.SerializeToString()), "CPU")(list(inputs.values()))
got = [found[name] for name in outputs]"""
    reproduce_as_set = """import openvino
from openvino import properties

modes = properties.hint.ExecutionMode
core = openvino.Core()
core.set_property("CPU", {
    properties.hint.execution_mode: modes.PERFORMANCE if settings.get("precision") == "own" else modes.ACCURACY,
    properties.inference_num_threads: settings.get("threads", 1)})
for given in [*([settings["before"]] if "before" in settings else []), inputs]:
    found = core.compile_model(core.read_model(model.SerializeToString()), "CPU")(list(given.values()))
got = [found[name] for name in outputs]"""

    def __init__(self) -> None:
        self.core = openvino.Core()
        # By default the device lowers the precision where that is faster, to bfloat16 for instance.
        self.core.set_property("CPU", {properties.hint.execution_mode: properties.hint.ExecutionMode.ACCURACY,
                                       properties.inference_num_threads: 1})

    def version(self) -> str:
        """Return the version of the package, without the build."""
        return openvino.__version__.partition("-")[0]

    def about(self) -> dict[str, str]:
        """Return build, device and mode."""
        return {"build": openvino.__version__, "device": self.core.get_property("CPU", "FULL_DEVICE_NAME"),
                "execution mode": "ACCURACY"}

    def run(self, request: Request) -> dict[str, Any]:
        """Run a request. Raises what OpenVINO raises, with the phase."""
        try:
            native = request.specification.startswith("openvino/")
            model = _native(request) if native else self.core.read_model(request.model)
            compiled = self.core.compile_model(model, "CPU", settings(request, model))
        except Exception as error:
            error.phase = "load"
            raise
        inference = compiled.create_infer_request()
        results = inference.infer([_tensor(array) for array in request.inputs.values()])
        return {name: _array(inference.get_output_tensor(number), results[number])
                for number, name in enumerate(request.outputs)}


def _tensor(array: np.ndarray) -> Any:
    """Return an input; of a type that numpy lacks its bits, which OpenVINO would take from numbers of another type."""
    for kind, (name, bits) in BEYOND_NUMPY.items():
        if array.dtype.name == name:
            octets = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            if bits == 4:  # two in one, the first one is lower
                octets = np.append(octets & 15, np.zeros(array.size % 2, np.uint8))
                octets = np.bitwise_or(octets[::2], octets[1::2] << 4)
            return openvino.Tensor(octets, openvino.Shape(array.shape), getattr(openvino.Type, kind))
    return array


def _array(tensor: Any, array: Any) -> Any:
    """Return the elements of an output, which Python gets as `array`: of types that numpy lacks, as others."""
    kind = tensor.element_type.get_type_name()
    if kind not in BEYOND_NUMPY:
        return array
    return unpacked(tensor.data.tobytes(), *BEYOND_NUMPY[kind], list(tensor.shape))


def settings(request: Request, model: Any) -> dict[Any, Any]:
    """Return the settings of a context, with two threads for dynamic sizes."""
    properties_set = {properties.inference_num_threads: 2} if model.is_dynamic() else {}
    if "threads" in request.settings:
        properties_set[properties.inference_num_threads] = request.settings["threads"]
    if request.settings.get("precision") == "own":
        properties_set[properties.hint.execution_mode] = properties.hint.ExecutionMode.PERFORMANCE
    return properties_set


def _native(request: Request) -> Any:
    """Return a model of one operation of OpenVINO. Raises ValueError.

    request: X (`inputs`), OpenVINO's own `attributes`, and the `specification`, whose version names the opset."""
    attributes, x = request.attributes, request.inputs["X"]
    if attributes.get("index_element_type", "i64") not in ("i64", "i32"):
        raise ValueError("refused by the adapter: OpenVINO writes beyond its memory with index_element_type "
                         f"{attributes['index_element_type']!r}")
    opset = OPSETS[request.specification.rpartition("@")[2]]
    data = opset.parameter(list(x.shape), x.dtype)
    steps, shared = attributes["strides"], (attributes["pads_begin"], attributes["pads_end"], attributes["kernel"])
    rounding = {"rounding_type": attributes["rounding_type"], "auto_pad": attributes["auto_pad"]}
    if request.operator == "AveragePool":
        node = opset.avg_pool(data, steps, *shared, attributes["exclude-pad"], **rounding)
    else:
        node = opset.max_pool(data, steps, attributes["dilations"], *shared, **rounding, axis=attributes["axis"],
                              index_element_type=attributes["index_element_type"])
    return openvino.Model([node.output(place) for place in range(len(request.outputs))], [data])
