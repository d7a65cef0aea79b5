"""Find facts on the nodes of a model before they run.

They are the specifications of each node, whether it keeps their clauses on calls, and the known divergences that can
affect it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from plumbline.backends import is_asked
from plumbline.oracle import Call, Spec, TooLarge
from plumbline.oracle.check.census import DATA
from plumbline.oracle.check.judging import Finding, finding_of
from plumbline.oracle.check.selection import Text
from plumbline.oracle.node import Given, Shape
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Step
from plumbline.trial.model.known_divergences import PossibleDivergence, possible_divergences, spread
from plumbline.trial.model.parts_of_trial import Subject
from plumbline.trial.run.paths import file_name

NODE_SECONDS, MODEL_SECONDS = 1.0, 20.0
"""Seconds for the known divergences of a node, and of all nodes; checked between calls."""


def subjects(steps: Sequence[Step], texts: Sequence[Text], patterns: list[str]) -> Iterator[Subject]:
    """Yield each node with its specifications, as far as `patterns` include them."""
    by_operator = [(text.about, text) for text in texts]

    @cache
    def specs(domain: str, operator: str, opset: int) -> list[Spec]:
        versions = [text.spec(opset) for about, text in by_operator if about == (domain, operator)]
        return [spec for spec in versions if spec is not None and is_asked(patterns, spec.name)]

    names: Counter[str] = Counter()
    for step in steps:
        name = file_name(step.node.name) or file_name(step.node.operator)
        names[name] += 1
        is_data = (step.node.domain, step.node.operator) == DATA  # of strings, or sparse: no call holds it
        findings = [finding_of(spec, step.node) for spec in (
            () if is_data else specs(step.node.domain, step.node.operator, step.node.opset))]
        yield Subject(step, name if names[name] == 1 else f"{name}-{names[name]}", findings)


def find_possible_divergences(nodes: Sequence[Subject], known: KnownDivergences, progress: Callable[[int], None]
                              ) -> None:
    """Find the known divergences that can affect nodes.

    Nodes that take longer than `NODE_SECONDS`, or than `MODEL_SECONDS` together, remain unknown."""
    end = time.monotonic() + MODEL_SECONDS
    for subject in nodes:
        deadline = min(end, time.monotonic() + NODE_SECONDS)
        subject.known = {finding.spec.name: _possible_divergences(finding, known, deadline)
                         for finding in subject.findings}
        progress(1)


def learn(subjects: Sequence[Subject], types: Mapping[str, tuple[np.dtype, Shape]]) -> None:
    """Set the types and shapes of tensors to those of a run: inference finds not all, and a few wrongly."""
    for subject in subjects:
        node, names = subject.step.node, subject.step.proto.input
        inputs = tuple(Given(*types[name], given.read) if given is not None and name in types
                       and (given.dtype, given.shape) != types[name]
                       else given for name, given in zip(names, node.inputs, strict=True))
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            subject.findings = [finding_of(finding.spec, replace(node, inputs=inputs)) for finding in subject.findings]


def _unknown(given: Given) -> bool:
    return given.dtype is None or given.shape is None or not all(isinstance(size, int) for size in given.shape)


def asked(spec: Spec, is_asked_for: Sequence[bool]) -> tuple[str, ...]:
    """Return the names of the outputs that a node gives; () where some of a variadic output are left out."""
    names = spec.output_names(len(is_asked_for))
    if spec.variadic_output and not all(is_asked_for):
        return ()
    return tuple(name for name, is_asked in zip(names, is_asked_for, strict=False) if is_asked)


def _possible_divergences(finding: Finding, known: KnownDivergences,
                          deadline: float) -> list[PossibleDivergence] | None:
    """Return the known divergences on calls of a node.

    finding:  the node under one specification.
    deadline: by `time.monotonic`.

    Return None if types or shapes are unknown, the time is up, or the call is too large."""
    spec, tensors = finding.spec, finding.node.named(finding.spec)
    arrays: dict[str, np.ndarray] = {}
    for name, tensor in tensors.items():
        sizes = tuple(size for size in tensor.shape or () if isinstance(size, int))
        if _unknown(tensor):
            return None
        arrays[name] = spread(np.ones(1, tensor.dtype), sizes) if tensor.value is None else tensor.value
    if finding.malformed or not arrays:
        return None
    constant = {name for name, tensor in tensors.items() if tensor.value is not None}
    outputs = asked(spec, finding.node.asked)
    call = Call(finding.node.operator, finding.node.attributes, arrays, outputs)
    try:
        return possible_divergences(spec, call, constant, spec.form(call), known, deadline)
    except (TimeoutError, TooLarge, MemoryError):
        return None
    finally:
        Spec.release()
