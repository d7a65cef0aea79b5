"""Collect and describe figures of results, such as the error in ulp."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.trial.record.lines import CaseLine

LARGEST_ERROR, ALLOWED_ERROR, ULPS = "largest error", "largest error allowed", "largest error in ulp"
"""Names of figures."""

DECIDED, ELEMENTS = "decided elements", "elements"
"""Names of the numbers of elements of a node's outputs: those that are decided, and all. Integers, not measurements."""

MANY_ULPS = 16
"""Units in the last place that are noise where a bound is known: only numbers far below the bound have so many."""


def share_name(profile: str) -> str:
    """Return the name of the largest error as a share of what an accuracy profile allows."""
    return f"largest error, of what {profile} allows"


def error_in_words(line: CaseLine) -> str:
    """Describe the largest error of a result against what is allowed, and other figures; "" without figures.

    Units in the last place are shown where they mean something: below as many as a number of the type has, and below
    `MANY_ULPS` where the error is measured against a bound."""
    figures = figures_of(line)
    error, allowed = figures.pop(LARGEST_ERROR, None), figures.pop(ALLOWED_ERROR, None)
    parts = [] if error is None else [f"largest error {error:.3g}" + (
        f", {error / allowed:.2g} of what is allowed" if allowed else "")]
    if error is not None and figures.get(ULPS, 0.0) >= (MANY_ULPS if allowed else _ulps_of_one(line.dtype)):
        del figures[ULPS]
    return "; ".join([*parts, *(f"{name} {value:.4g}" for name, value in figures.items())])


def decided_elements(line: CaseLine) -> tuple[int, int]:
    """Return how many elements of a node's outputs are decided, and how many there are; (0, 0) if not recorded."""
    return int(line.figures.get(DECIDED, 0)), int(line.figures.get(ELEMENTS, 0))


def _ulps_of_one(dtype: str) -> float:
    """Return how many units in the last place a normal number has at least; infinity for other types."""
    try:
        return float(1 / finfo(np.dtype(dtype)).eps)
    except (TypeError, ValueError):
        return float("inf")


def figures_of(line: CaseLine) -> dict[str, float]:
    """Return the figures of one result by name."""
    return {name: value for name, value in line.figures.items() if isinstance(value, float)}


def largest(lines: Iterable[CaseLine]) -> dict[str, dict[str, float]]:
    """Return the largest figures of some results, by name and element type."""
    maxima: dict[str, dict[str, float]] = {}
    for line in lines:
        for name, value in figures_of(line).items():
            by_dtype = maxima.setdefault(name, {})
            by_dtype[line.dtype] = max(value, by_dtype.get(line.dtype, value))
    return maxima


def in_words(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Describe the figures of `largest` in one line, "" if there are none.

    >>> in_words({"largest error in ulp": {"float32": 1.5234, "float16": 0.5}})
    'largest error in ulp: 0.5 of float16, 1.52 of float32'
    """
    return "; ".join(f"{name}: {', '.join(f'{value:.3g} of {dtype}' for dtype, value in sorted(by_dtype.items()))}"
                     for name, by_dtype in figures.items())
