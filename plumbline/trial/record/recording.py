"""Write, read and check files of records.

While a run writes `x.jsonl`, its lines are in `x.jsonl.part`. Each is flushed at once, so that a kill loses no finished
result. A record lists the results that were selected; it is whole when it has all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TextIO

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from plumbline.backends.foreign_text import one_line
from plumbline.oracle.clause import NAME
from plumbline.oracle.files import RECORD, read_text, rename_file
from plumbline.trial.record.header import Header
from plumbline.trial.record.lines import LINES, CaseLine, Footer, ResultKey
from plumbline.trial.record.parts import Part

try:
    import fcntl
except ImportError:  # on Windows nothing notices two runs with one folder
    fcntl = None  # type: ignore[assignment]

NAMED = 3
"""Missing results that a line names."""


class RecordError(ValueError):
    """A file that is no record, or cannot be written."""


def as_line(line: Part) -> str:
    """Return a line of a record as JSON."""
    return json.dumps(line.model_dump(exclude_defaults=True, by_alias=True), allow_nan=False)


class LineWriter(Protocol):
    """Takes the results of a run."""

    def case(self, line: CaseLine) -> None:
        """Write one result."""

    def line(self, verdict: str, text: str) -> None:
        """Write one result that is a line already."""

    def close(self, **footer: Any) -> None:
        """Finish the record."""


class MemoryWriter:
    """Keeps results in memory; there is no record."""

    def __init__(self) -> None:
        self.lines: list[CaseLine] = []

    def case(self, line: CaseLine) -> None:
        """Keep one result."""
        self.lines.append(line)

    def line(self, verdict: str, text: str) -> None:
        """Keep one result that is a line already."""
        self.lines.append(CaseLine.model_validate_json(text))

    def close(self, **footer: Any) -> None:
        """Do nothing."""


class RecordWriter:
    """Writes one record to `part`, and renames it at the end.

    Raises RecordError if the file cannot be written, or another run is writing it."""

    def __init__(self, path: Path, header: Header, part: Path | None = None) -> None:
        self.path = path
        self.part = part or path.with_name(f"{path.name}.part")
        self.counts: Counter[str] = Counter()
        self._digest = hashlib.sha256()
        with self._named():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = self.part.open("a", encoding="utf-8", newline="\n")
            self._alone()
            if os.fstat(self._file.fileno()).st_size:
                self._file.truncate(0)
        self._write(as_line(header))

    def case(self, line: CaseLine) -> None:
        """Write one result."""
        self.line(line.verdict, as_line(line))

    def line(self, verdict: str, text: str) -> None:
        """Write one result that is a line already."""
        self.counts[verdict] += 1
        self._write(text)

    def close(self, **footer: Any) -> None:
        """Write the footer with the counts by verdict, and rename the file.

        Raises RecordError also if the file is not what was written: the backend may be able to write there."""
        self._write(as_line(Footer(record="footer", **{"counts": dict(self.counts), **footer})))
        with self._named():
            if hashlib.sha256(self.part.read_bytes()).digest() != self._digest.digest():
                raise RecordError(f"{self.part}: was changed by somebody else while it was written")
            rename_file(self.part, self.path)
            self._file.close()

    def _alone(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(self._file.fileno()), self.part.stat()):
                raise BlockingIOError  # it has just taken its place
        except (BlockingIOError, FileNotFoundError):
            self._file.close()
            raise RecordError(f"{self.part}: another run is writing it; give this one a folder of its own") from None

    def _write(self, line: str) -> None:
        text = f"{line}\n"
        with self._named():
            self._file.write(text)
            self._file.flush()
        self._digest.update(text.encode())

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Turn an OSError into a RecordError that names the file."""
        try:
            yield
        except ValueError as error:  # a name that no file can have
            raise RecordError(f"{self.part}: {error}") from None
        except OSError as error:
            raise RecordError(f"{error.filename or self.part}: {error.strerror or error}") from None


