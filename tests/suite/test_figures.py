"""Where a text leaves accuracy open, what was measured is shown: on pages, in tables and in words."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plumbline.cases.generate.special_values import probe_of
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.response import is_float
from plumbline.reports import summary_lines
from plumbline.reports.clauses import ACCURACY
from plumbline.reports.page import page
from plumbline.reports.site import write_site
from plumbline.reports.tables import tables
from plumbline.trial.record.measurements import in_words, largest
from plumbline.trial.record.recording import Record, read_record
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.pages import Page
from tests.suite.small_records import SPEC

ULP, SUM = "largest error in ulp", "largest difference of a sum from 1"
LINES = [small.line("plain", "conforms", figures={ULP: 0.5, "elements": 3}),
         small.line("half", "conforms", dtype="float16", figures={ULP: 0.25, SUM: 0.001}),
         small.line("far", "observed", clauses=["Y.U2"], figures={ULP: 1.52}),
         small.diverges("wrong", 7.0, figures={ULP: 1e9})]
SAID = f"{ULP}: 0.25 of float16, 1.52 of float32; {SUM}: 0.001 of float16"


def record(folder: Path, lines: list[small.Json] = LINES, versions: tuple[str, ...] = (SPEC,)) -> Record:
    """A record on the toy text with a clause that leaves accuracy open, and on further versions of it."""
    head = small.header("toy", "1")
    text = head["specifications"].pop(SPEC)
    for name in versions:
        clauses = json.loads(json.dumps(text["clauses"]).replace(SPEC, name))
        clauses[f"{name}#Y.U2"] = small.clause("unspecified", ACCURACY, "How near Y is to E is not said.", None)
        head["specifications"][name] = {**text, "clauses": clauses}
    return read_record(small.write(folder / "toy.jsonl", head, lines))


def test_the_largest_of_each_figure_and_type_counts(tmp_path: Path) -> None:
    """Not the last; what is not a number is left out."""
    lines = record(tmp_path, LINES[:3][::-1]).cases
    assert largest(lines) == {ULP: {"float32": 1.52, "float16": 0.25}, SUM: {"float16": 0.001}}
    assert in_words({}) == ""


def test_pages_tables_and_words_show_what_was_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the clause that leaves accuracy open and nowhere else; an answer that breaks another clause says nothing."""
    made = record(tmp_path)
    shown = Page(page([made])).text
    assert f"1 touched {SAID}" in shown  # in the row of the clause
    assert f"{SAID}: toy 1" in shown  # among the unspecified clauses
    rows = list(csv.DictReader(io.StringIO(tables([made])["clauses"])))
    assert {row["clause"]: row["measured"] for row in rows if row["measured"]} == {f"{SPEC}#Y.U2": SAID}
    assert main(["explain", f"{SPEC}#Y.U2", str(made.path)]) == 0
    assert SAID in capsys.readouterr().out
    assert main(["explain", f"{SPEC}#Y.U1", str(made.path)]) == 0
    assert ULP not in capsys.readouterr().out + "\n".join(summary_lines(made))


def test_an_error_above_what_was_declared_is_shown(tmp_path: Path) -> None:
    """It breaks the clause that leaves accuracy open, where the backend itself says how accurate it is."""
    beyond = small.line("beyond", "diverges", clauses=["Y.U2"], figures={ULP: 9.5})
    assert f"{ULP}: 9.5 of float32" in Page(page([record(tmp_path, [beyond])])).text


def test_a_campaign_says_that_few_lines_are_kept(tmp_path: Path) -> None:
    """In its summary and on its page: the calls that left no line may have a larger error."""
    path = record(tmp_path).path
    head, *lines, foot = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    head["campaign"] = {"form": "Y", "seed": 0, "range": [0, 9], "lines": {"of a cause": 8, "conforming": 32}}
    foot |= {"calls": 9, "clauses": {}, "causes": []}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in [head, *lines, foot]), encoding="utf-8")
    made = read_record(path)
    assert f"among the lines kept, {SAID}" in summary_lines(made)
    assert f"among the lines kept, {SAID}" in Page(page([made])).text


def test_the_site_has_it_at_the_clause_whose_versions_share_a_silence(tmp_path: Path) -> None:
    """The largest over them, and a link that leads to the unspecified clause."""
    older = "toy/maxpool@1"
    further = {**small.line("further", "observed"), "spec": older, "clauses": [f"{older}#Y.U2"], "covers": [],
               "figures": {ULP: 2.5}}
    write_site([record(tmp_path, [*LINES, further], (SPEC, older))], tmp_path / "site")
    there = Page((tmp_path / "site/toy/maxpool/index.html").read_text(encoding="utf-8"))
    assert there.text.count(f"{SAID.replace('1.52', '2.5')}: toy 1") == 2
    links = [link for link in there.links if link.startswith("#silence-")]
    assert links and {link[1:] for link in links} <= set(there.ids)
    silences = json.loads((tmp_path / "site/toy/maxpool/index.json").read_text(encoding="utf-8"))["silences"]
    assert [one["figures"] for one in silences] == [{}, {"toy 1": {
        ULP: {"float32": 2.5, "float16": 0.25}, SUM: {"float16": 0.001}}}]


def test_what_a_text_says_is_shown_is_measured() -> None:
    """The unspecified clauses of which texts say so are those that reports find, and their operators measure."""
    clauses = {address: clause for name in spec_names() for address, clause in load_spec(name).clauses.items()}
    said = {address for address, clause in clauses.items() if "and shown" in clause.statement}
    assert said and said == {address for address, clause in clauses.items() if clause.title == ACCURACY}
    for spec in (load_spec(address.partition("#")[0]) for address in said):
        asked = probe_of(spec)
        assert asked is not None
        call = replace(asked.call, inputs={name: np.full_like(x, 1.5) if is_float(x.dtype) else x
                                           for name, x in asked.call.inputs.items()})
        assert ULP in spec.measures(call, spec.expected(call)), spec.name
