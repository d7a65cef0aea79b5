"""Symptoms of outputs that have the elements that they should have, along other axes.

Each function takes the definition of a call and a divergence from one clause, and returns True if the shape is as its
docstring says.
"""

from __future__ import annotations

import json
from math import prod
from typing import Any


def _shapes(entry: Any) -> tuple[list[int], list[int]] | None:
    """Return the shape that an output should have, and its own; None where it is not the shape that is wrong."""
    texts = (entry.expected, entry.got)
    if not all(isinstance(text, str) and text.startswith("[") for text in texts):
        return None
    expected, got = (json.loads(text) for text in texts)
    return expected, got


def _flattened(definition: Any, entry: Any) -> bool:
    """The output has its elements along one axis."""
    shapes = _shapes(entry)
    return shapes is not None and len(shapes[0]) != 1 and shapes[1] == [prod(shapes[0])]


def _axes_exchanged(definition: Any, entry: Any) -> bool:
    """The output has the axes that it should have, in another order."""
    shapes = _shapes(entry)
    return shapes is not None and sorted(shapes[0]) == sorted(shapes[1])


def _other_axes_of_one(definition: Any, entry: Any) -> bool:
    """The output has an axis of size 1 more or less than it should have, or at another place."""
    shapes = _shapes(entry)
    return shapes is not None and len({str([size for size in shape if size != 1]) for shape in shapes}) == 1


OF_AXES = {"flattened": _flattened, "axes-exchanged": _axes_exchanged, "other-axes-of-one": _other_axes_of_one}
"""Symptoms of outputs that have the elements that they should have, along other axes."""
