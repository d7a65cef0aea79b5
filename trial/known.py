"""Known divergences of a backend: what is expected to fail, at which versions, and why. Strict both ways.

`backends/divergences/NAME.yaml`:

    backend: onnxruntime
    tried: [1.23.2]                  # the versions for which this list is complete
    like: another-backend            # the entries of its file hold here too; left out where there is none
    divergences:
      - id: nan                      # a name
        spec: sonnx/maxpool          # or a pattern: onnx/*
        verdict: diverges
        versions: "<1.24"            # PEP 440
        clauses: [Y.F1]              # every clause that may be broken; left out for verdicts without clauses
        cases: {nan-first: [Y]}      # case to forms; each must fail
        generated: [nan]             # flags: explains generated cases that have them all; these need not fail
        forms: [Y]                   # limits `generated`, as does `dtypes`
        dtypes: [float32]
        symptoms: [lowest-finite]    # what the wrong elements look like (trial/symptoms.py); each clause shows one
        reason: ...
        documented: ...              # where the specification's source says so, if it does
        link: ...                    # if there is one
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from ruamel.yaml import YAML, YAMLError

from plumbline.cases import Case
from plumbline.cases.flags import all_notes as flag_notes
from plumbline.oracle import Spec, load_spec, spec_names
from plumbline.oracle.clause import full_address
from plumbline.trial.judge import ACCUSES, Verdict
from plumbline.trial.symptoms import notes as symptom_notes
from plumbline.trial.symptoms import shows

FOLDER = Path(__file__).resolve().parent.parent / "backends" / "divergences"


class KnownError(ValueError):
    """A file of known divergences that cannot be used."""


class KnownEntry(BaseModel):
    """One entry; see the module."""

    model_config = ConfigDict(extra="forbid")
    id: str
    spec: str
    verdict: str
    versions: str
    reason: str = Field(min_length=10)
    clauses: list[str] = Field(default_factory=list)
    cases: dict[str, list[str]] = Field(default_factory=dict)
    generated: list[str] | None = None
    forms: list[str] = Field(default_factory=list)
    dtypes: list[str] = Field(default_factory=list)
    symptoms: list[str] = Field(default_factory=list)
    documented: str = ""
    link: str = ""

    @cached_property
    def specs(self) -> list[str]:
        """The specifications that the pattern names."""
        return [name for name in spec_names() if fnmatch(name, self.spec)]

    @field_validator("versions")
    @classmethod
    def is_specifier(cls, value: str) -> str:
        """PEP 440."""
        try:
            SpecifierSet(value)
        except InvalidSpecifier:
            raise ValueError(f"{value!r} is no version specifier such as '<1.24'") from None
        return value

    @field_validator("verdict")
    @classmethod
    def accuses(cls, value: str) -> str:
        """Only what fails a run can be known."""
        if value not in ACCUSES:
            raise ValueError(f"{value!r} is not one of {', '.join(ACCUSES)}")
        return value

    @field_validator("symptoms")
    @classmethod
    def symptoms_exist(cls, value: list[str]) -> list[str]:
        """Symptoms are those of `trial.symptoms`."""
        unknown = set(value) - set(symptom_notes())
        if unknown:
            raise ValueError(f"no symptom is called {', '.join(sorted(unknown))}; "
                             f"symptoms are {', '.join(symptom_notes())}")
        return value

    @field_validator("generated")
    @classmethod
    def flags_exist(cls, value: list[str] | None) -> list[str] | None:
        """Flags are those of `cases.flags`."""
        unknown = set(value or ()) - set(flag_notes())
        if unknown:
            raise ValueError(f"no flag is called {', '.join(sorted(unknown))}; flags are {', '.join(flag_notes())}")
        return value


class KnownFile(BaseModel):
    """A file of known divergences."""

    model_config = ConfigDict(extra="forbid")
    backend: str
    tried: list[str]
    like: str = ""
    divergences: list[KnownEntry]


@dataclass(eq=False)
class KnownDivergences:
    """The entries that hold for one backend at one version, and what became of them in a run."""

    entries: list[KnownEntry] = field(default_factory=list)
    tried: bool = True
    _failing: set[tuple[str, str, str]] = field(default_factory=set)
    _exercised: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @classmethod
    def load(cls, backend: str, version: str, folder: Path = FOLDER) -> KnownDivergences:
        """Of the backend's file; none for a backend without one. Raises KnownError."""
        path = folder / f"{backend}.yaml"
        if not backend or not path.exists():
            return cls()
        known = read_known(path)
        try:
            number = Version(version)
        except InvalidVersion:
            return cls(tried=False)
        other = folder / f"{known.like}.yaml"
        if known.like and not other.exists():
            raise KnownError(f"{path.name}: like: there is no {other.name}")
        shared = read_known(other).divergences if known.like else []
        entries = [entry for entry in [*known.divergences, *shared]
                   if SpecifierSet(entry.versions, prereleases=True).contains(number)]
        return cls(entries, version in known.tried)

    @property
    def digest(self) -> str:
        """One digest of the entries, and of whether the version was tried."""
        entries = [entry.model_dump(mode="json") for entry in self.entries]
        return hashlib.sha256(json.dumps([self.tried, entries]).encode()).hexdigest()

    def check_ids(self, cases: Iterable[Case], spec_names: Iterable[str]) -> list[str]:
        """Entries that name a case which does not exist, one line each; `cases` are all there are."""
        ids = {(case.spec, case.id) for case in cases}
        tried = set(spec_names)
        return [f"known divergence {entry.id!r} names the case {case!r}, which {entry.spec} does not have"
                for entry in self.entries if tried.intersection(entry.specs)
                for case in entry.cases if not any((spec, case) in ids for spec in entry.specs)]

    def explain(self, spec: Spec, case: Case, form: str, verdict: Verdict) -> KnownEntry | None:
        """The entry that explains a verdict, None when it is new (or accuses nobody). Keeps count."""
        found = None
        for entry in self.entries:
            if spec.name not in entry.specs or not self._covers(entry, case, form):
                continue
            key = (entry.id, f"{spec.name} {case.id}", form)
            if not case.generated and verdict.verdict != "unsupported":
                self._exercised[key] = f"{spec.name} {case.id} [{form}]"
            allowed = {full_address(spec.name, clause) for clause in entry.clauses}
            broken = {spec.clauses[part.clause].restates or part.clause for part in verdict.divergences}
            alike = all(shows(entry.symptoms, spec, case.call, part) for part in verdict.divergences)
            if entry.verdict == verdict.verdict and broken <= allowed and alike:
                self._failing.add(key)
                found = found or entry
        return found

    def may_end(self, spec: Spec, case: Case, form: str) -> bool:
        """Whether it is known that such a call ends the process, or its time."""
        return any(entry.verdict in ("crashes", "hangs") and spec.name in entry.specs
                   and self._covers(entry, case, form) for entry in self.entries)

    def gone(self) -> list[str]:
        """What was exercised and no longer occurs, one line each."""
        return [f"{self._exercised[key]}: known divergence {key[0]!r} no longer occurs"
                for key in self._exercised if key not in self._failing]

    @staticmethod
    def _covers(entry: KnownEntry, case: Case, form: str) -> bool:
        if not case.generated:
            return form in entry.cases.get(case.id, [])
        return (entry.generated is not None and set(entry.generated) <= set(case.flags)
                and (not entry.forms or form in entry.forms) and (not entry.dtypes or case.dtype in entry.dtypes))


def read_known(path: Path) -> KnownFile:
    """A file, each of whose entries names specifications and clauses that exist. Raises KnownError."""
    try:
        known = KnownFile.model_validate(YAML(typ="safe").load(path.read_text(encoding="utf-8")))
    except YAMLError as error:
        raise KnownError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise KnownError(f"{path.name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for entry in known.divergences:
        _check_clauses(path.name, entry)
    return known


def _check_clauses(file: str, entry: KnownEntry) -> None:
    if not entry.specs:
        raise KnownError(f"{file}: {entry.id}: no specification is called {entry.spec!r}")
    for clause in entry.clauses:
        if not any(full_address(name, clause) in load_spec(name).clauses for name in entry.specs):
            raise KnownError(f"{file}: {entry.id}: {entry.spec} has no clause {clause!r}")
