"""OpenVINO's rules for the size of the output against ONNX's, for all sizes of one axis."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from tests.theorems.formulas import Axis, any_axis
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import Term, Truth, choose, floor, rational, round_down, round_up

AXIS = any_axis()
WELL_FORMED = AXIS.well_formed
m = z3.Int("m")
TOTAL = AXIS.size + AXIS.kernel + AXIS.stride + AXIS.dilation + AXIS.begin + AXIS.end
EXACT = rational(AXIS.room, AXIS.stride) + 1
DOWN, UP = round_down(EXACT), round_up(EXACT)
STEPS = (round_down(rational(AXIS.room, AXIS.stride)) == AXIS.floor_size - 1,
         round_up(rational(AXIS.room, AXIS.stride)) == AXIS.ceil_size - 1)


def ceil_torch(in_the_padding: Truth) -> Term:
    """`rounding_type = ceil_torch`: the size rounded up, reduced by 1 where the last window starts in the padding."""
    return choose(in_the_padding, UP - 1, UP)


def test_floor_and_ceil_are_those_of_onnx() -> None:
    """floor((H + pb + pe - ke)/s + 1) and the ceil of the same are ONNX's sizes for ceil_mode 0 and 1 (up to version
    19 of AveragePool and 12 of MaxPool)."""
    prove(z3.And(DOWN == AXIS.floor_size, UP == AXIS.ceil_size), WELL_FORMED, STEPS)


def test_ceil_torch_is_the_sentence_of_version_22() -> None:
    """"The last pooling operation cannot start in the padding area", read as at the end of X or beyond, is ONNX's
    "windows that would start in the right padded region are ignored", read as the last window."""
    prove(ceil_torch(AXIS.start(UP - 1) >= AXIS.size) == AXIS.ceil_size_22, WELL_FORMED, STEPS)


def test_ceil_torch_by_the_letter_drops_the_last_window_in_the_padding_at_the_beginning() -> None:
    """If "the padding area" were both ends, the two would differ exactly where the last window starts before X, which
    `Y.U4` of openvino/maxpool leaves open. The smallest: X of one element, k 2, pads 1 and 0; one window, and none by
    the letter."""
    last = AXIS.start(UP - 1)
    by_the_letter = ceil_torch(z3.Or(last < 0, last >= AXIS.size))
    starts_after_the_beginning = AXIS.start(AXIS.ceil_size - 1) >= 0
    prove((by_the_letter == AXIS.ceil_size_22) == starts_after_the_beginning, WELL_FORMED, STEPS)
    found = smallest_counterexample(starts_after_the_beginning, [*WELL_FORMED, AXIS.room >= 0], TOTAL)
    assert Axis(**found) == Axis(size=1, kernel=2, stride=1, dilation=1, begin=1, end=0)
    assert Axis(**found).ceil_size_22 == 1


def test_rounding_matters_by_the_dilated_kernel_and_not_by_the_kernel() -> None:
    """"If H + pads_begin + pads_end - kernel is not divisible by strides, the result is rounded": exact without
    dilation, where the kernel is its extent. With dilation both directions fail (`Y.E5` of openvino/maxpool)."""
    matters = DOWN != UP
    printed = (AXIS.padded - AXIS.kernel) % AXIS.stride != 0
    prove(matters == (AXIS.room % AXIS.stride != 0), WELL_FORMED, STEPS)
    prove(AXIS.extent == AXIS.kernel, [*WELL_FORMED, AXIS.dilation == 1])
    exact = AXIS.room % AXIS.stride != 0
    given = [*WELL_FORMED, AXIS.begin == 0, AXIS.end == 0, AXIS.room >= 0]
    assert Axis(**smallest_counterexample(z3.Implies(exact, printed), given, TOTAL)) == \
        Axis(size=4, kernel=2, stride=2, dilation=2, begin=0, end=0)
    assert Axis(**smallest_counterexample(z3.Implies(printed, exact), given, TOTAL)) == \
        Axis(size=3, kernel=2, stride=2, dilation=2, begin=0, end=0)


def test_valid_rounded_up_is_one_window_more_than_the_formula_unless_the_stride_divides() -> None:
    """The sentence on rounding, taken for valid too (`Y.E2` of openvino/maxpool), gives ceil((in - ke)/s) + 1; the
    formula, which is ONNX's, gives that exactly where s divides in - ke, elsewhere one less."""
    unpadded = replace(AXIS, begin=0, end=0)
    prove(unpadded.ceil_size == AXIS.valid_size + choose(unpadded.room % AXIS.stride == 0, 0, 1), WELL_FORMED,
          [unpadded.floor_size == AXIS.valid_size])


@pytest.mark.parametrize("upper", [True, False], ids=["same_upper", "same_lower"])
def test_padding_that_keeps_the_size_of_x_leaves_windows_empty_unless_x_or_the_stride_is_small(upper: bool) -> None:
    """"H_out = H" with padding split as evenly as can be: every window selects an element of X exactly where
    (in-1)*(s-1) < ke, so always with s = 1 (`auto_pad.E1` of openvino/maxpool). For dilations up to in."""
    total = (AXIS.size - 1) * AXIS.stride + AXIS.extent - AXIS.size
    less = floor(total, 2)
    begin, end = (less, total - less) if upper else (total - less, less)
    padded = replace(AXIS, begin=begin, end=end)
    start = padded.start(m)
    given = [*WELL_FORMED, AXIS.dilation <= AXIS.size]
    small = (AXIS.size - 1) * (AXIS.stride - 1) < AXIS.extent
    expanded = total == (AXIS.size - 1) * (AXIS.stride - 1) + AXIS.extent - 1
    prove(padded.floor_size == AXIS.size, given, [expanded, padded.room == (AXIS.size - 1) * AXIS.stride])
    prove(padded.meets(m), [*given, small, 0 <= m, m < AXIS.size],
          [expanded, z3.And(begin < AXIS.extent, end < AXIS.extent), start >= -begin,
           start <= (AXIS.size - 1) * AXIS.stride - begin, start % AXIS.dilation < AXIS.dilation])
    prove(z3.Not(z3.And(padded.meets(0), padded.meets(AXIS.size - 1))), [*given, z3.Not(small)], [expanded])
