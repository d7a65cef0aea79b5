"""Which windows select no element of X, for all sizes: the arithmetic of the oracle, and the simpler conditions that
revisions of SONNX and common practice put in its place (`pads.C4` and `pads.E2` of sonnx/maxpool)."""

from __future__ import annotations

import z3

from tests.theorems.formulas import Axis, any_axis
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import Term, floor

AXIS = any_axis()
WELL_FORMED = AXIS.well_formed
TOTAL = AXIS.size + AXIS.kernel + AXIS.stride + AXIS.dilation + AXIS.begin + AXIS.end
m, count, tap = z3.Ints("m count tap")
START = AXIS.start(m)
A_WINDOW = (*WELL_FORMED, 0 <= m, m < count)
ONE_SMALL_WINDOW = Axis(size=1, kernel=2, stride=1, dilation=2, begin=1, end=1)


def test_a_window_selects_an_element_exactly_where_the_arithmetic_says_so() -> None:
    """One that starts at p in X selects p; one that starts at p < 0 selects p mod d, the first of its cells that is not
    negative, if it reaches that far and X does.

    If some tap is in X, the arithmetic holds; if that holds, the tap it names is in X."""
    first = floor(START, AXIS.dilation)
    prove(AXIS.meets(m), [*WELL_FORMED, AXIS.selects(m, tap)],
          [tap >= -first, tap * AXIS.dilation <= AXIS.extent - 1,
           START % AXIS.dilation == START - AXIS.dilation * first])
    named = z3.If(START >= 0, 0, -first)
    prove(AXIS.selects(m, named), [*WELL_FORMED, AXIS.meets(m)])


def test_a_window_that_the_oracle_finds_empty_is_empty() -> None:
    """`Geometry.empty_window` accuses no window that selects an element of X."""
    prove(z3.Not(AXIS.meets(m)), [*A_WINDOW, AXIS.found_empty(count, m)])


def test_where_a_window_is_empty_the_oracle_finds_one() -> None:
    """If window m is empty, so is the first, the last, or the one that starts in the same residue of the dilation among
    the first d: one of the three that `Geometry.empty_window` looks at, whatever the sizes."""
    residue = m % AXIS.dilation
    shift = AXIS.stride * floor(m, AXIS.dilation)
    same_residue = AXIS.start(residue) % AXIS.dilation == START % AXIS.dilation
    prove(same_residue, A_WINDOW, [
        m == AXIS.dilation * floor(m, AXIS.dilation) + residue,
        AXIS.start(residue) + AXIS.dilation * shift == START,
        floor(AXIS.start(residue), AXIS.dilation) + shift == floor(START, AXIS.dilation),
    ])
    looked_at = [z3.IntVal(0), count - 1, residue]
    prove(z3.Or([z3.And(0 <= window, window < count, AXIS.found_empty(count, window)) for window in looked_at]),
          [*A_WINDOW, same_residue, z3.Not(AXIS.meets(m))], [
              -AXIS.begin <= START,
              AXIS.start(count - 1) >= START,
              z3.Or(AXIS.begin >= AXIS.extent, AXIS.start(count - 1) >= AXIS.size,
                    z3.And(START < 0, START % AXIS.dilation >= AXIS.size)),
              z3.Implies(START < 0, AXIS.start(residue) < 0),
              z3.And(0 <= residue, residue <= m, residue < AXIS.dilation),
          ])


def test_up_to_a_dilation_of_the_size_of_x_the_first_and_the_last_window_decide() -> None:
    """With d <= in, every window selects an element exactly if the first reaches X, `b < ke`, and the last starts
    before its end, `(out-1)*s < in + b`."""
    given = [*A_WINDOW, AXIS.dilation <= AXIS.size]
    ends = z3.And(AXIS.begin < AXIS.extent, AXIS.starts_before_the_end(count - 1))
    prove(AXIS.meets(m), [*given, ends], [START >= -AXIS.begin, START <= AXIS.start(count - 1),
                                          START % AXIS.dilation < AXIS.dilation])
    prove(z3.Not(z3.And(AXIS.meets(0), AXIS.meets(count - 1))), [*given, z3.Not(ends)])


def every_window_meets_x(size: Term, *conditions: z3.BoolRef) -> None:
    """Prove it for every window of an output of that size, under the conditions."""
    prove(AXIS.meets(m), [*WELL_FORMED, *conditions, 0 <= m, m < size], [
        START <= (size - 1) * AXIS.stride - AXIS.begin, START >= -AXIS.begin, AXIS.starts_before_the_end(size - 1),
        START % AXIS.dilation < AXIS.dilation])


def test_the_condition_of_the_later_revision_suffices_up_to_a_dilation_of_the_size_of_x() -> None:
    """`ke > max(b, e)`, rounding down: every window selects an element of X if d <= in, so whenever d = 1."""
    every_window_meets_x(AXIS.floor_size, AXIS.extent > AXIS.begin, AXIS.extent > AXIS.end, AXIS.dilation <= AXIS.size)


