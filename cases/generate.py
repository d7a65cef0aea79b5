"""Calls generated from a seed: windows drawn from all that the clauses allow on an axis, values that betray."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np

from cases.flags import flags_of
from cases.model import Case, Expectation
from oracle import Call, Spec, load_spec

LARGEST = {"size": 9, "kernel": 4, "stride": 4, "dilation": 3, "pad": 3}
"""The bound within which an axis is drawn."""

Axis = tuple[int, int, int, int, int, int]


@cache
def axes(spec_name: str) -> tuple[tuple[Axis, ...], ...]:
    """Every (size, kernel, stride, dilation, begin, end) within the bound that is inside the domain, in groups: plain,
    dilated, padded, both, and last those with a pad that reaches the kernel.

    The clauses speak of each spatial axis by itself, so that any two of these make a call inside the domain."""
    spec = load_spec(spec_name)
    ranges = [range(1, LARGEST[name] + 1) for name in ("size", "kernel", "stride", "dilation")]
    pad = range(LARGEST["pad"] + 1)
    groups: tuple[list[Axis], ...] = ([], [], [], [], [])
    for axis in product(*ranges, pad, pad):
        if not spec.violations(_call((axis, axis), _probe)):
            _, kernel, _, dilation, begin, end = axis
            reaches = max(begin, end) >= kernel
            groups[4 if reaches else (dilation > 1) + 2 * (begin + end > 0)].append(axis)
    return tuple(map(tuple, groups))


GROUP_WEIGHTS = (0.3, 0.2, 0.3, 0.17, 0.03)
"""How often each group of `axes` is drawn: by their numbers alone, hardly any axis would be plain."""


def _call(pair: tuple[Axis, Axis], values: Callable[[tuple[int, ...]], np.ndarray]) -> Call:
    sizes, kernel, strides, dilations, begin, end = (list(field) for field in zip(*pair, strict=True))
    attributes = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": dilations, "kernel_shape": kernel,
                  "pads": begin + end, "storage_order": 0, "strides": strides}
    return Call("MaxPool", attributes, {"X": values(tuple(sizes))})


def _probe(spatial: tuple[int, ...]) -> np.ndarray:
    return np.zeros((1, 1, *spatial), dtype=np.int8)


def _distinct(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Distinct while the type has room: a wrong index shows."""
    lowest = 0 if dtype.kind == "u" else -(np.prod(shape) // 2)
    return rng.permutation(np.arange(np.prod(shape)) + lowest).astype(dtype).reshape(shape)


def _ties(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Two values only: ties in every window."""
    return rng.integers(0, 2, shape).astype(dtype)


def _negative(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Below zero, or low where the type has no sign: padding with zero shows."""
    top = 100 if dtype.kind == "u" else 0
    return (top - rng.integers(1, 100, shape)).astype(dtype)


def _lowest(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Mostly the lowest value: a search that starts too high, or never sets the index, shows."""
    lowest = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
    return np.where(rng.random(shape) < 0.8, lowest, rng.integers(0, 5, shape)).astype(dtype)


def _extremes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The ends of the type and what lies beside them; infinities and zeros of both signs where it has them."""
    if dtype.kind == "f":
        info = np.finfo(dtype)
        pool = np.array([info.min, info.max, info.smallest_subnormal, -info.smallest_subnormal, 0.0, -0.0, np.inf,
                         -np.inf, 1, np.nextafter(dtype.type(1), dtype.type(2))], dtype=dtype)
    else:
        info = np.iinfo(dtype)
        pool = np.array([info.min, info.min + 1, info.max - 1, info.max], dtype=dtype)
    return rng.choice(pool, shape)


def _nan(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """NaN at a third of the places; for integers, ties."""
    if dtype.kind != "f":
        return _ties(rng, shape, dtype)
    return np.where(rng.random(shape) < 0.3, np.nan, rng.integers(-4, 5, shape)).astype(dtype)


VALUES = (_distinct, _distinct, _distinct, _ties, _negative, _lowest, _extremes, _nan)
DTYPES = ("float16", "float32", "float64", "int8", "uint8")


def generate_cases(spec_name: str, *, seed: int, count: int) -> Iterator[Case]:
    """`count` valid calls; case k depends on the seed and on k alone. Raises SpecError for an unknown specification."""
    spec = load_spec(spec_name)
    for number in range(count):
        yield _generate(spec, seed, number)


def _generate(spec: Spec, seed: int, number: int) -> Case:
    rng = np.random.default_rng([seed, number])
    allowed = axes(spec.name)
    groups = [allowed[int(group)] for group in rng.choice(len(allowed), 2, p=GROUP_WEIGHTS)]
    pair = tuple(group[int(rng.integers(len(group)))] for group in groups)
    dtype = np.dtype(DTYPES[int(rng.integers(len(DTYPES)))])
    values = VALUES[int(rng.integers(len(VALUES)))]
    planes = tuple(int(size) for size in rng.integers(1, 4, 2))
    call = _call(pair, lambda spatial: values(rng, planes + spatial, dtype))
    flags = flags_of(call)
    judged = tuple(clause.address for clause in spec.clauses.values()
                   if clause.judges == "outputs" and not clause.restates and _concerns(clause.section, dtype, flags))
    return Case(f"generated-{seed}-{number}", f"{values.__name__.strip('_')} values, {dtype.name}, drawn by seed",
                spec.name, spec.opset, call, Expectation(outputs=spec.expected(call)), judged,
                f"cases.generate_cases({spec.name!r}, seed={seed})", flags)


def _concerns(section: str, dtype: np.dtype, flags: tuple[str, ...]) -> bool:
    """Whether clauses of a section of the text speak of a call: a part for one kind of numbers is about that kind, its
    pads about padded calls, its Y and Indices (in the float part) about NaN."""
    kind, _, rest = section.partition(".")
    if kind not in ("float", "int"):
        return True
    return (kind == "float") == (dtype.kind == "f") and ("padded" if rest == "pads" else "nan") in flags
