"""What the script of a page needs to filter and to count anew: a small table of numbers, in the order of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.reports.addresses import parts
from plumbline.reports.side_by_side import CaseRow, Column, MatrixRow
from plumbline.reports.traceability import Key, Trace


def page_data(shown: Sequence[Column], rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow],
              found: Sequence[Trace]) -> dict[str, Any]:
    """Lists of names, and numbers that point into them.

    clauses: for each row of the matrix (section and tag, kind, what it judges)
    cases:   for each row of the table of cases (specification, dtype, opset, its clauses)
    results: for each result (case, column, verdict, what it says), where what it says is one of
    says:    lists of clause, bearing, clause, bearing and so on
    """
    names = {name: _Numbers() for name in ("specifications", "dtypes", "opsets", "verdicts", "bearings", "groups")}
    clauses = {row.address: number for number, row in enumerate(row for part in rows.values() for row in part)}
    says: dict[int, list[int]] = {}
    for trace in found:
        says.setdefault(id(trace.line), []).extend((clauses[trace.address], names["bearings"].of(trace.bearing)))
    sayings = _Numbers()
    listed, results = [], []
    for number, row in enumerate(cases.values()):
        group = names["groups"].of(tuple(sorted(clauses[address] for address in row.clauses if address in clauses)))
        listed.append([names["specifications"].of(row.line["spec"]), names["dtypes"].of(row.line["dtype"]),
                       names["opsets"].of(row.line["opset"]), group])
        for column, line in row.lines:
            results.append([number, column, names["verdicts"].of(line["verdict"]),
                            sayings.of(tuple(says.get(id(line), ())))])
    return {"columns": len(shown), **{name: list(numbers) for name, numbers in names.items()},
            "clauses": [[parts(row.address)[2], row.clause["kind"], row.clause["judges"]]
                        for part in rows.values() for row in part],
            "cases": listed, "results": results, "says": list(sayings)}


class _Numbers(dict[Any, int]):
    """Numbers things in the order of their coming."""

    def of(self, thing: Any) -> int:
        """The number of a thing."""
        return self.setdefault(thing, len(self))
