"""A run that is spread over processes: the same record, whatever becomes of one of them, and nothing is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import plumbline.trial.run.prefetch as ahead
from plumbline.backends import Backend
from plumbline.trial import read_record
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import Trials

HEAD = """spec: onnx/maxpool
defaults: {dtype: float32, attributes: {kernel_shape: [1, 1]}}
cases:
"""

CASE = """- {{id: number-{0}, title: A number, clauses: [Y.F1], source: a test, versions: "12",
   inputs: {{X: [[[[{0}]]]]}}, expect: {{outputs: computed}}}}
"""

pytestmark = pytest.mark.skipif(not ahead.can_copy(1 << 20), reason="copies of a process are made on Linux alone")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Trials, list[CaseLine]]]:
    """A run of a fake with so many workers, on parts of four calls; what `between` does after the first result."""
    monkeypatch.setattr(ahead, "PART", 4)
    monkeypatch.setattr(ahead, "SHARE", 4)
    cases = tmp_path / "cases.yaml"
    cases.write_text(HEAD + "".join(map(CASE.format, range(40))), encoding="utf-8")

    def tried(backend: str, workers: int,
              between: Callable[[Trials], Any] = lambda _: None) -> tuple[Trials, list[CaseLine]]:
        trials = Trials(RunOptions(backend=[backend], spec=["onnx/maxpool@12"], cases=[cases], workers=workers,
                                   memory_limit=512, report_dir=tmp_path / str(workers)))
        items = list(trials.items())
        trials.start(items)
        for number, item in enumerate(items):
            trials.submit(item)
            if not number:
                between(trials)
        trials.close()
        assert trials.errors == []
        record = read_record(trials.records[0])
        assert record.whole and len(items) > 8 * ahead.PART
        return trials, [line.model_copy(update={"seconds": 0.0}) for line in record.cases]
    return tried


def _processes(trials: Trials) -> list[int]:
    session, = trials.sessions.values()
    workers = session._ahead._workers
    return [process.pid for process, _ in [*filter(None, workers.free), *workers.busy.values()]]


@pytest.mark.parametrize("backend", [
    "onnxruntime", "tests.suite.manners:Batching", "tests.suite.manners:CrashesInABatch"])
def test_the_record_does_not_depend_on_how_many_are_at_work(backend: str, run: Any) -> None:
    """What is put one by one, in batches, and what ends its process: line by line, but for the seconds."""
    alone, lines = run(backend, 1)
    spread, others = run(backend, 3)
    assert others == lines
    assert [line.id for line in lines if line.verdict == "crashes"] == ["number-1"] * 2 * ("InABatch" in backend)
    assert spread.sessions.popitem()[1].host.notes == alone.sessions.popitem()[1].host.notes


def test_a_worker_that_is_lost_costs_nothing(run: Any) -> None:
    """Somebody killed it: its part is put by the process that wanted it."""
    def kill(trials: Trials) -> None:
        for pid in _processes(trials):
            os.kill(pid, signal.SIGKILL)
    assert run("onnxruntime", 2, kill)[1] == run("onnxruntime", 1)[1]


def test_a_backend_that_does_not_start_again_is_tried_in_one_process(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start is that of the run, which goes on alone; there is an end to starting others."""
    starts = []

    def start(self: Backend, limit: int) -> Any:
        starts.append(limit)
        if os.getpid() != here:
            os._exit(1)
        return started(self, limit)
    here, started = os.getpid(), Backend.start
    monkeypatch.setattr(Backend, "start", start)
    trials, lines = run("onnxruntime", 2)
    assert len(lines) == 80 and len(starts) == 1
    session, = trials.sessions.values()
    assert ahead.LOSSES < session._ahead._losses <= ahead.LOSSES + 2


ENDLESS = """from pathlib import Path
from tests.suite.test_workers import _processes
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import Trials
trials = Trials(RunOptions(spec=["sonnx/relu", "sonnx/abs", "sonnx/sqrt", "sonnx/clip"], workers=2,
                           report_dir=Path({folder!r})))
items = list(trials.items())
trials.start(items)
trials.submit(items[0])
print(*_processes(trials), flush=True)
input()
"""


def test_nobody_outlives_a_run_that_is_killed(tmp_path: Path) -> None:
    """The run itself had no time to end them."""
    with subprocess.Popen([sys.executable, "-c", ENDLESS.format(folder=str(tmp_path))], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as run:
        pids = run.stdout.readline().split()
        run.kill()
    assert len(pids) == 2
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_nobody_outlives_the_run(run: Any) -> None:
    """The processes that worked ahead are gone with it."""
    seen: list[int] = []
    run("onnxruntime", 2, lambda trials: seen.extend(_processes(trials)))
    assert seen and not any(Path(f"/proc/{pid}").exists() for pid in seen)
