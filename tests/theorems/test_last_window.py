"""Where the last window lies with explicit padding, for all sizes: within the padded input or not, in the padding or
not, and what ONNX's sentence of version 22 changes ("windows that would start in the right padded region")."""

from __future__ import annotations

import z3

from tests.theorems.formulas import Axis, any_axis
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import choose, smaller

AXIS = any_axis()
WELL_FORMED = AXIS.well_formed
m, tap = z3.Ints("m tap")
LAST_FLOOR, LAST_CEIL, LAST_22 = AXIS.floor_size - 1, AXIS.ceil_size - 1, AXIS.ceil_size_22 - 1
TOTAL = AXIS.size + AXIS.kernel + AXIS.stride + AXIS.dilation + AXIS.begin + AXIS.end


def test_rounded_down_the_windows_are_those_that_fit() -> None:
    """Window m is one of floor((in+b+e-ke)/s) + 1 exactly where it ends within the padded input: the last one fits, and
    one more would not."""
    prove((m < AXIS.floor_size) == (m * AXIS.stride + AXIS.extent <= AXIS.padded), WELL_FORMED)


def test_rounded_up_the_windows_just_cover_the_padded_input() -> None:
    """The last of ceil((in+b+e-ke)/s) + 1 ends at the end of the padded input or beyond, by the overhang; the last but
    one ends before."""
    def end(window: z3.ArithRef) -> z3.ArithRef:
        return window * AXIS.stride + AXIS.extent

    prove(z3.And(end(LAST_CEIL) == AXIS.padded + AXIS.overhang, 0 <= AXIS.overhang, AXIS.overhang < AXIS.stride,
                 end(LAST_CEIL - 1) < AXIS.padded), WELL_FORMED)


def test_rounded_up_the_last_window_starts_in_the_padded_input_unless_it_hangs_over_whole() -> None:
    """It starts before the end of the padded input exactly where the overhang is less than the dilated kernel. A stride
    up to the dilated kernel is enough; a larger one is not, for every kernel and stride."""
    starts_inside = LAST_CEIL * AXIS.stride < AXIS.padded
    prove(starts_inside == (AXIS.overhang < AXIS.extent), WELL_FORMED)
    prove(starts_inside, [*WELL_FORMED, AXIS.stride <= AXIS.extent])
    one_more = Axis(AXIS.extent + 1, AXIS.kernel, AXIS.stride, AXIS.dilation, 0, 0)
    prove((one_more.ceil_size - 1) * AXIS.stride >= one_more.padded, [*WELL_FORMED, AXIS.stride > AXIS.extent])


def test_windows_before_the_end_are_those_that_start_there() -> None:
    """ceil((in+b)/s) counts the windows that start before the padding at the end."""
    prove((m < AXIS.windows_before_the_end) == AXIS.starts_before_the_end(m), WELL_FORMED)


def test_rounded_down_no_window_starts_in_the_padding_at_the_end_if_that_is_below_the_kernel() -> None:
    """e < ke keeps them out, and nothing weaker does: for every e >= ke there is an X (of size s) where one starts
    there (the first half of Y.U4 of onnx/maxpool)."""
    prove(AXIS.starts_before_the_end(LAST_FLOOR), [*WELL_FORMED, AXIS.end < AXIS.extent])
    unlucky = Axis(AXIS.stride, AXIS.kernel, AXIS.stride, AXIS.dilation, 0, AXIS.end)
    prove(z3.Not(unlucky.starts_before_the_end(unlucky.floor_size - 1)), [*WELL_FORMED, AXIS.end >= AXIS.extent])


def test_rounded_up_the_last_window_starts_in_the_padding_at_the_end_by_padding_and_overhang() -> None:
    """It starts there exactly where e and the overhang together reach the dilated kernel: where the sentence acts."""
    prove(AXIS.starts_before_the_end(LAST_CEIL) == (AXIS.end + AXIS.overhang < AXIS.extent), WELL_FORMED)


