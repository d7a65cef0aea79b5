"""`plumbline campaign` from the outside: status, what it says, interruption, and what is made of its record."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from plumbline.cases.generate.blocks import block_cases
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.reports.clauses import clause_rows
from plumbline.trial.campaign import tally
from plumbline.trial.campaign.checkpoint import Checkpoint, CheckpointError
from plumbline.trial.campaign.progress import Progress
from plumbline.trial.campaign.tally import Cause, Tally
from plumbline.trial.record.recording import read_records
from plumbline.trial.run.paths import lock
from tests.suite.campaign_fakes import FOLDER
from tests.suite.campaigns import FAKES, WHOLE, Here, first_held, record_of, timeless
from tests.suite.commands import plumbline as trial
from tests.suite.commands import report as reports

ROOT = SPEC_FOLDER.parent
OPTIONS = ["--spec", WHOLE.spec, "--backend", f"{FAKES}:Faulty", "--seed", str(WHOLE.seed), "--host", "in-process"]
RANGE = ["--range", f"{WHOLE.start}..{WHOLE.stop}"]


@pytest.mark.gate(one_in=8)
def test_known_divergences_are_applied_and_fail_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0; the ids say seed and number."""
    out = tmp_path / "record.jsonl"
    status = trial(["campaign", "--spec", "onnx/maxpool@10", "--backend", "onnxruntime", "--calls", "48",
                    "--out", str(out)])
    printed = capsys.readouterr().out
    assert status == 0 and f"record  {out}\n" in printed and "new" not in printed
    assert re.search(r"^ +[0-9]+  diverges ", printed, re.MULTILINE)
    record, = read_records([out])
    assert record.footer.known and record.counts.total() == 48
    assert record.footer.shapes == 6 and re.search(r"^ +6  distinct shapes of the inputs$", printed, re.MULTILINE)
    assert {line.id for line in record.cases} <= {f"block-0-{number}" for number in range(48)}


