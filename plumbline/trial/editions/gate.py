"""Judge the official tests of ONNX releases by the specifications.

An accusation is a fault of the suite or an erratum.
Each test is judged by the edition of its own release, where it must conform, and by all editions, where it may also be
disputed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.cases import generate_cases
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.editions import Edition
from plumbline.oracle.specification import spec_names
from plumbline.trial.editions.inference import inferred_shapes, model_to_infer
from plumbline.trial.editions.node_tests import NodeTest, node_tests
from plumbline.trial.editions.wheels import Wheel

SEED, COUNT = 0, 40
"""Of the calls of each specification that shape inference is asked about."""

RELEASES = re.compile(r"(\d+\.\d+\.\d+) to (\d+\.\d+\.\d+)")
"""In the source of an erratum, the first and the last that have it."""


@dataclass(frozen=True)
class Finding:
    """A call that an official test or shape inference answers.

    kind: ``"conforms"``, ``"disputed"``, ``"erratum"`` (an E clause names the test, or says what is inferred by
        mistake) or ``"accused"``.
    """

    release: str
    spec: str
    kind: str
    name: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.release:8} {self.kind:9} {self.spec} {self.name}: {self.why}"


def judge_tests(wheel: Wheel) -> Iterator[Finding]:
    """Yield the finding on each call of the official tests of a release."""
    for test in node_tests(wheel):
        if test.spec is not None:
            for call, outputs in test.calls():
                kind, why = _judged(test, test.spec, call, outputs)
                yield Finding(wheel.release, test.spec.name, kind, test.name, why)


def _judged(test: NodeTest, spec: Spec, call: Call, outputs: dict[str, np.ndarray]) -> tuple[str, str]:
    problems: list[str] = [f"{entry.clause}: {entry.why}" for entry in spec.violations(call)]
    if not problems:
        for release in (test.release, ""):
            judged = load_spec(spec.name, release).judged(call)
            problems += [f"{entry.clause}: {entry.why}" for entry in judged.divergences(outputs)]
        if not problems:
            clauses = judged.disputed(outputs)
            return "disputed" if clauses else "conforms", ", ".join(clauses)
    errata = [address for address, clause in spec.clauses.items() if clause.kind == "erratum"
              and not clause.editions and test.name in clause.source.replace(",", " ").split()]
    return "erratum" if errata else "accused", f"{', '.join(errata)} against {problems[0]}" if errata else problems[0]


def judge_inference(releases: Sequence[str]) -> Iterator[Finding]:
    """Yield the findings on shapes that releases infer for generated calls. Raises EditionsError for a release that
    cannot be imported."""
    calls = list(_calls())
    models = [model_to_infer(spec, call) for spec, call in calls]
    for release in releases:
        for (spec, call), shapes in zip(calls, inferred_shapes(release, models), strict=True):
            known = {name: tuple(shape) for name, shape in (shapes or {}).items() if None not in shape}
            if known:
                kind, why = _of_shapes(load_spec(spec.name, ""), release, call, known)
                yield Finding(release, spec.name, kind, "shape inference", why)


def _calls() -> Iterator[tuple[Spec, Call]]:
    """Generated calls inside the domain, none of which may be refused and no shape of which is left open."""
    for name in spec_names():
        spec = load_spec(name, "")
        for case in generate_cases(name, seed=SEED, count=COUNT) if name.startswith("onnx/") else ():
            if not spec.violations(case.call) and not spec.may_refuse(case.call) \
                    and not any(isinstance(part.mask, str) for part in spec.unspecified(case.call).values()):
                yield spec, case.call


def _of_shapes(spec: Spec, release: str, call: Call, shapes: dict[str, tuple[int | None, ...]]) -> tuple[str, str]:
    """Return the kind of finding on inferred shapes, and its clause or reason.

    shapes: by output, the shape that the release infers for the call; None is an unknown size."""
    judged = spec.judged(call)
    wrong = {name: shape for name, shape in shapes.items() if shape != judged.definition.shape_of(name)}
    if not wrong:
        return "conforms", ""
    for address, effect in judged.disputes.items():
        if any(release in edition for edition in spec.clauses[address].editions) and any(
                all(reading.shape_of(name) == shape for name, shape in shapes.items()) for reading in effect.readings):
            return "disputed", address
    for tag, mistaken in judged.definition.misinferred().items():
        clause = spec.clauses[f"{spec.name}#{tag}"]
        if all(mistaken.get(name) == shape for name, shape in wrong.items()) and any(
                release in Edition("inference", *ends) for ends in RELEASES.findall(clause.source)):
            return "erratum", clause.address
    name, shape = next(iter(wrong.items()))
    attributes = ", ".join(f"{key} {value}" for key, value in call.attributes.items())
    return "accused", f"{name} has shape {list(shape)}, not {list(judged.definition.shape_of(name))}, for {attributes}"


def counted(findings: Sequence[Finding]) -> str:
    """Return the number of findings of each kind, in words."""
    counts = Counter(finding.kind for finding in findings)
    return ", ".join([f"{len(findings):,} judged", *(f"{counts[kind]:,} {kind}" for kind in
                                                     ("disputed", "erratum", "accused"))])
