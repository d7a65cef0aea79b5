"""The conformance run of the package, from a clone."""

from plumbline.conformance.test_conformance import test_conformance

__all__ = ["test_conformance"]
