"""Compute the final outputs of a model through the definitions of its operators.

Each node gives the canonical outputs of its specification, on what the nodes before it gave so. A node without a
specification, or outside its domain, runs on the backend alone, on the same inputs: what lies behind it is relative to
it.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from plumbline.backends import Answered
from plumbline.backends.outcomes import in_words
from plumbline.oracle import OutsideDomain, Spec, TooLarge
from plumbline.oracle.judgement import JudgedCall
from plumbline.trial.model.graph import Step
from plumbline.trial.model.node_judging import is_opaque
from plumbline.trial.model.other_runs import compared
from plumbline.trial.model.parts_of_trial import Subject, Tensors
from plumbline.trial.model.static_facts import asked
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.record.model_part import OtherRun


def run_independently(trial: ModelTrial) -> OtherRun:
    """Compare the final outputs of the backend with those of an independent run."""
    if not trial.final:
        return OtherRun(why="the backend does not run the model")
    tensors: dict[str, np.ndarray] = dict(trial.inputs)
    left = Counter(name for subject in trial.subjects for name in subject.step.reads)
    relative = []
    for subject in trial.subjects:
        reading = reading_of(trial, subject, tensors)
        if reading is not None:
            judged, names = reading
            outputs: Tensors = {tensor: judged.expected[name] for name, tensor in names.items()}
        else:
            relative.append(subject.step.node.name)
            try:
                outputs = on_backend(trial, subject.step, tensors)
            except ValueError as error:
                return OtherRun(why=str(error), relative=relative)
        tensors |= outputs
        for name in subject.step.reads:
            left[name] -= 1
            if not left[name] and name not in trial.graph.outputs:
                tensors.pop(name, None)
    final = {name: tensors[name] for name in trial.graph.outputs if name in tensors}
    return compared(trial.final, Answered(final)).model_copy(update={"relative": relative})


def reading_of(trial: ModelTrial, subject: Subject, tensors: Tensors) -> tuple[JudgedCall, dict[str, str]] | None:
    """Return the call of a node, and its tensors by output; None where no definition gives canonical outputs."""
    step = subject.step
    for finding in subject.findings:
        spec = finding.spec
        names = asked(spec, step.node.asked)
        if finding.malformed or is_opaque(step) or len(names) != len(step.gives):
            continue
        call = trial.judging.call(step, spec, tensors).asking_for(*names)
        try:
            judged = spec.judged(call)
            if not judged.violations and judged.expected:
                return judged, dict(zip(names, step.gives, strict=True))
        except (OutsideDomain, TooLarge):
            continue
        finally:
            Spec.release()
    return None


def on_backend(trial: ModelTrial, step: Step, tensors: Tensors) -> Tensors:
    """Return what the backend gives for a node alone. Raises ValueError."""
    reads = [name for name in step.reads if name not in trial.graph.constants]
    model = trial.graph.part(tensors, reads, step.gives)
    outcome = trial.submit(model, {name: tensors[name] for name in reads}, step.gives, step.node.name)
    if not isinstance(outcome, Answered):
        raise ValueError(f"the node {step.node.name} ({step.operator}) has no specification, and by itself it was "
                         f"{in_words(outcome)}")
    return outcome.outputs
