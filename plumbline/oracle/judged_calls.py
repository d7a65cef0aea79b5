"""Calls that specifications were asked about last, with what they answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plumbline.oracle.binding import BoundSpec
from plumbline.oracle.call import Call
from plumbline.oracle.judgement import JudgedCall

KEPT = 4
"""Calls whose answers are kept: a case, those that are submitted again to confirm it, and a part of it."""

SMALL = 32
"""Calls for which there is room at least: one that takes a larger share of it is dropped."""

Key = tuple[int, int, str]
"""The identity of inputs and attributes, and the operator."""


class JudgedForms:
    """A call in all its output selections, under each specification that is asked about it."""

    def __init__(self, call: Call) -> None:
        self._call = call  # while it is here, no other call has the identity of its inputs
        self._judged: dict[BoundSpec, dict[tuple[str, ...] | None, JudgedCall]] = {}

    def under(self, spec: BoundSpec, call: Call) -> JudgedCall:
        """The call under a specification."""
        forms = self._judged.setdefault(spec, {})
        judged = forms.get(call.outputs)
        if judged is None:
            alike = next(iter(forms.values()), None) if spec.variadic_output is None else None
            judged = forms[call.outputs] = alike.selecting(call) if alike is not None else JudgedCall(spec, call)
        return judged

    @property
    def elements(self) -> int:
        """The number of elements of inputs and outputs; 0 while no outputs have been computed."""
        definitions = [judged.shared["definition"] for forms in self._judged.values() for judged in forms.values()
                       if "definition" in judged.shared]
        computed = [vars(definition)["canonical"] for definition in definitions if "canonical" in vars(definition)]
        return sum(array.size for arrays in (self._call.inputs, *computed) for array in arrays.values()) if computed \
            else 0


class JudgedCalls:
    """The calls that were asked about last: `KEPT`, and where there is room, others whose outputs have been computed.

    A call is known by its inputs and attributes, by identity."""

    def __init__(self) -> None:
        self._last = dict[Key, JudgedForms]()
        self._others = dict[Key, tuple[JudgedForms, int]]()
        self._room = self._room_in_all = 0

    def under(self, spec: BoundSpec, call: Call) -> JudgedCall:
        """The call under a specification, with what was answered about it before."""
        key = (id(call.inputs), id(call.attributes), call.operator)
        forms = self._last.pop(key, None) or self._taken(key) or JudgedForms(call)
        self._last[key] = forms
        if len(self._last) > KEPT:
            self._put_aside(next(iter(self._last)))
        return forms.under(spec, call)

    def _taken(self, key: Key) -> JudgedForms | None:
        if key not in self._others:
            return None
        forms, elements = self._others.pop(key)
        self._room += elements
        return forms

    def _put_aside(self, key: Key) -> None:
        """Take a call from the last ones, and store it among the others if it is small and fits."""
        forms = self._last.pop(key)
        elements = forms.elements
        if 0 < elements <= min(self._room, self._room_in_all // SMALL):
            self._others[key] = forms, elements
            self._room -= elements

    def clear(self) -> None:
        """Drop all calls, which may be large."""
        self._last.clear()
        self._others.clear()
        self._room = self._room_in_all

    @contextmanager
    def keeping(self, elements: int) -> Iterator[None]:
        """Give room for calls that together have so many elements."""
        self._room = self._room_in_all = elements
        try:
            yield
        finally:
            self._room_in_all = 0
            self.clear()
