"""Plot measured errors in ulp over inputs by exponent, as SVG.

One panel has the inputs above zero, another those below. The axis of errors is logarithmic. Where a NaN, an infinity or
a number is given in place of another kind, a mark stands above the panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from plumbline.backends.worker import element_type
from plumbline.oracle.rounding import PRECISION, exponent
from plumbline.reports.words import count
from plumbline.trial.accuracy.inputs import LOW_BITS
from plumbline.trial.accuracy.measurement import Measurement, Series

WIDTH, LEFT, RIGHT = 520, 58, 12
PANEL, ROW, GAP = 170, 17, 44
"""Heights of a panel, of a line of text, and of what stands between panels."""

LOWEST = 0.1
"""Errors below it are drawn at it."""

LEAST_TOP, MOST_TOP = 100.0, 1e9
"""The axis of errors reaches at least up to the first, and never beyond the second, where larger errors are drawn."""

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

MARK = "a NaN, an infinity or a number where another of these is right"

DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2 1 2 1 2", "1 4")
"""Of the lines of backends, so that color alone tells nothing apart."""

LIGHT = ("#0b5cad", "#b3400a", "#0f7a4f", "#8a2be2", "#8a6d00", "#5b6470")
DARK = ("#74b9ff", "#ff9d66", "#5fd6a2", "#d0a5ff", "#e6c84f", "#b6c0cc")


def _style() -> str:
    def colors(ink: str, paper: str, faint: str, lines: Sequence[str]) -> str:
        return f"--ink:{ink};--paper:{paper};--faint:{faint};" + "".join(
            f"--c{number}:{color};" for number, color in enumerate(lines))
    rules = "".join(f".c{number}{{stroke:var(--c{number})}}" for number in range(len(LIGHT)))
    return (f"svg{{{colors('#1d2430', '#ffffff', '#d5dae1', LIGHT)}font:13px system-ui,sans-serif}}"
            f"@media(prefers-color-scheme:dark){{svg{{{colors('#e8ecf2', '#161b22', '#3b4452', DARK)}}}}}"
            "text{fill:var(--ink)}.paper{fill:var(--paper)}.grid{stroke:var(--faint)}"
            ".frame{stroke:var(--ink);fill:none}.line{fill:none;stroke-width:1.7}"
            f".bound{{stroke:var(--ink);stroke-width:1.3}}.small{{font-size:11.5px}}.title{{font-weight:600}}{rules}")


def ulp_plot(measurement: Measurement) -> str:
    """Return the SVG of a measurement."""
    shown = [series for series in measurement.series if series.ulp]
    halves = [half for half in (0, 1) if any(_has(series, half) for series in shown)]
    bounds = _levels(measurement)
    strip = 8 * len(shown)  # above a panel, a row of marks for each backend
    rows = [f"{series.backend}: {_note(series)}" for series in measurement.series]
    has_marks = any(series.wrong for series in shown)
    top = 30 + ROW * (len(rows) + len(bounds) + has_marks) + 10
    high = _top(shown, bounds)
    height = top + sum(strip + PANEL + GAP for _ in halves) + 12
    title = titled(measurement)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" role="img" aria-labelledby="t d"><title id="t">{escape(title)}</title>'
             f'<desc id="d">{escape(described(measurement))}</desc><style>{_style()}</style>'
             f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
             _text(10, 20, title, "title")]
    y = 30.0
    for number, row in enumerate(rows):
        y += ROW
        parts += [_line(10, y - 4, 40, y - 4, f"line {_color(number)}", _dash(number)), _text(47, y, row, "small")]
    for place, (level, names) in enumerate(bounds):
        y += ROW
        parts += [_line(10, y - 4, 40, y - 4, "bound", _bound_dash(place)),
                  _text(47, y, f"bound of {', '.join(names)}: {level:g} ulp", "small")]
    if has_marks:
        parts.append(_text(10, y + ROW, f"×  {MARK}", "small"))
    y = float(top)
    for half in halves:
        parts += _panel(measurement, shown, half, y + strip, high, bounds)
        y += strip + PANEL + GAP
    return "".join([*parts, "</svg>\n"])


def titled(measurement: Measurement) -> str:
    """Return the title of the plot."""
    return f"{measurement.function}, {measurement.dtype}: error in ulp over x"


def described(measurement: Measurement) -> str:
    """Return in words what the plot shows."""
    of_backends = "; ".join(f"{series.backend}: {_note(series)}" for series in measurement.series)
    return f"{titled(measurement)}. {of_backends}. × is {MARK}."


def _note(series: Series) -> str:
    """The largest error of a backend, or why there is none."""
    if not series.ulp:
        return series.note if len(series.note) < 60 else f"{series.note[:57]}..."
    wrong = sum(entry.count for entry in series.wrong.values())
    largest = f"at most {series.largest.ulp:g} ulp, at x = {series.largest.x}" if series.largest else "no real value"
    return largest + (f"; × at {count(wrong, 'input')}" if wrong else "")


def _has(series: Series, half: int) -> bool:
    """True if something was measured on inputs of one sign, besides those of zero."""
    middle = len(series.ulp) // 2
    return any(value is not None for value in series.ulp[half * middle + 1:(half + 1) * middle]) or \
        any(int(bucket) // middle == half for bucket in series.wrong)


def _levels(measurement: Measurement) -> list[tuple[float, list[str]]]:
    """The bounds of profiles, the lowest first, those of one level together."""
    found: dict[float, list[str]] = {}
    for profile, level in measurement.bounds.items():
        found.setdefault(level, []).append(profile)
    return sorted(found.items())


def _top(shown: Sequence[Series], bounds: list[tuple[float, list[str]]]) -> float:
    values = [value for series in shown for value in series.ulp if value is not None]
    highest = max([LEAST_TOP, *values, *(2 * level for level, _ in bounds)])
    return min(float(10.0 ** ceil(log10(highest))), MOST_TOP)


def _panel(measurement: Measurement, shown: Sequence[Series], half: int, y: float, high: float,
           bounds: list[tuple[float, list[str]]]) -> Iterator[str]:
    """Yield the SVG elements of the panel with the inputs of one sign.

    shown:  the series that have a row of marks above the panel.
    half:   0 for inputs above zero, 1 for those below.
    y:      coordinate of the upper edge.
    high:   the largest error of the axis, in ulp.
    bounds: levels in ulp, each with the names of the profiles that have it."""
    buckets = 1 << (8 * element_type(measurement.dtype).itemsize - LOW_BITS[measurement.dtype] - 1)
    step = (WIDTH - LEFT - RIGHT) / buckets

    def height(ulp: float) -> float:
        share = log10(min(max(ulp, LOWEST), high) / LOWEST) / log10(high / LOWEST)
        return round(y + PANEL * (1 - share), 1)

    decades = round(log10(high / LOWEST))
    for power in range(0, decades + 1, 1 if decades < 6 else 2):
        level = LOWEST * 10.0**power
        yield _line(LEFT, height(level), WIDTH - RIGHT, height(level), "grid")
        label = f"{level:g}" if level < 1e4 else f"10{str(round(log10(level))).translate(SUPERSCRIPTS)}"
        sign = "≤ " if power == 0 else "≥ " if level >= MOST_TOP else ""
        yield _text(LEFT - 6, height(level) + 4, sign + label, "small", "end")
    for place, label in _ticks(measurement.dtype):
        x = round(LEFT + place * step, 1)
        yield _line(x, y, x, y + PANEL + 4, "grid")
        yield _text(x, y + PANEL + 17, f"−{label}" if half else label, "small", "middle")
    for place, (level, _) in enumerate(bounds):
        yield _line(LEFT, height(level), WIDTH - RIGHT, height(level), "bound", _bound_dash(place))
    yield f'<rect class="frame" x="{LEFT}" y="{y:g}" width="{WIDTH - LEFT - RIGHT}" height="{PANEL}"/>'
    side = "x below zero" if half else "x above zero"
    yield _text((WIDTH + LEFT) / 2, y + PANEL + 33, f"{side}, by exponent", "small", "middle")
    yield (f'<text class="small" text-anchor="middle" transform="translate(12 {y + PANEL / 2:g}) rotate(-90)">'
           "error in ulp</text>")
    for number, series in enumerate(measurement.series):
        if series.ulp:
            values = series.ulp[half * buckets:(half + 1) * buckets]
            path = "".join(_steps([None if value is None else height(value) for value in values], step))
            if path:
                yield f'<path class="line {_color(number)}" d="{path}"{_dash(number)}/>'
            row = y - 5 - 8 * (len(shown) - 1 - shown.index(series))
            marks = "".join(f"M{LEFT + (int(bucket) - half * buckets + .5) * step - 2.5:.1f} {row - 2.5:g}l5 5m-5 0l5-5"
                            for bucket in series.wrong if int(bucket) // buckets == half)
            if marks:
                yield f'<path class="line {_color(number)}" d="{marks}"/>'


def _steps(heights: Sequence[float | None], step: float) -> Iterator[str]:
    """The path of a line of steps, broken where there is no height."""
    before: float | None = None
    for place, value in enumerate(heights):
        x = round(LEFT + place * step, 1)
        if value is not None and value != before:
            yield f"M{x:g} {value:g}" if before is None else f"H{x:g}V{value:g}"
        if value is None and before is not None:
            yield f"H{x:g}"
        before = value
    if before is not None:
        yield f"H{round(LEFT + len(heights) * step, 1):g}"


def _ticks(dtype: str) -> Iterator[tuple[float, str]]:
    """The places of powers of two in buckets, and how they are written."""
    u, _, largest = PRECISION[dtype]
    highest, every = largest.numerator.bit_length() - 1, {"float16": 5, "float64": 400}.get(dtype, 40)
    digits, bias = -exponent(u), highest
    for power in range(-every * floor(highest / every), highest + 1, every):
        bits = (power + bias) << (digits - 1)
        if power + bias > 0:
            yield bits / (1 << LOW_BITS[dtype]), "1" if power == 0 else f"2{str(power).translate(SUPERSCRIPTS)}"


def _color(number: int) -> str:
    return f"c{number % len(LIGHT)}"


def _dash(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _bound_dash(place: int) -> str:
    return f' stroke-dasharray="{("1 2", "5 5", "12 4")[place % 3]}"'


def _line(x: float, y: float, to_x: float, to_y: float, css: str, more: str = "") -> str:
    return f'<path class="{css}" d="M{x:g} {y:g}L{to_x:g} {to_y:g}"{more}/>'


def _text(x: float, y: float, text: str, css: str, anchor: str = "") -> str:
    more = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{css}" x="{x:g}" y="{y:g}"{more}>{escape(text)}</text>'
