"""A formal specification conformance test suite for ONNX operators.

The rooms of the repository (`oracle`, `cases`, `backends`, `trial`, `reports`, and the texts in `spec`) are this
package's subpackages. In a clone they are symbolic links to the folders at the top, so that one layout serves
the clone, an editable install, the type checker and the wheel, which holds the files themselves.
"""
