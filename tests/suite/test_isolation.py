"""What one call does costs one call: each fake of bad conduct gets its verdict, and the rest is tried as if nothing
had been."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from plumbline.backends import (
    Answered,
    BackendError,
    Hung,
    Request,
    StartError,
    Worker,
    conversation,
    find_backend,
    process,
)
from plumbline.cases import Case, Expectation
from plumbline.oracle import Call
from plumbline.reports import summary_lines
from plumbline.trial import KnownDivergences, Record
from plumbline.trial.known.register import KnownEntry
from tests.suite import manners

Trial = Callable[..., Record]

UNREADABLE = "the answer cannot be read: "
UNSENDABLE = "the adapter gave what cannot be sent: "

LIES = [
    ("conduct:CrashesOnThirdCall", "crashes", "SIGSEGV; stderr ends: about to fall over"),
    ("conduct:AbortsOnThirdCall", "crashes", "SIGABRT"),
    ("conduct:KilledOnThirdCall", "crashes", "SIGKILL"),
    ("conduct:InterruptsItself", "crashes", "SIGINT"),
    ("conduct:HangsOnThirdCall", "hangs", "no answer within 1 s"),
    ("conduct:LoadsForEver", "hangs", "no answer within 1 s"),
    ("conduct:LeavesOnThirdCall", "crashes", "exit status 0"),
    ("conduct:ExitsOnThirdCall", "crashes", "exit status 0"),
    ("conduct:FillsTheMemory", "crashes", "--memory-limit allows 512"),
    ("conduct:FillsTheAddresses", "crashes", "out of memory"),
    ("conduct:FillsTheMemoryInC", "crashes", "out of memory (SIGABRT)"),
    ("conduct:CallsItselfForEver", "unstable", "refused (run): RecursionError: "),
    ("conduct:PrintsAnAnswer", "conforms", "gave Y float64"),
    ("conduct:AnswersAnotherCall", "harness-error", f"{UNREADABLE}ValueError: it answers another request"),
    ("conduct:AnswersTooOften", "harness-error", f"{UNREADABLE}ValueError: 2 answers to 1 calls"),
    ("conduct:WritesHalfAnAnswer", "harness-error", f"{UNREADABLE}ValueError"),
    ("conduct:WritesBytes", "harness-error", f"{UNREADABLE}ValueError"),
    ("conduct:WritesAnAnswerOfNoShape", "harness-error", f"{UNREADABLE}ValueError"),
    ("conduct:SaysSizesThatAreNone", "harness-error", f"{UNREADABLE}ValueError: negative dimensions"),
    ("conduct:ClosesThePipe", "crashes", "exit status 1"),
    ("conduct:RaisesControlCharacters", "unstable", r"RuntimeError: \x1b[2Jnothing\x00to\udc80see here"),
    ("conduct:RaisesWhatHasNoText", "harness-error", f"{UNSENDABLE}ValueError: no text"),
    ("conduct:RaisesInAForeignPhase", "unstable", "RuntimeError: no"),
    ("conduct:FailsToDeclare", "harness-error", f"{UNSENDABLE}LookupError: no table of gaps"),
    ("conduct:FailsToNameItsProvider", "harness-error", f"{UNSENDABLE}LookupError: no such provider"),
    ("answering:AnswersTooMuch", "harness-error", f"{UNREADABLE}ValueError: it is larger than"),
    ("answering:AnswersObjects", "harness-error", f"{UNSENDABLE}TypeError: an array of object"),
    ("answering:AnswersComplexNumbers", "unstable", "put again Y was complex64[1, 1] and then float"),
    ("answering:AnswersTimes", "harness-error", f"{UNSENDABLE}TypeError: an array of datetime64[s]"),
    ("answering:AnswersRecords", "harness-error", f"{UNSENDABLE}TypeError: an array of void64"),
    ("answering:AnswersAList", "harness-error", "the adapter answered a list, not outputs by name"),
    ("answering:AnswersAGenerator", "harness-error", "the adapter answered a generator, not outputs by name"),
    ("answering:AnswersNothing", "unstable", "put again Y was given the second time alone"),
    ("answering:NamesItsOutputs", "unstable", "put again output_0 was given the first time alone"),
    ("answering:ExchangesTheNames", "unstable", "put again Y was int64[1, 1, 4, 2] and then float"),
    ("answering:AnswersInLongDouble", "unstable", "put again Y was float128["),
    ("answering:TurnsTheBytes", "unstable", "put again Y["),
]
"""What becomes of the third call."""

STARTS = [
    ("manners:DoesNotStart", "did not start: exit status 1\n"),
    ("manners:DiesAtStart", "did not start: SIGILL\nfirst line\nilleg\\x1bal instruction in libold.so"),
]
"""What is said of those that do not start."""

BATCHES = [
    ("manners:CrashesInABatch", "crashes", None),
    ("manners:HangsInABatch", "hangs", None),
    ("manners:RaisesInABatch", "rejects-valid", None),
    ("manners:RefusesOneOfABatch", "rejects-valid", None),
    ("manners:LosesOneOfABatch", "conforms",
     "failed, though none of them fails alone: the adapter answered 7 to a batch of 8"),
    ("manners:TurnsABatchRound", "unstable", "was answered otherwise than alone (diverges: "),
    ("manners:CannotBatch", "conforms", "a batch of 8 calls failed, though none of them fails alone: crashed: SIGSEGV"),
    ("manners:Batching", "conforms", None),
]
"""What becomes of one call in a batch, and what is noted. The last one tells no lie."""

KINDS = {
    "a crash with its signal": "conduct:CrashesOnThirdCall", "a hang": "conduct:HangsOnThirdCall",
    "a load that never ends": "conduct:LoadsForEver", "out of memory": "conduct:FillsTheMemory",
    "output on stdout": "conduct:PrintsAnAnswer", "exit(0) in the middle": "conduct:LeavesOnThirdCall",
    "the wrong number of answers": "manners:LosesOneOfABatch", "the wrong order": "manners:TurnsABatchRound",
    "a foreign type": "answering:AnswersComplexNumbers", "a foreign byte order": "answering:TurnsTheBytes",
    "wrong names of outputs": "answering:NamesItsOutputs", "death at start": "manners:DiesAtStart"}
"""What an isolation must stand, each with a fake that does it. (Of another provider than was asked for `FallsBack`
tells, which is tried in `tests.suite.test_capabilities`.)"""


@pytest.fixture
def four_calls(sonnx_cases: list[Case]) -> list[Case]:
    """Two cases, which are four calls."""
    return [case for case in sonnx_cases if case.id in ("float-example-1", "float-example-2")]


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("fake", "verdict", "says"), LIES)
def test_one_call_gets_the_verdict_and_the_others_run(fake: str, verdict: str, says: str, four_calls: list[Case],
                                                      run_trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third call of the process is what the fake lies about; a new worker gets the fourth where one is needed. What
    the fake does not do when the call is put again is unstable."""
    monkeypatch.setattr(conversation, "LARGEST_ANSWER", 1 << 20)
    host = Worker(f"tests.suite.{fake}", memory_limit=512)
    record = run_trial(host, four_calls, time_limit=1 if verdict == "hangs" else 60, share=0)
    assert [line.verdict for line in record.cases] == ["conforms", "conforms", verdict, "conforms"]
    assert says in record.cases[2].did
    assert record.footer.notes == []


