"""ONNX Exp, Log, Sigmoid and Tanh: implementations, the plain one first."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import variants

SHELVES = _unary, _exponentials

OPERATORS = {
    "exp": variants(_exponentials.Exp, SHELVES, "OtherZeros ZeroForNan FlushesSubnormals ByPowersOfTwo OneStepTooHigh "
                                                "LargestForOverflow"),
    "log": variants(_exponentials.Log, SHELVES, "OtherZeros BySignificand ByBinaryLogarithm OneStepTooHigh "
                                                "LowestForNan"),
    "sigmoid": variants(_exponentials.Sigmoid, SHELVES, "OtherZeros ZeroForNan ByOneFormula ByHyperbolicTangent CutOff "
                                                        "FlushesSubnormals ReadsSubnormalsAsZero ClampsInfinities"),
    "tanh": variants(_exponentials.Tanh, SHELVES, "OtherZeros ZeroForNan ByNegativePowers ByLogistic CutOff "
                                                  "FlushesSubnormals ReadsSubnormalsAsZero ClampsInfinities"),
}
