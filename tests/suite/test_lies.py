"""Outputs made to break a text and not its predicate: each breaks the clauses that it should, and no others.

A lie changes one thing of the canonical outputs. What every alternative of an unspecified clause allows is accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec

Outputs = dict[str, np.ndarray]
Lie = Callable[[Outputs], Outputs]
INF, NAN = np.inf, np.nan


def x_of(values: Any, dtype: str = "float32") -> np.ndarray:
    """X of one plane with one spatial axis, or as nested."""
    array = np.array(values, dtype)
    return array.reshape(1, 1, -1) if array.ndim == 1 else array


def call_of(spec: str, values: Any, dtype: str = "float32", **attributes: Any) -> Call:
    """A call of the operator of a specification."""
    return Call(load_spec(spec).operator, attributes, {"X": x_of(values, dtype)})


def profile(values: Any, dtype: str = "float32", **attributes: Any) -> Call:
    """A call of SONNX MaxPool: X of two spatial axes, every attribute given."""
    array = np.array(values, dtype)
    given = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [1, 2], "pads": [0, 0, 0, 0],
             "storage_order": 0, "strides": [1, 1], **attributes}
    return Call("MaxPool", given, {"X": array.reshape(1, 1, *np.atleast_2d(array).shape)})


def at(output: str, place: int, value: Any) -> Lie:
    """One element, counted in the flattened output, has another value."""
    def lie(outputs: Outputs) -> Outputs:
        changed = outputs[output].copy()
        changed.reshape(-1)[place] = value
        return {**outputs, output: changed}
    return lie


def all_of(output: str, value: Any) -> Lie:
    """Every element has one value."""
    return lambda outputs: {**outputs, output: np.full_like(outputs[output], value)}


def shaped(output: str, *shape: int) -> Lie:
    """Zeros of another shape."""
    return lambda outputs: {**outputs, output: np.zeros(shape, outputs[output].dtype)}


def typed(output: str, dtype: str) -> Lie:
    """Another element type."""
    return lambda outputs: {**outputs, output: outputs[output].astype(dtype)}


def without(output: str) -> Lie:
    """An output is not given."""
    return lambda outputs: {name: array for name, array in outputs.items() if name != output}


def given(**values: Any) -> Lie:
    """These outputs in place of the canonical ones, in their types."""
    return lambda outputs: {**outputs, **{name: np.array(value, outputs[name].dtype)
                                          for name, value in values.items()}}


MAX, MAX11, MEAN, MEAN11 = "onnx/maxpool@22", "onnx/maxpool@11", "onnx/averagepool@22", "onnx/averagepool@11"
NHWC, PROFILE, OV_MAX, OV_MEAN = "ms.nhwc/maxpool@11", "sonnx/maxpool", "openvino/maxpool@14", "openvino/avgpool@14"
TWO_PLANES = np.arange(8).reshape(1, 2, 2, 2)
PLANE = np.arange(9).reshape(1, 1, 3, 3)
HUGE = [3e38, 3e38]
EMPTY = {"kernel_shape": [2], "pads": [2, 0]}
BEYOND = {"kernel_shape": [3], "strides": [2], "ceil_mode": 1, "count_include_pad": 1}
NEGATIVE = {"kernel_shape": [1], "strides": [2], "auto_pad": "SAME_UPPER"}

LIES: list[tuple[str, Call, Lie, str]] = [
    # the spatial sizes, the type and the presence of what an unspecified clause is about
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), shaped("Y", 77), "Y.C5 Indices.C1"),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), typed("Y", "float64"), "Y.F2"),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), at("Y", 0, 9), "auto_pad.F1"),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), given(Y=[[[1, 4]]]), "auto_pad.F1"),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), at("Indices", 0, 3), "Indices.F1"),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), without("Y"), "signature.F1"),
    (MEAN, call_of(MEAN, [1, 2, 3, 4], **NEGATIVE), shaped("Y", 77), "Y.C5"),
    (MEAN, call_of(MEAN, [1, 2, 3, 4], **NEGATIVE), typed("Y", "float64"), "Y.F2"),
    (MEAN, call_of(MEAN, [1, 2, 3, 4], **NEGATIVE), at("Y", 0, 9), "auto_pad.F1"),
    (NHWC, call_of(NHWC, [1, 2, 3, 4], **NEGATIVE), shaped("Y", 77), "Y.C5 Indices.C1"),
    (MAX, call_of(MAX, [1, 2], kernel_shape=[3]), typed("Y", "float64"), "Y.F2"),
    (MAX, call_of(MAX, [1, 2], kernel_shape=[3]), shaped("Y", 77), "Y.C1 Indices.C1"),
    (MAX, call_of(MAX, [1, 2], kernel_shape=[3]), shaped("Y", 1, 2, 0), "Y.F3 Indices.C1"),
    (MAX, call_of(MAX, [1, 2], kernel_shape=[3]), typed("Indices", "int32"), "Indices.F3"),
    (MEAN, call_of(MEAN, [1, 2], kernel_shape=[3]), without("Y"), "signature.F1"),
    (OV_MAX, call_of(OV_MAX, [1, 2, 3, 4], **NEGATIVE), shaped("Y", 77), "Y.C5 Indices.C1"),
    (OV_MAX, call_of(OV_MAX, [1, 2, 3, 4], **NEGATIVE), typed("Y", "float64"), "Y.F2"),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 3, 4], **NEGATIVE), shaped("Y", 77), "Y.C5"),
    (OV_MAX, call_of(OV_MAX, [1, 2, 3], kernel_shape=[2], dilations=[0]), typed("Y", "int8"), "Y.F2"),
    # attributes that are neither 0 nor 1
    (MAX, call_of(MAX, [1, 2, 3], kernel_shape=[2], storage_order=2), at("Y", 0, -123), "Y.F1"),
    (MAX, call_of(MAX, [1, 2, 3], kernel_shape=[2], storage_order=2), at("Indices", 0, -7), "Indices.F1"),
    (MAX, call_of(MAX, PLANE, kernel_shape=[2, 2], storage_order=2), at("Indices", 1, 7), "Indices.F1"),
    (MAX, call_of(MAX, PLANE, kernel_shape=[2, 2], storage_order=2), all_of("Y", 0), "Y.F1"),
    (MAX, call_of(MAX, [1, 2, 3], kernel_shape=[2], ceil_mode=2), at("Y", 0, -123), "Y.F1"),
    (MAX, call_of(MAX, [1, 2, 3, 4], kernel_shape=[2], strides=[3], ceil_mode=2), shaped("Y", 1, 1, 5),
     "Y.C3 Indices.C1"),
    (MEAN, call_of(MEAN, [1, 2, 3], kernel_shape=[2], count_include_pad=2, pads=[1, 0]), at("Y", 0, 7), "Y.F1"),
    (MEAN11, call_of(MEAN11, [1, 2, 3], kernel_shape=[2], ceil_mode=2), at("Y", 1, 0), "Y.F1"),
    (NHWC, call_of(NHWC, [1, 2, 3], kernel_shape=[2], storage_order=2), at("Y", 0, -123), "Y.F1"),
    # the range of an index that is otherwise open
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Indices", 0, -4), "Indices.F4"),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Indices", 0, 10**9), "Indices.F4"),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Indices", 0, 2), "Indices.F4"),
    (MAX11, call_of(MAX11, [5, 6], **EMPTY), at("Indices", 0, -1), "Indices.F4"),
    ("onnx/maxpool@8", call_of("onnx/maxpool@8", [5, 6], **EMPTY), at("Indices", 0, -1), "Indices.F4"),
    (NHWC, call_of(NHWC, [5, 6], **EMPTY), at("Indices", 0, -4), "Indices.F4"),
    (MAX, call_of(MAX, [NAN, NAN, 1], kernel_shape=[2]), at("Indices", 0, -4), "Indices.F4"),
    (MAX, call_of(MAX, [NAN, NAN, 1], kernel_shape=[2]), at("Indices", 0, 3), "Indices.F4"),
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[2]), at("Indices", 0, 2), "Indices.F1"),
    (MAX, call_of(MAX, TWO_PLANES, kernel_shape=[1, 2], storage_order=1), at("Indices", 0, -7), "Indices.F4"),
    (MAX, call_of(MAX, TWO_PLANES, kernel_shape=[1, 2], storage_order=1), all_of("Indices", 10**9), "Indices.F4"),
    (MAX, call_of(MAX, TWO_PLANES, kernel_shape=[1, 2], storage_order=1), at("Y", 0, 7), "Y.F1"),
    (NHWC, call_of(NHWC, TWO_PLANES, kernel_shape=[1, 2], storage_order=1), at("Indices", 0, 8), "Indices.F4"),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Indices", 2, -4), "Indices.F1"),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Y", 2, 5), "Y.F1"),
    # one layout for the whole tensor
    (NHWC, call_of(NHWC, TWO_PLANES, kernel_shape=[1, 1]), given(Indices=[[[[0, 2], [4, 6]], [[4, 5], [6, 7]]]]),
     "Indices.F1"),
    (NHWC, call_of(NHWC, TWO_PLANES, kernel_shape=[1, 1]), at("Indices", 1, 3), "Indices.F1"),
    (NHWC, call_of(NHWC, TWO_PLANES, kernel_shape=[1, 1]), at("Indices", 0, -7), "Indices.F1"),
    # NaN, infinities
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, 55), "Y.F1"),
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, INF), "Y.F1"),
    (MAX, call_of(MAX, [NAN, NAN], kernel_shape=[2]), at("Y", 0, 3), "Y.F1"),
    (NHWC, call_of(NHWC, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, 55), "Y.F1"),
    (OV_MAX, call_of(OV_MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, 55), "Y.F1"),
    (PROFILE, profile([NAN, 1, 2], kernel_shape=[1, 3]), at("Y", 0, NAN), "float.Y.F1"),
    (PROFILE, profile([NAN, 1, 2], kernel_shape=[1, 3]), at("Indices", 0, 0), "float.Indices.F1"),
    (PROFILE, profile([NAN, NAN, 2]), at("Y", 0, 2), "float.Y.F1"),
    (PROFILE, profile([1, 1, 0]), at("Indices", 0, 1), "Indices.F2"),
    (MEAN, call_of(MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, -7), "Y.F1"),
    (MEAN, call_of(MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, -INF), "Y.F1"),
    (MEAN, call_of(MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, 0.5), "Y.F1"),
    (MEAN, call_of(MEAN, [NAN, 1], kernel_shape=[2]), at("Y", 0, INF), "Y.F1"),
    (MEAN, call_of(MEAN, [NAN, 4], kernel_shape=[2]), at("Y", 0, 3), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, -7), "Y.F1"),
    # overflow
    (MEAN, call_of(MEAN, HUGE, kernel_shape=[2]), at("Y", 0, -1), "Y.F1"),
    (MEAN, call_of(MEAN, HUGE, kernel_shape=[2]), at("Y", 0, NAN), "Y.F1"),
    (MEAN, call_of(MEAN, HUGE, kernel_shape=[2]), at("Y", 0, -INF), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, HUGE, kernel_shape=[2]), at("Y", 0, -1), "Y.F1"),
    # divisors
    (MEAN11, call_of(MEAN11, [1, 2, 3, 12], **BEYOND), at("Y", 1, 15), "Y.F1"),
    (MEAN11, call_of(MEAN11, [1, 2, 3, 12], **BEYOND), at("Y", 1, 15 / 4), "Y.F1"),
    (MEAN, call_of(MEAN, [1, 2, 3, 12], **BEYOND), at("Y", 1, 5), "count_include_pad.F1"),
    ("onnx/averagepool@19", call_of("onnx/averagepool@19", [1, 2, 3, 12], **BEYOND), at("Y", 1, 5),
     "count_include_pad.F1"),
    (MEAN, call_of(MEAN, [1, 2, 3, 12], **BEYOND), at("Y", 1, 15), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 3, 12], **BEYOND), at("Y", 1, 15), "Y.F1"),
    (MEAN, call_of(MEAN, [5, 6], **EMPTY, count_include_pad=1), at("Y", 0, 3), "Y.F1"),
    (MEAN, call_of(MEAN, [5, 6], kernel_shape=[2], pads=[1, 0]), at("Y", 0, 2.5), "pads.F1"),
    # sums that are exact, and integers
    (MEAN, call_of(MEAN, [0.3, 7], kernel_shape=[1]), at("Y", 0, np.nextafter(np.float32(0.3), np.float32(1))), "Y.F1"),
    (MEAN, call_of(MEAN, [2, 4], kernel_shape=[2]), at("Y", 0, np.nextafter(np.float32(3), np.float32(4))), "Y.F1"),
    (MEAN, call_of(MEAN, np.ones((1, 1, 8, 8)), "float16", kernel_shape=[8, 8]), at("Y", 0, 0.984), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 4], "int32", kernel_shape=[2]), at("Y", 0, 3), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, [2, 4, 4], "int32", kernel_shape=[2]), at("Y", 0, 2), "Y.F1"),
    (OV_MEAN, call_of(OV_MEAN, [2, 4, 4], "int64", kernel_shape=[2]), at("Y", 0, -1000), "Y.F1"),
    # nothing of an unspecified clause
    (PROFILE, profile([1, 2, 3]), at("Indices", 0, -4), "Indices.F1"),
    (PROFILE, profile([1, 2, 3]), at("Indices", 0, 0), "Indices.F1"),
    (PROFILE, profile([-1, -2, -3], "int8", pads=[0, 1, 0, 0]), at("Y", 0, 0), "int.pads.F1"),
    (PROFILE, profile([-1, -2, -3], pads=[0, 1, 0, 0]), at("Y", 0, 0), "float.pads.F1"),
    (PROFILE, profile([1, 2, 3]), at("Y", 0, 1), "Y.F1"),
    (PROFILE, profile([1, 2, 3]), typed("Y", "float64"), "Y.F2"),
    (PROFILE, profile([1, 2, 3]), without("Y"), "signature.F1"),
    (PROFILE, profile([1, 2, 3]), typed("Indices", "int32"), "Indices.F3"),
    (PROFILE, profile([1, 2, 3]), shaped("Indices", 1, 1, 1, 5), "Indices.C1"),
    (PROFILE, profile([1, 2, 3]).asking_for("Y"), shaped("Y", 1, 1, 1, 5), "Y.C1"),
    (PROFILE, profile([1, 2, 3]).asking_for("Y"), shaped("Y", 1, 2, 1, 2), "Y.F3"),
    (OV_MAX, call_of(OV_MAX, [1, 2, 3], kernel_shape=[2], index_element_type="i32"), typed("Indices", "int64"),
     "Indices.F2"),
    (OV_MAX, call_of(OV_MAX, TWO_PLANES, kernel_shape=[1, 2], axis=2), at("Indices", 2, 5), "Indices.F1"),
]

TRUTHS: list[tuple[str, Call, Lie]] = [
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), given(Y=[[[1, 3]]], Indices=[[[0, 2]]])),
    (MAX, call_of(MAX, [1, 2, 3, 4], **NEGATIVE), given(Y=[[[2, 4]]], Indices=[[[1, 3]]])),
    (MAX, call_of(MAX, PLANE, kernel_shape=[2, 2], storage_order=2), given(Indices=[[[[4, 7], [5, 8]]]])),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Indices", 0, 1)),
    (MAX, call_of(MAX, [5, 6], **EMPTY), at("Y", 0, 77)),
    (MAX, call_of(MAX, [NAN, NAN, 1], kernel_shape=[2]), at("Indices", 0, 2)),
    (MAX, call_of(MAX, [NAN, NAN, 1], kernel_shape=[2]), at("Y", 0, -INF)),
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, NAN)),
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, 1)),
    (MAX, call_of(MAX, TWO_PLANES, kernel_shape=[1, 2], storage_order=1), all_of("Indices", 7)),
    (NHWC, call_of(NHWC, TWO_PLANES, kernel_shape=[1, 1]), given(Indices=[[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]])),
    (MAX, call_of(MAX, [NAN, 1, 2], kernel_shape=[3]), at("Y", 0, -INF)),
    (MEAN, call_of(MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, INF)),
    (MEAN, call_of(MEAN, [INF, 1], kernel_shape=[2]), at("Y", 0, NAN)),
    (MEAN, call_of(MEAN, [NAN, 4], kernel_shape=[2]), at("Y", 0, NAN)),
    (MEAN, call_of(MEAN, [NAN, 4], kernel_shape=[2]), at("Y", 0, 2)),
    (MEAN, call_of(MEAN, [NAN, 4], kernel_shape=[2]), at("Y", 0, 4)),
    (MEAN, call_of(MEAN, HUGE, kernel_shape=[2]), at("Y", 0, INF)),
    (MEAN11, call_of(MEAN11, [1, 2, 3, 12], **BEYOND), at("Y", 1, 5)),
    (MEAN11, call_of(MEAN11, [1, 2, 3, 12], **BEYOND), at("Y", 1, 7.5)),
    (MEAN, call_of(MEAN, [5, 6], **EMPTY), at("Y", 0, NAN)),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 3, 12], **BEYOND), at("Y", 1, 5)),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 4], "int32", kernel_shape=[2]), at("Y", 0, 1)),
    (OV_MEAN, call_of(OV_MEAN, [1, 2, 4], "int32", kernel_shape=[2]), at("Y", 0, 2)),
    (OV_MEAN, call_of(OV_MEAN, [100, 100], "int8", kernel_shape=[2]), at("Y", 0, -28)),
    (PROFILE, profile([NAN, NAN, 2]), at("Indices", 0, 1)),
]


EDITION = "1.23.2"


def told(spec: str, call: Call, lie: Lie) -> Mapping[str, np.ndarray]:
    """The canonical outputs with a lie."""
    outputs = {name: array.copy() for name, array in load_spec(spec).expected(call).items()}
    return lie(outputs)


@pytest.mark.parametrize(("spec", "call", "lie", "clauses"), LIES,
                         ids=[f"{number} {spec} {clauses}" for number, (spec, _, _, clauses) in enumerate(LIES)])
def test_a_lie_breaks_the_clauses_that_it_should(spec: str, call: Call, lie: Lie, clauses: str) -> None:
    """Exactly these, restatements aside, by the newest edition alone: what an older one allows is disputed."""
    found = load_spec(spec, EDITION).divergences(call, told(spec, call, lie))
    stated = load_spec(spec).clauses
    broken = {entry.clause.partition("#")[2] for entry in found if not stated[entry.clause].restates}
    assert broken == set(clauses.split())


def test_every_clause_on_outputs_has_a_lie_that_breaks_it_alone() -> None:
    """Of the profile: a clause on outputs that no wrong output breaks by itself might as well not be judged."""
    clauses = {clause.local for clause in load_spec(PROFILE).clauses.values()
               if clause.judges == "outputs" and not clause.restates}
    missing = clauses - {broken for spec, _, _, broken in LIES if spec == PROFILE}
    assert not missing, f"write a lie that breaks exactly one of {sorted(missing)}"


@pytest.mark.parametrize(("spec", "call", "lie"), TRUTHS,
                         ids=[f"{number} {spec}" for number, (spec, _, _) in enumerate(TRUTHS)])
def test_what_an_alternative_allows_is_accepted(spec: str, call: Call, lie: Lie) -> None:
    """It differs from the canonical outputs at most in what an unspecified clause leaves open."""
    assert load_spec(spec).divergences(call, told(spec, call, lie)) == []
