"""Known divergences of a backend, and their use in a run.

They are strict both ways: an entry that was exercised and no longer fails is reported, and so is one that names
nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from plumbline.cases import Case
from plumbline.cases.format.flags import flags_of, reads_values
from plumbline.cases.format.withdrawn import withdrawn
from plumbline.cases.onnx.contexts import contexts
from plumbline.data import PACKAGE
from plumbline.oracle import Call, Divergence, Spec, load_spec
from plumbline.oracle.accuracy import FAMILY, chosen_profile
from plumbline.oracle.clause import full_address
from plumbline.oracle.specification import matches
from plumbline.trial.known.register_file import KnownEntry, KnownError, KnownFile, read_known
from plumbline.trial.known.symptoms import shows
from plumbline.trial.record.judge import Verdict

FOLDER = PACKAGE / "backends" / "divergences"

__all__ = ["FOLDER", "KnownDivergences", "KnownEntry", "KnownError", "KnownFile", "read_known"]

EXAMINED = 64
"""Wrong elements, at least, whose receptive fields are examined."""


def examined(part: Divergence) -> list[tuple[int, ...]]:
    """Return the wrong elements whose receptive fields are examined."""
    return [] if part.where is None else list(map(tuple, part.where[::max(1, len(part.where) // EXAMINED)].tolist()))


def unread_flags(spec: Spec, call: Call, divergences: Iterable[Divergence]) -> list[str]:
    """Return the flags of a call about values that some wrong element does not read.

    An entry that names them does not explain the result. Raises OutsideDomain."""
    places = [(part.output, where) for part in divergences for where in examined(part)]
    return [flag for flag in flags_of(spec, call) if places
            and not all(reads_values(spec, call, [flag], output, where) for output, where in places)]


Key = tuple[str, str, str]
"""An entry, a case and a form."""

Usage = tuple[set[Key], dict[Key, str], set[str]]
"""The use of entries in a part of a run: failing, exercised, used."""


@dataclass(eq=False)
class KnownDivergences:
    """The entries on a version, and their use in a run.

    tried: whether the list is complete for the version.
    """

    entries: list[KnownEntry] = field(default_factory=list)
    tried: bool = True
    _failing: set[Key] = field(default_factory=set)
    _exercised: dict[Key, str] = field(default_factory=dict)
    _unused: dict[str, KnownEntry] = field(default_factory=dict)

    @classmethod
    def load(cls, backend: str, version: str, folder: Path = FOLDER,
             about: Collection[str] | None = None) -> KnownDivergences:
        """Load the backend's file, if it has one. Raises KnownError.

        With `about`, entries on other specifications are not checked, so that these need not be read."""
        path = folder / f"{backend}.yaml"
        if not backend or not path.exists():
            return cls()
        known = read_known(path, about)
        entries = [entry for entry in _entries(path, known, folder, about)
                   if entry.holds(version) and _is_asked(entry)]
        return cls(entries, _is_tried(known, version))

    @classmethod
    def of_all_versions(cls, backend: str, folder: Path = FOLDER) -> KnownDivergences:
        """Load all entries of the backend's file, whatever versions they are about. Raises KnownError."""
        path = folder / f"{backend}.yaml"
        return cls(_entries(path, read_known(path), folder))

    def joined(self, paths: Iterable[Path], backend: str, version: str, folder: Path = FOLDER) -> KnownDivergences:
        """Return these entries with those of files about the backend.

        The files say whether the version was tried. Raises KnownError."""
        files = {path: known for path in paths if (known := read_known(path)).backend == backend}
        if not files:
            return self
        added = [entry for path, known in files.items() for entry in _entries(path, known, folder)
                 if entry.holds(version) and _is_asked(entry)]
        shared = {entry.id for entry in self.entries} & {entry.id for entry in added}
        if shared:
            raise KnownError(f"known divergence {min(shared)!r} is in two files; give one of them another id")
        return KnownDivergences([*self.entries, *added], all(_is_tried(known, version) for known in files.values()),
                                _unused={entry.id: entry for entry in added})

    @property
    def digest(self) -> str:
        """A digest of the entries and `tried`."""
        entries = [entry.model_dump(mode="json") for entry in self.entries]
        return hashlib.sha256(json.dumps([self.tried, entries]).encode()).hexdigest()

    def check_ids(self, cases: Iterable[Case], spec_names: Iterable[str]) -> list[str]:
        """Return a line for each unknown case or form.

        `cases` are all of these specifications; an entry on others too is not checked."""
        ids = {(case.spec, case.id) for case in cases}
        ids |= {(spec, case) for spec in spec_names for case in withdrawn(spec)}
        ids |= {(spec, f"{case}/{context}") for spec, case in ids for context in contexts()}
        tried = set(spec_names)
        return [f"known divergence {entry.id!r} names {wrong}, which {entry.spec} does not have"
                for entry in self.entries if tried.issuperset(entry.specs)
                for wrong in [*(f"the case {case!r}" for pattern, case, _ in entry.named
                                if not any((spec, case) in ids for spec in entry.specs if matches(spec, pattern))),
                              *(f"the form {form!r}" for form in [*entry.forms, *sum(entry.cases.values(), [])]
                                if form not in {"+".join(outputs) for spec in entry.specs
                                                for outputs in load_spec(spec).forms})]]

    def explain(self, spec: Spec, case: Case, form: str, verdict: Verdict) -> KnownEntry | None:
        """Return the entry that explains a verdict, or None.

        A call may show several faults: each broken clause needs an entry, and the first of them is returned.

        form: the outputs asked for, "Y+Indices". Use of entries is noted."""
        open_parts, entries, keys = set(range(len(verdict.divergences))), list[KnownEntry](), list[Key]()
        for entry in self._entries_on(spec, case, form):
            self._unused.pop(entry.id, None)
            key = (entry.id, f"{spec.name} {case.id}", form)
            named = (entry.forms_of(case.spec, case.id) is not None if case.context or case.generated else True)
            is_certain = entry.verdict != "unstable" and not entry.processors
            if named and is_certain and verdict.verdict != "unsupported":
                self._exercised[key] = f"{spec.name} {case.id} [{form}]"
            if verdict.verdict not in entry.verdicts or entry.says not in verdict.did:
                continue
            explained = {number for number, part in enumerate(verdict.divergences)
                         if self._explains(entry, spec, case, part)}
            if explained or not verdict.divergences:
                entries.append(entry)
                keys.append(key)
                open_parts -= explained
        if open_parts or not entries:
            return None
        self._failing.update(keys)
        return entries[0]

    def usage(self) -> Usage:
        """Return the use of entries since the last call."""
        usage = self._failing, self._exercised, self.by_id.keys() - self._unused.keys()
        self._failing, self._exercised = set(), {}
        return usage

    def join(self, usage: Usage) -> None:
        """Add the use of entries in another process."""
        failing, exercised, used = usage
        self._failing |= failing
        self._exercised |= exercised
        for name in used:
            self._unused.pop(name, None)

    def may_end(self, spec: Spec, case: Case, form: str) -> bool:
        """Return True if such a call is known to crash or hang."""
        return any(entry.verdict in ("crashes", "hangs") for entry in self._entries_on(spec, case, form))

    def gone(self, case: Case | None = None, form: str = "") -> list[str]:
        """Return a line for each exercised entry that no longer occurs. With a case and a form, only for those."""
        keys = self._exercised if case is None else [
            key for entry in self._by_spec.get(case.spec, ())
            if (key := (entry.id, f"{case.spec} {case.id}", form)) in self._exercised]
        return [f"{self._exercised[key]}: known divergence {key[0]!r} no longer occurs" for key in keys
                if key not in self._failing]

    def unused(self) -> list[str]:
        """Return a line for each added entry that matched nothing."""
        return [f"known divergence {name!r} matches nothing that was tried" for name in self._unused]

    @cached_property
    def by_id(self) -> dict[str, KnownEntry]:
        """The entries by their ids."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def _by_spec(self) -> dict[str, list[KnownEntry]]:
        by_spec: dict[str, list[KnownEntry]] = {}
        for entry in self.entries:
            for name in entry.specs:
                by_spec.setdefault(name, []).append(entry)
        return by_spec

    def _entries_on(self, spec: Spec, case: Case, form: str) -> Iterator[KnownEntry]:
        return (entry for entry in self._by_spec.get(spec.name, ()) if self._covers(entry, case, form))

    @classmethod
    def _explains(cls, entry: KnownEntry, spec: Spec, case: Case, part: Divergence) -> bool:
        """Return True if an entry is about a broken clause and its wrong elements."""
        broken = spec.clauses[part.clause].restates or part.clause
        return (broken in {full_address(spec.name, clause) for clause in entry.clauses}
                and shows(entry.symptoms, spec, case.call, part) and cls._reads(entry, spec, case, part))

    @staticmethod
    def _reads(entry: KnownEntry, spec: Spec, case: Case, part: Divergence) -> bool:
        """Return True if wrong elements depend on the flagged values, or if the entry names the case."""
        if entry.forms_of(spec.name, case.id, case.base_id) is not None:
            return True
        flags = set(entry.generated or ()) & set(case.flags)
        if part.where is None or not flags:
            return True
        return all(reads_values(spec, case.call, flags, part.output, where) for where in examined(part))

    @staticmethod
    def _covers(entry: KnownEntry, case: Case, form: str) -> bool:
        """Return True if an entry is about a case in a form.

        An entry on a case explains it in every context, unless it names contexts."""
        if entry.contexts and case.context not in entry.contexts and entry.forms_of(case.spec, case.id) is None:
            return False
        if form in (entry.forms_of(case.spec, case.id, case.base_id) or ()):
            return True
        if not case.generated and not case.context:
            return False
        return (entry.generated is not None and set(entry.generated) <= set(case.flags)
                and (not entry.forms or form in entry.forms) and (not entry.dtypes or case.dtype in entry.dtypes))


def _entries(path: Path, known: KnownFile, folder: Path, about: Collection[str] | None = None) -> list[KnownEntry]:
    """Return the entries of a file that was read, and of its model."""
    model = folder / f"{known.like}.yaml"
    if known.like and not model.exists():
        raise KnownError(f"{path.name}: like: there is no {model.name}")
    inherited = _entries(model, read_known(model, about), folder, about) if known.like else []
    if absent := set(known.unlike) - {entry.id for entry in inherited}:
        raise KnownError(f"{path.name}: unlike: {model.name} has no entry {min(absent)!r}")
    inherited = [entry for entry in inherited if entry.id not in known.unlike]
    if known.as_of:
        inherited = [entry.model_copy(update={"versions": ""}) for entry in inherited if entry.holds(known.as_of)]
    return [*known.divergences, *inherited]


def _is_asked(entry: KnownEntry) -> bool:
    """Return True unless the entry is about another accuracy profile."""
    return entry.profiles <= {f"{FAMILY}/{chosen_profile()}"}


def _is_tried(known: KnownFile, version: str) -> bool:
    return known.tried is None or version in known.tried
