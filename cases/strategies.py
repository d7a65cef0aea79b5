"""Hypothesis strategies: calls that are valid, calls one step outside one clause, and calls of any kind.

All are built, none is filtered: an axis is drawn from those on which every window meets X, in rising order, so that
a failing example shrinks to few and small numbers. Hypothesis comes with the extra `dev`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, from_dtype

from plumbline.cases.boundaries import attributes_for
from plumbline.cases.classes import Axis, has_dilations, modes_of
from plumbline.cases.generate import axes, dtypes_of
from plumbline.oracle import Call, Spec, load_spec

Change = Callable[[Spec, dict[str, Any], np.ndarray], tuple[dict[str, Any], np.ndarray]]
"""From a specification, the attributes of a valid call (which may be changed) and X to those of another call."""

WORDS = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "explicit", "")
NAMES = ("kernel_shape", "strides", "dilations", "pads", "auto_pad", "ceil_mode", "storage_order", "count_include_pad",
         "rounding_type", "axis", "else")
ANY_DTYPE = ("float32", "float16", "float64", "int8", "uint8", "int32", "bool")


@cache
def _axes(dilated: bool) -> tuple[Axis, ...]:
    """Axes on which every window meets X, as `attributes_for` takes them, the smallest numbers first."""
    found = [(size, kernel, stride, dilation, begin, end)
             for size, kernel, stride, dilation, begin, end in chain.from_iterable(axes().values())
             if dilated or dilation == 1]
    return tuple(sorted(found, key=lambda axis: (sum(axis), axis)))


@st.composite
def valid_calls(draw: st.DrawFn, spec_name: str) -> Call:
    """Calls inside the domain: any mode, one or two spatial axes (two in a profile that has two), any values."""
    spec = load_spec(spec_name)
    rank = 2 if spec.name == "sonnx/maxpool" else draw(st.integers(1, 2))
    words = draw(st.sampled_from(modes_of(spec)))
    drawn = [draw(st.sampled_from(_axes(has_dilations(spec)))) for _ in range(rank)]
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 2)), *(axis[0] for axis in drawn))
    dtype = np.dtype(draw(st.sampled_from(dtypes_of(spec))))
    x = draw(arrays(dtype, shape, elements=from_dtype(dtype)))
    return Call(spec.operator, attributes_for(spec, words, tuple(drawn)), {"X": x})


def _element(name: str, value: int) -> Change:
    """The first element of a list is another."""
    def change(spec: Spec, attributes: dict[str, Any], x: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
        given = attributes.get(name, [0] * 2 * (x.ndim - 2) if name == "pads" else [1] * (x.ndim - 2))
        return {**attributes, name: [value, *given[1:]]}, x
    return change


def _longer(name: str) -> Change:
    """A list has two elements more, so that pads still has as many at either end."""
    def change(spec: Spec, attributes: dict[str, Any], x: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
        given = attributes.get(name, [0] * 2 * (x.ndim - 2))
        return {**attributes, name: [*given, given[-1], given[-1]]}, x
    return change


def _set(name: str, value: Any) -> Change:
    """An attribute is set."""
    return lambda spec, attributes, x: ({**attributes, name: value}, x)


def _typed(dtype: str) -> Change:
    """X is of another type."""
    return lambda spec, attributes, x: (attributes, np.zeros(x.shape, dtype))


def _unknown_mode(spec: Spec, attributes: dict[str, Any], x: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """auto_pad is no word of the text. Without pads, which ONNX has beside NOTSET alone; a profile demands them."""
    kept = {name: value for name, value in attributes.items() if name != "pads" or spec.name == "sonnx/maxpool"}
    return {**kept, "auto_pad": "SAME"}, x


def _planes_only(spec: Spec, attributes: dict[str, Any], x: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """X has no spatial axis."""
    return attributes, x.reshape(x.shape[:2] + (-1,))[:, :, 0]


STEPS: dict[str, dict[str, Change]] = {
    "": {"kernel_shape.C1": _element("kernel_shape", 0), "strides.C1": _element("strides", 0),
         "signature.C1": _set("else", 1), "auto_pad.C1": _unknown_mode},
    "sonnx": {"pads.C3": _element("pads", -1), "dilations.C1": _element("dilations", 0),
              "pads.C1": _longer("pads"), "dilations.C2": _longer("dilations"), "strides.C3": _longer("strides"),
              "X.C3": _typed("int32"), "restrictions.R4": _set("ceil_mode", 1),
              "restrictions.R5": _set("storage_order", 1), "restrictions.R3": _set("auto_pad", "VALID"),
              "ceil_mode.C1": _set("ceil_mode", 2)},
    "onnx": {"dilations.C1": _element("dilations", 0), "dilations.C2": _longer("dilations"),
             "strides.C2": _longer("strides"), "kernel_shape.C2": _longer("kernel_shape"), "X.C1": _planes_only,
             "X.C2": _typed("int32"), "X.C3": _typed("int32"), "X.C4": _typed("int32")},
    "openvino": {"kernel.C1": _element("kernel_shape", 0), "kernel.C2": _longer("kernel_shape"),
                 "strides.C2": _longer("strides"), "X.C1": _planes_only, "X.C2": _typed("bool"),
                 "dilations.C1": _element("dilations", -1), "dilations.C2": _longer("dilations")},
}
STEPS["ms.nhwc"] = {local: step for local, step in STEPS["onnx"].items() if not local.startswith("X.C")} \
    | {"X.C1": _planes_only}
"""By family, "" for all, and by the clause that it breaks: what makes a valid call break it."""


def steps_of(spec_name: str) -> dict[str, Change]:
    """The steps outside a clause that `calls_outside` knows, by the local addresses that the specification has."""
    spec = load_spec(spec_name)
    known = STEPS[""] | STEPS[spec_name.partition("/")[0]]
    return {local: step for local, step in known.items() if f"{spec.name}#{local}" in spec.clauses}


@st.composite
def calls_outside(draw: st.DrawFn, spec_name: str, clause: str) -> Call:
    """Valid calls but for one step that breaks `clause`, a local address of `steps_of`, and what is broken with it.
    Raises KeyError for a clause without a step."""
    spec, call = load_spec(spec_name), draw(valid_calls(spec_name))
    attributes, x = steps_of(spec_name)[clause](spec, dict(call.attributes), call.inputs["X"])
    return Call(call.operator, attributes, {"X": x})


@st.composite
def wild_calls(draw: st.DrawFn, spec_name: str) -> Call:
    """Calls with any attributes of any values, lists of any length, and X of any type and rank, empty axes included."""
    small = st.integers(-1, 4)
    value = st.one_of(small, st.lists(small, max_size=5), st.sampled_from(WORDS), st.floats(allow_nan=False))
    attributes = draw(st.dictionaries(st.sampled_from(NAMES), value, max_size=5))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=5)))
    dtype = np.dtype(draw(st.sampled_from(ANY_DTYPE)))
    x = draw(arrays(dtype, shape, elements=from_dtype(dtype)))
    return Call(load_spec(spec_name).operator, attributes, {"X": x})
