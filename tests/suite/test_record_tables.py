"""What is made of records beside the page: comparison, history, CSV, badge; and records that no report is made of."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.reports.changes import Change, NotComparable, compare
from plumbline.reports.tables import endpoint, tables
from plumbline.reports.words import code_span, escaped
from plumbline.trial.record.lines import LINES
from plumbline.trial.record.recording import read_records
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.small_records import GOLDEN, SPEC


def test_the_golden_files_are_what_reports_say(tmp_path: Path) -> None:
    """Markdown and CSV, byte for byte."""
    found = small.golden(tmp_path)
    assert {path.name for path in GOLDEN.iterdir()} - {"README.md"} == set(found)
    for name, content in found.items():
        assert (GOLDEN / name).read_text(encoding="utf-8") == content, \
            f"{name}: python -m tests.suite.small_records writes it anew"


def test_comparing_ends_with_a_status_for_ci(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 the same or better, 1 worse, 2 not comparable, with one line that says which digests differ."""
    old, new, other = map(str, small.write_all(tmp_path))
    better = str(small.write(tmp_path / "better.jsonl", small.header("toy", "2"), [
        small.line("three-axes", "conforms") if line["id"] == "three-axes" else line for line in small.NEW]))
    assert main(["compare", old, old]) == 0
    assert main(["compare", new, better]) == 0
    assert "0 worse, 1 better" in capsys.readouterr().out
    assert main(["compare", old, new]) == 1
    capsys.readouterr()
    assert main(["compare", new, other]) == 2
    assert capsys.readouterr().err == "the cases differ (digest cccccccccccc and dddddddddddd)\n"
    assert main(["compare", new, other, "--intersection"]) == 1


def test_records_that_lack_something_are_not_compared(tmp_path: Path) -> None:
    """A truncated one, other texts, other results: each is named."""
    old, _, _ = small.write_all(tmp_path)
    cut = small.write(tmp_path / "cut.jsonl", small.header("toy", "1"), small.OLD, footer=False)
    few = small.write(tmp_path / "few.jsonl", small.header("toy", "1"), small.OLD[:3])
    head = small.header("toy", "1")
    head["specifications"][SPEC] = head["specifications"][SPEC] | {"digest": "e" * 64}
    texts = small.write(tmp_path / "texts.jsonl", head, small.OLD)
    for path, why in ((cut, "cut.jsonl is incomplete: 11 of 11 results, but the record has no footer"),
                      (few, "toy-1.9.jsonl alone: 8, in "),
                      (texts, f"the specification {SPEC} differs (digest aaaaaaaaaaaa and eeeeeeeeeeee)")):
        with pytest.raises(NotComparable) as raised:
            compare(*read_records([old, path]))
        assert why in str(raised.value)
    empty = small.write(tmp_path / "empty.jsonl", small.header("toy", "1"), [])
    with pytest.raises(NotComparable, match="no result in common"):
        compare(*read_records([old, empty]), intersection=True)


@pytest.mark.parametrize(("was", "now", "appeared", "disappeared"), [
    ("conforms", "diverges", True, False), ("diverges", "conforms", False, True),
    ("diverges", "crashes", True, False), ("crashes", "rejects-invalid", False, True),
    ("accepts-invalid", "rejects-invalid", False, False), ("observed", "harness-error", True, False),
])
def test_a_change_is_for_the_worse_when_it_accuses_more(was: str, now: str, appeared: bool, disappeared: bool) -> None:
    """Refusing what is invalid, or answering it, is neither."""
    change = Change(*(LINES.validate_python(small.line("case", verdict)) for verdict in (was, now)))
    assert (change.appeared, change.disappeared) == (appeared, disappeared)


def test_another_broken_clause_is_for_the_worse() -> None:
    """Though the verdict is the same."""
    change = Change(*(LINES.validate_python(small.line("case", "diverges", clauses=[clause])) for clause in ("a", "b")))
    assert change.appeared and not change.disappeared


