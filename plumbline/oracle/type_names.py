"""Names of element types, and tensors of strings.

numpy composes the name of a type anew each time it is asked, and the suite asks many times a call. A tensor of strings
is an array of objects, each a `str`: numpy's own types of strings drop NULs at the end, or cannot be in a buffer.
"""

from __future__ import annotations

from functools import cache

import numpy as np

STRING = "string"
"""The name of the element type of strings."""

LONGEST = 40
"""Characters of a string that are shown."""


@cache
def name_of(dtype: np.dtype) -> str:
    """Return what numpy and ml_dtypes call an element type, and ONNX that of strings.

    >>> name_of(np.dtype(np.float32)), name_of(np.dtype(object))
    ('float32', 'string')
    """
    return STRING if is_of_strings(dtype) else dtype.name


def is_of_strings(dtype: np.dtype) -> bool:
    """Return True for the types that numpy has for strings, `object` among them."""
    return dtype.kind in "OUST"


def as_objects(array: np.ndarray) -> np.ndarray:
    """Return strings of any type of numpy as objects, bytes decoded; another array as it is."""
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8", "surrogateescape").astype(object)
    return array.astype(object) if array.dtype.kind in "UT" else array


def no_string(array: np.ndarray) -> str | None:
    """Return why an array of objects is no tensor of strings, or None.

    Elements of a tensor of strings are Unicode in UTF-8 (onnx.proto), which cannot encode surrogates."""
    for element in array.reshape(-1).tolist():
        if not isinstance(element, str):
            return f"{shown(element)}, which is not a string"
        if not element.isascii() and any("\ud800" <= character <= "\udfff" for character in element):
            return f"{shown(element)}, which has a surrogate, and UTF-8 has none"
    return None


def shown(element: object) -> str:
    """Return an element as text; of a string its beginning, quoted and escaped.

    >>> print(shown("a\\0"), shown(1.5))
    'a\\x00' 1.5
    """
    if not isinstance(element, str):
        return f"{element}"  # str() of a bfloat16 is another
    return repr(element) if len(element) <= LONGEST else f"{element[:LONGEST]!r}... ({len(element)} characters)"


def bytes_of(array: np.ndarray) -> bytes:
    """Return the elements in the order of rows; of strings, their text."""
    return repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()


def blank(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return zeros, of strings empty ones."""
    return np.full(shape, "", dtype) if is_of_strings(dtype) else np.zeros(shape, dtype)
