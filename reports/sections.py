"""Findings as sections of a page: one cause, one finding, with its results counted and its smallest calls in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.addresses import anchor, by_age, joined, parts
from plumbline.reports.findings import Line
from plumbline.reports.instances import Instance, instances
from plumbline.reports.side_by_side import CaseRow, Column
from plumbline.trial.groups import Group, groups, size_of
from plumbline.trial.symptoms import notes as symptom_notes

SHOWN = 5
"""Instances of one finding that are shown in full."""

SHOWN_IN_ALL = 500
"""Instances of a page that are shown in full; each finding keeps at least one."""

Key = tuple[str, str]
"""A case: specification and id."""

Result = tuple[str, str, str]
"""A case in one form."""


@dataclass(frozen=True)
class Conduct:
    """What some columns came to on the calls of a finding: how many results of which verdict."""

    labels: tuple[str, ...]
    counts: Counter[str]


@dataclass(eq=False)
class Finding:
    """One cause: the results of all columns that fail alike, and that the same flags tell (`trial.groups`).

    clauses:   the broken ones, in each version of the text; [] for refusals, crashes and hangs.
    text:      the specifications that it is about, without versions, in one text.
    flags:     what tells the results, by name with its meaning, "" where no record has one; {} where none does.
    looks:     what all wrong elements look like, in words; "" where that is nothing known.
    spared:    results that have the flags and conform.
    results:   how many results it is about, of which `known` are known.
    held:      (label of the column, line) of each result.
    outside:   the clauses on calls that all of these calls break, each in one version of the text.
    conducts:  what every column did on these calls.
    instances: those shown in full, new ones first, then the smallest; elsewhere: those that another finding shows;
               left_out: those that none shows."""

    id: str
    verdict: str
    text: str
    clauses: list[str]
    flags: dict[str, str]
    looks: str = ""
    spared: int = 0
    results: int = 0
    known: int = 0
    held: list[tuple[str, Line]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    conducts: list[Conduct] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    elsewhere: list[Instance] = field(default_factory=list)
    left_out: list[Instance] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What tells its results, in words."""
        if self.flags:
            return f"where {', '.join(self.flags)}"
        if self.outside:
            return f"where the call breaks {', '.join(parts(address)[2] for address in self.outside)}"
        return "wrong in one way" if self.looks else "no flag tells them apart"

    @property
    def accused(self) -> list[str]:
        """The labels of the columns that gave its results."""
        return list(dict.fromkeys(label for label, _ in self.held))

    @property
    def new(self) -> int:
        """How many results are not known."""
        return self.results - self.known

    @property
    def every(self) -> list[Instance]:
        """All of its instances."""
        return [*self.instances, *self.elsewhere, *self.left_out]

    @property
    def keys(self) -> list[Key]:
        """Its cases."""
        return list(dict.fromkeys(key for instance in self.every for key in instance.keys))

    @property
    def smallest(self) -> Instance:
        """The one with the smallest input."""
        return min(self.every, key=lambda instance: size_of(instance.line))

    @property
    def beside(self) -> list[str]:
        """The clauses that are broken beside the first, each in one version of the text."""
        return _once(self.clauses)[1:]


@dataclass
class Section:
    """The findings under one clause, in every version of the text that shares it; or, with no clause, the refusals,
    crashes and hangs."""

    addresses: list[str]
    clause: dict[str, Any] | None
    findings: list[Finding] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The clause, versions together; "" where there is none."""
        return joined(self.addresses) if self.addresses else ""

    @property
    def id(self) -> str:
        """The section's own id."""
        return f"findings-{anchor(self.addresses[0])}" if self.clause else "findings-others"


def sections(shown: Sequence[Column], cases: Mapping[Key, CaseRow]) -> list[Section]:
    """Every finding, under the first clause that it breaks: sections with new ones first, then as the texts have the
    clauses; in a section those that are new, then those with most results. A clause that is never the first has a
    section without findings."""
    texts = clauses_of(shown)
    found: dict[tuple[str, ...], Section] = {}
    for finding in findings(shown, cases, texts):
        first = finding.clauses[0] if finding.clauses else ""
        clause = texts[first] if first else None
        key = (*parts(first)[::2], clause["statement"]) if clause else ("",)
        section = found.setdefault(key, Section([], clause))
        section.findings.append(finding)
    broken = {address for section in found.values() for finding in section.findings for address in finding.clauses}
    order = {address: number for number, address in enumerate(sorted(texts, key=by_age))}
    for (_, *said), section in found.items():
        names = {parts(address)[0] for finding in section.findings for address in finding.clauses}
        section.addresses = sorted((address for address in broken if parts(address)[0] in names
                                    and [parts(address)[2], texts[address]["statement"]] == said),
                                   key=order.__getitem__)
    for address in sorted(broken.difference(*(section.addresses for section in found.values())), key=order.__getitem__):
        clause = texts[address]
        key = (*parts(address)[::2], clause["statement"])
        found.setdefault(key, Section([], clause)).addresses.append(address)
    return sorted(found.values(), key=lambda section: (
        section.clause is None, all(finding.new == 0 for finding in section.findings),
        *(order[address] for address in section.addresses[:1])))