def test_a_campaign_that_judges_nothing_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every call is declared unsupported: that is no success."""
    assert trial(["campaign", "--spec", "sonnx/maxpool", "--backend", "tests.suite.manners:DeclaresNothing",
                  "--calls", "5", "--host", "in-process", "--out", str(tmp_path / "record.jsonl")]) == 2
    assert "nothing was judged: every call was declared unsupported" in capsys.readouterr().out


@pytest.mark.gate(one_in=8)
def test_what_is_new_is_named_and_fails_the_campaign(undisturbed: Path, tmp_path: Path,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    """Status 1, the causes with their first call; the record is the one that anybody else writes."""
    out = tmp_path / "record.jsonl"
    assert trial(["campaign", *OPTIONS, *RANGE, "--shard", "80", "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert re.search(r"^new: rejects-valid, [0-9]+ calls; the first is number ([0-9]+), block-3-\1$", printed.out,
                     re.MULTILINE)
    assert re.search(r"^new: diverges sonnx/maxpool#\S+.*, [0-9]+ calls; the first", printed.out, re.MULTILINE)
    assert printed.err == ""
    assert timeless(out) == timeless(undisturbed)


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize(("how", "says"), [
    (signal.SIGINT, r"interrupted, ([0-9]+) calls are done; --resume continues\n"), (signal.SIGKILL, "")])
def test_an_interrupted_campaign_keeps_what_is_done_and_goes_on(how: signal.Signals, says: str, undisturbed: Path,
                                                                tmp_path: Path) -> None:
    """Its record is that of one which nobody interrupted. Until it is complete, no record is there."""
    out = tmp_path / "record.jsonl"
    command = [sys.executable, "-m", "plumbline", "campaign", *OPTIONS, *RANGE, "--shard", "5", "--out", str(out)]
    command[command.index(f"{FAKES}:Faulty")] = f"{FAKES}:HeldUp"
    environment = {**os.environ, FOLDER: str(tmp_path)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    first_held(tmp_path)
    end = time.monotonic() + 60
    while not _checkpoint(out)[1].exists() and time.monotonic() < end:  # a worker is held up before what it did is kept
        time.sleep(0.02)
    process.send_signal(how)
    _, told = process.communicate(timeout=60)
    assert process.returncode == (2 if how is signal.SIGINT else -how)
    assert re.fullmatch(says, told), told
    assert not out.exists() and 0 < Checkpoint.read(*_checkpoint(out)).tally.calls < WHOLE.calls
    (tmp_path / "go").touch()
    resumed = subprocess.run([*command, "--resume"], cwd=ROOT, env=environment, capture_output=True, text=True,
                             check=False)
    assert resumed.returncode == 1, resumed.stderr
    assert timeless(out) == timeless(undisturbed) and not list(tmp_path.glob("*.progress"))


def _checkpoint(out: Path) -> tuple[object, Path]:
    whole = type(WHOLE)(**{**asdict(WHOLE), "backend": f"{FAKES}:HeldUp"})
    return whole, out.with_name(f"{out.name}.progress")


def test_an_interrupted_campaign_is_not_begun_anew_by_mistake(tmp_path: Path,
                                                              capsys: pytest.CaptureFixture[str]) -> None:
    """What is done is left alone until --resume takes it, or somebody deletes it."""
    Checkpoint(WHOLE, tmp_path / "record.progress").add(WHOLE, Tally())
    assert trial(["campaign", *OPTIONS, *RANGE, "--out", str(tmp_path / "record")]) == 2
    told = capsys.readouterr().err
    assert "interrupted campaign: continue it with --resume, or delete it" in told and told.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["record.progress"]


def test_a_campaign_replaces_no_record_and_shares_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that is there, or that another campaign is about to write, is refused in one line."""
    (tmp_path / "old").write_text("a record", encoding="utf-8")
    for name, says in (("old", "exists; delete it, or choose another --output"),
                       ("new", "is being written by another")):
        with lock(tmp_path / "new"):
            assert trial(["campaign", *OPTIONS, *RANGE, "--out", str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert says in told and told.count("\n") == 1
    assert (tmp_path / "old").read_text(encoding="utf-8") == "a record" and not (tmp_path / "new").exists()


@pytest.mark.parametrize(("content", "says"), [
    ("", "cannot be read"), ("[]", "cannot be read"), ('{"format": 1}', "cannot be read"),
    ("OTHER", "is of a campaign with another seed, stop; delete it to start again")])
def test_what_cannot_be_resumed_is_one_line(content: str, says: str, tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    """A broken file, or one of other options; status 2, and the file is left alone."""
    part = tmp_path / "record.progress"
    part.write_text(content, encoding="utf-8")
    if content == "OTHER":
        Checkpoint(WHOLE, part).add(WHOLE, Tally())
    before = part.read_bytes()
    assert trial(["campaign", *OPTIONS, "--range", "5..156", "--seed", "4", "--resume", "--out",
                  str(tmp_path / "record")]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1 and part.read_bytes() == before
    with pytest.raises(CheckpointError, match=says):
        Checkpoint.read(type(WHOLE)(**{**asdict(WHOLE), "seed": 4, "stop": 156}), part)


@pytest.mark.parametrize(("options", "says"), [
    ([*OPTIONS], "give exactly one"),
    ([*OPTIONS, "--calls", "1", *RANGE], "give exactly one"),
    ([*OPTIONS, "--calls", "many"], "'--calls': 'many' is not a valid integer"),
    ([*OPTIONS, "--calls", "0"], "0..0 has no calls"),
    ([*OPTIONS, "--range", "9..5"], "9..5 has no calls"),
    ([*OPTIONS, "--range", "9-12"], "--range '9-12' is not of the form 0..1000000"),
    ([*OPTIONS, "--calls", "1", "--seed", "-1"], "--seed is zero or more"),
    ([*OPTIONS, "--calls", "1", "--time-limit", "0"], "--time-limit and --memory-limit above zero"),
    ([*OPTIONS, "--calls", "1", "--time-limit", "nan"], "nan is not a number of seconds"),
    ([*OPTIONS, "--calls", "1", "--form", "Z"], "sonnx/maxpool has no form 'Z'; it has Y, Y+Indices"),
    ([*OPTIONS, "--calls", "1", "--workers", "0"], "--workers and --shard are one or more"),
    ([*OPTIONS, "--calls", "1", "--shard", "0"], "--workers and --shard are one or more"),
    ([*OPTIONS, "--calls", "1", "--engine", "oxen"], "'--engine': 'oxen' is not one of"),
    ([*OPTIONS, "--calls", "1", "--scheduler", "tcp://a:1"], "give --engine dask with it"),
    ([*OPTIONS, "--calls", "1", "--scheduler", "tcp://a:1", "--engine", "dask", "--workers", "2"], "has its own"),
    ([*OPTIONS, "--calls", "1", "--resume"], "so nothing can be resumed"),
    ([*OPTIONS, "--calls", "1", "--python", "/no/python"], "there is no such interpreter"),
    (["--spec", "sonnx/minpool", "--backend", "onnxruntime", "--calls", "1"], "no specification"),
    (["--spec", "sonnx/maxpool", "--backend", "nobody", "--calls", "1"], "no backend is called 'nobody'"),
    (["--spec", "sonnx/maxpool", "--backend", "tests.suite.manners:SpeaksOfAnother", "--calls", "1"],
     "can be asked about other/*, not about sonnx/maxpool"),
    (["--spec", "sonnx/maxpool", "--backend", f"{FAKES}:RefusesToLoad", "--calls", "1"], "libmissing.so was not found"),
    (["--spec", "sonnx/maxpool", "--backend", "exec:true {model} {inputs} {outputs}", "--host", "in-process",
      "--calls", "1"], "cannot run in the process of the suite"),
], ids=lambda value: " ".join(value[-2:]) if isinstance(value, list) else "")
def test_bad_options_are_one_clear_line(options: list[str], says: str, tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and nothing is written."""
    status = trial(["campaign", *options, "--out", str(tmp_path / "record")])
    told = capsys.readouterr()
    assert status == 2 and says in told.err and told.err.count("\n") == 1 and told.out == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("door", ["summary", "html", "csv", "history", "badge", "explain"])
def test_every_door_of_reports_takes_the_record(door: str, undisturbed: Path, tmp_path: Path,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    """And those that a person reads say that it is a campaign, of how many calls, with how many lines."""
    more = {"html": ["--output", str(tmp_path / "page.html")], "csv": ["--out", str(tmp_path)],
            "badge": ["--out", str(tmp_path)]}.get(door, [])
    assert reports([door, *(["sonnx/maxpool#Y.C1"] if door == "explain" else []), str(undisturbed), *more]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8") if door == "html" else capsys.readouterr().out
    if door in ("summary", "html", "explain"):
        lines = len(read_records([undisturbed])[0].cases)
        assert (f"a campaign of 150 generated calls, numbers 5 to 154 of seed 3; {lines} lines are kept, the first 8 "
                "of each cause") in " ".join(text.split())
        shapes = len({case.call.inputs["X"].shape for case in
                      block_cases(WHOLE.spec, seed=WHOLE.seed, numbers=range(WHOLE.start, WHOLE.stop))})
        assert f"the inputs of all calls have {shapes} distinct shapes" in " ".join(text.split()) and shapes > 10


def test_campaigns_are_not_compared_line_by_line(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What one record holds and the other does not says nothing."""
    assert reports(["compare", str(undisturbed), str(undisturbed)]) == 2
    assert "is of a campaign, and contains few of its results" in capsys.readouterr().err


@pytest.mark.gate(one_in=8)
def test_reports_count_all_calls_as_if_each_had_its_line(undisturbed: Path, tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    """Clauses kept and broken, and verdicts: from the footer of a campaign, and from the lines where all are kept."""
    monkeypatch.setattr(tally, "LINES", 1000)
    monkeypatch.setattr(tally, "CONFORMING", 1000)
    record_of(tmp_path / "whole.jsonl", Here(), 1000)
    whole, = read_records([tmp_path / "whole.jsonl"])
    few, = read_records([undisturbed])
    assert len(few.cases) < len(whole.cases) == WHOLE.calls
    lines = replace(whole, header=whole.header.model_copy(update={"campaign": None}))
    assert few.counts == lines.counts
    counts, others = ({row.address: {name: number for name, number in row.counts.items() if name != "refused"}
                       for row in clause_rows(record, WHOLE.spec)} for record in (few, lines))
    assert counts == others
    assert any(row.get("diverges", 0) > 8 for row in counts.values())


def test_a_line_of_a_campaign_becomes_a_case(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And is made smaller, with the backend started again."""
    record, = read_records([undisturbed])
    found = next(line.id for line in record.cases if line.verdict == "diverges")
    assert trial(["promote", str(undisturbed), found]) == 0
    assert f"- id: found-{found}\n" in capsys.readouterr().out
    assert trial(["promote", str(undisturbed), found, "--minimise", "--backend", WHOLE.backend]) == 0
    assert "The smallest call found on which faulty 1 fails" in capsys.readouterr().out


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        """It is not."""
        return True


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls, rate, findings, time left; nothing for a campaign that is done before a line is due."""
    done = Tally()
    done.count(Cause("crashes", (), ""), (), 0.1)
    terminal, file, soon = Terminal(), io.StringIO(), io.StringIO()
    for stream in (terminal, file):
        monkeypatch.setattr("plumbline.trial.campaign.progress.EVERY", 0.0)
        with Progress(8, 0, stream) as progress:
            progress(done)
    monkeypatch.undo()
    with Progress(8, 0, soon) as progress:
        progress(done)
    assert re.search(r" 1\.00/8\.00 \[[0-9:]+<[0-9:]+, .*call.*, findings: 1 new, 0 known\]", terminal.getvalue())
    assert re.fullmatch(r"1 of 8 calls, [0-9]+ calls/s, findings: 1 new, 0 known, [0-9:]+ left\n", file.getvalue())
    assert soon.getvalue() == ""


@pytest.mark.parametrize(("part", "change", "says"), [
    (0, {"campaign": {"form": "Y"}}, "1: header.campaign.seed: Field required"),
    (0, {"campaign": None}, "footer: calls are counted in campaigns"),
    (-1, {"causes": [{"verdict": "maybe"}]}, "footer.causes.0.verdict: Input should be"),
    (-1, {"counts": {"conforms": -1}}, "footer.counts.conforms: Input should be greater"),
    (-1, {"clauses": {"sonnx/maxpool#Y.C1": {}}}, ": footer.clauses.sonnx/maxpool#Y.C1.conforms: Field required"),
])
def test_a_record_with_a_broken_part_is_one_line(part: int, change: dict[str, object], says: str, undisturbed: Path,
                                                 tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2: the part, and what is wrong with it."""
    lines = undisturbed.read_text(encoding="utf-8").splitlines()
    lines[part] = json.dumps({**json.loads(lines[part]), **change})
    (tmp_path / "record").write_text("\n".join(lines), encoding="utf-8")
    assert reports(["summary", str(tmp_path / "record")]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1


def test_a_record_without_its_footer_is_truncated(undisturbed: Path, tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    """What is said is said of its lines."""
    lines = undisturbed.read_text(encoding="utf-8").splitlines()[:-1]
    (tmp_path / "record").write_text("\n".join(lines), encoding="utf-8")
    assert reports(["summary", str(tmp_path / "record")]) == 0
    told = capsys.readouterr().out
    assert "a campaign of 150 generated calls" in told and f"INCOMPLETE: {len(lines) - 1} of 150 results" in told
