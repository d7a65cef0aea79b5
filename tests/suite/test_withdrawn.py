"""A withdrawn id stands for the case that replaces it: wherever an id is given, and in what was recorded before."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.cases.format.loader import read_cases
from plumbline.cases.format.withdrawn import current_id, earlier_ids, withdrawn
from plumbline.cases.generate.run_cases import replacements
from plumbline.oracle import load_spec, spec_names
from plumbline.reports.changes import compare
from plumbline.trial.known.register import KnownDivergences, KnownEntry
from plumbline.trial.record.judge import Verdict
from plumbline.trial.record.recording import Record, read_record
from plumbline.trial.run.selection import Selection
from plumbline.trial.tools.bisection import cases_with, chosen_case

SPEC, OLD, NEW = "onnx/abs@13", "bool", "schema-X.C3-bool"
NAMES = [name for name in spec_names() if withdrawn(name)]


@pytest.mark.gate
@pytest.mark.parametrize("name", NAMES)
def test_each_withdrawn_case_is_replaced_by_one_that_no_seed_draws(name: str) -> None:
    """Its id is not used again; the replacement is written, or generated whatever the seed is."""
    written = [case for case in read_cases(None, [name])[0] if case.spec == name]
    assert not {case.id for case in written} & set(withdrawn(name))
    assert set(withdrawn(name).values()) <= {case.id for case in [*written, *replacements(name, written)]}


def test_ids_of_versions_contexts_and_other_specifications() -> None:
    """A replacement may depend on the version; a context stays."""
    assert [current_id(f"onnx/abs@{version}", OLD) for version in (1, 6, 13)] == [
        "schema-X.C1-bool", "schema-X.C2-bool", NEW]
    assert current_id(SPEC, f"{OLD}/quantized") == f"{NEW}/quantized"
    assert earlier_ids(SPEC, f"{NEW}/quantized") == [f"{OLD}/quantized"] and earlier_ids(SPEC, "lowest-int8") == []
    assert current_id("onnx/abs@6", "int8-in-1") == "int8-in-1" and current_id("sonnx/abs", "bool") == "bool"


def test_commands_that_name_a_case_take_the_replacement() -> None:
    """Such as bisect and answers."""
    case, form = chosen_case(cases_with(OLD, SPEC), OLD, SPEC, None)
    assert (case.id, form, case.dtype) == (NEW, "Y", "bool")


@pytest.mark.parametrize("key", [OLD, f"onnx/abs@13 {OLD}", NEW])
def test_a_known_divergence_covers_the_replacement(key: str) -> None:
    """It is checked, explains the result, and is gone when that conforms."""
    entry = KnownEntry(id="crash", spec="onnx/abs@13", verdict="crashes", reason="ends the process", cases={key: ["Y"]})
    known, spec = KnownDivergences([entry]), load_spec(SPEC)
    written = read_cases(None, [SPEC])[0]
    case, = (case for case in replacements(SPEC, written) if case.id == NEW)
    assert known.check_ids(written, [SPEC]) == ([] if key != NEW else known.check_ids(written, [SPEC]))
    assert known.explain(spec, case, "Y", Verdict("rejects-invalid")) is None and len(known.gone()) == 1
    assert known.explain(spec, case, "Y", Verdict("crashes")) is entry and known.gone() == []


def test_selections_by_name_reach_the_generated_case() -> None:
    """With the name of the specification before it as well."""
    for word in (OLD, f"abs@13::{OLD}[", f"{OLD}[y]"):
        selection = Selection(keyword=word, evaluate=lambda matcher, word=word: matcher(word), fixed=["test[x"])
        assert selection.reaches(SPEC, generated=True), word


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A run that names the withdrawn case."""
    folder = tmp_path_factory.mktemp("run")
    words = ["conformance", "--backend", "onnx-reference", "--spec", SPEC, "-k", f"::{OLD}[",
             "--report-dir", str(folder)]
    done = subprocess.run([sys.executable, "-m", "plumbline", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    path, = Path(folder).glob("*.jsonl")
    return read_record(path)


def test_a_run_that_names_it_tries_the_replacement(record: Record) -> None:
    """And nothing else."""
    assert [line.id for line in record.cases] == [NEW]


def test_an_old_record_is_compared_by_the_replacement(record: Record) -> None:
    """A line of the withdrawn case counts as one of the replacement, unless the record has both."""
    new, = record.cases
    old = new.model_copy(update={"id": OLD, "verdict": "rejects-invalid"})
    compared = compare(replace(record, cases=[old]), record, intersection=True)
    assert compared.compared == 1 and not compared.only_old and not compared.only_new
    change, = compared.changes
    assert (change.old.verdict, change.new.verdict) == ("rejects-invalid", "accepts-invalid")
    assert not compare(replace(record, cases=[old, new]), record, intersection=True).changes
    assert old.is_of(NEW) and new.is_of(OLD) and not new.is_of("lowest-int8")
