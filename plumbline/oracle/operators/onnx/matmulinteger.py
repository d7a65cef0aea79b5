"""Judge and generate calls of ONNX MatMulInteger, by `spec/onnx/matmulinteger.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.saturated_pairs import sum_of_pairs
from plumbline.oracle.families.stacks import NumpyMatmul
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import DTYPE, Named

TYPES = ("uint8", "int8")
POINTS = {"A": "a_zero_point", "B": "b_zero_point"}
INT32 = np.iinfo(np.int32)


def _pairs_saturate(definition: Any, entry: Any) -> bool:
    """Elements are the sum of what pairs of products come to in 16 bits, which saturate: uint8 times int8."""
    if entry.where is None or [definition.inputs[name].dtype for name in "AB"] != [np.uint8, np.int8]:
        return False
    (a, a_point), (b, b_point) = (definition.with_point(name) for name in "AB")
    total = sum_of_pairs(a[None, :] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b, a_point, b_point)
    y = definition.of_sums(total).reshape(definition.shape_of("Y"))
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


def _points_of_columns(definition: Any, entry: Any) -> bool:
    """Elements are what zero points of the rows of A give that are subtracted from its columns."""
    a, b = (definition.inputs[name].astype(np.int64) for name in "AB")
    try:
        points = [definition.inputs[name] if name in definition.inputs else 0 for name in POINTS.values()]
        product = (a - points[0]) @ (b - points[1])
    except ValueError:
        return False
    return bool(product.shape == definition.shape_of("Y") and
                np.array_equal(product[tuple(entry.where.T)].reshape(-1), entry.got))


def _row_axis_kept(definition: Any, entry: Any) -> bool:
    """The output keeps the axis by which a vector A is one row."""
    a, b = (definition.inputs[name] for name in "AB")
    if a.ndim != 1 or not isinstance(entry.got, str):
        return False
    *stack, last = definition.shape_of("Y") if b.ndim > 1 else (1,)
    return entry.got == str([*stack, 1, last] if b.ndim > 1 else [1])


class MatMulInteger(NumpyMatmul):
    """A call of MatMulInteger."""

    clauses = {"A.C2": "axes_of_a", "B.C2": "axes_of_b", "B.C3": "inner_size", "B.C4": "stacks",
               "Y.C1": "stacked_sizes", "Y.C2": "other_sizes"}
    operator = "MatMulInteger"
    parameters: ClassVar[Mapping[str, tuple[str, ...]]] = {name: (point,) for name, point in POINTS.items()}
    """By factor the inputs that have an element for it, or for each of its rows or columns."""
    exact = True
    flag_notes = {**NumpyMatmul.flag_notes, "zero-point": "A zero point is given that is not zero.",
                  "no-zero-points": "No zero point is given.",
                  "point-of-each": "A zero point is given for each row or column.",
                  "types-differ": "A and B are of different types, for which kernels have other instructions."}

    shape_symptoms = {**NumpyMatmul.shape_symptoms, "row-axis-kept": _row_axis_kept}
    symptoms = {**NumpyMatmul.symptoms, **shape_symptoms, "pairs-saturate": _pairs_saturate,
                "points-of-columns": _points_of_columns}

    value = elements_of("Y.F2", "Y", "not the sum of the products of the differences")

    @cached_property
    def dtype(self) -> np.dtype:
        """The element type of Y."""
        return np.dtype(np.int32)

    def of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Return what Y would be by other sums."""
        return sums

    def with_point(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """int64: A or B, and its zero point, which broadcasts to it."""
        point = self.inputs.get(POINTS[name], np.zeros(()))
        with np.errstate(invalid="ignore"):
            return self.inputs[name].astype(np.int64), self.by_line(name, point.astype(np.int64))

    @staticmethod
    def by_line(name: str, given: np.ndarray) -> np.ndarray:
        """Return what is given for A or B, or its rows or columns, so that it broadcasts to them."""
        if given.size == 1:
            given = given.reshape(())
        return given[:, None] if name == "A" and given.ndim == 1 else given

    def difference(self, name: str) -> np.ndarray:
        """int64: A or B without its zero point."""
        tensor, point = self.with_point(name)
        return np.asarray(tensor - point)

    @cached_property
    def left(self) -> np.ndarray:
        """A without its zero point, a vector as one row."""
        a = self.difference("A")
        return a[None, :] if a.ndim == 1 else a

    @cached_property
    def right(self) -> np.ndarray:
        """B without its zero point, a vector as one column."""
        b = self.difference("B")
        return b[:, None] if b.ndim == 1 else b

    def point_shape(self, name: str) -> str | None:
        """Why the shape of a zero point is none of those that the text has."""
        point, tensor = self.inputs.get(POINTS[name]), self.inputs[name]
        if point is None or point.shape in ((), (1,)):
            return None
        inner = tensor.ndim - (1 if name == "A" else 2)
        allowed = (*tensor.shape[:inner], 1, *tensor.shape[inner + 1:]) if tensor.ndim > 2 else \
            tensor.shape[1 - inner:][:1] if tensor.ndim == 2 else ()
        return None if point.shape == allowed else f"{POINTS[name]} has shape {list(point.shape)}, not [] or " \
                                                   f"{list(allowed)}"

    def has_single(self, name: str) -> bool:
        """Return True if a zero point is a vector of one element, though rows or columns are more or none."""
        point, tensor = self.inputs.get(POINTS[name]), self.inputs[name]
        lines = tensor.shape[0 if name == "A" else 1] if tensor.ndim == 2 else 0
        return point is not None and point.shape == (1,) != (lines,)

    @on_call("a_zero_point.C2", needs=("axes_of_a",))
    def points_of_rows(self) -> str | None:
        return self.point_shape("A")

    @on_call("b_zero_point.C2", needs=("axes_of_b",))
    def points_of_columns(self) -> str | None:
        return self.point_shape("B")

    @unspecified("a_zero_point.U1", refusal=True)
    def single_of_a(self) -> Unspecified | None:
        return Unspecified.refusal() if self.has_single("A") else None

    @unspecified("b_zero_point.U1", refusal=True)
    def single_of_b(self) -> Unspecified | None:
        return Unspecified.refusal() if self.has_single("B") else None

    @unspecified("Y.U2")
    def accumulation(self) -> Unspecified | None:
        total = np.matmul(self.left, self.right)
        size = np.matmul(np.abs(self.left), np.abs(self.right))
        beyond = ((size + total) // 2 > INT32.max) | ((total - size) // 2 < INT32.min)
        return Unspecified.of(beyond.reshape(self.shape_of("Y")), "Y")

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along rows and columns, with their zero points."""
        def axis_of(name: str, axis: int) -> dict[str, int]:
            given = {each: self.inputs[each] for each in self.parameters[name] if each in self.inputs}
            return {each: 0 if tensor.ndim == 1 else axis for each, tensor in given.items() if tensor.size != 1}
        return {axis: {name: at for input_name, at in names.items()
                       for name, at in {input_name: at, **axis_of(input_name, at)}.items()}
                for axis, names in super().slices().items()}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        points = [self.inputs[name] for name in POINTS.values() if name in self.inputs]
        return {**super().flags(), "zero-point": any(point.any() for point in points),
                "no-zero-points": not points,
                "point-of-each": any(point.size > 1 for point in points),
                "types-differ": self.inputs["A"].dtype != self.inputs["B"].dtype}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield Y without the last term, and without zero points."""
        yield from super().wrong_outputs(output)
        bare = {name: np.zeros_like(tensor) if name in POINTS.values() else tensor
                for name, tensor in self.inputs.items()}
        yield type(self)(replace(self.call, inputs=bare), self.version).canonical["Y"]

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        """Draw a call with A (m, k) and B (k, n), or vectors or stacks, and zero points."""
        one, other = cls.shapes(choose, m, k, n)
        types = choose(Named(DTYPE, TYPES)), choose(TYPES)
        inputs: dict[str, np.ndarray] = {"A": choose.tensor(one, types[0], "any"),
                                         "B": choose.tensor(other, types[1], "any")}
        for name, shape, inner in (("A", one, len(one) - 1), ("B", other, len(other) - 2)):
            kind = choose(("none", "scalar", "each", "single"), (4, 4, 3, 1))
            each = [*shape[:inner], 1, *shape[inner + 1:]] if len(shape) > 2 else [shape[1 - inner]] \
                if len(shape) == 2 else []
            if kind != "none":
                inputs[POINTS[name]] = choose.tensor({"scalar": [], "each": each, "single": [1]}[kind],
                                                     inputs[name].dtype.name, "any")
        return Call(cls.operator, {}, inputs)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without a zero point, then those of any product."""
        points = [name for name in POINTS.values() if name in self.inputs]
        for name in points:
            yield Call(self.operator, {}, {key: value for key, value in self.inputs.items() if key != name})
        if not points:
            yield from super().shrink_candidates()
