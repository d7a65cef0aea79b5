"""What every picture of a notebook shares: a canvas measured in inches, colours, and the same said in words.

A picture is a PNG on paper of its own colour, which is as legible on a dark page as on a light one. Beside it stands
its text, for whoever does not see it, and for the test that compares what was drawn.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

PAPER, INK, SOFT, LINE = "#fcfbf8", "#1c1d21", "#5b5a55", "#dcd7cb"
GOOD, BAD, KNOWN, ACCENT = "#17633a", "#a3231a", "#745000", "#1d4e7e"
GOOD_TINT, BAD_TINT, KNOWN_TINT, ACCENT_TINT = "#e3f0e6", "#fbe5e1", "#fff0b5", "#dfe9f3"

DPI = 144
"""Dots of an inch; pages show half as many, so that a picture is sharp on a fine screen."""

COLOURS = 96
"""Of a picture: few are used, and a file of few is a fourth of the size."""

MARGIN = 0.18
MONO = {"family": "DejaVu Sans Mono", "size": 9}
SANS = {"family": "DejaVu Sans", "size": 8.5}
MONO_WIDTH, SANS_WIDTH = 0.0755, 0.069
"""Inches of a character: exact in the one, a mean in the other. Both fonts come with matplotlib."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, and what it shows in words; a notebook displays it."""

    figure: Figure
    words: str

    def _repr_mimebundle_(self, include: object = None,
                          exclude: object = None) -> tuple[dict[str, str], dict[str, Any]]:
        drawn, png = BytesIO(), BytesIO()
        self.figure.savefig(drawn, format="png", dpi=DPI)
        Image.open(drawn).convert("RGB").quantize(COLOURS).save(png, format="png", optimize=True)
        width, height = (round(inches * DPI / 2) for inches in self.figure.get_size_inches())
        return ({"image/png": base64.b64encode(png.getvalue()).decode(), "text/plain": self.words},
                {"image/png": {"width": width, "height": height}})


def canvas(width: float, height: float) -> Axes:
    """Axes without decoration, in inches from the upper left corner of a figure of that size; margins are added."""
    figure = Figure((width + 2 * MARGIN, height + 2 * MARGIN), facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-MARGIN, width + MARGIN)
    axes.set_ylim(height + MARGIN, -MARGIN)
    return axes


def write(axes: Axes, x: float, y: float, text: str, *, colour: str = INK, align: str = "left", mono: bool = False,
          bold: bool = False) -> None:
    """Text whose middle line is at `y`."""
    axes.text(x, y, text, color=colour, ha=align, va="center_baseline", fontweight="bold" if bold else "normal",
              parse_math=False, **(MONO if mono else SANS))
