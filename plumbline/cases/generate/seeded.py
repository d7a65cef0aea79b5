"""Calls generated from a seed by the maker of each operator; case k depends on the seed and on k alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.tested_clauses import on_outputs
from plumbline.cases.generate.choices import Dense, Draw, Tensor, drawn, makes_calls
from plumbline.cases.generate.value_recipes import title_of
from plumbline.oracle import Call, Spec, load_spec

DENSE = 1
"""Tells the seed of one kind of draw from that of the other."""


def generate_cases(spec_name: str, *, seed: int, count: int) -> Iterator[Case]:
    """`count` valid calls; none for an operator without a maker. Raises SpecError for an unknown specification."""
    for number in range(count if makes_calls(load_spec(spec_name)) else 0):
        yield generated_case(spec_name, seed=seed, number=number)


def generated_case(spec_name: str, *, seed: int, number: int) -> Case:
    """One of them by its number. Raises SpecError for an unknown specification, LookupError where nothing makes calls.
    """
    spec, draw = load_spec(spec_name), Draw((seed, number), number)
    call = drawn(spec, draw)
    return made_case(spec, f"generated-{seed}-{number}", title(call, draw.tensors), call,
                     f"cases.generate_cases({spec.name!r}, seed={seed})")


def dense_case(spec_name: str, *, seed: int, number: int) -> Case:
    """A valid call by its number, in which what is rare is drawn more often: large and odd sizes, wide types, rare
    modes. Raises what `generated_case` raises."""
    spec, draw = load_spec(spec_name), Dense((seed, number, DENSE), number)
    call = drawn(spec, draw)
    return made_case(spec, f"dense-{seed}-{number}", title(call, draw.tensors), call,
                     f"cases.generate.dense_case({spec.name!r}, seed={seed}, number={number})")


def title(call: Call, tensors: Sequence[Tensor]) -> str:
    """What the values of the first tensor are, and its type."""
    about = title_of(tensors[0].recipe) if tensors else "Without a drawn tensor"
    return f"{about}, {next(iter(call.inputs.values())).dtype.name}" if call.inputs else about


@dataclass(frozen=True, eq=False, repr=False)
class MadeCase(Case):
    """A case that is there for what some wrong output of it would break, which is computed when it is asked for."""

    def __post_init__(self) -> None:
        vars(self).pop("clauses")

    @cached_property
    def clauses(self) -> tuple[str, ...]:  # type: ignore[override]
        """Full addresses, in the order of the text; see `cases.tried`. In a context it tries what it tries alone."""
        return on_outputs(load_spec(self.spec), self.call) if self.alone is self else self.alone.clauses


def made_case(spec: Spec, case_id: str, title: str, call: Call, source: str) -> Case:
    """A case that expects the canonical outputs."""
    return MadeCase(case_id, title, spec.name, spec.opset, call, Expectation(outputs=spec.expected(call)), (), source,
                    flags_of(spec, call))
