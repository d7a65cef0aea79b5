"""Collect the cases of a conformance run: hand-written and generated."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

from plumbline.cases.format.case import Case
from plumbline.cases.format.computed import CanonicalOutputs
from plumbline.cases.format.disk_cache import DiskCache, digest_of
from plumbline.cases.format.loader import CaseError, files_about, read_cases
from plumbline.cases.format.withdrawn import withdrawn
from plumbline.cases.generate.boundaries import boundary_cases
from plumbline.cases.generate.cached_cases import CaseSet, coverage_of, entry_name, read_cases_of, write_cases
from plumbline.cases.generate.clause_cases import clause_cases
from plumbline.cases.generate.combinations import combination_cases
from plumbline.cases.generate.deciding_values import deciding_cases
from plumbline.cases.generate.exhaustive import every_value_cases
from plumbline.cases.generate.schema_cases import schema_cases
from plumbline.cases.generate.seeded import generate_cases
from plumbline.cases.generate.size_classes import size_class_cases
from plumbline.cases.generate.special_cases import special_cases
from plumbline.oracle import Spec, load_spec
from plumbline.oracle.foreign_code import guarded
from plumbline.oracle.specification import matches
from plumbline.processes.copies import shared

GENERATED, OF_OLDER = 64, 16
"""Generated cases in a run without options: of the newest version of a text, and of one that a later replaces."""

ELEMENTS = 1 << 17
"""Of all calls together whose answers are kept while cases are made: some 100 MB, and most calls of an operator."""

OLDER_ONE_IN = 4
"""Of how many versions that a later replaces one is tried, in a run over operators that it does not name."""


def in_turn(names: Iterable[str], globs: Iterable[str], seed: int) -> list[str]:
    """Return the versions in `names` that a run with these patterns and this seed tries.

    They are the newest, and a sample of the older ones that the seed turns; all versions of an operator where the
    newest is not among them, and of one that a pattern names, as `onnx/relu` and `onnx/relu@*` do."""
    named = [glob for glob in globs if not any(mark in glob.partition("@")[0] for mark in "*?[")]
    chosen: list[str] = []
    for text, group in groupby(names, lambda name: name.partition("@")[0]):
        versions = list(group)
        is_sampled = any(load_spec(name).is_newest for name in versions)
        turn = zlib.crc32(text.encode()) + seed
        chosen += [name for place, name in enumerate(versions)
                   if not is_sampled or load_spec(name).is_newest or (place + turn) % OLDER_ONE_IN == 0
                   or any(matches(name, glob) for glob in named)]
    return chosen


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
    those for clauses that no written case names, those for special values and their combinations, those on every value
    of a small type, and those at the sizes that no written case has: what is found at a size depends on no seed."""
    written = [case for case in written if case.spec == spec_name]
    calls = [case.call for case in written]
    others = [*calls, *(case.call for case in generated)]
    boundary = boundary_cases(spec_name, others)
    if not large:
        return [*boundary]
    return [*schema_cases(spec_name), *clause_cases(spec_name, written), *every_value_cases(spec_name),
            *combination_cases(spec_name), *boundary, *special_cases(spec_name, calls),
            *deciding_cases(spec_name), *size_class_cases(spec_name, calls)]


def replacements(spec_name: str, written: Iterable[Case]) -> list[Case]:
    """Return the generated cases that replace withdrawn ones."""
    ids = set(withdrawn(spec_name).values())
    return [case for case in unseeded_cases(spec_name, written) if case.id in ids] if ids else []


def all_cases(names: Sequence[str], *, seed: int, count: int | None, processes: int = 1,
              cache: DiskCache | None = None, generates: Callable[[str], bool] | None = None,
              tried: Collection[str] | None = None) -> tuple[CaseSet, list[CaseError]]:
    """Return the written and generated cases of specifications, and the errors in their files.

    seed:      of the random calls, of which there are `count` for each specification, None for the usual number.
    processes: how many choose cases at once.
    cache:     where cases are read from and written to.
    generates: tells of which specifications generated cases are wanted, by default of all. Where they are wanted of
               some versions alone, what has to be made is not written to the cache.
    tried:     those that have generated cases at all, by default all.

    Raises SpecError."""
    wanted = generates or bool  # no name is empty
    groups = [list(versions) for _, versions in groupby(names, lambda name: name.partition("@")[0])]
    sampled = [versions if tried is None else [*filter(tried.__contains__, versions)] for versions in groups]
    parts = [_Part(versions, files, None if cache is None else entry_name(versions, files, seed, count, chosen),
                   [*filter(wanted, chosen)], len(chosen))
             for versions, files, chosen in zip(groups, files_about(groups), sampled, strict=True)]
    made = {part.names[0]: None if cache is None else read_cases_of(cache, str(part.entry)) for part in parts}
    missing = [part for part in parts if made[part.names[0]] is None]
    errors: dict[str, CaseError] = {}  # a file may be about several specifications
    for part, (cases, wrong) in zip(missing, shared(partial(_made, seed=seed, count=count, cache=cache), missing,
                                                    processes, guarded), strict=True):
        errors |= {str(error): error for error in wrong}
        if cases is None and cache is not None:
            cases = read_cases_of(cache, str(part.entry)) or _made(part, seed, count, None)[0]
        made[part.names[0]] = cases
    is_whole = not errors and cache is not None and all(part.is_whole for part in missing)
    sets = [cases for cases in made.values() if cases is not None]
    return CaseSet([case for cases in sets for case in cases.written],
                   [case for cases in sets for case in cases.generated],
                   {name: covered for cases in sets for name, covered in cases.coverage.items()},
                   digest_of([part.entry for part in parts]) if is_whole else ""), [*errors.values()]


@dataclass(frozen=True)
class _Part:
    """The versions of a specification, and what is needed to make their cases.

    files:     the files that may hold cases of them.
    entry:     the name of their cache entry, None without a cache.
    generates: the versions of which generated cases are made.
    sampled:   how many would be, if those of all were wanted.
    """

    names: list[str]
    files: list[Path]
    entry: str | None
    generates: list[str]
    sampled: int

    @property
    def is_whole(self) -> bool:
        """True if all cases are wanted."""
        return len(self.generates) == self.sampled


def _made(part: _Part, seed: int, count: int | None, cache: DiskCache | None
          ) -> tuple[CaseSet | None, list[CaseError]]:
    """Return the cases of a part; None if the cache holds them now. They need not be sent to another process then."""
    with Spec.recent.keeping(ELEMENTS):
        return _made_and_written(part, seed, count, cache)


def _made_and_written(part: _Part, seed: int, count: int | None, cache: DiskCache | None
                      ) -> tuple[CaseSet | None, list[CaseError]]:
    written, errors = read_cases(part.files, part.names)
    made = [case for name in part.generates for case in generated_cases(name, written, seed=seed, count=count)]
    cases = CaseSet(written, made)
    if cache is None or part.entry is None or errors or not part.is_whole:
        for case in [*written, *made]:
            _ = case.digest  # here, where several work
            _drop_large_outputs(case)
        return cases, errors
    cases = replace(cases, coverage=coverage_of(part.names, [*written, *made]))
    return (None if write_cases(cache, part.entry, cases) else cases), errors


def _drop_large_outputs(case: Case) -> None:
    """Have large canonical outputs of a generated case computed again, instead of kept until its turn comes."""
    if case.generated and case.gives_large:
        expected = CanonicalOutputs(case.spec, case.call, is_large=True)
        vars(case)["expectation"] = replace(case.expectation, outputs=expected)
