"""What backends did where no verdict accuses them: where a text is silent, and outside its domain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import CaseRow, Column
from plumbline.reports.pictures import text_of
from plumbline.reports.words import by_age, parts
from plumbline.trial.record import CaseLine
from plumbline.trial.record_header import Clause, ClauseKey, Tensor

FAILURES = ("crashes", "hangs", "unstable")
"""What is said of those without an answer that counts."""

LONGEST = 48
"""Elements of an answer that are written out."""


@dataclass
class Conduct:
    """What some columns did alike; `why` in the words of the last one that refused."""

    what: str
    labels: list[str]
    why: str = ""


@dataclass
class Row:
    """What is to be said of a written case in some of its forms and versions of the text, or of several generated ones.

    cells: for each column (what was done, the message), ``("", "")`` where it was not tried.
    """

    title: str
    family: str
    clauses: tuple[str, ...]
    conducts: list[Conduct]
    cells: list[tuple[str, str]]
    names: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        """Whether all columns did the same."""
        return len(self.conducts) == 1


@dataclass
class Silence:
    """A clause that leaves something open, under every version of the text that shares its statement, and what was done
    there."""

    addresses: list[str]
    clause: Clause
    rows: list[Row]


def silences(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[Silence]:
    """Each U clause with the results that nothing was judged of."""
    clauses = {address: clause for address, clause in clauses_of(shown).items() if clause.kind == "unspecified"}
    found: dict[ClauseKey, Silence] = {}
    for address in sorted(clauses, key=by_age):
        found.setdefault(clauses[address].key, Silence([], clauses[address], [])).addresses.append(address)
    observed = [row for row in cases if row.counts["observed"]]
    for silence in found.values():
        here = frozenset(silence.addresses)
        silence.rows = _rows(shown, observed, partial(_is_silent, here))
    return list(found.values())


def _is_silent(here: frozenset[str], line: CaseLine) -> bool:
    return line.verdict == "observed" and bool(here.intersection(line.clauses))


def survey(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[Row]:
    """The calls outside the domain, and what each column did."""
    def is_outside(line: CaseLine) -> bool:
        return line.verdict in ("rejects-invalid", "accepts-invalid", "outside-profile") \
            or line.accuses and line.verdict != "diverges" and bool(line.clauses)

    return _rows(shown, cases, is_outside, brief=True)


def done(line: CaseLine, brief: bool = False) -> tuple[str, str]:
    """(what was done in a few words, the whole of it): the words are equal exactly where the same was done, as far as
    the record tells. `brief` leaves out what was answered."""
    if line.verdict in FAILURES:
        return line.verdict, line.did
    if line.phase:
        kind = line.did.partition(":")[0] if line.verdict != "unsupported" else "declared beforehand"
        return f"refused at {line.phase}", f"{kind}: {line.did}" if kind not in line.did else line.did
    values = "; ".join(f"{name} {_values(tensor)}" for name, tensor in (line.got or {}).items())
    return ("answered", values or line.did) if brief else (values or line.did, line.did)


def _values(tensor: Tensor) -> str:
    shape = f"{tensor.dtype}{tensor.shape}"
    flat = list(_flat(tensor.values))
    if tensor.offset is not None or len(flat) > LONGEST:
        return f"{shape} {' '.join(map(text_of, flat[:LONGEST]))} …"
    return f"{shape} {json.dumps(tensor.values).replace(chr(34), '')}"


def _flat(values: Any) -> Iterable[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values


def _rows(shown: Sequence[Column], cases: Iterable[CaseRow], wanted: Callable[[CaseLine], bool],
          brief: bool = False) -> list[Row]:
    """Cases and forms that `wanted` chooses, those of which the same is to be said put together."""
    found: dict[tuple[Any, ...], Row] = {}
    for case in cases:
        forms = dict.fromkeys(form for cell in case.cells for form in cell)
        for form in forms:
            lines = [line if (line := cell.get(form)) and wanted(line) else None for cell in case.cells]
            first = next(filter(None, lines), None)
            if first is None:
                continue
            cells = [done(line, brief) if line else ("", "") for line in lines]
            family, version, _ = parts(first.spec)
            clauses = tuple(dict.fromkeys(parts(address)[2] for address in first.clauses))
            generated = first.generated
            said = _outline(cells) if generated else tuple(what for what, _ in cells)
            key = (family, clauses, said, "" if generated else first.id)
            if key not in found:
                found[key] = Row(first.title, family, clauses, _conducts(shown, cells, generated), cells)
            row = found[key]
            for there, value in ((row.names, first.id), (row.forms, form), (row.versions, version)):
                if value and value not in there:
                    there.append(value)
    for row in found.values():
        row.versions.sort(key=lambda version: (len(version), version))
    return list(found.values())


def _outline(cells: list[tuple[str, str]]) -> tuple[str, ...]:
    """Who refused and who answered, and which answers are equal: what generated cases are put together by."""
    answers: dict[str, str] = {}
    return tuple(what if not what or _is_no_answer(what) else answers.setdefault(what, f"answer {len(answers) + 1}")
                 for what, _ in cells)


def _is_no_answer(what: str) -> bool:
    return what.startswith("refused at ") or what in ("answered", *FAILURES)


def _conducts(shown: Sequence[Column], cells: list[tuple[str, str]], generated: bool) -> list[Conduct]:
    """The columns by what they did. Of generated cases the values are left out: they stand for several."""
    found: dict[str, Conduct] = {}
    for column, (what, why), outline in zip(shown, cells, _outline(cells), strict=True):
        if what:
            text = outline if generated else what
            conduct = found.setdefault(text, Conduct(text, []))
            conduct.labels.append(column.label)
            conduct.why = why if _is_no_answer(what) else ""
    conducts = list(found.values())
    if generated:
        answered = [one for one in conducts if one.what.startswith("answer ")]
        for one in answered:
            one.what = "answered alike" if len(answered) == 1 else f"answered in way {one.what.partition(' ')[2]}"
    return conducts