def test_addresses_that_are_reserved_are_no_memory(four_calls: list[Case], run_trial: Trial) -> None:
    """A hundred times the limit."""
    record = run_trial(Worker("tests.suite.conduct:Reserves", memory_limit=512), four_calls, share=0)
    assert record.counts == {"conforms": 4}


def test_the_fakes_are_many() -> None:
    """Forty-six that tell one lie each are tried in this file, and none of the kinds that there must be is missing."""
    tried = [fake for fake, *_ in (*LIES, *STARTS, *BATCHES)]
    assert len(tried) == len(set(tried)) and set(KINDS.values()) <= set(tried)
    assert len(set(tried) - {"manners:Batching"}) == 46


def test_output_shown_harms_no_terminal(four_calls: list[Case], run_trial: Trial) -> None:
    """Every line of the summary can be printed."""
    record = run_trial(Worker("tests.suite.conduct:RaisesControlCharacters"), four_calls)
    assert all(line.isprintable() for line in summary_lines(record))


def request_of(size: int) -> Request:
    """A call with `size` elements."""
    x = np.ones((1, 1, 1, size), dtype=np.float32)
    return Request(b"", "MaxPool", {"kernel_shape": [1, 1]}, 22, {"X": x}, ("Y", "Indices"), time_limit=1)


