"""An accusation rests on more than one answer, and an answer that does not last accuses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from plumbline.backends import Answered, Host, InProcess, Worker
from plumbline.backends.outcomes import difference
from plumbline.cases import Case, Expectation
from plumbline.oracle import Call
from plumbline.reports.text import rerun_command
from plumbline.trial import Record
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.recording import read_records
from plumbline.trial.run import confirmation as confirm
from plumbline.trial.run import submission
from plumbline.trial.run.submission import SHARE
from tests.suite import fakes, unsteady
from tests.suite.leaving import FILE
from tests.suite.test_supervision import wait_for

FAKES = "tests.suite.unsteady"


def numbered(count: int, size: int = 2) -> list[Case]:
    """Cases whose X is full of 1, 2, 3 and so on: two calls each."""
    attributes = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [1, 1],
                  "pads": [0, 0, 0, 0], "storage_order": 0, "strides": [1, 1]}
    shape = (1, 1, size, size)
    return [Case(f"number-{number}", "A number", "sonnx/maxpool", 22,
                 Call("MaxPool", attributes, {"X": np.full(shape, number, np.float32)}),
                 Expectation(outputs={"Y": np.full(shape, number, np.float32)}), (), "test")
            for number in range(1, count + 1)]


def accused(record: Record) -> dict[str, str]:
    """What accuses, by case and form."""
    return {f"{line.id} [{line.form}]": f"{line.verdict}: {line.did}" for line in record.cases
            if line.verdict not in ("conforms", "unsupported", "observed")}


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("fake", "says"), [
    ("wrong_the_second_time", "put after other calls Y[0, 0, 0, 0] was "),
    ("wrong_the_first_time", "put again Y[0, 0, 0, 0] was "),
    ("wrong_after_itself", "Y[0, 0, 0, 0] was "),
    ("refuses_the_second_time", "RuntimeError: no more; then: answered Y"),
    ("overwrites_its_input", "the input X was overwritten"),
    ("overwrites_its_input_and_refuses", "the input X was overwritten"),
    ("overwrites_what_it_gave", "the output Y of the call before was overwritten"),
])
def test_a_state_that_shows_is_unstable(fake: str, says: str, run_trial) -> None:
    """Of forty calls some are accused of just this, with both answers; an honest backend is accused of none."""
    record = run_trial(Worker(f"{FAKES}:{fake}"), numbered(20))
    assert {text.partition(":")[0] for text in accused(record).values()} == {"unstable"}
    assert any(says in text for text in accused(record).values())


@pytest.mark.parametrize("fake", [name for name in unsteady.UNSTEADY if name != "wears_out"])
def test_a_state_is_one_cause_and_shows_again_with_the_call_before_it(fake: str, run_trial) -> None:
    """The command of the cause, in a new process: it runs the call before first, for alone it is answered rightly. What
    wears out after four calls is not shown by two."""
    def start() -> Host:
        return InProcess(unsteady.UNSTEADY[fake](), start)
    cases = numbered(9)
    record = run_trial(start(), cases)
    cause, = groups(record)
    assert cause.verdict == "unstable"
    command = rerun_command(record, cause.lines[0])
    wanted = re.findall(r"number-\d+", command)
    again = run_trial(start(), [case for case in cases if any(name in case.id for name in wanted)])
    assert accused(again), command


def test_what_no_fresh_process_was_asked_about_is_of_the_same_cause(run_trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where answers change and the time for fresh processes is over; its command runs the call before it as well."""
    monkeypatch.setattr(submission, "FRESH", 0.0)
    cases = numbered(9)
    record = run_trial(Worker(f"{FAKES}:zero_from_the_second_call_on"), cases)
    assert {line.verdict for line in record.cases if line.accuses} == {"unstable", "diverges"}
    cause, = groups(record)
    assert cause.verdict == "unstable"
    command = rerun_command(record, next(line for line in cause.lines if line.verdict == "diverges"))
    wanted = re.findall(r"number-\d+", command)
    again = run_trial(Worker(f"{FAKES}:zero_from_the_second_call_on"),
                      [case for case in cases if any(name in case.id for name in wanted)])
    assert accused(again), command


@pytest.mark.gate(one_in=6)
@pytest.mark.parametrize("fault", unsteady.OF_THE_SHELF)
def test_the_printed_command_of_a_state_shows_it_again(fault: str, tmp_path: Path) -> None:
    """Typed as it is printed: faults of memory of the shelf, on an operator of its own inputs."""
    command = [sys.executable, "-m", "plumbline", "conformance", "--backend", f"{FAKES}:{fault}", "--spec",
               "onnx/clip@13", "-k", "stratum-int8 or stratum-float32-large"]
    place = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}, "text": True,
             "capture_output": True, "check": False}
    summary = subprocess.run(command, **place).stdout
    again, = re.findall("again: (.*)", summary)  # one cause
    shown = subprocess.run(again, shell=True, **place).stdout
    assert re.search(r"^ *1\. new: (unstable|diverges) onnx/clip", shown, re.MULTILINE), shown


