"""What the tests of the suite share."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from plumbline.backends import InProcess
from plumbline.backends.hosts import Host
from plumbline.cases import Case
from plumbline.cases.format.disk_cache import VARIABLE as CACHE
from plumbline.oracle import load_spec
from plumbline.reports import write_html
from plumbline.reports.columns import Column, columns
from plumbline.trial import KnownDivergences, Record, RecordWriter, Session, read_record
from plumbline.trial.record.header import Backend
from plumbline.trial.record.recording import read_records
from plumbline.trial.run.header_builder import header
from tests.suite import small_records as small
from tests.suite.artefacts import artefact
from tests.suite.campaigns import Here, record_of
from tests.suite.written import cases_of

OURS = "PLUMBLINE_CACHE_OF_TESTS"
"""The environment variable that tells a worker that the cache it is given is that of the tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Tests send Ctrl-C to runs, which ignore it if this process does, as it does in the background of a shell. The
    cache is not the user's, since tests exchange code, which its keys do not see; workers share that of the tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get(OURS) != os.environ.get(CACHE, ""):
        os.environ[CACHE] = os.environ[OURS] = folder = tempfile.mkdtemp(prefix="plumbline-cache-")
        config.add_cleanup(partial(shutil.rmtree, folder, ignore_errors=True))


@pytest.fixture(scope="session")
def sonnx_cases() -> list[Case]:
    """Those of SONNX MaxPool."""
    return list(cases_of("sonnx/maxpool"))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a campaign in one shard, in this process."""
    return artefact(tmp_path_factory, "undisturbed",
                    lambda folder: record_of(folder / "record.jsonl", Here(), 1000)) / "record.jsonl"


Trial = Callable[..., Record]


def trial_in(folder: Path, who: Any, cases: Iterable[Case], known: KnownDivergences | None = None,
             **options: Any) -> Record:
    """Put cases to an adapter (in this process) or a host, and give the record."""
    host: Host = who if hasattr(who, "identity") else InProcess(who)
    chosen = list(cases)
    specs = [load_spec(name) for name in dict.fromkeys(case.spec for case in chosen)]
    path = folder / f"{host.identity.name}.jsonl"
    backend = Backend.of(host.identity, tried=True, named="fake")
    writer = RecordWriter(path, header(backend, specs, chosen, "pytest", {}))
    session = Session(host, known or KnownDivergences(), writer, **options)
    session.run(chosen)
    session.close()
    return read_record(path)


@pytest.fixture
def run_trial(tmp_path: Path) -> Trial:
    """`trial_in` the folder of the test."""
    return partial(trial_in, tmp_path)


@pytest.fixture
def shown(tmp_path: Path) -> list[Column]:
    """toy 1.9, toy 1.10 and other 3, as columns."""
    return columns(read_records(small.write_all(tmp_path)))


@pytest.fixture
def text(shown: list[Column], tmp_path: Path) -> str:
    """Their page."""
    return write_html([column.record for column in shown], tmp_path / "page.html").read_text(encoding="utf-8")
