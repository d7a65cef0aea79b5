"""Run conformance tests: start backends, choose cases, record results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from plumbline.backends import Backend, BackendError, Host, Request, find_backend, is_asked
from plumbline.backends.capabilities import unmatched
from plumbline.backends.conversation import OUT_OF_MEMORY
from plumbline.backends.declared_limits import Asking
from plumbline.backends.foreign_text import NAME, one_line
from plumbline.backends.registry import EMBEDDED
from plumbline.cases import Case, generate_cases, read_cases
from plumbline.cases.format.disk_cache import DiskCache, cache_folder, release
from plumbline.cases.generate.cached_cases import Coverage
from plumbline.cases.generate.run_cases import all_cases, in_turn
from plumbline.cases.onnx.contexts import cached_with_contexts, contexts_named
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.oracle.accuracy import chosen_profile, is_of_profile
from plumbline.oracle.specification import matches, there_are
from plumbline.processes.copies import processors
from plumbline.trial.known.register import KnownDivergences, KnownError, read_known
from plumbline.trial.record.header import Backend as BackendPart
from plumbline.trial.record.judge import ACCUSES, ANSWERS, answers_nothing
from plumbline.trial.record.recording import RecordError, RecordWriter
from plumbline.trial.run.forms import forms_of
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.paths import is_full, record_name, unfinished
from plumbline.trial.run.prefetch import can_copy
from plumbline.trial.run.selection import Selection
from plumbline.trial.run.session import Result, Session

DESCRIBED = 10
"""Failures described at length in the terminal; the page describes all."""

NONE = "none"
"""No context."""

STARVED = 8
"""Calls that failed for want of memory, and no call answered, before the limit is blamed and not the backend."""

RELEASED = 500
"""Results after which what was read of cached cases leaves memory."""

NAMED = 5
"""Cases named of those that were not reached."""


class RunError(ValueError):
    """A run that cannot be done, or cannot go on; the text is one line."""


@dataclass(frozen=True, eq=False, repr=False)
class Item:
    """A case in one form for one backend."""

    backend: Backend
    case: Case
    form: str

    @property
    def name(self) -> str:
        """``onnxruntime::onnx/relu@14::signs[Y]``."""
        return self.name_of(self.case.id)

    def name_of(self, case_id: str) -> str:
        """Return the name with another id of the case."""
        return f"{self.backend.named}::{self.case.spec}::{case_id}[{self.form}]"


@dataclass(eq=False, repr=False)
class Trials:
    """A conformance run: options, sessions of backends, errors. Raises RunError."""

    options: RunOptions
    strict: bool = False
    command: str = "pytest"
    selection: Selection = field(default_factory=Selection)
    errors: list[str] = field(init=False, default_factory=list)
    stopped: list[str] = field(init=False, default_factory=list)
    sessions: dict[str, Session] = field(init=False, default_factory=dict)
    planned: dict[str, list[Item]] = field(init=False, default_factory=dict)
    paths: dict[str, Path] = field(init=False, default_factory=dict)
    writers: dict[str, RecordWriter] = field(init=False, default_factory=dict)
    full: set[str] = field(init=False, default_factory=set)
    failures: int = field(init=False, default=0)
    is_starved: bool = field(init=False, default=False)
    _declined: dict[str, set[tuple[str, str, str]]] = field(init=False, default_factory=dict)
    _answering: set[str] = field(init=False, default_factory=set)
    _depends_on: str = field(init=False, default="")
    _tried: set[str] = field(init=False, default_factory=set)
    _coverage: Mapping[str, Coverage] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        options = self.options
        try:
            names = [name for name in spec_names() if any(matches(name, glob) for glob in options.spec)]
            for glob in options.spec:
                if not any(matches(name, glob) for name in names):
                    raise RunError(f"--spec {glob!r} matches no specification; {there_are(glob)}")
            reached = [name for name in names if not self.selection or any(
                self.selection.reaches(name, generated) for generated in (False, True))]
            if not reached:
                raise RunError(nothing_selected(self.selection.keyword))
        except SpecError as error:
            raise RunError(str(error)) from None
        if options.python is not None and not options.python.exists():
            raise RunError(f"--python {options.python}: there is no such interpreter")
        try:
            self.backends = [find_backend(name, options.python, name=options.backend_name,
                                          version=options.backend_version,
                                          capabilities=options.capabilities)
                             for name in options.backends]
            if all("*" in name for name in options.spec) and not options.cases and all(
                    backend.specifications is None for backend in self.backends):
                # A class of one operator need not wait until the cases of all others are collected.
                self.backends = [backend.described(options.memory_limit) for backend in self.backends]
                reached = [name for name in reached if any(is_asked(backend.specifications or (), name)
                                                           for backend in self.backends)] or reached
            self.specs = [load_spec(name) for name in reached]
            self._tried = {name for backend in self.backends for name in self._in_turn(backend, reached)}
        except (BackendError, SpecError) as error:
            raise RunError(str(error)) from None
        self._choose_cases()
        if not self.cases:
            raise RunError("; ".join(self.errors) or "no case is left to try")
        most = 0 if options.cases and not options.context else 1  # one's own stand alone, unless they ask for all
        try:
            self._put = {backend.named: cached_with_contexts(self.cases, self._contexts(backend), most, self._cache,
                                                             self._depends_on, self.processes)
                         for backend in self.backends}
        except BackendError as error:
            raise RunError(str(error)) from None
        for backend in self.backends:
            if not self._asked(backend):
                raise RunError(self._nothing_left(backend, backend.specifications or ()))

    @property
    def _cache(self) -> DiskCache | None:
        return None if self.options.no_cache else DiskCache(cache_folder())

    @property
    def processes(self) -> int:
        """The number of processes that share the work."""
        return self.options.workers or processors()

    def _in_turn(self, backend: Backend, names: Sequence[str]) -> Sequence[str]:
        """The versions that are tried, where no result is selected by name."""
        patterns = backend.specifications
        asked = [name for name in names if patterns is None or is_asked(patterns, name)]
        return asked if self.options.all_versions else in_turn(asked, self.options.spec, self.options.seed)

    @property
    def _is_whole(self) -> bool:
        """True if written cases of all versions are tried: the user's own, or those selected by name."""
        return bool(self.options.cases or self.selection)

    def _choose_cases(self) -> None:
        names = [spec.name for spec in self.specs]
        count, seed = self.options.generated, self.options.seed
        if self.options.cases:
            self.written, errors = read_cases(self.options.cases, names)
            made = [case for name in names for case in generate_cases(name, seed=seed, count=count or 0)]
        else:
            cases, errors = all_cases(names, seed=seed, count=count, processes=self.processes,
                                      cache=self._cache, tried=self._tried,
                                      generates=partial(self.selection.reaches, generated=True)
                                      if self.selection else None)
            self.written, made, self._coverage = cases.written, cases.generated, cases.coverage
            self._depends_on = cases.digest
        self.errors += map(str, errors)
        self.cases = [case for case in [*self.written, *made] if self._is_whole or case.spec in self._tried]

    def _contexts(self, backend: Backend) -> tuple[str, ...]:
        """Return the contexts for calls of a backend. Raises BackendError and RunError."""
        try:
            if self.options.context:
                return contexts_named(name for name in self.options.context if name != NONE)
        except ValueError as error:
            raise RunError(f"--context: {error}, and {NONE}") from None
        wanted = not self.options.cases or any(case.in_all for case in self.cases)
        return backend.declared_contexts(self.options.memory_limit) if wanted else ()

    def start(self, items: Sequence[Item]) -> None:
        """Start the backends of `items`, each with its record. Raises RunError."""
        hosts: dict[str, Host] = {}
        try:
            for named in dict.fromkeys(item.backend.named for item in items):
                backend = next(backend for backend in self.backends if backend.named == named)
                hosts[named] = backend.start(self.options.memory_limit)
            self._check_known({host.identity.name for host in hosts.values()})
            for backend in (backend for backend in self.backends if backend.named in hosts):
                theirs = [item for item in items if item.backend is backend]
                self.sessions[backend.named] = self._session(backend, theirs, hosts[backend.named])
        except (BackendError, KnownError, RecordError, RunError) as error:
            for named in hosts.keys() - self.sessions.keys():
                hosts[named].close()
            raise RunError(str(error)) from None

    def _check_known(self, names: set[str]) -> None:
        for path in self.options.known:
            if read_known(path).backend not in names:
                raise RunError(f"{path}: about the backend {read_known(path).backend!r}, which this run does not try; "
                               f"it tries {', '.join(sorted(names))}; correct the line 'backend:', or name another "
                               "file with --known")

    def _session(self, backend: Backend, items: Sequence[Item], host: Host) -> Session:
        """Begin the session and the record of a backend.

        items: those of this backend that are selected.
        host:  the running backend. Raises RunError."""
        known = KnownDivergences.load(backend.adapter, host.identity.version,
                                      about=[spec.name for spec in self.specs]).joined(
            self.options.known, host.identity.name, host.identity.version)
        patterns = host.identity.specifications
        host.notes.extend(line for line in unmatched(patterns) if line not in host.notes)
        names = [spec.name for spec in self.specs if is_asked(patterns, spec.name)]
        cases = [case for case in self._put[backend.named] if case.spec in names]
        self._declined[backend.named] = declined = _declined(Asking(host), cases)
        chosen = [item for item in items if item.case.spec in names]
        planned = [item for item in chosen if _key(item.case, item.form) not in declined]
        if not planned:
            raise RunError(self._nothing_left(backend, patterns))
        submissions = [(item.case, item.form) for item in planned]
        every = sum(len(forms_of(case)) for case in cases)
        if is_full(self.options) and not self.selection and len(submissions) == every - len(declined):
            self.full.add(backend.named)
        path = self.options.report_dir / record_name(
            host.identity, () if backend.named in self.full else [(item.case, item.form) for item in chosen],
            chosen_profile())
        if path in self.records:
            raise RunError(f"two backends call themselves {path.stem}; their records would overwrite each other")
        if not self.options.cases:
            self.errors += known.check_ids(self.written, names)
        tried = {case.spec for case in cases}
        writer = RecordWriter(path, header(
            BackendPart.of(host.identity, tried=known.tried, named=backend.named, requirements=_packages(backend, host),
                       known=known.digest),
            [spec for spec in self.specs if spec.name in tried], cases, self.command,
            {**self.options.model_dump(mode="json", include={"generated", "seed", "context", "time_limit",
                                                                "memory_limit"}),
             "spec": ", ".join(self.options.spec), "cases": [str(path) for path in self.options.cases] or None,
             "strict": self.strict, **self._given()},
            submissions, [spec.name for spec in self.specs if spec.name not in names],
            [] if self._is_whole else [name for name in names if name not in self._tried], len(declined),
            self._coverage))
        self.writers[backend.named] = writer
        session = Session(host, known, writer, self.options.time_limit)
        session.plan(submissions)
        if self.processes > 1 and can_copy(len(submissions)):
            session.spread(submissions, lambda: backend.start(self.options.memory_limit), self.processes)
        self.planned[backend.named], self.paths[backend.named] = planned, path
        return session

    def _given(self) -> dict[str, Any]:
        """Return the options about the backend, so that reports can repeat them."""
        found = self.options.model_dump(mode="json", include={"python", "backend_name", "backend_version",
                                                              "capabilities", "known", "accuracy"})
        return {name: value for name, value in found.items() if value}

    def _nothing_left(self, backend: Backend, patterns: Sequence[str]) -> str:
        return "; ".join([f"{backend.named} can be asked about {', '.join(patterns)}, of which --spec (or `specs` in "
                          f"pyproject.toml) {', '.join(map(repr, self.options.spec))} and the selection leave nothing",
                          *unmatched(patterns)])

    def asks(self, item: Item) -> bool:
        """Return True if an item is within what its started backend declares.

        Hand-written cases outside the declared capabilities run all the same."""
        named = item.backend.named
        return is_asked(self.sessions[named].host.identity.specifications, item.case.spec) \
            and _key(item.case, item.form) not in self._declined[named]

    @property
    def records(self) -> list[Path]:
        """The records of this run."""
        return list(self.paths.values())

    def items(self) -> Iterator[Item]:
        """Everything that is tried, backend by backend."""
        for backend in self.backends:
            for case in self._asked(backend):
                for form in forms_of(case):
                    yield Item(backend, case, form)

    def _asked(self, backend: Backend) -> list[Case]:
        """Return the cases a backend can be asked; all if only it can tell."""
        patterns = backend.specifications
        return [case for case in self._put[backend.named] if patterns is None or is_asked(patterns, case.spec)]

    def submit(self, item: Item) -> Result:
        """Run an item, judge it, and write the result to the record.

        Raises RunError if it cannot be written, or if the memory limit lets no call be answered."""
        try:
            result = self.sessions[item.backend.named].submit(item.case, item.form)
        except RecordError as error:
            self.errors.append(str(error))
            raise RunError(str(error)) from None
        self._check_memory(item.backend.named, result)
        if len(self.sessions[item.backend.named].results) % RELEASED == 0:
            release()
        return result

    def _check_memory(self, named: str, result: Result) -> None:
        """Raise RunError if all calls so far ran out of memory."""
        if result.verdict.verdict in ANSWERS and result.verdict.phase is None:
            self._answering.add(named)
        if named in self._answering:
            return
        accusing = [result for result in self.sessions[named].results if result.accuses]
        if len(accusing) >= STARVED and all(OUT_OF_MEMORY.search(result.verdict.did) for result in accusing):
            self.is_starved = True
            self.errors.append(f"{named}: each of the first {len(accusing)} calls failed for want of memory "
                               f"({one_line(accusing[0].verdict.did, NAME)}) and none was answered; the likely cause "
                               f"is --memory-limit {self.options.memory_limit}: raise it")
            raise RunError(self.errors[-1])

    def fault(self, item: Item, result: Result) -> str | None:
        """Return why a result fails the run, None if it does not."""
        tried = self.sessions[item.backend.named].known.tried
        if result.verdict.verdict == "harness-error":
            return self.describe(item, result)
        gone = self.sessions[item.backend.named].known.gone(result.case, result.form) if tried or self.strict else []
        if gone and not result.accuses:
            return f"{'; '.join(gone)}: take it off the list, or this case off its entry"
        if not result.accuses or (result.known is not None and not self.strict):
            return None
        of_profile = any(is_of_profile(address) for address in result.verdict.clauses)
        if not tried and result.verdict.verdict in ("diverges", "rejects-valid") and not of_profile and not self.strict:
            return None
        self.failures += 1
        described = self.describe(item, result)
        return described if self.failures <= DESCRIBED else described.splitlines()[0]

    def describe(self, item: Item, result: Result) -> str:
        """Describe a result: verdict, broken clauses, what was seen, where."""
        case, verdict = result.case, result.verdict
        spec = load_spec(case.spec)
        lines = [f"{case.spec} {case.id} [{result.form}]: {verdict.verdict}", f"  {case.title}"]
        for entry in verdict.divergences:
            if not spec.clauses[entry.clause].restates:
                lines += [f"  breaks {entry.clause}: {spec.clauses[entry.clause].statement}", f"    {entry.why}"]
        if not verdict.divergences:
            lines.append(f"  {verdict.did}")
        return "\n".join([*lines, f"  {case.place or case.source}"])

    def properties(self, result: Result) -> Iterator[tuple[str, str]]:
        """Yield the properties of a result for a JUnit report."""
        spec, verdict = load_spec(result.case.spec), result.verdict
        yield "specification", spec.name
        yield "verdict", verdict.verdict
        for address in verdict.clauses or result.case.clauses:
            yield "clause", address
            yield "statement", spec.clauses[address].statement
            yield "source", spec.clauses[address].source
        yield "edition", spec.edition
        if result.accuses:
            yield "cause", " ".join([verdict.verdict, *verdict.clauses, *result.symptoms])

    def close(self) -> None:
        """End all sessions and finish their records.

        An incomplete record gets another name, so that it does not replace an earlier complete one."""
        before = list(self.errors)
        for named, session in self.sessions.items():
            left = self._not_reached(named)
            if left:
                self.stopped.append(_stopped(self.planned[named], left))
                self.paths[named] = unfinished(self.paths[named])
                self.writers[named].path = self.paths[named]
            errors = [*self._answers_nothing(named), *(() if left else self._not_judged(named)),
                      *(session.known.unused() if named in self.full and not left else ())]
            try:
                session.close(not_done=[*before, *errors])
            except RecordError as error:
                errors.append(str(error))
                self.paths.pop(named)
            self.errors += errors

    def release(self) -> None:
        """Let go of all cases once the records are closed, of whose size memory is needed to report on them."""
        self.written, self.cases, self._put = [], [], {}
        for named, session in self.sessions.items():
            self.planned[named] = []
            session.release()

    def _answers_nothing(self, named: str) -> Iterator[str]:
        session = self.sessions[named]
        verdicts = [(result.verdict.verdict, result.verdict.phase) for result in session.results]
        if not session.known.tried and answers_nothing(verdicts):
            yield (f"{named} {session.host.identity.version} answers none of the calls that it declares, and no one "
                   "has tried this version yet")

    def _not_reached(self, named: str) -> list[Item]:
        reached = {(result.case.spec, result.case.id, result.form) for result in self.sessions[named].results}
        return [item for item in self.planned[named] if (item.case.spec, item.case.id, item.form) not in reached]

    def _not_judged(self, named: str) -> Iterator[str]:
        """Yield patterns of --spec under which valid calls ran, but none was judged."""
        judged = {result.case.spec for result in self.sessions[named].results
                  if result.verdict.verdict in ("conforms", *ACCUSES, "harness-error")}
        could = {item.case.spec for item in self.planned[named] if item.case.expectation.outputs is not None}
        for glob in self.options.spec:
            asked = [name for name in could if matches(name, glob)]
            if asked and not judged.intersection(asked):
                yield f"{named}: --spec {glob!r}: nothing was judged; every call was declared unsupported, or left open"

    def status(self) -> int:
        """Return the least exit status: 2 for errors, 1 for known divergences that are gone."""
        results = [result for session in self.sessions.values() for result in session.results]
        if self.errors or any(result.verdict.verdict == "harness-error" for result in results):
            return 2
        gone = any(session.known.gone() for session in self.sessions.values() if session.known.tried or self.strict)
        return 1 if gone else 0


