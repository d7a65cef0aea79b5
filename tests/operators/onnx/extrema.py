"""ONNX Max and Min: implementations, the plain one first."""

from __future__ import annotations

from tests.operators import _extrema
from tests.operators.contract import variants


class Max(_extrema.Extremum):
    """The largest elements."""

    output = "max"


class Min(_extrema.Extremum):
    """The smallest elements."""

    output, largest = "min", False


OPERATORS = {kind.__name__.lower(): variants(kind, (_extrema,), "LastZero SkipsNan StartsAnewAfterNan OtherZero")
             for kind in (Max, Min)}
