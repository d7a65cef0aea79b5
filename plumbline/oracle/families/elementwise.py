"""Elementwise operators: each output element reads one element of each input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.surroundings import OF_ANY
from plumbline.oracle.limits import ANY, holdable
from plumbline.oracle.operator import Choose, Operator
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION
from plumbline.oracle.size_classes import (
    DTYPE,
    LARGE,
    LARGE_BROADCAST,
    ROWS,
    TALL,
    Named,
    SizeClass,
    a_large_output,
    a_tall_input,
    is_large,
    is_tall,
)
from plumbline.oracle.type_names import name_of

SIZES = Named("columns", (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65))
"""Sizes of axes, around the blocks in which fast kernels work."""

FEW, RANKS, ALIKE = Named("rows", SIZES[:5]), Named("rank", (1, 2, 3, 4, 0, 5, 6)), Named("alike", (True, False))
"""Sizes of the other axes; numbers of axes; whether an input has the shape of the output."""

EQUAL = Named("equal axes", (False, True))

FEWEST = SIZES[:3]
"""Sizes of each of more than four axes."""


class Elementwise(Operator):
    """A call whose output, the first that the text names, is computed element by element from all its inputs."""

    family = "Elementwise"
    output: ClassVar[str] = "Y"

    operator: ClassVar[str] = ""
    """What ONNX calls the operator; the name of the class by default."""

    names: ClassVar[tuple[str, ...]] = ("X",)
    """The inputs that are drawn, all of one element type."""

    types: ClassVar[Mapping[str, int]] = {}
    """The element types that are drawn, the plainest first, each with the version of the text that brought it; by
    default those that the schema gives the first of `names`."""

    values: ClassVar[str] = "any"
    """The recipes by which the inputs are drawn."""

    signed_zeros: ClassVar[bool] = False
    """Whether +0 and -0 are different answers; unspecified clauses may then leave open which is given."""

    @cached_property
    def operands(self) -> tuple[np.ndarray, ...]:
        """The inputs, broadcast to the shape of the output (numpy's rule, which ONNX's multidirectional broadcasting
        is; inputs of one shape stay as they are)."""
        tensors = tuple(self.inputs.values())
        return tensors if len({tensor.shape for tensor in tensors}) == 1 else tuple(np.broadcast_arrays(*tensors))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape: the declared one, or that of the broadcast inputs. Raises TooLarge."""
        if output in self.shape_formulas:
            return super().shape_of(output)
        shapes = {tensor.shape for tensor in self.inputs.values()}
        for shape in shapes:
            holdable(output, shape, ANY)
        return shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The output of operands of one shape, in the type of the output; warnings of numpy are off."""
        raise NotImplementedError

    def expected(self) -> dict[str, np.ndarray]:
        """The output."""
        with np.errstate(all="ignore"):
            return {self.output: np.asarray(self.value(*self.operands))}

    surroundings = OF_ANY
    flag_notes = {"minus-zero": "An input holds -0, whose sign a comparison, a sum or a product with zero may lose.",
                  "shapes-differ": "The inputs differ in shape, so that some are broadcast."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether an input holds -0, and whether shapes differ."""
        return {"minus-zero": any(is_float(x.dtype) and bool((np.signbit(x) & (x == 0)).any())
                                  for x in self.inputs.values()),
                "shapes-differ": len({x.shape for x in self.inputs.values()}) > 1}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along every axis, the inputs that are not broadcast along it."""
        shape = self.shape_of(self.output)
        found: dict[int, dict[str, int]] = {axis: {} for axis in range(len(shape))}
        for name, tensor in self.inputs.items():
            first = len(shape) - tensor.ndim
            for axis, size in enumerate(tensor.shape, first):
                if size == shape[axis]:
                    found[axis][name] = axis - first
        return found

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """bool: which elements equal the canonical ones; see `signed_zeros`."""
        return same(got, self.canonical[output]) if self.signed_zeros else super().conforms(output, got)

    def computed_from(self, masks: Mapping[str, np.ndarray]) -> np.ndarray | bool:
        """Return the mask of elements with an operand in `masks`."""
        return np.asarray(np.logical_or.reduce(type(self)(replace(self.call, inputs=masks), self.version).operands))

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element of each input at that place, with 0 on axes that it is broadcast along."""
        return {name: np.array([[0 if size == 1 else place for size, place in
                                 zip(tensor.shape, where[len(where) - tensor.ndim:], strict=True)]], dtype=np.int64)
                for name, tensor in self.inputs.items()}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call with inputs of one shape and one type."""
        types = cls.types or dict.fromkeys(cls.types_of(cls.names[0], version), 1)
        dtype, attributes, shapes = a_type(choose, types, version), *cls.form(choose, version)
        return Call(cls.operator or cls.__name__, attributes, {name: cls.drawn(choose, name, shape, dtype)
                                               for name, shape in zip(cls.names, shapes, strict=True)})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, a tall one, and one of each higher rank."""
        return (SizeClass({"columns": ROWS}), a_large_output(), a_tall_input(),
                SizeClass({"rank": (3, 4, 5, 6)}, {"alike": True}, every_type=False))

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis of the output, and whether it is large, with inputs that are broadcast to it, or
        tall; its rank, where no axis has size 1."""
        shape = self.shape_of(self.output)
        large, alike = is_large(shape), all(x.shape == shape for x in self.inputs.values())
        return {DTYPE: name_of(next(iter(self.inputs.values())).dtype), "columns": (0, *shape)[-1], LARGE: large,
                LARGE_BROADCAST: large and not alike, TALL: is_tall(shape), "rank": len(shape) * (1 not in shape)}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], Sequence[tuple[int, ...]]]:
        """The attributes of a call, and the shapes of its inputs: by default none, and one shape for all."""
        return {}, [a_shape(choose)] * len(cls.names)

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """An input."""
        return choose.tensor(shape, dtype, cls.values)


def same(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """bool: which elements are equal; NaN equals NaN, and +0 differs from -0."""
    if wanted.dtype.hasobject:
        return np.asarray(got == wanted)
    equal = (got == wanted) & ((wanted != 0) | (np.signbit(got) == np.signbit(wanted)))
    return np.asarray(equal | (got != got) & (wanted != wanted))


def a_type(choose: Choose, types: Mapping[str, int], version: int) -> str:
    """Draw one of the element types that a version has, the first ones more often."""
    known = tuple(name for name, since in types.items() if since <= version)
    return choose(Named(DTYPE, known), [max(4 - place, 1) for place in range(len(known))])


def a_shape(choose: Choose, last: Sequence[int] = SIZES) -> tuple[int, ...]:
    """A shape of up to six axes, the last of one of some sizes: mostly small, sometimes empty, long or of equal sizes,
    sometimes a scalar's."""
    rank = choose(RANKS, (8, 8, 6, 2, 2, 2, 2))
    if rank > 4:
        sizes = [choose(FEWEST) for _ in range(rank)]
    else:
        sizes = [choose(last if axis == rank - 1 else FEW) for axis in range(rank)]
        if rank > 1 and choose(EQUAL, (9, 1)):
            sizes = sizes[:1] * rank
    if rank and choose((False, True), (19, 1)):
        sizes[choose(range(rank))] = 0
    return tuple(sizes)