def test_the_condition_of_the_later_revision_fails_for_every_larger_dilation() -> None:
    """For all d > in there is a call that keeps it (k 2, s 1, b 1, e = d - in) and has one window, which is empty. The
    smallest is in 1, k 2, d 2, pads 1 and 1 (`pads.E2`)."""
    call = Axis(AXIS.size, 2, 1, AXIS.dilation, 1, AXIS.dilation - AXIS.size)
    prove(z3.And(call.extent > call.begin, call.extent > call.end, call.floor_size == 1, z3.Not(call.meets(0))),
          [*call.well_formed, AXIS.dilation > AXIS.size])
    kept = [*WELL_FORMED, AXIS.extent > AXIS.begin, AXIS.extent > AXIS.end, AXIS.floor_size >= 1]
    found = smallest_counterexample(AXIS.meets(0), [*kept, AXIS.begin == AXIS.end], TOTAL)
    assert Axis(**found) == ONE_SMALL_WINDOW
    prove(AXIS.meets(m), [*kept, 0 <= m, m < AXIS.floor_size, TOTAL < sum(found.values())])


def test_pads_below_the_plain_kernel_suffice_unless_the_dilation_is_one_above_the_size_of_x() -> None:
    """`k > max(b, e)`, rounding down, with d other than in + 1: every window selects an element of X. Where d is
    larger still no window fits at all."""
    below = (AXIS.kernel > AXIS.begin, AXIS.kernel > AXIS.end)
    prove(AXIS.extent >= AXIS.kernel, WELL_FORMED)
    every_window_meets_x(AXIS.floor_size, *below, AXIS.extent >= AXIS.kernel, AXIS.dilation <= AXIS.size)
    prove(AXIS.floor_size < 1, [*WELL_FORMED, *below, AXIS.kernel >= 2, AXIS.dilation >= AXIS.size + 2], [
        (AXIS.dilation - 2) * (AXIS.kernel - 1) >= AXIS.size * (AXIS.kernel - 1),
        AXIS.size * (AXIS.kernel - 1) >= AXIS.size,
        AXIS.room < 0,
    ])
    every_window_meets_x(AXIS.floor_size, *below, AXIS.kernel == 1)


def test_pads_below_the_plain_kernel_fail_for_every_dilation_one_above_the_size_of_x() -> None:
    """For every X and d = in + 1, k 2 and pads 1 and 1 give one window, which is empty."""
    call = Axis(AXIS.size, 2, 1, AXIS.size + 1, 1, 1)
    prove(z3.And(call.kernel > call.begin, call.kernel > call.end, call.floor_size == 1, z3.Not(call.meets(0))),
          call.well_formed)
    assert Axis(1, 2, 1, 2, 1, 1) == ONE_SMALL_WINDOW


def test_rounding_up_with_the_sentence_of_version_22_needs_no_more() -> None:
    """Up to d <= in, `ke > b` and `ke >= e` suffice for the sizes of version 22 with ceil_mode 1."""
    every_window_meets_x(AXIS.ceil_size_22, AXIS.extent > AXIS.begin, AXIS.extent >= AXIS.end,
                         AXIS.dilation <= AXIS.size)


def test_rounding_up_without_the_sentence_needs_more() -> None:
    """Before version 22, with ceil_mode 1, not even the absence of padding suffices: in 2, k 1, s 2 has an empty
    window."""
    last = AXIS.ceil_size - 1
    given = [*WELL_FORMED, AXIS.begin == 0, AXIS.end == 0, AXIS.room >= 0]
    found = Axis(**smallest_counterexample(AXIS.meets(last), given, TOTAL))
    assert found == Axis(size=2, kernel=1, stride=2, dilation=1, begin=0, end=0)
    assert found.ceil_size == 2 and not found.meets(1)


def test_valid_has_no_empty_window() -> None:
    """Every window of VALID lies in X, whatever the dilation."""
    unpadded = Axis(AXIS.size, AXIS.kernel, AXIS.stride, AXIS.dilation, 0, 0)
    prove(z3.And(0 <= unpadded.start(m), unpadded.start(m) + unpadded.extent <= AXIS.size, unpadded.meets(m)),
          [*WELL_FORMED, 0 <= m, m < AXIS.valid_size])


def test_a_window_over_several_axes_is_empty_exactly_if_it_is_on_one() -> None:
    """A cell of it is in X where it is on each axis; so a window meets X exactly where it does on each axis. Shown for
    the first axes together and one more, whatever is selected there: by induction for any number of axes."""
    places = z3.DeclareSort("Places")
    on_the_first = z3.Function("on_the_first", places, z3.BoolSort())
    on_the_next = z3.Function("on_the_next", z3.IntSort(), z3.BoolSort())
    place = z3.Const("place", places)
    prove(z3.Exists([place, tap], z3.And(on_the_first(place), on_the_next(tap)))
          == z3.And(z3.Exists(place, on_the_first(place)), z3.Exists(tap, on_the_next(tap))))


def test_some_window_over_several_axes_is_empty_exactly_if_some_is_on_one() -> None:
    """Provided that each axis has a window: then each is part of a window over all axes. By induction as above."""
    windows = z3.DeclareSort("Windows")
    empty_on_the_first = z3.Function("empty_on_the_first", windows, z3.BoolSort())
    empty_on_the_next = z3.Function("empty_on_the_next", z3.IntSort(), z3.BoolSort())
    window = z3.Const("window", windows)
    some_on_the_first = z3.Exists(window, empty_on_the_first(window))
    some_on_the_next = z3.Exists(m, z3.And(0 <= m, m < count, empty_on_the_next(m)))
    prove(z3.Exists([window, m], z3.And(0 <= m, m < count, z3.Or(empty_on_the_first(window), empty_on_the_next(m))))
          == z3.Or(some_on_the_first, some_on_the_next), [count >= 1])
