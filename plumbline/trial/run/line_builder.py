"""Build the line of a record for a result."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.backends import Answered, Outcome, Request
from plumbline.cases import Case
from plumbline.cases.format.computed import CanonicalAnswer
from plumbline.cases.format.flags import blocks, flags_of_answer
from plumbline.oracle import Call, Divergence, Spec
from plumbline.oracle.response import is_any_float
from plumbline.oracle.type_names import name_of
from plumbline.trial.known.register import KnownEntry, unread_flags
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.judge import Verdict
from plumbline.trial.record.lines import CallData, CaseLine, EarlierCall, Known
from plumbline.trial.record.lines import Divergence as DivergenceData
from plumbline.trial.record.measurements import share_name
from plumbline.trial.record.one_line import answered_text
from plumbline.trial.record.tensors import scalar, to_tensor

SHOWN = 20
"""Differing elements that a record keeps of one clause."""

Reads = dict[str, list[list[int]]]


def line_of(case: Case, spec: Spec, form: str, verdict: Verdict, known: KnownEntry | None, outcome: Outcome,
            seconds: float, details: Mapping[str, Any]) -> CaseLine:
    """The line of one result. `details` are those of `details_of`, and the verdicts under other specifications."""
    answered = outcome if isinstance(outcome, Answered) else None
    explained = {name: value for name in ("id", "reason", "documented", "link")
                 if known is not None and (value := getattr(known, name))}
    details = {**details, "flags": [*case.flags, *details.get("flags", ())]}
    covers = [*case.clauses, *details.pop("judged_by", ())]
    return CaseLine(
        record="case", id=case.id, spec=spec.name, form=form, verdict=verdict.verdict, phase=verdict.phase,
        clauses=list(verdict.clauses), covers=covers, source=case.source, title=case.title,
        opset=case.opset, dtype=case.dtype, did=verdict.did, seconds=round(seconds, 6),
        undeclared=(answered.gap if answered else "") or "", provider=(answered.provider if answered else "") or "",
        known=Known(**explained) if known is not None else None, place=_named(case.place),
        context=case.context, constants=list(case.constants), **details)


def details_of(spec: Spec, verdict: Verdict, call: Call, outcome: Outcome) -> dict[str, Any]:
    """Return fields of the line: call, figures, flags; expected and got if wrong.

    call: with the outputs asked for. A result that conforms or is unsupported has a brief text instead of tensors."""
    if verdict.verdict == "unsupported":
        return {"figures": {}, "flags": (), **_conforming(call, outcome)}
    figures = spec.measures(call, outcome.outputs) if isinstance(outcome, Answered) and not spec.exact else {}
    always: dict[str, Any] = {"figures": figures, "flags": () if spec.violations(call) else flags_of_answer(spec, call)}
    if spec.bounds and isinstance(outcome, Answered) and not spec.violations(call):
        compared = spec.judged(call).comparisons(outcome.outputs)
        always["judged_by"] = [entry.clause for entry in compared]
        if compared:
            always["figures"] = {**figures, share_name(spec.profile): max(entry.share for entry in compared)}
    if verdict.verdict == "conforms":
        return {**always, **_conforming(call, outcome)}
    if not spec.violations(call):
        always |= tensors_of(call, spec.expected(call))
    first = next((entry for entry in verdict.divergences if entry.where is not None), None)
    place: tuple[int, ...] | None = None
    reads: Reads = {}
    if first is not None and first.where is not None:
        place = tuple(int(part) for part in first.where[0])
        reads = reads_of(spec, call, first.output, place)
    details: dict[str, Any] = {**always, "call": call_data(spec, call, reads)}
    if isinstance(outcome, Answered):
        details["got"] = {name: to_tensor(array, place) for name, array in outcome.outputs.items()}
    if verdict.again is not None:
        details["again"] = {name: to_tensor(array, place) for name, array in verdict.again.items()}
    if not spec.violations(call):
        details["expected"] = {name: to_tensor(array, place) for name, array in spec.expected(call).items()}
    if verdict.divergences:
        details["bounds"] = bounds_of(spec, call, verdict.divergences)
        details["symptoms"] = list(symptoms_of(spec, call, verdict.divergences))
        details["unread"] = unread_flags(spec, call, verdict.divergences)
        details["divergences"] = [_divergence(spec, call, entry) for entry in verdict.divergences]
    return details


def conforming_details(call: Call, outcome: Outcome, canonical: CanonicalAnswer) -> dict[str, Any]:
    """Return `details_of` the canonical outputs, from what was computed before."""
    return {"figures": dict(canonical.figures), "flags": canonical.flags, **_conforming(call, outcome)}


def _conforming(call: Call, outcome: Outcome) -> dict[str, Any]:
    outputs = outcome.outputs if isinstance(outcome, Answered) else {}
    return {"brief": _brief(call, outcome), **tensors_of(call, outputs), "given": given_of(call.attributes)}


def given_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes as JSON, without the values of tensors."""
    return {name: {"dtype": name_of(value.dtype), "shape": list(value.shape)} if isinstance(value, np.ndarray)
            else plain(value) for name, value in attributes.items()}


