"""The solver is asked in such a way that nothing is proved by accident."""

from __future__ import annotations

import pytest
import z3

from tests.theorems import solver
from tests.theorems.solver import prove, smallest_counterexample
from tests.theorems.terms import floor

n, s = z3.Ints("n s")


def test_a_claim_that_fails_is_refuted_with_integers() -> None:
    """The message names what was claimed and where it fails."""
    with pytest.raises(AssertionError, match=r"(?s)not for all integers: n\*s >= n.*'s': "):
        prove(n * s >= n, [n >= 0, s >= 0])


def test_a_step_that_fails_is_refuted() -> None:
    """A claim is not proved from a step that does not hold."""
    with pytest.raises(AssertionError, match="not for all integers: n > s"):
        prove(n >= s, [n >= s], [n > s])


def test_what_contradicts_itself_proves_nothing() -> None:
    """Anything would follow from it."""
    with pytest.raises(AssertionError, match="nothing satisfies"):
        prove(n == s, [n > 0, n < 0])


def test_what_is_undecided_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cubes are beyond the solver within the limit given here."""
    monkeypatch.setattr(solver, "TIME_LIMIT", 100)
    x, y, z = z3.Ints("x y z")
    with pytest.raises(AssertionError, match="undecided"):
        prove(x * x * x + y * y * y != z * z * z, [x >= 1, y >= 1, z >= 1])


def test_a_counterexample_is_the_smallest_or_none() -> None:
    """Of the quotients that are not integers the smallest is 1/2; none is found among those that are."""
    assert smallest_counterexample(floor(n, s) * s == n, [n >= 0, s >= 1], n + s) == {"n": 1, "s": 2}
    with pytest.raises(AssertionError, match="no counterexample with a measure up to 20"):
        smallest_counterexample(floor(n, s) * s <= n, [n >= 0, s >= 1], n + s)
