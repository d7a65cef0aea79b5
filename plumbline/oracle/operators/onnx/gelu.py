"""Judge and generate calls of ONNX Gelu, by `spec/onnx/gelu.md`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import explained
from plumbline.oracle.families.special_functions import OfSchema, normal_distribution
from plumbline.oracle.operator import Choose, Operator, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.rounding import PI, PRECISION, Wide, smallest_normal

STEEPEST = 1.15
"""More than the steepest slope, near 1.129 at the root of 2, of either form."""

APPROXIMATIONS = ("none", "tanh")
SUMMARY = (np.sqrt(2 / PI), Wide("0.044715"))
BODY = (np.sqrt(Wide(np.float32(0.63661975))), Wide(np.float32(0.044715)))
"""The constants of the approximation, in extended precision: the factor, and that of the cube."""


def _of_single_precision(definition: Operator, entry: Divergence) -> bool:
    """Elements are off by at most 2**-23 of X, as when Erf or Tanh is computed in float32."""
    assert entry.where is not None
    x = definition.inputs["X"][tuple(entry.where.T)].reshape(-1).astype(Wide)
    off = np.abs(np.asarray(entry.got).astype(Wide) - np.asarray(entry.expected).astype(Wide))
    return bool(np.all(off <= np.abs(x) * Wide(2)**-23))


def _approximation_left_aside(definition: Operator, entry: Divergence) -> bool:
    """Elements are those without an approximation, which is asked for, but for 2**-20 of X."""
    if entry.where is None or definition.attribute("approximate") == "none":
        return False
    other, at = Gelu(replace(definition.call, attributes={}), definition.version), tuple(entry.where.T)
    with np.errstate(invalid="ignore"):
        off = np.abs(np.asarray(entry.got).astype(Wide) - other.canonical[entry.output][at].reshape(-1).astype(Wide))
        return bool(np.all(off <= np.abs(definition.inputs["X"][at].reshape(-1).astype(Wide)) * Wide(2)**-20))


def _infinite_from_half_on(definition: Operator, entry: Divergence) -> bool:
    """X is above half of the largest number, of that of float32 if it is wider, and elements are infinite, or that
    number."""
    assert isinstance(definition, Gelu) and isinstance(entry.got, np.ndarray)
    largest = min(float(np.finfo(np.float32).max), float(PRECISION[definition.x.dtype.name][2]))
    large = entry.where is not None and bool(np.all(definition.x[tuple(entry.where.T)].astype(Wide) >= largest / 2))
    return large and bool(np.all(np.isposinf(entry.got) | (entry.got == largest)))


class Gelu(OfSchema):
    """A call of Gelu under one version of its specification.

    X is multiplied by half of a sum of 1 and of a number that may be near -1: that of Erf has 32 and 4 roundings of a
    number of 1 there, and the sum has one."""

    symptoms = {**OfSchema.symptoms, "of-single-precision": _of_single_precision,
                "infinite-from-half-on": _infinite_from_half_on,
                "approximation-left-aside": _approximation_left_aside}
    clauses = {"Y.F3": "at_known_numbers", "Y.F2": "any_other", "Y.U1": "accuracy"}
    known = (0, np.inf)
    of_result, of_argument = 36, 19
    zeros = OfSchema.zero_is_open("Y.U3")

    def condition(self) -> np.ndarray:
        """Return |X|."""
        return np.asarray(np.abs(self.x.astype(Wide)))

    @on_call("approximate.C2")
    def approximation(self) -> str | None:
        value = self.attribute("approximate")
        return None if value in APPROXIMATIONS else f"approximate is {value!r}"

    @cached_property
    def value_of(self) -> np.ndarray:
        """The exact values, in extended precision."""
        x = self.x.astype(Wide)
        with np.errstate(all="ignore"):
            if self.attribute("approximate") == "none":
                return np.asarray(x * normal_distribution(x))
            return self.with_tanh(*SUMMARY)

    def with_tanh(self, factor: Wide, cubic: Wide) -> np.ndarray:
        """The approximation in extended precision: 1 + tanh(z) is 2 / (1 + e**(-2 z))."""
        x = self.x.astype(Wide)
        with np.errstate(all="ignore"):
            return np.asarray(x / (1 + np.exp(-2 * factor * (x + cubic * x**3))))

    def _enclosed(self, computed: np.ndarray) -> dict[str, Ends]:
        """Return ends with the constants of the summary or of the body."""
        apart = np.where(computed, self._apart(np.abs(self.x.astype(Wide))), 0)
        return {name: Ends(ends.low - apart, ends.high + apart) for name, ends in super()._enclosed(computed).items()}

    def _apart(self, size: np.ndarray) -> np.ndarray:
        """Return the largest change by the constants of the body, for numbers of magnitude `size`.

        With t twice the argument of tanh, the value is x / (1 + e**-t); t times the slope of that is below |x| / 4."""
        if self.attribute("approximate") == "none":
            return np.zeros(())
        shares = [abs(other - own) / own for own, other in zip(SUMMARY, BODY, strict=True)]
        return np.asarray(size / 4 * sum(shares))

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return ends as far from the value as `STEEPEST` times the argument, with roundings of the largest."""
        x, ends = self.x.astype(Wide), [part.inputs["X"].astype(Wide) for part in (low, high)]
        moved, size = STEEPEST * np.maximum(ends[1] - x, x - ends[0]), np.maximum(*map(np.abs, ends))
        roundings = self.of_result * (np.abs(self.value_of) + moved) + self.of_argument * size
        room = moved + self.unit * roundings + smallest_normal(self.x.dtype) + self._apart(size)
        return {"Y": Ends.around(self.value_of, room).where(np.isfinite(size))}

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements some rounding explains, with the constants of the summary or of the body."""
        found = super().explains(got)
        if self.attribute("approximate") == "tanh":
            other = np.where(self.approximated, self.with_tanh(*BODY), 0)
            found = found | self.approximated & explained(got, other, self.x.dtype, self.room)
        return found

    @evidence("Y.E1")
    def constants() -> str:
        """The two factors."""
        ours, other = (float(factor) for factor, _ in (SUMMARY, BODY))
        assert ours != other
        return f"sqrt(2 / pi) is {ours!r} in float64, and the root of 0.63661975 as float32 holds it {other!r}"

    @unspecified("Y.U2")
    def no_value(self) -> Unspecified | None:
        return Unspecified.of(~(self.x.astype(Wide) > -np.inf), "Y")

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attribute, set or not, and the shape of X."""
        _, shapes = super().form(choose, version)
        return choose(({}, {"approximate": "tanh"}, {"approximate": "none"}), (3, 3, 1)), shapes
