"""Pictures other than grids: a table of marks, windows along one axis, which errors of a mean are accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle

from notebooks.drawing import (
    ACCENT,
    ACCENT_TINT,
    BAD,
    BAD_TINT,
    GOOD,
    GOOD_TINT,
    INK,
    KNOWN,
    KNOWN_TINT,
    LINE,
    MONO_WIDTH,
    PAPER,
    SANS_WIDTH,
    SOFT,
    Drawing,
    canvas,
    write,
)
from plumbline.oracle import Call, Spec

TONES = {"good": (GOOD, GOOD_TINT), "bad": (BAD, BAD_TINT), "known": (KNOWN, KNOWN_TINT), "plain": (INK, "white"),
         "": (SOFT, PAPER)}
"""Colours of a mark and of what lies behind it."""

ROW, LANE = 0.27, 0.2
Mark = tuple[str, str]
"""Text and tone."""


def table(columns: Sequence[str], rows: Mapping[str, Sequence[Mark]]) -> Drawing:
    """A mark for each row and column, in the colours of its tone."""
    label = max(map(len, rows)) * SANS_WIDTH + 0.1
    widths = [max(0.55, max(len(text) for text in [name, *(marks[at][0] for marks in rows.values())])
                  * SANS_WIDTH + 0.2)
              for at, name in enumerate(columns)]
    starts = label + np.concatenate([[0], np.cumsum(widths)])
    axes = canvas(float(starts[-1]), ROW * (len(rows) + 1))
    for name, start, width in zip(columns, starts, widths, strict=False):
        write(axes, start + width / 2, ROW / 2, name, colour=SOFT, align="center")
    for row, (name, marks) in enumerate(rows.items(), 1):
        write(axes, label - 0.1, (row + 0.5) * ROW, name, align="right")
        for (text, tone), start, width in zip(marks, starts, widths, strict=False):
            colour, behind = TONES[tone]
            axes.add_patch(Rectangle((start, row * ROW), width, ROW, facecolor=behind, edgecolor=LINE, linewidth=0.8))
            write(axes, start + width / 2, (row + 0.5) * ROW, text, colour=colour, align="center", bold=tone == "bad")
    words = [" | ".join(["", *columns]), *(" | ".join([name, *(text for text, _ in marks)])
                                           for name, marks in rows.items())]
    return Drawing(axes.figure, "\n".join(words))


def tracks(calls: Mapping[str, tuple[Spec, Call]]) -> Drawing:
    """One spatial axis, and below it for each label the windows that its specification lays over its call.

    X and its padding (hatched) are those of the first call; cells that some window reads behind them are dashed."""
    first = next(iter(calls.values()))[1]
    x, (begin, end) = first.inputs["X"], first.attributes.get("pads", (0, 0))
    found = {label: [spec.receptive_field(call, "Y", (0, 0, place))["X"][:, -1]
                     for place in range(spec.expected(call)["Y"].shape[-1])]
             for label, (spec, call) in calls.items()}
    every = [cell for taps in found.values() for window in taps for cell in window]
    low, high = min(-begin, *every), max(x.shape[-1] - 1 + end, *every)
    label_width, cell = max(map(len, calls)) * SANS_WIDTH + 0.15, 0.5
    lanes = {label: max(1, len(taps)) for label, taps in found.items()}
    height = 0.5 + sum(lanes.values()) * LANE + 0.18 * len(lanes)
    axes = canvas(label_width + (high - low + 1) * cell + 0.9, height)
    for at in range(low, high + 1):
        left, inside, beyond = label_width + (at - low) * cell, 0 <= at < x.shape[-1], at >= x.shape[-1] + end
        axes.add_patch(Rectangle((left, 0), cell, 0.32, facecolor="white" if inside else PAPER, edgecolor="#c9c2b2",
                                 hatch=None if inside or beyond else "////", linestyle="--" if beyond else "-",
                                 linewidth=0.8))
        axes.plot([left, left], [0.4, height], color=LINE, linewidth=0.6, zorder=0.5)
        if inside:
            write(axes, left + cell / 2, 0.16, f"{x[0, 0, at]:g}", align="center", mono=True)
    write(axes, label_width - 0.15, 0.16, "X and its padding", colour=SOFT, align="right")
    top, words = 0.5, ["X " + " ".join(f"{value:g}" for value in x[0, 0])]
    for label, taps in found.items():
        write(axes, label_width - 0.15, top + lanes[label] * LANE / 2, label, align="right")
        write(axes, label_width + (high - low + 1) * cell + 0.15, top + lanes[label] * LANE / 2,
              f"{len(taps)} window{'s' * (len(taps) != 1)}", colour=SOFT)
        for lane, window in enumerate(taps):
            left, right = window.min(), window.max() + 1
            axes.add_patch(Rectangle((label_width + (left - low) * cell + 0.03, top + lane * LANE + 0.02),
                                     (right - left) * cell - 0.06, LANE - 0.04, facecolor=ACCENT_TINT,
                                     edgecolor=ACCENT, linewidth=1.2))
        words.append(f"{label}: " + ", ".join(f"{window.min()}..{window.max()}" for window in taps))
        top += lanes[label] * LANE + 0.18
    return Drawing(axes.figure, "\n".join(words))


def accepted(errors: Sequence[float], limits: tuple[float, float], unit: str, seen: Mapping[str, float]) -> Drawing:
    """Which errors conform: the range of `limits` within that of `errors`, and errors seen, each under its name."""
    low, high = min(errors), max(errors)
    width, left = 6.0, max(map(len, seen)) * SANS_WIDTH + 0.2
    scale = width / (high - low)
    axes = canvas(left + width, 0.5 + ROW * (len(seen) + 1))
    axes.add_patch(Rectangle((left, 0.3), width, ROW * len(seen), facecolor=BAD_TINT, edgecolor="none"))
    axes.add_patch(Rectangle((left + (limits[0] - low) * scale, 0.3), (limits[1] - limits[0]) * scale, ROW * len(seen),
                             facecolor=GOOD_TINT, edgecolor=GOOD, linewidth=1.2))
    write(axes, left + ((limits[0] + limits[1]) / 2 - low) * scale, 0.12, "conforms", colour=GOOD, align="center")
    for row, (name, error) in enumerate(seen.items()):
        middle, place = 0.3 + (row + 0.5) * ROW, left + (error - low) * scale
        write(axes, left - 0.15, middle, name, align="right")
        inside = limits[0] <= error <= limits[1]
        axes.plot([place], [middle], marker="o" if inside else "X", color=GOOD if inside else BAD, markersize=7)
        text = f"{error:g}"
        away = 0.13 if place < left + width - 0.2 - len(text) * MONO_WIDTH else -0.13
        write(axes, place + away, middle, text, colour=SOFT, align="left" if away > 0 else "right", mono=True)
    foot = 0.3 + ROW * len(seen) + 0.16
    for at, align in ((low, "left"), (0, "center"), (high, "right")):
        write(axes, left + (at - low) * scale, foot, f"{at:+g}" if at else f"0 {unit}", colour=SOFT, align=align)
    words = [f"conforms from {limits[0]:g} to {limits[1]:g} {unit}",
             *(f"{name}: {error:g}" for name, error in seen.items())]
    return Drawing(axes.figure, "\n".join(words))
