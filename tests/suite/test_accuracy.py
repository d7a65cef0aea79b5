"""What a text does not say of accuracy: what no rounding explains is wrong, and honest formulas are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec

NEWEST = {name: f"onnx/{name}@13" for name in ("exp", "log", "sigmoid", "tanh", "sqrt", "softmax")} | {
    "pow": "onnx/pow@15"}

CALLS = {
    "pow": ({"A": [2.5, 0.3, 7.0], "B": [3.5, 2.0, -1.5]}, {}, "C"),
    "softmax": ({"X": [[1.0, 2.0, 3.0], [-4.0, 0.5, 0.25]]}, {"axis": 1}, "Y"),
} | dict.fromkeys(("exp", "log", "sigmoid", "tanh", "sqrt"), ({"X": [0.4, 2.0, 5.5]}, {}, "Y"))


def wrong(name: str, call: Call, answer: np.ndarray) -> bool:
    """Whether an answer breaks a clause."""
    output = load_spec(NEWEST[name]).outputs[0]
    return bool(load_spec(NEWEST[name]).judged(call).divergences({output: answer}))


def observed(name: str, call: Call, answer: np.ndarray) -> bool:
    """Whether an answer breaks no clause, and is told as observed."""
    judged = load_spec(NEWEST[name]).judged(call)
    return not judged.divergences({"Y": answer}) and judged.observes({"Y": answer})


def one(name: str, dtype: str, *values: float) -> Call:
    """A call on one tensor."""
    return Call(name.capitalize(), {}, {"X": np.array(values, dtype)})


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", NEWEST)
def test_a_factor_is_found_in_every_type(name: str, dtype: str) -> None:
    """Twenty per cent too large or too small; softmax also from 0.7 to 1.5."""
    inputs, attributes, output = CALLS[name]
    call = Call(name.capitalize(), attributes, {key: np.array(value, dtype) for key, value in inputs.items()})
    exact = load_spec(NEWEST[name]).expected(call)[output]
    assert not wrong(name, call, exact)
    for factor in (0.7, 0.8, 1.2, 1.5):
        assert wrong(name, call, (exact * factor).astype(dtype)), factor


@pytest.mark.parametrize(("dtype", "narrower"), [("float32", "float16"), ("float64", "float32")])
@pytest.mark.parametrize("name", NEWEST)
def test_what_is_computed_in_a_narrower_type_is_wrong(name: str, dtype: str, narrower: str) -> None:
    """Twelve or more of these digits are lost."""
    inputs, attributes, output = CALLS[name]
    call = Call(name.capitalize(), attributes, {key: np.array(value, dtype) for key, value in inputs.items()})
    exact = load_spec(NEWEST[name]).expected(call)[output]
    assert wrong(name, call, exact.astype(narrower).astype(dtype))


@pytest.mark.parametrize(("name", "dtype", "x", "answer"), [
    ("sqrt", "float64", 2.0, 1.2), ("exp", "float64", 1.0, 3.3), ("log", "float32", 1.01, 0.0),
    ("exp", "float32", 88.5, np.inf), ("sqrt", "float32", 2.0, 1.4142134), ("exp", "float64", 1.0, np.float32(np.e)),
    ("exp", "float32", 100.0, 1e38), ("exp", "float32", 1e30, 0.0)])
def test_what_no_rounding_explains_is_wrong(name: str, dtype: str, x: float, answer: float) -> None:
    """Answers that a room of a quarter let pass, and one beside the correctly rounded root."""
    assert wrong(name, one(name, dtype, x), np.array([answer], dtype))


@pytest.mark.parametrize(("name", "dtype", "x", "answer"), [
    ("sigmoid", "float32", 17.8, np.nextafter(np.float32(1), np.float32(2))),
    ("tanh", "float32", -8.99, np.nextafter(np.float32(-1), np.float32(-2))),
    ("sigmoid", "float32", -30.0, 1e-8), ("exp", "float32", -100.0, 0.0), ("tanh", "float32", 1e-8, 0.0)])
def test_what_formulas_give_is_observed(name: str, dtype: str, x: float, answer: float) -> None:
    """One number beyond the range among them, and what is left of sums that cancel."""
    assert observed(name, one(name, dtype, x), np.array([answer], dtype))


def two_passes(x: np.ndarray) -> np.ndarray:
    """Softmax with the largest element subtracted."""
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def by_reciprocal(x: np.ndarray) -> np.ndarray:
    """Softmax that multiplies."""
    powers = np.exp(x - x.max())
    return powers * (x.dtype.type(1) / powers.sum())


def online(x: np.ndarray) -> np.ndarray:
    """Softmax with the largest element so far subtracted."""
    highest, total = x[0], x.dtype.type(1)
    for number in x[1:]:
        new = max(highest, number)
        total = total * np.exp(highest - new) + np.exp(number - new)
        highest = new
    return np.exp(x - highest) / total


def from_the_logarithm(x: np.ndarray) -> np.ndarray:
    """Softmax by the logarithm of the sum."""
    return np.exp(x - (x.max() + np.log(np.exp(x - x.max()).sum())))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("form", [two_passes, by_reciprocal, online, from_the_logarithm])
def test_honest_forms_of_softmax_conform(form: Callable[[np.ndarray], np.ndarray], dtype: str) -> None:
    """Also of 64 elements, and of elements about 10,000."""
    random = np.random.default_rng(0)
    for size, middle, width in ((3, 0, 3), (64, 0, 3), (64, 0, 30), (64, 10_000, 3), (64, -10_000, 3)):
        x = (middle + width * random.standard_normal(size)).astype(dtype)
        assert not wrong("softmax", Call("Softmax", {}, {"X": x}), form(x).astype(dtype)), (size, middle, width)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "formula"), [
    ("exp", lambda x: np.exp2(x * x.dtype.type(1.4426950408889634))),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    ("tanh", lambda x: (1 - np.exp(-2 * x)) / (1 + np.exp(-2 * x))),
    ("log", lambda x: np.log2(x) * x.dtype.type(0.6931471805599453))])
def test_plain_formulas_in_the_type_conform(name: str, formula: Callable[[np.ndarray], np.ndarray], dtype: str) -> None:
    """Each operation of the formula rounded to the type."""
    random = np.random.default_rng(1)
    x = (random.standard_normal(4000) * random.choice([1e-3, 1, 10], 4000)).astype(dtype)
    x = np.abs(x) if name == "log" else x
    assert not wrong(name, Call(name.capitalize(), {}, {"X": x}), formula(x).astype(dtype))


def test_repeated_products_conform() -> None:
    """A power by an integer as that many factors."""
    a = np.random.default_rng(2).uniform(0.5, 2, 500).astype(np.float32)
    product = np.ones_like(a)
    for _ in range(100):
        product = product * a
    call = Call("Pow", {}, {"A": a, "B": np.full(500, 100, np.float32)})
    assert not wrong("pow", call, product)
