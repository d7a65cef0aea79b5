"""Base class of operators that reduce data along axes.

A set is the elements that differ only in their index on these axes; it becomes one element."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from math import prod
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.axes import either_end, within
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import same_bits
from plumbline.oracle.families.elementwise import a_shape, a_type
from plumbline.oracle.operator import (
    UNBOUND,
    Allowance,
    Choose,
    Operator,
    Unspecified,
    disputed,
    on_call,
    on_elements,
    unspecified,
)
from plumbline.oracle.size_classes import DTYPE, LARGE, LINES, WIDE_ROWS, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

OUTPUT = "reduced"


def _as_given(definition: Any, entry: Any) -> bool:
    """Elements are those of the input, which has the shape of the output."""
    return entry.where is not None and definition.data.shape == definition.shape_of(OUTPUT) and bool(
        same_bits(entry.got, definition.data[tuple(entry.where.T)]).all())


FEW = 8
"""Elements of a set whose choices are tried."""


def _elements_repeated(definition: Any, entry: Any) -> bool:
    """Elements are what as many elements of the set give, some of them several times; of sets of at most 8."""
    if entry.where is None or not 0 < definition.size <= FEW or entry.got.dtype.kind not in "fiu":
        return False
    near = max(1e-5, 2 * float(np.finfo(entry.got.dtype).eps)) if entry.got.dtype.kind == "f" else 0
    picks = list(combinations_with_replacement(range(definition.size), definition.size))
    numbers = definition.shaped(np.arange(len(definition.sets)))[tuple(entry.where.T)].reshape(-1)
    for number, got in zip(numbers, entry.got.reshape(-1).astype(float), strict=True):
        other = type(definition)(definition.call, definition.version)
        other.sets = definition.sets[number][picks]
        with np.errstate(all="ignore"):
            given = other.reduced().astype(float).reshape(-1)
            if not np.any(np.abs(given - got) <= near * max(1.0, abs(got))):
                return False
    return True


class Reduction(Operator):
    """A call that reduces data along axes; its texts have these as an attribute first and as an input later."""

    family = "Reductions"
    output = OUTPUT
    values: ClassVar[str] = "sum"
    of_nothing: ClassVar[float] = 0
    """What an empty set is reduced to."""

    largest_set: ClassVar[int] = 1 << 17
    """The elements that a set of a drawn call has at most."""

    symptoms = {"as-given": _as_given, "elements-repeated": _elements_repeated}
    flag_notes = {"negative-axis": "An entry of axes counts from the back.",
                  "no-axes": "axes is absent or empty, which stands for all axes or for none.",
                  "empty-set": "The sets that are reduced have no elements.",
                  "axes-out-of-order": "axes, counted from the front, do not rise.",
                  "three-axes": "Three axes or more are reduced.",
                  "all-axes": "axes names all axes.", "unreduced-vector": "A tensor of one axis is not reduced."}

    @property
    def data(self) -> np.ndarray:
        """The input."""
        return self.inputs["data"]

    @cached_property
    def given_axes(self) -> tuple[int, ...]:
        """The axes as given; () if absent or no integers."""
        axes = self.inputs["axes"].reshape(-1).tolist() if "axes" in self.inputs else self.attributes.get("axes")
        return integers(axes) or ()

    @property
    def is_noop(self) -> bool:
        """True if no axes given stand for none."""
        return bool(self.attribute("noop_with_empty_axes") == 1)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The axes that are reduced, from the front, each once."""
        rank = self.data.ndim
        if not self.given_axes and not self.is_noop:
            return tuple(range(rank))
        return tuple(sorted({axis + rank if axis < 0 else axis for axis in self.given_axes}))

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The other axes."""
        return tuple(axis for axis in range(self.data.ndim) if axis not in self.axes)

    @property
    def size(self) -> int:
        """The number of elements of a set."""
        return prod(self.data.shape[axis] for axis in self.axes)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of data without the axes, or with 1 for each."""
        if self.attribute("keepdims") == 0:
            return tuple(self.data.shape[axis] for axis in self.kept)
        return tuple(1 if axis in self.axes else size for axis, size in enumerate(self.data.shape))

    def in_sets(self, data: np.ndarray) -> np.ndarray:
        """An array of the shape of data, set by set: (sets, elements of each)."""
        return data.transpose(self.kept + self.axes).reshape(prod(self.shape_of(OUTPUT)), self.size)

    @cached_property
    def sets(self) -> np.ndarray:
        """data, set by set."""
        return self.in_sets(self.data)

    def shaped(self, by_set: np.ndarray) -> np.ndarray:
        """Return results of sets in the shape of the output; of no elements where sets have none."""
        shape = self.shape_of(OUTPUT)
        return np.asarray(by_set).reshape(shape) if self.size else np.zeros(shape, by_set.dtype)

    @property
    def is_integer(self) -> bool:
        """True if data has integers, or truth values."""
        return self.data.dtype.kind in "iub"

    def reduced(self) -> np.ndarray:
        """Return the results of sets that are not empty, set by set."""
        raise NotImplementedError

    def expected(self) -> dict[str, np.ndarray]:
        """The reduced sets."""
        if not self.sets.size:
            return {OUTPUT: np.full(self.shape_of(OUTPUT), self.of_nothing).astype(self.data.dtype)}
        with np.errstate(all="ignore"):
            return {OUTPUT: self.shaped(self.reduced().astype(self.data.dtype))}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The set."""
        if not self.data.ndim:
            return {"data": np.zeros((1, 0), np.int64)}
        positions = self.in_sets(np.arange(self.data.size).reshape(self.data.shape))
        positions = positions[np.ravel_multi_index(where, self.shape_of(OUTPUT)) if where else 0]
        return {"data": np.stack(np.unravel_index(positions, self.data.shape), axis=-1).reshape(-1, self.data.ndim)}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the axes that are kept, where these are known from an attribute or an input that stays."""
        keeps = self.attribute("keepdims") != 0
        return {axis if keeps else place: {"data": axis} for place, axis in enumerate(self.kept)}

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Sets of some sizes, and many small ones."""
        return (SizeClass({"columns": LINES}),
                a_large_output({**WIDE_ROWS, "columns": 2 * WIDE_ROWS["columns"], "axis": 0, "axes": "one"}))

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of a set, and whether there are many."""
        return {DTYPE: self.data.dtype.name, "columns": self.size, LARGE: is_large(self.shape_of(OUTPUT))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call along one axis, several in any order, all or none; None for too large sets."""
        shape = list(a_shape(choose))
        rank, as_input = len(shape), bool(cls.types_of("axes", version))
        if rank and choose((False, True), (9, 1)):
            shape[choose(range(rank))] = 0
        how = choose(Named("axes", ("one", "several", "absent", "empty")), (5, 4, 3, 1.5))
        axes: list[int] = []
        if rank and how in ("one", "several"):
            axes = [choose(Named("axis", range(rank)))]
            while how == "several" and len(axes) < rank and choose((True, False), (2, 1)):
                axes.append(choose([axis for axis in range(rank) if axis not in axes]))
        noop = choose((0, 1), (2, 1)) if as_input else 0
        keeps = choose((1, 0))
        attributes: dict[str, Any] = {} if keeps and choose((True, False)) else {"keepdims": keeps}
        if noop or as_input and choose((False, True), (3, 1)):
            attributes["noop_with_empty_axes"] = noop
        given = [either_end(choose, axis, rank, version >= 11) for axis in axes]
        inputs: dict[str, np.ndarray] = {}
        if as_input and (given or how == "empty"):
            inputs["axes"] = np.array(given, dtype=np.int64)
        elif given:
            attributes["axes"] = given
        along = tuple(axes) if axes or noop else tuple(range(rank))
        dtype = a_type(choose, dict.fromkeys(cls.types_of("data", version), 1), version)
        if prod(shape[axis] for axis in along) > cls.largest_set:
            return None
        terms = Terms(max(prod(shape[axis] for axis in along), 1), along)
        data = choose.tensor(shape, dtype, "bits" if dtype == "bool" else cls.values, terms)
        return Call(cls.__name__, attributes, {"data": data, **inputs})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        is_valid = all(-self.data.ndim <= axis < self.data.ndim for axis in self.given_axes)
        axes = [axis + self.data.ndim if axis < 0 else axis for axis in self.given_axes]
        return {"negative-axis": any(axis < 0 for axis in self.given_axes), "no-axes": not self.given_axes,
                "empty-set": is_valid and self.size == 0, "axes-out-of-order": axes != sorted(axes),
                "three-axes": is_valid and len(self.axes) > 2,
                "all-axes": is_valid and 0 < len(self.given_axes) and set(self.axes) == set(range(self.data.ndim)),
                "unreduced-vector": self.data.ndim == 1 and not self.given_axes and self.is_noop}

    def where(self, by_set: np.ndarray, admits: Callable[[np.ndarray], np.ndarray] | None = None,
              observed: bool = False) -> Unspecified | None:
        """Return the effect of a U clause on some sets; `admits` gets the output set by set."""
        if not self.size or not by_set.any():
            return None
        admitted = None if admits is None else (lambda got: self.shaped(admits(np.asarray(got).reshape(-1))))
        return Unspecified({OUTPUT: Allowance(self.shaped(by_set), admitted, observed=observed)})

    def with_attributes(self, **attributes: Any) -> Reduction:
        """Return the same call with other attributes."""
        return type(self)(Call(self.call.operator, {**self.attributes, **attributes}, self.inputs), self.version)

    shape = shape_of_output(UNBOUND)
    any_other = elements_of(UNBOUND, "", "not what the set is reduced to")

    @on_elements(UNBOUND, "", "not what an empty set is reduced to")
    def empty_set(self, got: np.ndarray) -> bool:
        return self.size == 0

    @on_call(UNBOUND)
    def one_axis(self) -> str | None:
        rank = self.inputs["axes"].ndim if "axes" in self.inputs else 1
        return None if rank == 1 else f"axes has {rank} axes"

    @on_call(UNBOUND)
    def from_the_front(self) -> str | None:
        return within("axes", self.given_axes, 0, self.data.ndim - 1)

    @on_call(UNBOUND)
    def from_either_end(self) -> str | None:
        return within("axes", self.given_axes, -self.data.ndim, self.data.ndim - 1)

    @unspecified(UNBOUND, refusal=True)
    def axis_twice(self) -> Unspecified | None:
        rank = self.data.ndim
        is_repeated = len({axis % max(rank, 1) for axis in self.given_axes}) < len(self.given_axes)
        return Unspecified({OUTPUT: Allowance(shape=True, rank=True)}) if is_repeated else None

    @unspecified(UNBOUND, refusal=True)
    def empty_list(self) -> Unspecified | None:
        if self.attributes.get("axes") is None or self.given_axes:
            return None
        return Unspecified({OUTPUT: Allowance(shape=True, rank=True)})

    @unspecified(UNBOUND, refusal=True)
    def other_keepdims(self) -> Unspecified | None:
        if self.attribute("keepdims") in (0, 1):
            return None
        return Unspecified({}, tuple(self.with_attributes(keepdims=kept) for kept in (0, 1)))

    @unspecified(UNBOUND, refusal=True)
    def other_noop(self) -> Unspecified | None:
        if self.attribute("noop_with_empty_axes") in (0, 1) or self.given_axes:
            return None
        return Unspecified({}, tuple(self.with_attributes(noop_with_empty_axes=noop) for noop in (0, 1)))

    @unspecified(UNBOUND, refusal=True)
    def rank_zero(self) -> Unspecified | None:
        return None if self.data.ndim else Unspecified.refusal()

    @unspecified(UNBOUND, refusal=True)
    def undefined_of_nothing(self) -> Unspecified | None:
        return None if self.size else Unspecified({OUTPUT: Allowance()})

    @disputed(UNBOUND)
    def identity(self) -> Unspecified | None:
        if self.given_axes or not self.is_noop:
            return None
        return Unspecified({}, (_unreduced(type(self))(self.call, self.version),))


class Unreduced(Reduction):
    """A call that gives data as it is; a definition follows in the order of bases."""

    conforms = Operator.conforms
    tolerance = Operator.tolerance
    measure = Operator.measure

    @property
    def is_noop(self) -> bool:
        """True: only such calls are read so."""
        return True

    def reduced(self) -> np.ndarray:
        """The only element of each set."""
        return self.sets[:, 0]


_READINGS: dict[str, type[Reduction]] = {}


def _unreduced(definition: type[Reduction]) -> type[Reduction]:
    name = f"{definition.__module__}.{definition.__qualname__}"
    if name not in _READINGS:
        _READINGS[name] = types.new_class(f"Unreduced{definition.__name__}", (Unreduced, definition))
    return _READINGS[name]
