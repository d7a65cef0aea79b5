"""Softmax's lines sum to 1: honest forms keep that with operations as rough as the text allows, factors do not."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.oracle.rounding import PRECISION, Wide

TYPES = ("float16", "float32", "float64")
SPECS = ("onnx/softmax@1", "onnx/softmax@13", "sonnx/softmax")
SIZES = (1, 2, 64, 512)


def unit(x: np.ndarray) -> Wide:
    """Half the distance from 1 to the next larger number."""
    return Wide(float(PRECISION[x.dtype.name][0]))


def rough_exp(x: np.ndarray, side: int) -> np.ndarray:
    """Off, to one side, by nearly all that onnx/exp admits; of 0 it is 1."""
    with np.errstate(under="ignore", over="ignore"):
        exact = np.exp(x.astype(Wide))
        off = np.where((exact > 0) & (x != 0), side * unit(x) * (5 + 2 * np.minimum(np.abs(x.astype(Wide)), 1e5)), 0)
        return np.asarray(np.maximum(exact * (1 + off), 0).astype(x.dtype))


def rough_log(x: np.ndarray, side: int) -> np.ndarray:
    """Off, to one side, by nearly all that onnx/log admits."""
    exact = np.log(x.astype(Wide))
    return np.asarray((exact + side * unit(x) * (5 * np.abs(exact) + 5)).astype(x.dtype))


def in_order(x: np.ndarray) -> np.ndarray:
    """The sum, added from the first element on in the type."""
    return np.cumsum(x, dtype=x.dtype)[-1]


def two_passes(x: np.ndarray, side: int) -> np.ndarray:
    """Powers divided by their sum."""
    powers = rough_exp(x - x.max(), side)
    return powers / in_order(powers)


def powers_twice(x: np.ndarray, side: int) -> np.ndarray:
    """Powers of the sum that err to the other side than those of the numerator."""
    return rough_exp(x - x.max(), side) / in_order(rough_exp(x - x.max(), -side))


def online(x: np.ndarray, side: int) -> np.ndarray:
    """The sum is rescaled wherever a larger element comes."""
    highest, total = x.dtype.type(-np.inf), x.dtype.type(0)
    for number in x:
        raised = max(highest, number)
        if raised > -np.inf:
            kept, added = rough_exp(np.array([highest - raised, number - raised], x.dtype), -side)
            total = total * kept + added
            highest = raised
    return rough_exp(x - highest, side) / total


def by_logarithm(x: np.ndarray, side: int) -> np.ndarray:
    """The logarithm of the sum is subtracted."""
    total = in_order(rough_exp(x - x.max(), -side))
    return rough_exp(x - (x.max() + rough_log(np.array(total), -side)), side)


def by_logarithm_alone(x: np.ndarray, side: int) -> np.ndarray:
    """The largest element is subtracted only where a power would overflow or all would be lost."""
    if np.abs(x[np.isfinite(x)]).max() > 4:
        return by_logarithm(x, side)
    return rough_exp(x - rough_log(np.array(in_order(rough_exp(x, -side))), -side), side)


def lines(dtype: str, size: int) -> dict[str, np.ndarray]:
    """Lines by name."""
    rng = np.random.default_rng(size)
    near = rng.standard_normal(size)
    gaps = np.where(rng.random(size) < 0.3, -np.inf, near)
    gaps[rng.integers(size)] = 0.5
    made = {"near": near, "far": near * 1e4, "beside 1e4": 1e4 + near, "beside -1e4": near - 1e4, "gaps": gaps,
            "rising": np.linspace(-1, 1, size), "falling": np.linspace(1, -1, size), "equal": np.full(size, 0.3),
            "rising far": np.arange(size) / 4.0, "small": near * 1e-6}
    with np.errstate(over="ignore"):
        return {name: np.clip(values, -6e4, 6e4, where=np.isfinite(values), out=values.copy()).astype(dtype)
                for name, values in made.items()}


def call_on(spec: str, line: np.ndarray) -> Call:
    """A call of one line."""
    return Call("Softmax", {"axis": 1}, {"X": line.reshape(1, -1)})


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", [two_passes, powers_twice, online, by_logarithm, by_logarithm_alone])
def test_honest_forms_with_rough_operations_conform(form: object, size: int, dtype: str, spec: str) -> None:
    """In the type of X, near and far numbers, -inf among them, lines that rise at each element; both ways."""
    for name, line in lines(dtype, size).items():
        judged = load_spec(spec).judged(call_on(spec, line))
        for side in (1, -1):
            with np.errstate(all="ignore"):
                total = in_order(rough_exp(line - line.max(), 1))
                if not np.isfinite(total):  # of float16: an overflow on the way, which the text does not explain
                    continue
                y = np.asarray(form(line, side))  # type: ignore[operator]
            assert y.dtype == line.dtype
            y = np.minimum(y, np.nextafter(y.dtype.type(1), y.dtype.type(2)))  # the range is another clause, F4
            assert not judged.divergences({"Y": y.reshape(1, -1)}), (name, side)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("factor", [0.7, 1.5])
def test_a_factor_on_every_answer_is_a_wrong_sum(factor: float, dtype: str, spec: str) -> None:
    """Named so; of lines with -inf, and of numbers around 16, too."""
    for line in ([0.5, 1, 1.5], [-np.inf, 0, 0.25, 1], [16, 15.5, 16.25, 15, 14], list(np.arange(16) / 8)):
        call = call_on(spec, np.array(line, dtype))
        y = load_spec(spec).expected(call)["Y"]
        broken = load_spec(spec).judged(call).divergences({"Y": (y * factor).astype(dtype)})
        assert [entry.clause for entry in broken] == [f"{spec}#Y.F5"]
        assert not load_spec(spec).judged(call).divergences({"Y": y})


@pytest.mark.parametrize("spec", SPECS)
def test_a_wrong_value_is_no_wrong_sum(spec: str) -> None:
    """Elements in the order of their neighbours, and one element that is lost, are wrong values."""
    call = call_on(spec, np.array([0.5, 1, 1.5], np.float32))
    y = load_spec(spec).expected(call)["Y"]
    for wrong in (y[:, ::-1], y * np.array([1, 0, 1], np.float32)):
        broken = load_spec(spec).judged(call).divergences({"Y": wrong})
        assert [entry.clause for entry in broken] == [f"{spec}#Y.F1"]
