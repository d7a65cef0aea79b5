"""What one conformance run tries: backends started, cases chosen, results and news kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from backends import Backend, BackendError, find_backend
from cases import Case, generate_cases, read_cases
from oracle import SpecError, load_spec, spec_names
from trial import KnownDivergences, RecordWriter, Session
from trial.header import header
from trial.known import KnownError
from trial.session import Result, forms

GENERATED = 64
"""Generated cases for each specification, unless cases are named."""

DESCRIBED = 10
"""Faults described at length in the terminal; the page describes all."""


class TrialsError(ValueError):
    """A run that cannot be done; the text is one line."""


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
        if self.generated < 0 or self.seed < 0 or self.time_limit <= 0:
            raise TrialsError("--generated and --seed are zero or more, --time-limit is above zero")
        if self.python is not None and not Path(self.python).exists():
            raise TrialsError(f"--python {self.python}: there is no such interpreter")
        names = {spec.name for spec in self.specs}
        self.everything, errors = read_cases(self.case_paths)
        self.errors += map(str, errors)
        self.cases = [case for case in self.everything if case.spec in names]
        for spec in self.specs:
            self.cases += generate_cases(spec.name, seed=self.seed, count=self.generated)
        if not self.cases:
            raise TrialsError("; ".join(self.errors) or "no case is left to try")
        try:
            python = Path(self.python) if self.python else None
            self.backends = [find_backend(name, python) for name in dict.fromkeys(self.named)]
        except BackendError as error:
            raise TrialsError(str(error)) from None

    def start(self, selected: int) -> None:
        """Start every backend, each with its record; `selected` items are tried of all. Raises TrialsError."""
        of = sum(1 for _ in self.items())
        for backend in self.backends:
            self._start(backend, {"tried": selected // len(self.backends), "of": of // len(self.backends)})

    def _start(self, backend: Backend, selection: dict[str, int]) -> None:
        try:
            host = backend.start()
            known = KnownDivergences.load(backend.adapter, host.identity["version"])
        except (BackendError, KnownError) as error:
            raise TrialsError(str(error)) from None
        if not self.case_paths:
            self.errors += known.check_ids(self.everything, [spec.name for spec in self.specs])
        identity = {"named": backend.named, **host.identity, "tried": known.tried}
        safe = "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in
                       f"{identity['name']}-{identity['version']}")
        options: dict[str, Any] = {"spec": self.spec_glob, "cases": self.case_paths, "generated": self.generated,
                                   "seed": self.seed, "time_limit": self.time_limit, "strict": self.strict}
        path = self.folder / f"{safe}.jsonl"
        if path in self.records:
            host.close()
            raise TrialsError(f"two backends call themselves {safe}; their records would overwrite each other")
        writer = RecordWriter(path, header(identity, self.specs, self.cases, self.command, options, selection))
        self.sessions[backend.named] = Session(host, known, writer, self.time_limit)

    @property
    def records(self) -> list[Path]:
        """The records of this run."""
        return [session.writer.path for session in self.sessions.values()]

    def items(self) -> Iterator[Item]:
        """Everything that is tried, backend by backend."""
        for backend in self.backends:
            for case in self.cases:
                for form in forms(load_spec(case.spec)):
                    yield Item(backend, case, form, f"{backend.named}::{case.spec}::{case.id}[{form}]")

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
        """End every session, and keep what is known and gone."""
        for session in self.sessions.values():
            session.close()

    def status(self) -> int:
        """What the exit status is at least: 2 for what could not be done, 1 for known divergences that are gone."""
        results = [result for session in self.sessions.values() for result in session.results]
        if self.errors or any(result.verdict.verdict == "harness-error" for result in results):
            return 2
        gone = any(session.known.gone() for session in self.sessions.values() if session.known.tried or self.strict)
        return 1 if gone else 0
