"""Binds predicates to clauses: one `Bindings` for each specification, one decorator for each kind of clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.findings import Divergence

CallPredicate = Callable[[Any], str | None]
"""Why the call breaks the clause, in one line; None when it keeps it."""

OutputPredicate = Callable[[Any], "Wrong | None"]
"""What of an answer breaks the clause, None when nothing does; it is given the specification's own `Answer`."""


@dataclass(frozen=True, eq=False)
class Wrong:
    """What a predicate on outputs found. `mask` marks the elements; None where the whole output is meant."""

    output: str
    why: str
    mask: np.ndarray | None = None
    expected: np.ndarray | str = ""
    got: np.ndarray | str = ""

    def at(self, clause: str) -> Divergence:
        """This finding, charged to a clause."""
        if self.mask is None:
            return Divergence(clause, self.output, self.why, None, self.expected, self.got)
        return Divergence(clause, self.output, self.why, np.argwhere(self.mask),
                          np.asarray(self.expected)[self.mask], np.asarray(self.got)[self.mask])


class Bindings:
    """The predicates of one specification, by local clause address.

    read:     what the predicates are given instead of (call, version), the call itself by default.
    expected: gives the canonical outputs of a call inside the domain, by the fast method.
    reads:    for a call inside the domain and the coordinates of an element of an output, an int array (n, rank of X)
              of the cells of X that it is computed from; a cell outside X is padding. For pictures, not for verdicts.
    measure:  for a call, the outputs given and where each is judged, figures to record by name; changes no verdict.
    tolerance: for a call inside the domain, by output, a distance from the canonical values within which every
              conforming one lies; where there is none, they are compared exactly.
    several:  for a call inside the domain, by output, where more than one value conforms, but for rounding.
    stacked:  for a call in which `count` calls that differ in X alone are laid together along the batch axis, by how
              much the positions in each output rise from one to the next; None where they cannot be (oracle/stack.py).
    charged_by_all_of_x: whether the clause that a wrong element is charged to depends on elements of X anywhere.
    answer:   wraps (call, outputs) in what the predicates on outputs read.
    words:    from a call and the version of the text to the attributes in the specification's own words, where these
              are not ONNX's.
    needs:    for a predicate on a call, the clauses that must hold for the question to make sense; for one on outputs,
              those that must not be broken for its elements to be comparable.
    """

    def __init__(self, specification: str, read: Callable[[Call, int], Any] = lambda call, version: call) -> None:
        self.specification = specification
        self.read = read
        self.call_predicates: dict[str, CallPredicate] = {}
        self.output_predicates: dict[str, OutputPredicate] = {}
        self.open_predicates: dict[str, Callable[[Call], Mapping[str, Any]]] = {}
        self.refusals: set[str] = set()
        self.evidences: dict[str, Callable[[], str]] = {}
        self.needs: dict[str, tuple[str, ...]] = {}
        self.expected: Callable[[Any], dict[str, np.ndarray]] | None = None
        self.reads: Callable[[Any, tuple[int, ...]], np.ndarray] | None = None
        self.measure: Callable[..., dict[str, float]] | None = None
        self.tolerance: Callable[[Any], dict[str, float]] = lambda call: {}
        self.several: Callable[[Any], dict[str, np.ndarray]] = lambda call: {}
        self.stacked: Callable[[Any, int], dict[str, int] | None] = lambda call, count: None
        self.charged_by_all_of_x: Callable[[Any], bool] = lambda call: False
        self.answer: Callable[[Any, Mapping[str, np.ndarray]], Any] | None = None
        self.words: Callable[[Call, int], dict[str, Any]] = lambda call, version: dict(call.attributes)

    def on_call(self, clause: str, needs: tuple[str, ...] = ()) -> Callable[[CallPredicate], CallPredicate]:
        """Bind a predicate over a call."""
        return self._bind(self.call_predicates, clause, needs)

    def on_outputs(self, clause: str, needs: tuple[str, ...] = ()) -> Callable[[OutputPredicate], OutputPredicate]:
        """Bind a predicate over a call and its outputs."""
        return self._bind(self.output_predicates, clause, needs)

    def leaves_open(self, clause: str, refusal: bool = False) -> Callable[[Any], Any]:
        """Bind a U clause: from a call to a mask (or "whole") for each output it opens; {} when it does not apply.

        refusal: where it applies, it is also open whether the call is inside the domain."""
        if refusal:
            self.refusals.add(clause)
        return self._bind(self.open_predicates, clause, ())

    def evidence(self, clause: str) -> Callable[[Any], Any]:
        """Bind an E clause: computes and says, in one line, how the source contradicts itself.

        The function raises AssertionError when the contradiction is not there."""
        return self._bind(self.evidences, clause, ())

    @property
    def bound(self) -> set[str]:
        """Every clause that has a predicate."""
        return {*self.call_predicates, *self.output_predicates, *self.open_predicates, *self.evidences}

    def _bind(self, table: dict[str, Any], clause: str, needs: tuple[str, ...]) -> Callable[[Any], Any]:
        def bind(function: Any) -> Any:
            if clause in self.bound:
                raise ValueError(f"{self.specification}#{clause} has a predicate already")
            table[clause] = function
            self.needs[clause] = needs
            return function
        return bind
