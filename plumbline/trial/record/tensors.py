"""Arrays as a record keeps them: type, shape, values as JSON numbers or texts; large ones cropped around a focus."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.choosing import element_type
from plumbline.trial.record.parts import Tensor

WHOLE = 1024
"""Elements up to which an array is kept whole."""

MARGIN = 8
"""Elements kept on either side of the focus, on each axis of its planes, when an array is cropped."""


def scalar(value: np.generic) -> int | float | str:
    """A JSON number that reads back to the same value, shortest form; "nan", "inf", "-inf" and strings as text."""
    if isinstance(value, str | bytes) or value.dtype.kind in "US":
        return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
    if value.dtype.kind in "iub":
        return int(value)
    if value.dtype.kind == "c":
        return str(value)
    number = float(str(value))
    return number if np.isfinite(number) else str(number)


def to_tensor(array: np.ndarray, focus: tuple[int, ...] | None = None) -> Tensor:
    """An array of any shape; of more than `WHOLE` elements what is around the focus, or the beginning; of none no
    values, whatever the other sizes are: a backend may leave these unwritten."""
    shape, offset = list(array.shape), None
    if array.size > WHOLE:
        centre = focus if focus is not None and len(focus) == array.ndim else (0,) * array.ndim
        margins = _margins(array.shape)
        offset = [max(place - margin, 0) for place, margin in zip(centre, margins, strict=True)]
        array = array[tuple(slice(start, place + margin + 1)
                            for start, place, margin in zip(offset, centre, margins, strict=True))]
    return Tensor(dtype=array.dtype.name, shape=shape, values=nested(array) if array.size else [], offset=offset)


def nested(array: np.ndarray) -> Any:
    """All values as nested lists, each as `scalar` gives it."""
    if array.dtype.kind == "O":  # texts
        return array.tolist()
    if array.dtype.kind in "iub":
        return (array.astype(np.uint8) if array.dtype.kind == "b" else array).tolist()
    if array.dtype in (np.float16, np.float32, np.float64) and np.isfinite(array).all():
        return array.astype(str).astype(np.float64).tolist()
    return [nested(part) for part in array] if array.ndim else scalar(array[()])


def from_values(value: Any) -> Any:
    """The values of a record with special numbers as floats: a repr of lists of them is Python again."""
    if isinstance(value, list):
        return [from_values(item) for item in value]
    return float(value) if value in ("inf", "-inf", "nan") else value


def to_array(tensor: Tensor) -> np.ndarray:
    """The array that a record keeps whole."""
    if tensor.dtype.startswith("complex"):
        return np.array(tensor.values, dtype=str).astype(tensor.dtype).reshape(tensor.shape)
    values = tensor.values if tensor.dtype.startswith(("str", "object")) else from_values(tensor.values)
    return np.array(values, dtype=element_type(tensor.dtype)).reshape(tensor.shape)


def _margins(shape: tuple[int, ...]) -> list[int]:
    """None on the first axes, which number planes."""
    return [MARGIN if axis >= min(2, len(shape) - 2) else 0 for axis in range(len(shape))]