def test_another_process_is_asked_before_anybody_is_accused(run_trial) -> None:
    """What comes of a process that has worn out is not what comes of one that has not."""
    record = run_trial(Worker(f"{FAKES}:wears_out"), numbered(4), share=0)
    assert list(accused(record).items())[0] == (
        "number-3 [Y]", "unstable: put to another process Y[0, 0, 0, 0] was 7.0 and then 3.0")


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("fake", [name for name in unsteady.UNSTEADY if name not in (
    "wears_out", "gives_what_it_gave", "zero_from_the_second_call_on")])
def test_in_the_process_of_the_suite_it_is_seen_too(fake: str, run_trial) -> None:
    """In one process; faults that only another process shows are left out."""
    record = run_trial(unsteady.UNSTEADY[fake](), numbered(20))
    assert {text.partition(":")[0] for text in accused(record).values()} == {"unstable"}


def test_both_answers_are_in_the_record(run_trial) -> None:
    """What came the first time, what came the second, and what was expected; the record can be read."""
    record = run_trial(unsteady.wrong_the_first_time(), numbered(2))
    read_records([record.path])
    line = record.cases[0]
    assert line.got["Y"].values != line.again["Y"].values == line.expected["Y"].values


def test_an_honest_backend_is_asked_the_same_each_time(run_trial) -> None:
    """No more calls than the share, none of them random, and nobody accused."""
    class Listening(unsteady.Adapter):
        """Keeps what it hears."""

        name = "listening"

        def __init__(self) -> None:
            self.heard: list[bytes] = []

        def run(self, request):
            """The truth."""
            self.heard.append(unsteady.key(request))
            return unsteady.pool(request)

    first, second = Listening(), Listening()
    cases = numbered(160, 1)
    assert not accused(run_trial(first, cases)) and not accused(run_trial(second, cases))
    assert first.heard == second.heard
    assert 320 < len(first.heard) <= 320 + 2 * 320 // SHARE


def test_the_call_that_did_the_damage_is_found(run_trial) -> None:
    """By halves, among the calls before: the one that dies is innocent, alone it is answered."""
    record = run_trial(Worker(f"{FAKES}:CorruptedByOneCall"), numbered(8), share=0)
    assert accused(record) == {"number-4 [Y]": (
        "crashes: SIGSEGV; alone in a fresh process it is answered: it takes 2 calls (sonnx/maxpool number-3 [Y], "
        "sonnx/maxpool number-3 [Y+Indices]) before it")}


