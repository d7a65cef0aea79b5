"""The gates: every clause is bound and tried both ways, in every specification."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import pytest

from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.format.coverage import gaps, untried
from plumbline.cases.format.lint import RULES, both_oracles_agree, contradiction, duplicates, lint
from plumbline.cases.format.loader import files_about
from plumbline.cases.format.schema import SCHEMA_FILE, schema_text
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.cases.generate.clause_cases import clause_cases, gaps_of_all
from plumbline.oracle import Spec, load_spec, spec_names
from tests.sampling import sampled
from tests.suite.written import cases_of

PARTS = 4
"""Parts of the specifications, so that several processes share a check."""

QUICK_RULES = [rule for rule in RULES if rule is not both_oracles_agree]

NEWEST = [name for name in spec_names() if load_spec(name).is_newest]

CHECKED = [*sampled(NEWEST, 3), *sampled([name for name in spec_names() if name not in NEWEST], 12)]
"""In turns a third of the specifications in their newest version, and a twelfth of the older ones, which share most
clauses and cases with it."""


@pytest.mark.gate
@pytest.mark.parametrize("part", range(PARTS))
def test_every_clause_is_tried_and_every_case_passes_its_lint(part: int) -> None:
    """`gaps` and `lint` say what they demand; no two cases make the same call."""
    problems = []
    names = CHECKED[part::PARTS]
    for name, files in zip(names, files_about([name] for name in names), strict=True):
        group = load_cases(files, [name])
        problems += [line for case in group for line in lint(case, QUICK_RULES)] + duplicates(group)
        problems += gaps_of_all(name, group)
    assert not problems, "\n".join(problems)


def test_calls_are_derived_for_clauses_that_no_written_case_names() -> None:
    """They break the clause alone, or reach its silence; a clause that a written case names needs none."""
    derived = list(clause_cases("onnx/reducesum@13", []))
    spec = load_spec("onnx/reducesum@13")
    assert {case.id for case in derived} >= {"derived-axes.C2", "derived-axes.U1", "derived-keepdims.U1",
                                             "derived-noop_with_empty_axes.U1", "derived-reduced.U2"}
    for case in derived:
        clause = f"onnx/reducesum@13#{case.id.removeprefix('derived-')}"
        broken = [entry.clause for entry in spec.violations(case.call)]
        assert broken == ([clause] if ".C" in clause else [])
        assert broken or clause in spec.unspecified_clauses(case.call)
    named = [case for case in derived if case.expectation.kind == "outside"]
    assert named and not {case.id for case in named} & {
        case.id for case in clause_cases("onnx/reducesum@13", named)}


def test_derived_calls_are_of_types_that_runtimes_have() -> None:
    """A runtime that refuses float64 would refuse the call for that alone."""
    derived = list(clause_cases("onnx/convtranspose@22", []))
    types = {array.dtype.name for case in derived for array in case.call.inputs.values()}
    assert len(derived) > 25 and types == {"float32"}


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(spec_names(), 32))
def test_both_oracles_agree_on_every_case(name: str) -> None:
    """The slow rule of the lint."""
    problems = [line for case in cases_of(name) for line in lint(case, [both_oracles_agree])]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("clause", "says"), [
    ("sonnx/maxpool#pads.C4", "write a case that keeps it"),
    ("sonnx/maxpool#Y.F1", "write a case with outputs that names it"),
    ("sonnx/maxpool#pads.U1", "write a case that names it, with a call that it applies to"),
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


def test_every_documented_example_is_there(sonnx_cases: list[Case]) -> None:
    """The ten examples of the draft; two of them keep what is printed, each with its erratum."""
    examples = {case.id: case for case in sonnx_cases if "example" in case.id}
    assert set(examples) == {"real-example", *(f"float-example-{n}" for n in range(1, 5)),
                             *(f"int-example-{n}" for n in range(1, 6))}
    assert {name: case.expectation.erratum for name, case in examples.items() if case.expectation.as_printed} == {
        "real-example": "sonnx/maxpool#X.E1", "int-example-4": "sonnx/maxpool#Indices.E2"}


def test_what_is_known_of_a_case_does_not_keep_it() -> None:
    """The arrays of generated cases are large; a run of all specifications would hold gigabytes."""
    case = next(iter(generate_cases("sonnx/maxpool", seed=0, count=1)))
    assert tried_by(case) and contradiction(case) is None
    reference = weakref.ref(case)
    del case
    Spec.release()
    gc.collect()
    assert reference() is None
