"""Calls generated from a seed: windows drawn from all that meet X on every axis, values that betray.

Each spatial axis is drawn by itself, so that axes are unequal, from an exhaustive list within a bound; nothing is drawn
and thrown away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from plumbline.cases import values
from plumbline.cases.flags import flags_of
from plumbline.cases.model import Case, Expectation
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.families.windows import Geometry

LARGEST = {"size": 9, "kernel": 4, "stride": 4, "dilation": 3, "pad": 3}
"""The bound within which an axis is drawn."""

GROUPS = {"plain": 0.3, "dilated": 0.2, "padded": 0.3, "dilated and padded": 0.17, "pad reaches the kernel": 0.03}
"""How often each group of axes is drawn: by their numbers alone, hardly any axis would be plain."""

DTYPES = ("float16", "float32", "float64", "int8", "uint8")

MANY_CHANNELS = 0.06
"""How often there are more channels than the blocks of eight, 16 or 32 that fast kernels take hold."""

Axis = tuple[int, int, int, int, int, int]
"""size, kernel, stride, dilation, pad at the beginning, pad at the end"""


@cache
def axes() -> dict[str, tuple[Axis, ...]]:
    """Every axis within the bound on which every window selects an element of X, by group."""
    ranges = [range(1, LARGEST[name] + 1) for name in ("size", "kernel", "stride", "dilation")]
    pad = range(LARGEST["pad"] + 1)
    groups: dict[str, list[Axis]] = {name: [] for name in GROUPS}
    for size, kernel, stride, dilation, begin, end in product(*ranges, pad, pad):
        windows = Geometry((size,), (kernel,), (stride,), (dilation,), (begin,), (end,))
        if windows.floor_sizes[0] < 1 or windows.empty_window(windows.floor_sizes):
            continue
        name = {(False, False): "plain", (True, False): "dilated", (False, True): "padded",
                (True, True): "dilated and padded"}[dilation > 1, begin + end > 0]
        name = "pad reaches the kernel" if max(begin, end) >= kernel else name
        groups[name].append((size, kernel, stride, dilation, begin, end))
    return {name: tuple(found) for name, found in groups.items()}


def generate_cases(spec_name: str, *, seed: int, count: int) -> Iterator[Case]:
    """`count` valid calls; case k depends on the seed and on k alone. None for an operator that nothing here draws.
    Raises SpecError for an unknown specification."""
    for number in range(count if load_spec(spec_name).operator in RECIPES else 0):
        yield generated_case(spec_name, seed=seed, number=number)


def generated_case(spec_name: str, *, seed: int, number: int) -> Case:
    """One of them by its number. Raises SpecError for an unknown specification."""
    spec = load_spec(spec_name)
    rng = np.random.default_rng([seed, number])
    attributes, sizes = FAMILIES[spec.name.partition("/")[0]](rng, spec)
    dtype = np.dtype(str(rng.choice(dtypes_of(spec))))
    recipes = RECIPES[spec.operator]
    recipe = recipes[int(rng.integers(len(recipes)))]
    turn, place = divmod(number, PERIOD)
    if place == PERIOD - 1:
        recipe = FURTHER[spec.operator][turn % len(FURTHER[spec.operator])]
    planes = tuple(int(size) for size in rng.integers(1, 4, 2))
    if rng.random() < MANY_CHANNELS:
        planes = (planes[0], int(rng.integers(9, 41)))
    with np.errstate(over="ignore"):
        call = Call(spec.operator, attributes, {"X": recipe(rng, planes + sizes, dtype)})
    flags = flags_of(call)
    return Case(f"generated-{seed}-{number}", f"{title_of(recipe)}, {dtype.name}", spec.name,
                spec.opset, call, Expectation(outputs=spec.expected(call)), clauses_about(spec, call, flags),
                f"cases.generate_cases({spec.name!r}, seed={seed})", flags)


def title_of(recipe: values.Recipe) -> str:
    """What the values of a recipe are, without the faults they show: the beginning of its documentation."""
    return re.split("[:;.]", recipe.__doc__ or "")[0]


@cache
def dtypes_of(spec: Spec) -> tuple[str, ...]:
    """The element types that the specification allows, of those that numpy has; a mean is of floating-point numbers."""
    probe = {"auto_pad": "NOTSET", "kernel_shape": [1, 1], "pads": [0, 0, 0, 0], "strides": [1, 1]}
    if "@" not in spec.name:
        probe |= {"ceil_mode": 0, "dilations": [1, 1], "storage_order": 0}
    return tuple(name for name in DTYPES if (spec.operator == "MaxPool" or np.dtype(name).kind == "f")
                 and not spec.violations(Call(spec.operator, probe, {"X": np.zeros((1, 1, 1, 1), dtype=name)})))


def _draw(rng: np.random.Generator, rank: int, dilated: bool = True) -> list[Axis]:
    """Axes, each of a group of its own."""
    names = [name for name in GROUPS if dilated or name in ("plain", "padded")]
    weights = np.array([GROUPS[name] for name in names])
    groups = [axes()[names[int(place)]] for place in rng.choice(len(names), rank, p=weights / weights.sum())]
    return [group[int(rng.integers(len(group)))] for group in groups]


def _profile(rng: np.random.Generator, spec: Spec) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Attributes and spatial sizes of a call inside the profile: two axes, every attribute given."""
    sizes, kernel, strides, dilations, begin, end = (list(field) for field in zip(*_draw(rng, 2), strict=True))
    return {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": dilations, "kernel_shape": kernel, "pads": begin + end,
            "storage_order": 0, "strides": strides}, tuple(sizes)


