"""Several records in one page: columns, changes between versions, findings, silences, the survey, what is left out."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from plumbline.reports import addresses, grids, instances, wording, write_html
from plumbline.reports.addresses import anchor
from plumbline.reports.behaviour import silences, survey
from plumbline.reports.content import content
from plumbline.reports.crossings import of_the_same_clause, on_the_same_calls
from plumbline.reports.grids import LARGEST, PLANES, Cell, Tensor
from plumbline.reports.history import histories, spans
from plumbline.reports.pictures import input_pictures, output_pictures
from plumbline.reports.reading import read_records
from plumbline.reports.sections import SHOWN, sections
from plumbline.reports.side_by_side import Column, case_rows, columns, matrix, unlike
from plumbline.reports.traceability import boundaries, by_clause, closing, traces
from tests.suite import small_records as small
from tests.suite.pages import SCRIPTS, Page
from tests.suite.small_records import SPEC


def test_the_page_is_well_formed_and_its_links_lead_somewhere(text: str) -> None:
    """Well nested, nothing fetched, each id once, each inner link with its target, hostile text as text."""
    page = Page(text)
    assert not page.open and page.tags.count("script") == SCRIPTS and "img" not in page.tags and not page.fetched
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert small.HOSTILE in page.text


def test_a_clause_that_is_broken_beside_another_leads_to_the_finding(tmp_path: Path) -> None:
    """A finding is shown once, under the first clause that it breaks; the section of the other links to it."""
    line = small.diverges("two-faults", 7.0)
    line["clauses"].append(f"{SPEC}#Y.F2")
    path = small.write(tmp_path / "two.jsonl", small.header("toy", "1"), [line])
    found = content(columns(read_records([path])))
    section, other = found["sections"]
    assert found["section_ids"] == {f"{SPEC}#Y.F1": section.id, f"{SPEC}#Y.F2": other.id}
    finding, = section.findings
    assert not other.findings and [crossing.finding for crossing in found["of_the_same_clause"][other.id]] == [finding]
    page = Page(write_html(read_records([path]), tmp_path / "two.html").read_text(encoding="utf-8"))
    assert "Results that break this clause beside another one are shown there: 1 under" in page.text
    assert f"#{finding.id}" in page.links


def test_docstring_examples_run() -> None:
    """And print what they show."""
    for module in (addresses, grids, instances, wording):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed


def test_columns_stand_in_the_order_of_versions(shown: list[Column]) -> None:
    """1.9 before 1.10; records of one name and version are told apart by their files."""
    assert [column.label for column in shown] == ["other 3", "toy 1.9", "toy 1.10"]
    twice = columns([shown[0].record, shown[0].record])
    assert [column.label for column in twice] == ["other 3 (other-3.jsonl)"] * 2


def test_records_of_other_cases_are_told_apart(shown: list[Column], text: str) -> None:
    """The page says whose cases differ; the two that tried the same give no notice."""
    assert len(unlike(shown)) == 1 and not unlike(shown[1:])
    assert "The cases differ: other 3 (digest dddddddddddd); toy 1.9, 1.10 (digest cccccccccccc)" in Page(text).text


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
    assert "toy 1.9 → 1.10" in text and "5 results more went another way" in text


@pytest.mark.parametrize(("versions", "where"), [
    (["1"], "1"), (["1", "9"], "1 and 9"), (["1", "2", "9"], "1, 2 and 9"), (["1", "2", "3", "9"], "1 to 9 (4 tried)")])
def test_a_span_speaks_of_no_version_that_was_not_tried(versions: list[str], where: str) -> None:
    """Two are two, and no range; of many it is said how many were tried."""
    assert str(*spans((version, "diverges") for version in versions)) == f"diverges in {where}"


def test_a_finding_stands_alone(text: str) -> None:
    """Clause with its source, call, what others did on the same call, since when, the case in YAML, a script."""
    opening = '<details class="finding"'
    piece = next(piece for piece in text.split(opening) if f'id="{anchor(SPEC)}-nan-first-Y"' in piece)
    section = Page(opening + piece[:piece.index("</section>")]).text
    for part in ("maximum of its window. (The toy text, section 1)", "MaxPool(kernel_shape=[2, 2], pads=[1, 0, 0, 0])",
                 "toy: conforms in 1.9, then diverges in 1.10", "✓ conforms toy 1.9", "not tried other 3",
                 "id: found-nan-first", "got = toy.run(model, x)", "Ran on Toy", "conforms by toy/maxpool@1"):
        assert part in section, part


def test_findings_that_two_columns_share_are_one_section(shown: list[Column]) -> None:
    """The three axes fail alike in both versions of toy, and nowhere else."""
    found = {instance.case.line["id"]: instance for section in sections(shown, case_rows(shown))
             for finding in section.findings for instance in finding.instances}
    assert set(found) == {"plain", "padded-corner", "nan-first", "three-axes", "stride-zero"}
    assert [answer.labels for answer in found["three-axes"].answers] == [["toy 1.9", "toy 1.10"]]
    assert found["padded-corner"].answers[1].known == [(small.KNOWN, ["toy 1.9"])]
    assert found["three-axes"].missing == ["other 3"]
    assert [(answer.labels, answer.line["verdict"]) for answer in found["padded-corner"].answers] == [
        (["other 3"], "rejects-valid"), (["toy 1.9"], "diverges"), (["toy 1.10"], "conforms")]


def test_many_calls_of_one_finding_are_cut_and_the_rest_is_named(tmp_path: Path) -> None:
    """The page says how many are left out, and in which record they are; new ones are shown first."""
    lines = [*(small.diverges(f"number-{number}", 7.0, known=small.KNOWN) for number in range(SHOWN + 5)),
             small.diverges("generated-0-0", 7.0)]
    path = small.write(tmp_path / "many.jsonl", small.header("toy", "1"), lines)
    shown = columns(read_records([path]))
    section, = sections(shown, case_rows(shown))
    finding, = section.findings
    assert (finding.results, finding.new, len(finding.instances), len(finding.left_out)) == (SHOWN + 6, 1, SHOWN, 6)
    assert finding.instances[0].line["id"] == "generated-0-0"
    page = Page(write_html([shown[0].record], tmp_path / "many.html").read_text(encoding="utf-8")).text
    assert "6 more are not shown in full; they are in the records (many.jsonl): number-4" in page


def test_one_cause_is_one_finding_and_every_column_says_what_it_did(tmp_path: Path) -> None:
    """Three of the padded calls fail and no other: the flag tells them, with its meaning, the smallest call, and what
    the version after did on the same three."""
    names = ["pad-1", "pad-2", "pad-3"]
    old = [*(small.diverges(name, 7.0) for name in names), *(small.line(f"plain-{n}", "conforms") for n in range(9))]
    new = [*(small.line(name, "conforms") for name in names), *old[3:]]
    records = read_records([small.write(tmp_path / f"{version}.jsonl", small.header("toy", version), lines)
                            for version, lines in (("1", old), ("2", new))])
    section, = sections(columns(records), case_rows(columns(records)))
    finding, = section.findings
    assert finding.flags == {"padded": "Some pad is above zero."} and (finding.results, finding.known) == (3, 0)
    assert [(conduct.labels, dict(conduct.counts)) for conduct in finding.conducts] == [
        (("toy 1",), {"diverges": 3}), (("toy 2",), {"conforms": 3})]
    seen = Page(write_html(records, tmp_path / "page.html").read_text(encoding="utf-8")).text
    for part in ("where padded", "padded Some pad is above zero.", "The smallest call: Case pad-1",
                 "On these calls: toy 1 ✗ diverges ×3 ; toy 2 ✓ conforms ×3", "1 clause repaired, 0 newly broken"):
        assert part in seen, part


def test_a_finding_says_where_else_results_on_its_calls_are_counted(tmp_path: Path) -> None:
    """The next version breaks another clause first on the same call, and so has a finding of its own: head and content
    of both say so with a link, and the section of the first clause has all its results."""
    line = small.diverges("plain", 7.0)
    other = line | {"clauses": [f"{SPEC}#Y.F2", f"{SPEC}#Y.F1"], "divergences": [
        line["divergences"][0] | {"clause": f"{SPEC}#Y.F2"}, *line["divergences"]]}
    records = read_records([small.write(tmp_path / f"{number}.jsonl", small.header("toy", number), [some])
                            for number, some in (("1", line), ("2", other))])
    shown = columns(records)
    listed = {section.addresses[0]: section for section in sections(shown, case_rows(shown))}
    value, kind = listed[f"{SPEC}#Y.F1"], listed[f"{SPEC}#Y.F2"]
    calls, clauses = on_the_same_calls(list(listed.values())), of_the_same_clause(list(listed.values()))
    for here, there, who in ((value, kind, "toy 2"), (kind, value, "toy 1")):
        crossing, = calls[here.findings[0].id]
        assert (crossing.section, crossing.finding, crossing.counts) == (there, there.findings[0], {who: 1})
        assert crossing.by_number == {1: [who]}
    assert [crossing.counts for crossing in clauses[value.id]] == [{"toy 2": 1}] and clauses[kind.id] == []
    page = Page(write_html(records, tmp_path / "page.html").read_text(encoding="utf-8"))
    for part in ("1 result in 1 (1 more on these calls in 2, under other findings)",
                 "More results break this clause beside another one: 1 in 2 under"):
        assert part in page.text, part
    assert f"#{kind.findings[0].id}" in page.links


def test_a_crash_outside_the_domain_names_the_clause_that_the_call_breaks(shown: list[Column], text: str) -> None:
    """It is the cause; a script says what was to be expected and what is seen."""
    finding, = (finding for section in sections(shown, case_rows(shown)) for finding in section.findings
                if finding.verdict == "crashes")
    assert (finding.outside, finding.title) == ([f"{SPEC}#strides.C1"], "where the call breaks strides.C1")
    seen = Page(text).text
    for part in ("These calls are outside the domain: each breaks strides.C1 (Positive)",
                 "# expected: a refusal: the call is outside the domain; seen: the process ends (SIGFPE)",
                 "accuses nobody, save for a crash or a hang"):
        assert part in seen, part


def test_what_no_flag_tells_is_said_in_plain_words(tmp_path: Path) -> None:
    """One of several calls fails that have the same flags, element type and form."""
    lines = [small.diverges("one", 7.0), *(small.line(f"like-it-{number}", "conforms") for number in range(3))]
    record, = read_records([small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), lines)])
    seen = Page(write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert "No flag, element type or form tells these results from those that conform" in seen


def test_boundary_classes_are_counted_clause_by_clause(shown: list[Column], text: str) -> None:
    """As far as a record has figures; one that has none says so."""
    entry, = boundaries(shown, matrix(shown)[SPEC])
    assert entry.addresses == [f"{SPEC}#strides.C1"] and entry.cells == (None, (3, 4), (3, 4))
    seen = Page(text).text
    assert "3 of 4 boundary pairs" in seen and "not in the record ✗ 3 of 4 pairs ✗ 3 of 4 pairs" in seen


def test_silences_say_who_agrees(shown: list[Column]) -> None:
    """Outputs are compared where the record holds them."""
    silence, = silences(shown, case_rows(shown).values())
    row, = silence.rows
    assert [(deed.what, deed.labels) for deed in row.deeds] == [
        ("refused at run", ["other 3"]), ("Y float32[1, 1, 1, 1] [[[[0.0]]]]", ["toy 1.9"]),
        ("Y float32[1, 1, 1, 1] [[[[-inf]]]]", ["toy 1.10"])]


def test_the_survey_has_every_call_outside_the_domain(shown: list[Column]) -> None:
    """A refusal with its phase, an answer, a crash; "" where it was not tried."""
    cells = {row.names[0]: [what for what, _ in row.cells] for row in survey(shown, case_rows(shown).values())}
    assert cells == {"stride-zero": ["", "crashes", "refused at load"],
                     "stride-negative": ["", "answered", "refused at load"],
                     "three-spatial-axes": ["", "answered", "answered"]}


def test_traceability_runs_both_ways(shown: list[Column]) -> None:
    """From a clause to its cases, alike ones together; what nobody breaks, judges, or ever failed."""
    alike = [entry for entry in by_clause(traces(shown), len(shown))[f"{SPEC}#Y.F1"] if "diverges" in entry.bearings]
    assert [(entry.bearings, [name for _, name in entry.written]) for entry in alike] == [
        (("", "diverges", "conforms"), ["padded-corner"]), (("", "conforms", "diverges"), ["nan-first"]),
        (("", "diverges", "diverges"), ["three-axes"])]
    entry, = closing(matrix(shown), case_rows(shown))
    assert entry.unbroken == [f"{SPEC}#Y.F2"] and entry.untried == [f"{SPEC}#Y.F3"]
    assert [name for _, name in entry.never_failed] == ["padding-only", "stride-negative", "three-spatial-axes",
                                                        "float16-plain", "generated-0-1"]


def test_pictures_draw_the_window_over_cells_and_padding(shown: list[Column]) -> None:
    """The row of padding above X, the window over it, the cell that holds the maximum, the element that differs."""
    line = next(line for line in shown[1].record.cases if line["id"] == "padded-corner")
    plane, = input_pictures(line)[0].planes
    drawn = [(label, [(cell.text, cell.classes) for cell in cells]) for label, cells in plane.rows]
    assert drawn == [(-1, [("", "pad window"), ("", "pad window")]), (0, [("1", "window"), ("−inf", "window")]),
                     (1, [("NaN", "window"), ("4", "selected window")])]
    expected, got = output_pictures(line, also_expected=True)
    assert [picture.planes[0].rows[0][1] for picture in (expected, got)] == [
        (Cell("4", "differs focus"),), (Cell("7", "differs focus"),)]


def test_pictures_show_each_plane_that_matters(shown: list[Column]) -> None:
    """Three axes: every depth that the window reaches; no more planes than fit."""
    line = next(line for line in shown[1].record.cases if line["id"] == "three-axes")
    assert [plane.which for plane in input_pictures(line)[0].planes] == [
        "batch 0, channel 0, depth 0", "batch 0, channel 0, depth 1"]
    many = Tensor(small.tensor([[[[0.0]]] * 9]))
    drawn = many.picture("X", None, {"differs": [(0, channel, 0, 0) for channel in range(9)]})
    assert len(drawn.planes) == PLANES and "5 more planes" in drawn.note


def test_one_axis_is_one_row_without_a_label() -> None:
    """As a tensor of batch, channel and one spatial axis has it."""
    (label, cells), = Tensor(small.tensor([[[0, 1, 2]]])).picture("X", None, {}).planes[0].rows
    assert label is None and [cell.text for cell in cells] == ["0", "1", "2"]


def test_a_large_plane_is_cut_around_the_element_in_question() -> None:
    """And says so."""
    drawn = Tensor(small.tensor([[[list(range(100))]]])).picture("X", (0, 0, 0, 99), {})
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
    assert "toy 1.10: 1 result was answered although a gap had been declared" in seen
    assert "It says seven. Documented by the source: on page 7." in seen
    assert 'href="https://example.org/7"' in text
