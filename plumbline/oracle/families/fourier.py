"""Discrete Fourier transforms of lines of numbers, with error bounds.

With N the length, S the sum of the magnitudes of the parts of a line, u the unit roundoff of the element type, v that
of the type that angles are computed in (float32 at least), and g(k) = (1 + u)**k - 1:

* A factor is the cosine or the sine of an angle. An angle a is 2, pi, k and n multiplied and divided by N, four
  roundings; its cosine has eight more, four of the angle (`onnx/cos`, F2). The error of the factor is thus at most
  ``f(a) = ((1 + v)**8 - 1) * (1 + a)``, for angles that are not reduced up to a = 2*pi*(N - 1)**2/N.
* A sum of the 2N products, in any order, each rounded once, of factors rounded once, and scaled by a reciprocal, is off
  by at most ``((1 + g(2N + 3)) * (1 + f) - 1) * S`` (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). A
  fast transform in stages is such a sum: each term has a complex factor (1 + d) for each of its log2(N) stages, with
  |d| at most sqrt(2)*g(2) + u + f(pi) (Higham, 3.6 and 24.1), together less than that.
* Transforms by way of a circular convolution are not: L. Bluestein's (A linear filtering approach to the computation of
  discrete Fourier transform, 1970), and C. Rader's, which has a shorter one. With M the least power of two of at least
  2N - 1 and L = log2(M), it has three chirps of error f, four complex products, and three fast transforms, each of them
  off by a factor of at most (1 + h)**L in the Euclidean norm, ``h = f(pi) + g(4)*(sqrt(2) + f(pi))`` (Higham, theorem
  24.2). Chirps have a norm of at most sqrt(2N - 1), so by the inequality of Cauchy and Schwarz an element is off by at
  most ``((1 + f)**3 * (1 + g(4))**4 * (1 + h)**(3*L) - 1) * sqrt(2N - 1)`` times the norm of the line, and what is
  computed on the way is at most M times as large as that norm and sqrt(2N - 1).

Below the normal range a product errs by at most u times the smallest normal number, as a number of that size does: a
few of these are added to each number of the line. Below the smallest normal number implementations give zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plumbline.oracle.families.clauses import shape_of_output
from plumbline.oracle.operator import UNBOUND, Allowance, Operator, Predicate, Unspecified, on_elements, unspecified
from plumbline.oracle.rounding import PI, PRECISION, Wide, growth, smallest_normal, ulps

AT_ONCE = 2**20
"""Most factors that are in memory at once."""


def roots(length: int) -> np.ndarray:
    """Return the powers of exp(-2 pi i / length), exact at right angles."""
    turns = np.arange(length)
    angles = 2 * PI * turns.astype(Wide) / length
    real, imaginary = (np.where(4 * turns % length == 0, np.rint(one), one) for one in (np.cos(angles), np.sin(angles)))
    return np.asarray(real - 1j * imaginary)


def sums(x: np.ndarray, length: int, bins: int, inverse: bool) -> np.ndarray:
    """Return the first bins of the transforms of lines along the last axis, (..., n) to (..., bins), undivided."""
    powers, n = roots(length), np.arange(x.shape[-1])[:, None]
    powers = powers.conj() if inverse else powers
    step = max(1, AT_ONCE // max(x.shape[-1], 1))
    parts = [x @ powers[n * np.arange(first, min(first + step, bins)) % length] for first in range(0, bins, step)]
    return np.concatenate(parts, axis=-1)


def stage_error(factor: Wide, dtype: np.dtype) -> Wide:
    """Return the relative error, in the Euclidean norm, of a stage of a fast transform with inexact factors (Higham,
    theorem 24.2)."""
    return Wide(factor + growth(4, dtype) * (np.sqrt(Wide(2)) + factor))


@dataclass(frozen=True, eq=False)
class Lines:
    """Transforms along the last axis.

    values: in extended precision, NaN where a line has a number that is not finite.
    of_sums, of_others: how far off a sum may be, and an algorithm that is none.
    most: the largest magnitude on the way of any of them."""

    values: np.ndarray
    of_sums: np.ndarray
    of_others: np.ndarray
    most: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, length: int, bins: int, inverse: bool, dtype: np.dtype) -> Lines:
        """Return the transforms of `x`, complex (..., n), with zeros added up to `length`.

        `bins` is how many numbers of a transform are kept, and `dtype` the element type of the output."""
        angles_in = np.promote_types(dtype, np.float32) if dtype.kind == "f" else np.dtype(np.float32)
        x, divisor = x[..., :length], length if inverse else 1
        finite = np.isfinite(x).all(axis=-1, keepdims=True)
        x = np.where(finite, x, 0)
        values = sums(x, length, bins, inverse) / divisor

        def off(angle: Wide) -> Wide:
            return Wide(growth(8, angles_in) * (1 + angle))
        least, eta = smallest_normal(dtype), Wide(float(PRECISION[dtype.name][1]))
        factor, stage = off(2 * PI * (length - 1) ** 2 / length), off(PI)
        size = np.sum(np.abs(x.real) + np.abs(x.imag), axis=-1, keepdims=True)
        of_sums = ((1 + growth(2 * length + 3, dtype)) * (1 + factor) - 1) * size / divisor
        stages = max(2 * length - 2, 0).bit_length()
        step = stage_error(stage, dtype)
        norm = np.sqrt(np.sum((np.abs(x) + 16 * least) ** 2, axis=-1, keepdims=True)) * np.sqrt(Wide(2 * length - 1))
        error = (1 + factor) ** 3 * (1 + growth(4, dtype)) ** 4 * (1 + step) ** (3 * stages) - 1
        rooms = (np.where(size > 0, room + least + length * eta, 0) for room in (of_sums, error * norm / divisor))
        most = np.where(size > 0, 2**stages * norm * (1 + error), 0)
        shown = np.where(finite, values, complex(np.nan, np.nan))
        return cls(shown, *(np.broadcast_to(room, values.shape) for room in (*rooms, most)))


class Fourier(Operator):
    """A call that transforms lines."""

    family = "Matrix products"
    exact = False
    output = "output"

    shape = shape_of_output(UNBOUND, "output")

    @cached_property
    def lines(self) -> Lines:
        """The transforms, bins along the last axis."""
        raise NotImplementedError

    @property
    def source(self) -> np.ndarray:
        """The tensor whose last axis has the real and the imaginary parts."""
        return next(iter(self.inputs.values()))

    @property
    def numbers(self) -> np.ndarray:
        """The source as complex numbers in extended precision."""
        wide = self.source.astype(Wide)
        with np.errstate(invalid="ignore"):
            return np.asarray(wide[..., 0] + 1j * wide[..., 1] if wide.shape[-1] == 2 else wide[..., 0] + 0j)

    def placed(self, of_lines: np.ndarray) -> np.ndarray:
        """Return values of lines, (..., bins, parts), in the order of the axes of the output."""
        return of_lines

    def _parts(self, of_lines: np.ndarray) -> np.ndarray:
        return self.placed(np.repeat(of_lines[..., None], self.shape_of("output")[-1], axis=-1))

    @cached_property
    def exactly(self) -> np.ndarray:
        """The real and the imaginary parts of the output, in extended precision."""
        values = self.lines.values
        both = np.stack([values.real, values.imag], axis=-1)
        return self.placed(both[..., :self.shape_of("output")[-1]])

    def expected(self) -> dict[str, np.ndarray]:
        """The exact values, rounded once."""
        with np.errstate(over="ignore"):
            return {"output": self.exactly.astype(self.source.dtype)}

    @cached_property
    def rooms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The errors by element of a sum, of another algorithm, and the largest magnitude on the way."""
        lines = self.lines
        return self._parts(lines.of_sums), self._parts(lines.of_others), self._parts(lines.most)

    def _within(self, got: np.ndarray, room: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(np.asarray(got).astype(Wide) - self.exactly) <= room)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the error of some order of summation, and of rounding."""
        return np.asarray(super().conforms(output, got) | self._within(got, self.rooms[0]))

    def tolerance(self) -> dict[str, float]:
        """The largest error that is judged."""
        return {"output": float(np.max(self.rooms[0], initial=0)) * 1.001}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        where = judged & np.isfinite(self.canonical["output"].astype(Wide))
        return {"largest error in ulp": ulps(got[where], self.canonical["output"][where], self.exactly[where])} \
            if where.any() else {}

    @on_elements(UNBOUND, "", "not the sum of the products")
    def value(self, got: np.ndarray) -> bool:
        return True

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.exactly), "output")

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        largest = Wide(float(PRECISION[self.source.dtype.name][2]))
        beyond = np.abs(self.exactly) + self.rooms[0] > largest
        where = (self.rooms[2] > largest) & ~np.isnan(self.exactly)
        return Unspecified.of(where, "output", admits=lambda got: ~np.isfinite(got.astype(Wide)) | beyond & (
            np.abs(got.astype(Wide)) == largest))

    @unspecified(UNBOUND)
    def other_algorithm(self) -> Unspecified | None:
        where = ~np.isnan(self.exactly)
        return Unspecified({"output": Allowance(where, lambda got: self._within(got, np.maximum(*self.rooms[:2])),
                                                observed=True)}) if where.any() else None


def one_sided(clause: str) -> Predicate:
    """The evidence that the list of bins is longer by one than the size of the output."""
    def bins() -> str:
        length = 4
        listed, size = len(range(length // 2 + 1 + 1)), length // 2 + 1
        transformed = np.fft.fft(np.arange(length))
        assert listed > size and transformed[size] == transformed[length - size].conjugate()
        return f"n_fft = {length}: 0, 1, ..., floor(n_fft/2) + 1 are {listed} values, the output has {size}"
    return Predicate("evidence", clause, bins)


def length_types(clause: str, types: tuple[str, ...]) -> Predicate:
    """The evidence that a constraint to int64_t lists more types."""
    def listed() -> str:
        assert len(types) > 1
        return f"'scalar length types to int64_t' stands beside {', '.join(types)}"
    return Predicate("evidence", clause, listed)