def broadcast_shapes(choose: Choose, count: int) -> list[tuple[int, ...]]:
    """Shapes of inputs that broadcast together, each with axes of size 1 or leading axes left out; mostly one of
    them has the shape of the output, and which one is chosen too."""
    whole = a_shape(choose)
    first = whole if choose((True, False), (3, 1)) else part_of(choose, whole)
    shapes = [first] + [part_of(choose, whole) for _ in range(count - 1)]
    place = choose(range(count))
    return shapes[place:] + shapes[:place]


def part_of(choose: Choose, whole: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that is broadcast to another."""
    if choose(ALIKE):
        return whole
    kept = whole[choose(range(len(whole) + 1)):]
    return tuple(1 if choose((False, True)) else size for size in kept)


def nearest(got: np.ndarray, canonical: np.ndarray, exactly: Callable[[tuple[int, ...]], Fraction],
            where: np.ndarray | bool = True, wide: np.ndarray | None = None, *,
            is_correct: bool = False) -> np.ndarray:
    """Return the mask of elements of `got` within the rounding error of one operation.

    That is ``max(u |exact|, eta / 2)``; with `is_correct` elements must be as near to the exact results as `canonical`,
    which has these rounded to nearest even. `exactly` returns the exact result at an index, and is called only for
    those of `where` at which the two differ and are finite; elsewhere they must be equal. `wide` has the exact results
    rounded once in extended precision, and decides what is not near the bound."""
    found = np.asarray((got == canonical) | (got != got) & (canonical != canonical))
    u, eta, _ = PRECISION[name_of(canonical.dtype)]
    given, wanted = got.astype(np.float64), canonical.astype(np.float64)
    with np.errstate(all="ignore"):  # both are within max(u*|exact|, eta/2) of one number, or one need not be asked
        close = np.abs(given - wanted) <= 4 * float(u) * np.abs(wanted) + 4 * float(eta)
    both = where & close & ~found & np.isfinite(given) & np.isfinite(wanted)
    if wide is not None:
        with np.errstate(all="ignore"):
            bound = np.abs(wanted - wide) if is_correct else np.maximum(
                float(u) * np.abs(wide), np.longdouble(float(eta)) / 2)  # not a float64
            beyond_it = np.abs(given - wide) - bound
            limits = np.finfo(np.longdouble)
            unsure = np.abs(beyond_it) <= 4 * (limits.eps * (np.abs(wide) + bound) + limits.smallest_subnormal)
        found |= both & ~unsure & (beyond_it < 0)
        both &= unsure
    for place in map(tuple, np.argwhere(both)):
        exact = exactly(place)
        most = abs(Fraction(float(canonical[place])) - exact) if is_correct else max(u * abs(exact), eta / 2)
        found[place] = abs(Fraction(float(got[place])) - exact) <= most
    return found


def beyond(canonical: np.ndarray, operands: Sequence[np.ndarray], exactly: Callable[[tuple[int, ...]], Fraction],
           where: np.ndarray) -> np.ndarray:
    """Return the mask of elements of `where` whose exact result is above the largest finite number in magnitude.

    `canonical` has the exact results rounded to nearest. `exactly` returns the exact result at an index, and is called
    where `canonical` is the largest number itself, once for equal operands, which large tensors have many of."""
    largest = PRECISION[name_of(canonical.dtype)][2]
    found = np.asarray(where & np.isinf(canonical))
    unsure = where & (np.abs(canonical) == canonical.dtype.type(float(largest)))
    if unsure.any():
        numbers = np.array([operand[unsure].astype(np.float64) for operand in operands])
        _, first, group = np.unique(numbers, axis=1, return_index=True, return_inverse=True)
        places = map(tuple, np.argwhere(unsure)[first])
        found[unsure] = np.array([abs(exactly(place)) > largest for place in places])[group.reshape(-1)]
    return found
