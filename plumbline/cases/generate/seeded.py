"""Generate calls from a seed; case k depends only on the seed and k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.tested_clauses import on_outputs
from plumbline.cases.generate.choices import Dense, Draw, Tensor, drawn, makes_calls
from plumbline.cases.generate.value_recipes import title_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.type_names import name_of

DENSE = 1
"""Part of the seed of `dense_case`, so that its draws differ from those of `generated_case`."""


def generate_cases(spec_name: str, *, seed: int, count: int) -> Iterator[Case]:
    """Yield `count` valid calls, none if the operator definition makes none.

    Raises SpecError for an unknown specification."""
    for number in range(count if makes_calls(load_spec(spec_name)) else 0):
        yield generated_case(spec_name, seed=seed, number=number)


def generated_case(spec_name: str, *, seed: int, number: int) -> Case:
    """Return a generated case by its number.

    Raises SpecError for an unknown specification, LookupError if the operator definition makes no calls."""
    spec, draw = load_spec(spec_name), Draw((seed, number), number)
    call = drawn(spec, draw)
    return made_case(spec, f"generated-{seed}-{number}", title(call, draw.tensors), call,
                     f"plumbline.cases.generate_cases({spec.name!r}, seed={seed})")


def dense_case(spec_name: str, *, seed: int, number: int) -> Case:
    """Return a generated case by its number, with rare choices drawn more often.

    These are large and odd sizes, wide types and rare modes. Raises what `generated_case` raises."""
    spec, draw = load_spec(spec_name), Dense((seed, number, DENSE), number)
    call = drawn(spec, draw)
    return made_case(spec, f"dense-{seed}-{number}", title(call, draw.tensors), call,
                     f"plumbline.cases.generate.seeded.dense_case({spec.name!r}, seed={seed}, number={number})")


def title(call: Call, tensors: Sequence[Tensor]) -> str:
    """Return what the values of the first tensor are, and its type."""
    about = title_of(tensors[0].recipe) if tensors else "Without a drawn tensor"
    return f"{about}, {name_of(next(iter(call.inputs.values())).dtype)}" if call.inputs else about


@dataclass(frozen=True, eq=False, repr=False)
class GeneratedCase(Case):
    """A generated case, whose `clauses` are computed when they are first read."""

    def __post_init__(self) -> None:
        vars(self).pop("clauses")

    def __getattr__(self, name: str) -> tuple[str, ...]:
        """Compute `clauses`: those that some wrong output would break; in a context, those of the case alone."""
        if name != "clauses":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        clauses = on_outputs(load_spec(self.spec), self.call) if self.alone is self else self.alone.clauses
        vars(self)["clauses"] = clauses
        return clauses


def made_case(spec: Spec, case_id: str, title: str, call: Call, source: str) -> Case:
    """Return a generated case that expects the canonical outputs."""
    return GeneratedCase(case_id, title, spec.name, spec.opset, call, Expectation(outputs=spec.expected(call)), (),
                         source, flags_of(spec, call))
