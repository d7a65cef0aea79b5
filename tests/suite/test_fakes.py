"""Fakes have their verdicts; `tests/suite/test_lies.py` has wrong outputs, with the clauses that these break."""

from __future__ import annotations

import pytest

from plumbline.backends import Worker
from plumbline.cases import Case
from tests.suite import fakes

TRUTHFUL = ["honest", "big_endian"]
LARGE = 2_000
"""Elements of X above which a case is left to the backends: the fakes are slow."""


@pytest.mark.parametrize("name", TRUTHFUL)
def test_the_truth_is_not_accused(name: str, sonnx_cases: list[Case], run_trial) -> None:
    """An honest implementation conforms wherever a text decides."""
    record = run_trial(fakes.FAKES[name](), [case for case in sonnx_cases if case.call.inputs["X"].size < LARGE
                                             and case.expectation.kind != "outside"])
    assert set(record.counts) == {"conforms", "observed"}
    assert {line.id for line in record.cases if line.verdict == "observed"} == {"no-batch", "no-channel"}


@pytest.mark.parametrize(("name", "verdict", "says"), [
    ("refuses_at_load", "rejects-valid", "NotImplementedError: not here"),
    ("answers_a_text", "harness-error", "answered a str"),
    ("answers_texts", "diverges", "Y has shape [1]"),
])
def test_bad_conduct_has_its_verdict(name: str, verdict: str, says: str, sonnx_cases: list[Case], run_trial) -> None:
    """A refusal of a valid call, and answers that are not outputs."""
    record = run_trial(fakes.FAKES[name](), [case for case in sonnx_cases if case.id == "int-example-1"])
    assert [line.verdict for line in record.cases] == [verdict, verdict]
    assert says in record.cases[0].did
    assert record.cases[0].phase == ("load" if verdict == "rejects-valid" else None)


def test_what_a_backend_prints_does_not_disturb(sonnx_cases: list[Case], run_trial) -> None:
    """Output on stdout is not taken for an answer."""
    chosen = [case for case in sonnx_cases if "int-example" in case.id]
    record = run_trial(Worker("tests.suite.fakes:prints"), chosen)
    assert set(record.counts) == {"conforms"}
