"""What is known of the nodes of a model before anything runs: the texts that each is judged by, how it stands to their
clauses on calls, and which known divergences it can meet."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from plumbline.backends import is_asked
from plumbline.oracle import Call, Spec
from plumbline.oracle.check.judging import Finding, finding_of
from plumbline.oracle.check.selection import Text
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Step
from plumbline.trial.model.known_divergences import PossibleDivergence, possible_divergences, spread
from plumbline.trial.model.parts_of_trial import Subject
from plumbline.trial.run.paths import file_name

NODE, MODEL = 1.0, 20.0
"""Seconds to find out what a node, and all nodes of a model, can meet; looked at from one call to the next."""


def subjects(steps: Sequence[Step], texts: Sequence[Text], patterns: list[str]) -> Iterator[Subject]:
    """Each node with what it is judged by, as far as the backend is asked about texts like `patterns`."""
    about = [(text.about, text) for text in texts]

    @cache
    def specs(domain: str, operator: str, opset: int) -> list[Spec]:
        found = [text.spec(opset) for which, text in about if which == (domain, operator)]
        return [spec for spec in found if spec is not None and is_asked(patterns, spec.name)]

    names: Counter[str] = Counter()
    for step in steps:
        name = file_name(step.node.name) or file_name(step.node.operator)
        names[name] += 1
        findings = [finding_of(spec, step.node)
                    for spec in specs(step.node.domain, step.node.operator, step.node.opset)]
        yield Subject(step, name if names[name] == 1 else f"{name}-{names[name]}", findings)


def meet(some: Sequence[Subject], known: KnownDivergences, progress: Callable[[int], None]) -> None:
    """Find out which known divergences nodes can meet, within `NODE` seconds each and `MODEL` for all: of what takes
    longer that is not known."""
    end = time.monotonic() + MODEL
    for subject in some:
        deadline = min(end, time.monotonic() + NODE)
        subject.known = {finding.spec.name: _possible_divergences(finding, known, deadline)
                         for finding in subject.findings}
        progress(1)


def asked(spec: Spec, asked: Sequence[bool]) -> tuple[str, ...]:
    """The names of the outputs that a node gives."""
    return tuple(name for name, given in zip(spec.outputs, asked, strict=False) if given)


def _possible_divergences(finding: Finding, known: KnownDivergences,
                          deadline: float) -> list[PossibleDivergence] | None:
    """What is known of calls with the types and shapes of a node; None where these are not known, or the time is up."""
    spec, given = finding.spec, finding.node.named(finding.spec)
    arrays: dict[str, np.ndarray] = {}
    for name, tensor in given.items():
        sizes = [size for size in tensor.shape or () if isinstance(size, int)]
        if tensor.dtype is None or tensor.shape is None or len(sizes) < len(tensor.shape):
            return None
        arrays[name] = spread(np.ones(1, tensor.dtype), tuple(sizes)) if tensor.value is None else tensor.value
    if finding.malformed or not arrays:
        return None
    constant = {name for name, tensor in given.items() if tensor.value is not None}
    outputs = asked(spec, finding.node.asked)
    call = Call(finding.node.operator, finding.node.attributes, arrays, outputs)
    try:
        return possible_divergences(spec, call, constant, "+".join(outputs), known, deadline)
    except TimeoutError:
        return None
    finally:
        Spec.release()
