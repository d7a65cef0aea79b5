"""Write the page of special values: requirements and results by operator."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plumbline.cases.generate.special_values import IN_ALL, IN_ONE, Requirement, probe_of, requirements
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.disagreement_page import call_line
from plumbline.reports.clauses import primary_clauses
from plumbline.reports.columns import Column, columns, describe_campaign
from plumbline.reports.words import code_span, escaped, first_few, local_of, newest_first, unversioned
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

WIDTH = 100

ABOUT = (
    "The requirements come from the oracle of each specification, on the call shown above the table. One cell of an "
    "input gets the special value. One element of the output that depends on it is then judged as NaN, as each "
    "infinity, as each zero and as other numbers. A cell of the table lists the allowed answers, the clauses that "
    "decide, and in brackets the U clauses that leave something undefined. In the last three columns every cell of the "
    "input has the value; for infinities and zeros, one cell has the other sign.",
    "The results of a backend are counted over all results inside the domain whose input contains such a value, with "
    "the broken clauses; -0 is counted if the operator has a flag for it. Largest is the largest finite number. "
    "Overflow means that an element of the answer is infinite, although it is computed from finite numbers other than "
    "zero. A result that is kept may contain unspecified elements; the record does not tell their values.")
"""The explanation above the tables."""

FLAGS = {"nan": "NaN", "infinite": "infinity", "minus-zero": "-0", "subnormal": "subnormal", "lowest": "lowest",
         "largest": "largest", "overflow": "overflow", "empty": "empty"}
"""The flags by which results are counted, with the titles of their columns."""

VERDICT_WORDS = {
    "conforms": "kept", "diverges": "diverge", "rejects-valid": "refused", "crashes": "crash", "hangs": "hang",
    "unstable": "unstable", "observed": "unspecified", "unsupported": "unsupported", "harness-error": "not judged"}
"""The verdicts inside the domain, with their words on pages, in this order."""

NAMED = 4
"""Clauses named in a cell."""

REQUIREMENT_TITLES = ("specification", "input", *IN_ONE, *IN_ALL)
RESULT_TITLES = ("backend", "specification", *FLAGS.values())
"""The titles of the two tables of an operator."""


@dataclass(frozen=True)
class Section:
    """The section of an operator.

    asked: for each specification the call and the judged element, or "" and why there is no call;
    says:  rows of requirements; did: rows of results.
    """

    operator: str
    asked: list[tuple[str, str, str]]
    says: list[tuple[str, ...]]
    did: list[tuple[str, ...]]


def sections(shown: Sequence[Column]) -> list[Section]:
    """A section for every operator that was tried.

    Requirements are those of the newest tried version of a specification, results those of all versions."""
    return [Section(operator, *_requirements(_newest(names)), list(_results(shown, names)))
            for operator, names in _operators(shown).items()]


def content(shown: Sequence[Column]) -> dict[str, Any]:
    """The content of the page of special values."""
    return {"about": ABOUT, "says": REQUIREMENT_TITLES, "did": RESULT_TITLES,
            "operators": [asdict(section) for section in sections(shown)]}


def specials_text(records: Sequence[Record]) -> str:
    """The page as Markdown. Raises LookupError if the records contain no result."""
    if not any(record.cases for record in records):
        raise LookupError(f"{', '.join(str(record.path) for record in records)}: "
                          "no result; name a record with results")
    return "\n".join(_markdown(columns(records))) + "\n"


def _markdown(shown: Sequence[Column]) -> Iterator[str]:
    """Yield the lines of the page; `shown` are the records, a column each."""
    yield "# Special values"
    for about in ABOUT:
        yield from ("", *textwrap.wrap(about, WIDTH))
    for column in shown:
        incomplete = "" if column.record.whole else f"incomplete: {column.record.incomplete}"
        note = describe_campaign(column.record) or incomplete
        yield from ("", f"{escaped(column.label)}: {escaped(note)}.") if note else ()
    for section in sections(shown):
        yield from ("", f"## {escaped(section.operator)}", "")
        yield from (f"- {name}: {code_span(call)}, {where}" if call else f"- {escaped(name)}: {where}"
                    for name, call, where in section.asked)
        for titles, rows in ((REQUIREMENT_TITLES, section.says),
                             (RESULT_TITLES, [tuple(map(escaped, row)) for row in section.did])):
            if rows:
                yield from ("", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|")
                yield from (f"| {' | '.join(row)} |" for row in rows)


def _operators(shown: Sequence[Column]) -> dict[str, list[str]]:
    """The tried specifications by operator."""
    names_of: dict[str, list[str]] = {}
    tried = {name: entry.operator for column in shown for name, entry in column.record.header.specifications.items()}
    for name in sorted(tried, key=newest_first):
        names_of.setdefault(tried[name], []).append(name)
    return dict(sorted(names_of.items()))


def _newest(names: Iterable[str]) -> list[str]:
    """The newest version of each specification; `names` has it first."""
    newest: dict[str, str] = {}
    for name in names:
        newest.setdefault(unversioned(name), name)
    return list(newest.values())


def _requirements(names: Iterable[str]) -> tuple[list[tuple[str, str, str]], list[tuple[str, ...]]]:
    """The call for each specification, and rows of its requirements."""
    calls: list[tuple[str, str, str]] = []
    rows: list[tuple[str, ...]] = []
    for name in names:
        if name not in spec_names():
            calls.append((name, "", "not in this suite"))
            continue
        spec = load_spec(name)
        probe = probe_of(spec)
        if probe is None:
            calls.append((name, "", "no small call takes float32"))
            continue
        calls.append((name, call_line(probe.call), f"{probe.output} at {list(probe.where)}"))
        rows += [(name, where, *(_cell(allowed.get(value)) for value in (*IN_ONE, *IN_ALL)))
                 for where, allowed in requirements(spec, probe)]
    return calls, rows


def _cell(said: Requirement | None) -> str:
    if said is None:
        return ""
    unspecified = f" ({', '.join(said.unspecified_clauses)})" if said.unspecified_clauses else ""
    return f"{said.allowed}{': ' * bool(said.clauses)}{', '.join(said.clauses)}{unspecified}"


def _results(shown: Sequence[Column], names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for column in shown:
        for name in dict.fromkeys(unversioned(name) for name in names):
            lines = [line for line in column.record.cases if unversioned(line.spec) == name]
            if lines:
                yield column.label, name, *(_flagged_results(column.record, flag, lines) for flag in FLAGS)


def _flagged_results(record: Record, flag: str, lines: Sequence[CaseLine]) -> str:
    """Results with a flag by verdict, with broken clauses."""
    wanted = re.compile(rf"{flag}(?:-in-.+)?")
    flagged = [line for line in lines if any(map(wanted.fullmatch, line.flags))]
    if not flagged and flag not in record.header.flags:
        return "not recorded"
    counts = Counter[str](line.verdict for line in flagged)
    words = [f"{word} {counts[verdict]:,}" for verdict, word in VERDICT_WORDS.items() if counts[verdict]]
    broken = dict.fromkeys(local_of(address) for line in flagged if line.verdict == "diverges"
                           for address in primary_clauses(record, line))
    return ", ".join(words) + (f" ({first_few(list(broken), NAMED)})" if broken else "")
