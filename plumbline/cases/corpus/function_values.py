"""Compute what function bodies can give, by their nodes' specifications.

A body is computed node by node through the definitions of its operators. Of each element all values that the
specifications of the nodes allow are kept: intervals of places (`value_order`), in which NaN and both zeros count.

* Where all that a node reads is one value, its specification is searched for what it allows (`corpus.allowed`).
* Of elementwise operators and of copies, each interval of an element is tried with each of the other inputs: single
  values as before, others by `oracle.enclosures`. Where anything may be read, a node counts as decided if it gives the
  same for a sample of values.
* Of other operators, `oracle.enclosures` gives the ends, and elements that read anything may be anything.

So a body decides what it decides for certain; what it gives may be less than what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from onnx import NodeProto

from plumbline.cases.corpus.allowed import allowed
from plumbline.cases.generate.value_order import Row
from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.enclosures import MOST, with_inputs
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.elementwise import Elementwise
from plumbline.oracle.families.functions import FunctionBody, ends_of, judged_node
from plumbline.oracle.families.movement import Movement
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.operator import Operator
from plumbline.oracle.response import is_float

Intervals = tuple[tuple[int, int], ...]
"""Of an element, the places of the values that are allowed, in order; () stands for all."""

ANY: Intervals = ()

SAMPLE = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.3, -7.7)
"""Values that stand for any value."""


@dataclass(frozen=True, eq=False)
class Values:
    """A tensor of a body: its canonical value, and what each element may be."""

    canonical: np.ndarray
    elements: tuple[Intervals, ...]

    @property
    def row(self) -> Row:
        """The order of values of its type."""
        return Row(self.canonical.dtype.newbyteorder("="))

    @property
    def is_exact(self) -> bool:
        """True if each element is one value."""
        return all(len(each) == 1 and each[0][0] == each[0][1] for each in self.elements)

    @classmethod
    def of(cls, array: np.ndarray) -> Values:
        """A tensor that is given."""
        row = Row(array.dtype.newbyteorder("="))
        return cls(array, tuple(((place, place),) for place in row.places(array).tolist()))

    def array(self, places: Sequence[int]) -> np.ndarray:
        """Return the tensor whose elements are at some places."""
        values = self.row.values(np.array(places, np.uint64))
        return np.asarray(values.reshape(self.canonical.shape), self.canonical.dtype)

    def worlds(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the lower and the upper ends of one interval of each element, until each interval was there."""
        elements = self.elements
        if self.canonical.dtype == bool:
            elements = tuple(tuple((place, place) for low, high in each for place in range(low, high + 1))
                             for each in elements)
        for number in range(max(map(len, elements), default=1) or 1):
            chosen = [each[number % len(each)] if each else (place, place)
                      for each, place in zip(elements, self.row.places(self.canonical).tolist(), strict=True)]
            yield self.array([low for low, _ in chosen]), self.array([high for _, high in chosen])
        if ANY in self.elements:
            free = np.array([not each for each in self.elements], bool).reshape(self.canonical.shape)
            for value in SAMPLE if is_float(self.canonical.dtype) else (0, 1, 37):
                with np.errstate(all="ignore"):
                    array = np.where(free, np.array(value).astype(self.canonical.dtype), self.canonical)
                yield array, array


def computed(body: FunctionBody) -> dict[str, Values]:
    """Return what the outputs of a body may be. Raises InvalidBody, and OutsideDomain where that is not known."""
    tensors = {name: Values.of(array) for name, array in body.inputs.items()}
    for node in body.nodes:
        tensors |= _results(node, body.opset, tensors)
    return {name: tensors[inner] for name, inner in body.outputs.items()}


def _results(node: NodeProto, opset: int, tensors: Mapping[str, Values]) -> dict[str, Values]:
    judged, names = judged_node(node, opset, {name: values.canonical for name, values in tensors.items()})
    given = {name: tensors[value] for name, value in zip(judged.spec.input_names(len(node.input)), node.input,
                                                         strict=True) if value in tensors}
    read = _field(judged.definition) if isinstance(judged.definition, Elementwise) else {}  # types alone are not
    inexact = {name: values for name, values in given.items() if not values.is_exact and name in (read or given)}
    if not inexact or judged.definition.reads_sizes_alone:
        results = {name: allowed_by(judged, name) for name in names}
    elif is_by_elements(judged.definition):
        results = _in_worlds(judged, inexact)
    else:
        results = _enclosed(judged, inexact)
    return {names[name]: Values(judged.expected[name], elements) for name, elements in results.items()}