REPLAYED = 1 << 12
"""Most elements of the inputs, and bytes of the model, of an earlier call that a record keeps."""


def earlier_call(request: Request) -> EarlierCall | None:
    """A call that came before an unstable one, as far as a script can replay it: small, and without settings."""
    if request.settings or not request.model or len(request.model) > REPLAYED or any(
            array.dtype.hasobject for array in request.inputs.values()) or sum(
            array.size for array in request.inputs.values()) > REPLAYED:
        return None
    return EarlierCall(model=base64.b64encode(request.model).decode(), specification=request.specification,
                       inputs={name: to_tensor(array) for name, array in request.inputs.items()},
                       outputs=list(request.outputs))


def tensors_of(call: Call, outputs: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Type and shape of the inputs and outputs of a call by name, and kinds of numbers among their values."""
    arrays = {**call.inputs, **outputs}
    return {"tensors": {name: f"{name_of(array.dtype)}{list(array.shape)}" for name, array in arrays.items()},
            "holds": {name: kinds for name, array in arrays.items() if (kinds := _kinds_of_numbers(array))}}


KINDS: dict[bool, dict[str, Callable[[np.ndarray], np.ndarray]]] = {
    True: {"negative": lambda x: x < 0, "nonzero": lambda x: x != 0},
    False: {"negative": lambda x: np.signbit(x) & (x == x),
            "fraction": lambda x: np.isfinite(x) & (x != np.rint(x))}}
"""By whether a type is of integers: kinds of numbers, with the elements that are of a kind."""


def _kinds_of_numbers(array: np.ndarray) -> list[str]:
    array = np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array
    if array.dtype.kind not in "iu" and not is_any_float(array.dtype):
        return []
    with np.errstate(all="ignore"):
        return [kind for kind, holds in KINDS[array.dtype.kind in "iu"].items()
                if any(holds(block).any() for block in blocks(array))]


def _brief(call: Call, outcome: Outcome) -> str:
    attributes = {name: plain(value) for name, value in call.attributes.items()}
    given = outcome.outputs if isinstance(outcome, Answered) else None
    return answered_text(call.operator, attributes, call.inputs, given)


def bounds_of(spec: Spec, call: Call, divergences: Sequence[Divergence]) -> dict[str, float]:
    """Return by wrong output how far conforming values may be from the canonical ones, where that is not 0."""
    wrong = {entry.output for entry in divergences}
    found = {} if spec.exact else spec.tolerance(call)
    return {name: float(bound) for name, bound in found.items() if name in wrong and bound and np.isfinite(bound)}


def call_data(spec: Spec, call: Call, reads: Reads | None = None) -> CallData:
    """A call, its inputs cropped around the cells that are read."""
    return CallData(operator=call.operator,
                    attributes={name: plain(value) for name, value in call.attributes.items()},
                    inputs={name: to_tensor(array, _middle((reads or {}).get(name)))
                            for name, array in call.inputs.items()},
                    outputs=list(spec.asked(call)) if spec.variadic_output else [])


def plain(value: Any) -> Any:
    """The value of an attribute as JSON: a tensor by type and values, special numbers as text."""
    if isinstance(value, np.ndarray):
        return to_tensor(value).model_dump(exclude_none=True)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def reads_of(spec: Spec, call: Call, output: str, place: tuple[int, ...]) -> Reads:
    """The cells of each input that an element of an output depends on; {} where the definition does not say."""
    return {name: cells.tolist() for name, cells in spec.receptive_field(call, output, place).items()}


def _named(place: str) -> str:
    """The place of a case; of one outside the clone the name of its file alone."""
    return Path(place).name if Path(place).is_absolute() else place


def _middle(cells: list[list[int]] | None) -> tuple[int, ...] | None:
    return tuple(int(part) for part in np.median(cells, axis=0)) if cells else None


def _divergence(spec: Spec, call: Call, entry: Divergence) -> DivergenceData:
    found: dict[str, Any] = {"clause": entry.clause, "output": entry.output, "why": entry.why}
    if entry.where is None:
        return DivergenceData(**found, expected=plain(entry.expected), got=plain(entry.got))
    place = tuple(int(part) for part in entry.where[0])
    return DivergenceData(**found, count=len(entry.where) + entry.beyond, where=entry.where[:SHOWN].tolist(),
                          expected=[scalar(value) for value in entry.expected[:SHOWN]],
                          got=[scalar(value) for value in entry.got[:SHOWN]],
                          reads=reads_of(spec, call, entry.output, place) or None)
