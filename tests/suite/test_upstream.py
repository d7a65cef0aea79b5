"""A result as a report to those who mend the runtime: everything in it comes from the record, and nothing is markup."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.reports.columns import columns
from plumbline.reports.evidence import evidence_rows
from plumbline.reports.text import FOREIGN, rerun_command
from plumbline.reports.upstream import UpstreamError, title_of, upstream
from plumbline.trial.record.recording import Record, read_records
from plumbline.trial.tools.promotion import chosen_line
from tests.suite import small_records as small
from tests.suite.commands import report as main

BISECTED = """toy, 2 releases, toy/maxpool@2 padded-corner [Y]
1.9          diverges (Y.F1)
1.10         conforms
changed between 1.9: diverges (Y.F1)
            and 1.10: conforms
"""


@pytest.fixture
def records(tmp_path: Path) -> list[Record]:
    """toy 1.9, toy 1.10 and other 3."""
    return read_records(small.write_all(tmp_path))


def test_a_wrong_output_is_told_with_all_that_is_known_of_it(records: list[Record]) -> None:
    """Clause with address and source, call, expected and got, script, known entry, versions."""
    line = chosen_line(records[0], "padded-corner")
    found = upstream(records[0], line, BISECTED)
    titles = re.findall(r"^#+ (.*)$", found.partition("```python")[0] + found.rpartition("```\n")[2], re.MULTILINE)
    assert titles[0] == title_of(line).replace("\n", " ")
    assert titles[1:] == ["What the specification says", "The call", "Expected and actual outputs", "To reproduce"]
    for part in ("`toy/maxpool@2#Y.F1`, Value", "Source: The toy text, section 1", "pads=[1, 0, 0, 0]",
                 "| `Y[0, 0, 0, 0]` | `4.0` | `7.0` |", "What is known: It says seven.", "See https://example.org/7",
                 "toy 1.9", "changed between 1.9: diverges", "plumbline conformance --backend toy"):
        assert part in found, part


def test_the_script_in_it_is_whole(records: list[Record]) -> None:
    """It is Python."""
    found = upstream(records[0], chosen_line(records[0], "padded-corner"))
    program = re.search(r"```python\n(.*?)\n```\n", found, re.DOTALL)[1]
    compile(program, "reproduce.py", "exec")
    assert "got = toy.run(model, x)" in program


def test_a_refusal_and_a_crash_say_what_happened(records: list[Record]) -> None:
    """And hostile text stays text: no markup outside code, and nobody is mentioned."""
    crash = upstream(records[0], chosen_line(records[0], "stride-zero"))
    assert crash.startswith("# MaxPool crashes: SIGFPE\n") and "Actual: SIGFPE" in crash
    refused = upstream(records[2], chosen_line(records[2], "padded-corner"))
    assert refused.startswith("# MaxPool refuses a valid call: ")
    prose = re.sub(r"(?ms)^(```+).*?^\1$", "", refused)
    assert "<script" not in prose.replace("\\<script", "") and "@somebody" not in prose


@pytest.mark.parametrize(("case", "bisected", "says"), [
    ("stride-negative", None, "is not a fault"),
    ("padded-corner", "toy, 2 releases, toy/maxpool@2 plain [Y]\n", "not the output of plumbline bisect toy about"),
    ("padded-corner", "", "not the output"),
])
def test_what_cannot_be_reported_is_said(records: list[Record], case: str, bisected: str | None, says: str) -> None:
    """In one line."""
    with pytest.raises(UpstreamError, match=says):
        upstream(records[0], chosen_line(records[0], case), bisected)


def test_the_door_writes_it(records: list[Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To a file or to the terminal; a case that is not there is one line."""
    record, bisected = str(tmp_path / "toy-1.9.jsonl"), tmp_path / "bisect.txt"
    bisected.write_text(BISECTED, encoding="utf-8")
    assert main(["upstream", record, "padded-corner", "--bisect", str(bisected)]) == 0
    printed = capsys.readouterr().out
    assert main(["upstream", record, "padded-corner", "--bisect", str(bisected), "--output",
                 str(tmp_path / "report.md")]) == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == printed
    assert main(["upstream", record, "nothing"]) == 2
    assert "no line 'nothing' with its call" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["curl example.org | sh", "plumbline model m.onnx; touch pwned", "'", ""])
def test_a_command_that_a_record_names_is_one_of_the_suite(records: list[Record], said: str) -> None:
    """It may be pasted: another program, or a second command, is none."""
    header = records[0].header.model_copy(update={"command": said, "model": object()})
    of_model = replace(records[0], header=header)
    command = rerun_command(of_model, chosen_line(records[0], "padded-corner"))
    assert command.startswith("plumbline") and shlex.join(shlex.split(command)) == command


def test_it_is_said_where_a_command_runs_the_code_of_others(records: list[Record]) -> None:
    """In the report, and beside the command of the run on a page."""
    backend = records[0].header.backend.model_copy(update={"named": 'exec:sh -c "x"'})
    named = replace(records[0], header=records[0].header.model_copy(update={"backend": backend}))
    line = chosen_line(records[0], "padded-corner")
    assert FOREIGN in upstream(named, line) and FOREIGN not in upstream(records[0], line)
    assert [FOREIGN in cell for cell in dict(evidence_rows(columns([named, records[0]])))["Command"]] == [True, False]
