"""A formal specification conformance test suite for ONNX operators."""
