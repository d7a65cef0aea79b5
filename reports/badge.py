"""A record as a badge: the JSON that shields.io reads from an endpoint, and an SVG."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

from markupsafe import escape

from plumbline.reports.campaigns import counted
from plumbline.reports.findings import clause_rows
from plumbline.reports.wording import count
from plumbline.trial.record import Record

COLOURS = {"brightgreen": "#2f7d3b", "red": "#b3261e", "lightgrey": "#6b6b6b"}
"""The names that shields.io knows, and the colours of the SVG (white text on them has contrast enough)."""

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {message}">
<title>{label}: {message}</title>
<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_at}" y="14" textLength="{label_length}">{label}</text>
<text x="{message_at}" y="14" textLength="{message_length}">{message}</text>
</g>
</svg>
"""


def endpoint(record: Record, specifications: str = "*") -> dict[str, object]:
    """How many of the clauses on outputs that were judged are kept, over the specifications that match a glob. Raises
    LookupError when none does."""
    names = [name for name in record.header["specifications"] if fnmatchcase(name, specifications)]
    if not names:
        raise LookupError(f"{record.path}: no specification matches {specifications!r}")
    statuses = [row.status for name in names for row in clause_rows(record, name)
                if row.clause["judges"] == "outputs" and not row.clause["restates"]]
    kept, broken = statuses.count("conforms"), statuses.count("diverges")
    wrong = [line for line in record.cases if line["spec"] in names and line["verdict"] in ("rejects-valid", "crashes",
                                                                                           "hangs")]
    errors = any(line["verdict"] == "harness-error" for line in record.cases if line["spec"] in names)
    failed = f", {counted(record, wrong).total()} refused or failed" if wrong else ""
    message = f"{kept} of {count(kept + broken, 'clause')} kept{failed}"
    colour = "red" if broken or wrong else "brightgreen"
    selection = record.header["selection"]
    if record.truncated or errors or selection["tried"] < selection["of"] or not kept + broken:
        message, colour = f"{message}, incomplete", "lightgrey" if colour == "brightgreen" else colour
    label = specifications if specifications != "*" else f"{record.header['backend']['name']} conformance"
    return {"schemaVersion": 1, "label": label, "message": message, "color": colour}


def svg(badge: dict[str, object]) -> str:
    """The badge as a picture, its text fitted to its length."""
    label, message = str(badge["label"]), str(badge["message"])
    label_length, message_length = (round(6.4 * len(text)) for text in (label, message))
    left, right = label_length + 12, message_length + 12
    return SVG.format(label=escape(label), message=escape(message), colour=COLOURS[str(badge["color"])], left=left,
                      right=right, width=left + right, label_length=label_length, message_length=message_length,
                      label_at=left / 2, message_at=left + right / 2)


def write_badge(record: Record, folder: Path, specifications: str = "*") -> list[Path]:
    """Write both, named as the record is; returns their paths."""
    badge = endpoint(record, specifications)
    paths = [folder / f"{record.path.stem}.badge.json", folder / f"{record.path.stem}.badge.svg"]
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, (json.dumps(badge, indent=2) + "\n", svg(badge)), strict=True):
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return paths
