"""Re-run the surrounding nodes alone, to see whether they cause an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plumbline.backends import Answered, Host, Outcome, Raised, Request, StartError
from plumbline.backends.outcomes import in_words
from plumbline.cases import Case
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import load_spec
from plumbline.trial.record.judge import ACCUSES, Verdict


def held(case: Case, form: str, verdict: Verdict, host: Host, time_limit: float) -> Verdict:
    """Return the final verdict on a call in a context.

    form: the outputs asked for, "Y+Indices".
    host: runs the surrounding nodes alone, for `time_limit` seconds.

    If these are refused, the call is only observed; if they alone change values or crash, the verdict says so."""
    if not case.context or verdict.verdict not in ACCUSES:
        return verdict
    request, wanted = _around(case, form, time_limit)
    if request is None:
        return verdict
    try:
        outcome = host.run(request)
    except StartError:
        return verdict
    if isinstance(outcome, Raised):
        did = f"the nodes around it are refused without it: {in_words(outcome)}"
        return Verdict("observed", (), outcome.phase, did)
    said = _wrong(outcome, wanted)
    return replace(verdict, did=f"{verdict.did}; the nodes around it alone {said}") if said else verdict


def _around(case: Case, form: str, time_limit: float) -> tuple[Request | None, dict[str, np.ndarray]]:
    spec, call = load_spec(case.spec), case.call.asking_for(*form.split("+"))
    frame = contexts()[case.context].frame(spec, call, case.opset)
    found = frame.around() if frame is not None else None
    if found is None:
        return None, {}
    model, inputs, wanted = found
    return Request(model, call.operator, {}, case.opset, inputs, tuple(wanted), time_limit, spec.name,
                   f"{case.spec} {case.id} without the node", contexts()[case.context].settings), wanted


def _wrong(outcome: Outcome, wanted: dict[str, np.ndarray]) -> str:
    if not isinstance(outcome, Answered):
        return f"come to this: {in_words(outcome)}"
    same = all(name in outcome.outputs and outcome.outputs[name].shape == array.shape
               and np.array_equal(outcome.outputs[name], array, equal_nan=array.dtype.kind == "f")
               for name, array in wanted.items())
    return "" if same else "change values"
