"""The fault-detection power of the default suite: every mutant of the catalogue is put to it until it is found.

    python -m tests.power [GLOB ...]       the mutants whose names match, all of them by default
    python -m tests.power --causes [GLOB ...]   how many causes a report makes of each
    python -m tests.power [GLOB ...] --hidden RECORD [...]   which faults the known divergences of a backend hide, by
                                           the records of runs of everything
    python -m tests.power --blankets COUNT   what the known divergences explain of crude answers to so many generated
                                           calls of each text
    python -m tests.power --honest COUNT   the implementation without a fault instead, on COUNT generated calls

The mutants are derived from neither oracle, and share no code with one: they are variants of an implementation that was
written apart (`tests/power/implementation.py`), after what runtimes did wrong and what each of its lines invites. The
implementation itself must never be accused: the suite's own tests try 21,000 calls; `tests.power.unmutated` says how a
campaign tries a million.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from plumbline.commands.base import leave
from tests.power.blanket import blankets, lists
from tests.power.catalogue import Mutant, catalogue
from tests.power.causes import causes
from tests.power.hidden import Run, hidden
from tests.power.suite import default_cases, honest_accusations, items_of, submit

MOST = 3
"""Causes that a report makes of one fault at most."""

SEED = 1
"""Of the calls for --honest: not the seed of the default suite."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status is 1 when a mutant survives or the implementation without a fault is accused."""
    parser = argparse.ArgumentParser(prog="python -m tests.power", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["*"], metavar="GLOB", help="names, as in 'MaxPool Index*'")
    parser.add_argument("--causes", action="store_true", help="count the causes that a report makes of each")
    parser.add_argument("--hidden", nargs="+", type=Path, metavar="RECORD", help="of runs of everything, one a backend")
    parser.add_argument("--blankets", type=int, metavar="COUNT", help="how many generated calls of each text")
    parser.add_argument("--honest", type=int, metavar="COUNT", help="how many generated calls")
    options = parser.parse_args(arguments)
    began = time.perf_counter()
    failures = list(_honest(options.honest) if options.honest is not None else
                    _hidden(options.hidden, options.names) if options.hidden is not None else
                    _blankets(options.blankets, options.names) if options.blankets is not None else
                    _causes(options.names) if options.causes else _mutants(options.names))
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if failures else 0


def _chosen(names: list[str]) -> list[Mutant]:
    return [mutant for mutant in catalogue() if any(fnmatch(mutant.name, name) for name in names)]


def _causes(names: list[str]) -> Iterator[str]:
    """Those of which a report makes more than three."""
    counts = Counter[int]()
    for mutant, found in causes(_chosen(names), items_of(default_cases())):
        counts[len(found)] += 1
        if len(found) > 1:
            print(f"{mutant.name}: {len(found)} causes: "
                  + "; ".join(f"{', '.join(group.clauses)} {' '.join(group.features)}".strip() for group in found))
        if len(found) > MOST:
            yield mutant.name
    one, total = counts[1], counts.total()
    print(f"{one} of {total} mutants ({one / max(total, 1):.1%}) are one cause, none more than "
          f"{max(counts, default=0)}")


def _hidden(records: list[Path], names: list[str]) -> Iterator[str]:
    runs = {path.stem: Run.of(path) for path in records}
    for number, found in enumerate(hidden(runs, items_of(default_cases()), names), 1):
        print(f"{number}. {found}", flush=True)
        yield found.fault


def _blankets(count: int, globs: list[str]) -> Iterator[str]:
    """Every entry that explains some."""
    known = lists()
    found = blankets(known, count, *globs)
    for (backend, entry), number in sorted(found.explained.items(), key=lambda item: -item[1]):
        print(f"{backend}: {entry} explains {number}")
        yield entry
    for backend in known:
        print(f"{backend}: {found.share(backend):.2%} of {found.submitted[backend]} crude answers are explained")


def _mutants(names: list[str]) -> Iterator[str]:
    mutants = _chosen(names)
    items = items_of(default_cases())
    survivors = 0
    for mutant in mutants:
        outcome = submit(mutant, items)
        if not outcome.killed_by:
            survivors += 1
            print(f"survives: {mutant.name}: {mutant.description}")
            yield mutant.name
        elif outcome.unreported:
            print(f"killed by {outcome.killed_by}, and {', '.join(outcome.unreported)} never reported: {mutant.name}: "
                  f"{mutant.description}")
            yield mutant.name
    print(f"{len(mutants) - survivors} / {len(mutants)} killed: {len({mutant.pooling for mutant in mutants})} faults, "
          f"each in the operators that have it, put to {len(items)} judged calls")


def _honest(count: int) -> Iterator[str]:
    for accusation in honest_accusations(count, SEED):
        print(accusation)
        yield accusation
    print(f"{count} generated calls, in every form")


if __name__ == "__main__":
    leave(main)
