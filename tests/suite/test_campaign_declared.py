"""The calls of a campaign are drawn among those that the backend declares."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.cases.generate.blocks import block_case
from plumbline.oracle import load_spec
from plumbline.trial.campaign.campaign import Campaign, CampaignError
from plumbline.trial.campaign.checkpoint import Checkpoint
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.record.recording import Record, read_records
from plumbline.trial.run.host_cache import close_cached, described
from plumbline.trial.tools.promotion import case_of, chosen_line
from tests.suite.campaigns import FAKES, Here, record_of, timeless
from tests.suite.commands import plumbline as trial

DECLARED = Job("onnx/maxpool@12", f"{FAKES}:OnlyInt8", "Y+Indices", 1, 0, 96, host="in-process")


def read(path: Path) -> Record:
    """The record of a campaign."""
    record, = read_records([path])
    return record


@pytest.mark.parametrize("contexts", [(), ("threads",)])
def test_only_declared_calls_are_drawn(contexts: tuple[str, ...], tmp_path: Path) -> None:
    """Nothing is unsupported, all calls are counted, and a line of the record says what was left out."""
    whole = replace(DECLARED, contexts=contexts, stop=24 if contexts else 96)
    Campaign(whole, tmp_path / "record").run(Here(), size=20)
    record = read(tmp_path / "record")
    assert record.counts.total() == whole.calls and "unsupported" not in record.counts
    assert {line.call.inputs["X"].dtype for line in record.cases if line.call} == {"int8"}
    note, = record.footer.notes
    assert note.startswith("left out, since the backend does not declare them: types ") and "float32" in note


def test_the_calls_do_not_depend_on_shards(tmp_path: Path) -> None:
    """Each number has one call; its id draws it again without the backend."""
    assert record_of(tmp_path / "many", Here(), 25, DECLARED) == record_of(tmp_path / "one", Here(), 200, DECLARED)
    record = read(tmp_path / "many")
    for line in (line for line in record.cases if line.call):
        _, seed, number = line.id.split("-")
        again = block_case(line.spec, seed=int(seed), number=int(number))
        assert case_of(record, chosen_line(record, line.id)).call.inputs["X"].tolist() == \
            again.call.inputs["X"].tolist()
        assert again.title == line.title and again.source == line.source
    assert any(int(line.id.split("-")[2]) >= 10 ** 16 for line in record.cases)


def test_a_version_that_is_not_declared_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No draw helps there; the command says so, and does not speak of types left out."""
    out = tmp_path / "record"
    assert trial(["campaign", "--spec", DECLARED.spec, "--backend", f"{FAKES}:OnlyOldVersions", "--calls", "16",
                  "--host", "in-process", "--output", str(out)]) == 2
    printed = capsys.readouterr().out
    assert "nothing was judged: every call was declared unsupported" in printed
    assert "left out" not in printed


def test_the_command_says_what_is_left_out_and_which_case_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]
                                                                 ) -> None:
    """One line for the types, and for each cause the id that `promote` takes."""
    out = tmp_path / "record"
    assert trial(["campaign", "--spec", DECLARED.spec, "--backend", DECLARED.backend, "--calls", "48", "--host",
                  "in-process", "--output", str(out)]) == 1
    lines = capsys.readouterr().out.splitlines()
    said, = (line for line in lines if line.startswith("left out"))
    assert said.startswith("left out, since the backend does not declare them: types ")
    first = next(line for line in lines if line.startswith("new: ")).rpartition(", ")[2]
    assert trial(["promote", str(out), first]) == 0


def test_a_campaign_begun_with_other_draws_is_not_continued(tmp_path: Path) -> None:
    """Its finished calls may be undeclared ones; that is one line. The current kind is continued."""
    shard = replace(DECLARED, stop=32)
    path = tmp_path / "record"
    campaign = Campaign(DECLARED, path)
    checkpoint = Checkpoint(DECLARED, tmp_path / "record.progress")
    checkpoint.add(shard, run_shard(shard))
    close_cached()
    campaign._claim.close()
    Campaign(DECLARED, path, resume=True).run(Here())
    assert timeless(path) == record_of(tmp_path / "whole", Here(), 200, DECLARED)
    path.unlink()
    checkpoint.add(replace(shard, start=32, stop=40), run_shard(replace(shard, start=32, stop=40)))
    close_cached()
    data = json.loads(checkpoint.path.read_text(encoding="utf-8"))
    data["tally"]["answered_by"] = {described(campaign.identity, load_spec(DECLARED.spec)): 40}
    del data["tally"]["left_out"]
    checkpoint.path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CampaignError, match=r"begun by a version that drew calls which the backend does not declare; "
                                            r"delete the \.progress file"):
        Campaign(DECLARED, path, resume=True)


def test_a_campaign_of_a_backend_without_declaration_is_continued(tmp_path: Path) -> None:
    """Its calls are the same as before."""
    whole = replace(DECLARED, backend=f"{FAKES}:Faulty")
    checkpoint = Checkpoint(whole, tmp_path / "record.progress")
    checkpoint.add(replace(whole, stop=32), run_shard(replace(whole, stop=32)))
    close_cached()
    data = json.loads(checkpoint.path.read_text(encoding="utf-8"))
    del data["tally"]["left_out"]
    checkpoint.path.write_text(json.dumps(data), encoding="utf-8")
    Campaign(whole, tmp_path / "record", resume=True).run(Here())
    assert timeless(tmp_path / "record") == record_of(tmp_path / "whole", Here(), 200, whole)
