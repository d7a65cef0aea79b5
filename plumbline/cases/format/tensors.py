"""Build tensors of cases from nested lists or named generators."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from plumbline.oracle.response import is_float
from plumbline.oracle.type_names import is_of_strings, no_string

LARGEST = 1 << 28
"""Bytes of a generated tensor, at 8 bytes an element: generators compute in float64."""


OF_TYPE = re.compile("(?P<sign>-?)(?P<name>max|min|tiny|normal)(?P<more>[+-][0-9]+|[*/][1-9][0-9]{0,3})?")
"""Names of values that depend on the type: its largest and lowest finite number, the smallest positive one and the
smallest normal one. Of integers, max-1 and the like are values too; of floating-point numbers, max/2 and tiny*3."""


class TensorError(ValueError):
    """A tensor that cannot be built; the message says what would be right."""


def _number(value: Any, dtype: np.dtype) -> complex | float | int | str:
    if dtype.kind == "c":
        return _complex(value)
    if is_of_strings(dtype):
        if not isinstance(value, str):
            raise TensorError(f"{value!r} is not a string; write {str(value)!r}")
        if why := no_string(np.array([value], object)):
            raise TensorError(why)
        return value
    if isinstance(value, str) and (name := OF_TYPE.fullmatch(value)):
        value = _of_type(name, dtype)
    elif isinstance(value, str):
        try:
            number = float.fromhex(value) if "0x" in value.lower() else float(value)
        except ValueError:
            raise TensorError(f"{value!r} is not a number; write 1.5, -.inf, .inf, .nan, -0.0 or hex text such as "
                              "'0x1.8p-3'") from None
        if np.isinf(number) and "inf" not in value.lower():
            raise TensorError(f"{value!r} is too large for {dtype.name}; write .inf where infinity is meant")
        value = number
    if dtype.kind == "b" and value in (0, 1):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TensorError(f"{value!r} is not a number")
    if dtype.kind == "b":
        raise TensorError(f"{value!r} is not a truth value; write true or false")
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if not np.isfinite(value) or value != int(value) or not bounds.min <= value <= bounds.max:
            raise TensorError(f"{value!r} is not of {dtype.name} ({bounds.min} to {bounds.max})")
        return int(value)
    with np.errstate(over="ignore"):
        if np.isfinite(value) and not np.isfinite(dtype.type(value)):
            raise TensorError(f"{value!r} is too large for {dtype.name}")
    if dtype.itemsize == 1 and value == value and dtype.type(value) != value:
        raise TensorError(f"{value!r} is not a value of {dtype.name}")
    return value


def _of_type(name: re.Match[str], dtype: np.dtype) -> float | int:
    more = name["more"] or "*1"
    if is_float(dtype) and more[0] in "*/":
        limits = finfo(dtype)
        number = {"max": limits.max, "min": limits.min, "tiny": limits.smallest_subnormal,
                  "normal": limits.smallest_normal}[name["name"]]
        times = Fraction(int(more[1:])) if more[0] == "*" else Fraction(1, int(more[1:]))
        try:
            return float(Fraction(float(number)) * times) * (-1 if name["sign"] else 1)
        except OverflowError:
            raise TensorError(f"{name[0]!r} is too large for {dtype.name}") from None
    if dtype.kind in "iu" and name["name"] in ("max", "min") and (name["more"] or "+")[0] not in "*/":
        limit = int(getattr(np.iinfo(dtype), name["name"]))
        return (-limit if name["sign"] else limit) + int(name["more"] or 0)
    raise TensorError(f"{name[0]!r} is no value of {dtype.name}")


def _complex(value: Any) -> complex:
    try:
        return complex(value)
    except (TypeError, ValueError):
        raise TensorError(f"{value!r} is not a complex number; write '1+2j'") from None


def is_number(text: str) -> bool:
    """Return whether a string reads as a number."""
    try:
        _number(text, np.dtype(np.float64))
    except TensorError:
        return False
    return True


def literal(value: Any, dtype: np.dtype) -> np.ndarray:
    """Return an array from nested lists, or from one number.

    Raises TensorError for ragged lists and for values outside the type."""
    def walk(item: Any) -> Any:
        return [walk(part) for part in item] if isinstance(item, list) else _number(item, dtype)
    try:
        # numpy's type of strings sees ragged lists, which a list of objects may be
        return np.array(walk(value), np.dtypes.StringDType() if is_of_strings(dtype) else dtype).astype(dtype)
    except ValueError as error:
        if isinstance(error, TensorError):
            raise
        raise TensorError("the nested lists are ragged: every list of a level needs the same length") from None


def _ramp(shape: tuple[int, ...], dtype: np.dtype, start: float = 0, step: float = 1) -> np.ndarray:
    return np.asarray(start + step * np.arange(prod(shape))).reshape(shape).astype(dtype)


def _constant(shape: tuple[int, ...], dtype: np.dtype, value: Any = 0) -> np.ndarray:
    return np.full(shape, np.array(_number(value, dtype), dtype))  # of a str numpy would drop NULs at the end


def _shuffled(shape: tuple[int, ...], dtype: np.dtype, seed: int = 0, start: float = 0) -> np.ndarray:
    return np.random.default_rng(seed).permutation(_ramp(shape, dtype, start).ravel()).reshape(shape)


def _normal(shape: tuple[int, ...], dtype: np.dtype, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


GENERATORS: dict[str, Callable[..., np.ndarray]] = {
    "ramp": _ramp, "constant": _constant, "shuffled": _shuffled, "normal": _normal}
"""ramp: start, start + step, ...; constant: one value; shuffled: a ramp from start, permuted by seed, all values
distinct; normal: standard normal by seed. All take a shape; values are cast to the case's dtype."""


def generated(name: str, shape: list[int], dtype: np.dtype, parameters: dict[str, Any]) -> np.ndarray:
    """Return an array from a named generator.

    Raises TensorError for a parameter that the generator does not take, and for a tensor that is too large."""
    check_size(shape)
    if is_of_strings(dtype) and name != "constant":
        raise TensorError(f"the generator {name!r} makes numbers; write the strings, or take 'constant'")
    if name == "normal" and not is_float(dtype):
        raise TensorError("the generator 'normal' makes floating-point values; take 'shuffled' for integers")
    try:
        array = GENERATORS[name](tuple(shape), dtype, **parameters)
    except TypeError:
        raise TensorError(f"the generator {name!r} does not take {', '.join(parameters)}") from None
    if dtype.kind in "iu" and name in ("ramp", "shuffled"):
        _number(parameters.get("start", 0), dtype)
        _number(int(parameters.get("start", 0) + parameters.get("step", 1) * max(array.size - 1, 0)), dtype)
    return array


def check_size(shape: list[int] | tuple[int, ...]) -> None:
    """Raise TensorError for a shape beyond `LARGEST`, before anything is made."""
    size = 8 * prod(shape)
    if size > LARGEST:
        raise TensorError(f"shape {list(shape)} takes {size:,} bytes at 8 an element; at most {LARGEST:,} are made")


_float_limits: Callable[[np.dtype], np.finfo[np.floating[Any]]] = ml_dtypes.finfo


def finfo(dtype: np.dtype) -> np.finfo[np.floating[Any]]:
    """Return the limits of a floating-point type, bfloat16 included."""
    return np.finfo(dtype) if dtype.kind == "f" and dtype.itemsize > 1 else _float_limits(dtype)
