"""Compute coordinates and weights of resampled tensors, with error bounds.

No text says how exactly to compute them. Coordinates and weights are computed in float32 or wider (u its unit roundoff,
g(k) = (1 + u)**k - 1), the average in the type of the tensor or wider (v, h(k) likewise):

* with a region of interest u is that of its type, where that is coarser;
* a coordinate is a sum of terms, each with at most `ROUNDINGS` operations, so that it is off by g(ROUNDINGS) times the
  sum of their magnitudes; where the scale is a power of two or the ratio of the lengths has few digits, every
  operation is exact, whether `1 / s` is computed first or not;
* at a distance d that is off by e, a linear weight is off by e and 2 roundings of at most 1; a cubic one by e times the
  steepest slope of the kernel and g(8) times the magnitudes of the terms of its polynomial; either by one rounding to
  the type more;
* with S the sum of the magnitudes of the weights of an axis and D that of their errors, and M the largest magnitude of
  the elements around, those next to them included, an average is off by M * (prod(S + D) * (1 + h(k)) - prod(S)), with
  k twice the number of products and sums: formulas such as a + w * (b - a) round each of these twice;
* a part of an average is at most 2 * M * prod(S + D) * (1 + h(k)): b - a may be twice the largest magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from plumbline.oracle.rounding import PRECISION, Wide, growth

SINGLE = np.dtype(np.float32)
ROUNDINGS = 8
"""Of a term of a coordinate: of the scale, its reciprocal, products, a quotient and sums."""

NEAREST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5), "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor, "ceil": np.ceil}

CROP = "tf_crop_and_resize"
"""The coordinate transformation that samples a region."""

BY_SCALE = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn")
"""The modes whose formulas name the scale; those of the others name the lengths alone."""


@dataclass(frozen=True)
class Reading:
    """A reading of the text.

    by_lengths: with the scale that the lengths give.
    fractional: with the length that the scale gives.
    sizes:      of the output by axis that is resized, None for the canonical ones.
    as_is:      axes whose size does not change are left as they are; no text says so."""

    by_lengths: bool = False
    fractional: bool = False
    sizes: tuple[int, ...] | None = None
    as_is: bool = False


CANONICAL = Reading()


def has_few_digits(*numbers: Fraction) -> bool:
    """True if float32 holds numbers, with some digits left for products with indices."""
    return all(number.denominator & number.denominator - 1 == 0 and abs(number.numerator) < 2**12
               and number.denominator < 2**12 for number in numbers)


def times(indices: np.ndarray, factor: Fraction) -> np.ndarray:
    """Products with a fraction, rounded once where the products with its numerator are exact."""
    return np.asarray(indices * Wide(factor.numerator) / Wide(factor.denominator))


@dataclass(frozen=True)
class Axis:
    """One axis that is resampled.

    size, count: of the tensor and of the output.
    scale:  as the formulas name it; `length` is that of the output in them, which may be no integer.
    target: size times the scale that was asked for.
    region: begin and end, in parts of the tensor.
    mode:   the coordinate transformation.
    dtype:  the type that coordinates are computed in at least."""

    size: int
    count: int
    scale: Fraction
    length: Fraction
    target: Fraction
    region: tuple[Fraction, Fraction]
    mode: str
    dtype: np.dtype = SINGLE

    @cached_property
    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates by index of the output, and their errors, in extended precision."""
        i, none = np.arange(self.count).astype(Wide), np.zeros(self.count, Wide)
        last, step, half = self.size - 1, 1 / self.scale if self.scale else Fraction(0), Wide(0.5)
        is_exact = has_few_digits(self.scale, step)
        if self.mode in ("asymmetric", "tf_half_pixel_for_nn"):
            x = times(i if self.mode == "asymmetric" else i + half, step)
            size = x
        elif self.mode in BY_SCALE:
            if self.mode == "pytorch_half_pixel" and self.length <= 1:
                return none, none
            moved = Fraction(self.size) * (1 - self.count / self.target) / 2 \
                if self.mode == "half_pixel_symmetric" and self.target else Fraction(0)
            x = times(i + half, step) - half + times(none + 1, moved)
            size = times(i + half, step) + half + (0 if not moved else self.size)
            is_exact &= moved == 0
        elif self.mode == "align_corners":
            if self.length <= 1:
                return none, none
            ratio = last / (self.length - 1)
            x, is_exact = times(i, ratio), has_few_digits(ratio)
            size = x * Wide(float(self.length / (self.length - 1)))
        else:
            begin, end = self.region
            if self.length <= 1:
                middle = (begin + end) * last / 2
                x, is_exact = times(none + 1, middle), has_few_digits(begin, end, middle)
                size = none + Wide(float((abs(begin) + abs(end)) * last))
            else:
                ratio = (end - begin) * last / (self.length - 1)
                x = times(none + 1, begin * last) + times(i, ratio)
                is_exact = has_few_digits(begin, end, begin * last, ratio)
                size = times(none + 1, (abs(begin) + abs(end)) * last) * (1 + i / Wide(float(self.length - 1)))
        return x, none if is_exact and self.dtype == SINGLE else growth(ROUNDINGS, self.dtype) * np.abs(size)

    def indices(self, rounding: str) -> np.ndarray:
        """int64 (3, count): the index that each coordinate is rounded to, exactly and with its error at either side;
        it may be outside."""
        x, error = self.coordinates
        return np.stack([NEAREST[rounding](x + side * error) for side in (0, -1, 1)]).astype(np.int64)

    @property
    def outside(self) -> np.ndarray:
        """bool (3, count): whether each coordinate is beyond the ends of the tensor; may be; must be."""
        x, error = self.coordinates
        return np.stack([(x - e < 0) | (x + e > self.size - 1) for e in (0, error, -error)])


