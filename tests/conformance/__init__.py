"""The conformance run in a clone: `pytest tests/conformance`; anywhere, `pytest --pyargs plumbline.conformance`."""
