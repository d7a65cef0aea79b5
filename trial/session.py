"""One backend on trial: puts cases to it in every form, judges, records, and keeps what is known apart from news."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backends import Answered, Failed, Host, Outcome, Request, StartError
from cases import Case
from cases.onnx_model import to_model
from oracle import Call, Divergence, Spec, load_spec
from trial.judge import ACCUSES, Verdict, judge
from trial.known import KnownDivergences, KnownEntry
from trial.record import RecordWriter
from trial.tensors import scalar, to_json
from trial.texts import elsewhere

SHOWN = 20
"""Differing elements that a record keeps of one clause."""


@dataclass(frozen=True, eq=False)
class Result:
    """One case in one form: the verdict, and the known divergence that explains it, if any."""

    case: Case
    form: str
    verdict: Verdict
    known: KnownEntry | None

    @property
    def accuses(self) -> bool:
        """Whether the backend is at fault."""
        return self.verdict.verdict in ACCUSES


def forms(spec: Spec) -> list[str]:
    """The forms of a specification by name: ``["Y", "Y+Indices"]``."""
    return ["+".join(outputs) for outputs in spec.forms]


@dataclass(eq=False)
class Session:
    """A host, what is known of its backend, and the record that results go to."""

    host: Host
    known: KnownDivergences
    writer: RecordWriter
    time_limit: float = 20.0
    results: list[Result] = field(default_factory=list)

    def run(self, cases: Iterator[Case] | list[Case]) -> list[Result]:
        """Every case in every form."""
        return [self.put(case, form) for case in cases for form in forms(load_spec(case.spec))]

    def put(self, case: Case, form: str) -> Result:
        """One case in one form; the result is in the record when this returns."""
        spec = load_spec(case.spec)
        call = case.call.asking_for(*form.split("+"))
        began = time.perf_counter()
        outcome = self._outcome(case, call)
        seconds = time.perf_counter() - began
        try:
            verdict = judge(spec, case, call, outcome)
            details = _details(spec, verdict, call, outcome)
            also = elsewhere(spec, call, outcome)
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            verdict = Verdict("harness-error", did=f"the suite failed to judge: {type(error).__name__}: {error}")
            details, also = {}, {}
        known = None
        if verdict.verdict != "harness-error":
            known = self.known.explain(spec, case, form, verdict)
        result = Result(case, form, verdict, known)
        self.results.append(result)
        self.writer.case({**_line(spec, result, seconds), "also": also, **details})
        return result

    def close(self) -> None:
        """End the host and the record."""
        self.host.close()
        self.writer.close(gone=self.known.gone())

    def _outcome(self, case: Case, call: Call) -> Outcome:
        spec = load_spec(case.spec)
        try:
            model = b"" if spec.domain is None else to_model(call, call.outputs, case.opset, spec.domain)
        except (ValueError, TypeError) as error:
            return Failed(f"no ONNX model can hold this call: {error}")
        try:
            return self.host.run(Request(model, call.operator, spec.words(call), case.opset, call.inputs, call.outputs,
                                         self.time_limit))
        except StartError as error:
            return Failed(f"the worker did not start again: {error}")


def _line(spec: Spec, result: Result, seconds: float) -> dict[str, Any]:
    case, verdict = result.case, result.verdict
    line = {"id": case.id, "spec": spec.name, "form": result.form, "verdict": verdict.verdict, "phase": verdict.phase,
            "clauses": list(verdict.clauses), "covers": list(case.clauses), "source": case.source, "title": case.title,
            "opset": case.opset, "dtype": case.dtype, "flags": list(case.flags), "did": verdict.did,
            "seconds": round(seconds, 6)}
    if result.known is not None:
        line["known"] = {name: value for name in ("id", "reason", "documented", "link")
                         if (value := getattr(result.known, name))}
    return line


def _details(spec: Spec, verdict: Verdict, call: Call, outcome: Outcome) -> dict[str, Any]:
    """Call, expected and got, of what does not conform; figures about what was answered."""
    figures = spec.measures(call, outcome.outputs) if isinstance(outcome, Answered) and not spec.exact else {}
    if verdict.verdict == "conforms":
        return {"figures": figures} if figures else {}
    first = next((entry for entry in verdict.divergences if entry.where is not None), None)
    place = tuple(int(part) for part in first.where[0]) if first is not None else None
    cells = spec.reads(call, place) if place is not None else None
    focus = tuple(int(part) for part in np.median(cells, axis=0)) if cells is not None else None
    details: dict[str, Any] = {
        **({"figures": figures} if figures else {}),
        "call": {"operator": call.operator, "attributes": dict(call.attributes),
                 "inputs": {name: to_json(array, focus) for name, array in call.inputs.items()}}}
    if isinstance(outcome, Answered):
        details["got"] = {name: to_json(array, place) for name, array in outcome.outputs.items()}
    if not spec.violations(call):
        details["expected"] = {name: to_json(array, place) for name, array in spec.expected(call).items()}
    if verdict.divergences:
        details["divergences"] = [_divergence(spec, call, entry) for entry in verdict.divergences]
    return details


def _divergence(spec: Spec, call: Call, entry: Divergence) -> dict[str, Any]:
    found: dict[str, Any] = {"clause": entry.clause, "output": entry.output, "why": entry.why}
    if entry.where is None:
        return {**found, "expected": entry.expected, "got": entry.got}
    cells = spec.reads(call, tuple(int(part) for part in entry.where[0]))
    return {**found, "count": len(entry.where), "where": entry.where[:SHOWN].tolist(),
            "expected": [scalar(value) for value in entry.expected[:SHOWN]],
            "got": [scalar(value) for value in entry.got[:SHOWN]],
            "reads": cells.tolist() if cells is not None else None}
