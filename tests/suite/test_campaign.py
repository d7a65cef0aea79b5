"""A campaign is the same whoever works on it, and whatever happens to them."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.backends import BackendError
from plumbline.cases.generate.blocks import block_cases
from plumbline.trial.campaign.campaign import Campaign, CampaignError
from plumbline.trial.campaign.engine import EngineError
from plumbline.trial.campaign.local_engine import Local
from plumbline.trial.record.recording import read_records
from plumbline.trial.run.host_cache import close_cached
from tests.suite.campaign_fakes import FOLDER, peak
from tests.suite.campaigns import FAKES, WHOLE, Here, killing, record_of, timeless


def test_the_record_is_the_same_in_any_number_of_shards(undisturbed: Path, tmp_path: Path) -> None:
    """Six shards, the last one first, against one."""
    assert record_of(tmp_path / "6", Here(), 25) == timeless(undisturbed)
    assert not list(tmp_path.glob("*.progress"))
    text = timeless(undisturbed)
    assert text.count(b'"record": "case"') < WHOLE.calls  # of some causes not every line is kept
    assert all(f'"verdict": "{verdict}"'.encode() in text for verdict in ("conforms", "diverges", "rejects-valid"))


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("workers", [1, 2])
def test_the_record_is_the_same_for_any_number_of_workers(workers: int, undisturbed: Path, tmp_path: Path) -> None:
    """Processes of their own, which take shards as they come."""
    assert record_of(tmp_path / "record", Local(workers), 40) == timeless(undisturbed)


@pytest.mark.gate(one_in=8)
def test_a_worker_that_is_killed_costs_the_rerun_of_its_shard(undisturbed: Path, tmp_path: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two, while it works on a shard: the record does not tell."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    held = replace(WHOLE, backend=f"{FAKES}:HeldUp")
    thread = killing(tmp_path)
    assert record_of(tmp_path / "record", Local(2), 40, held) == timeless(undisturbed)
    thread.join()
    assert (tmp_path / "killed").exists() and len(list(tmp_path.glob("*.held"))) >= 2


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("fake", ["Deadly", "DeafToAlarms"])
def test_calls_that_end_or_hold_up_their_worker_are_found(fake: str, tmp_path: Path) -> None:
    """They are judged `crashes` and `hangs`, all others as if nothing had been; as in a process of its own."""
    deadly = replace(WHOLE, backend=f"{FAKES}:{fake}", seed=5, start=155, stop=167, time_limit=1.0)
    wanted = {f"block-5-{number}": peak(case.call.inputs["X"]) for number, case in
              zip(range(155, 167), block_cases(WHOLE.spec, seed=5, numbers=range(155, 167)), strict=True)}
    Campaign(deadly, tmp_path / "deadly").run(Local(2), size=6)
    record, = read_records([tmp_path / "deadly"])
    found = {line.id: line.verdict for line in record.cases}
    assert {name for name, verdict in found.items() if verdict == "crashes"} == \
        {name for name, place in wanted.items() if place == 0} != set()
    assert {name for name, verdict in found.items() if verdict == "hangs"} == \
        {name for name, place in wanted.items() if place == -1} != set()
    assert record.counts.total() == 12 and {"conforms", "diverges"} <= set(found.values())


def test_a_backend_that_does_not_load_is_one_error() -> None:
    """It comes from the worker to who runs the campaign."""
    alone = replace(WHOLE, backend=f"{FAKES}:RefusesToLoad")
    with pytest.raises(BackendError, match=r"libmissing\.so was not found"):
        list(Local(1).run([alone]))


def test_a_shard_that_ends_every_process_ends_the_campaign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Since no call of the backend can be what does it."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    process = replace(WHOLE, backend=f"{FAKES}:HeldUp", host="process")
    stop = threading.Event()

    def kill_parents() -> None:
        while not stop.wait(0.02):
            for path in tmp_path.glob("*.held"):
                parent = int(Path(f"/proc/{path.stem}/stat").read_text(encoding="ascii").split()[3])
                path.unlink()
                os.kill(parent, signal.SIGKILL)

    thread = threading.Thread(target=kill_parents)
    thread.start()
    with pytest.raises(EngineError, match="calls 5 to 154 ended the worker each time"):
        list(Local(1).run([process]))
    stop.set()
    thread.join()


def test_shards_of_another_version_are_not_added_up(tmp_path: Path) -> None:
    """A machine of a cluster may have another one; that is told, and no record is written."""
    mixed = replace(WHOLE, backend=f"{FAKES}:AnotherVersion")
    with pytest.raises(CampaignError, match=r"some calls were answered by faulty [0-9]+, judged by plumbline .*, but "
                                            r"the campaign is about faulty [0-9]+, judged by"):
        Campaign(mixed, tmp_path / "record").run(Here())
    close_cached()
    assert not list(tmp_path.iterdir())
