"""The conformance run in pytest: `pytest --pyargs plumbline.conformance`."""
