"""The table of special values over all operators, as Markdown: what each text says of NaN, infinities, zeros, subnormal
numbers and overflow, asked of its oracle, and what each backend did on the results that hold such values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from plumbline.cases.specials import IN_ALL, IN_ONE, Said, asked_of, says
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.compared import call_line
from plumbline.reports.clauses import primary_clauses
from plumbline.reports.columns import Column, columns, described
from plumbline.reports.words import by_age, code, count, named, parts, text
from plumbline.trial.record import CaseLine
from plumbline.trial.recording import Record

FLAGS = {"nan": "NaN", "infinite": "infinity", "minus-zero": "-0", "subnormal": "subnormal", "lowest": "lowest",
         "empty": "empty"}
"""What results are counted by: the flag of the first input or of any other, and how a column is called."""

SHOWN = {"conforms": "kept", "diverges": "diverge", "rejects-valid": "refused", "crashes": "crash", "hangs": "hang",
         "unstable": "unstable", "observed": "open", "unsupported": "unsupported", "harness-error": "not judged"}
"""Verdicts inside the domain, in the order in which they are said."""

NAMED = 4
"""Clauses that are named in a cell."""


def specials(records: Sequence[Record]) -> Iterator[str]:
    """The lines of the page. Of a text with versions its newest one that was tried is asked; results are those under
    all of them."""
    shown = columns(records)
    yield from ("# Special values", "",
                "What a text says is asked of its oracle on the call that stands above the table: the value is put",
                "into one cell of an input, and an element of the output that is computed from it is judged as NaN, as",
                "each infinity, each zero and other numbers. A cell has the answers that are allowed, the clauses that",
                "decide, and in brackets the silences that leave something open. The last three columns are of a value",
                "in every cell, for infinities and zeros with one of the other sign.", "",
                "What a backend did is counted over all results inside the domain with an input that holds such a",
                "value, with the clauses that are broken; -0 is counted where the operator has a flag for it. A result",
                "that is kept may hold elements that are open: of these a record does not say what was given.")
    for column in shown:
        note = described(column.record) or ("" if column.record.whole else f"incomplete: {column.record.incomplete}")
        yield from ("", f"{text(column.label)}: {text(note)}.") if note else ()
    for operator, names in _operators(shown).items():
        yield from ("", f"## {text(operator)}", "")
        yield from _texts(_newest(names))
        yield from ("", f"| backend | text | {' | '.join(FLAGS.values())} |", f"|---|---|{'---|' * len(FLAGS)}")
        for column in shown:
            for name in dict.fromkeys(parts(name)[0] for name in names):
                lines = [line for line in column.record.cases if parts(line.spec)[0] == name]
                if lines:
                    cells = [_did(column.record, _holding(flag, lines)) for flag in FLAGS]
                    yield f"| {text(column.label)} | {name} | {' | '.join(cells)} |"


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


def _texts(names: Sequence[str]) -> Iterator[str]:
    """What each text says; of one that this suite does not have, that."""
    known = [name for name in names if name in spec_names()]
    rows: list[str] = []
    for name in known:
        spec = load_spec(name)
        asked = asked_of(spec)
        if asked is None:
            yield f"- {name}: no small call takes float32"
            continue
        yield f"- {name}: {code(call_line(asked.call))}, {asked.output} at {list(asked.where)}"
        rows += [f"| {name} | {where} | {' | '.join(_cell(said.get(value)) for value in (*IN_ONE, *IN_ALL))} |"
                 for where, said in says(spec, asked)]
    yield from (f"- {text(name)}: not in this suite" for name in names if name not in known)
    if rows:
        titles = (*IN_ONE, *IN_ALL)
        yield from ("", f"| text | input | {' | '.join(titles)} |", f"|---|---|{'---|' * len(titles)}", *rows)


def _cell(said: Said | None) -> str:
    if said is None:
        return ""
    left = f" ({', '.join(said.silences)})" if said.silences else ""
    return f"{said.allowed}{': ' * bool(said.clauses)}{', '.join(said.clauses)}{left}"


def _holding(flag: str, lines: Iterable[CaseLine]) -> list[CaseLine]:
    wanted = re.compile(rf"{flag}(?:-in-.+)?")
    return [line for line in lines if any(wanted.fullmatch(one) for one in line.flags)]


def _did(record: Record, lines: Sequence[CaseLine]) -> str:
    """Results by verdict, with the clauses broken; "" where nothing inside the domain was tried."""
    counts = Counter(line.verdict for line in lines)
    said = [f"{word} {counts[verdict]:,}" for verdict, word in SHOWN.items() if counts[verdict]]
    broken = dict.fromkeys(parts(address)[2] for line in lines if line.verdict == "diverges"
                           for address in primary_clauses(record, line))
    return ", ".join(said) + (f" ({text(named(list(broken), NAMED))})" if broken else "")


def specials_text(records: Sequence[Record]) -> str:
    """The page. Raises LookupError where no result of the records is there."""
    if not any(record.cases for record in records):
        raise LookupError(f"{', '.join(str(record.path) for record in records)}: "
                          f"{count(0, 'result')}, of which nothing can be said")
    return "\n".join(specials(records)) + "\n"
