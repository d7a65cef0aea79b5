"""The cases of a conformance run: those that are written, and those that are made beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, groupby

from plumbline.cases.format.case import Case
from plumbline.cases.format.loader import CaseError, read_cases
from plumbline.cases.generate.boundaries import boundary_cases
from plumbline.cases.generate.exhaustive import every_value_cases
from plumbline.cases.generate.process_copies import shared
from plumbline.cases.generate.schema_cases import schema_cases
from plumbline.cases.generate.seeded import generate_cases
from plumbline.cases.generate.size_classes import size_class_cases
from plumbline.cases.generate.special_cases import special_cases
from plumbline.oracle import load_spec

GENERATED, OF_OLDER = 64, 16
"""Generated cases in a run without options: of the newest version of a text, and of one that a later replaces."""


def generated_cases(spec_name: str, written: Iterable[Case], *, seed: int, count: int | None = None, large: bool = True
                    ) -> list[Case]:
    """`count` generated cases, by default as many as in a run without options, and those that no seed takes part in;
    large ones where `large` and where something is generated. Raises SpecError."""
    if count is None:
        count = GENERATED if load_spec(spec_name).is_newest else OF_OLDER
    generated = list(generate_cases(spec_name, seed=seed, count=count))
    return [*generated, *unseeded_cases(spec_name, written, generated, large and count > 0)]


def unseeded_cases(spec_name: str, written: Iterable[Case], generated: Iterable[Case] = (),
                   large: bool = True) -> list[Case]:
    """The cases that depend on no seed.

    Those for the boundary classes that no other case has; where `large`, also those that break facts of the schema,
    those for special values, those on every value of a small type, and those at the sizes that no written case has:
    what is found at a size is not to depend on a seed."""
    calls = [case.call for case in written if case.spec == spec_name]
    others = [*calls, *(case.call for case in generated)]
    boundary = boundary_cases(spec_name, others)
    return [*schema_cases(spec_name), *every_value_cases(spec_name), *boundary, *special_cases(spec_name, others),
            *size_class_cases(spec_name, calls)] if large else [*boundary]


def all_cases(names: Sequence[str], *, seed: int, count: int | None, processes: int = 1
              ) -> tuple[list[Case], list[CaseError], list[Case]]:
    """The written cases of some specifications, what is wrong with their files, and the generated cases; so many
    processes choose them. Raises SpecError."""
    texts = [list(versions) for _, versions in groupby(names, lambda name: name.partition("@")[0])]
    parts = shared(partial(_all, seed=seed, count=count), texts, processes)
    errors = {str(error): error for _, found, _ in parts for error in found}  # a file may be about several texts
    written, _, made = zip(*parts, strict=True)
    return [*chain(*written)], [*errors.values()], [*chain(*made)]


def _all(names: list[str], seed: int, count: int | None) -> tuple[list[Case], list[CaseError], list[Case]]:
    written, errors = read_cases(None, names)
    return written, errors, [case for name in names for case in generated_cases(name, written, seed=seed, count=count)]
