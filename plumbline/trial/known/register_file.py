"""Read files of known divergences: expected failures of a backend.

They are `backends/divergences/NAME.yaml`, or files of the user that `--known` names. Their JSON Schema is
`known.schema.json`:

    backend: onnxruntime             # the name that it gives itself
    tried: [1.23.2]                  # the versions for which this list is complete; all versions if left out
    like: another-backend            # optional: the entries of its file in backends/divergences hold here too
    unlike: [nan-decides]            # optional: those of them that do not
    as_of: 2026.4.1                  # optional: those of this version of it, whatever version is tried
    divergences:
      - id: nan                      # a name
        spec: sonnx/maxpool          # or a pattern: onnx/*
        verdict: diverges
        versions: "<1.24"            # PEP 440; all versions if left out
        clauses: [Y.F1]              # all clauses that may be broken; left out for verdicts without clauses; with
                                     # accuracy/opencl-full#exp.F1 the entry is about runs with that --accuracy
        cases: {nan-first: [Y]}      # case to forms; each must fail; "onnx/max@* nan": of these specifications alone
        generated: [nan]             # flags: explains generated cases that have all of them; these need not fail
        forms: [Y]                   # limits `generated`, as does `dtypes`
        contexts: [quantized]        # explains these contexts alone; `cases` can name a case in one: case/quantized
        dtypes: [float32]
        symptoms: [lowest-finite]    # of wrong elements (trial/known/symptoms.py); each clause shows one
        says: not implemented        # part of the message of a refusal, crash or hang
        reason: ...
        documented: ...              # the place in the specification's source, if it is documented
        link: ...                    # optional
        processors: ...              # optional: those on which it occurs, where it does not occur on others
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from plumbline.cases.format.flags import all_notes as flag_notes
from plumbline.cases.format.withdrawn import current_id
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import load_spec
from plumbline.oracle.accuracy import is_of_profile
from plumbline.oracle.choosing import element_type
from plumbline.oracle.clause import full_address
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.files import read_text
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import matches, names_matching, profiles
from plumbline.oracle.yaml_text import YAMLError, load
from plumbline.trial.known.symptoms import notes as symptom_notes
from plumbline.trial.record.judge import ACCUSES

SCHEMA_FILE = Path(__file__).resolve().with_name("known.schema.json")

SHORTEST = 10
"""Fewest letters of a reason."""

LONGEST = 100
"""Most letters of a name or version."""


class KnownError(ValueError):
    """A file of known divergences that cannot be used."""

    def __str__(self) -> str:
        return safe(super().__str__())


def _check_names(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise ValueError for unknown names."""
    unknown = set(names).difference(known)
    if unknown:
        meant = "".join(did_you_mean(name, known) for name in sorted(unknown))
        raise ValueError(f"no {kind} is called {', '.join(sorted(unknown))}{meant}; {kind}s are {', '.join(known)}")


def _check_defined(kind: str, names: Collection[str], notes: Callable[..., Mapping[str, str]],
                   info: ValidationInfo) -> None:
    """Raise ValueError for unknown names that definitions of operators define.

    In a file that is read for some specifications, entries on others are not checked, and the definitions of these
    specifications are asked first: to read all of them takes long."""
    about = (info.context or {}).get("about")
    if about is not None:
        asked = {name.partition("@")[0] for name in set(names_matching(info.data.get("spec", ""))) & set(about)}
        if not asked or set(names) <= notes(frozenset(asked)).keys():
            return
    if names:
        _check_names(kind, names, notes())