def test_an_answer_to_another_request_is_not_taken() -> None:
    """A second answer to the third call does not become the answer to the fourth."""
    worker = Worker("tests.suite.conduct:AnswersTwiceOnThirdCall")
    outcomes = [worker.run(request_of(size)) for size in (2, 3, 4, 5, 6)]
    worker.close()
    for size, outcome in zip((2, 3, 4, 5, 6), outcomes, strict=True):
        assert not isinstance(outcome, Answered) or outcome.outputs["Y"].shape == (1, 1, 1, size)
    assert [type(outcome).__name__ for outcome in outcomes].count("Answered") >= 4


def test_the_time_limit_holds_while_a_request_is_written() -> None:
    """A worker that no longer reads is a hang, however large the request is; the next call gets a new one."""
    worker = Worker("tests.suite.conduct:StopsReadingAfterSecondCall")
    outcomes = [worker.run(request_of(size)) for size in (2, 2)]
    time.sleep(0.5)
    outcomes += [worker.run(request_of(size)) for size in (200_000, 2)]
    worker.close()
    assert [type(outcome).__name__ for outcome in outcomes] == ["Answered", "Answered", "Hung", "Answered"]


def test_a_worker_that_ends_between_two_calls_costs_none(four_calls: list[Case], run_trial: Trial) -> None:
    """The call that it did not read is put once more; the end is noted and told."""
    record = run_trial(Worker("tests.suite.conduct:EndsAfterSecondCall"), four_calls)
    assert set(record.counts) == {"conforms"}
    assert set(record.footer.notes) == {"the process ended between two calls: exit status 0"}
    assert "the process ended between two calls: exit status 0" in "\n".join(summary_lines(record))


@pytest.mark.parametrize(("fake", "says"), STARTS)
def test_a_worker_that_dies_at_start_says_how_and_its_last_lines(fake: str, says: str) -> None:
    """And starts no run."""
    with pytest.raises(BackendError) as caught:
        find_backend(f"tests.suite.{fake}").start()
    assert says in str(caught.value)