@pytest.mark.parametrize(("content", "shown"), [
    ("a|b", "`a\\|b`"), ("`", "`` ` ``"), ("two\nlines", "`two lines`"), ("", "`  `")])
def test_code_spans_hold_any_text(content: str, shown: str) -> None:
    """And do not end a row of a table."""
    assert code_span(content) == shown


def test_text_in_markdown_is_text() -> None:
    """No HTML, no markup, no mention of anybody."""
    shown = escaped("<img> [x](y) @somebody #7 a|b")
    assert "\\<img\\>" in shown and "\\[x\\](y)" in shown and "@somebody" not in shown and "\\#7 a\\|b" in shown


def test_tables_run_no_formula(tmp_path: Path) -> None:
    """A title that a spreadsheet would take for one is kept as text; every row has all columns."""
    path = small.write(tmp_path / "a.jsonl", small.header("toy", "1"), [small.line("plain", "conforms", title="=1+1")])
    rows = list(csv.DictReader(io.StringIO(tables(read_records([path]))["cases"])))
    assert rows[0]["title"] == "'=1+1" and None not in rows[0]


def test_a_badge_says_how_many_clauses_are_kept(tmp_path: Path) -> None:
    """Clauses on outputs that something was to judge; red for something new, grey when the record is not whole."""
    old, new, _ = read_records(small.write_all(tmp_path))
    assert endpoint(old) == {"schemaVersion": 1, "label": "toy conformance", "color": "red",
                             "message": "1 of 3 clauses kept"}
    assert endpoint(new, "toy/*")["label"] == "toy/*"
    clean = [small.line("plain", "conforms")]
    whole = small.write(tmp_path / "whole.jsonl", small.header("toy", "1"), clean)
    cut = small.write(tmp_path / "cut.jsonl", small.header("toy", "1"), clean, footer=False)
    assert [endpoint(record)["color"] for record in read_records([whole, cut])] == ["brightgreen", "lightgrey"]
    with pytest.raises(LookupError, match="no specification matches"):
        endpoint(old, "nothing/*")


def test_a_badge_is_green_for_a_green_run(tmp_path: Path) -> None:
    """Known divergences are not red; a run in which nothing was judged is not green, whatever it refused."""
    known = [small.line("plain", "conforms"), small.diverges("seven", 7.0, known=small.KNOWN)]
    refused = [small.line("plain", "rejects-valid", phase="load", known=small.KNOWN)]
    found = [endpoint(record) for record in read_records([
        small.write(tmp_path / f"{number}.jsonl", small.header("toy", "1"), lines)
        for number, lines in enumerate((known, refused))])]
    assert [(badge["message"], badge["color"]) for badge in found] == [
        ("1 of 2 clauses kept", "green"), ("0 of 2 clauses kept, incomplete", "lightgrey")]
    path = small.write(tmp_path / "status-2.jsonl", small.header("toy", "1"), [small.line("plain", "conforms")])
    ended = path.read_text(encoding="utf-8").replace('"gone": []', '"gone": [], "not_done": ["bad.yaml:1:1: no"]')
    path.write_text(ended, encoding="utf-8")
    record, = read_records([path])
    assert endpoint(record)["color"] == "lightgrey"
    assert record.incomplete == "not all of it could be done: bad.yaml:1:1: no"
    assert main(["badge", str(tmp_path / "0.jsonl"), "--out", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "0.badge.json").read_text(encoding="utf-8"))["schemaVersion"] == 1


def spoiled(**changes: Any) -> Any:
    """A function that changes a line of a record."""
    return lambda entry: entry | changes


