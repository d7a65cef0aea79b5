"""Reference oracle of ONNX Resize: element by element, coordinates and weights in fractions.

Scales count as they are given, lengths as integers. Where the text leaves a coordinate open it is that of the examples;
an average that is no number is NaN, or 0 of types that have none.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference.exact import rounded

HALF = Fraction(1, 2)


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator; of the shape of X where no shape is defined."""
    x, given = call.inputs["X"], call.attributes
    axes = [axis % x.ndim for axis in given.get("axes", range(x.ndim))]
    regions = [(Fraction(0), Fraction(1))] * len(axes)
    mode = given.get("coordinate_transformation_mode", "half_pixel") if version >= 11 else "asymmetric"
    if mode == "tf_crop_and_resize":
        ends = [float(end) for end in call.inputs["roi"]]
        if not all(map(math.isfinite, ends)):
            return {"Y": np.zeros(x.shape, x.dtype)}
        regions = [(Fraction(ends[at]), Fraction(ends[at + len(axes)])) for at in range(len(axes))]
    sizes = [x.shape[axis] for axis in axes]
    scales, counts = _sizes(call, sizes, regions)
    if len(set(axes)) < len(axes) or any(count < 0 or count > 0 == size for size, count in zip(
            sizes, counts, strict=True)):
        return {"Y": np.zeros(x.shape, x.dtype)}
    shape = list(x.shape)
    for axis, count in zip(axes, counts, strict=True):
        shape[axis] = count
    y, kind = np.zeros(shape, x.dtype), given.get("mode", "nearest")
    rounding = given.get("nearest_mode", "round_prefer_floor") if version >= 11 else "floor"
    taps: dict[tuple[int, int], list[tuple[int, Fraction]] | None] = {}
    for axis, size, scale, count, region in zip(axes, sizes, scales, counts, regions, strict=True):
        for index in range(count):
            at = _coordinate(mode, index, size, scale, count, region)
            if mode == "tf_crop_and_resize" and not 0 <= at <= size - 1:
                taps[axis, index] = None
            elif kind == "nearest":
                taps[axis, index] = [(min(max(_rounded(at, rounding), 0), size - 1), Fraction(1))]
            else:
                taps[axis, index] = _weights(at, size, scale, kind, given)
    for place in places(shape):
        along = [taps.get((axis, index), [(index, Fraction(1))]) for axis, index in enumerate(place)]
        if any(each is None for each in along):
            with np.errstate(all="ignore"):
                y[place] = np.float32(given.get("extrapolation_value", 0.0)).astype(x.dtype)
        elif kind == "nearest":
            y[place] = x[tuple(each[0][0] for each in along if each is not None)]
        else:
            y[place] = _average(x, [each for each in along if each is not None])
    return {"Y": y}


def _sizes(call: Call, sizes: list[int], regions: list[Any]) -> tuple[list[Fraction], list[int]]:
    """The scale of each axis that is resized, and its size in Y."""
    if "sizes" not in call.inputs:
        scales = [Fraction(float(scale)) for scale in call.inputs["scales"]]
        return scales, [math.floor(size * (end - begin) * scale) for size, scale, (begin, end) in zip(
            sizes, scales, regions, strict=True)]
    counts, policy = [int(count) for count in call.inputs["sizes"]], call.attributes.get("keep_aspect_ratio_policy")
    if policy not in ("not_larger", "not_smaller") or not counts:
        return [Fraction(count, size or 1) for count, size in zip(counts, sizes, strict=True)], counts
    if 0 in sizes:
        return [Fraction(1)] * len(sizes), [-1] * len(sizes)
    quotients = [Fraction(count, size) for count, size in zip(counts, sizes, strict=True)]
    scale = min(quotients) if policy == "not_larger" else max(quotients)
    return [scale] * len(sizes), [math.floor(scale * size + HALF) for size in sizes]


def _coordinate(mode: str, i: int, n: int, s: Fraction, count: int, region: tuple[Fraction, Fraction]) -> Fraction:
    """Return the coordinate in X of an index of Y; 0 where the formula divides by 0."""
    if mode == "asymmetric":
        return i / s
    if mode == "tf_half_pixel_for_nn":
        return (i + HALF) / s
    if mode == "half_pixel":
        return (i + HALF) / s - HALF
    if mode == "pytorch_half_pixel":
        return (i + HALF) / s - HALF if count > 1 else Fraction(0)
    if mode == "half_pixel_symmetric":
        offset = Fraction(n, 2) * (1 - count / (n * s))
        return offset + (i + HALF) / s - HALF
    if mode == "align_corners":
        return Fraction(i * (n - 1), count - 1) if count > 1 else Fraction(0)
    begin, end = region
    if count > 1:
        return begin * (n - 1) + i * (end - begin) * (n - 1) / (count - 1)
    return HALF * (begin + end) * (n - 1)


def _rounded(x: Fraction, rounding: str) -> int:
    """The index that a coordinate is rounded to."""
    if rounding == "floor":
        return math.floor(x)
    if rounding == "ceil":
        return math.ceil(x)
    rest = x - math.floor(x)
    up = rest > HALF or rest == HALF and rounding == "round_prefer_ceil"
    return math.floor(x) + up


def _weights(x: Fraction, size: int, scale: Fraction, kind: str, given: Any) -> list[tuple[int, Fraction]]:
    """The indices that an average takes, those outside at the ends, with their weights; none where there are none."""
    a = np.float32(given.get("cubic_coeff_a", -0.75))
    if kind == "cubic" and not math.isfinite(a):
        return []
    stretch = max(Fraction(1), 1 / scale) if given.get("antialias", 0) else Fraction(1)
    reach = stretch * (1 if kind == "linear" else 2)
    inside = given.get("exclude_outside", 0) == 1
    weighted = []
    for index in range(math.floor(x - reach), math.ceil(x + reach) + 1):
        weight = _kernel(abs(index - x) / stretch, kind, Fraction(float(a)))
        if weight and (0 <= index < size or not inside):
            weighted.append((min(max(index, 0), size - 1), weight))
    total = sum(weight for _, weight in weighted) if inside or stretch > 1 else 1
    return [(index, weight / total) for index, weight in weighted] if total else []


def _kernel(d: Fraction, kind: str, a: Fraction) -> Fraction:
    """The weight of an element at a distance."""
    if kind == "linear":
        return max(1 - d, Fraction(0))
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else Fraction(0)


def _average(x: np.ndarray, along: list[list[tuple[int, Fraction]]]) -> Any:
    """The average of elements, rounded to the type of X: of integers to the nearest in its range."""
    real = imaginary = Fraction(0)
    for cells in product(*along):
        element = complex(x[tuple(index for index, _ in cells)])
        if not (math.isfinite(element.real) and math.isfinite(element.imag)):
            return math.nan
        weight = math.prod((weight for _, weight in cells), start=Fraction(1))
        real, imaginary = real + weight * Fraction(element.real), imaginary + weight * Fraction(element.imag)
    if x.dtype.kind in "iub":
        low, high = (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max) if x.dtype.kind != "b" else (0, 1)
        return min(max(round(real), low), high)
    if x.dtype.kind == "c":
        return complex(rounded(real, x.real.dtype), rounded(imaginary, x.real.dtype))
    return rounded(real, x.dtype)