def test_a_worker_that_never_gets_ready_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time to start is up."""
    monkeypatch.setattr(process, "START_LIMIT", 1.0)
    with pytest.raises(StartError, match="was not ready after 1 s\nwaiting for a licence"):
        Worker("tests.suite.manners:IsNeverReady")


def test_an_exception_at_import_is_told(tmp_path) -> None:
    """With its text."""
    (tmp_path / "broken.py").write_text("raise OSError('libfoo.so: wrong ELF class')\n", encoding="utf-8")
    with pytest.raises(StartError, match=r"libfoo\.so: wrong ELF class"):
        Worker(f"{tmp_path / 'broken.py'}:Broken")


def batch_of(count: int) -> list[Case]:
    """Cases of the opset of SONNX whose X sum up to 0, 1, 2 and so on."""
    attributes = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [1, 1],
                  "pads": [0, 0, 0, 0], "storage_order": 0, "strides": [1, 1]}
    calls = [Call("MaxPool", attributes, {"X": np.full((1, 1, 1, 1), number, np.float32)}) for number in range(count)]
    return [Case(f"number-{number}", "A number", "sonnx/maxpool", 22, call,
                 Expectation(outputs={"Y": call.inputs["X"], "Indices": np.zeros((1, 1, 1, 1), np.int64)}), (), "test")
            for number, call in enumerate(calls)]


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("fake", "verdict", "note"), BATCHES)
def test_a_batch_gets_the_verdicts_of_its_calls_alone(fake: str, verdict: str, note: str | None,
                                                      run_trial: Trial) -> None:
    """The same as of a host that is put one call at a time; what is wrong with batches is noted, or unstable."""
    cases = batch_of(4)
    limit = 0.5 if verdict == "hangs" else 60
    record = run_trial(Worker(f"tests.suite.{fake}"), cases, time_limit=limit, share=0)
    alone = Worker(f"tests.suite.{fake}")
    alone.identity = replace(alone.identity, batch=1)
    one_by_one = run_trial(alone, cases, time_limit=limit, share=0)
    expected = [verdict if line.id == "number-1" and verdict != "unstable" else "conforms" for line in record.cases]
    assert [line.verdict for line in one_by_one.cases] == expected
    if verdict == "unstable":  # what was seen to be wrong counts; then there are no more batches
        expected[0] = verdict
        assert record.cases[0].did == "put in a batch Y[0, 0, 0, 0] was 0.0 and then 3.0"
    assert [line.verdict for line in record.cases] == expected
    notes = record.footer.notes
    assert (note is None and not notes) or any(note in line for line in notes)


class Counted(manners.Batching):
    """Keeps the sizes of the batches it was given."""

    name = "counted"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def run_many(self, requests):
        """The truth."""
        self.sizes.append(len(requests))
        return super().run_many(requests)


def test_batches_are_as_large_as_the_backend_takes(run_trial: Trial) -> None:
    """Twenty calls are put in batches of eight, eight and four."""
    backend = Counted()
    record = run_trial(backend, batch_of(10), share=0)
    assert record.counts == {"conforms": 20} and backend.sizes == [8, 8, 4]


def test_a_batch_is_of_one_opset_wherever_its_calls_stand(run_trial: Trial) -> None:
    """Calls of two opsets in turn are two batches, and each gets its own answer."""
    cases = [replace(case, opset=12 + number % 2) for number, case in enumerate(batch_of(4))]
    backend = Counted()
    record = run_trial(backend, cases, share=0)
    assert backend.sizes == [4, 4] and record.counts == {"conforms": 8}


def test_what_may_be_refused_joins_no_batch(sonnx_cases: list[Case], run_trial: Trial) -> None:
    """A call outside the domain is put alone, and does not end the batch of those around it."""
    backend = Counted()
    inside = batch_of(2)
    outside = next(case for case in sonnx_cases if case.id == "three-spatial-axes")
    record = run_trial(backend, [inside[0], outside, inside[1]], share=0)
    assert backend.sizes == [4] and record.counts == {"conforms": 4, "outside-profile": 2}


def test_what_is_known_to_end_the_process_joins_no_batch(run_trial: Trial) -> None:
    """Here each call that asks for Y alone."""
    entry = KnownEntry(id="end", spec="sonnx/maxpool", verdict="crashes", versions=">=1", reason="it has to be here",
                       generated=[], forms=["Y"])
    backend = Counted()
    run_trial(backend, batch_of(3), KnownDivergences([entry]), share=0)
    assert backend.sizes == [3]


def test_the_batch_has_its_own_time_limit() -> None:
    """Not the sum of all limits: a hang in a large batch is found soon, and each call has its whole time again."""
    worker = Worker("tests.suite.manners:HangsInABatch")
    assert worker.run_many([request_of(1)] * 20) == Hung(process.BATCH_LIMIT * 1)
    worker.close()
