"""Faults of attributes that are read wrongly, and of valid calls that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from plumbline.backends import Request
from plumbline.oracle.graphs import is_graph
from tests.faults.calls import Outputs
from tests.faults.wrapper import Facts, Run, Wrapper, is_float

MOST_WORDS = 8
"""Words that an attribute chooses from."""


def of_attributes(facts: Facts) -> Iterator[Wrapper]:
    """Those that attributes of such values can have."""
    readings: dict[str, Callable[[Any], Any]] = {
        "reversed": lambda value: value[::-1], "the first for all": lambda value: [value[0]] * len(value),
        "the last for all": lambda value: [value[-1]] * len(value),
        "halves exchanged": lambda value: [*value[len(value) // 2:], *value[:len(value) // 2]],
        "first half for both": lambda value: [*value[:len(value) // 2]] * 2 if len(value) % 2 == 0 else value,
        "paired by axis": lambda value: [*value[::2], *value[1::2]],
        "the first one more": lambda value: [value[0] + 1, *value[1:]],
        "the last one more": lambda value: [*value[:-1], value[-1] + 1],
        "the last left out": lambda value: [*value[:-1], 1]}
    for name, values in facts.attributes.items():
        kinds = {type(value) for value in values}
        yield Wrapper(f"{name} is not read", "attribute", partial(without_attribute, name=name))
        for what, reading in readings.items() if list in kinds else ():
            yield Wrapper(f"{name} is read {what}", "attribute", partial(_read, name=name, kind=list, reading=reading))
        for step in (1, -1) if kinds & {int, float} else ():
            yield Wrapper(f"{name} is read {step:+d}", "attribute",
                          partial(_read, name=name, kind=(int, float), reading=lambda value, step=step: value + step))
        if any(isinstance(value, int | float) and value not in (0, 1) for value in values):
            yield Wrapper(f"{name} is read negated", "attribute",
                          partial(_read, name=name, kind=(int, float), reading=lambda value: -value))
        if {0, 1} & {value for value in values if isinstance(value, int)}:
            yield Wrapper(f"{name} is read the other way round", "attribute", partial(
                _read, name=name, kind=int, reading=lambda value: 1 - value if value in (0, 1) else value))
        for other in _choices(values):
            yield Wrapper(f"{name} is always {other}", "attribute",
                          partial(_read, name=name, kind=str, reading=lambda value, other=other: other))


    graphs = [name for name, values in facts.attributes.items() if all(map(is_graph, values))]
    for name, other in permutations(graphs, 2):
        yield Wrapper(f"{name} is the graph of {other}", "attribute", partial(_read_from, name=name, other=other))


def _read_from(run: Run, request: Request, outputs: Outputs, name: str, other: str) -> Outputs:
    return run(replace(request, attributes={**request.attributes, name: request.attributes[other]}))


def without_attribute(run: Run, request: Request, outputs: Outputs, name: str) -> Outputs:
    """Return the outputs for a call that leaves the attribute out."""
    if name not in request.attributes:
        return outputs
    return run(replace(request, attributes={key: value for key, value in request.attributes.items() if key != name}))


def _read(run: Run, request: Request, outputs: Outputs, name: str, kind: Any, reading: Callable[[Any], Any]) -> Outputs:
    given = request.attributes.get(name)
    numbers = given if isinstance(given, list) else [given]
    if not isinstance(given, kind) or given == [] or any(isinstance(n, int) and abs(n) > 64 for n in numbers):
        return outputs
    read = reading(given)
    return outputs if read == given else run(replace(request, attributes={**request.attributes, name: read}))


def of_refusals(facts: Facts) -> Iterator[Wrapper]:
    """Those of calls that there are."""
    conditions: dict[str, Callable[[Request, Outputs], bool]] = {
        "inputs without elements": lambda r, o: any(not x.size for x in r.inputs.values()),
        "outputs without elements": lambda r, o: any(not y.size for y in o.values()),
        "scalars": lambda r, o: any(not x.ndim for x in r.inputs.values()),
        "NaN": lambda r, o: any(is_float(x.dtype) and bool(np.isnan(x).any()) for x in r.inputs.values()),
        "infinities": lambda r, o: any(is_float(x.dtype) and bool(np.isinf(x).any()) for x in r.inputs.values()),
        "inputs of different rank": lambda r, o: len({x.ndim for x in r.inputs.values()}) > 1,
        "inputs of different shape": lambda r, o: len({x.shape for x in r.inputs.values()}) > 1,
        "more than one batch": lambda r, o: any(x.ndim and x.shape[0] > 1 for x in r.inputs.values()),
        "more than 1,024 elements": lambda r, o: any(y.size > 1024 for y in o.values())}
    for rank in range(1, facts.rank + 1):
        conditions[f"inputs of {rank} axes"] = lambda r, o, rank=rank: next(iter(r.inputs.values())).ndim == rank
    for dtype in sorted(facts.types, key=str):
        conditions[f"{dtype.name}"] = lambda r, o, dtype=dtype: any(x.dtype == dtype for x in r.inputs.values())
    for name, values in facts.attributes.items():
        conditions[f"{name}"] = lambda r, o, name=name: name in r.attributes
        conditions[f"{name} left out"] = lambda r, o, name=name: name not in r.attributes
        if any(map(_negative, values)):
            conditions[f"negative {name}"] = lambda r, o, name=name: _negative(r.attributes.get(name))
        for value in _choices(values):
            conditions[f"{name} of {value}"] = lambda r, o, n=name, value=value: r.attributes.get(n) == value
    for name in facts.inputs:
        conditions[f"{name} left out"] = lambda r, o, name=name: name not in r.inputs
    for what, condition in conditions.items():
        yield Wrapper(f"refuses {what}", "refusal", partial(_refusing, condition=condition))


def _choices(values: Iterable[Any]) -> list[str]:
    """Return the words that an attribute chooses from; none where there are many, such as equations, or graphs."""
    words = [value for value in values if isinstance(value, str) and not is_graph(value)]
    return words if len(words) <= MOST_WORDS else []


def _negative(value: Any) -> bool:
    numbers = value if isinstance(value, list) else [value]
    return any(isinstance(number, int | float) and number < 0 for number in numbers)


def _refusing(run: Run, request: Request, outputs: Outputs, condition: Callable[[Request, Outputs], bool]) -> Outputs:
    if condition(request, outputs):
        raise NotImplementedError("not supported")
    return outputs
