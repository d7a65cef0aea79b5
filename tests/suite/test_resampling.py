"""The bounds of `oracle.families.resampling` hold for coordinates and averages as programs compute them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.oracle.families.resampling import Axis

F = np.float32
SCALES = (0.5, 2.0, 3.0, 0.6, 1.5, 0.1, 1 / 3, 1.1, 7.3)


def axis(mode: str, size: int, scale: float) -> Axis:
    """An axis with the scale as it is given and a region."""
    exact, count = Fraction(float(F(scale))), int(size * float(F(scale)))
    return Axis(size, count, exact, Fraction(count), size * exact, (Fraction(1, 8), Fraction(float(F(0.7)))), mode)


def computed(one: Axis, reciprocal: bool) -> np.ndarray:
    """The coordinates in float32, with quotients or with products with a reciprocal."""
    i, s, n, half = np.arange(one.count, dtype=F), F(float(one.scale)), F(one.size), F(0.5)

    def over(x: np.ndarray, y: np.float32) -> np.ndarray:
        return x * (F(1) / y) if reciprocal else x / y
    last, length = n - F(1), F(one.count - 1)
    if one.mode == "asymmetric":
        return over(i, s)
    if one.mode == "align_corners":
        return i * (last / length) if reciprocal else i * last / length
    if one.mode == "tf_crop_and_resize":
        begin, end = (F(float(part)) for part in one.region)
        return begin * last + (i * ((end - begin) * last / length) if reciprocal else i * (end - begin) * last / length)
    moved = n / F(2) * (F(1) - F(one.count) / (n * s)) if one.mode == "half_pixel_symmetric" else F(0)
    return moved + over(i + half, s) - half


@pytest.mark.parametrize("mode", ["asymmetric", "half_pixel", "half_pixel_symmetric", "align_corners",
                                  "tf_crop_and_resize"])
def test_coordinates_in_single_precision_are_within_their_error(mode: str) -> None:
    """By quotients and by reciprocals, for small and large axes."""
    for size, scale, reciprocal in product((1, 2, 5, 17, 1000, 70_001), SCALES, (False, True)):
        one = axis(mode, size, scale)
        if one.count > 1:
            x, error = one.coordinates
            assert (np.abs(computed(one, reciprocal) - x) <= error).all(), (size, scale)
            if mode in ("asymmetric", "half_pixel") and scale in (0.5, 2.0):
                assert not error.any()


@pytest.mark.parametrize(("rounding", "wanted"), [("round_prefer_floor", 1), ("round_prefer_ceil", 2)])
def test_a_tie_is_decided_where_it_is_exact(rounding: str, wanted: int) -> None:
    """The scale 2, whose coordinates every program computes exactly; with 3 either neighbour of an integer may come."""
    spec = load_spec("onnx/resize@19")
    attributes = {"nearest_mode": rounding, "coordinate_transformation_mode": "asymmetric"}
    call = Call("Resize", attributes, {"X": F([1, 2, 3]), "scales": F([2])})
    y = spec.expected(call)["Y"]
    assert y[1] == wanted and spec.divergences(call, {"Y": np.where(np.arange(6) == 1, 3 - wanted, y).astype(F)})
    call = Call("Resize", {**attributes, "nearest_mode": "floor"}, {"X": F([1, 2, 3]), "scales": F([3])})
    assert spec.divergences(call, {"Y": F([1, 1, 1, 1, 2, 2, 3, 3, 3])}) == []


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_averages_in_any_order_conform(dtype: type) -> None:
    """Along either axis first, as sums of products and as a + w * (b - a); an error of a hundredth does not."""
    spec, rng = load_spec("onnx/resize@19"), np.random.default_rng(3)

    def along(x: np.ndarray, scale: float, differences: bool) -> np.ndarray:
        at = (np.arange(int(len(x) * scale), dtype=F) + F(0.5)) / F(scale) - F(0.5)
        low = np.floor(at).astype(int)
        w = (at - low).astype(dtype)[:, None]
        a, b = x[low.clip(0, len(x) - 1)], x[(low + 1).clip(0, len(x) - 1)]
        return a + w * (b - a) if differences else (dtype(1) - w) * a + w * b
    for scale, differences in product((2.0, 1.5, 0.6, 1.1), (False, True)):
        x = rng.standard_normal((10, 10)).astype(dtype)
        call = Call("Resize", {"mode": "linear"}, {"X": x, "scales": F([scale, scale])})
        y = along(along(x, scale, differences).T, scale, differences).T
        for given in (y, along(along(x.T, scale, differences).T, scale, differences)):
            assert given.dtype == dtype and spec.divergences(call, {"Y": given}) == []
        assert spec.divergences(call, {"Y": y + dtype(0.02)})