@pytest.mark.parametrize(("place", "change", "why"), [
    (0, lambda head: {name: value for name, value in head.items() if name != "backend"}, "1: header.backend: Field"),
    (0, spoiled(backend=[]), "1: header.backend: "),
    (0, spoiled(selection={"of": 1}), "1: header.selection.tried: Field required"),
    (0, lambda head: head | {"specifications": {"other/spec": head["specifications"][SPEC]}}, "is not the address"),
    (3, spoiled(verdict="wrong"), "4: case.verdict: "),
    (3, spoiled(spec="no/such"), "case 3: specification 'no/such' is not in the header"),
    (3, spoiled(clauses=["toy/maxpool@2#No.F1"]), "case 3: clause 'toy/maxpool@2#No.F1' is not in the header"),
    (3, spoiled(call=None), "needs the call"),
    (3, lambda line: {name: value for name, value in line.items() if name != "call"}, "needs the call"),
    (3, spoiled(got={"Y": {"dtype": "f", "shape": [2, 2], "values": [[1], [1, 2]]}}), "4: case.got.Y: "),
    (3, spoiled(got={"Y": {"dtype": "f", "shape": [1], "values": [1], "offset": [5]}}), "4: case.got.Y: "),
    (3, spoiled(got={"Y": {"dtype": "f", "shape": [1], "values": [{}]}}), "neither a number nor text"),
    (3, spoiled(opset=10**30), "4: case.opset: "),
    (3, spoiled(id="plain"), "case 3: toy/maxpool@2 plain [Y] is already case 1"),
    (0, spoiled(boundaries={"a": {"covered": -1, "satisfiable": 2}}), "1: header.boundaries.a.covered: "),
    (0, spoiled(flags=["padded"]), "1: header.flags: "),
    (0, lambda head: json.loads(json.dumps(head).replace(SPEC, "toy/a#b")), "1: 'toy/a#b' is not the name of a spec"),
    (-1, spoiled(gone=7), "13: footer.gone: "),
], ids=lambda value: value if isinstance(value, str) else None)
def test_what_no_report_can_be_made_of_is_one_clear_line(
        place: int, change: Any, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file, where in it, and what is wrong; the same from every door."""
    old, _, _ = small.write_all(tmp_path)
    lines = [json.loads(line) for line in old.read_text(encoding="utf-8").splitlines()]
    lines[place] = change(lines[place])
    old.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    for door in (["html"], ["summary"], ["csv", "--out", str(tmp_path)], ["history"], ["explain", "a#b"], ["badge"]):
        assert main([*door, str(old)]) == 2
        complaint = capsys.readouterr()
        assert complaint.err.startswith(f"{old}:") and why in complaint.err and complaint.err.count("\n") == 1
        assert complaint.out == ""


def test_text_that_no_encoding_holds_is_written_escaped_and_not_read(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of a surrogate pair, which JSON can write and UTF-8 cannot: a line escapes it; a file that has it anyway is
    refused in one line by every command."""
    assert LINES.validate_python(small.line("plain", "conforms", title="\ud800")).title == "\\ud800"
    path = str(small.write(tmp_path / "half.jsonl", small.header("\ud800", "1"), small.OLD))
    for door in (["html"], ["csv", "--out", str(tmp_path)], ["summary"], ["history"], ["badge", "--out", str(tmp_path)],
                 ["compare", path], ["explain", f"{SPEC}#Y.F1"]):
        assert main([*door, path]) == 2
        assert capsys.readouterr().err == f"{path}:1: not JSON\n"


@pytest.mark.parametrize("depth", [900, 100_000])
def test_what_is_nested_too_deeply_is_one_clear_line(
        depth: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For JSON, or, a little less deep, for what is made of it."""
    path = small.write(tmp_path / "deep.jsonl", small.header("toy", "1"), [small.diverges("deep", 7.0)])
    path.write_text(path.read_text(encoding="utf-8").replace(
        '"pads": [1, 0, 0, 0]', f'"pads": {"[" * depth}{"]" * depth}'), encoding="utf-8")
    assert main(["html", str(path)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1 and "nested too deeply" in complaint


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And so is an empty one, and a folder that cannot be written."""
    (tmp_path / "empty.jsonl").touch()
    old, _, _ = small.write_all(tmp_path)
    for arguments in (["html", str(tmp_path / "none.jsonl")], ["html", str(tmp_path / "empty.jsonl")],
                      ["csv", str(old), "--out", str(old)]):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1
