"""Faults that no syntax tree holds, as wrappers of a right implementation: one shelf for every operator."""

from __future__ import annotations

from collections.abc import Iterator

from tests.faults.layouts import of_layouts
from tests.faults.places import of_places
from tests.faults.readings import of_attributes, of_refusals
from tests.faults.states import of_contexts
from tests.faults.values import of_values
from tests.faults.wrapper import Facts, Wrapper


def shelf(facts: Facts) -> Iterator[Wrapper]:
    """Every fault that an operator with such calls can have."""
    for part in (of_places, of_values, of_layouts, of_attributes, of_refusals, of_contexts):
        yield from part(facts)
