"""Compute what is recorded of an answer that equals the canonical outputs."""

from __future__ import annotations

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.format.computed import CanonicalAnswer, digest_of_array
from plumbline.cases.format.flags import flags_of_answer
from plumbline.cases.format.lint import contradiction
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.response import is_float


def canonical_answers(case: Case) -> dict[str, CanonicalAnswer]:
    """By output selection, the canonical answer to a case. None where no answer is judged by the case, where the
    canonical outputs are not judged to conform."""
    if case.expectation.outputs is None or contradiction(case) is not None:
        return {}
    spec = load_spec(case.spec)
    answers = ((names, _answer(spec, case.call.asking_for(*names))) for names in spec.forms)
    return {"+".join(names): answer for names, answer in answers if answer is not None}


def _answer(spec: Spec, call: Call) -> CanonicalAnswer | None:
    judged = spec.judged(call)
    outputs = judged.expected
    if judged.divergences(outputs) or judged.decides_nothing or judged.observes(outputs):
        return None
    return CanonicalAnswer({name: digest_of_array(array) for name, array in outputs.items()},
                           {} if spec.exact else judged.measures(outputs), flags_of_answer(spec, call),
                           decides_little(spec, call))


def decides_little(spec: Spec, call: Call) -> bool:
    """Return True if 10 % errors in half of an output's elements would conform.

    Zeros are left out. False for older versions of a specification, and for outputs so large that they are judged in
    slices."""
    judged = spec.judged(call)
    if spec.exact or not spec.is_newest or judged.violations or judged.slices:
        return False
    for name, array in judged.definition.canonical.items():
        if is_float(array.dtype):
            with np.errstate(all="ignore"):
                other = (array * array.dtype.type(1.1)).astype(array.dtype)
                apart = np.isfinite(other) & (other != array)
                if np.any(apart) and judged.definition.conforms(name, other)[apart].mean() > 0.5:
                    return True
    return False