class KnownEntry(BaseModel):
    """An entry of a file; see the module."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(description="A name, unique in the file")
    spec: str = Field(description="A specification, or a pattern: onnx/*")
    verdict: str = Field(description="What such results are called", json_schema_extra={"enum": list(ACCUSES)})
    versions: str = Field("", description="Versions of the backend, as in '<1.24'; every version where left out")
    reason: str = Field(description="Why it fails", json_schema_extra={"minLength": SHORTEST})
    clauses: list[str] = Field(default=[], description="Every clause that may be broken; none for other verdicts")
    cases: dict[str, list[str]] = Field(default={}, description="Cases, each with the forms that must fail: ID, or "
                                        "PATTERN ID for the specifications of that pattern alone")
    generated: list[str] | None = Field(None, description="Flags; explains the generated cases that have them all")
    forms: list[str] = Field(default=[], description="Limits `generated`")
    dtypes: list[str] = Field(default=[], description="Limits `generated`")
    contexts: list[str] = Field(default=[], description="Explains only what is put in one of these contexts")
    symptoms: list[str] = Field(default=[], description="What wrong elements look like; each clause shows one")
    says: str = Field("", description="What the backend says then, or a part of it: of a refusal, a crash or a hang")
    documented: str = Field("", description="Where the source of the specification says so")
    link: str = Field("", description="Where the fault is reported or explained")
    processors: str = Field("", description="The processors on which it occurs, where it does not occur on others")

    @cached_property
    def specs(self) -> list[str]:
        """The specifications that match the pattern."""
        return names_matching(self.spec)

    @cached_property
    def named(self) -> list[tuple[str, str, list[str]]]:
        """The cases that it names: pattern of specifications, id, forms."""
        keys = [(*key.rpartition(" ")[::2], forms) for key, forms in self.cases.items()]
        return [(pattern or self.spec, case, forms) for pattern, case, forms in keys]

    def forms_of(self, spec: str, *ids: str) -> list[str] | None:
        """Return the forms of the case of a specification with the first of these ids that it names, else None."""
        for each in ids:
            named = [forms for pattern, case, forms in self.named
                     if current_id(spec, case) == each and matches(spec, pattern)]
            if named:
                return sum(named, [])
        return None

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts that it explains.

        An unstable result may also be wrong, or end the process, each time. A call without end may take memory, too,
        and end the process where there is less of it."""
        return {"unstable": ("unstable", "diverges", "crashes"), "hangs": ("hangs", "crashes")}.get(
            self.verdict, (self.verdict,))

    def holds(self, version: str) -> bool:
        """Return True if the entry is about a version. A version outside PEP 440 matches no specifier."""
        try:
            return not self.versions or SpecifierSet(self.versions, prereleases=True).contains(Version(version))
        except InvalidVersion:
            return False

    @cached_property
    def profiles(self) -> set[str]:
        """The accuracy profiles whose clauses it names; it is about runs that are judged by them."""
        return {clause.partition("#")[0] for clause in self.clauses if is_of_profile(clause)}

    @field_validator("versions")
    @classmethod
    def is_specifier(cls, value: str) -> str:
        """Check that it is a specifier of PEP 440."""
        try:
            if len(value) > LONGEST:
                raise ValueError
            SpecifierSet(value)
        except ValueError:
            raise ValueError(f"{value[:LONGEST]!r} is not a version specifier such as '<1.24'") from None
        return value

    @field_validator("dtypes")
    @classmethod
    def types_exist(cls, value: list[str]) -> list[str]:
        """Check that the element types exist."""
        for name in value:
            try:
                element_type(name)
            except (TypeError, ValueError):
                raise ValueError(f"{name[:LONGEST]!r} is not an element type such as float32") from None
        return value

    @field_validator("says")
    @classmethod
    def says_something(cls, value: str) -> str:
        """Check that it is not empty."""
        if not value:
            raise ValueError("is empty; give what the backend says, or leave the line out")
        return value

    @field_validator("verdict")
    @classmethod
    def accuses(cls, value: str) -> str:
        """Check that the verdict fails a run."""
        if value not in ACCUSES:
            raise ValueError(f"{value!r} is not one of {', '.join(ACCUSES)}")
        return value

    @field_validator("reason")
    @classmethod
    def is_given(cls, value: str) -> str:
        """Check that the reason has a few words."""
        if len(value.strip()) < SHORTEST:
            raise ValueError(f"say why in at least {SHORTEST} letters")
        return value

    @field_validator("link")
    @classmethod
    def leads_somewhere(cls, value: str) -> str:
        """Check that the link is a web address."""
        if "://" not in value:
            raise ValueError(f"{value!r} is not a web address; give one, or leave the line out")
        return value

    @field_validator("symptoms")
    @classmethod
    def symptoms_exist(cls, value: list[str], info: ValidationInfo) -> list[str]:
        """Check that the symptoms exist."""
        _check_defined("symptom", value, symptom_notes, info)
        return value

    @field_validator("contexts")
    @classmethod
    def contexts_exist(cls, value: list[str]) -> list[str]:
        """Check that the contexts exist."""
        _check_names("context", value, contexts())
        return value

    @field_validator("generated")
    @classmethod
    def flags_exist(cls, value: list[str] | None, info: ValidationInfo) -> list[str] | None:
        """Check that the flags exist."""
        _check_defined("flag", value or (), flag_notes, info)
        return value


