"""Records beside each other: a column for each, cases as rows, what a campaign counts beyond its lines; and what the
numbers rest on: headers in rows, what a reader must know beforehand, errata of the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from packaging.version import InvalidVersion, Version

from plumbline.reports.pictures import Picture, printed_pictures
from plumbline.reports.words import by_age, count, joined, named, parts, texts, together
from plumbline.trial.record.header import Clause, ClauseKey, Printed
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

FEW = 6
"""Texts that are named of those that were not tried."""

Key = tuple[str, str]
"""A case: specification and id."""


@dataclass(frozen=True)
class Column:
    """A record with the name that it goes by: backend and version, and the file where these are not enough."""

    record: Record
    label: str

    @property
    def name(self) -> str:
        """The backend's name."""
        return self.record.header.backend.name

    @property
    def version(self) -> str:
        """The backend's version."""
        return self.record.header.backend.version

    @property
    def short(self) -> str:
        """The label without the backend's name."""
        return self.label.removeprefix(f"{self.name} ")

    @property
    def file(self) -> str:
        """The record's file name."""
        return self.record.path.name


@dataclass
class CaseRow:
    """A case of one specification: its first line, the clauses it bears on, and for each column its lines by form."""

    line: CaseLine
    clauses: dict[str, None]
    cells: list[dict[str, CaseLine]] = field(default_factory=list)

    @property
    def lines(self) -> Iterator[tuple[int, CaseLine]]:
        """(column, line)."""
        return ((number, line) for number, cell in enumerate(self.cells) for line in cell.values())

    @property
    def brief(self) -> str:
        """The call and what came of it, where that conforms and most outputs are asked for; "" where nothing does."""
        return max((line.brief for _, line in self.lines), key=len, default="")

    @property
    def counts(self) -> Counter[str]:
        """Lines by verdict, over all columns."""
        return Counter(line.verdict for _, line in self.lines)

    @property
    def state(self) -> str:
        """What all its results come to: "broken" or "refused" where one does, "kept" where one conforms, "recorded"
        where nobody could be accused, "not tried"."""
        lines = [line for _, line in self.lines]
        if any(line.verdict == "diverges" for line in lines):
            return "broken"
        if any(line.accuses for line in lines):
            return "refused"
        if any(line.verdict == "conforms" for line in lines):
            return "kept"
        tried = any(line.verdict not in ("unsupported", "harness-error") for line in lines)
        return "recorded" if tried else "not tried"


def columns(records: Sequence[Record]) -> list[Column]:
    """A column for each record, by name and version, then by the time of the run."""
    ordered = sorted(records, key=lambda record: (record.header.backend.name, by_version(record),
                                                  record.header.started))
    titles = [record.who for record in ordered]
    return [Column(record, f"{title} ({record.path.name})" if titles.count(title) > 1 else title)
            for record, title in zip(ordered, titles, strict=True)]


def by_version(record: Record) -> tuple[int, Version, str]:
    """A key that orders records by version; text that is not a version comes first, in alphabetical order."""
    text = record.header.backend.version
    try:
        return 1, Version(text), text
    except InvalidVersion:
        return 0, Version("0"), text


def versions(shown: Sequence[Column]) -> dict[str, list[int]]:
    """The backends of which several records are shown, with the numbers of their columns."""
    found: dict[str, list[int]] = {}
    for number, column in enumerate(shown):
        found.setdefault(column.name, []).append(number)
    return {name: numbers for name, numbers in found.items() if len(numbers) > 1}


def case_rows(shown: Sequence[Column]) -> dict[Key, CaseRow]:
    """The cases by (specification, id); written ones before generated ones."""
    found: dict[Key, CaseRow] = {}
    for number, column in enumerate(shown):
        for line in column.record.cases:
            row = found.setdefault((line.spec, line.id), CaseRow(line, {}, [{} for _ in shown]))
            row.cells[number][line.form] = line
            row.clauses.update(dict.fromkeys([*line.covers, *line.clauses]))
    return dict(sorted(found.items(), key=lambda item: (by_age(item[0][0]), item[1].line.generated)))


