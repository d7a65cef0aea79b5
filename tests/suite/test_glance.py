"""The first table of a page and the words above it: what is broken, what got worse, and the calls that show it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from plumbline.reports.clauses import broken_clauses, clauses_of, matrix, notation
from plumbline.reports.columns import Column, case_rows, columns
from plumbline.reports.examples import examples
from plumbline.reports.findings import findings, page_anchors
from plumbline.reports.histories import column_regressions, progress
from plumbline.reports.page import content
from plumbline.reports.rendering import FILTERS
from plumbline.reports.words import anchor
from plumbline.trial.record.recording import read_records
from tests.suite import small_records as small
from tests.suite.pages import Page
from tests.suite.small_records import SPEC


def test_broken_clauses_stand_at_the_top(shown: list[Column], text: str) -> None:
    """For each column how many results break a clause; the link leads to the findings."""
    value, index = broken_clauses(matrix(shown)[SPEC], column_regressions(shown))
    assert value.address == f"{SPEC}#Y.F1" and value.states == ["conforms", "diverges", "diverges"]
    assert index.address == f"{SPEC}#Indices.F1" and index.states == ["not tried", "diverges", "conforms"]
    assert f'href="#{anchor(f"{SPEC}#Indices.F1")}"' in text and "Broken clauses" in text


def test_what_was_right_and_is_wrong_now_stands_in_the_first_lines(shown: list[Column], text: str) -> None:
    """Though the clause is broken in both versions: how many results, of which clauses, the cell, and the cases before
    anything that is folded."""
    broken = broken_clauses(matrix(shown)[SPEC], column_regressions(shown))
    assert [[counts["worse"] for counts in entry.counts] for entry in broken] == [[0, 0, 1], [0, 0, 0]]
    (what, worse), = progress(shown, broken)
    assert what == ("From toy 1.9 to 1.10: 1 clause repaired, 0 newly broken, 1 broken in both. "
                    "Crashes 1 then, 0 now.")
    assert worse == f"Worse: 1 result that was right is wrong now ({SPEC}#Y.F1)."
    seen = Page(text).text
    assert f"▲ {worse}" in seen and seen.count("▲ worse") == 1
    changes = text[text.index('id="changes"'):]
    assert "nan-first" in changes[changes.index("▲ Worse from toy 1.9 to 1.10"):changes.index("<details")]


def test_the_page_says_what_its_words_mean(shown: list[Column], text: str) -> None:
    """Above the first table, as far as the page uses them; two versions of one backend make the title."""
    seen = Page(text).text
    for part in ("specification@versions#section.tag", "A result is one case in one form",
                 "Known: on the list"):
        assert part in seen, part
    assert "SONNX" not in seen and "the dilated kernel" not in seen
    broken = broken_clauses(matrix(shown)[SPEC], column_regressions(shown))
    broken[0].clause = broken[0].clause.model_copy(update={"statement": "`out = in - ke + 1`"})
    assert "SONNX safety profile" in " ".join(notation(broken, ["sonnx/maxpool"]))
    assert "ke is the size of the dilated kernel" in " ".join(notation(broken, []))
    assert content(shown[1:])["title"] == "toy 1.9 against 1.10"
    assert content(shown)["title"] == "2 implementations in 3 versions side by side"


@pytest.mark.parametrize(("name", "text", "shown"), [
    ("whole", "not -inf, <b>", 'not <span class="whole">-inf</span>, &lt;b&gt;'),
    ("breakable", "a/b@1,12#Y.F1", 'a/b<wbr><span class="whole">@1,12</span><wbr>#Y.F1'),
    ("breakable", "a/b#'", "a/b<wbr>#&#39;"),
    ("inline", "`-inf` is *it*", '<code><span class="whole">-inf</span></code> is <em>it</em>')])
def test_no_line_breaks_within_an_infinity_or_the_versions_of_an_address(name: str, text: str, shown: str) -> None:
    """And what is marked stays text."""
    assert FILTERS[name](text) == shown


def test_a_call_that_is_refused_after_it_was_computed_is_worse(tmp_path: Path) -> None:
    """And so is a crash; no clause is named for these."""
    names = ("refused", "crashed")
    old = [small.line(name, "conforms") for name in names]
    new = [small.line("refused", "rejects-valid", phase="run"), small.line("crashed", "crashes")]
    shown = columns(read_records([small.write(tmp_path / f"{version}.jsonl", small.header("toy", version), lines)
                                  for version, lines in (("1", old), ("2", new))]))
    assert progress(shown, []) == [(
        "From toy 1 to 2: 0 clauses repaired, 0 newly broken, 0 broken in both. "
        "Refusals of valid calls 0 then, 1 now; crashes 0 then, 1 now.",
        "Worse: 2 results that were right are wrong now.")]
    assert [Counter(line.verdict for line in lines) for lines in column_regressions(shown)] == [
        {}, {"rejects-valid": 1, "crashes": 1}]


@pytest.mark.parametrize(("differs", "worse"), [("", {"case", "generated-0-1"}), ("cases", {"case"}), ("text", set())])
def test_only_what_both_versions_tried_is_worse(differs: str, worse: set[str], tmp_path: Path) -> None:
    """Another set of cases may give the id of a generated one to another call; another text may judge otherwise."""
    head = small.header("toy", "2")
    if differs == "cases":
        head["cases"] = head["cases"] | {"digest": "e" * 64}
    if differs == "text":
        head["specifications"] = {SPEC: head["specifications"][SPEC] | {"digest": "e" * 64}}
    names = ("case", "generated-0-1")
    old = small.write(tmp_path / "1.jsonl", small.header("toy", "1"), [small.line(name, "conforms") for name in names])
    new = small.write(tmp_path / "2.jsonl", head, [small.diverges(name, 7.0) for name in names])
    _, found = column_regressions(columns(read_records([old, new])))
    assert {line.id for line in found} == worse


def test_each_instance_is_shown_once(shown: list[Column], text: str) -> None:
    """Under one finding; a result that accuses leads to it, and the smallest that breaks a clause stands at the top."""
    listed = findings(shown, case_rows(shown), clauses_of(shown))
    instances = [instance for finding in listed for instance in finding.instances]
    assert len(instances) == len(set(map(id, instances))) == 5
    where = page_anchors(listed)
    accused = {line.key for column in shown for line in column.record.cases if line.accuses}
    assert set(where) == accused and set(where.values()) == {name for one in instances for name in one.anchors}
    found = examples(listed, shown)
    said = {(finding.verdict, *finding.clauses): found[finding.id] for finding in listed}
    example, = said["diverges", f"{SPEC}#Indices.F1"]
    assert example.instance.brief == (
        "MaxPool(kernel_shape=[2, 2]) of float32 [[[[1, -inf], [NaN, 4]]]] -> Y, Indices; opset 2")
    assert example.failures == ((("toy 1.9",), "Indices[0, 0, 0, 0] is 2, not 3"),)
    assert [said[verdict,][0].failures for verdict in ("crashes", "rejects-valid")] == [
        ((("toy 1.9",), "SIGFPE"),), ((("other 3",), small.HOSTILE),)]
    whole = Page(text).text
    for part in ("in toy 1.9: Indices[0, 0, 0, 0] is 2, not 3.", "in toy 1.9: SIGFPE"):
        assert part in whole, part


def test_an_example_fails_in_all_columns_or_in_the_newest(tmp_path: Path) -> None:
    """Though another call is smaller; where no call fails in all columns that break the clause, there are two."""
    def shown_of(*lines: list[small.Json]) -> list[tuple[str, set[str]]]:
        shown = columns(read_records([small.write(tmp_path / f"{number}.jsonl", small.header("toy", str(number)), some)
                                      for number, some in enumerate(lines)]))
        found, = examples(findings(shown, case_rows(shown), clauses_of(shown)), shown).values()
        return [(example.instance.line.id, example.labels) for example in found]

    old, both, new = small.diverges("old", 7.0), small.deep("both"), small.deep("new")
    assert shown_of([old, both], [both]) == [("both", {"toy 0", "toy 1"})]
    assert shown_of([old], [new]) == [("new", {"toy 1"}), ("old", {"toy 0"})]
    assert shown_of([small.deep("large"), old], [small.line("old", "conforms")]) == [("old", {"toy 0"})]
