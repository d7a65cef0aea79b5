"""Special values over all operators: what each text says of them, and what each backend did there; as data, of which
the site makes a page, and as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plumbline.cases.generate.special_values import IN_ALL, IN_ONE, Said, asked_of, says
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.disagreement_page import call_line
from plumbline.reports.clauses import primary_clauses
from plumbline.reports.columns import Column, columns, described
from plumbline.reports.words import by_age, code, count, named, parts, text
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

WIDTH = 100

ABOUT = (
    "What a text says is asked of its oracle on the call that stands above the table: the value is put into one cell "
    "of an input, and an element of the output that is computed from it is judged as NaN, as each infinity, each zero "
    "and other numbers. A cell has the answers that are allowed, the clauses that decide, and in brackets the silences "
    "that leave something open. The last three columns are of a value in every cell, for infinities and zeros with one "
    "of the other sign.",
    "What a backend did is counted over all results inside the domain with an input that holds such a value, with the "
    "clauses that are broken; -0 is counted where the operator has a flag for it. Largest is the largest finite "
    "number. Overflow is of what the call gives: an element that is infinite, and computed from finite numbers other "
    "than zero alone. A result that is kept may hold elements that are open: of these a record does not say what "
    "was given.")
"""What stands above the tables."""

FLAGS = {"nan": "NaN", "infinite": "infinity", "minus-zero": "-0", "subnormal": "subnormal", "lowest": "lowest",
         "largest": "largest", "overflow": "overflow", "empty": "empty"}
"""What results are counted by: the flag of the first input, of any other or of what is given, and how a column is
called."""

SHOWN = {"conforms": "kept", "diverges": "diverge", "rejects-valid": "refused", "crashes": "crash", "hangs": "hang",
         "unstable": "unstable", "observed": "open", "unsupported": "unsupported", "harness-error": "not judged"}
"""Verdicts inside the domain, in the order in which they are said."""

NAMED = 4
"""Clauses that are named in a cell."""

SAYS = ("text", "input", *IN_ONE, *IN_ALL)
DID = ("backend", "text", *FLAGS.values())
"""The titles of the two tables of an operator."""


@dataclass(frozen=True)
class Section:
    """One operator: of each text the call that was asked about ("" for none) and the element of it, or why there is
    none; the rows under `SAYS`, and those under `DID`."""

    operator: str
    asked: list[tuple[str, str, str]]
    says: list[tuple[str, ...]]
    did: list[tuple[str, ...]]


def sections(shown: Sequence[Column]) -> list[Section]:
    """Of every operator that was tried. Of a text with versions its newest one that was tried is asked; results are
    those under all of them."""
    return [Section(operator, *_texts(_newest(names)), list(_backends(shown, names)))
            for operator, names in _operators(shown).items()]


def content(shown: Sequence[Column]) -> dict[str, Any]:
    """What the page of the site shows of some columns, which is its JSON as well."""
    return {"about": ABOUT, "says": SAYS, "did": DID, "operators": [asdict(section) for section in sections(shown)]}


def specials_text(records: Sequence[Record]) -> str:
    """The page as Markdown. Raises LookupError where no result of the records is there."""
    if not any(record.cases for record in records):
        raise LookupError(f"{', '.join(str(record.path) for record in records)}: "
                          f"{count(0, 'result')}, of which nothing can be said")
    return "\n".join(_markdown(columns(records))) + "\n"


def _markdown(shown: Sequence[Column]) -> Iterator[str]:
    yield "# Special values"
    for about in ABOUT:
        yield from ("", *textwrap.wrap(about, WIDTH))
    for column in shown:
        note = described(column.record) or ("" if column.record.whole else f"incomplete: {column.record.incomplete}")
        yield from ("", f"{text(column.label)}: {text(note)}.") if note else ()
    for section in sections(shown):
        yield from ("", f"## {text(section.operator)}", "")
        yield from (f"- {name}: {code(call)}, {where}" if call else f"- {text(name)}: {where}"
                    for name, call, where in section.asked)
        for titles, rows in ((SAYS, section.says), (DID, [tuple(map(text, row)) for row in section.did])):
            if rows:
                yield from ("", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|")
                yield from (f"| {' | '.join(row)} |" for row in rows)


def _operators(shown: Sequence[Column]) -> dict[str, list[str]]:
    """The specifications that were tried, by operator."""
    found: dict[str, list[str]] = {}
    tried = {name: entry.operator for column in shown for name, entry in column.record.header.specifications.items()}
    for name in sorted(tried, key=by_age):
        found.setdefault(tried[name], []).append(name)
    return dict(sorted(found.items()))


def _newest(names: Iterable[str]) -> list[str]:
    """Of each text the newest version; `names` have it first."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(parts(name)[0], name)
    return list(found.values())


def _texts(names: Iterable[str]) -> tuple[list[tuple[str, str, str]], list[tuple[str, ...]]]:
    """What each text was asked about, and what it says."""
    calls: list[tuple[str, str, str]] = []
    rows: list[tuple[str, ...]] = []
    for name in names:
        if name not in spec_names():
            calls.append((name, "", "not in this suite"))
            continue
        spec = load_spec(name)
        asked = asked_of(spec)
        if asked is None:
            calls.append((name, "", "no small call takes float32"))
            continue
        calls.append((name, call_line(asked.call), f"{asked.output} at {list(asked.where)}"))
        rows += [(name, where, *(_cell(said.get(value)) for value in (*IN_ONE, *IN_ALL)))
                 for where, said in says(spec, asked)]
    return calls, rows


def _cell(said: Said | None) -> str:
    if said is None:
        return ""
    left = f" ({', '.join(said.unspecified_clauses)})" if said.unspecified_clauses else ""
    return f"{said.allowed}{': ' * bool(said.clauses)}{', '.join(said.clauses)}{left}"


def _backends(shown: Sequence[Column], names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for column in shown:
        for name in dict.fromkeys(parts(name)[0] for name in names):
            lines = [line for line in column.record.cases if parts(line.spec)[0] == name]
            if lines:
                yield column.label, name, *(_did(column.record, flag, lines) for flag in FLAGS)


def _did(record: Record, flag: str, lines: Sequence[CaseLine]) -> str:
    """Results with a flag by verdict, with the clauses broken; "" where nothing inside the domain was tried."""
    wanted = re.compile(rf"{flag}(?:-in-.+)?")
    held = [line for line in lines if any(wanted.fullmatch(one) for one in line.flags)]
    if not held and flag not in record.header.flags:
        return "not recorded"
    counts = Counter(line.verdict for line in held)
    said = [f"{word} {counts[verdict]:,}" for verdict, word in SHOWN.items() if counts[verdict]]
    broken = dict.fromkeys(parts(address)[2] for line in held if line.verdict == "diverges"
                           for address in primary_clauses(record, line))
    return ", ".join(said) + (f" ({named(list(broken), NAMED)})" if broken else "")
