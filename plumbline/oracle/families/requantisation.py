"""Exact sums of products of integers, scaled and quantised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, reduce
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.quantisation import Quantisation, exactly, rounded
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal
from plumbline.oracle.size_classes import DTYPE

ROUNDINGS = 5
"""Of the sum to the type of the scales, and of two products, a reciprocal and a third product."""


def point_before_rounding(definition: Any, entry: Any) -> bool:
    """Elements are quotients that are rounded, ties to even, after the zero point is added."""
    if entry.where is None or definition.of_floats:
        return False
    point = exactly(definition.inputs["y_zero_point"].reshape(()))
    with np.errstate(all="ignore"):
        y = definition.quantised(np.rint(definition.quotients + point) - point).reshape(definition.shape_of("Y"))
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


def times_the_scale(definition: Any, entry: Any) -> bool:
    """Elements are products with the scale of Y, where the text divides by it; in int32 before they saturate."""
    if entry.where is None or definition.of_floats:
        return False
    with np.errstate(all="ignore"):
        products = np.rint(definition.quotients * definition.scales[-1] ** 2)
        in_int32 = np.where(np.abs(products) < 2.0**31, products, -2.0**31)
        y = definition.quantised(in_int32).reshape(definition.shape_of("Y"))
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


def spreads_to(definition: Any, entry: Any, scale: tuple[int, ...]) -> bool:
    """Return True if an output has the shape of Y, broadcast with a scale of another shape than the text's."""
    try:
        return bool(entry.got == str(list(np.broadcast_shapes(definition.shape_of("Y"), scale))))
    except ValueError:
        return False


