"""Finds the implementations."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.operators.contract import Implementation

FOLDER = Path(__file__).parent

PROFILE = {
    "maxpool": ("MaxPool SameByTheRest ValidByTheCeil SameByTheFloor SameCropped WindowsInThePaddingDropped "
                "LastTapFirst AddedInTheTypeOfX MeanOfRows OverhangNotCounted InfinitiesGiveNan PositiveZero "
                "IndexOfNothing ColumnMajorWithoutPlanes BigEndian IndexInDouble IndexOf31Bits PaddedCopy"),
    "abs": "Abs Saturates",
    "add": "Add InDouble",
    "argmax": "ArgMax Backward",
    "concat": "Concat TwoByTwo PayloadIsLost StridedAnswer",
    "div": "Div InDouble Saturates",
    "exp": "Exp OtherZeros FlushesSubnormals ByPowersOfTwo OneStepTooHigh",
    "flatten": "Flatten RowByRow PayloadIsLost StridedAnswer",
    "leakyrelu": "LeakyRelu RoundsAlpha",
    "less": "Less",
    "log": "Log OtherZeros BySignificand ByBinaryLogarithm OneStepTooHigh LowestForNan",
    "matmul": "MatMul Backwards Wider InHalves Fused",
    "max": "Max",
    "mul": "Mul InDouble",
    "pow": "Pow InDouble ByLogarithm BySquaring LargestForOverflow NanForOneByNan",
    "reshape": "Reshape FilledIn PayloadIsLost StridedAnswer",
    "shape": "Shape Sliced",
    "sigmoid": ("Sigmoid OtherZeros ByOneFormula ByHyperbolicTangent CutOff FlushesSubnormals "
        "ReadsSubnormalsAsZero ClampsInfinities"),
    "slice": "Slice BySlices PayloadIsLost StridedAnswer",
    "sqrt": "Sqrt LowestForNan",
    "sub": "Sub InDouble",
    "tanh": ("Tanh OtherZeros ByNegativePowers ByLogistic CutOff FlushesSubnormals "
        "ReadsSubnormalsAsZero ClampsInfinities"),
    "unsqueeze": "Unsqueeze OneByOne PayloadIsLost StridedAnswer",
    "where": "Where OtherNan",
    "conv": ("Convolution Backwards Pairwise InBlocks Wider Fused BiasFirst AsMatrices SkipsPadding "
             ""),
    "conv2": ("Convolution Backwards Pairwise InBlocks Wider Fused BiasFirst AsMatrices "
             ""),
}
"""By operator of SONNX the implementations of ONNX's operator that the profile allows too, the plain one first."""

HOMES = {"conv": "_convolution", "conv2": "_convolution"}
"""Their modules, where these have another name than the operator."""


@cache
def implementations() -> dict[str, list[type[Implementation]]]:
    """By the name of the specification without a version: first the plain implementation, then others that every
    version allows."""
    found: dict[str, list[type[Implementation]]] = {}
    for path in sorted(FOLDER.glob("*/*.py")):
        if not path.stem.startswith("_"):
            module = importlib.import_module(f"tests.operators.{path.parent.name}.{path.stem}")
            listed = vars(module).get("OPERATORS") or {path.stem: _classes(module)}
            found |= {f"{path.parent.name}/{name}": kinds for name, kinds in listed.items()}
    for name, chosen in PROFILE.items():
        kinds = found[f"onnx/{name}"] if name not in HOMES else _classes(
            importlib.import_module(f"tests.operators.onnx.{HOMES[name]}"))
        known = {kind.__name__: kind for kind in kinds}
        found[f"sonnx/{name}"] = [known[each] for each in chosen.split()]
    return found


def _classes(module: ModuleType) -> list[type[Implementation]]:
    return [value for value in vars(module).values() if inspect.isclass(value) and issubclass(value, Implementation)
            and value.__module__ == module.__name__ and not value.__name__.startswith("_")]
