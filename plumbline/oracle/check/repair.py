"""Find the fewest edits that repair each broken clause of a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

from plumbline.oracle.answers import Standing
from plumbline.oracle.edit import Edit
from plumbline.oracle.node import Node
from plumbline.oracle.specification import Spec

MOST_EDITS = 4
"""Of one repair; no clause of today's specifications needs more."""


@dataclass(frozen=True, eq=False)
class Repair:
    """Edits in the order in which they are applied, and the node after them.

    changes:  what of the node's meaning they change, or why that cannot be told; () when it stays.
    standing: of the repaired node, as of `Finding`."""

    edits: tuple[Edit, ...]
    node: Node
    changes: tuple[str, ...]
    standing: str

    @property
    def steps(self) -> list[str]:
        """The edits in words."""
        return [edit.text for edit in self.edits]


def overall(standings: list[Standing]) -> str:
    """The state: ``"breaks"`` if a clause is broken, ``"undecided"`` if one is, else ``"inside"``."""
    states = {entry.state for entry in standings}
    return "breaks" if "broken" in states else "undecided" if "undecided" in states else "inside"


class Repairs:
    """The repairs of one node under one specification."""

    def __init__(self, spec: Spec, node: Node, standings: list[Standing], tried: list[Edit]) -> None:
        self._spec = spec
        self._node = node
        self._tried = tried
        self._before = {entry.clause: entry.state for entry in standings}
        self._judged: dict[tuple[Edit, ...], Repair] = {}
        self._after: dict[tuple[Edit, ...], dict[str, str]] = {}

    def of(self, clause: str) -> Repair | None:
        """Return the fewest edits that repair a broken clause, given by address.

        Edits that keep the node's meaning come first. None if nothing helps; no kept clause becomes broken."""
        for chosen in self._choices():
            after = self._states(chosen)
            breaks = any(state == "broken" and self._before.get(other) == "kept" for other, state in after.items())
            if after.get(clause) == "kept" and not breaks:
                return self._judged[chosen]
        return None

    def together(self, repairs: list[Repair]) -> Repair:
        """Return the repair of all broken clauses at once."""
        wanted = {edit for repair in repairs for edit in repair.edits}
        chosen = tuple(edit for edit in self._tried if edit in wanted)
        self._states(chosen)
        return self._judged[chosen]

    def _choices(self) -> Iterator[tuple[Edit, ...]]:
        harmless = [edit for edit in self._tried if not edit.changes]
        for edits in (harmless, self._tried):
            for count in range(1, min(len(edits), MOST_EDITS) + 1):
                yield from combinations(edits, count)

    def _states(self, chosen: tuple[Edit, ...]) -> dict[str, str]:
        if chosen not in self._after:
            node = reduce(lambda given, edit: edit.apply(given), chosen, self._node)
            standings = self._spec.clause_by_clause(node.call(self._spec))
            changes = tuple(dict.fromkeys(edit.changes for edit in chosen if edit.changes))
            self._judged[chosen] = Repair(chosen, node, changes, overall(standings))
            self._after[chosen] = {entry.clause: entry.state for entry in standings}
        return self._after[chosen]
