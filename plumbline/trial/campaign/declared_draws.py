"""Draw the calls of a campaign among those that the backend declares.

A call outside the declared capabilities is drawn again: as the call whose number is `SPACING` higher, and so on. The
calls of a campaign therefore depend on specification, seed, number and declaration alone, and the id of a call tells
how to draw it without the backend.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

from plumbline.backends.capabilities import entries_about, exceeded_limits, read_capabilities
from plumbline.backends.identity import Identity
from plumbline.backends.request import Request
from plumbline.cases import Case
from plumbline.cases.generate.blocks import INPUTS, Block, block
from plumbline.cases.generate.seeded import dense_case
from plumbline.oracle import Call, Spec

SPACING = 10 ** 16
"""The distance between the numbers of a call and its replacement: more than a campaign has calls."""

DRAWS = 64
"""Draws after which an undeclared call is run as it was first drawn."""


Drawn = TypeVar("Drawn", Block, Case)


class DeclaredDraws:
    """Draws calls of one specification and output selection.

    left_out: the limits that the calls drawn again exceed, with the number of these calls.

    Raises CapabilityError for a declaration that cannot be read."""

    def __init__(self, spec: Spec, form: str, seed: int, identity: Identity | None) -> None:
        self._spec, self._outputs, self._seed = spec, tuple(form.split("+")), seed
        self._version = identity.version if identity else ""
        declared = read_capabilities(identity.capabilities) if identity else None
        about = entries_about(declared or [], spec.operator)
        # Where no entry can cover a call of this version with these outputs, no draw helps.
        bare = Request(b"", spec.operator, {}, spec.opset, {}, self._outputs, 0.0, spec.name)
        self._entries = about if any(not list(entry.model_copy(update={"lacks": []}).exceeded(bare, self._version))
                                     for entry in about) else []
        self.left_out: Counter[str] = Counter()

    @property
    def digest(self) -> str:
        """A digest of the declaration that the calls depend on, "" if they depend on none."""
        text = repr((self._version if any(entry.versions for entry in self._entries) else "",
                     [entry.model_dump(exclude_defaults=True, exclude={"accuracy"}) for entry in self._entries]))
        return hashlib.sha256(text.encode()).hexdigest()[:16] if self._entries else ""

    def block(self, number: int) -> Block:
        """Return a declared block in the place of the block of a number. Raises what `block` raises."""
        return self._first(lambda place: block(self._spec.name, seed=self._seed, number=place), number,
                           SPACING // INPUTS, INPUTS)

    def blocks(self, numbers: range) -> Iterator[Case]:
        """Yield the calls of successive numbers, those of a block from one block. Raises what `block` raises."""
        for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
            drawn, first = self.block(number), number * INPUTS
            for place in range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS)):
                yield drawn.case(place)

    def dense(self, number: int) -> Case:
        """Return a declared call in the place of the one of a number. Raises what `dense_case` raises."""
        return self._first(lambda place: dense_case(self._spec.name, seed=self._seed, number=place), number, SPACING, 1)

    def _first(self, draw: Callable[[int], Drawn], number: int, spacing: int, calls: int) -> Drawn:
        """Return the first declared draw, or that of `number` if none is.

        spacing: distance of the numbers that are tried.
        calls:   number of calls in each draw, for `left_out`."""
        left_out: Counter[str] = Counter()
        for place in range(number, number + DRAWS * spacing, spacing):
            drawn = draw(place)
            exceeded = self._exceeded(drawn.call)
            if not exceeded:
                self.left_out += left_out
                return drawn
            left_out.update(dict.fromkeys(exceeded, calls))
        return draw(number)

    def _exceeded(self, call: Call) -> list[str]:
        """Return the limits that a call exceeds; of attributes their names alone."""
        if not self._entries:
            return []
        request = self._request(call.asking_for(*self._outputs))
        return [f"attribute {first}" if (first := limit.partition(" ")[0]) in request.attributes else limit
                for limit in exceeded_limits(self._entries, self._version, request)]

    def _request(self, call: Call) -> Request:
        """Return the request for a call, without the model, which no limit is about."""
        return Request(b"", call.operator, self._spec.native_attributes(call), self._spec.opset, call.inputs,
                       self._spec.asked(call), 0.0, self._spec.name)


def left_out_line(left_out: Counter[str]) -> str:
    """Describe in one line which calls were drawn again, "" if none were."""
    if not left_out:
        return ""
    types = [limit.removeprefix("dtype ") for limit in sorted(left_out) if limit.startswith("dtype ")]
    others = [limit for limit in sorted(left_out) if not limit.startswith("dtype ")]
    return "left out, since the backend does not declare them: " + "; ".join(
        ([f"type{'s' * (len(types) > 1)} {', '.join(types)}"] if types else []) + others)
