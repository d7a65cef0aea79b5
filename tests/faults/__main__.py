"""Every fault made by program, put to what the default run tries.

    python -m tests.faults [SPEC ...] [--only SUBJECT] [--sample HASH] [--show OUTCOME] [--seed N]

SPEC names operators without a version, or patterns: ``onnx/conv``, ``sonnx/*``; all of them by default. A row of the
table is one program in which faults are planted, or the shelf of wrappers. The exit status is 1 where a fault survives
that `survivors.txt` does not list, where a listed one is found, and where outputs are accused that are undefined.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

from plumbline.commands.base import leave
from tests.faults.calls import Item, Kept, default_items, further_items, operators, placed_items
from tests.faults.shelf import shelf
from tests.faults.subjects import implementation, subjects
from tests.faults.trial import Report, try_changes, try_memory, try_wrappers, turned
from tests.faults.wrapper import Facts

LISTED = Path(__file__).parent / "survivors.txt"
OUTCOMES = ("found", "equivalent", "undefined only", "survivor")
FEW = 40
"""Changes of a program, and wrappers, in a sample."""

Fault = TypeVar("Fault")


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the options. Raises SystemExit after --help and for wrong options."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=["*"], metavar="SPEC")
    parser.add_argument("--only", default="*", metavar="SUBJECT", help="reference, tests.*, wrappers or memory")
    parser.add_argument("--sample", metavar="HASH", help=f"{FEW} faults of each kind, drawn by a text")
    parser.add_argument("--show", action="append", default=["survivor"], choices=OUTCOMES, help="list these faults")
    parser.add_argument("--seed", type=int, default=0, help="of the halves of the faults")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parsed(arguments)
    print("| operator | faults in | faults | found | by drawn calls alone | equivalent | undefined only | survivors | "
          "halves found | CPU s |\n|---|---|---|---|---|---|---|---|---|---|")
    wrong, sums = 0, Counter[str]()
    for operator, names in operators().items():
        if not any(fnmatch(operator, spec) for spec in options.specs):
            continue
        for subject, report, seconds in trials(operator, names, options.only, options.sample):
            counts = report.counts()
            sums.update(counts)
            drawn = sum(result.drawn for result in report.results if result.outcome == "found")
            sums["drawn"] += drawn
            print(f"| {operator} | {subject} | {len(report.results)} | {counts['found']} | {drawn} | "
                  + " | ".join(str(counts[outcome]) for outcome in OUTCOMES[1:])
                  + f" | {' '.join(halves(operator, report, options.seed))} | {seconds:.0f} |", flush=True)
            for result in report.results:
                if result.outcome in options.show:
                    print(f"  {result.outcome}: {result.fault}; {result.by} {result.reason}".rstrip(), flush=True)
            problems = unlisted(operator, subject, report)
            wrong += len(problems)
            print("".join(f"  FAILS: {problem}\n" for problem in problems), end="", flush=True)
    total = sum(sums[outcome] for outcome in OUTCOMES)
    print(f"| all | | {total} | {sums['found']} | {sums['drawn']} | "
          + " | ".join(str(sums[outcome]) for outcome in OUTCOMES[1:]) + " | | |")
    return 1 if wrong else 0


def trials(operator: str, names: list[str], only: str = "*", sample: str | None = None
           ) -> Iterator[tuple[str, Report, float]]:
    """The report on each program and on the shelf of one operator, with the processor time it took."""
    default, further = default_items(names), Kept(further_items(names))
    for subject in subjects(operator, names):
        if fnmatch(subject.name, only):
            began, count = time.process_time(), len(subject.program.changes)
            chosen = None if sample is None else few(range(count), f"{sample} {operator}")
            report = try_changes(subject.program, subject.invoke, default, further, chosen)
            yield subject.name, report, time.process_time() - began
    run = implementation(operator)
    if fnmatch("wrappers", only):
        began = time.process_time()
        placed = placed_items(default)
        facts = Facts.of(default, {item.case.context for item in placed if item.case.context})
        wrappers = list(shelf(facts))
        if sample is not None:
            wrappers = few(wrappers, f"{sample} {operator}")
        report = try_wrappers(wrappers, run, [*default, *placed], further)
        yield "wrappers", report, time.process_time() - began
    if fnmatch("memory", only):
        item = next((item for item in reversed(default) if _shows_memory(item)), None)
        if item is not None:
            yield "memory", try_memory(run, item), 0.0


def few(faults: Sequence[Fault], text: str) -> list[Fault]:
    """Some of them, drawn by a text, in their order."""
    places = Random(text).sample(range(len(faults)), min(FEW, len(faults)))
    return [faults[place] for place in sorted(places)]


def _shows_memory(item: Item) -> bool:
    """Whether a call of moderate size, of which nothing is undefined, gives other outputs for turned inputs."""
    return item.size <= 4096 and not item.judged.unspecified and turned(item) is not None


def halves(operator: str, report: Report, seed: int) -> list[str]:
    """Of the faults of each half, drawn by a seed, the share that is found of those that are or should be: first the
    half that derived cases may be made by."""
    counts = Counter((is_shown(operator, result.fault, seed), result.outcome) for result in report.results)
    sums = {half: counts[half, "found"] + counts[half, "survivor"] for half in (True, False)}
    return [f"{counts[half, 'found'] / sums[half]:.1%}" if sums[half] else "-" for half in (True, False)]


def is_shown(operator: str, fault: str, seed: int) -> bool:
    """Whether a fault is in the half that derived cases may be made by."""
    return bool(hashlib.sha256(f"{seed} {operator} {fault}".encode()).digest()[0] & 1)


@cache
def listed() -> frozenset[str]:
    """The survivors that are known, one a line: ``operator | subject | fault``, or ``operator | not listed yet`` for an
    operator whose survivors nobody has listed so far; lines that begin with # say why."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unlisted(operator: str, subject: str, report: Report) -> list[str]:
    """False accusations, survivors that are not listed, and listed ones that are found."""
    keys = {f"{operator} | {subject} | {result.fault}": result.outcome for result in report.results}
    false = [f"accuses what is undefined: {entry}" for entry in report.false]
    if f"{operator} | not listed yet" in listed():
        return false
    return false + [
        f"survives: {key}" for key, outcome in keys.items() if outcome == "survivor" and key not in listed()] + [
        f"is listed in {LISTED.name}, and {outcome}: {key}" for key, outcome in keys.items()
        if outcome != "survivor" and key in listed()]


if __name__ == "__main__":
    leave(main)
