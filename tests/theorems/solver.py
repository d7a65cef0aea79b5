"""What a theorem asks of z3: a proof for all integers, or the smallest integers that refute a claim.

Multiplication and division of variables are undecidable in general. Where z3 does not find a proof alone, the theorem
gives it steps; what it leaves undecided within the time limit fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from tests.theorems.terms import Truth

TIME_LIMIT = 60_000  # milliseconds for one query


def prove(claim: Truth, given: Sequence[Truth] = (), steps: Sequence[Truth] = ()) -> None:
    """Hold `claim` for all integers that satisfy `given`, or raise AssertionError with integers that refute it.

    steps: claims proved one after another, each from `given` and those before; `claim` is proved from all of them.
    `given` must be satisfiable, so that nothing is proved of nothing.
    """
    __tracebackhide__ = True
    assert _model(given) is not None, f"nothing satisfies {list(given)}"
    known = list(given)
    for step in (*steps, claim):
        found = _model([*known, z3.Not(step)])
        assert found is None, f"not for all integers: {step}\nfor instance {found}"
        known.append(step)


def smallest_counterexample(claim: Truth, given: Sequence[Truth], measure: z3.ArithRef, limit: int = 20) \
        -> dict[str, int]:
    """Integers by name for which `given` holds and `claim` does not, with the smallest `measure` of at least 0.

    That every smaller one leaves no counterexample is proved. AssertionError when there is none up to `limit`."""
    __tracebackhide__ = True
    for value in range(limit + 1):
        found = _model([*given, measure == value, z3.Not(claim)])
        if found is not None:
            return found
    raise AssertionError(f"no counterexample with a measure up to {limit}: {claim}")


def _model(conditions: Sequence[Truth]) -> dict[str, int] | None:
    """Integers by name that satisfy the conditions, None when there are none; AssertionError when undecided."""
    __tracebackhide__ = True
    solver = z3.Solver()
    solver.set("timeout", TIME_LIMIT)
    solver.add(*conditions)
    answer = solver.check()
    assert answer != z3.unknown, f"undecided ({solver.reason_unknown()}): {list(conditions)}"
    if answer == z3.unsat:
        return None
    model = solver.model()
    return {variable.name(): model[variable].as_long() for variable in model.decls()
            if z3.is_int_value(model[variable])}
