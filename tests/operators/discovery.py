"""Finds the implementations."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path

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
    "matmul": "MatMul Backwards Wider InHalves Fused",
    "max": "Max",
    "mul": "Mul InDouble",
    "pow": "Pow InDouble ByLogarithm BySquaring LargestForOverflow NanForOneByNan",
    "reshape": "Reshape FilledIn PayloadIsLost StridedAnswer",
    "shape": "Shape Sliced",
    "sigmoid": ("Sigmoid OtherZeros ByOneFormula ByHyperbolicTangent CutOff FlushesSubnormals "
        "ReadsSubnormalsAsZero ClampsInfinities"),
    "slice": "Slice BySlices PayloadIsLost StridedAnswer",
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
    found = {path.relative_to(FOLDER).with_suffix("").as_posix(): _classes(f"{path.parent.name}.{path.stem}")
             for path in sorted(FOLDER.glob("*/*.py")) if not path.stem.startswith("_")}
    for name, chosen in PROFILE.items():
        known = {kind.__name__: kind for kind in _classes(f"onnx.{HOMES.get(name, name)}")}
        found[f"sonnx/{name}"] = [known[each] for each in chosen.split()]
    return found


def _classes(name: str) -> list[type[Implementation]]:
    module = importlib.import_module(f"tests.operators.{name}")
    return [value for value in vars(module).values() if inspect.isclass(value) and issubclass(value, Implementation)
            and value.__module__ == module.__name__ and not value.__name__.startswith("_")]
