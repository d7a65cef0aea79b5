"""The record: one typed definition, whole or saying that it is not, written where nobody sees half of it, and safe with
any text."""

from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from plumbline.cases import Case
from plumbline.oracle.safe_text import LONGEST, safe
from plumbline.reports import summary_lines, write_html
from plumbline.reports.clauses import matrix
from plumbline.reports.columns import columns
from plumbline.reports.reproduce import script
from plumbline.reports.tables import endpoint, tables
from plumbline.trial.record.json_schema import schema_text
from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.record.lines import LINES, CaseLine
from plumbline.trial.record.recording import Record, RecordError, RecordWriter, as_line, read_record
from plumbline.trial.record.tensors import to_array, to_tensor
from plumbline.trial.run.header_builder import header
from plumbline.trial.tools.promotion import case_of
from tests.suite import fakes
from tests.suite import small_records as small
from tests.suite.commands import plumbline as trial
from tests.suite.commands import report as main
from tests.suite.small_records import SPEC

Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def of(*lines: small.Json, folder: Path, head: small.Json | None = None) -> Record:
    """A record with some lines."""
    return read_record(small.write(folder / "toy.jsonl", head or small.header("toy", "1"), lines))


def test_the_schema_takes_every_line(tmp_path: Path) -> None:
    """The lines of records keep to it, and a wrong verdict does not."""
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    for path in small.write_all(tmp_path):
        record = read_record(path)
        for line in (record.header, *record.cases, record.footer):
            validator.validate(json.loads(as_line(line)))
    assert not validator.is_valid(small.line("plain", "conforms") | {"verdict": "right"})


