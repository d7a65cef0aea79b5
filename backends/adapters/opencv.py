"""OpenCV's module for networks, `cv2.dnn`, on the CPU: it reads the ONNX model and chooses its engine by itself."""

import cv2
import numpy as np


class OpenCv:
    """One network for each call."""

    name = "opencv"
    requirements = ("opencv-python-headless",)
    megabytes = 210
    specifications = ("sonnx/*", "onnx/*")
    # No page lists them; this is what the layers and the importer assert of themselves, in words, in OpenCV's sources:
    # modules/dnn/src/layers/maxpool_layer.cpp and avgpool_layer.cpp, modules/dnn/src/onnx/onnx_importer.cpp.
    capabilities = [
        {"operators": ["MaxPool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3], "outputs": ["Y"]},
        {"operators": ["MaxPool"], "dtypes": ["float32"], "ranks": [2]},
        {"operators": ["AveragePool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3]},
    ]
    reproduce = """import cv2
import numpy as np

network = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
for name, array in inputs.items():
    network.setInput(array, name)
got = network.forward(outputs)"""

    def __init__(self):
        cv2.setNumThreads(1)
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

    def version(self):
        """The version of the package."""
        return cv2.__version__

    def about(self):
        """Which engine was asked for."""
        return {"engine asked for": "ENGINE_AUTO, backend and target as by default"}

    def run(self, request):
        """The outputs by name. Raises what OpenCV raises, with the phase; ValueError for an output of no elements."""
        try:
            network = cv2.dnn.readNetFromONNX(np.frombuffer(request.model, np.uint8))
        except Exception as error:
            error.phase = "load"
            raise
        for name, array in request.inputs.items():
            network.setInput(array, name)
        found = network.forward(list(request.outputs))
        if any(array is None for array in found):
            raise ValueError("OpenCV gave an empty matrix, which Python sees as None, without type and shape")
        return dict(zip(request.outputs, found, strict=True))
