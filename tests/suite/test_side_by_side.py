"""Several records in one page: columns, changes between versions, findings, unspecified clauses, the survey, what is
left out."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from plumbline.oracle import safe_text as oracle_text
from plumbline.reports import text as report_text
from plumbline.reports import words, write_html
from plumbline.reports.clauses import clauses_of, matrix
from plumbline.reports.columns import Column, case_rows, columns
from plumbline.reports.coverage import boundaries
from plumbline.reports.evidence import mismatches
from plumbline.reports.findings import SHOWN, Finding, findings
from plumbline.reports.histories import histories, spans
from plumbline.reports.page import content
from plumbline.reports.pictures import LARGEST, PLANES, Cell, Picture, input_pictures, output_pictures, picture
from plumbline.reports.trace import case_groups, state_summaries, traces
from plumbline.reports.unjudged import informational_results, unspecified_clauses
from plumbline.reports.words import anchor
from plumbline.trial.record import one_line as brief
from plumbline.trial.record.header import Cases, Tensor
from plumbline.trial.record.lines import Known
from plumbline.trial.record.recording import read_records
from tests.suite import small_records as small
from tests.suite.pages import SCRIPTS, Page
from tests.suite.small_records import SPEC


def test_the_page_is_well_formed_and_its_links_lead_somewhere(text: str) -> None:
    """Well nested, nothing fetched, each id once, each inner link with its target, hostile text as text."""
    page = Page(text)
    assert not page.open and page.tags.count("script") == SCRIPTS and "img" not in page.tags and not page.fetched
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#") and link[1] != "?"} <= set(page.ids)
    assert small.HOSTILE in page.text


def found_in(shown: list[Column]) -> list[Finding]:
    """The causes."""
    return findings(shown, case_rows(shown), clauses_of(shown))


def test_a_clause_that_is_broken_beside_another_leads_to_the_finding(tmp_path: Path) -> None:
    """A finding is shown once; the rows of both clauses link to it."""
    line = small.diverges("two-faults", 7.0)
    line["clauses"].append(f"{SPEC}#Y.F2")
    path = small.write(tmp_path / "two.jsonl", small.header("toy", "1"), [line])
    found = content(columns(read_records([path])))
    finding, = found["findings"]
    assert found["findings_by_clause"] == {f"{SPEC}#Y.F1": [finding], f"{SPEC}#Y.F2": [finding]}
    page = Page(write_html(read_records([path]), tmp_path / "two.html").read_text(encoding="utf-8"))
    assert page.links.count(f"#{finding.id}") >= 4


def test_docstring_examples_run() -> None:
    """And print what they show."""
    for module in (brief, oracle_text, report_text, words):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed


def test_a_case_that_conforms_shows_its_call_and_the_answer(tmp_path: Path) -> None:
    """With the place that it stands in; of forms the one with most outputs."""
    lines = [small.line("right", "conforms", form, brief=f"Op(size=2) of int8 [1] gave {outputs}", place="a.yaml:7")
             for form, outputs in (("Y", "int8 [1]"), ("Y+Z", "Y: int8 [1], Z: int8 [5]"))]
    path = small.write(tmp_path / "right.jsonl", small.header("toy", "1"), lines)
    page = write_html(read_records([path]), tmp_path / "right.html").read_text(encoding="utf-8")
    assert "a.yaml:7" in page and "<code>Op(size=2) of int8 [1] gave Y: int8 [1], Z: int8 [5]</code>" in page


def test_columns_stand_in_the_order_of_versions(shown: list[Column]) -> None:
    """1.9 before 1.10; records of one name and version are told apart by their files."""
    assert [column.label for column in shown] == ["other 3", "toy 1.9", "toy 1.10"]
    twice = columns([shown[0].record, shown[0].record])
    assert [column.label for column in twice] == ["other 3 (other-3.jsonl)"] * 2


def test_records_of_other_cases_are_told_apart(shown: list[Column], text: str) -> None:
    """The page says whose cases differ; the two that tried the same give no notice."""
    assert len(mismatches(shown)) == 1 and not mismatches(shown[1:])
    assert "The cases differ: other 3 (digest dddddddddddd); toy 1.9, 1.10 (digest cccccccccccc)" in Page(text).text


def test_records_that_differ_in_contexts_alone_give_no_notice(shown: list[Column]) -> None:
    """Each backend is put in those that it declares."""
    for number, column in enumerate(shown):
        column.record.header.cases = Cases(count=number, digest=str(number) * 64, alone="e" * 64)
    assert not mismatches(shown)


def test_the_matrix_says_what_each_column_does(shown: list[Column]) -> None:
    """A status for each clause and column, and counts of the results that judge it."""
    rows = {row.address: row for row in matrix(shown)[SPEC]}
    assert rows[f"{SPEC}#Indices.F1"].statuses == ("not tried", "diverges", "conforms")
    assert rows[f"{SPEC}#strides.C1"].statuses == ("not tried", "survey", "survey")
    assert [cell.counts["diverges"] for cell in rows[f"{SPEC}#Y.F1"].cells] == [0, 2, 2]
    assert rows[f"{SPEC}#X.C1"].cells[1].counts == {"outside-profile": 1}, "it restates X.R1"


def test_a_clause_that_changed_between_versions_is_named(shown: list[Column], text: str) -> None:
    """With its spans, and the results that went another way."""
    entry, = histories(shown, matrix(shown)[SPEC])
    assert entry.address == f"{SPEC}#Indices.F1"
    assert [str(span) for span in entry.spans] == ["diverges in 1.9", "conforms in 1.10"]
    assert "toy 1.9 → 1.10" in text and "5 results more changed" in text


@pytest.mark.parametrize(("versions", "where"), [
    (["1"], "1"), (["1", "9"], "1 and 9"), (["1", "2", "9"], "1, 2 and 9"), (["1", "2", "3", "9"], "1 to 9 (4 tried)")])
def test_a_span_speaks_of_no_version_that_was_not_tried(versions: list[str], where: str) -> None:
    """Two are two, and no range; of many it is said how many were tried."""
    assert str(*spans((version, "diverges") for version in versions)) == f"diverges in {where}"


def test_a_finding_stands_alone(text: str) -> None:
    """Clause with its source, call, what others did on the same call, since when, the case in YAML, a script."""
    opening = '<div class="cause">'
    piece = next(piece for piece in text.split(opening) if f'id="{anchor(SPEC)}-nan-first-Y"' in piece)
    section = Page(opening + piece.partition("</section>")[0]).text
    for part in ("maximum of its window. (The toy text, section 1)", "MaxPool(kernel_shape=[2, 2], pads=[1, 0, 0, 0])",
                 "toy: conforms in 1.9, then diverges in 1.10", "✓ conforms toy 1.9", "not tried other 3",
                 "id: found-nan-first", "got = toy.run(model, x)", "Ran on Toy", "conforms by toy/maxpool@1"):
        assert part in section, part


def test_findings_that_two_columns_share_are_one_section(shown: list[Column]) -> None:
    """The three axes fail alike in both versions of toy, and nowhere else."""
    found = {instance.case.line.id: instance for finding in found_in(shown) for instance in finding.instances}
    assert set(found) == {"plain", "padded-corner", "nan-first", "three-axes", "stride-zero"}
    assert [answer.labels for answer in found["three-axes"].answers] == [["toy 1.9", "toy 1.10"]]
    assert found["padded-corner"].answers[1].known == [(Known(**small.KNOWN), ["toy 1.9"])]
    assert found["three-axes"].missing == ["other 3"]
    assert [(answer.labels, answer.line.verdict) for answer in found["padded-corner"].answers] == [
        (["other 3"], "rejects-valid"), (["toy 1.9"], "diverges"), (["toy 1.10"], "conforms")]


def test_many_calls_of_one_finding_are_cut_and_the_rest_is_named(tmp_path: Path) -> None:
    """The page says how many are left out, and in which record they are; new ones are shown first."""
    lines = [*(small.diverges(f"number-{number}", 7.0, known=small.KNOWN) for number in range(SHOWN + 5)),
             small.diverges("generated-0-0", 7.0)]
    path = small.write(tmp_path / "many.jsonl", small.header("toy", "1"), lines)
    shown = columns(read_records([path]))
    finding, = found_in(shown)
    assert (len(finding.results), finding.new) == (SHOWN + 6, 1)
    assert (len(finding.instances), len(finding.left_out)) == (SHOWN, 6)
    assert finding.instances[0].line.id == "generated-0-0"
    page = Page(write_html([shown[0].record], tmp_path / "many.html").read_text(encoding="utf-8")).text
    assert "6 more are not shown in full; see the records (many.jsonl): number-4" in page


def test_one_cause_is_one_finding_and_every_column_says_what_it_did(tmp_path: Path) -> None:
    """Three of the padded calls fail and no other: the flag tells them, with its meaning, the smallest call, and what
    the version after did on the same three."""
    names = ["pad-1", "pad-2", "pad-3"]
    old = [*(small.diverges(name, 7.0) for name in names), *(small.line(f"plain-{n}", "conforms") for n in range(9))]
    new = [*(small.line(name, "conforms") for name in names), *old[3:]]
    records = read_records([small.write(tmp_path / f"{version}.jsonl", small.header("toy", version), lines)
                            for version, lines in (("1", old), ("2", new))])
    finding, = found_in(columns(records))
    assert finding.conditions == {"padded": "Some pad is above zero."} and (len(finding.results), finding.new) == (3, 3)
    assert [(entry.labels, dict(entry.counts)) for entry in finding.verdicts] == [
        (("toy 1",), {"diverges": 3}), (("toy 2",), {"conforms": 3})]
    seen = Page(write_html(records, tmp_path / "page.html").read_text(encoding="utf-8")).text
    for part in ("Where some pad is above zero (padded).", "The smallest call: Case pad-1",
                 "On these calls: toy 1 ✗ diverges ×3 ; toy 2 ✓ conforms ×3", "1 clause repaired, 0 newly broken"):
        assert part in seen, part


def test_a_cause_says_what_every_column_did_on_its_calls(tmp_path: Path) -> None:
    """The next version breaks another clause on the same call: two causes, and both clauses lead to the second."""
    line = small.diverges("plain", 7.0)
    other = line | {"clauses": [f"{SPEC}#Y.F2", f"{SPEC}#Y.F1"], "divergences": [
        line["divergences"][0] | {"clause": f"{SPEC}#Y.F2"}, *line["divergences"]]}
    records = read_records([small.write(tmp_path / f"{number}.jsonl", small.header("toy", number), [some])
                            for number, some in (("1", line), ("2", other))])
    found = content(columns(records))
    value, both = found["findings"]
    assert (value.accused, both.accused) == (["toy 1"], ["toy 2"])
    assert [len(found["findings_by_clause"][f"{SPEC}#{local}"]) for local in ("Y.F1", "Y.F2")] == [2, 1]
    assert [(entry.labels, dict(entry.counts)) for entry in value.verdicts] == [
        (("toy 1", "toy 2"), {"diverges": 1})]


def test_a_crash_outside_the_domain_names_the_clause_that_the_call_breaks(shown: list[Column], text: str) -> None:
    """It is the cause; a script says what was to be expected and what is seen."""
    finding, = (finding for finding in found_in(shown) if finding.verdict == "crashes")
    assert (finding.outside, finding.title) == ([f"{SPEC}#strides.C1"], "toy/maxpool, where the call breaks strides.C1")
    seen = Page(text).text
    for part in ("These calls are outside the domain: each breaks strides.C1 (Positive)",
                 "# expected: a refusal: the call is outside the domain; seen: the process ends (SIGFPE)",
                 "any result is allowed here except a crash or a hang"):
        assert part in seen, part


def test_what_no_flag_tells_is_said_in_plain_words(tmp_path: Path) -> None:
    """One of several calls fails that have the same flags, element type and form."""
    lines = [small.diverges("one", 7.0), *(small.line(f"like-it-{number}", "conforms") for number in range(3))]
    record, = read_records([small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), lines)])
    seen = Page(write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert "No flag, element type or form distinguishes these results from conforming ones." in seen


def test_boundary_classes_are_counted_clause_by_clause(shown: list[Column], text: str) -> None:
    """As far as a record has figures; one that has none says so."""
    entry, = boundaries(shown, matrix(shown)[SPEC])
    assert entry.addresses == [f"{SPEC}#strides.C1"] and entry.cells == (None, (3, 4), (3, 4))
    seen = Page(text).text
    assert "3 of 4 boundary pairs" in seen and "not in the record ✗ 3 of 4 pairs ✗ 3 of 4 pairs" in seen


def test_results_that_decide_little_are_counted(tmp_path: Path) -> None:
    """Of those that conform outside contexts."""
    lines = [small.line("wide", "conforms", decides_little=True), small.line("exact", "conforms"),
             small.line("exact-threads", "conforms", context="threads"), small.diverges("one", 7.0)]
    record, = read_records([small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), lines)])
    seen = Page(write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert f"{SPEC} 1 of 2 results" in seen


def test_silences_say_who_agrees(shown: list[Column]) -> None:
    """Outputs are compared where the record holds them."""
    silence, = unspecified_clauses(shown, case_rows(shown).values())
    row, = silence.rows
    assert [(one.what, one.labels) for one in row.conducts] == [
        ("refused at run", ["other 3"]), ("Y float32[1, 1, 1, 1] [[[[0.0]]]]", ["toy 1.9"]),
        ("Y float32[1, 1, 1, 1] [[[[-inf]]]]", ["toy 1.10"])]


def test_the_survey_has_every_call_outside_the_domain(shown: list[Column]) -> None:
    """A refusal with its phase, an answer, a crash; "" where it was not tried."""
    cells = {row.names[0]: [what for what, _ in row.cells]
             for row in informational_results(shown, case_rows(shown).values())}
    assert cells == {"stride-zero": ["", "crashes", "refused at load"],
                     "stride-negative": ["", "answered", "refused at load"],
                     "three-spatial-axes": ["", "answered", "answered"]}


def test_traceability_runs_both_ways(shown: list[Column]) -> None:
    """From a clause to its cases, alike ones together; what nobody breaks, judges, or ever failed."""
    alike = [entry for entry in case_groups(traces(shown), len(shown))[f"{SPEC}#Y.F1"] if "diverges" in entry.bearings]
    assert [(entry.bearings, [name for _, name in entry.written]) for entry in alike] == [
        (("refused", "diverges", "conforms"), ["padded-corner"]), (("", "conforms", "diverges"), ["nan-first"]),
        (("", "diverges", "diverges"), ["three-axes"])]
    entry, = state_summaries(matrix(shown), case_rows(shown))
    said = {state: [address.partition("#")[2] for address in found] for state, found in entry.clauses.items()}
    assert said == {"broken": ["Y.F1", "Indices.F1"], "refused": [], "kept": ["Y.F2"], "not tried": ["Y.F3"]}
    assert {state: [name for _, name in found] for state, found in entry.cases.items()} == {
        "broken": ["plain", "padded-corner", "nan-first", "three-axes"], "refused": ["stride-zero"],
        "kept": ["generated-0-1"], "not tried": ["float16-plain"],
        "recorded": ["padding-only", "stride-negative", "three-spatial-axes"]}


def test_pictures_draw_the_window_over_cells_and_padding(shown: list[Column]) -> None:
    """The row of padding above X, the window over it, the cell that holds the maximum, the element that differs."""
    line = next(line for line in shown[1].record.cases if line.id == "padded-corner")
    plane, = input_pictures(line)[0].planes
    drawn = [(label, [(cell.text, cell.classes) for cell in cells]) for label, cells in plane.rows]
    assert drawn == [(-1, [("", "pad window"), ("", "pad window")]), (0, [("1", "window"), ("-inf", "window")]),
                     (1, [("NaN", "window"), ("4", "selected window")])]
    expected, got = output_pictures(line, also_expected=True)
    assert [one.planes[0].rows[0][1] for one in (expected, got)] == [
        (Cell("4", "differs focus"),), (Cell("7", "differs focus"),)]


def test_pictures_show_each_plane_that_matters(shown: list[Column]) -> None:
    """Three axes: every depth that the window reaches; no more planes than fit."""
    line = next(line for line in shown[1].record.cases if line.id == "three-axes")
    assert [plane.which for plane in input_pictures(line)[0].planes] == [
        "axis 0 at 0, axis 1 at 0, axis 2 at 0", "axis 0 at 0, axis 1 at 0, axis 2 at 1"]
    many = tensor([[[[0.0]]] * 9])
    drawn = picture(many, "X", None, {"differs": [(0, channel, 0, 0) for channel in range(9)]})
    assert len(drawn.planes) == PLANES and "5 more planes" in drawn.note


@pytest.mark.parametrize("values", [[0, 1, 2], [[[0, 1, 2]]]], ids=["vector", "batch-channel-length"])
def test_one_axis_is_one_row_without_a_label(values: list) -> None:
    """A vector, and a tensor of batch, channel and one spatial axis."""
    (label, cells), = picture(tensor(values), "X").planes[0].rows
    assert label is None and [cell.text for cell in cells] == ["0", "1", "2"]


def test_a_matrix_is_a_plane_and_scalars_and_empty_tensors_are_text() -> None:
    """Nothing is left out because of its rank."""
    plane, = picture(tensor([[1, 2], [3, 4]]), "A").planes
    assert [[cell.text for cell in cells] for _, cells in plane.rows] == [["1", "2"], ["3", "4"]] and not plane.which
    scalar, empty = picture(tensor("nan"), "alpha"), picture(tensor([]), "roi")
    assert (scalar.caption + scalar.note, empty.caption + empty.note) == (
        "alpha: float32 [], NaN", "roi: float32 [0], without elements")
    assert not scalar.planes and not empty.planes


def test_every_input_is_drawn_with_the_cells_that_are_read(tmp_path: Path) -> None:
    """A product of matrices: a row of A, a column of B, and nothing of an input that was left out."""
    a, b = small.tensor([[1.0, 2.0], [3.0, 4.0]]), small.tensor([[1.0, 0.0], [0.0, 1.0]])
    wrong = small.broken("Y.F1", 2.0, 7.0, [[0, 0]], "too large") | {
        "where": [[0, 1]], "reads": {"A": [[0, 0], [0, 1]], "B": [[0, 1], [1, 1]]}}
    line = small.line("product", "diverges", clauses=["Y.F1"], divergences=[wrong], got={"Y": a}, expected={"Y": a},
                      call={"operator": "MatMul", "attributes": {}, "inputs": {"A": a, "B": b}})
    record, = read_records([small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), [line])])
    first, second = input_pictures(record.cases[0])
    assert [plane_classes(one) for one in (first, second)] == [
        [["window", "selected window"], ["", ""]], [["", "window"], ["", "window"]]]


def tensor(values: object) -> Tensor:
    """Nested lists as a record keeps them."""
    return Tensor(**small.tensor(values))


def plane_classes(one: Picture) -> list[list[str]]:
    """The classes of the cells of its plane."""
    plane, = one.planes
    return [[cell.classes for cell in cells] for _, cells in plane.rows]


def test_a_large_plane_is_cut_around_the_element_in_question() -> None:
    """And says so."""
    drawn = picture(tensor([[[list(range(100))]]]), "X", (0, 0, 0, 99))
    assert drawn.planes[0].columns == tuple(range(100 - LARGEST, 100)) and "a part of the plane" in drawn.note


def test_the_script_gets_the_numbers_of_the_page(shown: list[Column]) -> None:
    """One entry for each row of the matrix and of the cases, one for each result."""
    data = content(shown)["data"]
    assert len(data["clauses"]) == len(small.CLAUSES) and len(data["cases"]) == 10
    assert len(data["results"]) == sum(len(column.record.cases) for column in shown)
    assert {data["verdicts"][verdict] for _, _, verdict, _ in data["results"]} > {"crashes", "unsupported"}


def test_later_fields_and_limits_are_shown(text: str) -> None:
    """An answer that a declared gap had excluded; the texts that a backend was not asked about; what is known."""
    seen = Page(text).text
    assert "Not asked toy/other@1" in seen
    assert "toy 1.10: 1 result was outside the declared capabilities but answered anyway; it was judged." in seen
    assert "It says seven. Documented by the source: on page 7." in seen
    assert 'href="https://example.org/7"' in text
