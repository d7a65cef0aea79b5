"""Bind predicates, methods that decide one clause each, to clauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from dis import get_instructions
from functools import cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import Any, Literal

from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Operator

Kind = Literal["call", "outputs", "elements", "open", "evidence", "disputed"]

UNBOUND = ""
"""The address of a predicate of a base class, which definitions bind in `Operator.clauses`."""


@dataclass(frozen=True, eq=False)
class Predicate:
    """A method of a definition that decides one clause; see the decorators below.

    needs: addresses of clauses, or in a base class names of the predicates that decide them.
    output: of a predicate on elements; "" in a base class stands for the section of the clause that it is bound to.
    """

    kind: Kind
    clause: str
    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    refusal: bool = False
    output: str = ""
    why: str = ""

    @cached_property
    def reads_answer(self) -> bool:
        """True if a predicate on elements reads the output; else its mask is the same for all outputs."""
        code = getattr(self.function, "__code__", None)
        if code is None or code.co_argcount != 2 or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
            return True
        name = code.co_varnames[1]
        return any(name in (each.argval if isinstance(each.argval, tuple) else (each.argval,))
                   for each in get_instructions(code))

    def __get__(self, definition: Operator | None, owner: type[Operator]) -> Any:
        if definition is None:
            return self
        return self.function.__get__(definition, owner) if self.kind != "evidence" else self.function


def _function(method: Any) -> Any:
    if isinstance(method, staticmethod):
        return method.__func__
    return method.function if isinstance(method, Predicate) else method


def on_call(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> str | None`` to a clause on calls.

    It returns in one line why the call breaks the clause, or None. `needs` names the clauses that must hold before it
    is asked."""
    return lambda function: Predicate("call", clause, _function(function), needs)


def on_outputs(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self, response) -> Wrong | None`` to a clause on whole outputs.

    Such clauses are about presence, shape and type. `needs` names the clauses that must hold before it is asked."""
    return lambda function: Predicate("outputs", clause, _function(function), needs)


def on_elements(clause: str, output: str, why: str) -> Callable[[Any], Any]:
    """Bind a method ``(self, got) -> mask`` to a clause on elements of one output.

    The mask is a bool array of the output's shape, or one bool. Each wrong element is blamed on the first clause whose
    mask holds there; `predicates` has the order."""
    return lambda function: Predicate("elements", clause, _function(function), output=output, why=why)


def unspecified(clause: str, refusal: bool = False) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> Unspecified | None`` to a U clause.

    It returns None where the clause does not apply. With `refusal` an implementation may also refuse the call where it
    applies."""
    return lambda function: Predicate("open", clause, _function(function), refusal=refusal)


def evidence(clause: str) -> Callable[[Any], Any]:
    """Bind a static method ``() -> str`` to an E clause.

    It computes how the source contradicts itself and returns that in one line. It raises AssertionError when the
    contradiction is not there."""
    return lambda function: Predicate("evidence", clause, _function(function))


def disputed(clause: str) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> Unspecified | None`` to an E clause with editions.

    Its readings are those of these editions, the one in force first; None where they read the call no differently."""
    return lambda function: Predicate("disputed", clause, _function(function))


def predicates(definition: type[Operator]) -> list[Predicate]:
    """Return the predicates of a definition: those it binds by decorators, then those of `Operator.clauses`.

    Of the former a subclass's come before those of its bases. A method that is bound by a decorator is not bound by
    the table as well. Raises SpecError for a name in the table that is no predicate."""
    by_name: dict[str, Any] = {}
    for owner in definition.__mro__:
        by_name = {**by_name, **{name: value for name, value in vars(owner).items() if name not in by_name}}
    methods = {name: value for name, value in by_name.items() if isinstance(value, Predicate)}
    for address, name in definition.clauses.items():
        if name not in methods:
            raise SpecError(f"{definition.__name__}.clauses binds {address} to {name}, which is no predicate")
    addresses = {name: address for address, name in definition.clauses.items() if methods[name].clause == UNBOUND}
    bound = [predicate for predicate in methods.values() if predicate.clause != UNBOUND]
    bound += [replace(methods[name], clause=address, output=methods[name].output or address.split(".")[-2])
              for name, address in addresses.items()]
    addresses |= {name: predicate.clause for name, predicate in methods.items() if predicate.clause != UNBOUND}
    return [replace(predicate, needs=tuple(addresses.get(need, need) for need in predicate.needs
                                           if need in addresses or need not in methods)) for predicate in bound]
