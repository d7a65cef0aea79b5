"""The formulas of the theorems are those of the oracle: compared for every axis within a bound, as integers.

Bound: X up to 5, kernels up to 3, strides up to 4, dilations up to 3, pads up to 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest
import z3

from plumbline.oracle import Call, load_spec
from plumbline.oracle.families.pooling import Windowed
from plumbline.oracle.families.windows import Geometry, taps
from plumbline.oracle.operators.openvino.maxpool import MaxPool as OpenVinoMaxCall
from plumbline.oracle.reference.onnx.windows import axis_layout
from plumbline.oracle.reference.openvino.windows import axis_layout as openvino_axis_layout
from tests.theorems.formulas import Axis, any_axis
from tests.theorems.terms import rational, round_down, round_up

AXES = [Axis(*numbers) for numbers in product(range(1, 6), range(1, 4), range(1, 5), range(1, 4), range(5), range(5))]
UNPADDED = [axis for axis in AXES if axis.begin == axis.end == 0]


def call(axis: Axis, **attributes: object) -> Call:
    """A call with that axis, without its pads."""
    return Call("MaxPool", {"kernel_shape": [axis.kernel], "strides": [axis.stride], "dilations": [axis.dilation],
                            **attributes}, {"X": np.zeros((1, 1, axis.size), dtype=np.float32)})


def padded_call(axis: Axis, ceil_mode: int) -> Call:
    """A call with that axis and its pads."""
    return call(axis, pads=[axis.begin, axis.end], ceil_mode=ceil_mode)


def geometry(*axes: Axis) -> Geometry:
    """The oracle's windows over these axes."""
    return Geometry(*zip(*((axis.size, axis.kernel, axis.stride, axis.dilation, axis.begin, axis.end) for axis in axes),
                         strict=True))


def empty_windows(axis: Axis, count: int) -> list[int]:
    """The windows of an axis that select no element of X, by looking at each of their cells and one on either side."""
    return [window for window in range(count)
            if not any(axis.selects(window, tap) for tap in range(-1, axis.kernel + 1))]


def test_well_formed_is_what_the_clauses_on_calls_accept() -> None:
    """Every axis of the bound is, and its calls break no clause; with any number one less than the least, neither
    holds. X without elements is the exception: no clause is broken, and what such a call means is not said."""
    spec = load_spec("onnx/maxpool@22")
    assert all(all(axis.well_formed) for axis in AXES)
    least = Axis(1, 1, 1, 1, 0, 0)
    assert spec.violations(padded_call(least, 0)) == []
    for field in fields(Axis):
        below = replace(least, **{field.name: getattr(least, field.name) - 1})
        assert not all(below.well_formed), field.name
        assert bool(spec.violations(padded_call(below, 0))) == (field.name != "size"), field.name


@pytest.mark.parametrize(("ceil_mode", "version", "formula"), [
    (0, 12, "floor_size"), (0, 22, "floor_size"), (1, 12, "ceil_size"), (1, 22, "ceil_size_22")])
def test_sizes_with_explicit_padding_are_those_of_both_oracles(ceil_mode: int, version: int, formula: str) -> None:
    """`Windowed.explicit_sizes`, `Geometry.floor_sizes`, and the literal transcription."""
    for axis in AXES:
        asked = padded_call(axis, ceil_mode)
        size = getattr(axis, formula)
        assert Windowed(asked, version).explicit_sizes == (size,)
        assert axis_layout(asked, version, 0) == (size, axis.begin)
        assert geometry(axis).floor_sizes == (axis.floor_size,)


@pytest.mark.parametrize("ceil_mode", [0, 1])
def test_windows_in_the_padding_at_the_end_are_those_of_the_oracle(ceil_mode: int) -> None:
    """`Windowed.windows_in_the_padding` asks whether the last window starts there."""
    found = set()
    for axis in AXES:
        last = (axis.ceil_size_22 if ceil_mode else axis.floor_size) - 1
        found.add(axis.starts_before_the_end(last))
        assert Windowed(padded_call(axis, ceil_mode), 22).windows_in_the_padding is not axis.starts_before_the_end(last)
    assert found == {True, False}


@pytest.mark.parametrize("auto_pad", ["VALID", "SAME_UPPER", "SAME_LOWER"])
def test_sizes_and_padding_with_auto_pad_are_those_of_both_oracles(auto_pad: str) -> None:
    """`Windowed.counts`, `same_totals` and the pads of `geometry`, and the literal transcription."""
    for axis in UNPADDED:
        asked = call(axis, auto_pad=auto_pad)
        read = Windowed(asked, 22)
        if auto_pad == "VALID":
            size, padded = axis.valid_size, axis
        else:
            size, padded = axis.same_size, axis.padded_same(auto_pad == "SAME_UPPER")
            assert read.same_totals == (axis.same_total,)
        assert read.counts == (size,)
        assert read.geometry == geometry(padded)
        assert axis_layout(asked, 22, 0) == (size, padded.begin)


@pytest.mark.parametrize(("rounding", "explicit", "valid"), [
    ("floor", "floor_size", "floor_size"), ("ceil", "ceil_size", "ceil_size"),
    ("ceil_torch", "ceil_size_22", None)])
