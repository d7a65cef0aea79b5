"""Arrange records side by side: columns, rows of cases, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from packaging.version import InvalidVersion, Version

from plumbline.backends import adapter_names
from plumbline.reports.words import newest_first
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import largest, share_name
from plumbline.trial.record.recording import Record

Key = tuple[str, str]
"""A case: specification and id."""


@dataclass(frozen=True)
class Column:
    """A record with a unique label."""

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
    """A case with its lines in each column."""

    line: CaseLine
    clauses: dict[str, None]
    cells: list[dict[str, CaseLine]] = field(default_factory=list)

    @property
    def lines(self) -> Iterator[tuple[int, CaseLine]]:
        """Pairs of column number and line."""
        return ((number, line) for number, cell in enumerate(self.cells) for line in cell.values())

    @property
    def brief(self) -> str:
        """The longest one-line summary of call and outputs, or ""."""
        return max((line.brief for _, line in self.lines), key=len, default="")

    @property
    def counts(self) -> Counter[str]:
        """Results by verdict, over all columns."""
        return Counter(line.verdict for _, line in self.lines)

    @property
    def state(self) -> str:
        """The worst state of all results.

        "broken", "refused" (also for a crash or a hang), "kept", "recorded" (nothing could be judged) or "not tried".
        """
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
    """A column per record, sorted by backend, version and start."""
    ordered = sorted(records, key=lambda record: (record.header.backend.name, by_version(record),
                                                  record.header.started))
    titles = [record.who for record in ordered]
    return [Column(record, f"{title} ({record.path.name})" if titles.count(title) > 1 else title)
            for record, title in zip(ordered, titles, strict=True)]


def runtimes(shown: Sequence[Column]) -> list[tuple[str, int]]:
    """Return runtimes with the numbers of their columns, which stand side by side.

    Providers, configurations and packages of a runtime have names that begin with that of its adapter. Without two of
    one runtime beside another, return nothing."""
    names = adapter_names()
    spans = [(runtime, list(group)) for runtime, group in groupby(shown, lambda column: next(
        (name for name in names if column.name.startswith((f"{name}-", f"{name}@"))), column.name))]
    grouped = any(len({column.name for column in group}) > 1 for _, group in spans)
    return [(runtime, len(group)) for runtime, group in spans] if grouped and len(spans) > 1 else []


def by_version(record: Record) -> tuple[int, Version, str]:
    """A sort key by version; other text comes first."""
    text = record.header.backend.version
    try:
        return 1, Version(text), text
    except InvalidVersion:
        return 0, Version("0"), text


def versions(shown: Sequence[Column]) -> dict[str, list[int]]:
    """Column numbers of each backend that has several columns."""
    numbers_of: dict[str, list[int]] = {}
    for number, column in enumerate(shown):
        numbers_of.setdefault(column.name, []).append(number)
    return {name: numbers for name, numbers in numbers_of.items() if len(numbers) > 1}


def case_rows(shown: Sequence[Column]) -> dict[Key, CaseRow]:
    """The rows by case; hand-written cases come before generated ones."""
    rows: dict[Key, CaseRow] = {}
    for number, column in enumerate(shown):
        for line in column.record.cases:
            row = rows.setdefault((line.spec, line.id), CaseRow(line, {}, [{} for _ in shown]))
            row.cells[number][line.form] = line
            row.clauses.update(dict.fromkeys([*line.covers, *line.clauses]))
    return dict(sorted(rows.items(), key=lambda item: (newest_first(item[0][0]), item[1].line.generated)))


def describe_campaign(record: Record) -> str | None:
    """The extent of a campaign in words, or None."""
    campaign = record.header.campaign
    if campaign is None:
        return None
    first, stop = campaign.range
    shapes = record.footer.shapes if record.footer else None
    tried = "" if shapes is None else f"; the inputs of all calls have {shapes} distinct shapes"
    return (f"a campaign of {stop - first} generated calls, numbers {first} to {stop - 1} of seed {campaign.seed}; "
            f"{len(record.cases)} lines are kept, the first {campaign.lines.of_a_cause} of each cause and the first "
            f"{campaign.lines.conforming} that conform; cases are named among these alone{tried}")


def describe_profile(record: Record) -> str | None:
    """The accuracy profile with the largest measured errors, or None."""
    profile = record.header.accuracy
    if not profile:
        return None
    shares = largest(record.cases).get(share_name(profile), {})
    measured = ", ".join(f"{share:.3g} of {dtype}" for dtype, share in sorted(shares.items()))
    return f"errors are judged by {profile}; the largest as a share of what it allows: {measured or 'not measured'}"


def clause_counts(record: Record) -> dict[str, Counter[str]]:
    """Calls of a campaign by clause and bearing.

    Bearings: "conforms" and "diverges", and "touched" if the clause leaves an element of the call undefined."""
    if not record.is_campaign or record.footer is None:
        return {}
    counts_of = {address: +Counter({"conforms": counts.conforms, "diverges": counts.diverges})
                 for address, counts in record.footer.clauses.items()}
    for cause in record.footer.causes:
        for address in cause.clauses if cause.verdict == "observed" else ():
            counts_of.setdefault(address, Counter())["touched"] += cause.calls
    return counts_of


def count_accusations(record: Record) -> Counter[bool]:
    """Accusing results by whether they are known."""
    return count_results(record, [line for line in record.cases if line.accuses])


def count_results(record: Record, lines: Iterable[CaseLine]) -> Counter[bool]:
    """Results of some lines by whether they are known. A line of a campaign stands for all calls of its cause."""
    if not record.is_campaign or record.footer is None:
        return Counter(line.known is not None for line in lines)
    causes = {(line.verdict, *line.clauses, line.known.id if line.known else None) for line in lines}
    results: Counter[bool] = Counter()
    for cause in record.footer.causes:
        if (cause.verdict, *cause.clauses, cause.known) in causes:
            results[cause.known is not None] += cause.calls
    return results
