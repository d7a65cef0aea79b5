"""Group results of several records into findings: root causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import CaseRow, Column, Key, case_rows, columns
from plumbline.reports.instances import Instance, instances, instances_by_result
from plumbline.reports.rendering import notebook_output
from plumbline.reports.words import (
    anchor,
    count,
    first_few,
    in_sentence,
    joined,
    local_of,
    meaning,
    newest_first,
    where_clause,
)
from plumbline.trial.known.root_causes import Group, groups, size_of
from plumbline.trial.known.symptoms import notes as symptom_notes
from plumbline.trial.record.header import Clause
from plumbline.trial.record.lines import CaseLine, Known, ResultKey
from plumbline.trial.record.recording import Record

SHOWN = 5
"""Instances of a finding shown in full."""

SHOWN_IN_ALL = 500
"""Instances of a page shown in full; each finding keeps at least one."""

CLAUSES = 4
"""Clauses named in the title of a finding."""


@dataclass(frozen=True)
class VerdictCounts:
    """The verdicts of some columns on a finding's calls."""

    labels: tuple[str, ...]
    counts: Counter[str]


@dataclass(eq=False, repr=False)
class Finding:
    """A root cause: results that fail alike.

    clauses:        the broken clauses in each version; [] for refusals, crashes and hangs.
    specifications: their names without versions, separated by commas.
    conditions:     what the failing calls have in common, by name with its meaning ("" if no record defines it).
    symptom:        what all wrong elements look like, in words, or "".
    conforming:     results that meet the conditions and conform.
    results:        label of the column and line of each result.
    outside:        the clauses on calls that all these calls break, each in one version.
    verdicts:       the verdicts of every column on these calls.
    instances:      the calls shown in full, new ones first, then the smallest; left_out: all other calls.
    kernels:        missing kernels: operator, version, element types, number of results.
    """

    id: str
    verdict: str
    specifications: str
    clauses: list[str]
    conditions: dict[str, str]
    symptom: str
    conforming: int
    results: list[tuple[str, CaseLine]]
    outside: list[str]
    verdicts: list[VerdictCounts]
    instances: list[Instance]
    left_out: list[Instance] = field(default_factory=list)
    kernels: list[tuple[str, int, str, int]] = field(default_factory=list)

    @property
    def local_clauses(self) -> str:
        """The first few broken clauses, as section and tag."""
        return first_few(list(dict.fromkeys(map(local_of, self.clauses))), CLAUSES)

    @property
    def title(self) -> str:
        """The broken clauses, or the specifications, in one line."""
        if self.clauses:
            return joined(self.clauses)
        if self.outside:
            return f"{self.specifications}, where the call breaks {in_sentence(map(local_of, self.outside))}"
        return self.specifications

    @property
    def where(self) -> str:
        """The conditions in words."""
        return where_clause(self.conditions.items())

    @property
    def contexts(self) -> str:
        """The contexts with their numbers of results, "" outside contexts."""
        counts = Counter(line.context for _, line in self.results)
        in_context = [f"{name} ({count})" for name, count in sorted(counts.items()) if name]
        alone = f"alone ({counts['']})" if counts[""] else "never where the call stands alone"
        return f"{in_sentence(in_context)}; {alone}" if in_context else ""

    @property
    def new(self) -> int:
        """The number of results that are not known."""
        return sum(line.known is None for _, line in self.results)

    @property
    def reasons(self) -> list[Known]:
        """The known divergences that explain its results."""
        return list({line.known.id: line.known for _, line in self.results if line.known}.values())

    @property
    def accused(self) -> list[str]:
        """The labels of its columns."""
        return list(dict.fromkeys(label for label, _ in self.results))

    @property
    def keys(self) -> list[Key]:
        """The cases of the results."""
        return list(dict.fromkeys((line.spec, line.id) for _, line in self.results))

    @property
    def smallest(self) -> Instance:
        """The instance with the smallest input."""
        return min([*self.instances, *self.left_out], key=lambda instance: size_of(instance.line))

    def __repr__(self) -> str:
        return f"<Finding: {self.verdict} {self.title}, {count(len(self.results), 'result')}>"

    def _repr_html_(self) -> str:
        """The finding with the pictures of its smallest call, as notebooks show it."""
        return notebook_output(self, self.smallest)


def findings_of(records: Sequence[Record]) -> list[Finding]:
    """The root causes of some records, new and large first. A notebook shows each as the page does."""
    shown = columns(records)
    return findings(shown, case_rows(shown), clauses_of(shown))


