"""Published editions of ONNX: what its releases say of a version, and where they disagree."""
