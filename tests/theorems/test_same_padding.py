"""SAME_UPPER and SAME_LOWER, for all sizes: how much padding, when it is negative, which cells and windows it leaves
out. Negative padding counts as zero here, as in the oracle."""

from __future__ import annotations

import pytest
import z3

from tests.theorems.formulas import Axis, any_axis
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import floor, larger, smaller

AXIS = any_axis()
WELL_FORMED = AXIS.well_formed
TOTAL = AXIS.size + AXIS.kernel + AXIS.stride + AXIS.dilation
m, tap, cell = z3.Ints("m tap cell")
LACK = -AXIS.size % AXIS.stride  # what X lacks to a multiple of the stride

both_ways = pytest.mark.parametrize("upper", [True, False], ids=["SAME_UPPER", "SAME_LOWER"])


def test_the_total_is_the_kernel_less_the_stride_but_for_what_lacks_to_a_multiple() -> None:
    """(out-1)*s + ke - in = ke - s + (-in mod s), so it is below ke."""
    prove(AXIS.same_total == AXIS.extent - AXIS.stride + LACK, WELL_FORMED)
    prove(AXIS.same_total < AXIS.extent, WELL_FORMED)


def test_the_total_is_negative_exactly_where_the_stride_outruns_the_kernel() -> None:
    """It is where ke + (-in mod s) < s: for no X if s <= ke, and for every greater stride where s divides in."""
    negative = AXIS.same_total < 0
    prove(negative == (AXIS.extent + LACK < AXIS.stride), WELL_FORMED)
    prove(z3.Not(negative), [*WELL_FORMED, AXIS.stride <= AXIS.extent])
    prove(negative, [*WELL_FORMED, AXIS.stride > AXIS.extent, LACK == 0])


@both_ways
def test_the_split_covers_the_total(upper: bool) -> None:
    """Both ends add up to the total (to zero where it is negative), are below ke, and differ by the odd cell alone,
    which is at the end for SAME_UPPER and at the beginning for SAME_LOWER."""
    padded = AXIS.padded_same(upper)
    total = larger(AXIS.same_total, 0)
    odd = padded.end - padded.begin if upper else padded.begin - padded.end
    prove(z3.And(padded.begin + padded.end == total, odd == total % 2, padded.begin >= 0, padded.end >= 0,
                 padded.begin < padded.extent, padded.end < padded.extent), WELL_FORMED)


@both_ways
def test_with_that_padding_the_formulas_for_explicit_padding_give_the_same_size(upper: bool) -> None:
    """Rounded down and up alike, where the total is not negative."""
    padded = AXIS.padded_same(upper)
    prove(z3.And(padded.floor_size == AXIS.same_size, padded.ceil_size == AXIS.same_size),
          [*WELL_FORMED, AXIS.same_total >= 0], [padded.room == (AXIS.same_size - 1) * AXIS.stride])


def test_where_the_total_is_negative_the_last_cells_of_x_are_left_out() -> None:
    """The windows then lie in X, and end before its last cell by as many cells as the total is below zero."""
    unpadded = AXIS.padded_same(upper=True)
    reached = unpadded.cell(m, tap)
    prove(z3.And(0 <= reached, reached < AXIS.size + AXIS.same_total),
          [*WELL_FORMED, AXIS.same_total < 0, 0 <= m, m < AXIS.same_size, 0 <= tap, tap < AXIS.kernel],
          [unpadded.begin == 0, tap * AXIS.dilation <= AXIS.extent - 1, tap * AXIS.dilation >= 0,
           m * AXIS.stride <= (AXIS.same_size - 1) * AXIS.stride, m * AXIS.stride >= 0])


@both_ways
def test_without_dilation_cells_are_left_out_exactly_where_the_kernel_is_below_the_stride_and_x(upper: bool) -> None:
    """If k < s and k < in, no window selects the cell after the first window; else each cell has a window."""
    padded = AXIS.padded_same(upper)
    given = [*WELL_FORMED, AXIS.dilation == 1]
    left_out = AXIS.kernel < smaller(AXIS.stride, AXIS.size)
    after_the_first = AXIS.kernel - padded.begin
    prove(z3.And(0 <= after_the_first, after_the_first < AXIS.size), [*given, left_out])
    prove(padded.cell(m, tap) != after_the_first,
          [*given, left_out, 0 <= m, m < AXIS.same_size, padded.selects(m, tap)],
          [z3.Implies(m >= 1, m * AXIS.stride >= AXIS.stride)])
    window = smaller(floor(cell + padded.begin, AXIS.stride), AXIS.same_size - 1)
    chosen = cell + padded.begin - window * AXIS.stride
    prove(z3.And(0 <= window, window < AXIS.same_size, padded.selects(window, chosen),
                 padded.cell(window, chosen) == cell),
          [*given, z3.Not(left_out), 0 <= cell, cell < AXIS.size])


def test_cells_are_left_out_where_the_total_is_not_negative() -> None:
    """That the windows leave out cells of X (`auto_pad.U1`) follows from a negative total and does not imply one.
    Smallest: X of three elements, k 1, s 2; the total is 0, and the cell in the middle is in no window."""
    implies = z3.Implies(AXIS.kernel < smaller(AXIS.stride, AXIS.size), AXIS.same_total < 0)
    found = smallest_counterexample(implies, [*WELL_FORMED, AXIS.dilation == 1, AXIS.begin == 0, AXIS.end == 0], TOTAL)
    call = Axis(**found)
    assert call == Axis(size=3, kernel=1, stride=2, dilation=1, begin=0, end=0)
    assert (call.same_total, [call.cell(window, 0) for window in range(call.same_size)]) == (0, [0, 2])


@both_ways
def test_every_window_meets_x_up_to_a_dilation_of_its_size(upper: bool) -> None:
    """With SAME each window selects an element of X if d <= in, so whenever d = 1, negative totals included."""
    padded = AXIS.padded_same(upper)
    start = padded.start(m)
    prove(padded.meets(m), [*WELL_FORMED, AXIS.dilation <= AXIS.size, 0 <= m, m < AXIS.same_size],
          [padded.begin < padded.extent, start >= -padded.begin, start < AXIS.size,
           start % AXIS.dilation < AXIS.dilation])


@both_ways
def test_for_every_larger_dilation_a_window_of_same_can_be_empty(upper: bool) -> None:
    """For all d > in, k 2 and s 1 give an empty window. The smallest is the only one of in 1, k 2, d 2, which selects
    padding at both ends."""
    call = Axis(AXIS.size, 2, 1, AXIS.dilation, 0, 0).padded_same(upper)
    window = smaller(call.begin, AXIS.size) - 1
    prove(z3.And(0 <= window, window < call.same_size, z3.Not(call.meets(window))),
          [*WELL_FORMED, AXIS.dilation > AXIS.size])
    padded = AXIS.padded_same(upper)
    found = smallest_counterexample(padded.meets(0), [*WELL_FORMED, AXIS.begin == 0, AXIS.end == 0], TOTAL)
    assert Axis(**found).padded_same(upper) == Axis(size=1, kernel=2, stride=1, dilation=2, begin=1, end=1)
    prove(padded.meets(m), [*WELL_FORMED, 0 <= m, m < AXIS.same_size, TOTAL < sum(found.values())])


def test_with_stride_one_the_size_is_kept_and_the_total_is_the_kernel_less_one() -> None:
    """Where s = 1 the size of the output is that of X, and the total is ke - 1."""
    prove(z3.And(AXIS.same_size == AXIS.size, AXIS.same_total == AXIS.extent - 1), [*WELL_FORMED, AXIS.stride == 1])
