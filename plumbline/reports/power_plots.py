"""Draw the map of errors of Pow as SVG without scripts.

Each backend has a panel, with bases to the right and exponents up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

from plumbline.reports.words import count
from plumbline.trial.accuracy.power_map import SIDE, BackendMap, PowerMap

CELL, LEFT, TOP, GAP, WIDTH = 3.4, 40, 118, 62, 520
PANEL = CELL * SIDE

LEVELS = (0.5, 1.0, 2.0, 4.0, 16.0)
"""The largest errors of colors, the last of which has no upper end."""

LIGHT = ("#dbe9f6", "#a6c8e4", "#6fa3d0", "#3f78b5", "#1f4e8c", "#0b2a55", "#d1350f")
DARK = ("#243447", "#2f5a80", "#3f83b5", "#63b0dd", "#a2d8f2", "#e9f8ff", "#ff8a5c")
"""Of errors, and at the end of a NaN, an infinity or a number in place of another of these."""

TICKS = ((-1, 15), (-1, 0), (-1, -14), (1, -14), (1, 0), (1, 15))
"""Signs and powers of two that axes name."""

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_plot(measured: PowerMap) -> str:
    """Return the SVG."""
    rows = (len(measured.backends) + 1) // 2
    height = TOP + rows * (PANEL + GAP)
    title = "Pow, float16: error in ulp over base and exponent"
    colors = ["".join(f"--k{number}:{color};" for number, color in enumerate(palette)) for palette in (LIGHT, DARK)]
    style = (f"svg{{--ink:#1d2430;--paper:#ffffff;{colors[0]}font:13px system-ui,sans-serif}}"
             f"@media(prefers-color-scheme:dark){{svg{{--ink:#e8ecf2;--paper:#161b22;{colors[1]}}}}}"
             "text{fill:var(--ink)}.paper{fill:var(--paper)}.frame{stroke:var(--ink);fill:none}"
             ".small{font-size:11.5px}.title{font-weight:600}"
             + "".join(f".k{number}{{fill:var(--k{number})}}" for number in range(len(LIGHT))))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
             f'height="{height:g}" role="img" aria-labelledby="t d"><title id="t">{title}</title>'
             f'<desc id="d">{escape(described_map(measured))}</desc><style>{style}</style>'
             f'<rect class="paper" width="{WIDTH}" height="{height:g}"/>',
             f'<text class="title" x="10" y="20">{title}</text>']
    parts += _legend()
    for number, entry in enumerate(measured.backends):
        parts += _panel(entry, LEFT + number % 2 * (PANEL + 38), TOP + number // 2 * (PANEL + GAP))
    return "".join([*parts, "</svg>\n"])


def described_map(measured: PowerMap) -> str:
    """Return in words what the map shows."""
    return (f"The largest error in each of {SIDE} by {SIDE} cells of a sign and binade, of "
            f"{count(measured.pairs, 'pair')} drawn with seed {measured.seed}. "
            f"{'; '.join(map(_note, measured.backends))}.")


def _note(entry: BackendMap) -> str:
    if not entry.ulp:
        return f"{entry.backend}: {entry.note}"
    largest = max((value for value in entry.ulp if value is not None), default=0.0)
    wrong = sum(entry.wrong)
    marked = f", and {count(wrong, 'pair')} with a NaN, infinity or number out of place" if wrong else ""
    return f"{entry.backend}: at most {largest:g} ulp{marked}"


def _legend() -> Iterator[str]:
    names = [f"≤ {level:g}" for level in LEVELS]
    x = 10.0
    for number, name in enumerate([*names, f"> {LEVELS[-1]:g} ulp"]):
        yield _key(x, 32, number, name)
        x += 74
    yield _key(10, 51, len(LEVELS) + 1, "a NaN, an infinity or a number where another of these is right")
    yield '<text class="small" x="10" y="80">No color: no pair has a real value in the range of the type.</text>'


def _key(x: float, y: float, number: int, name: str) -> str:
    return (f'<rect class="k{number}" x="{x:g}" y="{y}" width="12" height="12"/>'
            f'<text class="small" x="{x + 16:g}" y="{y + 10}">{name}</text>')


def _panel(entry: BackendMap, left: float, top: float) -> Iterator[str]:
    """Yield the SVG elements of a backend's panel, whose corner is at (left, top)."""
    yield f'<text class="small" x="{left:g}" y="{top - 6:g}">{escape(entry.backend)}</text>'
    paths: dict[int, list[str]] = {}
    for row in range(SIDE) if entry.ulp else ():
        colors = [_color(entry, _cell(column) * SIDE + _cell(row)) for column in range(SIDE)]
        column = 0
        for color, run in groupby(colors):
            length = len(list(run))
            if color is not None:
                paths.setdefault(color, []).append(f"M{column} {SIDE - 1 - row}h{length}v1h-{length}")
            column += length
    yield f'<g transform="translate({left:g} {top:g}) scale({CELL})">'
    yield from (f'<path class="k{color}" d="{"".join(runs)}"/>' for color, runs in sorted(paths.items()))
    yield f'</g><rect class="frame" x="{left:g}" y="{top:g}" width="{PANEL:g}" height="{PANEL:g}"/>'
    if not entry.ulp:
        yield f'<text class="small" x="{left + 8:g}" y="{top + 20:g}">{escape(entry.note[:34])}</text>'
    for sign, power in TICKS:
        place = (SIDE / 2 + sign * (power + 15) + (0.5 if sign > 0 else -0.5)) * CELL
        label = ("−" if sign < 0 else "") + ("1" if power == 0 else f"2{str(power).translate(SUPERSCRIPTS)}")
        nudge = 0 if power != -14 else 5 * sign
        yield (f'<text class="small" x="{left + place + 2 * nudge:g}" y="{top + PANEL + 14:g}" text-anchor="middle">'
               f'{label}</text>'
               f'<text class="small" x="{left - 4:g}" y="{top + PANEL - place + 4 - nudge:g}" text-anchor="end">'
               f'{label}</text>')
    yield (f'<text class="small" x="{left + PANEL / 2:g}" y="{top + PANEL + 30:g}" text-anchor="middle">base x; up: '
           'exponent y</text>')


def _cell(place: int) -> int:
    """The cell at a place on an axis, which goes from the smallest number to the largest."""
    return SIDE - 1 - place if place < SIDE // 2 else place - SIDE // 2


def _color(entry: BackendMap, cell: int) -> int | None:
    if entry.wrong[cell]:
        return len(LEVELS) + 1
    error = entry.ulp[cell]
    return None if error is None else sum(error > level + 1e-3 for level in LEVELS)