class KnownFile(BaseModel):
    """A file of known divergences."""

    model_config = ConfigDict(extra="forbid")
    backend: str = Field(min_length=1, description="The name that the backend gives itself")
    tried: list[str] | None = Field(None, description="Versions for which the list is complete; every one if left out")
    like: str = Field("", description="A list of the suite's own whose entries hold too")
    unlike: list[str] = Field(default=[], description="Entries of that list that do not hold")
    as_of: str = Field("", description="The version of that list whose entries hold, if its versions are others",
                       max_length=LONGEST)
    divergences: list[KnownEntry]

    @field_validator("like")
    @classmethod
    def is_name(cls, value: str) -> str:
        """Check that it is a name, which leads to no other folder."""
        if not re.fullmatch(r"[\w-]{1,100}", value):
            raise ValueError(f"{value[:LONGEST]!r} is not the name of a list of the suite, such as onnxruntime")
        return value

    @field_validator("tried")
    @classmethod
    def are_versions(cls, value: list[str] | None) -> list[str] | None:
        """Check that versions are short."""
        for version in value or ():
            if len(version) > LONGEST:
                raise ValueError(f"{version[:20]}... has {len(version):,} letters; a version has at most {LONGEST}")
        return value


def schema_text() -> str:
    """Return the JSON Schema, which `plumbline known --schema` prints."""
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **KnownFile.model_json_schema()},
                      indent=2) + "\n"


def read_known(path: Path, about: Collection[str] | None = None) -> KnownFile:
    """Read a file and check its names. Raises KnownError.

    about: names of specifications; clauses, flags and symptoms are checked in entries on these alone, since the others
           would have to be read. None checks all entries."""
    try:
        data = load(read_text(path))
        known = KnownFile.model_validate(data, context={"about": about})
    except OSError as error:
        raise KnownError(f"{path}: cannot be read: {error.strerror}") from None
    except YAMLError as error:
        raise KnownError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise KnownError(f"{path.name}: not a list of known divergences; it begins with `backend: NAME`, and "
                             "`divergences:` holds the entries") from None
        why = first["msg"].removeprefix("Value error, ")
        raise KnownError(f"{path.name}: {_place(data, first['loc'])}{why}") from None
    ids: set[str] = set()
    for entry in known.divergences:
        _check_clauses(path.name, entry, about)
        if not entry.cases and entry.generated is None:
            raise KnownError(f"{path.name}: {entry.id}: matches nothing: name cases, or flags of generated cases")
        if entry.id in ids:
            raise KnownError(f"{path.name}: {entry.id}: two entries have this id")
        ids.add(entry.id)
    return known


def _place(data: Any, parts: tuple[int | str, ...]) -> str:
    """Return the place of a problem.

    It is ``nan: reason: `` with the id of an entry, ``divergences.0.id: `` without, "" for the whole file."""
    if len(parts) > 2:
        name = data[parts[0]][parts[1]].get("id")
        if isinstance(name, str):
            return f"{name}: {'.'.join(map(str, parts[2:]))}: "
    return "".join(f"{text}: " for text in [".".join(map(str, parts))] if text)


def _check_clauses(file: str, entry: KnownEntry, about: Collection[str] | None) -> None:
    """Raise KnownError for unknown specifications and clauses."""
    if not entry.specs:
        raise KnownError(f"{file}: {entry.id}: no specification is called {entry.spec!r}")
    if about is not None and set(entry.specs).isdisjoint(about):
        return
    for clause in entry.clauses:
        text = profiles().get(clause.partition("#")[0].partition("/")[2]) if is_of_profile(clause) else None
        if not any(clause in text.clauses if text else full_address(name, clause) in load_spec(name).clauses
                   for name in entry.specs):
            raise KnownError(f"{file}: {entry.id}: {entry.spec} has no clause {clause!r}")
