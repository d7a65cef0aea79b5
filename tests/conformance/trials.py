"""What one conformance run tries: backends started, cases chosen, results and news kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from plumbline.backends import Backend, BackendError, Host, find_backend, is_asked
from plumbline.backends.registry import EMBEDDED
from plumbline.cases import Case, generate_cases, made_cases, read_cases
from plumbline.cases.made import GENERATED
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.trial import KnownDivergences, RecordError, RecordWriter, Session
from plumbline.trial.header import header
from plumbline.trial.judge import answers_nothing
from plumbline.trial.known import KnownError
from plumbline.trial.session import Result, forms

DESCRIBED = 10
"""Faults described at length in the terminal; the page describes all."""


class TrialsError(ValueError):
    """A run that cannot be done; the text is one line."""


def record_name(identity: Mapping[str, Any]) -> str:
    """The file name of the record of a backend, from how it describes itself."""
    letters = f"{identity['name']}-{identity['version']}"
    return "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in letters) + ".jsonl"


@dataclass(frozen=True, eq=False, repr=False)
class Item:
    """One case in one form for one backend."""

    backend: Backend
    case: Case
    form: str
    name: str


@dataclass(eq=False, repr=False)
class Trials:
    """The options of a run, and what they come to. Raises TrialsError."""

    named: list[str]
    python: str | None
    spec_glob: str
    case_paths: list[str] | None
    generated: int | None
    seed: int
    time_limit: float
    memory_limit: int
    folder: Path
    strict: bool
    command: str
    errors: list[str] = field(init=False, default_factory=list)
    sessions: dict[str, Session] = field(init=False, default_factory=dict)
    faults: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        try:
            self.specs = [load_spec(name) for name in spec_names() if fnmatch(name, self.spec_glob)]
        except SpecError as error:
            raise TrialsError(str(error)) from None
        if not self.specs:
            raise TrialsError(f"--spec {self.spec_glob!r} matches none of {', '.join(spec_names())}")
        if self.generated is None:
            self.generated = 0 if self.case_paths else GENERATED
        if self.generated < 0 or self.seed < 0 or self.time_limit <= 0 or self.memory_limit <= 0:
            raise TrialsError("--generated and --seed are zero or more, --time-limit and --memory-limit above zero")
        if self.python is not None and not Path(self.python).exists():
            raise TrialsError(f"--python {self.python}: there is no such interpreter")
        names = {spec.name for spec in self.specs}
        self.everything, errors = read_cases(self.case_paths)
        self.errors += map(str, errors)
        self.cases = [case for case in self.everything if case.spec in names]
        for spec in self.specs:
            if not self.case_paths:
                self.cases += made_cases(spec.name, self.everything, seed=self.seed, count=self.generated)
            else:
                self.cases += generate_cases(spec.name, seed=self.seed, count=self.generated)
        if not self.cases:
            raise TrialsError("; ".join(self.errors) or "no case is left to try")
        try:
            python = Path(self.python) if self.python else None
            self.backends = [find_backend(name, python) for name in dict.fromkeys(self.named)]
        except BackendError as error:
            raise TrialsError(str(error)) from None
        for backend in self.backends:
            if not self._asked(backend):
                raise TrialsError(self._nothing_left(backend, backend.specifications))

    def start(self, items: Sequence[Item]) -> None:
        """Start the backends of `items`, each with its record. Raises TrialsError."""
        for backend in self.backends:
            theirs = [item for item in items if item.backend is backend]
            if theirs:
                self._start(backend, theirs)

    def _start(self, backend: Backend, items: Sequence[Item]) -> None:
        try:
            host = backend.start(self.memory_limit)
        except BackendError as error:
            raise TrialsError(str(error)) from None
        try:
            self.sessions[backend.named] = self._session(backend, items, host)
        except (KnownError, RecordError, TrialsError) as error:
            host.close()
            raise TrialsError(str(error)) from None

    def _session(self, backend: Backend, items: Sequence[Item], host: Host) -> Session:
        known = KnownDivergences.load(backend.adapter, host.identity["version"])
        identity = {"named": backend.named, "requirements": _packages(backend, host), **host.identity,
                    "tried": known.tried, "known": known.digest}
        patterns = identity["specifications"]
        asked = [spec for spec in self.specs if is_asked(patterns, spec.name)]
        names = [spec.name for spec in asked]
        cases = [case for case in self.cases if case.spec in names]
        puts = [(item.case, item.form) for item in items if item.case.spec in names]
        if not puts:
            raise TrialsError(self._nothing_left(backend, patterns))
        path = self.folder / record_name(identity)
        if path in self.records:
            raise TrialsError(f"two backends call themselves {path.stem}; their records would overwrite each other")
        if not self.case_paths:
            self.errors += known.check_ids(self.everything, names)
        not_asked = [spec.name for spec in self.specs if spec.name not in names]
        options: dict[str, Any] = {"spec": self.spec_glob, "cases": self.case_paths, "generated": self.generated,
                                   "seed": self.seed, "time_limit": self.time_limit, "memory_limit": self.memory_limit,
                                   "strict": self.strict}
        writer = RecordWriter(path, header(identity, asked, cases, self.command, options, puts, not_asked))
        session = Session(host, known, writer, self.time_limit)
        session.plan(puts)
        return session

    def _nothing_left(self, backend: Backend, patterns: Sequence[str]) -> str:
        return (f"{backend.named} can be asked about {', '.join(patterns)}, of which --spec {self.spec_glob!r} and the "
                "selection leave nothing")

    def asks(self, item: Item) -> bool:
        """Whether the backend of a started run can be asked about the specification of an item."""
        return is_asked(self.sessions[item.backend.named].host.identity["specifications"], item.case.spec)

    @property
    def records(self) -> list[Path]:
        """The records of this run."""
        return [session.writer.path for session in self.sessions.values()]

    def items(self) -> Iterator[Item]:
        """Everything that is tried, backend by backend."""
        for backend in self.backends:
            for case in self._asked(backend):
                for form in forms(load_spec(case.spec)):
                    yield Item(backend, case, form, f"{backend.named}::{case.spec}::{case.id}[{form}]")

    def _asked(self, backend: Backend) -> list[Case]:
        """The cases that a backend can be asked, all of them where only the backend itself can tell."""
        patterns = backend.specifications
        return [case for case in self.cases if patterns is None or is_asked(patterns, case.spec)]

    def put(self, item: Item) -> Result:
        """Try one item; its result is in the record when this returns."""
        return self.sessions[item.backend.named].put(item.case, item.form)

    def fault(self, item: Item, result: Result) -> str | None:
        """Why this result fails the run, None when it does not."""
        tried = self.sessions[item.backend.named].known.tried
        if result.verdict.verdict == "harness-error":
            return self.describe(result)
        if not result.accuses or (result.known is not None and not self.strict):
            return None
        if not tried and result.verdict.verdict in ("diverges", "rejects-valid") and not self.strict:
            return None
        self.faults += 1
        described = self.describe(result)
        return described if self.faults <= DESCRIBED else described.splitlines()[0]

    def describe(self, result: Result) -> str:
        """A result in words: verdict, each broken clause with its statement, what was seen."""
        case, verdict = result.case, result.verdict
        spec = load_spec(case.spec)
        lines = [f"{case.spec} {case.id} [{result.form}]: {verdict.verdict}", f"  {case.title}"]
        for entry in verdict.divergences:
            if not spec.clauses[entry.clause].restates:
                lines += [f"  breaks {entry.clause}: {spec.clauses[entry.clause].statement}", f"    {entry.why}"]
        if not verdict.divergences:
            lines.append(f"  {verdict.did}")
        return "\n".join([*lines, f"  {case.place or case.source}"])

    def close(self) -> None:
        """End every session. A version that no one has tried may refuse what it likes, but not everything."""
        for named, session in self.sessions.items():
            session.close()
            verdicts = [(result.verdict.verdict, result.verdict.phase) for result in session.results]
            if not session.known.tried and answers_nothing(verdicts):
                self.errors.append(f"{named} {session.host.identity['version']} answers none of the calls that it "
                                   "declares, and no one has tried this version yet")

    def status(self) -> int:
        """What the exit status is at least: 2 for what could not be done, 1 for known divergences that are gone."""
        results = [result for session in self.sessions.values() for result in session.results]
        if self.errors or any(result.verdict.verdict == "harness-error" for result in results):
            return 2
        gone = any(session.known.gone() for session in self.sessions.values() if session.known.tried or self.strict)
        return 1 if gone else 0


def _packages(backend: Backend, host: Host) -> list[str]:
    """What to install to have the runtime that was tried; [] where only its author can tell."""
    embedded = [f"{EMBEDDED}=={host.identity['version']}"] if backend.adapter == EMBEDDED else []
    return list(backend.requirements) or embedded