class Requantised(Operator):
    """A call of an operator that gives sums of integers, with scales and zero points of two inputs and of Y."""

    family = "Quantisation"
    factors: ClassVar[Mapping[str, tuple[str, str]]]
    """By input of the sums its scale and its zero point."""

    exact = True
    flag_notes = {"scale-of-each": "A scale is given for each row, column or feature map.",
                  "tie": "A quotient is halfway between two integers.",
                  "beyond": "An element is saturated."}

    @property
    def as_sums(self) -> Any:
        """None: elements are integers."""
        return None

    @property
    def sums(self) -> np.ndarray:
        """The exact sums, in the shape of Y."""
        raise NotImplementedError

    def spread(self, name: str) -> np.ndarray:
        """Return a scale of an input of the sums, so that it broadcasts to Y."""
        raise NotImplementedError

    value = elements_of(UNBOUND, "Y", "not the quotient, rounded, plus the zero point, saturated")

    @property
    def dtype(self) -> np.dtype:
        """The element type of Y."""
        return self.inputs["y_zero_point"].dtype

    @property
    def of_floats(self) -> bool:
        """True if A, B or Y is of floating-point numbers."""
        return any("float" in self.inputs[name].dtype.name for name in (*self.factors, "y_zero_point"))

    @cached_property
    def scales(self) -> list[np.ndarray]:
        """The scales of the inputs, and y_scale, in extended precision."""
        scales = [exactly(self.spread(scale)) for scale, _ in self.factors.values()]
        return [*scales, exactly(self.inputs["y_scale"].reshape(()))]

    def quotients_of(self, sums: np.ndarray) -> np.ndarray:
        """Return the quotients, by products in extended precision: a tie, which has few digits, is exact."""
        left, right, scale = self.scales
        with np.errstate(all="ignore"):
            return np.asarray(exactly(sums) * left * right / scale)

    @cached_property
    def quotients(self) -> np.ndarray:
        """The exact quotients."""
        return self.quotients_of(self.sums)

    def of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Return what Y would be by other sums."""
        return self.quantised(self.quotients_of(sums))

    def parts(self) -> Iterator[np.ndarray]:
        """Yield products of the sums and scales, or of some of them, and their quotients by y_scale but the whole."""
        *scales, scale = self.scales
        factors = [exactly(self.sums), *scales]
        for count in range(len(factors) + 1):
            for chosen in combinations(factors, count):
                product = np.ones(())
                for factor in chosen:
                    product = product * factor
                yield product
                if count < len(factors):
                    yield np.asarray(product / scale)

    def quantised(self, quotients: np.ndarray) -> np.ndarray:
        """Return the integers that Y holds, in extended precision."""
        limits, point = np.iinfo(self.dtype), exactly(self.inputs["y_zero_point"].reshape(()))
        return np.asarray(np.clip(np.rint(quotients) + point, limits.min, limits.max))

    def expected(self) -> dict[str, np.ndarray]:
        """Return Y, from the exact quotients; zeros where it is undefined for its type."""
        if self.of_floats:
            return {"Y": np.zeros(self.shape_of("Y"), self.dtype)}
        numbers = self.quantised(self.quotients)
        return {"Y": np.where(np.isnan(numbers), 0, numbers).astype(self.dtype).reshape(self.shape_of("Y"))}

    @on_call(UNBOUND)
    def scale_of_y(self) -> str | None:
        shape = self.inputs["y_scale"].shape
        return None if not shape or shape == (1,) and self.takes_single else f"y_scale has shape {list(shape)}, not []"

    takes_single: ClassVar[bool] = False
    """True if y_scale may be a vector of one element."""

    @on_call(UNBOUND)
    def point_of_y(self) -> str | None:
        return self.one_shape("y_scale", "y_zero_point")

    def one_shape(self, *names: str) -> str | None:
        """Return why a scale and its zero point differ in shape."""
        scale, point = (list(self.inputs[name].shape) for name in names)
        return None if scale == point else f"{names[0]} has shape {scale}, {names[1]} {point}"

    @unspecified(UNBOUND)
    def precision(self) -> Unspecified | None:
        if self.of_floats:
            return None
        dtype = self.inputs["y_scale"].dtype
        with np.errstate(all="ignore"):
            quotients = self.quotients
            exact = reduce(np.logical_and, (rounded(part, dtype).astype(Wide) == part
                                            for part in (*self.parts(), quotients)))
            room = np.where(exact, 0, growth(ROUNDINGS, dtype) * np.abs(quotients))
            least, most = (self.quantised(end) for end in (quotients - room, quotients + room))
        where = (least != most) & ~np.isnan(quotients)
        shape = self.shape_of("Y")
        least, most, where = (array.reshape(shape) for array in (least, most, where))
        return Unspecified({"Y": Allowance(where, lambda got: (got >= least) & (got <= most), observed=True)}) \
            if where.any() else None

    @unspecified(UNBOUND)
    def out_of_range(self) -> Unspecified | None:
        if self.of_floats:
            return None
        dtype = self.inputs["y_scale"].dtype
        least, most = smallest_normal(dtype), Wide(float(PRECISION[dtype.name][2]))
        with np.errstate(all="ignore"):
            scales = (np.isfinite(scale) for scale in self.scales)
            where = np.isnan(self.quotients) | ~reduce(np.logical_and, (*scales, *(
                (part == 0) | (np.abs(part) >= least) & (np.abs(part) <= most) for part in self.parts())))
        return Unspecified.of(where.reshape(self.shape_of("Y")), "Y")

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(),
                "scale-of-each": any(self.inputs[scale].size > 1 for scale, _ in self.factors.values())}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if self.of_floats:
            return {}
        with np.errstate(all="ignore"):
            nearest, limits = np.rint(self.quotients), np.iinfo(self.dtype)
            total = nearest + exactly(self.inputs["y_zero_point"].reshape(()))
            return {**super().value_flags(), "tie": bool((np.abs(self.quotients - nearest) == 0.5).any()),
                    "beyond": bool(((total > limits.max) | (total < limits.min)).any())}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield Y without its zero point, and with quotients cut off."""
        if not self.of_floats:
            with np.errstate(all="ignore"):
                point = exactly(self.inputs["y_zero_point"].reshape(()))
                for quotients in (self.quotients - point, np.trunc(self.quotients)):
                    numbers = self.quantised(quotients)
                    yield np.where(np.isnan(numbers), 0, numbers).astype(self.dtype).reshape(self.shape_of("Y"))

    @classmethod
    def with_scales(cls, choose: Choose, version: int, inputs: Mapping[str, np.ndarray], terms: int) -> dict[str, Any]:
        """Draw what is missing to the inputs of the sums: scales in the shape of zero points, and those of Y.

        Mostly y_scale is a power of two by which few elements are saturated, or many are ties."""
        drawn: dict[str, Any] = {}
        dtype = a_type(choose, cls.types_of("y_scale", version), f"{DTYPE} of y_scale")
        most = max(terms, 1) ** 0.5 * 2.0 ** choose((8, 1, 4))
        for name, (scale, point) in cls.factors.items():
            tensor = inputs[name]
            zero = inputs.get(point, np.zeros((), tensor.dtype))
            drawn |= {name: tensor, scale: Quantisation.drawn_scale(choose, zero.shape, dtype), point: zero}
            most *= float(np.abs(drawn[scale].astype(np.float64)).max(initial=0))
        shape = choose(((), (1,)), (3, 1)) if cls.takes_single else ()
        fits = choose((True, False), (6, 1)) and 0 < most < np.inf
        with np.errstate(over="ignore"):
            drawn["y_scale"] = Quantisation.drawn_scale(choose, shape, dtype) if not fits else \
                np.full(shape, 2.0 ** np.round(np.log2(most))).astype(np.float32).astype(drawn[scale].dtype)
        targets = [name for name in cls.types_of("y_zero_point", version) if "float" not in name]
        target = drawn[next(iter(cls.factors))].dtype.name if choose((True, False), (3, 1)) else choose(targets)
        drawn["y_zero_point"] = choose.tensor(shape, target, "any")
        return drawn

    def plainer(self) -> Iterator[Call]:
        """Yield the call with the first scale and zero point of each input for all of it."""
        plain = {name: tensor if name in (*self.factors, "B") else tensor.reshape(-1)[:1].reshape(())
                 for name, tensor in self.inputs.items()}
        if any(plain[name].shape != tensor.shape for name, tensor in self.inputs.items()):
            yield replace(self.call, inputs=plain)

    def with_inputs(self, calls: Iterator[Call]) -> Iterator[Call]:
        """Yield calls of the sums as calls of this operator, with its other inputs."""
        for call in calls:
            yield replace(self.call, attributes=call.attributes,
                          inputs={name: call.inputs.get(name, tensor) for name, tensor in self.inputs.items()})
