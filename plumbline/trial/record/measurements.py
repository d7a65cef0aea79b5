"""What was measured on results, such as the largest error in ulp: figures that change no verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plumbline.trial.record.lines import CaseLine


def figures_of(line: CaseLine) -> dict[str, float]:
    """The figures of one result by name."""
    return {name: value for name, value in line.figures.items() if isinstance(value, float)}


def largest(lines: Iterable[CaseLine]) -> dict[str, dict[str, float]]:
    """By name of a figure and element type, the largest over some results."""
    found: dict[str, dict[str, float]] = {}
    for line in lines:
        for name, value in figures_of(line).items():
            of = found.setdefault(name, {})
            of[line.dtype] = max(value, of.get(line.dtype, value))
    return found


def in_words(figures: Mapping[str, Mapping[str, float]]) -> str:
    """What `largest` found, in a sentence; "" where nothing was measured.

    >>> in_words({"largest error in ulp": {"float32": 1.5234, "float16": 0.5}})
    'largest error in ulp: 0.5 of float16, 1.52 of float32'
    """
    return "; ".join(f"{name}: {', '.join(f'{value:.3g} of {dtype}' for dtype, value in sorted(of.items()))}"
                     for name, of in figures.items())