def is_by_elements(definition: Operator) -> bool:
    """True if each element of the output is computed from one element of each input at most."""
    if isinstance(definition, Movement):
        return True
    if not isinstance(definition, Elementwise):
        return False
    return all(len(cells) == 1 for cells in _field(definition).values())


def _field(definition: Elementwise) -> Mapping[str, np.ndarray]:
    """Return by input the cells that the first element reads; {} if there is none."""
    shape = definition.canonical[definition.output].shape
    return definition.receptive_field(definition.output, (0,) * len(shape)) if 0 not in shape else {}


def allowed_by(judged: JudgedCall, name: str) -> tuple[Intervals, ...]:
    """Return what a specification allows of each element of an output, disputes aside. Raises OutsideDomain where its
    shape is open."""
    readings = [judged, *(JudgedCall(judged.spec, judged.call, reading)
                          for effect in judged.unspecified_by_clause.values() for reading in effect.readings)]
    of_readings = []
    for reading in readings:
        admitted = allowed(reading, name, reading.definition)
        if admitted.open_shape or admitted.canonical.shape != judged.expected[name].shape:
            raise OutsideDomain(f"the shape of {name} of {judged.call.operator} is open")
        elements = [[(int(low), int(high))] for low, high in zip(admitted.low, admitted.high, strict=True)]
        if len(elements) != admitted.canonical.size:
            raise OutsideDomain("complex numbers are not tried")
        for place, low, high in admitted.also:
            elements[place].append((low, high))
        for place in (*admitted.anything, *admitted.unsettled):
            elements[place] = []
        of_readings.append(elements)
    return tuple(_union(each) for each in zip(*of_readings, strict=True))


def _union(choices: Iterable[Iterable[tuple[int, int]]]) -> Intervals:
    """Return all intervals of several sets, those that overlap joined."""
    listed = [list(each) for each in choices]
    if not all(listed):
        return ANY
    joined = list[tuple[int, int]]()
    for low, high in sorted({interval for each in listed for interval in each}):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return tuple(joined)


def _in_worlds(judged: JudgedCall, inexact: Mapping[str, Values]) -> dict[str, tuple[Intervals, ...]]:
    """Join what is allowed for each choice of an interval, in each input."""
    choices = [list(values.worlds()) for values in inexact.values()]
    by_output: dict[str, list[list[Intervals]]] = {name: [] for name in judged.asked}
    if np.prod(list(map(len, choices))) > MOST:
        return {name: (ANY,) * judged.expected[name].size for name in judged.asked}
    for chosen in product(*choices):
        lows, highs = (dict(zip(inexact, ends, strict=True)) for ends in zip(*chosen, strict=True))
        for name, elements in _between(judged, lows, highs).items():
            by_output[name].append(elements)
    free = _reading_anything(judged, inexact)
    return {name: tuple(ANY if free[name][place] and len(set(each)) > 1 else _union(each)
                        for place, each in enumerate(zip(*worlds, strict=True))) for name, worlds in by_output.items()}


def _reading_anything(judged: JudgedCall, inexact: Mapping[str, Values]) -> dict[str, np.ndarray]:
    """Return by output which elements read elements that may be anything: of a copy or an elementwise operator."""
    masks = {name: np.zeros(array.shape, bool) for name, array in judged.expected.items()}
    for source, values in inexact.items():
        mask = np.array([not each for each in values.elements], bool).reshape(values.canonical.shape)
        for name, array in judged.expected.items() if mask.any() else ():
            if isinstance(judged.definition, Movement):
                masks[name] |= with_inputs(judged.definition, {source: mask}).canonical[name].astype(bool)
            else:
                masks[name] |= np.broadcast_to(mask, array.shape)
    return {name: mask.reshape(-1) for name, mask in masks.items()}