def _onnx(rng: np.random.Generator, spec: Spec) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Attributes and spatial sizes of a call of ONNX: any rank, any mode, attributes given or left to their default."""
    has_dilations = spec.opset >= (10 if spec.operator == "MaxPool" else 19)
    drawn = _draw(rng, int(rng.choice([1, 2, 3], p=[0.3, 0.6, 0.1])), dilated=has_dilations)
    sizes, kernel, strides, dilations, begin, end = (list(field) for field in zip(*drawn, strict=True))
    attributes: dict[str, Any] = {"kernel_shape": kernel}
    if rng.random() < 0.6:
        attributes |= {"pads": begin + end} if any(begin + end) or rng.random() < 0.5 else {}
    else:
        attributes["auto_pad"] = str(rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
    attributes |= {"strides": strides} if max(strides) > 1 or rng.random() < 0.5 else {}
    if has_dilations:
        attributes |= {"dilations": dilations} if max(dilations) > 1 or rng.random() < 0.5 else {}
    if spec.opset >= 10 and rng.random() < 0.6:
        attributes["ceil_mode"] = int(rng.integers(2))
    if spec.operator == "MaxPool" and spec.opset >= 8 and rng.random() < 0.3:
        attributes["storage_order"] = int(rng.integers(2))
    if spec.operator == "AveragePool" and spec.opset >= 7 and rng.random() < 0.6:
        attributes["count_include_pad"] = int(rng.integers(2))
    return attributes, tuple(sizes)


def _openvino(rng: np.random.Generator, spec: Spec) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The same for OpenVINO: with its roundings, and strides of 1 where the padding is automatic."""
    maximum = spec.operator == "MaxPool"
    drawn = _draw(rng, int(rng.choice([1, 2, 3], p=[0.3, 0.6, 0.1])), dilated=maximum)
    sizes, kernel, strides, dilations, begin, end = (list(field) for field in zip(*drawn, strict=True))
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    if rng.random() < 0.6:
        attributes["pads"] = begin + end
    else:
        attributes["auto_pad"] = str(rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
        if attributes["auto_pad"] != "VALID":
            attributes["strides"] = [1] * len(sizes)
    if rng.random() < 0.4:
        attributes["ceil_mode"] = int(rng.integers(2))
    else:
        attributes["rounding_type"] = str(rng.choice(["floor", "ceil", *["ceil_torch"] * (spec.opset >= 14)]))
    if not maximum:
        return attributes | {"count_include_pad": int(rng.integers(2))}, tuple(sizes)
    attributes |= {"dilations": dilations} if max(dilations) > 1 else {}
    if rng.random() < 0.4:
        attributes["axis"] = int(rng.integers(-len(sizes) - 2, len(sizes) + 2))
    if rng.random() < 0.3:
        attributes["index_element_type"] = str(rng.choice(["i32", "i64"]))
    return attributes, tuple(sizes)


FAMILIES = {"sonnx": _profile, "onnx": _onnx, "ms.nhwc": _onnx, "openvino": _openvino}
"""How the calls of each family of specifications are drawn."""

RECIPES = {"MaxPool": values.MAXIMUM, "AveragePool": values.MEAN}
"""What values are drawn for each operator."""

FURTHER = {"MaxPool": values.FURTHER_MAXIMUM, "AveragePool": values.FURTHER_MEAN}
"""What values the last of every `PERIOD` calls has in their place, one recipe after the other."""

PERIOD = 8


def clauses_about(spec: Spec, call: Call, flags: tuple[str, ...]) -> tuple[str, ...]:
    """The full addresses of the clauses on outputs that speak of a valid call: a part for one kind of numbers of that
    kind, its pads of padded calls, its Y and Indices (in the float part) of NaN; a formula of sizes of its own mode."""
    given = call.attributes
    auto_pad, ceil = given.get("auto_pad", "NOTSET"), bool(given.get("ceil_mode", 0))
    same, explicit, padded = auto_pad.startswith("SAME"), auto_pad == "NOTSET", "padded" in flags
    openvino = spec.name.startswith("openvino/")
    rounding = given.get("rounding_type", "ceil" if ceil else "floor")
    pads = same or explicit and padded
    modes = {"Y.C1": explicit and rounding == "floor", "Y.C2": explicit and rounding == "ceil",
             "Y.C3": explicit and rounding == ("ceil_torch" if openvino else "ceil"), "Y.C4": auto_pad == "VALID",
             "Y.C5": same, "auto_pad.F1": same, "pads.F1": pads, "pads_begin.F1": pads, "exclude-pad.F1": pads,
             "Indices.F2": openvino or given.get("storage_order") == 1}
    of_kind = "float" if call.inputs["X"].dtype.kind == "f" else "int"
    return tuple(address for address, local, kind, rest in _on_outputs(spec.name) if (
        modes.get(local, True) if kind not in ("float", "int")
        else kind == of_kind and (padded if rest == "pads" else "nan" in flags)))


@cache
def _on_outputs(spec_name: str) -> tuple[tuple[str, str, str, str], ...]:
    """The clauses on outputs: address, local address, and what is before and behind the dot of the section."""
    return tuple((clause.address, clause.local, *clause.section.partition(".")[::2])
                 for clause in load_spec(spec_name).clauses.values()
                 if clause.judges == "outputs" and not clause.restates)
