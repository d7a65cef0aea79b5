"""The cases that a conformance run makes for a specification, beside those that are written."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.cases.boundaries import boundary_cases
from plumbline.cases.exhaustive import every_value_cases
from plumbline.cases.generate import generate_cases
from plumbline.cases.model import Case

GENERATED = 64
"""Generated cases for each specification in a run without options."""


def made_cases(spec_name: str, written: Iterable[Case], *, seed: int, count: int, values: bool = True) -> list[Case]:
    """`count` generated cases, and with them, where `values`, those on every value of a small type; and the boundary
    cases for the classes that neither these nor the written ones have. Raises SpecError."""
    generated = list(generate_cases(spec_name, seed=seed, count=count))
    others = [case.call for case in (*written, *generated) if case.spec == spec_name]
    every = every_value_cases(spec_name) if count and values else ()
    return [*generated, *every, *boundary_cases(spec_name, others)]
