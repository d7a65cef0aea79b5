"""Predicates: methods of a definition that decide one clause each, and the decorators that bind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.oracle.definition import Operator

Kind = Literal["call", "outputs", "elements", "open", "evidence"]


@dataclass(frozen=True, eq=False)
class Predicate:
    """A method of a definition that decides one clause; see the decorators below."""

    kind: Kind
    clause: str
    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    refusal: bool = False
    output: str = ""
    why: str = ""

    def __get__(self, definition: Operator | None, owner: type[Operator]) -> Any:
        if definition is None:
            return self
        return self.function.__get__(definition, owner) if self.kind != "evidence" else self.function


def _function(found: Any) -> Any:
    if isinstance(found, staticmethod):
        return found.__func__
    return found.function if isinstance(found, Predicate) else found


def on_call(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> str | None`` to a clause on calls: why the call breaks it, in one line; None when it is
    kept. `needs` names the clauses that must hold for the question to make sense."""
    return lambda function: Predicate("call", clause, _function(function), needs)


def on_outputs(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self, response) -> Wrong | None`` to a clause on whole outputs: presence, shape, type. `needs`
    names the clauses that must not be broken for the outputs to be comparable."""
    return lambda function: Predicate("outputs", clause, _function(function), needs)


def on_elements(clause: str, output: str, why: str) -> Callable[[Any], Any]:
    """Bind a method ``(self, got) -> mask`` to a clause on the elements of one output. Each wrong element is blamed on
    the first clause whose mask (a bool array of the output's shape, or one bool) holds there: clauses of a subclass
    come before those of its bases, and clauses of one class in the order of their definition."""
    return lambda function: Predicate("elements", clause, _function(function), output=output, why=why)


def unspecified(clause: str, refusal: bool = False) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> Unspecified | None`` to a U clause; None where it does not apply. With `refusal` it is
    also open, where it applies, whether the call is inside the domain."""
    return lambda function: Predicate("open", clause, _function(function), refusal=refusal)


def evidence(clause: str) -> Callable[[Any], Any]:
    """Bind a function ``() -> str`` (a static method) to an E clause: it computes how the source contradicts itself and
    says it in one line. It raises AssertionError when the contradiction is not there."""
    return lambda function: Predicate("evidence", clause, _function(function))


def predicates(definition: type[Operator]) -> list[Predicate]:
    """The predicates of a definition, a subclass's before those of its bases, each class's in the order of definition.
    A name that a subclass gives to something else, such as None, hides that of its base."""
    found: list[Predicate] = []
    seen: set[str] = set()
    for owner in definition.__mro__:
        fresh = {name: value for name, value in vars(owner).items() if name not in seen}
        found += [value for value in fresh.values() if isinstance(value, Predicate)]
        seen |= set(fresh)
    return found
