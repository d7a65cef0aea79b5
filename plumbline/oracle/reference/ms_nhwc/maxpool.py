"""Reference oracle of MaxPool in the internal NHWC domain: that of ONNX MaxPool 11."""

from plumbline.oracle.reference.onnx.maxpool import expected

__all__ = ["expected"]
