"""Convert arrays to and from JSON, large ones cropped around a focus."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from plumbline.oracle.choosing import element_type
from plumbline.oracle.type_names import STRING, is_of_strings, name_of
from plumbline.trial.record.parts import Tensor

WHOLE = 1024
"""Most elements of an array that is kept whole."""

MARGIN = 8
"""Elements that cropping keeps on either side of the focus, on the axes of its plane."""


def scalar(value: Any) -> int | float | str:
    """Return the shortest JSON number that reads back to the same value.

    "nan", "inf" and "-inf" are text; a string, and what is given in its place, is in the notation of Python, quoted
    and escaped."""
    if not isinstance(value, np.generic) or isinstance(value, str):
        return repr(value)
    if value.dtype.kind in "iub":
        return int(value)
    if value.dtype.kind == "c":
        return str(value)
    number = float(str(value))
    return number if np.isfinite(number) else str(number)


def to_tensor(array: np.ndarray, focus: tuple[int, ...] | None = None) -> Tensor:
    """Return an array, cropped if above `WHOLE` elements.

    Without a focus its beginning is kept; a focus beyond an axis, of another output, is its end. An empty array has no
    values, whatever its sizes."""
    shape, offset = list(array.shape), None
    if array.size > WHOLE:
        centre = focus if focus is not None and len(focus) == array.ndim else (0,) * array.ndim
        centre = tuple(min(place, size - 1) for place, size in zip(centre, shape, strict=True))
        margins = _margins(array.shape)
        offset = [max(place - margin, 0) for place, margin in zip(centre, margins, strict=True)]
        array = array[tuple(slice(start, place + margin + 1)
                            for start, place, margin in zip(offset, centre, margins, strict=True))]
    return Tensor(dtype=name_of(array.dtype), shape=shape, values=nested(array) if array.size else [], offset=offset)


def nested(array: np.ndarray) -> Any:
    """Return all values as nested lists of `scalar`."""
    if is_of_strings(array.dtype):
        return np.array([scalar(text) for text in array.reshape(-1).tolist()], object).reshape(array.shape).tolist()
    if array.dtype.kind in "iub":
        return (array.astype(np.uint8) if array.dtype.kind == "b" else array).tolist()
    if array.dtype in (np.float16, np.float32, np.float64) and np.isfinite(array).all():
        return array.astype(str).astype(np.float64).tolist()
    if array.ndim:
        return [nested(part) for part in array]
    element: Any = array[()]
    return scalar(element)


def values_of(tensor: Tensor | np.ndarray) -> Any:
    """Return the values as nested lists, special numbers as floats, strings as they are."""
    if isinstance(tensor, np.ndarray):
        return tensor.tolist() if is_of_strings(tensor.dtype) else from_values(nested(tensor))
    return strings(tensor.values, tensor.dtype) if are_strings(tensor.dtype) else from_values(tensor.values)


def are_strings(name: str) -> bool:
    """Return True for the name of a type of strings, of numpy in old records."""
    return name.startswith((STRING[:3], "object"))


def strings(values: Any, name: str) -> Any:
    """Return strings, nested, from those of a record; old records, and what is cut, have no notation."""
    if isinstance(values, list):
        return [strings(value, name) for value in values]
    try:
        return ast.literal_eval(values) if name == STRING else values
    except (SyntaxError, ValueError):
        return values


def from_values(value: Any) -> Any:
    """Return values of a record with special numbers as floats, and tensors that are attributes as arrays."""
    if isinstance(value, dict):
        return to_array(Tensor(**value))
    if isinstance(value, list):
        return [from_values(item) for item in value]
    return float(value) if value in ("inf", "-inf", "nan") else value


def written(value: Any) -> Any:
    """Return the value of an attribute as cases have it."""
    if not isinstance(value, np.ndarray):
        value = from_values(list(value) if isinstance(value, tuple) else value)
    if isinstance(value, np.ndarray):
        return {"dtype": name_of(value.dtype), "values": values_of(value)}
    return value


def to_array(tensor: Tensor) -> np.ndarray:
    """Return the array of a tensor that is kept whole."""
    if tensor.dtype.startswith("complex"):
        return np.array(tensor.values, dtype=str).astype(tensor.dtype).reshape(tensor.shape)
    dtype = np.dtype(object) if are_strings(tensor.dtype) else element_type(tensor.dtype)
    return np.array(values_of(tensor), dtype).reshape(tensor.shape)


def _margins(shape: tuple[int, ...]) -> list[int]:
    """Return the elements to keep by axis; the first axes count planes."""
    return [MARGIN if axis >= min(2, len(shape) - 2) else 0 for axis in range(len(shape))]