def nothing_selected(keyword: str) -> str:
    """Return why a run has nothing to try."""
    return "the selection leaves nothing to try" + (f": -k {keyword!r} chooses no case of it" if keyword else "")


def _stopped(planned: Sequence[Item], left: Sequence[Item]) -> str:
    first = ", ".join(f"{item.case.spec} {item.case.id} [{item.form}]" for item in left[:NAMED])
    more = f", and {len(left) - NAMED} more" if len(left) > NAMED else ""
    return f"stopped after {len(planned) - len(left)} of {len(planned)} results; not reached: {first}{more}"


def _declined(asking: Asking, cases: Sequence[Case]) -> set[tuple[str, str, str]]:
    """Return the generated cases, with forms, outside the declared capabilities."""
    found = set()
    for case in (case for case in cases if case.generated):
        spec = load_spec(case.spec)
        words = spec.native_attributes(case.call)
        for outputs in spec.forms:
            asked = spec.asked(case.call.asking_for(*outputs))
            request = Request(b"", case.call.operator, words, case.opset, case.call.inputs, asked, 0.0, case.spec)
            if asking.is_named(request.operator) and asking.undeclared(request) is not None:
                found.add(_key(case, "+".join(outputs)))
    return found


def _key(case: Case, form: str) -> tuple[str, str, str]:
    return case.spec, case.id, form


def _packages(backend: Backend, host: Host) -> list[str]:
    """Return the packages of the backend's runtime; [] if unknown."""
    embedded = [f"{EMBEDDED}=={host.identity.version}"] if backend.adapter == EMBEDDED else []
    return list(backend.requirements) or embedded
