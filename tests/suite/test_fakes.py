"""Each fake is caught in its lie: by the right verdict, at exactly the clauses that it breaks."""

from __future__ import annotations

import pytest

from plumbline.backends import Worker
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.reports.clauses import primary_clauses
from tests.suite import fakes

LIARS = [name for name, fake in fakes.FAKES.items() if fake.clauses]
TRUTHFUL = ["honest", "big_endian"]
LARGE = 2_000
"""Elements of X above which a case is left to the backends: the fakes are slow."""


@pytest.fixture(scope="module")
def tried(sonnx_cases: list[Case]) -> list[Case]:
    """The cases that the fakes are put to."""
    return [case for case in sonnx_cases if case.call.inputs["X"].size < LARGE]


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("name", LIARS)
def test_a_lie_about_outputs_breaks_exactly_its_clauses(name: str, tried: list[Case], run_trial) -> None:
    """The clauses that the cases find broken are those of the lie."""
    fake = fakes.FAKES[name]
    record = run_trial(fake(), tried)
    broken = {clause.partition("#")[2] for line in record.cases if line.verdict == "diverges"
              for clause in primary_clauses(record, line)}
    assert broken == fake.clauses, fake.__doc__


@pytest.mark.parametrize("name", TRUTHFUL)
def test_the_truth_is_not_accused(name: str, tried: list[Case], run_trial) -> None:
    """An honest implementation conforms wherever a text decides."""
    record = run_trial(fakes.FAKES[name](), [case for case in tried if case.expectation.kind != "outside"])
    assert set(record.counts) == {"conforms", "observed"}
    assert {line.id for line in record.cases if line.verdict == "observed"} == {"no-batch", "no-channel"}


def test_every_clause_on_outputs_has_a_fake_that_breaks_it_alone() -> None:
    """The gate: a clause on outputs that no fake breaks by itself might as well not be judged."""
    clauses = [clause for clause in load_spec("sonnx/maxpool").clauses.values()
               if clause.judges == "outputs" and not clause.restates]
    broken_alone = [fake.clauses for fake in fakes.FAKES.values() if len(fake.clauses) == 1]
    missing = [clause.local for clause in clauses if {clause.local} not in broken_alone]
    assert not missing, f"write a fake that breaks exactly {missing}"


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
