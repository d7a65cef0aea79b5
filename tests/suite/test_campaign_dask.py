"""A campaign on a Dask cluster of two processes of this machine: the record is the one that is written without it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import pytest

from plumbline.trial.campaign.campaign import Campaign
from plumbline.trial.campaign.cluster_engine import Cluster
from plumbline.trial.record.recording import read_records
from tests.suite.campaign_fakes import FOLDER
from tests.suite.campaigns import FAKES, WHOLE, killing, record_of, timeless
from tests.suite.commands import plumbline as trial


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the fake that is held up leaves word; the workers of the cluster know it."""
    with pytest.MonkeyPatch.context() as patch:
        found = tmp_path_factory.mktemp("held")
        patch.setenv(FOLDER, str(found))
        yield found


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[Any]:
    """Two processes, one thread each."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
                                  silence_logs=logging.CRITICAL) as found:
        yield found


@pytest.mark.gate(one_in=4)
def test_a_worker_that_is_killed_midway_costs_the_rerun_of_its_shards(cluster: Any, folder: Path, undisturbed: Path,
                                                                      tmp_path: Path) -> None:
    """Its shard was being worked on; the record is that of a campaign that nobody disturbed, to the byte.

    So is that of the command, which takes the address of a scheduler, afterwards."""
    held = replace(WHOLE, backend=f"{FAKES}:HeldUp")
    thread = killing(folder)
    assert record_of(tmp_path / "record", Cluster(cluster.scheduler_address, 0), 40, held) == timeless(undisturbed)
    thread.join()
    assert (folder / "killed").exists() and len(list(folder.glob("*.held"))) >= 2
    out = tmp_path / "by the command"  # status 1, since the fake has faults that nobody knows
    assert trial(["campaign", "--spec", WHOLE.spec, "--backend", WHOLE.backend, "--seed", "3", "--range", "5..155",
                  "--host", "in-process", "--shard", "60", "--engine", "dask", "--scheduler",
                  cluster.scheduler_address, "--out", str(out)]) == 1
    assert timeless(out) == timeless(undisturbed)


@pytest.mark.gate(one_in=12)
def test_a_call_that_ends_its_worker_is_found(tmp_path: Path) -> None:
    """On a cluster that is started for the campaign."""
    deadly = replace(WHOLE, backend=f"{FAKES}:Deadly", seed=1, start=217, stop=220)
    Campaign(deadly, tmp_path / "record").run(Cluster(None, 2), size=1000)
    record, = read_records([tmp_path / "record"])
    assert {line.id: line.verdict == "crashes" for line in record.cases} == \
        {"block-1-217": False, "block-1-218": True, "block-1-219": False}


@pytest.mark.parametrize(("address", "says"), [
    ("nonsense://x", "--scheduler nonsense://x: "), ("tcp://127.0.0.1:9", "--scheduler tcp://127.0.0.1:9: ")])
def test_a_cluster_that_is_not_there_is_one_line(address: str, says: str, tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2."""
    monkeypatch.setattr("plumbline.trial.campaign.cluster_engine.PATIENCE", 0.5)
    assert trial(["campaign", "--spec", WHOLE.spec, "--backend", WHOLE.backend, "--calls", "1", "--engine", "dask",
                  "--scheduler", address, "--out", str(tmp_path / "record")]) == 2
    told = capsys.readouterr().err
    assert told.startswith(says) and told.count("\n") == 1


def test_a_cluster_without_its_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert trial(["campaign", "--spec", WHOLE.spec, "--backend", WHOLE.backend, "--calls", "1", "--engine", "dask",
                  "--out", str(tmp_path / "record")]) == 2
    assert capsys.readouterr().err == ("--engine dask needs a package that is not installed: .venv/bin/python -m uv "
                                       "pip install -r pyproject.toml --extra dask\n")