def test_a_line_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Nothing is lost or added by reading and writing."""
    for path in small.write_all(tmp_path):
        record = read_record(path)
        assert [LINES.validate_json(as_line(line)) for line in record.cases] == record.cases
        assert LINES.validate_json(as_line(record.header)) == record.header


def test_an_output_without_elements_is_kept_whatever_its_other_sizes_are() -> None:
    """A backend may leave them unwritten, so that they are beyond all memory."""
    kept = to_tensor(np.empty((0, 2**30, 2**30), np.float32)), to_tensor(np.empty((2**30, 2**30, 0), np.float32))
    assert [(tensor.shape, tensor.values) for tensor in kept] == [([0, 2**30, 2**30], []), ([2**30, 2**30, 0], [])]
    assert to_array(kept[1]).shape == (2**30, 2**30, 0)


def test_a_record_of_format_1_is_read(tmp_path: Path) -> None:
    """Cells that are read are those of the first input; how many results there were to be is all that it says."""
    head = small.header("toy", "1", format=1, selection={"tried": 3, "of": 3, "results": None})
    record = of(small.diverges("seven", 7.0), head=head, folder=tmp_path)
    assert list(record.cases[0].divergences[0].reads) == ["X"]
    assert record.incomplete == "1 of 3 results" and not record.whole
    with pytest.raises(RecordError, match=r":1: of a format that this suite does not read"):
        of(head=small.header("toy", "1", format=99), folder=tmp_path)


@pytest.mark.parametrize(("change", "says"), [
    (lambda lines: lines[:-1], "10 of 11 results, but the record has no footer"),
    (lambda lines: lines[:5], "4 of 11 results; not reached: "),
    (lambda lines: lines[:4] + lines[6:], "9 of 11 results; not reached: "),
    (lambda lines: lines[:3] + [lines[3] | {"verdict": "conforms"}] + lines[4:], "lines were changed"),
], ids=["no footer", "interrupted", "lines deleted", "a verdict changed"])
def test_a_record_that_is_not_whole_says_so_everywhere(change: Change, says: str, tmp_path: Path,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    """Page, summary, badge, tables, history: in the same words, with what was not reached."""
    path, _, _ = small.write_all(tmp_path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(map(json.dumps, change(lines))) + "\n", encoding="utf-8")
    says = says.replace("10 of 11", "11 of 11")
    record = read_record(path)
    assert not record.whole and says in record.incomplete
    page = write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")
    row = next(csv.DictReader(io.StringIO(tables([record])["clauses"])))
    assert says in page and says in summary_lines(record)[0] and says in row["incomplete"]
    assert "incomplete" in endpoint(record)["message"] and endpoint(record)["color"] != "brightgreen"
    assert main(["history", str(path)]) == 0 and says in capsys.readouterr().out


def test_what_was_not_reached_is_named(tmp_path: Path) -> None:
    """By specification, case and form."""
    chosen = {SPEC: {"Y": ["plain", "other"]}}
    head = small.header("toy", "1", selection={"tried": 2, "of": 2, "results": chosen})
    record = of(small.line("plain", "conforms"), head=head, folder=tmp_path)
    assert record.incomplete == f"1 of 2 results; not reached: {SPEC} other [Y]"
    with pytest.raises(RecordError, match="case 1: .* third .* was not selected"):
        of(small.line("third", "conforms"), head=head, folder=tmp_path)


@pytest.mark.parametrize(("lines", "status"), [
    ([small.line("plain", "conforms")], "conforms"),
    ([small.line("plain", "rejects-valid", phase="run")], "refused"),
    ([small.line("plain", "crashes")], "refused"),
    ([small.line("plain", "unsupported", phase="load")], "not tried"),
    ([small.line("plain", "conforms"), small.line("other", "rejects-valid", phase="run")], "conforms"),
    ([small.line("plain", "conforms"), small.diverges("other", 7.0)], "diverges"),
])
def test_kept_broken_refused_and_not_tried_are_four_things(
        lines: list[small.Json], status: str, tmp_path: Path) -> None:
    """A clause is kept only where something judged it, in the matrix, the page and the tables."""
    record = of(*lines, folder=tmp_path)
    row = next(row for row in matrix(columns([record]))[SPEC] if row.address == f"{SPEC}#Y.F1")
    assert row.statuses == (status,)
    listed = {row["clause"]: row["status"] for row in csv.DictReader(io.StringIO(tables([record])["clauses"]))}
    assert listed[f"{SPEC}#Y.F1"] == status and listed[f"{SPEC}#Y.F3"] == "not tried"
    page = write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")
    word = {"conforms": "kept", "diverges": "broken"}.get(status, status)
    assert re.search(rf"\d+ {word}</span>", page)


def test_every_accusing_verdict_is_shown(tmp_path: Path) -> None:
    """Whatever the closed set holds: the summary counts it, and the page has a root cause for it."""
    for verdict in ACCUSES:
        record = of(small.line("plain", verdict) if verdict != "diverges" else small.diverges("plain", 7.0),
                    folder=tmp_path)
        ended = " (1 crash or hang)" if verdict in ("crashes", "hangs") else ""
        assert summary_lines(record)[0].startswith(
            f"1 new; 1 of 1 results diverges or is refused{ended}, none known: 1 root cause")
        assert f"✗ {verdict}" in write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")


def line() -> CaseLine:
    """One result."""
    return LINES.validate_python(small.line("plain", "conforms"))


def opened(path: Path) -> RecordWriter:
    """A record that is being written, of one result."""
    head = small.header("toy", "1", selection={"tried": 1, "of": 1, "results": {SPEC: {"Y": ["plain"]}}})
    return RecordWriter(path, LINES.validate_python(head))


def test_a_record_takes_its_place_when_the_run_ends(tmp_path: Path) -> None:
    """Until then the record of the run before stays, and what is finished can be read beside it."""
    path = tmp_path / "toy.jsonl"
    path.write_text("the run before", encoding="utf-8")
    writer = opened(path)
    writer.case(line())
    assert path.read_text(encoding="utf-8") == "the run before"
    assert len(read_record(writer.part).cases) == 1 and not read_record(writer.part).whole
    writer.close()
    assert read_record(path).whole and list(tmp_path.iterdir()) == [path]


def test_two_runs_never_write_the_same_file(tmp_path: Path) -> None:
    """The second is refused in one line, and harms nothing; what a killed run left behind hinders nobody."""
    first = opened(tmp_path / "toy.jsonl")
    first.case(line())
    with pytest.raises(RecordError, match=r"toy.jsonl.part: another run is writing it"):
        opened(tmp_path / "toy.jsonl")
    first.close()
    assert read_record(first.path).whole
    (tmp_path / "toy.jsonl.part").write_text("left by a run that was killed", encoding="utf-8")
    again = opened(tmp_path / "toy.jsonl")
    again.case(line())
    again.close()
    assert read_record(again.path).whole


def test_a_full_disk_is_one_line_that_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For a record, and for a page."""
    (tmp_path / "toy.jsonl.part").symlink_to("/dev/full")
    with pytest.raises(RecordError, match=r"toy.jsonl.part: No space left on device"):
        opened(tmp_path / "toy.jsonl")
    old, _, _ = small.write_all(tmp_path)
    (tmp_path / "page.html").symlink_to("/dev/full")
    assert main(["html", str(old), "--output", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/page.html: No space left on device\n"
    assert [path.name for path in tmp_path.glob("*page*")] == ["page.html"]


def test_a_record_that_somebody_else_writes_is_found_out(tmp_path: Path) -> None:
    """A worker that is judged may be able to write there."""
    writer = opened(tmp_path / "toy.jsonl")
    writer.case(line())
    writer.part.write_text(writer.part.read_text(encoding="utf-8").replace("Case plain", "Case fine"), encoding="utf-8")
    with pytest.raises(RecordError, match="was changed by somebody else"):
        writer.close()


def test_a_page_never_replaces_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An output that is an input is refused."""
    old, _, _ = map(str, small.write_all(tmp_path))
    assert main(["html", old, "--output", old]) == 2
    assert capsys.readouterr().err == f"{old} is one of the input records; name another --output\n"


def test_hostile_text_is_escaped_where_it_enters(tmp_path: Path) -> None:
    """Escape codes and controls reach no terminal, long messages no page; and both say what became of them."""
    hostile = "\x1b[31mred\x07\u202egnp.exe\nplumbline: all is well"
    entry = small.line("bad\x1b[2J", "rejects-valid", phase="run", did=hostile + "x" * 10**6, title=hostile)
    record = of(entry, head=small.header(hostile, hostile), folder=tmp_path)
    shown = "\n".join([record.who, *summary_lines(record, verbose=True)])
    page = write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (shown, page, *tables([record]).values()):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert r"\x1b[31mred\x07\u202egnp.exe plumbline: all is well" in page and len(page) < 200_000
    assert "more characters]" in page and len(record.cases[0].did) < LONGEST + 40
    assert safe(safe("y" * 9999)) == safe("y" * 9999)


def test_a_page_allows_its_own_script_and_style_alone(tmp_path: Path) -> None:
    """The policy holds the hashes of both, and nothing else may run or be fetched."""
    text = write_html([of(small.line("plain", "conforms"), folder=tmp_path)], tmp_path / "page.html").read_text("utf-8")
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        own = re.search(f"<{tag}>(.*?)</{tag}>", text, re.S)[1]
        assert f"{directive} 'sha256-{b64encode(sha256(own.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert " style=" not in text and not re.search(r"<[^>]* on[a-z]+=", text)


def test_a_record_never_starts_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever its header names: to minimise a call, the backend is named on the command line."""
    touched = tmp_path / "touched"
    head = small.header("toy", "1")
    head["backend"]["named"] = f"exec:touch {touched} {{model}} {{inputs}} {{outputs}}"
    record = of(small.diverges("seven", 7.0), head=head, folder=tmp_path)
    record.path.write_text(record.path.read_text("utf-8").replace(SPEC, "sonnx/maxpool"), encoding="utf-8")
    assert trial(["promote", str(record.path), "seven", "--minimise"]) == 2
    assert "--backend" in capsys.readouterr().err and not touched.exists()


def test_several_inputs_are_reproduced_with_those_left_out(tmp_path: Path) -> None:
    """Each input with its own type, an optional one left out as "", a scalar, an empty one; the script is Python."""
    inputs = {"A": small.tensor([[1.0, "-inf"]]), "C": small.tensor(3, "int8"), "D": small.tensor([], "int64")}
    entry = small.line("mixed", "rejects-valid", phase="run",
                       call={"operator": "Toy", "attributes": {"alpha": "inf"}, "inputs": inputs})
    head = small.header("toy", "1")
    head["specifications"][SPEC] = head["specifications"][SPEC] | {"inputs": ["A", "B", "C", "D"]}
    head["backend"]["reproduce"] = "got = [inputs['A'], node.input, inputs['C'].dtype, node.attribute[0].f]"
    text = script(of(entry, head=head, folder=tmp_path), of(entry, head=head, folder=tmp_path).cases[0])
    found: dict[str, Any] = {}
    exec(compile(text.replace("for name, found in", "for name, _ in").replace("found.tolist()", "_"), "script", "exec"),
         found)
    array, names, dtype, alpha = found["got"]
    assert array.tolist() == [[1.0, float("-inf")]] and list(names) == ["A", "", "C", "D"]
    assert str(dtype) == "int8" and alpha == float("inf") and found["inputs"]["D"].shape == (0,)


def test_the_header_lists_what_was_chosen(sonnx_cases: list[Case], run_trial, tmp_path: Path) -> None:
    """Every case in every form; a session that ends early leaves a record that names the rest."""
    record = run_trial(fakes.FAKES["honest"](), sonnx_cases[:3])
    assert record.whole and record.chosen == 6 and record.header.selection.results == {
        "sonnx/maxpool": {form: [case.id for case in sonnx_cases[:3]] for form in ("Y", "Y+Indices")}}
    part = header(record.header.backend.model_dump(), [], sonnx_cases[:3], "pytest", {}, [(sonnx_cases[0], "Y")])
    assert (part.selection.tried, part.selection.of) == (1, 6)
    diverging = run_trial(fakes.FAKES["starts_at_lowest_finite"](), sonnx_cases)
    line = next(line for line in diverging.cases if line.verdict == "diverges")
    assert case_of(diverging, line).call.inputs["X"].tolist() is not None and set(line.divergences[0].reads) == {"X"}
