"""Cases as ONNX models, in contexts and for export."""
