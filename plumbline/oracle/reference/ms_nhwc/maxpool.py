"""MaxPool of the internal NHWC domain transcribed, which is that of ONNX MaxPool 11."""

from plumbline.oracle.reference.onnx.maxpool import expected

__all__ = ["expected"]
