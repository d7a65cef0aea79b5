"""Arrays as a record keeps them: type, shape, values as JSON numbers or texts; large ones cropped around a focus."""

from __future__ import annotations

from typing import Any

import numpy as np

WHOLE = 1024
"""Elements up to which an array is kept whole."""

MARGIN = 8
"""Elements kept on either side of the focus, on each spatial axis, when it is not."""


def scalar(value: np.generic) -> int | float | str:
    """A JSON number that reads back to the same value, shortest form; "nan", "inf" and "-inf" as text."""
    if value.dtype.kind in "iub":
        return int(value)
    number = float(str(value))
    return number if np.isfinite(number) else str(number)


def to_json(array: np.ndarray, focus: tuple[int, ...] | None = None) -> dict[str, Any]:
    """`{"dtype", "shape", "values"}`, and `"offset"` when cropped: the coordinates of the first value kept."""
    kept = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.size > WHOLE:
        centre = focus if focus is not None and len(focus) == array.ndim else (0,) * array.ndim
        low = [max(place - (MARGIN if axis > 1 else 0), 0) for axis, place in enumerate(centre)]
        high = [place + (MARGIN if axis > 1 else 0) + 1 for axis, place in enumerate(centre)]
        array = array[tuple(slice(start, stop) for start, stop in zip(low, high, strict=True))]
        kept["offset"] = low
    return {**kept, "values": nested(array)}


def nested(array: np.ndarray) -> Any:
    """All values as nested lists."""
    return [nested(part) for part in array] if array.ndim else scalar(array[()])