def clauses_of(shown: Sequence[Column]) -> dict[str, Any]:
    """The clauses by address, as the first column has them."""
    return {address: clause for column in reversed(shown)
            for text in column.record.header["specifications"].values() for address, clause in text["clauses"].items()}


def findings(shown: Sequence[Column], cases: Mapping[Key, CaseRow], texts: dict[str, Any]) -> list[Finding]:
    """The groups of each column, those of one cause together; each instance is shown under the first finding that has
    it."""
    alike: dict[tuple[Any, ...], list[tuple[Column, Group]]] = {}
    for column in shown:
        for group in groups(column.record):
            key = group.verdict, group.text, group.clauses, group.features, group.symptom
            alike.setdefault(key, []).append((column, group))
    placed = {(*key, instance.form): instance for instance in instances(shown, cases.values(), texts)
              for key in instance.keys}
    listed = [_finding(shown, cases, together, placed) for together in alike.values()]
    listed.sort(key=lambda finding: (not finding.new, -finding.results))
    _place(listed)
    return listed


def _once(addresses: Iterable[str]) -> list[str]:
    """Clauses in one version of the text each."""
    found: dict[str, str] = {}
    for address in addresses:
        found.setdefault(parts(address)[2], address)
    return list(found.values())


def _place(listed: Sequence[Finding]) -> None:
    """Choose what each finding shows in full: the smallest of its instances that no finding before it shows."""
    most = max(1, min(SHOWN, SHOWN_IN_ALL // max(1, len(listed))))
    taken: set[int] = set()
    for finding in listed:
        every = finding.instances
        finding.instances = [instance for instance in every if id(instance) not in taken][:most]
        finding.left_out = [instance for instance in every if instance not in finding.instances]
        taken.update(map(id, finding.instances))
    for finding in listed:
        finding.elsewhere = [instance for instance in finding.left_out if id(instance) in taken]
        finding.left_out = [instance for instance in finding.left_out if id(instance) not in taken]


def _finding(shown: Sequence[Column], cases: Mapping[Key, CaseRow], together: Sequence[tuple[Column, Group]],
             placed: Mapping[Result, Instance]) -> Finding:
    first = together[0][1]
    lines = sorted((line for _, group in together for line in group.lines),
                   key=lambda line: ("known" in line, size_of(line)))
    results = dict.fromkeys((line["spec"], line["id"], line["form"]) for line in lines)
    specifications = sorted(dict.fromkeys(line["spec"] for line in lines), key=by_age)
    defined = {name: text for column in reversed(shown) for name, text in column.record.header.get("flags", {}).items()}
    name = "-".join([first.verdict, first.text, *first.clauses, *first.features, *filter(None, [first.symptom])])
    return Finding(
        anchor(f"finding-{name}"), first.verdict, first.text,
        [f"{specification}#{local}" for local in first.clauses for specification in specifications
         if any(f"{specification}#{local}" in line["clauses"] for line in lines if line["spec"] == specification)],
        {flag: _meaning(flag, lines[0], defined) for flag in first.features},
        symptom_notes()[first.symptom] if first.symptom else "",
        sum(group.spared for _, group in together),
        len(lines), sum(group.known for _, group in together),
        [(column.label, line) for column, group in together for line in group.lines], _outside(lines),
        _conducts(shown, cases, results), list({id(placed[result]): placed[result] for result in results}.values()))


def _outside(lines: Sequence[Line]) -> list[str]:
    """The clauses on calls that every line breaks."""
    if lines[0]["verdict"] == "diverges":
        return []
    shared = set.intersection(*({parts(address)[2] for address in line["clauses"]} for line in lines))
    return _once(address for line in lines for address in line["clauses"] if parts(address)[2] in shared)


def _meaning(flag: str, line: Line, defined: Mapping[str, str]) -> str:
    """What a flag says: by the first record that defines it, or, for an element type or a form, in our words."""
    if flag == line["dtype"]:
        return "The element type of X."
    if flag == f"[{line['form']}]":
        return f"{line['form'].replace('+', ' and ')} {'are' if '+' in line['form'] else 'alone is'} asked for."
    if flag == line["spec"].partition("@")[0].rpartition("/")[2]:
        return f"The operator is {line['call']['operator']}."
    return defined.get(flag, "")


def _conducts(shown: Sequence[Column], cases: Mapping[Key, CaseRow], results: Iterable[Result]) -> list[Conduct]:
    """The columns with the same counts together; "" counts what was not tried."""
    found: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for number, column in enumerate(shown):
        counts: Counter[str] = Counter()
        for specification, name, form in results:
            line = cases[specification, name].cells[number].get(form)
            counts[line["verdict"] if line else ""] += 1
        found.setdefault(tuple(counts.items()), []).append(column.label)
    return [Conduct(tuple(labels), Counter(dict(counts))) for counts, labels in found.items()]