@dataclass(frozen=True)
class Record:
    """A record as read. `footer` is None if the run did not end."""

    path: Path
    header: Header
    cases: list[CaseLine]
    footer: Footer | None

    @property
    def who(self) -> str:
        """Name and version of the backend."""
        return f"{self.header.backend.name} {self.header.backend.version}"

    @property
    def truncated(self) -> bool:
        """True if the footer is missing."""
        return self.footer is None

    @property
    def is_campaign(self) -> bool:
        """True if most results are only counted; see `trial.campaign.campaign_record`."""
        return self.header.campaign is not None

    @property
    def counts(self) -> Counter[str]:
        """Numbers of results by verdict, of campaigns all calls."""
        if self.is_campaign and self.footer is not None:
            return Counter(self.footer.counts)
        return Counter(line.verdict for line in self.cases)

    @property
    def chosen(self) -> int:
        """The number of selected results."""
        return self.header.selection.tried

    @property
    def reached(self) -> int:
        """The number of results in the record."""
        return self.counts.total()

    @cached_property
    def missing(self) -> list[ResultKey]:
        """The selected results without a line, if they are listed."""
        recorded = {line.key for line in self.cases}
        return [key for key in chosen(self.header) if key not in recorded] if not self.is_campaign else []

    @property
    def whole(self) -> bool:
        """True if the run ended and every selected result has its line."""
        return not self.incomplete

    @cached_property
    def incomplete(self) -> str:
        """A sentence on what is missing; "" for a whole record."""
        if self.reached < self.chosen or self.missing:
            named = [f"{key.spec} {key.id} [{key.form}]" for key in self.missing]
            more = f" and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
            return (f"{self.reached:,} of {self.chosen:,} results"
                    + (f"; not reached: {', '.join(named[:NAMED])}{more}" if named else ""))
        if self.reached > self.chosen and not self.is_campaign:
            return f"{self.reached:,} results, of {self.chosen:,} that the header counts: lines or header were changed"
        if self.footer is None:
            return f"{self.reached:,} of {self.chosen:,} results, but the record has no footer: the run did not end"
        if self.is_campaign:
            counted = sum(cause.lines for cause in self.footer.causes)
            return f"{len(self.cases)} of {counted} lines that the footer counts" if len(self.cases) != counted else ""
        if Counter(line.verdict for line in self.cases) != Counter(self.footer.counts):
            return "the footer counts other results than the lines: lines were changed"
        if self.footer.not_done:
            return f"not all of it could be done: {self.footer.not_done[0]}"
        return ""


def chosen(header: Header) -> Iterator[ResultKey]:
    """Yield the selected results; none in format 1."""
    for spec, forms in (header.selection.results or {}).items():
        for form, ids in forms.items():
            yield from (ResultKey(spec, name, form) for name in ids)


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read records. Raises RecordError."""
    return [read_record(path) for path in paths]


def read_record(path: Path) -> Record:
    """Read and check a record; a last line that is cut off is ignored. Raises RecordError."""
    try:
        raw = read_text(path, RECORD).split("\n")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    lines: list[Header | CaseLine | Footer] = []
    for number, text in enumerate(raw, 1):
        if text:
            try:
                lines.append(LINES.validate_json(text))
            except ValidationError as error:
                problems = error.errors(include_url=False, include_input=False)
                first = next((entry for entry in problems if entry["loc"][-1:] == ("format",)), problems[0])
                if first["type"] == "json_invalid" and number == len(raw) and lines:
                    break
                raise RecordError(f"{path}:{number}: {_described(first)}") from None
    if not lines or not isinstance(lines[0], Header):
        raise RecordError(f"{path}:1: a record begins with its header")
    header, last = lines[0], lines[-1]
    footer = last if isinstance(last, Footer) else None
    cases = [line for line in lines if isinstance(line, CaseLine)]
    if len(cases) != len(lines) - (1 if footer is None else 2):
        raise RecordError(f"{path}: a header or footer stands among the cases")
    record = Record(path, header, cases, footer)
    _check(record)
    return record


def _described(error: ErrorDetails) -> str:
    """Return a problem of a line in one sentence."""
    if error["type"] == "json_invalid":
        return "nested too deeply for a record" if "recursion" in error["msg"] else "not JSON"
    if error["type"].startswith("union_tag") or not error["loc"]:
        return "not a line of a record; 'record' is header, case or footer"
    if error["loc"][-1] == "format":
        return "of a format that this suite does not read"
    return one_line(f"{'.'.join(map(str, error['loc']))}: {error['msg']}")


def _check(record: Record) -> None:
    """Raise RecordError if lines contradict each other."""
    for name in record.header.specifications:
        if not NAME.fullmatch(name):
            raise RecordError(f"{record.path}:1: {name!r} is not the name of a specification, such as sonnx/maxpool")
    selected = set(chosen(record.header))
    numbers: dict[ResultKey, int] = {}
    for number, line in enumerate(record.cases, 1):
        at = f"{record.path}: case {number}"
        specification = record.header.specifications.get(line.spec)
        name = f"{line.spec} {line.id} [{line.form}]"
        if numbers.setdefault(line.key, number) != number:
            raise RecordError(f"{at}: {name} is already case {numbers[line.key]}")
        if specification is None:
            raise RecordError(f"{at}: specification {line.spec!r} is not in the header")
        for address in [*line.clauses, *(entry.clause for entry in line.divergences)]:
            if address not in specification.clauses:
                raise RecordError(f"{at}: clause {address!r} is not in the header")
        if selected and line.key not in selected:
            raise RecordError(f"{at}: {name} was not selected by this run")
    if record.footer is not None and record.is_campaign != (record.footer.calls is not None):
        raise RecordError(f"{record.path}: footer: calls are counted in campaigns, and in each of them")
