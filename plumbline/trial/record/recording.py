"""The file of a record: written line by line beside its place and renamed when the run ends; read, and checked whole.

While a run writes `x.jsonl` the lines are in `x.jsonl.part`, each flushed when its result is there, so that a kill
loses nothing that was finished. A record says which results were chosen; it is whole when it has all of them.
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
from typing import Any, TextIO

from pydantic import ValidationError

from plumbline.oracle.clause import NAME
from plumbline.oracle.files import RECORD, read_text, rename_file
from plumbline.trial.record.lines import LINES, CaseLine, Footer, Header, Part, ResultKey

try:
    import fcntl
except ImportError:  # where there are no such locks, two runs into one folder are told apart by nothing
    fcntl = None

NAMED = 3
"""Results that were not reached, named in one line."""


class RecordError(ValueError):
    """A file that is not a record, or cannot be written; the text says file, place in it and what is wrong."""


def as_line(line: Part) -> str:
    """A line of a record as JSON."""
    return json.dumps(line.model_dump(exclude_defaults=True, by_alias=True), allow_nan=False)


class RecordWriter:
    """Writes one record, until it is whole to `part`, by default NAME.part beside it. Raises RecordError where the file
    cannot be written, or another run is writing it."""

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
        """One result."""
        self.line(line.verdict, as_line(line))

    def line(self, verdict: str, text: str) -> None:
        """One result, as the line that it comes to."""
        self.counts[verdict] += 1
        self._write(text)

    def close(self, **footer: Any) -> None:
        """The footer, with the counts by verdict; then the record takes its place. Raises RecordError, too, where the
        file is not what was written: whoever is judged may be able to write there."""
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
        """Say which file it is that could not be written. Raises RecordError for an OSError."""
        try:
            yield
        except OSError as error:
            raise RecordError(f"{error.filename or self.part}: {error.strerror or error}") from None


@dataclass(frozen=True)
class Record:
    """A record as read. `footer` is None when the run did not end."""

    path: Path
    header: Header
    cases: list[CaseLine]
    footer: Footer | None

    @property
    def who(self) -> str:
        """The backend with its version."""
        return f"{self.header.backend.name} {self.header.backend.version}"

    @property
    def truncated(self) -> bool:
        """Whether the run ended before its footer."""
        return self.footer is None

    @property
    def is_campaign(self) -> bool:
        """Whether most results are counted alone; see `trial.campaign_record`."""
        return self.header.campaign is not None

    @property
    def counts(self) -> Counter[str]:
        """Results by verdict: of the lines, or of all calls of a campaign that ended."""
        if self.is_campaign and self.footer is not None:
            return Counter(self.footer.counts)
        return Counter(line.verdict for line in self.cases)

    @property
    def chosen(self) -> int:
        """How many results were to be had."""
        return self.header.selection.tried

    @property
    def reached(self) -> int:
        """How many of them the record has."""
        return self.counts.total()

    @cached_property
    def missing(self) -> list[ResultKey]:
        """The results that were chosen and not reached, as far as the record names what was chosen."""
        seen = {line.key for line in self.cases}
        return [key for key in chosen(self.header) if key not in seen] if not self.is_campaign else []

    @property
    def whole(self) -> bool:
        """Whether the run ended, and every result that was chosen has its line."""
        return not self.incomplete

    @cached_property
    def incomplete(self) -> str:
        """What is missing, in one sentence; "" for a whole record."""
        if self.reached < self.chosen or self.missing:
            named = [f"{key.spec} {key.id} [{key.form}]" for key in self.missing]
            more = f" and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
            return (f"{self.reached:,} of {self.chosen:,} results"
                    + (f"; not reached: {', '.join(named[:NAMED])}{more}" if named else ""))
        if self.footer is None:
            return f"{self.reached:,} of {self.chosen:,} results, but the record has no footer: the run did not end"
        if self.is_campaign:
            kept = sum(cause.lines for cause in self.footer.causes)
            return f"{len(self.cases)} of {kept} lines that the footer counts" if len(self.cases) != kept else ""
        if Counter(line.verdict for line in self.cases) != Counter(self.footer.counts):
            return "the footer counts other results than the lines: lines were changed"
        if self.footer.not_done:
            return f"not all of it could be done: {self.footer.not_done[0]}"
        return ""


def chosen(header: Header) -> Iterator[ResultKey]:
    """The results that a run was to have, specification by specification; none for a record of format 1."""
    for spec, forms in (header.selection.results or {}).items():
        for form, ids in forms.items():
            yield from (ResultKey(spec, name, form) for name in ids)


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Each record. Raises RecordError: file, place in it, what is wrong."""
    return [read_record(path) for path in paths]


def read_record(path: Path) -> Record:
    """Read a record; a last line cut in the middle is dropped. Raises RecordError."""
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
                found = error.errors(include_url=False, include_input=False)
                first = next((entry for entry in found if entry["loc"][-1:] == ("format",)), found[0])
                if first["type"] == "json_invalid" and number == len(raw) and lines:
                    break
                raise RecordError(f"{path}:{number}: {_said(first)}") from None
    if not lines or not isinstance(lines[0], Header):
        raise RecordError(f"{path}:1: a record begins with its header")
    footer = lines.pop() if isinstance(lines[-1], Footer) else None
    cases = [line for line in lines[1:] if isinstance(line, CaseLine)]
    if len(cases) != len(lines) - 1:
        raise RecordError(f"{path}: a header or footer stands among the cases")
    record = Record(path, lines[0], cases, footer)
    _check(record)
    return record


def _said(error: Any) -> str:
    if error["type"] == "json_invalid":
        deep = "recursion" in error["msg"]
        return "nested too deeply for a record" if deep else "not JSON"
    if error["type"].startswith("union_tag") or not error["loc"]:
        return "not a line of a record; 'record' is header, case or footer"
    if error["loc"][-1] == "format":
        return "of a format that this suite does not read"
    return f"{': '.join(['.'.join(map(str, error['loc'])), error['msg']])}"


def _check(record: Record) -> None:
    """Raises RecordError where lines do not fit together."""
    for name in record.header.specifications:
        if not NAME.fullmatch(name):
            raise RecordError(f"{record.path}:1: {name!r} is not the name of a specification, such as sonnx/maxpool")
    wanted = set(chosen(record.header))
    seen: dict[ResultKey, int] = {}
    for number, line in enumerate(record.cases, 1):
        at = f"{record.path}: case {number}"
        text = record.header.specifications.get(line.spec)
        name = f"{line.spec} {line.id} [{line.form}]"
        if seen.setdefault(line.key, number) != number:
            raise RecordError(f"{at}: {name} is already case {seen[line.key]}")
        if text is None:
            raise RecordError(f"{at}: specification {line.spec!r} is not in the header")
        for address in [*line.clauses, *(entry.clause for entry in line.divergences)]:
            if address not in text.clauses:
                raise RecordError(f"{at}: clause {address!r} is not in the header")
        if wanted and line.key not in wanted:
            raise RecordError(f"{at}: {name} was not chosen by this run")
    if record.footer is not None and record.is_campaign != (record.footer.calls is not None):
        raise RecordError(f"{record.path}: footer: calls are counted in campaigns, and in each of them")
