"""Which forms of rounding in the texts give the same sizes, for all integers.

ONNX, OpenVINO and SONNX write the number of windows in several ways: with floor or ceil, with the 1 inside or outside
the rounding. Here n stands for how far the first window can move, s for the stride.
"""

from __future__ import annotations

import z3

from tests.theorems.formulas import any_axis
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import Term, ceil, choose, floor, rational, round_down, round_up

n, s, q = z3.Ints("n s q")
STRIDE = (s >= 1,)
AXIS = any_axis()
WELL_FORMED = AXIS.well_formed


def test_floor_and_ceil_are_what_they_say() -> None:
    """floor(n/s) is the one q with q <= n/s < q+1, ceil(n/s) the one with q-1 < n/s <= q, whatever the sign of n."""
    prove((floor(n, s) == q) == z3.And(q * s <= n, n < (q + 1) * s), STRIDE)
    prove((ceil(n, s) == q) == z3.And((q - 1) * s < n, n <= q * s), STRIDE)


def test_the_one_may_stand_inside_the_rounding_or_outside() -> None:
    """floor(n/s + 1) = floor(n/s) + 1 and ceil(n/s + 1) = ceil(n/s) + 1, the quotient being the exact rational."""
    exact = rational(n, s)
    prove(round_down(exact + 1) == floor(n, s) + 1, STRIDE, [round_down(exact) == floor(n, s)])
    prove(round_up(exact + 1) == ceil(n, s) + 1, STRIDE, [round_up(exact) == ceil(n, s)])


def test_ceil_of_the_next_is_floor_and_one() -> None:
    """ceil((n+1)/s) = floor(n/s) + 1, for negative n as well."""
    prove(ceil(n + 1, s) == floor(n, s) + 1, STRIDE)


def test_valid_has_one_size_in_two_forms() -> None:
    """ceil((in - ke + 1)/s), the text for ceil_mode 1, is floor((in - ke)/s) + 1, the text for 0, even where the kernel
    is larger than X (E2 of onnx/maxpool, E3 of onnx/averagepool)."""
    prove(ceil(AXIS.size - AXIS.extent + 1, AXIS.stride) == AXIS.valid_size, WELL_FORMED)


def test_same_has_one_size_in_two_forms() -> None:
    """ceil(in/s), the text for ceil_mode 1, is floor((in - 1)/s) + 1, the text for 0, even where X is empty."""
    prove(floor(n - 1, s) + 1 == ceil(n, s), STRIDE)


def test_a_division_that_truncates_is_another_for_kernels_larger_than_the_input() -> None:
    """With the division of C, which rounds towards zero, the floor form holds exactly where n >= 0 or s divides n;
    everywhere else it gives one window more, and so a size of 1 where 0 is right, from n = -1 with s = 2 on."""
    def truncated(numerator: Term, denominator: Term) -> Term:
        return choose(numerator >= 0, floor(numerator, denominator), ceil(numerator, denominator))

    agrees = truncated(n, s) + 1 == floor(n, s) + 1
    prove(agrees == z3.Or(n >= 0, n % s == 0), STRIDE)
    prove(truncated(n, s) == floor(n, s) + 1, [*STRIDE, n < 0, n % s != 0])
    assert smallest_counterexample(agrees, STRIDE, z3.Abs(n) + s) == {"n": -1, "s": 2}
    assert floor(-1, 2) + 1 == 0


def test_rounding_up_gives_one_window_more_unless_the_stride_divides() -> None:
    """ceil_mode 1 and 0 give the same size exactly where s divides in + b + e - ke, else the former one more."""
    prove(AXIS.ceil_size == AXIS.floor_size + choose(AXIS.room % AXIS.stride == 0, 0, 1), WELL_FORMED)


def test_valid_of_shape_inference_is_not_valid_of_the_text() -> None:
    """Shape inference gives ceil(n/s) + 1 for VALID with ceil_mode 1, the text ceil((n+1)/s): they agree exactly where
    s divides n, elsewhere the inference has one more. The smallest call: in 2, k 1, s 2; one window, not two."""
    inferred, text = ceil(n, s) + 1, ceil(n + 1, s)
    prove(inferred == text + choose(n % s == 0, 0, 1), STRIDE, [text == floor(n, s) + 1])
    assert smallest_counterexample(inferred == text, [*STRIDE, n >= 0], n + s) == {"n": 1, "s": 2}
    assert (ceil(1, 2) + 1, ceil(1 + 1, 2)) == (2, 1)


def test_averagepool_11_as_printed_loses_a_window_unless_the_stride_divides() -> None:
    """floor((in - ke + 1)/s) and floor(in/s), in today's text of version 11 for VALID and SAME with ceil_mode 0, are
    right exactly where s divides, else one too small (E2 of onnx/averagepool). The smallest call has one element and
    s = 2; the documented example has in = 5, s = 2 and three outputs, not two."""
    fitting = AXIS.size - AXIS.extent + 1
    prove(floor(fitting, AXIS.stride) == AXIS.valid_size - choose(fitting % AXIS.stride == 0, 0, 1), WELL_FORMED)
    prove(floor(n, s) == ceil(n, s) - choose(n % s == 0, 0, 1), STRIDE)
    assert smallest_counterexample(floor(n, s) == ceil(n, s), [*STRIDE, n >= 1], n + s) == {"n": 1, "s": 2}
    assert (floor(5, 2), ceil(5, 2)) == (2, 3)


def test_same_keeps_the_size_of_the_input_where_nothing_is_skipped() -> None:
    """"The output has the size of the input", in ONNX's description of SAME and in OpenVINO's formula, holds exactly
    where s = 1 or X has one element (auto_pad.E1 of onnx/maxpool)."""
    prove((AXIS.same_size == AXIS.size) == z3.Or(AXIS.stride == 1, AXIS.size == 1), WELL_FORMED)


def test_the_parenthesis_of_sonnx_never_gives_the_size() -> None:
    """floor(n / (s+1)), as SONNX prints it, is too small wherever a window fits (Y.E1 of sonnx/maxpool)."""
    prove(floor(AXIS.room, AXIS.stride + 1) < AXIS.floor_size, [*WELL_FORMED, AXIS.room >= 0])
