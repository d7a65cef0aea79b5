"""Which faults the known divergences of a backend would hide: those of which every accusing result is explained.

The cause of each entry is away, since an implementation with another fault, and no other, answers. An entry that
explains all that a fault does is a blanket; or the fault is the very one that the entry is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from plumbline.cases import Case
from plumbline.oracle import Spec, load_spec
from plumbline.trial.judge import ACCUSES, Verdict
from plumbline.trial.known import FOLDER, KnownDivergences, read_known
from tests.operators import test_operators as operators
from tests.operators.discovery import faults, modules
from tests.power.catalogue import catalogue
from tests.power.suite import Item, verdict_on

Results = Iterator[tuple[Spec, Case, str, Verdict]]


@dataclass(frozen=True)
class Hidden:
    """A fault that nobody would see on a backend, and the entries that explain it."""

    backend: str
    fault: str
    description: str
    entries: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.backend}: {self.fault}: {self.description} Explained by {', '.join(self.entries)}."


def known_divergences(names: Iterable[str] = ()) -> dict[str, KnownDivergences]:
    """By backend, the entries that hold for the last version that was tried; of all backends where none is named."""
    found = {}
    for name in [*names] or [path.stem for path in sorted(FOLDER.glob("*.yaml"))]:
        tried = read_known(FOLDER / f"{name}.yaml").tried or ["0"]
        found[name] = KnownDivergences.load(name, tried[-1])
    return found


def hidden(known: Mapping[str, KnownDivergences], items: Iterable[Item]) -> Iterator[Hidden]:
    """The hidden faults of the catalogue of pooling, put as `items`, then those of every other operator."""
    put = list(items)
    for mutant in catalogue():
        mine = (item for item in put if item.call.operator == mutant.operator)
        yield from _hidden(known, mutant.name, mutant.description, (
            (item.spec, item.case, "+".join(item.call.outputs or ()), verdict) for item in mine
            if (verdict := verdict_on(mutant.pooling, item)) is not None))
    for name, module in modules().items():
        theirs = operators.items(name)
        for fault in faults(module):
            implementation = fault()
            yield from _hidden(known, f"{name} {fault.__name__}", fault.__doc__ or "", (
                (load_spec(case.spec), case, "+".join(request.outputs),
                 operators.verdict_on(implementation, judged, request)) for case, judged, request in theirs))
        operators.items.cache_clear()


def _hidden(known: Mapping[str, KnownDivergences], fault: str, description: str, results: Results) -> Iterator[Hidden]:
    """The backends on which every accusing result is explained."""
    left: dict[str, dict[str, None]] = {backend: {} for backend in known}
    for spec, case, form, verdict in results:
        for backend in list(left) if verdict.verdict in ACCUSES else ():
            entry = known[backend].explain(spec, case, form, verdict)
            if entry is None:
                del left[backend]
            else:
                left[backend][entry.id] = None
        if not left:
            break
    yield from (Hidden(backend, fault, description, tuple(entries)) for backend, entries in left.items() if entries)