def test_what_is_not_searched_for_is_no_crash_of_the_call(run_trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many searches the calls before it are left alone; alone it is answered, which is said."""
    monkeypatch.setattr(confirm, "SEARCHES", 0)
    record = run_trial(Worker(f"{FAKES}:CorruptedByOneCall"), numbered(8), share=0)
    assert accused(record) == {"number-4 [Y]": (
        "unstable: crashed: SIGSEGV; alone in a fresh process it is answered; after 0 searches the 6 calls before it "
        "were not searched")}


@pytest.mark.gate(one_in=12)
def test_what_never_ends_is_searched_for_as_well(run_trial) -> None:
    """With its time limit."""
    record = run_trial(Worker(f"{FAKES}:StuckAfterOneCall"), numbered(5), time_limit=0.5, share=0)
    text = accused(record)["number-4 [Y]"]
    assert text.startswith("hangs: no answer within 0.5 s; alone in a fresh process it is answered: it takes 2 calls")


@pytest.mark.gate(one_in=12)
def test_a_call_that_takes_longer_than_its_time_is_slow_and_does_not_hang(run_trial) -> None:
    """On a busy machine every call may be; put again with more time, each is answered, and that counts."""
    record = run_trial(Worker(f"{FAKES}:Slow"), numbered(2), time_limit=0.4, share=0)
    assert not accused(record) and len(record.footer.notes) == 4
    assert all("no answer within 0.4 s; put again" in note for note in record.footer.notes)


def test_a_slow_call_that_lacks_time_when_it_is_put_again_is_what_it_was(run_trial) -> None:
    """A wrong answer stays one, and the note says that no other came in time."""
    cases = numbered(1)
    record = run_trial(Worker(f"{FAKES}:SlowerAgain"), cases, time_limit=0.5, share=0)
    assert {text.partition(":")[0] for text in accused(record).values()} <= {"diverges", "hangs"}
    assert accused(record)["number-1 [Y]"].startswith("diverges: ")
    assert any(re.match(r"sonnx/maxpool number-1 \[Y\]: answered after 0\.\d s; put again, no answer within", note)
               for note in record.footer.notes)


def test_an_end_that_cannot_be_brought_about_again_is_unstable(run_trial, tmp_path: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not called a crash of that call."""
    monkeypatch.setenv(FILE, str(tmp_path / "once"))
    record = run_trial(Worker(f"{FAKES}:DiesOnce"), numbered(2))
    assert list(accused(record).values()) == ["unstable: crashed: SIGSEGV; put again, alone in a fresh process and "
                                              "after the same 0 calls, it is answered"]


def test_a_process_that_is_killed_from_outside_accuses_nobody(run_trial, tmp_path: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noted."""
    monkeypatch.setenv(FILE, str(tmp_path / "once"))
    record = run_trial(Worker(f"{FAKES}:KilledOnce"), numbered(2))
    assert not accused(record)
    assert "SIGKILL" in record.footer.notes[0] and "not held against" in record.footer.notes[0]


def test_a_worker_that_is_stopped_for_a_while_does_not_hang(run_trial, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit passes while it is stopped from outside; put again, the call is answered, and that counts."""
    told = tmp_path / "told"
    monkeypatch.setenv(FILE, str(told))
    thread = threading.Thread(target=lambda: os.kill(int(wait_for(told)), signal.SIGSTOP))
    thread.start()
    record = run_trial(Worker(f"{FAKES}:WaitsOnThirdCall"), numbered(4), time_limit=1)
    thread.join()
    assert not accused(record)
    assert "no answer within 1 s" in record.footer.notes[0] and "not held against" in record.footer.notes[0]


def test_an_answer_that_the_text_leaves_open_may_vary(sonnx_cases: list[Case], run_trial) -> None:
    """Outside the domain nobody is accused of it; it is said."""
    case = next(case for case in sonnx_cases if case.expectation.outside)
    record = run_trial(InProcess(unsteady.wrong_the_second_time()), [case], share=1)
    assert {line.verdict for line in record.cases} <= {"outside-profile", "accepts-invalid"}
    assert all(line.did.endswith(", as the text allows") for line in record.cases)


class DrawsAnew(fakes.Adapter):
    """Drops other elements in each run; what it keeps is scaled by `factor`."""

    name, factor = "draws-anew", 2.0

    def __init__(self) -> None:
        self.rng = np.random.default_rng(20261127)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Return output alone."""
        data = request.inputs["data"]
        kept = self.rng.integers(0, 2, data.shape).astype(data.dtype)
        return {"output": data * kept * data.dtype.type(self.factor)}


@pytest.mark.parametrize(("factor", "verdict"), [(2.0, "conforms"), (3.0, "diverges")])
def test_elements_that_are_dropped_at_random_are_not_unstable(
        run_trial, monkeypatch: pytest.MonkeyPatch, factor: float, verdict: str) -> None:
    """Of answers that are drawn anew each is judged alone: a wrong factor is one, a right one is none."""
    monkeypatch.setattr(DrawsAnew, "factor", factor)
    data = np.arange(1, 21, dtype=np.float32)
    case = Case("drawn", "Elements are drawn", "onnx/dropout@13", 13,
                Call("Dropout", {}, {"data": data, "ratio": np.float32(0.5)[...], "training_mode": np.array(True)},
                     ("output",)), Expectation(outputs={"output": 2 * data}), (), "test")
    lines = run_trial(InProcess(DrawsAnew()), [case], share=1).cases
    alone = next(line for line in lines if line.form == "output")
    assert (alone.verdict, alone.clauses) == (verdict, ["onnx/dropout@13#output.F3"] * (verdict == "diverges"))
    assert {line.verdict for line in lines} == {verdict, "diverges"}, "mask is missing in the other form"


def test_a_nan_is_as_good_as_another_and_a_zero_is_not() -> None:
    """Of every type, those that numpy does not have included."""
    for dtype in (np.float32, ml_dtypes.bfloat16):
        one = Answered({"Y": np.array([np.nan, -0.0], dtype)})
        assert difference(one, Answered({"Y": one.outputs["Y"].copy()})) is None
        assert difference(one, Answered({"Y": np.array([np.nan, 0.0], dtype)})) == "Y[1] was -0.0 and then 0.0"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_complex_number_is_compared_part_by_part(dtype: type) -> None:
    """A NaN in either part equals itself, and the other part is compared all the same."""
    one = Answered({"Y": np.array([complex(np.nan, 1), complex(2, np.nan), complex(0.0, -0.0)], dtype)})
    assert difference(one, Answered({"Y": one.outputs["Y"].copy()})) is None
    other = np.array([complex(np.nan, 1), complex(3, np.nan), complex(0.0, -0.0)], dtype)
    assert difference(one, Answered({"Y": other})).startswith("Y[1] was (2+nanj) and then (3+nanj)")
    assert difference(one, Answered({"Y": np.array([*one.outputs["Y"][:2], complex(0.0, 0.0)], dtype)})) is not None