@dataclass(frozen=True)
class Taps:
    """The elements along an axis that are averaged, and the weight of each.

    places:  int64 (taps, count), perhaps outside.
    weights: extended precision, of the same shape.
    error:   of all weights at an index of the output, together.
    around:  int64, the places and those next to them."""

    places: np.ndarray
    weights: np.ndarray
    error: np.ndarray
    around: np.ndarray

    @classmethod
    def of(cls, axis: Axis, coefficient: float | None, dtype: np.dtype, stretched: bool, inside: bool) -> Taps:
        """Return an axis's taps: linear without a `coefficient`, else cubic; of a filter that is `stretched` for scales
        below 1; with none of the weights outside the tensor where they are to be `inside`."""
        x, error = axis.coordinates
        stretch = max(float(1 / axis.scale), 1.0) if stretched and axis.scale else 1.0
        reach = int(np.ceil((1 if coefficient is None else 2) * min(stretch, max(axis.size, 1))))
        first = np.floor(x).astype(np.int64)
        around = first + np.arange(-reach, reach + 2)[:, None]
        places = around[1:-1]
        distance = np.abs(places - x) / Wide(stretch)
        single, own = growth(1, SINGLE), growth(1, dtype)
        if coefficient is None:
            weights = np.maximum(1 - distance, 0)
            errors = error + 2 * single + own * weights
        else:
            weights, terms = cubic(distance, Wide(coefficient))
            slope = 3 * abs(coefficient + 2) + 2 * abs(coefficient + 3) + 2 * abs(coefficient)
            errors = error * Wide(slope) + growth(8, SINGLE) * terms + own * np.abs(weights)
        together = np.sum(errors, axis=0)
        if inside:
            weights = np.where((places >= 0) & (places < axis.size), weights, 0)
        if inside or stretch > 1:
            total, share = weights.sum(axis=0), np.abs(weights).sum(axis=0)
            with np.errstate(all="ignore"):
                weights = weights / total
                together = np.where(np.abs(total) > 2 * together,
                                    2 * (together * (1 + share / np.abs(total)) + 4 * own * share) / np.abs(total),
                                    np.inf)
        return cls(places, weights, together, around)


def cubic(distance: np.ndarray, a: Wide) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a cubic kernel at distances, and the magnitudes of the terms that they are the sums of."""
    near, far = distance <= 1, distance < 2
    inner = (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    outer = a * (distance**3 - 5 * distance**2 + 8 * distance - 4)
    of_inner = np.abs(a + 2) * distance**3 + np.abs(a + 3) * distance**2 + 1
    of_outer = np.abs(a) * (distance**3 + 5 * distance**2 + 8 * distance + 4)
    return np.where(near, inner, np.where(far, outer, 0)), np.where(near, of_inner, of_outer)


def spread(values: np.ndarray, axis: int, rank: int) -> np.ndarray:
    """Numbers along an axis, in a shape that broadcasts to tensors of a rank."""
    return values.reshape(*(1,) * axis, -1, *(1,) * (rank - 1 - axis))


def averaged(tensor: np.ndarray, taps: dict[int, Taps], dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The averages of a tensor (extended precision) along the axes that have taps, and how far off they may be.

    Also the largest magnitude of parts of an average. Neither is finite where an element around is not."""
    with np.errstate(all="ignore"):
        largest = np.where(np.isfinite(tensor), np.abs(tensor), np.inf)
        weight = weight_and_error = np.ones((1,) * tensor.ndim, Wide)
        roundings = 2
        for axis, each in taps.items():
            size = tensor.shape[axis]
            terms = [np.take(tensor, at.clip(0, size - 1), axis) * spread(w, axis, tensor.ndim)
                     for at, w in zip(each.places, each.weights, strict=True)]
            tensor = np.sum(terms, axis=0)
            largest = np.max([np.take(largest, at.clip(0, size - 1), axis) for at in each.around], axis=0)
            share = np.abs(each.weights).sum(axis=0)
            weight = weight * spread(share, axis, tensor.ndim)
            weight_and_error = weight_and_error * spread(share + each.error, axis, tensor.ndim)
            roundings += 4 * len(each.places)
        grown = 1 + growth(roundings, dtype)
        room = largest * (weight_and_error * grown - weight)
        part = 2 * largest * weight_and_error * grown
        return tensor, np.where(np.isfinite(room) & np.isfinite(largest), room, np.inf), part


def equal(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """bool: which elements are equal; NaN equals NaN."""
    return np.asarray((got == wanted) | (got != got) & (wanted != wanted))


def computed_in(dtype: np.dtype) -> np.dtype:
    """The type that averages of elements of a type are computed in at least."""
    if dtype.kind == "c":
        return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
    return dtype if dtype.name in PRECISION else SINGLE
