"""Calls that are changed in one respect, and what that tells of flags and conditions.

A flag of a definition is about what alters it (`flag_topics`). A condition is needed by a fault if the fault goes where
a call that shows it is changed so that the condition no longer holds (`needed_by`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.cases.format.flags import OF_VALUES, flags_of
from plumbline.cases.generate.seeded import made_case
from plumbline.oracle import Call
from plumbline.trial.known.conditions import holds
from plumbline.trial.record.lines import CaseLine
from tests.faults.calls import Item, items_of
from tests.faults.trial import quiet

FEW_VALUES = 12
"""Values of an attribute that calls are tried with."""

ENOUGH = 3
"""Changed calls without a condition that tell whether a fault needs it."""

NEARLY_ALL = 0.9
"""Share of them that show no fault, if it does."""


def values_of(items: Iterable[Item]) -> dict[str, list[Any]]:
    """Return the values of each attribute."""
    values: dict[str, list[Any]] = {}
    for item in items:
        for name, value in item.judged.call.attributes.items():
            if all(repr(value) != repr(each) for each in values.setdefault(name, [])):
                values[name].append(value)
    return values


def changed(item: Item, values: Mapping[str, Sequence[Any]]) -> Iterator[Item]:
    """Yield valid calls that differ from one in one respect; its size and rank stay, since both move all values."""
    with quiet():
        for number, (topic, call) in enumerate(changes(item.judged.call, values)):
            try:
                if topic != "size" and not item.spec.violations(call):
                    yield from items_of([made_case(item.spec, f"{item.case.id}-{number}", "", call, "")])
            except Exception:  # a call that means nothing
                continue


def needed_by(condition: str, answered: Callable[[Sequence[Item]], Iterable[CaseLine]], items: Sequence[Item]) -> bool:
    """Return True if a fault goes where changed calls lack a condition.

    answered: the lines of the faulty implementation.
    items:    changed calls, of calls that have the condition and show the fault."""
    lacking = [line for line in answered(items) if not holds([condition])(line)]
    return len(lacking) >= ENOUGH and sum(not line.accuses for line in lacking) >= NEARLY_ALL * len(lacking)


def flag_topics(items: Sequence[Item]) -> dict[str, set[str]]:
    """Return the topics of the flags of a definition: of the changes to calls that alter them."""
    topics: dict[str, set[str]] = {}
    values = values_of(items)
    seen = {id(item): flags for item in items if (flags := _flags(item, item.judged.call)) is not None}
    every = set().union(*seen.values())
    for topic, key_of in (("rank", lambda x: x.ndim), ("type", lambda x: x.dtype.name),
                          ("empty", lambda x: not x.size)):
        groups: dict[tuple[Any, ...], list[set[str]]] = {}
        for item in items:
            if id(item) in seen:
                key = tuple(map(key_of, [*item.judged.call.inputs.values(),
                                         *map(np.asarray, (item.case.expectation.outputs or {}).values())]))
                groups.setdefault(key, []).append(seen[id(item)])
        for flag in every:  # one that ranks, types or emptiness alone decide
            having = [{flag in flags for flags in group} for group in groups.values()]
            if all(len(each) == 1 for each in having) and len(set[bool]().union(*having)) == 2:
                topics.setdefault(flag, set()).add(topic)
    for item in items:
        call = item.judged.call
        with quiet():
            before = _flags(item, call)
            for topic, changed in changes(call, values):
                after = _flags(item, changed)
                for flag in (before ^ after) if after is not None and before is not None else ():
                    topics.setdefault(flag, set()).update([topic, *["axis"] * (topic == "size")])
                    if topic.startswith("attribute:") and _types(item, changed) != _types(item, call):
                        topics[flag].add("type")  # an attribute that chooses one
    return topics


def _types(item: Item, call: Call) -> list[np.dtype] | None:
    try:
        return [array.dtype for array in item.spec.expected(call).values()]
    except Exception:  # beyond what is computed
        return None


def _flags(item: Item, call: Call) -> set[str] | None:
    try:
        return None if item.spec.violations(call) else set(flags_of(item.spec, call))
    except Exception:  # a call that means nothing
        return None


def changes(call: Call, values: Mapping[str, Sequence[Any]]) -> Iterable[tuple[str, Call]]:
    """Yield calls that differ in one topic."""
    for name in call.attributes:
        yield f"attribute:{name}", replace(call, attributes={
            key: value for key, value in call.attributes.items() if key != name})
        for other in values[name][:FEW_VALUES]:
            yield f"attribute:{name}", replace(call, attributes={**call.attributes, name: other})
    masks = {"nan": lambda x: x != x, "infinite": np.isinf, "zero": lambda x: x == 0, "negative": lambda x: x < 0,
             "fraction": lambda x: np.isfinite(x) & (x != np.rint(x)),
             "subnormal": OF_VALUES["subnormal"][1], "largest": OF_VALUES["largest"][1]}
    for name, x in call.inputs.items():
        for value, mask in masks.items() if x.dtype.kind in "fiV" and x.size <= 4096 else ():
            try:
                held = np.asarray(mask(x))
                if held.any():
                    made = np.where(held, x.dtype.type(1), x).astype(x.dtype)
                    yield f"value:{value}", replace(call, inputs={**call.inputs, name: made})
            except (TypeError, ValueError):
                continue
        if len(call.inputs) > 1:
            yield f"given:{name}", replace(call, inputs={k: v for k, v in call.inputs.items() if k != name})
    first = next(iter(call.inputs.values()), None)
    yield "relation", replace(call, inputs={name: first if first is not None and x.dtype == first.dtype else x
                                            for name, x in call.inputs.items()})
    axes = {x.shape[axis] for x in call.inputs.values() for axis in range(x.ndim)}
    for size in axes - {0, 1}:  # every axis of one size, to half of it
        yield "size", replace(call, inputs={name: x[tuple(
            slice(0, max(1, size // 2)) if length == size else slice(None) for length in x.shape)]
            for name, x in call.inputs.items()})
    for dtype in ("float32", "float64", "int64", "int8", "float16"):
        if first is not None and first.dtype.kind in "fiu":
            yield "type", replace(call, inputs={name: x.astype(dtype) if x.dtype == first.dtype else x
                                                for name, x in call.inputs.items()})
