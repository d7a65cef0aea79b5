"""The trial in pytest: `pytest tests/conformance` in a clone, `pytest --pyargs plumbline.conformance` anywhere."""