def _between(judged: JudgedCall, lows: Mapping[str, np.ndarray],
             highs: Mapping[str, np.ndarray]) -> dict[str, list[Intervals]]:
    """Return the allowed intervals by output and element, for inputs between `lows` and `highs` (by name)."""
    at_low = JudgedCall(judged.spec, with_inputs(judged.definition, lows).call)
    if at_low.violations:
        return {name: [ANY] * array.size for name, array in judged.expected.items()}
    exact = {name: list(allowed_by(at_low, name)) for name in judged.asked}
    apart = {name: _apart(lows[name], highs[name]) for name in lows}
    if not any(mask.any() for mask in apart.values()):
        return exact
    at_high = JudgedCall(judged.spec, with_inputs(judged.definition, highs).call)
    monotone = judged.definition.turns == () and not at_high.violations
    same = {name: [one == other for one, other in zip(exact[name], allowed_by(at_high, name), strict=True)]
            for name in judged.asked if monotone}  # then nothing else is given between
    ends = _ends(judged, {**judged.call.inputs, **lows}, {**judged.call.inputs, **highs})
    for name, array in judged.expected.items():
        mask = np.zeros(array.shape, bool)
        for source, wide in apart.items():
            mask |= with_inputs(judged.definition, {source: wide}).canonical[name].astype(bool) if isinstance(
                judged.definition, Movement) else np.broadcast_to(wide, array.shape)
        for place in np.flatnonzero(mask).tolist():
            if not (monotone and same[name][place]):
                exact[name][place] = ends[name][place]
    return exact


def _apart(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    row = Row(low.dtype.newbyteorder("="))
    return np.asarray(row.places(low) != row.places(high)).reshape(low.shape)


def _ends(judged: JudgedCall, lows: Mapping[str, np.ndarray],
          highs: Mapping[str, np.ndarray]) -> dict[str, list[Intervals]]:
    """Return what `oracle.enclosures` says."""
    ends = ends_of(judged, lows, highs)
    return {name: _places(ends[name], array) if name in ends and is_float(array.dtype) else [ANY] * array.size
            for name, array in judged.expected.items()}


def _places(ends: Ends, like: np.ndarray) -> list[Intervals]:
    """Return ends as intervals of places, in which both zeros are."""
    row = Row(like.dtype.newbyteorder("="))
    low, high = (end.reshape(-1) for end in ends.outward(like.dtype))
    known = (low == low) & (high == high)
    with np.errstate(all="ignore"):
        low, high = np.where(low == 0, -np.abs(low), low), np.where(high == 0, np.abs(high), high)
    return [((first, last),) if is_known else ANY for first, last, is_known in zip(
        row.places(low.astype(like.dtype)).tolist(), row.places(high.astype(like.dtype)).tolist(), known.tolist(),
        strict=True)]


def _enclosed(judged: JudgedCall, inexact: Mapping[str, Values]) -> dict[str, tuple[Intervals, ...]]:
    """Return the ends that `oracle.enclosures` gives; what reads anything, or NaN among others, may be anything."""
    lows, highs = dict(judged.call.inputs), dict(judged.call.inputs)
    unknown = dict[str, np.ndarray]()
    for name, values in inexact.items():
        nan = values.row.nan if values.row.is_float else -1
        places = values.row.places(values.canonical).tolist()
        free = [not each or len(each) > 1 and each[-1][1] == nan for each in values.elements]
        lows[name] = values.array([place if any_value else each[0][0] for each, place, any_value in zip(
            values.elements, places, free, strict=True)])
        highs[name] = values.array([place if any_value else each[-1][1] for each, place, any_value in zip(
            values.elements, places, free, strict=True)])
        unknown[name] = np.array(free, bool).reshape(values.canonical.shape)
        if not values.row.is_float:
            return {output: (ANY,) * array.size for output, array in judged.expected.items()}
    intervals = _ends(judged, lows, highs)
    if any(mask.any() for mask in unknown.values()):
        for output, array in judged.expected.items():
            for place, where in enumerate(np.ndindex(array.shape)):
                field = judged.definition.receptive_field(output, where)
                if not field or any(unknown[name][tuple(cells.T)].any() for name, cells in field.items()
                                    if name in unknown):
                    intervals[output][place] = ANY
    return {name: tuple(elements) for name, elements in intervals.items()}
