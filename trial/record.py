"""The record of a run: JSON Lines, header first, one line for each case and form, footer last.

Each line is written and flushed when its result is there, so that a kill loses nothing that was finished; a record
without a footer is truncated, and says so.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, TextIO

FORMAT = 1
"""Raised when a reader of the format before could not read a record."""


class RecordError(ValueError):
    """A file that is no record; the text says file, line and what is wrong."""


class RecordWriter:
    """Writes one record. The file is replaced when the header is written."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = path.open("w", encoding="utf-8")
        self._write({"record": "header", "format": FORMAT, **header})

    def case(self, line: dict[str, Any]) -> None:
        """One result."""
        self.counts[line["verdict"]] += 1
        self._write({"record": "case", **line})

    def close(self, **footer: Any) -> None:
        """The footer, with the counts by verdict."""
        self._write({"record": "footer", "counts": dict(self.counts), **footer})
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, allow_nan=False) + "\n")
        self._file.flush()


@dataclass(frozen=True)
class Record:
    """A record as read. `footer` is None when the run did not end."""

    path: Path
    header: dict[str, Any]
    cases: list[dict[str, Any]]
    footer: dict[str, Any] | None

    @property
    def truncated(self) -> bool:
        """Whether the run ended before its footer."""
        return self.footer is None

    @property
    def is_campaign(self) -> bool:
        """Whether most results are counted alone; see `trial.campaign_record`."""
        return "campaign" in self.header

    @property
    def counts(self) -> Counter[str]:
        """Results by verdict: of the lines, or of all calls of a campaign that ended."""
        if self.is_campaign and self.footer is not None:
            return Counter(self.footer["counts"])
        return Counter(line["verdict"] for line in self.cases)


def read_record(path: Path) -> Record:
    """Read a record; a last line cut in the middle is dropped. Raises RecordError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    lines: list[dict[str, Any]] = []
    raw = text.split("\n")
    for number, line in enumerate(raw, 1):
        if not line:
            continue
        try:
            lines.append(json.loads(line))
        except RecursionError:
            raise RecordError(f"{path}:{number}: nested too deeply for a record") from None
        except ValueError:
            if number == len(raw):
                break
            raise RecordError(f"{path}:{number}: not JSON") from None
        if not isinstance(lines[-1], dict) or lines[-1].get("record") not in ("header", "case", "footer"):
            raise RecordError(f"{path}:{number}: not a line of a record; 'record' is header, case or footer")
    if not lines or lines[0]["record"] != "header":
        raise RecordError(f"{path}:1: a record begins with its header")
    if lines[0].get("format") != FORMAT:
        raise RecordError(f"{path}:1: format {shortened(lines[0].get('format'))}; this suite reads format {FORMAT}")
    footer = lines[-1] if lines[-1]["record"] == "footer" else None
    return Record(path, lines[0], [line for line in lines if line["record"] == "case"], footer)
