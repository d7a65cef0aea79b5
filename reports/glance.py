"""The broken clauses of a page at a glance, versions of one text together, and what got worse or better."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from plumbline.reports.addresses import joined, parts
from plumbline.reports.compare import lost
from plumbline.reports.findings import Line
from plumbline.reports.history import versions
from plumbline.reports.side_by_side import Column, MatrixRow
from plumbline.reports.wording import count

FAULTS = {"rejects-valid": "refusals of valid calls", "crashes": "crashes", "hangs": "hangs"}
"""The verdicts that accuse without a clause, as one counts them."""


@dataclass
class Broken:
    """A clause that some column breaks, and for each column how many results break it and keep it. `worse` counts those
    that break it and conformed in the version before."""

    addresses: list[str]
    clause: dict[str, Any]
    diverge: list[int]
    conform: list[int]
    worse: list[int]

    @property
    def address(self) -> str:
        """The clause, versions together."""
        return joined(self.addresses)

    @property
    def states(self) -> list[str]:
        """For each column "diverges", "conforms" or "not tried"."""
        return ["diverges" if wrong else "conforms" if right else "not tried"
                for wrong, right in zip(self.diverge, self.conform, strict=True)]


def broken_clauses(rows: Iterable[MatrixRow], losses: Sequence[Sequence[Line]]) -> list[Broken]:
    """Every clause that some column breaks, in the order of the texts; those that only restate another left out. The
    addresses are of the versions in which it is broken; `losses` are those of each column."""
    width = len(losses)
    found: dict[tuple[str, ...], Broken] = {}
    for row in rows:
        if row.clause["restates"] or row.clause["judges"] != "outputs":
            continue
        key = (*parts(row.address)[::2], row.clause["statement"])
        entry = found.setdefault(key, Broken([], row.clause, [0] * width, [0] * width, [0] * width))
        if row.broken:
            entry.addresses.append(row.address)
        for number, cell in enumerate(row.cells):
            if cell:
                entry.diverge[number] += cell.counts["diverges"]
                entry.conform[number] += cell.counts["conforms"]
                entry.worse[number] += sum(row.address in line["clauses"] for line in losses[number])
    return [entry for entry in found.values() if entry.addresses]


def losses(shown: Sequence[Column]) -> list[list[Line]]:
    """For each column the results that conformed in the version of the same backend before it, and accuse here."""
    found: list[list[Line]] = [[] for _ in shown]
    for numbers in versions(shown).values():
        for old, new in pairwise(numbers):
            found[new] = [change.new for change in lost(shown[old].record, shown[new].record)]
    return found


def progress(shown: Sequence[Column], broken: Sequence[Broken]) -> list[tuple[str, str]]:
    """For each backend in several versions, from the first to the last: (how many clauses are repaired, newly broken,
    and broken still, and how often it refused, crashed or hung; what was right and is wrong now, or "")."""
    return [(f"From {shown[old].label} to {shown[new].short}: {_steps(broken, old, new)}.{_faults(shown, old, new)}",
             _worse(shown, broken, old, new)) for old, *_, new in versions(shown).values()]


def legend(broken: Sequence[Broken], specifications: Iterable[str]) -> list[str]:
    """The words that the first table takes for granted, in sentences; those of which it has need."""
    said = ["A row is one clause: text@versions#section.tag, where the tag is R for a restriction, C a constraint, "
            "F a function, U what is left open, E an erratum."]
    if any(name.startswith("sonnx/") for name in specifications):
        said.append("sonnx is the SONNX safety profile of ONNX, a draft.")
    if any(re.search(r"\bke\b", entry.clause["statement"]) for entry in broken):
        said.append("On an axis, in and out are the sizes of X and Y, ke that of the dilated kernel, s the stride, b "
                    "and e the padding at the beginning and the end.")
    return [*said, "A result is one case in one form (Y alone, or with Indices) under one version of a text; "
            "10 of 28: of the 28 results that judge the clause 10 break it.",
            "known = on this suite's list of known divergences, with the reason."]


def _steps(broken: Sequence[Broken], old: int, new: int) -> str:
    steps = Counter((entry.states[old], entry.states[new]) for entry in broken)
    return (f"{count(steps['diverges', 'conforms'], 'clause')} repaired, {steps['conforms', 'diverges']} newly broken, "
            f"{steps['diverges', 'diverges']} broken in both")


def _faults(shown: Sequence[Column], old: int, new: int) -> str:
    counts = [shown[number].record.counts for number in (old, new)]
    said = [f"{name} {counts[0][verdict]} then, {counts[1][verdict]} now" for verdict, name in FAULTS.items()
            if counts[0][verdict] or counts[1][verdict]]
    return f" {'; '.join(said).capitalize()}." if said else ""


def _worse(shown: Sequence[Column], broken: Sequence[Broken], old: int, new: int) -> str:
    lines = [change.new for change in lost(shown[old].record, shown[new].record)]
    if not lines:
        return ""
    addresses = {address for line in lines for address in line["clauses"]}
    named = [entry.address for entry in broken if addresses.intersection(entry.addresses)]
    among = "among the lines kept " if shown[new].record.is_campaign else ""
    was, is_ = ("was", "is") if len(lines) == 1 else ("were", "are")
    where = f" ({', '.join(named)})" if named else ""
    return f"Worse: {among}{count(len(lines), 'result')} that {was} right {is_} wrong now{where}."