def findings(shown: Sequence[Column], cases: Mapping[Key, CaseRow], clauses: Mapping[str, Clause],
             most_shown: int = SHOWN) -> list[Finding]:
    """Return the root causes of all columns, new and large first.

    cases:   the calls with their results in each column, by specification and id.
    clauses: of the specifications, by address.

    An instance is shown in full under one finding alone; a finding shows `most_shown` of them at most."""
    alike: dict[tuple[object, ...], list[tuple[Column, Group]]] = {}
    for column in shown:
        seen: Counter[tuple[object, ...]] = Counter()  # crashes of one column may differ in their messages alone
        for group in groups(column.record):
            key = (group.verdict, group.text, frozenset(group.clauses), group.features, group.symptom,
                   bool(group.kernels))
            alike.setdefault((*key, seen[key] if group.verdict != "diverges" else 0), []).append((column, group))
            seen[key] += 1
    instance_of = instances_by_result(instances(shown, cases.values(), clauses))
    causes = [_finding(shown, cases, of_columns, instance_of) for of_columns in alike.values()]
    causes.sort(key=lambda finding: (not finding.new, -len(finding.results)))
    most, taken = max(1, min(most_shown, SHOWN_IN_ALL // max(1, len(causes)))), set[int]()
    for finding in causes:
        every = finding.instances
        finding.instances = [instance for instance in every if id(instance) not in taken][:most] or every[:0]
        taken.update(map(id, finding.instances))
        finding.left_out = [instance for instance in every if instance not in finding.instances]
    return causes


def page_anchors(causes: Iterable[Finding]) -> dict[ResultKey, str]:
    """The HTML id of each accusing result, or its finding."""
    anchors: dict[ResultKey, str] = {}
    for finding in causes:
        for instance in finding.left_out:
            for key in instance.keys:
                anchors.setdefault(ResultKey(*key, instance.form), finding.id)
    for instance in (instance for finding in causes for instance in finding.instances):
        for key, name in zip(instance.keys, instance.anchors, strict=True):
            anchors[ResultKey(*key, instance.form)] = name
    return anchors


def findings_by_clause(causes: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The findings of each broken clause, largest first."""
    numbers_of: dict[str, Counter[int]] = {}
    by_number = dict(enumerate(causes))
    for number, finding in by_number.items():
        for _, line in finding.results:
            for address in line.clauses if line.verdict == "diverges" else ():
                numbers_of.setdefault(address, Counter())[number] += 1
    return {address: [by_number[number] for number, _ in counts.most_common()]
            for address, counts in numbers_of.items()}


def _finding(shown: Sequence[Column], cases: Mapping[Key, CaseRow], of_columns: Sequence[tuple[Column, Group]],
             instance_of: Mapping[ResultKey, Instance]) -> Finding:
    first = of_columns[0][1]
    lines = sorted((line for _, group in of_columns for line in group.lines),
                   key=lambda line: (line.known is not None, size_of(line)))
    results = dict.fromkeys(line.key for line in lines)
    specifications = sorted(dict.fromkeys(line.spec for line in lines), key=newest_first)
    defined = {name: text for column in reversed(shown) for name, text in column.record.header.flags.items()}
    name = "-".join([first.verdict, first.text, *first.clauses, *first.features, *filter(None, [first.symptom])])
    clauses = list(dict.fromkeys(address for local in first.clauses for specification in specifications
                                 for line in lines if line.spec == specification for address in line.clauses
                                 if local_of(address) == local))
    outside = _outside(lines)
    return Finding(
        anchor(f"finding-{name}" + "".join(f"-{local_of(address)}" for address in outside)
               + (f"-{lines[0].id}-{lines[0].form}" if not clauses else "")),
        first.verdict, first.text, clauses,
        {flag: meaning(flag, lines[0], defined) for flag in first.features},
        symptom_notes().get(first.symptom, first.symptom),
        sum(group.spared for _, group in of_columns),
        [(column.label, line) for column, group in of_columns for line in group.lines],
        outside, _verdict_counts(shown, cases, results),
        list({id(instance_of[result]): instance_of[result] for result in results}.values()),
        kernels=[kernel for _, group in of_columns for kernel in group.kernels])


def _outside(lines: Sequence[CaseLine]) -> list[str]:
    """The clauses on calls that every line breaks."""
    if lines[0].verdict == "diverges":
        return []
    shared = set.intersection(*(set(map(local_of, line.clauses)) for line in lines))
    addresses: dict[str, str] = {}
    for address in (address for line in lines for address in line.clauses if local_of(address) in shared):
        addresses.setdefault(local_of(address), address)
    return list(addresses.values())


def _verdict_counts(shown: Sequence[Column], cases: Mapping[Key, CaseRow],
                    results: Iterable[ResultKey]) -> list[VerdictCounts]:
    """The columns grouped by equal counts; "" means not tried."""
    labels_of: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for number, column in enumerate(shown):
        counts: Counter[str] = Counter()
        for key in results:
            line = cases[key.spec, key.id].cells[number].get(key.form)
            counts[line.verdict if line else ""] += 1
        labels_of.setdefault(tuple(counts.items()), []).append(column.label)
    return [VerdictCounts(tuple(labels), Counter(dict(counts))) for counts, labels in labels_of.items()]
