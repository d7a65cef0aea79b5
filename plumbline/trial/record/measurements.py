"""Figures of results, such as the largest error in ulp."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plumbline.trial.record.lines import CaseLine


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
