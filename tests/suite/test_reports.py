"""The page, the summary and the reproducers: pure functions of records, true to them, and safe with any text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.backends import find_backend, is_asked
from plumbline.backends.adapters.onnx_reference import OnnxReference
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.choosing import element_type
from plumbline.reports import summary_lines, write_html
from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import case_rows, columns
from plumbline.reports.findings import findings as findings_of
from plumbline.reports.text import folded, rerun_command
from plumbline.trial import Record, read_record
from plumbline.trial.record.recording import read_records
from tests.sampling import sampled
from tests.suite import fakes
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.conftest import trial_in
from tests.suite.pages import SCRIPTS, Page
from tests.suite.written import cases_of


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A fake with several faults, over all cases."""
    return trial_in(tmp_path_factory.mktemp("record"), fakes.FAKES["starts_at_lowest_finite"](),
                    cases_of("sonnx/maxpool"))


def test_the_page_stands_alone_and_its_links_lead_somewhere(record: Record, tmp_path: Path) -> None:
    """Well nested, nothing fetched, each id once, each inner link with its target."""
    page = Page(write_html([record], tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not page.open and page.tags.count("script") == SCRIPTS and not page.fetched
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#") and link[1] != "?"} <= set(page.ids)
    chosen = {link.removeprefix("#?clause=") for link in page.links if link.startswith("#?")}
    assert chosen and all(any(name.endswith(f"-{clause}") for name in page.ids) for clause in chosen)


def test_the_page_says_for_each_clause_what_the_backend_does(record: Record, tmp_path: Path) -> None:
    """Every clause of the specification has its place; the broken ones have the grids of what was wanted and given."""
    text = write_html([record], tmp_path / "page.html").read_text(encoding="utf-8")
    for clause in load_spec("sonnx/maxpool").clauses:
        assert f'id="{clause.replace("/", "-").replace("#", "-")}"' in text
    assert text.count("<figcaption>Y expected: float") == text.count("<figcaption>Y got: float") > 4
    assert "-inf" in text and "-3.4028235e+38" in text


def test_a_record_says_what_its_flags_mean(record: Record) -> None:
    """Each flag that a line has is defined in the header, so that a later suite can tell what it meant."""
    used = {flag for line in record.cases for flag in line.flags}
    assert used and used <= set(record.header.flags) and all(record.header.flags.values())


def test_text_from_cases_and_backends_is_shown_as_text(record: Record, tmp_path: Path) -> None:
    """Whatever holds HTML stays text: names, ids, titles, statements, messages, attributes, flags, values."""
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    lines = [json.loads(line) for line in record.path.read_text(encoding="utf-8").splitlines()]
    head = lines[0]
    head["selection"].pop("results")
    head["backend"] |= {"name": hostile, "version": hostile, "about": {hostile: hostile}, "reproduce": hostile}
    head |= {"command": hostile, "options": {hostile: hostile}, "platform": {hostile: hostile}}
    for clause in head["specifications"]["sonnx/maxpool"]["clauses"].values():
        clause["statement"] = hostile + " [x](javascript:alert(3)) ![y](http://example.org/y.png)"
        clause |= {"title": hostile, "source": f"javascript:alert(4) {hostile}"}
    for number, line in enumerate(lines[1:-1]):
        line |= {"title": hostile, "did": hostile, "source": hostile, "id": f"{number}{hostile}", "dtype": hostile,
                 "flags": [hostile], "provider": hostile, "undeclared": hostile,
                 "also": {hostile: {"verdict": hostile, "clauses": [hostile]}},
                 "known": {"id": hostile, "reason": hostile, "link": "javascript:alert(5)"}}
        line.get("call", {}).get("attributes", {}).update({hostile: hostile})
    path = tmp_path / "hostile.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    text = write_html(read_records([path]), tmp_path / "hostile.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.tags.count("script") == SCRIPTS and "img" not in page.tags and not page.fetched
    assert all(link.startswith(("#", "data:application/zip;base64,")) for link in page.links)
    assert "&lt;img src=x onerror=alert(2)&gt;" in text


@pytest.mark.parametrize("keep", [1, 5])
def test_a_truncated_record_gives_a_page_that_says_so(keep: int, record: Record, tmp_path: Path) -> None:
    """Header alone, or some cases without a footer."""
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(record.path.read_text(encoding="utf-8").splitlines(keepends=True)[:keep]), encoding="utf-8")
    cut = read_record(path)
    text = write_html([cut], tmp_path / "cut.html").read_text(encoding="utf-8")
    of = record.chosen
    assert f"incomplete: {keep - 1} of {of} results; not reached: sonnx/maxpool" in text
    assert ("the record contains no result" in text) == (keep == 1)
    assert f"INCOMPLETE: {keep - 1} of {of} results; not reached: " in summary_lines(cut)[0]


def test_the_door_writes_a_page_and_refuses_what_is_no_record(
        record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`plumbline report html`: one clear line for a file that is no record."""
    assert main(["html", str(record.path), "--output", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").exists()
    bad = tmp_path / "bad.jsonl"
    bad.write_text("nonsense\n{}\n", encoding="utf-8")
    assert main(["html", str(bad)]) == 2
    assert capsys.readouterr().err == f"{bad}:1: not JSON\n"


def test_the_command_that_runs_a_result_again_has_its_options(tmp_path: Path) -> None:
    """Those that were given and bear on it, quoted for a shell; none of the defaults."""
    head = small.header("toy", "1")
    head["backend"]["named"] = "exec:toy {model} {inputs} {outputs}"
    head["options"] = {"spec": "*", "seed": 0, "generated": 3, "time_limit": 20.0, "cases": ["a b.yaml"],
                       "known": ["k.yaml", "l.yaml"], "backend_name": "toy", "capabilities": "c.json", "python": None}
    record, = read_records([small.write(tmp_path / "record.jsonl", head, [small.line("one", "conforms")])])
    assert rerun_command(record, record.cases[0]) == (
        "plumbline conformance --backend 'exec:toy {model} {inputs} {outputs}' --spec toy/maxpool@2 --backend-name toy "
        "--capabilities c.json --cases 'a b.yaml' --generated 3 --known k.yaml --known l.yaml -k one")


def test_the_door_explains_a_clause(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    """`plumbline report explain`: the statement, its cases and what the backend did."""
    assert main(["explain", "sonnx/maxpool#Y.F1", str(record.path)]) == 0
    out = capsys.readouterr().out
    assert "is the maximum of the cells" in out and "all-minus-infinity-float64" in out and "diverges" in out
    assert main(["explain", "sonnx/maxpool#Y.F9", str(record.path)]) == 2


DRIVER = """import runpy, sys
for path in sys.argv[1:]:
    print("#", path)
    try:
        runpy.run_path(path)
    except SystemExit as end:
        print("status", int(end.code))
    except Exception as error:
        print("raised", type(error).__name__)
"""


NARROW = ("bfloat16", "float8", "float4", "int4", "uint4", "int2", "uint2")


@pytest.mark.parametrize(("start", "patterns"), [
    (find_backend("onnxruntime").start, ["sonnx/*", "onnx/*"]), (OnnxReference, ["sonnx/*"])],
    ids=["onnxruntime", "onnx-reference"])
def test_every_reproducer_of_a_page_shows_its_finding(
        start: Callable[[], Any], patterns: list[str], run_trial, tmp_path: Path) -> None:
    """Run as it stands, with onnx, numpy and the runtime alone, a script prints what the record says was given, or
    raises where the call was refused; in types that Python's interface of the runtime lacks it raises, too."""
    asked = dict.fromkeys(name.partition("@")[0] for name in spec_names() if is_asked(patterns, name))
    chosen = {"sonnx/maxpool", *sampled(list(asked), 48)}
    cases = cases_of(*(name for name in spec_names() if name.partition("@")[0] in chosen))
    drawn = {(case.spec, case.id) for case in cases if load_spec(case.spec).judged(case.call).definition.is_random}
    record = run_trial(start(), cases)
    shown = columns([record])
    findings, narrow = {}, set()
    for number, instance in enumerate(instance for finding in findings_of(shown, case_rows(shown), clauses_of(shown))
                                      for instance in finding.instances):
        (_, text), = instance.scripts
        path = tmp_path / f"{number}.py"
        path.write_text(text, encoding="utf-8")
        tensors = [*(instance.line.got or {}).values(), *instance.line.call.inputs.values()]
        findings[str(path)] = instance.line
        if any(tensor.dtype.startswith(NARROW) for tensor in tensors):
            narrow.add(str(path))
    assert findings, "it conforms everywhere: take another one"
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    deadly = {path for path, line in findings.items() if line.verdict in ("crashes", "hangs")}
    for path in deadly:  # each has a process of its own, and says so
        script = Path(path)
        script.write_text(script.read_text(encoding="utf-8").replace("timeout=60", "timeout=5"), encoding="utf-8")
        done = subprocess.run([sys.executable, "-I", path], capture_output=True, check=False)
        assert done.returncode == 1, findings[path].id
    alive = [path for path in findings if path not in deadly]
    done = subprocess.run([sys.executable, "-I", str(driver), *alive], capture_output=True, text=True, check=True)
    told = dict(part.split("\n", 1) for part in done.stdout.removeprefix("# ").split("\n# "))
    assert set(told) == set(alive)
    for path, line in ((path, findings[path]) for path in alive):
        if path in narrow:
            assert told[path].startswith("raised"), line.id
        elif line.verdict == "diverges":
            if (line.spec, line.id) not in drawn:  # each run draws its own
                assert_shows(told[path], line)
            assert "status 1" in told[path].splitlines(), line.id
        elif line.verdict == "unstable":  # what memory held may be right this time
            assert told[path], line.id
        else:
            assert line.verdict == "rejects-valid" and told[path].startswith("raised"), line.id


def assert_shows(told: str, line: dict[str, Any]) -> None:
    """The outputs that a script printed are those of the record."""
    printed = dict(text.split(" got ") for text in told.splitlines() if " got " in text)
    assert line.got
    for name, got in line.got.items():
        dtype = element_type(got.dtype)
        found = np.array(eval(printed[name], {"nan": np.nan, "inf": np.inf}), dtype)
        assert list(found.shape) == got.shape, line.id
        if dtype.hasobject:  # a record has strings as Python writes them
            found = np.vectorize(repr, [object])(found)
        if got.offset is None:
            np.testing.assert_array_equal(found, np.array(got.values, dtype), line.id)


@pytest.mark.parametrize("line", [
    "  1. known: diverges onnx/maxpool Y.C5, 68 results", "  1,174  conforms         every clause is kept", "",
    "     again: plumbline conformance --spec onnx/maxpool@22 -k example"])
def test_a_line_is_folded_at_any_width(line: str) -> None:
    """Every word stays; a command, and any line of a terminal that is hardly one, stays whole."""
    for width in range(100):
        parts = folded(line, width)
        assert " ".join(parts).split() == line.split()
        assert parts == [line] or "again" not in line and width >= 20 and all(len(part) < width for part in parts)


def test_columns_of_one_runtime_stand_under_its_name(tmp_path: Path) -> None:
    """Its providers, configurations and packages; nothing is said where no two stand beside another."""
    def page_of(*names: str) -> str:
        paths = [small.write(tmp_path / f"{number}.jsonl", small.header(name, "1"), [small.line("plain", "conforms")])
                 for number, name in enumerate(names)]
        return write_html(read_records(paths), tmp_path / "page.html").read_text(encoding="utf-8")

    text = page_of("onnxruntime-web", "onnx-reference", "onnxruntime@threads", "onnxruntime")
    assert ('<th scope="colgroup" colspan="1">onnx-reference</th>'
            '<th scope="colgroup" colspan="3">onnxruntime</th>') in text
    assert "colgroup" not in page_of("onnxruntime", "onnx-reference")
    assert "colgroup" not in page_of("onnxruntime", "onnxruntime-web")
