"""Sums of products: what some order of summation gives is admitted, and nothing beyond the bound."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.oracle.families.matrix_sums import Scaling, sums_of_matrices
from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.rounding import PRECISION

FLOATS = ("float16", "float32", "float64")


def dot(a: np.ndarray, b: np.ndarray) -> Products:
    """The product of two vectors, as a scalar."""
    return Products.of([Step((a[k], b[k])) for k in range(a.size)], (), a.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_order_of_summation_is_admitted(dtype: str) -> None:
    """Plain sums in the type in every order, and one in a wider type."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        a, b = rng.standard_normal((2, 4)).astype(dtype)
        products = dot(a, b)
        for order in permutations(range(4)):
            found = np.zeros((), dtype)
            for k in order:
                found = found + a[k] * b[k]
            assert not products.wrong(found)
        assert not products.wrong((a.astype(np.longdouble) @ b.astype(np.longdouble)).astype(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_single_product_is_rounded_once(dtype: str) -> None:
    """Two numbers away from the nearest is wrong; so is an infinity."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        a, b = rng.uniform(1, 1.4, (2, 1)).astype(dtype)
        products, nearest = dot(a, b), (a * b)[0]
        assert not products.wrong(nearest)
        for other in (nearest - 2 * np.spacing(nearest), nearest + 2 * np.spacing(nearest), np.inf):
            assert products.wrong(np.array(other, dtype))


def test_close_decisions_are_those_of_fractions() -> None:
    """Of numbers around the bound, `wrong` says of each what the bound by fractions says."""
    a, b = np.array([1.3, -2.7, 1e-3], np.float32), np.array([0.7, 0.9, 1.1], np.float32)
    terms = [Fraction(float(one)) * Fraction(float(other)) for one, other in zip(a, b, strict=True)]
    u, eta, _ = PRECISION["float32"]
    bound = ((1 + u) ** 3 - 1) * sum(map(abs, terms)) + (1 + u) ** 3 * 3 * eta / 2
    found = np.float32(float(sum(terms)))
    verdicts = []
    for step in range(-12, 13):
        got = np.float32(found + step * np.spacing(found))
        verdicts.append(bool(dot(a, b).wrong(got)))
        assert verdicts[-1] == (abs(Fraction(float(got)) - sum(terms)) > bound)
    assert any(verdicts) and not all(verdicts)


def test_exact_sums_have_no_rounding_error() -> None:
    """Small integers: the neighbour of the sum is wrong."""
    products = dot(np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32))
    assert products.values == 32 and not products.wrong(np.float32(32))
    assert products.wrong(np.nextafter(np.float32(32), np.float32(33)))


def test_terms_that_are_not_finite_give_what_ieee_754_gives() -> None:
    """Zero times infinity and both infinities are NaN, one infinity is itself; overflow may come before it."""
    inf, big = np.inf, 3e38
    for a, b, wanted, may in (([0, 1], [inf, 1], np.nan, False), ([1, -1], [inf, inf], np.nan, False),
                              ([1, 2], [-inf, 3], -inf, False), ([big, 1], [-10, inf], inf, True)):
        products = dot(np.array(a, np.float32), np.array(b, np.float32))
        assert np.array_equal(products.values, np.float32(wanted), equal_nan=True)
        assert products.wrong(np.float32(1)) and not products.wrong(products.values)
        assert products.may_overflow == may and (not may or products.admits_overflow(np.float32(np.nan)))


def test_partial_sums_may_overflow() -> None:
    """An infinity of a sign whose terms exceed the range, NaN where both do."""
    big = np.float32(3e38)
    for signs, up, down in (((1, 1, -1), True, False), ((1, 1, -1, -1), True, True), ((1, -1), False, False)):
        products = dot(np.array(signs, np.float32), np.full(len(signs), big))
        got = [bool(products.admits_overflow(np.float32(value))) for value in (np.inf, -np.inf, np.nan, 1)]
        assert got == [up, down, up and down, False] and products.may_overflow == (up or down)


PAIR, ONES = [3e38, 3e38], [1.0, 1.0]


@pytest.mark.parametrize(("name", "output", "inputs", "attributes"), [
    ("matmul@13", "Y", {"A": [PAIR], "B": [[1.0], [1.0]]}, {}),
    ("gemm@13", "Y", {"A": [PAIR], "B": [[1.0], [1.0]]}, {}),
    ("conv@22", "Y", {"X": [[PAIR]], "W": [[ONES]]}, {}), ("lppool@22", "Y", {"X": [[PAIR]]}, {"kernel_shape": [2]}),
    ("convtranspose@22", "Y", {"X": [[[3e38]]], "W": [[[3.0]]]}, {}), ("reduceprod@18", "reduced", {"data": PAIR}, {}),
    ("reducesum@13", "reduced", {"data": PAIR}, {}), ("reducel2@18", "reduced", {"data": PAIR}, {}),
    ("einsum@12", "Output", {"Inputs_0": PAIR, "Inputs_1": ONES}, {"equation": "i,i->"})])
def test_texts_of_onnx_say_nothing_of_a_sum_beyond_the_range(name: str, output: str, inputs: dict[str, list],
                                                            attributes: dict[str, object]) -> None:
    """As of a quotient: the infinity or the largest number of its sign. The profile names IEEE 754: an infinity."""
    spec = load_spec(f"onnx/{name}")
    arrays = {given: np.array(values, np.float32) for given, values in inputs.items()}
    call = Call(spec.operator, attributes, arrays, (output,))
    largest = np.finfo(np.float32).max
    for given, admitted in ((largest, True), (np.inf, True), (-largest, False), (1e38, False)):
        outputs = {output: np.full(spec.expected(call)[output].shape, given, np.float32)}
        assert (not spec.divergences(call, outputs)) == admitted, given
    if name == "matmul@13":
        assert load_spec("sonnx/matmul").divergences(call, {output: np.full((1, 1), largest)})


def matrices(rng: np.random.Generator, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Two stacks that broadcast, of fractions, whole numbers or numbers of any size, some of them not finite."""
    m, k, n = rng.integers(0, 20, 3)
    drawn = []
    for shape in ((2, 1, m, k), (3, k, n)):
        x = rng.standard_normal(shape)
        x = (x, np.rint(3 * x), x * 2.0 ** rng.integers(-140, 127, shape))[rng.integers(3)]
        wild = rng.choice([np.nan, np.inf, -np.inf, 0.0, 0.0], shape)
        with np.errstate(all="ignore"):
            drawn.append(np.where(rng.random(shape) < 0.05 * rng.integers(2), wild, x).astype(dtype))
    return drawn[0], drawn[1]


@pytest.mark.parametrize("dtype", FLOATS)
def test_products_of_matrices_are_judged_as_sums_taken_term_by_term(dtype: str) -> None:
    """All at once in float64, with an error that changes no answer; answers beside the bound are those of fractions."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        a, b = matrices(rng, dtype)
        assert_same(rng, sums_of_matrices(a, b, a.dtype), [
            Step((a[..., :, k, None], b[..., None, k, :])) for k in range(a.shape[-1])])


@pytest.mark.parametrize("dtype", FLOATS)
def test_scaled_products_of_matrices_are_judged_as_sums_taken_term_by_term(dtype: str) -> None:
    """Factors of any sign and size, and what is added, which may not be finite."""
    rng = np.random.default_rng(2)
    for _ in range(90):
        a, b = matrices(rng, dtype)
        alpha = np.asarray(rng.choice([1, -1, 0.5, -1.5, 0.1, 3e-39, 1e30, 300.7]), np.float32)
        beta = np.asarray(rng.choice([1, -1, 0, 0.1, np.inf, np.nan]), np.float32)
        c = rng.choice([1, 0, -3, 0.1, np.nan, np.inf, -np.inf], rng.choice((1, b.shape[-1]))).astype(dtype)
        added, roundings = ((c, beta),) * rng.integers(2), int(rng.integers(1, 3))
        assert_same(rng, sums_of_matrices(a, b, a.dtype, Scaling(alpha, *added, roundings=roundings)), [
            *(Step((a[..., :, k, None], b[..., None, k, :], alpha)) for k in range(a.shape[-1])),
            *map(Step, added)], roundings)


def assert_same(rng: np.random.Generator, at_once: Products, steps: list[Step], roundings: int = 1) -> None:
    """Assert that sums are those of steps, and judge answers as these do."""
    shape, dtype = at_once.nan.shape, at_once.sums.dtype
    one_by_one = Products.of(steps, shape, dtype, roundings)
    for of_both in ("nan", "plus", "minus", "may_overflow"):
        np.testing.assert_array_equal(getattr(at_once, of_both), getattr(one_by_one, of_both))
    np.testing.assert_array_equal(at_once.sums.exact, one_by_one.sums.exact)
    with np.errstate(all="ignore"):
        off = rng.choice([0, 1, -1, 0.5, 2, 1.000001], shape) * one_by_one.bound.astype(np.float64)
        got = (one_by_one.values.astype(np.float64) + off).astype(dtype)
    np.testing.assert_array_equal(at_once.wrong(got), one_by_one.wrong(got))
    for place in list(np.ndindex(*shape))[:2]:
        assert at_once.terms(place) == one_by_one.terms(place)


def test_padding_that_a_size_as_that_of_x_needs_is_admitted() -> None:
    """Version 1 of Conv says "match the input": with a stride of 2 four windows may begin two cells before X."""
    call = Call("Conv", {"auto_pad": "SAME_UPPER", "strides": [2]},
                {"X": np.float32([[[1, 2, 3, 4]]]), "W": np.float32([[[1, 10, 100]]])})
    spec = load_spec("onnx/conv@1")
    assert not spec.divergences(call, {"Y": np.float32([[[100, 321, 43, 0]]])})
    assert spec.divergences(call, {"Y": np.float32([[[321, 43, 0, 0]]])})
