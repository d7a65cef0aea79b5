"""The gates: every clause is bound and tried both ways, in every specification."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plumbline.cases import Case
from plumbline.cases.format.coverage import gaps, untried
from plumbline.cases.format.lint import duplicates, lint
from plumbline.cases.format.schema import SCHEMA_FILE, schema_text
from plumbline.oracle import Clause, load_spec, spec_names

CLAUSES = [clause for name in spec_names() for clause in load_spec(name).clauses.values()]


def of_kind(judges: str | None, *kinds: str) -> list:
    """The clauses to try, with their addresses as ids; a restatement is tried where it is stated first."""
    return [pytest.param(clause, id=clause.address) for clause in CLAUSES
            if clause.judges == judges and clause.kind in kinds and not clause.restates]


@pytest.mark.parametrize("clause", of_kind("call", "restriction", "constraint", "function"))
def test_a_clause_on_calls_is_kept_by_a_case_and_broken_alone_by_another(clause: Clause, cases: list[Case]) -> None:
    """Alone: nothing is broken but the clause and what it declares to restate or imply."""
    assert untried(clause, cases) is None


@pytest.mark.parametrize("clause", of_kind("outputs", "constraint", "function"))
def test_a_clause_on_outputs_has_a_case_that_conforms(clause: Clause, cases: list[Case]) -> None:
    """It is named by a case with values; the fakes break it (see test_fakes)."""
    assert untried(clause, cases) is None


@pytest.mark.parametrize("clause", of_kind(None, "unspecified"))
def test_a_silence_is_touched_by_a_case(clause: Clause, cases: list[Case]) -> None:
    """A case names the U clause, and the clause applies to its call."""
    assert untried(clause, cases) is None


@pytest.mark.parametrize("clause", of_kind(None, "erratum"))
def test_an_erratum_is_computed_or_editorial(clause: Clause, cases: list[Case]) -> None:
    """Its evidence is computed without an AssertionError, or no value depends on it."""
    assert untried(clause, cases) is None


@pytest.mark.parametrize(("clause", "says"), [
    ("sonnx/maxpool#pads.C4", "write a case that keeps it"),
    ("sonnx/maxpool#Y.F1", "write a case with outputs that names it"),
    ("sonnx/maxpool#pads.U1", "write a case that names it, with a call that it leaves open"),
])
def test_the_gate_is_shut_where_no_case_tries_a_clause(clause: str, says: str) -> None:
    """Without cases each kind of clause is named with what to write."""
    missing = untried(load_spec(clause.partition("#")[0]).clauses[clause], [])
    assert missing is not None and missing.startswith(says)


def test_the_gate_is_shut_where_the_breaking_case_is_taken_away(sonnx_cases: list[Case]) -> None:
    """Cases that keep a clause on calls are not enough."""
    inside = [case for case in sonnx_cases if case.expectation.kind == "outputs"]
    missing = list(gaps("sonnx/maxpool", inside))
    assert "sonnx/maxpool#pads.C4: write a case that breaks it and nothing else" in missing


def test_cases_pass_their_own_lint(cases: list[Case]) -> None:
    """Expectations agree with both oracles, printed values are overruled, no call is tried twice."""
    assert [line for case in cases for line in lint(case)] + duplicates(cases) == []


def test_the_committed_schema_is_the_generated_one() -> None:
    """`plumbline cases schema` was run; a value that alone is allowed is written in either of two ways."""
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(item) for item in value]
        if not isinstance(value, dict):
            return value
        value = {key: plain(item) for key, item in value.items()}
        if len(value.get("enum", ())) == 1:
            value["const"] = value.pop("enum")[0]
        return value

    assert plain(json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))) == plain(json.loads(schema_text()))


def test_every_documented_example_is_there(cases: list[Case]) -> None:
    """The ten examples of the draft; two of them keep what is printed, each with its erratum."""
    examples = {case.id: case for case in cases if case.spec == "sonnx/maxpool" and "example" in case.id}
    assert set(examples) == {"real-example", *(f"float-example-{n}" for n in range(1, 5)),
                             *(f"int-example-{n}" for n in range(1, 6))}
    assert {name: case.expectation.erratum for name, case in examples.items() if case.expectation.as_printed} == {
        "real-example": "sonnx/maxpool#X.E1", "int-example-4": "sonnx/maxpool#Indices.E2"}
