"""Apply updates of elements in exact arithmetic, rounded once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from plumbline.oracle.reference.exact import number, product, rounded, total, wrapped

Place = tuple[int, ...]


def scattered(data: np.ndarray, updates: Iterable[tuple[Place, Any]], reduction: str) -> np.ndarray:
    """A copy of data with its updates, in the order given; the last one counts where there is no reduction."""
    of_place: dict[Place, list[Any]] = {}
    for place, update in updates:
        of_place.setdefault(place, [data[place]]).append(update)
    output = data.copy()
    for place, elements in of_place.items():
        if reduction == "none" or data.dtype.kind in "bO" or data.dtype.kind == "c" and reduction != "add":
            output[place] = elements[-1]
        elif data.dtype.kind == "c":
            real, imaginary = ([getattr(element, part) for element in elements] for part in ("real", "imag"))
            parts = np.empty(2, real[0].dtype)
            parts[0], parts[1] = (_reduced(part, reduction, parts.dtype) for part in (real, imaginary))
            output[place] = parts.view(data.dtype)[0]
        else:
            output[place] = _reduced(elements, reduction, data.dtype)
    return output


def _reduced(elements: list[Any], reduction: str, dtype: np.dtype) -> Any:
    """Return an element combined with its updates by "max", "min", "add" or "mul"."""
    if reduction in ("max", "min"):
        if any(element != element for element in elements):
            return dtype.type(np.nan)
        best = elements[0]
        for element in elements[1:]:
            if element > best if reduction == "max" else element < best:
                best = element
        return best
    if dtype.kind in "iu":
        result = int(elements[0])
        for element in elements[1:]:
            result = result + int(element) if reduction == "add" else result * int(element)
        return wrapped(result, dtype)
    if reduction == "add":
        return rounded(total(number(element) for element in elements), dtype)
    factor = number(elements[0])
    for element in elements[1:]:
        factor = product(factor, number(element))
    return rounded(factor, dtype)
