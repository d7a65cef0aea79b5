"""Commands that read records: `latest`, and globs that give several."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plumbline.backends.identity import Identity
from plumbline.cases import load_cases
from plumbline.data import data_folder
from plumbline.trial.run.paths import record_name
from tests.suite import small_records as small
from tests.suite.commands import plumbline

CASES = data_folder("cases")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an older record that diverges, a newer one that does not, and one of a run that stopped."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "reports" / "out"
    out.mkdir(parents=True)
    for age, (name, lines) in enumerate([("stopped.unfinished", []), ("new", [small.line("plain", "conforms")]),
                                         ("old", [small.diverges("plain", 7.0)])]):
        path = small.write(out / f"{name}.jsonl", small.header("toy", name.partition(".")[0]), lines)
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return out


def test_latest_is_the_newest_finished_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the report folder; the path is named on stderr."""
    assert plumbline(["report", "summary", "latest"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("toy new\n") and said.err == "latest: reports/out/new.jsonl\n"
    Path("pyproject.toml").write_text('[tool.plumbline]\nreport-dir = "elsewhere"\n', encoding="utf-8")
    assert plumbline(["report", "summary", "latest"]) == 2
    assert "no record below" in capsys.readouterr().err


def test_a_file_of_that_name_is_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As any path."""
    Path("latest").write_bytes((folder / "old.jsonl").read_bytes())
    assert plumbline(["report", "summary", "latest"]) == 0
    assert capsys.readouterr().out.startswith("toy old\n")


def test_of_several_records_the_newest_that_has_the_result_is_read(folder: Path,
                                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """A glob gives several."""
    command = ["report", "upstream"]
    records = sorted(map(str, folder.glob("[no]*.jsonl")))
    assert len(records) == 2
    assert plumbline([*command, *records, "plain"]) == 0
    assert "plain" in capsys.readouterr().out
    assert plumbline([*command, records[0], "plain"]) == 2
    assert plumbline([*command, *records, "nothing"]) == 2
    assert "new.jsonl: no line 'nothing'" in capsys.readouterr().err


def test_a_command_that_reads_one_record_takes_the_newest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says which."""
    records = sorted(map(str, folder.glob("[no]*.jsonl")))
    assert plumbline(["report", "sarif", *records]) == 0
    assert capsys.readouterr().err == f"of 2 records the newest is read: {records[0]}\n"
    assert plumbline(["report", "files", *records, "plain", "out"]) == 0
    assert "model.onnx" in capsys.readouterr().out


def test_a_selection_says_what_was_selected() -> None:
    """The specification, or how many; a single case by name; the digest tells selections apart."""
    cases = load_cases([CASES / family / "relu" for family in ("sonnx", "onnx")])
    identity = Identity(name="toy", version="1", specifications=())

    def named(*chosen: str) -> str:
        return record_name(identity, [(case, "Y") for case in cases if case.spec in chosen]).rpartition("-")[0]

    assert named("sonnx/relu") == "toy-1-sonnx-relu"
    assert named("onnx/relu@14") == "toy-1-onnx-relu-14"
    assert named("onnx/relu@14", "onnx/relu@13") == "toy-1-onnx-relu"
    assert named("onnx/relu@14", "sonnx/relu") == "toy-1-onnx-relu-and-1-more"
    assert record_name(identity, [(cases[0], "Y")]).startswith(
        f"toy-1-{cases[0].spec.replace('/', '-').replace('@', '-')}-{cases[0].id}-")
    assert record_name(identity, [(cases[0], "Y")]) != record_name(identity, [(cases[0], "Y+Z")])
