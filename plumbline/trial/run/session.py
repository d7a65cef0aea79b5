"""Run cases on one backend, judge the answers, and record them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from plumbline.backends import Answered, Asking, Crashed, Host, Hung, Outcome
from plumbline.cases import Case
from plumbline.cases.format.canonical_answer import decides_little
from plumbline.oracle import Call, OutsideDomain, Spec, TooLarge, load_spec
from plumbline.oracle.foreign_code import CodeHangs, error_line
from plumbline.trial.known.register import KnownDivergences, KnownEntry
from plumbline.trial.record.judge import ACCUSES, Verdict, canonical_verdict, judge
from plumbline.trial.record.recording import LineWriter, MemoryWriter, as_line
from plumbline.trial.run.confirmation import confirmed
from plumbline.trial.run.context_recheck import held
from plumbline.trial.run.forms import forms_of
from plumbline.trial.run.line_builder import conforming_details, details_of, earlier_call, line_of
from plumbline.trial.run.other_specifications import elsewhere
from plumbline.trial.run.prefetch import Found, Part, Prefetch
from plumbline.trial.run.submission import SHARE, Calls, Submission

DOUBTED = (*ACCUSES, "harness-error")
"""The verdicts that are held against a model built anew, and of a batch against a call alone."""


@dataclass(frozen=True, eq=False)
class Result:
    """The verdict on a case in one form, the known divergence that explains it, and the symptoms that are recorded."""

    case: Case
    form: str
    verdict: Verdict
    known: KnownEntry | None
    symptoms: tuple[str, ...] = ()

    @property
    def accuses(self) -> bool:
        """True if the backend is at fault."""
        return self.verdict.verdict in ACCUSES


@dataclass(eq=False)
class Session:
    """A running backend, its known divergences, and the record of results.

    time_limit: seconds for one call.
    share:      one call in so many is repeated, 0 for none."""

    host: Host
    known: KnownDivergences
    writer: LineWriter
    time_limit: float = 20.0
    share: int = SHARE
    results: list[Result] = field(default_factory=list)
    """All results, without their tensors."""
    more_figures: Callable[[Spec, Call, Answered], Mapping[str, float]] | None = None
    """Gives further figures of answers for the record."""

    def __post_init__(self) -> None:
        self._asking = Asking(self.host)
        self._ahead: Prefetch | None = None
        self.plan(())

    def plan(self, submissions: Sequence[Submission]) -> None:
        """Announce the calls in order, so that they can be batched."""
        self._calls = Calls(self._asking, self.time_limit, submissions, self.known, self.share)

    def spread(self, submissions: Sequence[Submission], start: Callable[[], Host], count: int) -> None:
        """Let `count` processes prefetch results.

        start: starts the backend in each process. That of this process ends, and starts again if one is lost."""
        self.host.close()
        self._ahead = Prefetch(submissions, lambda: self._copy(start), self._arrived, count=count,
                               batch=self._asking.batch)

    def run(self, cases: Iterator[Case] | list[Case]) -> list[Result]:
        """Run every case in every form."""
        submissions = [(case, form) for case in cases for form in forms_of(case)]
        self.plan(submissions)
        return [self.submit(*submission) for submission in submissions]

    def submit(self, case: Case, form: str) -> Result:
        """Run and judge a case, and write the result to the record. `form`: the outputs asked for, "Y+Indices"."""
        found = self._ahead.take((case, form)) if self._ahead is not None else None
        if found is not None:
            vars(case)["clauses"] = found.tries  # of a generated case they would be computed once more
            self.writer.line(found.verdict.verdict, found.line)
            return self._remembered(Result(case, form, found.verdict, self.known.by_id.get(found.known),
                                           found.symptoms))
        spec = load_spec(case.spec)
        call = case.call.asking_for(*form.split("+"))
        taken = self._calls.take((case, form))
        verdict, details = _judged(spec, case, call, taken.outcome)
        if verdict.verdict in DOUBTED and not self._calls.is_current((case, form)):
            vars(case)["computed"] = None  # the cache holds what this code does not compute
            taken = self._calls.alone((case, form))
            verdict, details = _judged(spec, case, call, taken.outcome)
        known = self._explained(spec, case, form, verdict)
        if known is None and taken.together and _to_confirm(verdict, taken.outcome):
            in_batch, together = verdict, taken.outcome
            taken = replace(self._calls.alone((case, form)), in_batch=together if in_batch.verdict in ACCUSES else None)
            verdict, details = _judged(spec, case, call, taken.outcome)
            known = self._explained(spec, case, form, verdict)
            self._compare(case, form, in_batch, verdict)
        counts, final = confirmed((case, form), taken, verdict, self._calls,
                                  lambda outcome: _judged(spec, case, call, outcome)[0])
        if final is not verdict:
            taken, (verdict, details) = counts, _judged(spec, case, call, counts.outcome, final)
            known = self._explained(spec, case, form, verdict)
        is_doubtful = verdict.verdict == "unstable" or self._calls.is_doubtful((case, form), verdict)
        if is_doubtful and taken.after is not None:
            details |= {"after": taken.after.label, "before": earlier_call(taken.after)}
        if case.context and known is None:
            verdict = held(case, form, verdict, self.host, self.time_limit)
        return self._keep(case, form, verdict, known, taken.outcome, taken.seconds, details)

    def judged(self, case: Case, form: str, outcome: Outcome, seconds: float = 0.0, harm: str = "") -> Result:
        """Judge a known outcome of a case; `harm` says why it is unstable, if so."""
        spec, call = load_spec(case.spec), case.call.asking_for(*form.split("+"))
        verdict, details = _judged(spec, case, call, outcome)
        if harm:
            verdict, details = _judged(spec, case, call, outcome, Verdict("unstable", verdict.clauses, did=harm))
        return self._keep(case, form, verdict, self._explained(spec, case, form, verdict), outcome, seconds, details)

    def _keep(self, case: Case, form: str, verdict: Verdict, known: KnownEntry | None, outcome: Outcome,
              seconds: float, details: dict[str, Any]) -> Result:
        if self.more_figures is not None and isinstance(outcome, Answered):
            more = self.more_figures(load_spec(case.spec), case.call.asking_for(*form.split("+")), outcome)
            details = {**details, "figures": {**details.get("figures", {}), **more}}
        self.writer.case(line_of(case, load_spec(case.spec), form, verdict, known, outcome, seconds, details))
        return self._remembered(Result(case, form, verdict, known, tuple(details.get("symptoms", ()))))

    def _remembered(self, result: Result) -> Result:
        """Keep a result without its tensors, which would fill the memory."""
        verdict = result.verdict
        if verdict.divergences or verdict.again is not None:
            verdict = replace(verdict, divergences=(), again=None)
        self.results.append(replace(result, verdict=verdict))
        return result

    @contextlib.contextmanager
    def _copy(self, start: Callable[[], Host]) -> Iterator[Callable[[Sequence[Submission]], Part]]:
        """Yield the function that runs parts in a copy of this process."""
        written = MemoryWriter()
        copy = Session(start(), self.known, written, self.time_limit, self.share)

        def work(submissions: Sequence[Submission]) -> Part:
            noted = len(copy.host.notes)
            written.lines.clear()
            copy.plan(submissions)
            given = [copy.submit(*submission) for submission in submissions]
            copy.results.clear()
            results = {place: Found(result.verdict, result.known.id if result.known else "", result.symptoms,
                                    result.case.clauses, as_line(line))
                       for place, (result, line) in enumerate(zip(given, written.lines, strict=True))}
            return Part(results, copy.known.usage(), copy.host.notes[noted:])

        try:
            yield work
        finally:
            copy.host.close()

    def _arrived(self, part: Part) -> None:
        self.known.join(part.usage)
        self.host.notes += part.notes

    def close(self, not_done: Sequence[str] = ()) -> None:
        """End the host and the record; `not_done` says why the run is incomplete."""
        if self._ahead is not None:
            self._ahead.close()
        self.host.close()
        self.writer.close(gone=self.known.gone(), notes=self.host.notes, not_done=list(not_done))

    def release(self) -> None:
        """Let go of all cases but those that could not be judged, after the end."""
        self._ahead = None
        self.plan(())
        self.results[:] = [result for result in self.results if result.verdict.verdict == "harness-error"]

    def _explained(self, spec: Spec, case: Case, form: str, verdict: Verdict) -> KnownEntry | None:
        return None if verdict.verdict == "harness-error" else self.known.explain(spec, case, form, verdict)

    def _compare(self, case: Case, form: str, in_batch: Verdict, alone: Verdict) -> None:
        """Stop batching for a backend that answers otherwise in batches.

        `trial.run.confirmation` decides whether the result is unstable."""
        if (alone.verdict, alone.clauses) != (in_batch.verdict, in_batch.clauses):
            self._calls.distrust()
            self.host.notes.append(f"in a batch {case.spec} {case.id} [{form}] was answered otherwise than alone "
                                   f"({in_batch.verdict}: {in_batch.did}); from there on calls were put one by one")


def _judged(spec: Spec, case: Case, call: Call, outcome: Outcome,
            verdict: Verdict | None = None) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict, unless given, with fields of its line.

    If the suite fails to judge, the verdict is "harness-error"."""
    try:
        answer = canonical_verdict(case, call, outcome) if verdict is None else None
        if answer is not None:
            conforms, canonical = answer
            return conforms, {"also": {}, "decides_little": canonical.decides_little and not case.context,
                              "decides_nothing": False, **conforming_details(call, outcome, canonical)}
        verdict = verdict or judge(spec, case, call, outcome)
        also = {} if verdict.verdict in ("conforms", "unsupported", "observed") else elsewhere(spec, call, outcome)
        little = verdict.verdict == "conforms" and not case.context and decides_little(spec, call)
        nothing = verdict.verdict == "observed" and not (
            isinstance(outcome, Answered) and spec.judged(call).decides(outcome.outputs))
        return verdict, {"also": also, "decides_little": little, "decides_nothing": nothing,
                         **details_of(spec, verdict, call, outcome)}
    except (CodeHangs, KeyboardInterrupt):
        raise  # each further call would take as long
    except (OutsideDomain, TooLarge) as error:  # as of a body that runs without end
        return Verdict("harness-error", did=f"it cannot be judged: {error}"), {"also": {}}
    except BaseException as error:  # the code of others raises anything
        return Verdict("harness-error", did=f"the suite failed to judge: {error_line(error)}"), {"also": {}}


def _to_confirm(verdict: Verdict, outcome: Outcome) -> bool:
    """Return True if a result of a batch must run alone too. Crashes and hangs were found by running alone."""
    return verdict.verdict in DOUBTED and not isinstance(outcome, (Crashed, Hung))