def unlike(shown: Sequence[Column]) -> list[str]:
    """Why columns cannot be compared number by number, one sentence each; none when all tried the same, contexts aside.
    Versions of a text of which the same is to be said stand together, and so do all texts that the same columns did
    not try."""
    names = list(dict.fromkeys(name for column in shown for name in column.record.header.specifications))
    problems, untried = dict[tuple[str, str], list[str]](), dict[str, list[str]]()
    for name in sorted(names, key=by_age):
        texts = {column.label: column.record.header.specifications.get(name) for column in shown}
        missing = "; ".join(together(label for label, text in texts.items() if text is None))
        for who in _parted({label: text.digest for label, text in texts.items() if text}):
            problems.setdefault((parts(name)[0], f"differs: {who}"), []).append(name)
        if missing:
            untried.setdefault(missing, []).append(name)
    cases = _parted({column.label: column.record.header.cases.alone or column.record.header.cases.digest
                     for column in shown})
    return [f"The cases differ: {who}" for who in cases] + [
        f"The text of {joined(names)} {what}" for (_, what), names in problems.items()] + [
        f"Not tried on {missing}: {_few(names)}" for missing, names in untried.items()]


def _few(names: Sequence[str]) -> str:
    """The first specifications, versions of a text together."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(parts(name)[0], []).append(name)
    return named([joined(versions) for versions in found.values()], FEW)


def _parted(digests: dict[str, str]) -> list[str]:
    """Who has which digest; none where there is one digest alone."""
    labels: dict[str, list[str]] = {}
    for label, digest in digests.items():
        labels.setdefault(digest, []).append(label)
    who = "; ".join(f"{', '.join(together(those))} (digest {digest[:12]})" for digest, those in labels.items())
    return [who] if len(labels) > 1 else []


def described(record: Record) -> str | None:
    """That the record is of a campaign, in words; None for any other."""
    campaign = record.header.campaign
    if campaign is None:
        return None
    first, stop = campaign.range
    return (f"a campaign of {stop - first} generated calls, numbers {first} to {stop - 1} of seed {campaign.seed}; "
            f"{len(record.cases)} lines are kept, the first {campaign.lines.of_a_cause} of each cause and the first "
            f"{campaign.lines.conforming} that conform, and cases named are among these")


def clause_counts(record: Record) -> dict[str, Counter[str]]:
    """For each clause how many calls of a campaign keep it ("conforms"), break it ("diverges") or are left open by it
    ("touched"); {} where the lines say it all."""
    if not record.is_campaign or record.footer is None:
        return {}
    found = {address: +Counter({"conforms": counts.conforms, "diverges": counts.diverges})
             for address, counts in record.footer.clauses.items()}
    for cause in record.footer.causes:
        for address in cause.clauses if cause.verdict == "observed" else ():
            found.setdefault(address, Counter())["touched"] += cause.calls
    return found


def accused(record: Record) -> Counter[bool]:
    """How many results accuse the backend, by whether they are known: lines, or calls of a campaign."""
    return counted(record, [line for line in record.cases if line.accuses])


def counted(record: Record, lines: Iterable[CaseLine]) -> Counter[bool]:
    """How many results some lines stand for, by whether they are known: themselves, or in a campaign all calls of the
    causes that they have."""
    if not record.is_campaign or record.footer is None:
        return Counter(line.known is not None for line in lines)
    causes = {(line.verdict, *line.clauses, line.known.id if line.known else None) for line in lines}
    found: Counter[bool] = Counter()
    for cause in record.footer.causes:
        if (cause.verdict, *cause.clauses, cause.known) in causes:
            found[cause.known is not None] += cause.calls
    return found


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
    if record.header.model:
        found.append("the nodes of a model are results; of clauses only what was broken is counted, not what was kept")
    if not record.header.backend.tried:
        found.append("no baseline for this version: new failures are listed but do not fail the run")
    undeclared = [line for line in record.cases if line.undeclared]
    if undeclared:
        first = undeclared[0]
        were = "was" if len(undeclared) == 1 else "were"
        found.append(f"{count(len(undeclared), 'result')} {were} answered, and judged, although a gap had been "
                     f"declared, the first {first.spec} {first.id} [{first.form}]: {first.undeclared}")
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
        ("Left out, as declared", [f"{header.selection.declined:,} results of made cases" for header in headers]),
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
