"""What the numbers of a page rest on: the header of each record in rows, what a reader must know beforehand, and the
errata of the sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from plumbline.reports.columns import Column, described
from plumbline.reports.pictures import Picture, printed_pictures
from plumbline.reports.words import by_age, count, texts, together
from plumbline.trial.record_header import Clause, ClauseKey, Printed


def notices(shown: Sequence[Column]) -> list[str]:
    """What limits a record: it keeps few lines of a campaign, is truncated, partial, of a version that nobody tried
    before, known divergences are gone, or calls were answered although a gap had been declared."""
    said: dict[str, list[str]] = {}
    for column in shown:
        for text in _limits(column):
            said.setdefault(text, []).append(column.label)
    return [f"{'; '.join(together(labels))}: {text}" for text, labels in said.items()]


def _limits(column: Column) -> list[str]:
    record, selection = column.record, column.record.header.selection
    found = list(filter(None, [described(record)]))
    if not record.whole:
        found.append(f"incomplete: {record.incomplete}")
    if not record.cases:
        found.append("the record holds no result")
    if selection.tried < selection.of:
        found.append(f"a partial run, {selection.tried:,} of {selection.of:,} results were selected")
    if not record.header.backend.tried:
        found.append("no baseline for this version: new failures are listed but do not fail the run")
    undeclared = [line for line in record.cases if line.undeclared]
    if undeclared:
        first = undeclared[0]
        were = "was" if len(undeclared) == 1 else "were"
        found.append(f"{count(len(undeclared), 'result')} {were} answered although a gap had been declared, the first "
                     f"{first.id} [{first.form}]: {first.undeclared}")
    return found + (record.footer.gone if record.footer else [])


def evidence_rows(shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """(what, for each column its text): everything that a header says of suite, backend, machine and options."""
    headers = [column.record.header for column in shown]
    backends = [header.backend for header in headers]
    rows = [
        ("Record", [column.file for column in shown]),
        ("Command", [header.command for header in headers]),
        ("Started", [header.started for header in headers]),
        ("Time in calls", [f"{_seconds(column):.1f} s" for column in shown]),
        ("Suite", [" ".join(header.suite.values()) for header in headers]),
        ("Backend", [_backend(column) for column in shown]),
        ("Its Python and numpy", [f"{who.python}, {who.numpy}" for who in backends]),
        *((name, [header.platform.get(name, "") for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header.platform)),
        ("Results", [f"{column.record.reached:,} of {column.record.chosen:,}" for column in shown]),
        ("Not asked", [", ".join(texts(header.selection.not_asked)) for header in headers]),
        ("Cases", [f"{header.cases.count}, digest {header.cases.digest[:16]}" for header in headers]),
        *((f"option {name}", [_shown(header.options.get(name)) for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header.options)),
    ]
    for name in sorted({name for header in headers for name in header.specifications}, key=by_age):
        found = [header.specifications.get(name) for header in headers]
        rows.append((name, [f"digest {text.digest[:16]}" if text else "not tried" for text in found]))
    return rows


def _seconds(column: Column) -> float:
    footer = column.record.footer
    if column.record.is_campaign and footer is not None:
        return footer.seconds
    return sum(line.seconds for line in column.record.cases)


def _backend(column: Column) -> str:
    backend = column.record.header.backend
    about = [f"{name}: {text}" for name, text in backend.about.items()]
    providers = dict.fromkeys(line.provider for line in column.record.cases if line.provider)
    ran = [f"ran on {', '.join(providers)}"] if providers else []
    return "; ".join([column.record.who, *about, *ran])


def _shown(value: object) -> str:
    return "default" if value is None else str(value)


@dataclass
class Erratum:
    """Where a source contradicts itself, in each version of the text; the evidence computed in the run, and outputs
    that the source prints, with their pictures."""

    clause: Clause
    computed: str
    addresses: list[str] = field(default_factory=list)
    printed: list[tuple[Printed, list[Picture]]] = field(default_factory=list)


def errata(shown: Sequence[Column]) -> list[Erratum]:
    """Every erratum, versions of a text together."""
    found: dict[ClauseKey, Erratum] = {}
    headers = [column.record.header for column in shown]
    printed = {(entry.spec, entry.case): entry for header in headers for entry in header.as_printed}
    clauses = {address: (clause, header.errata.get(address, "")) for header in headers
               for text in header.specifications.values() for address, clause in text.clauses.items()
               if clause.kind == "erratum"}
    for address in sorted(clauses, key=by_age):
        clause, computed = clauses[address]
        entry = found.setdefault(clause.key, Erratum(clause, computed))
        entry.addresses.append(address)
        entry.printed += [(case, printed_pictures(case)) for case in printed.values() if case.erratum == address]
    return list(found.values())
