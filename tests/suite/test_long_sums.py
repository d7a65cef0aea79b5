"""A term left out of a long sum is found in every element type, as far as the text's bound tells it from a rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np
import pytest

from plumbline.cases.generate import value_recipes as values
from plumbline.cases.generate.choices import filled
from plumbline.cases.generate.size_classes import size_class_cases
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.rounding import PRECISION
from plumbline.oracle.terms import Terms

LEFT_OUT = {"first": 0, "last": -1}

READ = {"onnx/globalaveragepool@22": "X", "onnx/averagepool@22": "X", "onnx/lppool@22": "X", "onnx/conv@22": "W",
        "onnx/matmul@13": "A", "onnx/gemm@13": "A"}
"""Texts whose operators add, with the input that the term is left out of."""

BEYOND = {("bfloat16", (1000,)), ("bfloat16", (13, 13)), ("bfloat16", (33, 31)), ("float16", (33, 31))}
"""Types and planes of a mean whose bound is as large as a cell: each of so many may be rounded in so short a type,
since their number is not a power of two."""

MOST = 2**16
"""Elements above which a call is not tried."""

SUMS = (1, 7, 31, 33, 65, 128, 256, 576, 1000, 4097)
"""Numbers of terms."""


def without(spec: Spec, call: Call, place: int) -> Call:
    """The call with zeros in place of the first or the last term of every sum, whatever the windows."""
    name = READ[spec.name]
    x = call.inputs[name].copy()
    if name == "X":
        x.reshape(prod(x.shape[:2]), -1)[:, place] = 0
    elif name == "W":
        x.reshape(len(x), -1)[:, place] = 0
    else:
        (x.T if call.attributes.get("transA") else x)[..., place] = 0
    return replace(call, inputs={**call.inputs, name: x})


@cache
def calls_of(name: str) -> list[Call]:
    """Those of size classes that add floating-point numbers, but for those of layers and of large outputs."""
    calls = [case.call for case in size_class_cases(name, [])]
    return [call for call in calls if call.inputs[READ[name]].dtype.name in PRECISION
            and call.inputs[READ[name]].size < MOST]


def found(name: str, place: int) -> Iterator[tuple[Call, bool]]:
    """The calls of size classes, and whether the answer without the term is accused; none of the right answer is."""
    spec = load_spec(name)
    for call in calls_of(name):
        assert not spec.divergences(call, spec.expected(call)), call
        yield call, bool(spec.divergences(call, spec.expected(without(spec, call, place))))


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("place", LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("name", ["onnx/matmul@13", "onnx/gemm@13"])
def test_every_product_of_matrices_shows_it(name: str, place: int) -> None:
    """At every size and in every type."""
    assert [call for call, accused in found(name, place) if not accused] == []


@pytest.mark.parametrize("place", LEFT_OUT.values(), ids=LEFT_OUT)
def test_every_mean_of_a_plane_shows_it(place: int) -> None:
    """But those whose bound is as large as a cell."""
    for call, accused in found("onnx/globalaveragepool@22", place):
        x = call.inputs["X"]
        assert accused or (x.dtype.name, x.shape[2:]) in BEYOND, (x.dtype, x.shape)


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("place", LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("name", ["onnx/conv@22", "onnx/averagepool@22", "onnx/lppool@22"])
def test_windows_show_it_in_every_type(name: str, place: int) -> None:
    """By some case; not every window reads the cell."""
    accused: Counter[str] = Counter()
    for call, found_out in found(name, place):
        accused[call.inputs["X"].dtype.name] += found_out
    assert len(accused) == 4 and min(accused.values()) > 9, accused


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("count", SUMS)
def test_sums_of_products_are_exact_in_every_order(dtype: str, count: int) -> None:
    """Of two tensors of which one has zeros, or both have; neither end of a sum is zero."""
    rng = np.random.default_rng(count)
    for other in ((), (0,)):
        a, b = (filled(values.exact, rng, (count, 3), element_type(dtype), Terms(count, axes)).astype(np.float64)
                for axes in ((0,), other))
        assert np.all((np.abs(a) * np.abs(b)).sum(axis=0) <= 1 / PRECISION[dtype][0])
        assert np.all(a[[0, -1]] * b[[0, -1]] != 0) and np.all(a == np.trunc(a))


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("count", SUMS)
def test_a_cell_of_a_mean_is_above_its_error(dtype: str, count: int) -> None:
    """Where one nonzero cell alone can be; and where the divisor is a power of two, sums are exact."""
    x = filled(values.exact, np.random.default_rng(count), (5, count), element_type(dtype), Terms(count, (1,), count))
    sizes, (u, _, _) = np.abs(x.astype(np.float64)).sum(axis=1), PRECISION[dtype]
    bound = (1 + float(u)) ** (count + 1) - 1
    assert np.all(sizes <= 1 / u if count & (count - 1) == 0 else (sizes * bound < 1) | (bound > 1))
