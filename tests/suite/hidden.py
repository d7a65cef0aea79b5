"""Which faults the known divergences of a backend hide: those that nobody would see.

    python -m tests.suite.hidden RECORD ...      of runs of everything, one a backend

The cause of each entry is away, since an implementation with another fault, and no other, answers; what the backend
itself answers is in the record of a run of everything. A fault is hidden where each result that accuses it is explained
and either the backend is right on one of these calls, so that the fault beside the causes of the entries would be taken
for one of them; or all that the entries name still fails, though not as the backend does, so that the fault in place of
the causes would be. What does mostly the same as the backend is the very fault that the entries are about. On calls
where the backend has a fault already that one comes first, and calls that it leaves without an answer tell nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from plumbline.cases import Case
from plumbline.commands.base import leave
from plumbline.oracle import Spec
from plumbline.trial.known.register import KnownDivergences, KnownEntry
from plumbline.trial.record.judge import ACCUSES, Verdict
from plumbline.trial.record.lines import ResultKey
from plumbline.trial.record.recording import read_record
from tests.faults.calls import Item, default_items, operators
from tests.faults.subjects import wrapped
from tests.faults.trial import answer_of

TOLD = ("conforms", "diverges", "rejects-valid")
"""Verdicts that tell what the backend does with a call of which the text decides something."""

Results = Iterator[tuple[Spec, Case, str, Verdict]]


@dataclass(frozen=True)
class Run:
    """The known divergences of a backend at one version; and what it did, where it answered, with its verdict."""

    known: KnownDivergences
    did: Mapping[ResultKey, tuple[str, str]]

    @classmethod
    def of(cls, path: Path) -> Run:
        """From the record of a run of everything."""
        record = read_record(path)
        backend = record.header.backend
        return cls(KnownDivergences.load(backend.name, backend.version), {
            line.key: (line.verdict, line.did) for line in record.cases if line.verdict in TOLD})

    def named(self, entry: KnownEntry, specs: Collection[str]) -> set[ResultKey]:
        """The results of some specifications that an entry names, and that are there."""
        keys = {ResultKey(spec, case, form) for spec in entry.specs if spec in specs
                for case, forms in entry.cases.items() for form in forms}
        return {key for key in keys if self.did.get(key, ("conforms",))[0] != "conforms"}


@dataclass
class Explained:
    """The results of a fault that the entries of one backend explain: by result the entry, what the fault did, and what
    the backend does."""

    results: dict[ResultKey, tuple[KnownEntry, Verdict, tuple[str, str]]] = field(default_factory=dict)

    def hides(self, run: Run) -> list[ResultKey]:
        """The results by which nobody would see the fault; none where somebody would, or where it is no other."""
        other = [key for key, (_, verdict, does) in self.results.items() if not does_as(verdict, does)]
        if 2 * len(other) < len(self.results):
            return []
        entries = {entry.id: entry for entry, _, _ in self.results.values()}
        specs = {key.spec for key in self.results}
        gone = set().union(*(run.named(entry, specs) for entry in entries.values())) - self.results.keys()
        right = [key for key, (_, _, does) in self.results.items() if does[0] == "conforms"]
        return right or ([] if gone else other)


@dataclass(frozen=True)
class Hidden:
    """A fault that nobody would see on a backend, and the first result that an entry explains all the same."""

    backend: str
    fault: str
    result: ResultKey
    entry: str
    did: str
    does: str

    def __str__(self) -> str:
        spec, case, form = self.result
        return (f"{self.backend}: {self.fault}: {spec} {case} [{form}]: {self.did}. "
                f"Explained by {self.entry}, and the backend: {self.does}.")


def does_as(verdict: Verdict, does: tuple[str, str]) -> bool:
    """Whether that is the verdict on a backend too, and what it did, or that it refused."""
    return verdict.verdict == does[0] and (does[0] == "rejects-valid" or verdict.did == does[1])


def key_of(spec: Spec, case: Case, form: str) -> ResultKey:
    """What result a case in one form has."""
    return ResultKey(spec.name, case.id, form)


def hidden(runs: Mapping[str, Run], operator: str, items: Iterable[Item], names: Iterable[str] = ("*",)
           ) -> Iterator[Hidden]:
    """The hidden faults among the wrappers of an operator whose names match one of the patterns."""
    items, patterns = list(items), list(names)
    for wrapper, run in wrapped(operator, items):
        if any(fnmatch(wrapper.name, pattern) for pattern in patterns):
            yield from _hidden(runs, f"{operator} {wrapper.name}", (
                (item.spec, item.case, "+".join(item.request.outputs), item.verdict(answer_of(run, item.request)))
                for item in items))


def _hidden(runs: Mapping[str, Run], fault: str, results: Results) -> Iterator[Hidden]:
    """The backends on which nobody would see the fault."""
    explained = {backend: Explained() for backend in runs}
    for spec, case, form, verdict in results:
        key = key_of(spec, case, form)
        for backend in list(explained) if verdict.verdict in ACCUSES else ():
            does = runs[backend].did.get(key)
            if does is not None and (does[0] != "rejects-valid" or does_as(verdict, does)):
                entry = runs[backend].known.explain(spec, case, form, verdict)
                if entry is None:
                    del explained[backend]
                else:
                    explained[backend].results[key] = entry, verdict, does
        if not explained:
            break
    for backend, found in explained.items():
        for key in found.hides(runs[backend])[:1]:
            entry, verdict, does = found.results[key]
            yield Hidden(backend, fault, key, entry.id, verdict.did, ": ".join(does))


def main(arguments: list[str] | None = None) -> int:
    """Print the hidden faults of every operator; the exit status is 1 where there are some."""
    runs = {path.stem: Run.of(path) for path in map(Path, sys.argv[1:] if arguments is None else arguments)}
    count = 0
    for operator, names in operators().items():
        for entry in hidden(runs, operator, default_items(names)):
            count += 1
            print(f"{count}. {entry}", flush=True)
    return 1 if count else 0


if __name__ == "__main__":
    leave(main)