def test_one_window_less_is_enough_exactly_where_the_padding_reaches_no_stride_further() -> None:
    """After the sentence, read as dropping one window, the last one starts before the padding at the end exactly where
    e + overhang < ke + s; otherwise more than one window starts there."""
    prove(AXIS.starts_before_the_end(LAST_22) == (AXIS.end + AXIS.overhang < AXIS.extent + AXIS.stride), WELL_FORMED)
    prove(AXIS.starts_before_the_end(LAST_22) == (AXIS.ceil_size - AXIS.windows_before_the_end <= 1), WELL_FORMED)


def test_one_window_less_is_always_enough_exactly_if_the_end_pad_is_not_above_the_kernel() -> None:
    """e <= ke is enough whatever the size of X, and nothing weaker is: for every e > ke there is an X (of size s) where
    it is not (the second half of Y.U4 of onnx/maxpool)."""
    prove(AXIS.starts_before_the_end(LAST_22), [*WELL_FORMED, AXIS.end <= AXIS.extent])
    unlucky = Axis(AXIS.stride, AXIS.kernel, AXIS.stride, AXIS.dilation, 0, AXIS.end)
    prove(z3.Not(unlucky.starts_before_the_end(unlucky.ceil_size_22 - 1)), [*WELL_FORMED, AXIS.end > AXIS.extent])


def test_up_to_that_the_sentence_has_a_closed_form() -> None:
    """With e <= ke the size of version 22 is the smaller of ceil((in+b+e-ke)/s) + 1 and ceil((in+b)/s)."""
    prove(AXIS.ceil_size_22 == smaller(AXIS.ceil_size, AXIS.windows_before_the_end),
          [*WELL_FORMED, AXIS.end <= AXIS.extent])


def test_what_the_sentence_drops_selects_no_element_of_x() -> None:
    """A window that starts behind X has all its cells there."""
    prove(z3.Not(AXIS.selects(m, tap)), [*WELL_FORMED, z3.Not(AXIS.starts_before_the_end(m))],
          [z3.Implies(tap >= 0, tap * AXIS.dilation >= 0)])


def test_with_the_sentence_rounding_up_can_give_fewer_windows_than_rounding_down() -> None:
    """The size with ceil_mode 1 is below that with ceil_mode 0 exactly where the stride divides in+b+e-ke and e >= ke,
    if the sentence is about ceil_mode 1 alone. Smallest: X of one element, k 1, s 1, e 1; one window, and two."""
    fewer = AXIS.ceil_size_22 < AXIS.floor_size
    prove(fewer == z3.And(AXIS.room % AXIS.stride == 0, AXIS.end >= AXIS.extent), WELL_FORMED)
    found = Axis(**smallest_counterexample(z3.Not(fewer), WELL_FORMED, TOTAL))
    assert found == Axis(size=1, kernel=1, stride=1, dilation=1, begin=0, end=1)
    assert (found.ceil_size_22, found.floor_size) == (1, 2)


def test_the_sentence_by_the_letter_keeps_what_starts_beyond_the_padding() -> None:
    """"In the right padded region" is read as at its first cell or beyond (`C3`). By the letter a window that starts
    beyond its last cell would stay: the two differ exactly where the overhang reaches the dilated kernel. Smallest
    without padding: X of two elements, k 1, s 2; one window, and two by the letter."""
    start = LAST_CEIL * AXIS.stride
    in_the_region = z3.And(AXIS.size + AXIS.begin <= start, start < AXIS.padded)
    by_the_letter = choose(in_the_region, AXIS.ceil_size - 1, AXIS.ceil_size)
    agree = by_the_letter == AXIS.ceil_size_22
    prove(agree == (AXIS.overhang < AXIS.extent), WELL_FORMED)
    found = Axis(**smallest_counterexample(agree, [*WELL_FORMED, AXIS.begin == 0, AXIS.end == 0], TOTAL))
    assert found == Axis(size=2, kernel=1, stride=2, dilation=1, begin=0, end=0)
    assert (found.ceil_size_22, found.ceil_size) == (1, 2)


def test_with_the_sentence_rounding_up_adds_one_window_at_most_if_the_end_pad_is_below_the_kernel() -> None:
    """With e < ke the size of version 22 is that of rounding down, or one more."""
    prove(z3.And(AXIS.floor_size <= AXIS.ceil_size_22, AXIS.ceil_size_22 <= AXIS.floor_size + 1),
          [*WELL_FORMED, AXIS.end < AXIS.extent])