def test_sizes_of_openvino_are_those_of_both_oracles(rounding: str, explicit: str, valid: str | None) -> None:
    """`OpenVinoCall.counts` and the literal transcription, with explicit padding and with valid, which OpenVINO rounds
    as rounding_type says; what ceil_torch means there is left open."""
    for axis in AXES:
        asked = call(axis, pads=[axis.begin, axis.end], rounding_type=rounding)
        size = getattr(axis, explicit)
        assert OpenVinoMaxCall(asked, 14).counts == (size,)
        assert openvino_axis_layout(asked, 0) == (size, axis.begin, axis.end)
    for axis in UNPADDED if valid else ():
        asked = call(axis, auto_pad="VALID", rounding_type=rounding)
        assert OpenVinoMaxCall(asked, 14).counts == (getattr(axis, valid),)
        assert openvino_axis_layout(asked, 0) == (getattr(axis, valid), 0, 0)


def test_cells_and_windows_are_those_of_the_oracle() -> None:
    """`Geometry.positions` gives the cells, `meets` says what the definition says, and `found_empty` holds for some
    window exactly where `Geometry.empty_window` gives one, and for that one; for the sizes rounded down and up."""
    for axis in AXES:
        for count in {axis.floor_size, axis.ceil_size, axis.ceil_size_22}:
            if count < 1:
                continue
            oracle = geometry(axis)
            assert oracle.positions((count,))[0].tolist() == [
                [axis.cell(window, tap) for tap in range(axis.kernel)] for window in range(count)]
            empty = empty_windows(axis, count)
            assert [window for window in range(count) if not axis.meets(window)] == empty
            named = [(0, window) for window in range(count) if axis.found_empty(count, window)]
            found = oracle.empty_window((count,))
            assert found in named if named else found is None
            assert bool(named) == bool(empty)


def test_windows_over_two_axes_are_empty_where_they_are_on_one() -> None:
    """`Geometry.empty_window` and the taps of the oracle, for all pairs of axes within a smaller bound: X, kernels and
    dilations up to 2, stride 1, pads up to 2 and 1."""
    axes = [axis for axis in AXES if max(axis.size, axis.kernel, axis.dilation, axis.begin) <= 2
            and axis.stride == 1 and axis.end <= 1 and axis.floor_size >= 1]
    for first, second in product(axes, repeat=2):
        windows = geometry(first, second)
        counts = windows.floor_sizes
        selected = sum((tap.inside for tap in taps(windows, counts)), np.zeros(counts, int))
        rows, columns = (empty_windows(axis, count) for axis, count in zip((first, second), counts, strict=True))
        assert {tuple(place) for place in np.argwhere(selected == 0).tolist()} == \
            {(row, column) for row, column in np.ndindex(counts) if row in rows or column in columns}
        assert (windows.empty_window(counts) is None) == (not rows and not columns)


@pytest.mark.parametrize("formula", [
    "floor_size", "ceil_size", "ceil_size_22", "valid_size", "same_size", "same_total", "overhang",
    "windows_before_the_end"])
def test_terms_mean_what_integers_mean(formula: str) -> None:
    """Each number with its value put into the term gives what the formula gives for integers, negative ones included;
    every thirteenth axis."""
    axis = any_axis()
    _agrees(getattr(axis, formula), axis, lambda numbers: getattr(numbers, formula))


@pytest.mark.parametrize("upper", [True, False])
def test_terms_of_the_padding_mean_what_integers_mean(upper: bool) -> None:
    """The beginning and the end of SAME, as above."""
    axis = any_axis()
    _agrees(axis.padded_same(upper).begin, axis, lambda numbers: numbers.padded_same(upper).begin)
    _agrees(axis.padded_same(upper).end, axis, lambda numbers: numbers.padded_same(upper).end)


@pytest.mark.parametrize("window", [0, 1, 2])
def test_terms_of_conditions_mean_what_integers_mean(window: int) -> None:
    """What is asked of a window, as above; of three windows where their number counts."""
    axis = any_axis()
    _agrees(axis.meets(window), axis, lambda numbers: numbers.meets(window))
    _agrees(axis.starts_before_the_end(window), axis, lambda numbers: numbers.starts_before_the_end(window))
    _agrees(axis.selects(window, 1), axis, lambda numbers: numbers.selects(window, 1))
    _agrees(axis.found_empty(3, window), axis, lambda numbers: numbers.found_empty(3, window))


def test_terms_of_rounding_mean_what_integers_mean() -> None:
    """Exact quotients rounded down and up, as numbers and as terms."""
    n, s = z3.Ints("n s")
    for numerator, denominator in product(range(-9, 10), range(1, 5)):
        for rounded in (round_down, round_up):
            put = z3.substitute(rounded(rational(n, s)), (n, z3.IntVal(numerator)), (s, z3.IntVal(denominator)))
            assert z3.simplify(put).as_long() == rounded(rational(numerator, denominator))


def _agrees(term: z3.ExprRef, axis: Axis, of_integers: Callable[[Axis], int | bool]) -> None:
    """The term, with the numbers of an axis in place of its variables, is what the formula gives for them."""
    for numbers in AXES[::13]:
        put = z3.simplify(z3.substitute(term, *(
            (getattr(axis, field.name), z3.IntVal(getattr(numbers, field.name))) for field in fields(Axis))))
        expected = of_integers(numbers)
        value = z3.BoolVal(expected) if isinstance(expected, bool) else z3.IntVal(expected)
        assert put.eq(value), (numbers, put, expected)
