"""Verify known divergences: run a call for each, and find stale entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from packaging.version import Version

from plumbline.backends import Answered, Asking, BackendError, Host, find_backend
from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.format.loader import files_about
from plumbline.cases.format.withdrawn import current_id
from plumbline.cases.generate.run_cases import generated_cases, replacements
from plumbline.cases.onnx.contexts import in_context
from plumbline.oracle import Call, OutsideDomain, load_spec
from plumbline.oracle.answers import TooLarge
from plumbline.oracle.specification import matches
from plumbline.oracle.type_names import bytes_of
from plumbline.trial.known.frozen_calls import FrozenCall, read_calls
from plumbline.trial.known.register import FOLDER, KnownDivergences, KnownEntry, KnownError
from plumbline.trial.known.register_file import read_known
from plumbline.trial.record.judge import Verdict, judge
from plumbline.trial.run.forms import forms
from plumbline.trial.run.submission import Calls, Submission
from plumbline.trial.tools.minimisation import with_call
from plumbline.trial.tools.shrinking import smallest

TRIES = 8
"""Times that a call is run for an entry on unstable results: memory that is never written may hold what is right."""

CANDIDATES = 80
"""Most calls that are run to find one that shows an entry, for each specification and each way to make them."""

DRAWN = 400
"""Further calls that are drawn for a specification if no default one shows an entry."""

SHRINKS = 400
"""Most calls of one minimisation."""


@dataclass(frozen=True)
class Finding:
    """The outcome for an entry on a version.

    shown:   the specification, case and form that show it; "" if none does.
    claimed: whether the entry's `versions` hold the version.
    instead: the last verdict on a call that should show it.
    """

    entry: KnownEntry
    version: str
    shown: str
    claimed: bool = True
    instead: str = ""

    @property
    def is_stale(self) -> bool:
        """True if the entry is wrong about the version.

        That an unstable result did not occur, or one that depends on the processor, proves nothing."""
        if self.claimed:
            return not self.shown and self.entry.verdict != "unstable" and not self.entry.processors
        return bool(self.shown)

    def __str__(self) -> str:
        if not self.claimed:
            return f"{self.entry.id}: {self.shown} shows it on {self.version}, which `versions` leaves out"
        if not self.shown:
            return f"{self.entry.id}: nothing shows it on {self.version}; {self.instead}"
        return f"{self.entry.id}: shown by {self.shown}"


@dataclass(eq=False)
class Verification:
    """The entries of a backend's list, with a call for each."""

    backend: str
    time_limit: float = 20.0
    folder: Path = FOLDER
    entries: list[KnownEntry] = field(init=False)
    tried: list[str] | None = field(init=False)
    frozen: dict[str, FrozenCall] = field(init=False)
    _made: dict[str, list[Case]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        path = self.folder / f"{self.backend}.yaml"
        if not path.exists():
            raise KnownError(f"the suite has no list of known divergences of {self.backend!r}; it has "
                             f"{', '.join(sorted(path.stem for path in FOLDER.glob('*.yaml')))}")
        self.tried = read_known(path).tried
        names = [self.backend]
        while model := read_known(self.folder / f"{names[-1]}.yaml").like:
            names.append(model)
        self.entries = KnownDivergences.of_all_versions(self.backend, self.folder).entries
        self.frozen = {key: call for name in reversed(names) for key, call in read_calls(name, self.folder).items()}

    @cached_property
    def _written(self) -> dict[str, list[Case]]:
        """The cases that entries may name, by specification.

        They are written ones, and those in place of withdrawn ones. Raises CaseError."""
        names = sorted({name for entry in self.entries if entry.cases for name in entry.specs})
        files, = files_about([names])
        written: dict[str, list[Case]] = defaultdict(list)
        for case in load_cases(files, names):
            written[case.spec].append(case)
        for name, cases in written.items():
            cases += replacements(name, cases)
        return written

    def run(self, host: Host, entries: Iterable[KnownEntry]) -> Iterator[Finding]:
        """Yield for each entry whether a frozen call or a written case shows it.

        What an entry that claims this version explains shows no entry that leaves it out."""
        version = host.identity.version
        calls = Calls(Asking(host), self.time_limit)
        claimed = KnownDivergences([entry for entry in self.entries if entry.holds(version)])
        for entry in entries:
            judged = Shows(entry, calls)
            shown = next((submission for submission in self._submissions(entry) if judged(*submission)), None)
            if shown and not entry.holds(version) and judged.explained_by(claimed, *shown):
                shown = None
            where = f"{shown[0].spec} {shown[0].id} [{shown[1]}]" if shown else ""
            yield Finding(entry, version, where, entry.holds(version), judged.last)

    def _submissions(self, entry: KnownEntry) -> Iterator[Submission]:
        if entry.id in self.frozen:
            frozen = self.frozen[entry.id]
            yield frozen.case(entry.id), frozen.form
        for name in reversed(entry.specs) if entry.cases else ():
            for case in self._written[name]:
                for pattern, named, named_forms in entry.named:
                    base, _, context = named.partition("/")
                    if case.id != current_id(name, base) or not matches(name, pattern):
                        continue
                    for within in [context] if context else entry.contexts or [""]:
                        placed = in_context(case, within) if within else case
                        yield from ((placed, form) for form in named_forms
                                    if placed is not None and form in forms(load_spec(name)))

    def freeze(self, host: Host, entry: KnownEntry) -> FrozenCall | None:
        """Find a call that shows an entry, as small as possible; None if no generated call does."""
        judged = Shows(entry, Calls(Asking(host), self.time_limit))
        for name in reversed(entry.specs):
            for cases in (self._default_cases(name), generate_cases(name, seed=1, count=DRAWN)):
                every = list(self._generated(entry, cases))
                spread = every[::len(every) // CANDIDATES + 1]  # small ones and large ones
                shown = next((submission for submission in spread if judged(*submission)), None)
                if shown is not None:
                    return FrozenCall.of(judged.smallest(*shown), shown[1], host.identity.version)
        return None

    def _default_cases(self, name: str) -> list[Case]:
        """Return the generated cases of a run without options, small ones first."""
        if name not in self._made:
            files, = files_about([[name]])
            self._made[name] = sorted(generated_cases(name, load_cases(files, [name]), seed=0), key=_size)
        return self._made[name]

    def _generated(self, entry: KnownEntry, cases: Iterable[Case]) -> Iterator[Submission]:
        """Yield the generated cases that meet the conditions of an entry."""
        for case in cases:
            if entry.generated is None or not set(entry.generated) <= set(case.flags) or \
                    entry.dtypes and case.dtype not in entry.dtypes or \
                    entry.contexts and case.expectation.outside is not None:  # which have no outputs to pass on
                continue
            for within in entry.contexts or [""]:
                placed = in_context(case, within) if within else case
                yield from ((placed, form) for form in (entry.forms or forms(load_spec(case.spec)))
                            if placed is not None)


@dataclass(eq=False)
class Shows:
    """Tells whether a call shows an entry, by running it; `last` says what the last one did."""

    entry: KnownEntry
    calls: Calls
    last: str = "no call to run"
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        self._known = KnownDivergences([self.entry])

    def __call__(self, case: Case, form: str) -> bool:
        """Run a case in a form and return whether the entry explains the verdict."""
        spec, answers = load_spec(case.spec), set[str]()
        for _ in range(TRIES if self.entry.verdict == "unstable" else 1):
            outcome = self.calls.alone((case, form)).outcome
            verdict = judge(spec, case, case.call.asking_for(*form.split("+")), outcome)
            answers.add(repr([(name, bytes_of(array)) for name, array in outcome.outputs.items()])
                        if isinstance(outcome, Answered) else verdict.did)
            if len(answers) > 1:
                verdict = Verdict("unstable", verdict.clauses, did="another answer to the same call")
            self.last = f"{case.spec} {case.id} [{form}]: {verdict.verdict}" + \
                "".join(f" ({text})" for text in [", ".join(verdict.clauses) or verdict.did] if text)
            self.verdict = verdict
            if self.explained_by(self._known, case, form):
                return True
        return False

    def explained_by(self, known: KnownDivergences, case: Case, form: str) -> bool:
        """Return whether entries explain the last verdict, which was on a case in a form."""
        return self.verdict is not None and known.explain(load_spec(case.spec), case, form, self.verdict) is not None

    def smallest(self, case: Case, form: str) -> Case:
        """Return the case with the smallest call that shows the entry too.

        form: the outputs asked for, "Y+Indices"."""
        spec = load_spec(case.spec)

        def placed(call: Call) -> Case | None:
            outputs = call.outputs if spec.variadic_output else None
            smaller = with_call(case.alone, spec, Call(call.operator, call.attributes, call.inputs, outputs))
            return in_context(smaller, case.context) if case.context else smaller

        def holds(call: Call) -> bool:
            try:
                if spec.violations(call) and not spec.violations(case.call):
                    return False
                smaller = placed(call)
            except (OutsideDomain, TooLarge):
                return False
            return smaller is not None and self(smaller, form)

        if self.entry.verdict in ("hangs", "unstable"):  # each try would take the whole time limit, or luck
            return case
        return placed(smallest(spec, case.call.asking_for(*form.split("+")), holds, SHRINKS)) or case


def _size(case: Case) -> int:
    return sum(array.size for array in case.call.inputs.values())


def releases_to_try(entry: KnownEntry, published: Sequence[Version]) -> list[str]:
    """Return the first and the last of the published releases that an entry claims, and one on either side."""
    claimed = [place for place, version in enumerate(published) if entry.holds(str(version))]
    if not claimed:
        return []
    first, last = claimed[0], claimed[-1]
    return [str(published[place]) for place in dict.fromkeys([first - 1, first, last, last + 1])
            if 0 <= place < len(published)]


def verify_releases(verification: Verification, published: Sequence[Version],
                    say: Callable[[str], None]) -> Iterator[Finding]:
    """Yield findings on each release that some entry's `versions` begin or end at; `say` names those not tried.

    Releases before the first that the list was tried on are left out: it says nothing of them."""
    first = min(map(Version, verification.tried or ["0"]))
    published = [version for version in published if version >= first]
    wanted: dict[str, list[KnownEntry]] = defaultdict(list)
    for entry in verification.entries:
        for version in releases_to_try(entry, published):
            wanted[version].append(entry)
    for version in sorted(wanted, key=Version):
        try:
            host = find_backend(f"{verification.backend}=={version}").start()
        except BackendError as error:
            say(f"{version}: not tried: {' '.join(str(error).split())}")
            continue
        try:
            findings = list(verification.run(host, wanted[version]))
        finally:
            host.close()
        say(f"{version}: {sum(not finding.is_stale for finding in findings)} of {len(findings)} entries stand")
        yield from findings
