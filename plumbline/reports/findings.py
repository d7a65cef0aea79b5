"""Findings: one cause each, over all columns, with its results counted and its smallest calls in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from plumbline.reports.columns import CaseRow, Column, Key
from plumbline.reports.instances import Instance, instances, placed
from plumbline.reports.words import anchor, by_age, joined, meaning, named, parts, together, where_clause
from plumbline.reports.words import listed as in_words
from plumbline.trial.known.root_causes import Group, groups, size_of
from plumbline.trial.known.symptoms import notes as symptom_notes
from plumbline.trial.record.header import Clause
from plumbline.trial.record.lines import CaseLine, Known, ResultKey

SHOWN = 5
"""Instances of one finding that are shown in full."""

SHOWN_IN_ALL = 500
"""Instances of a page that are shown in full; each finding keeps at least one."""

MOST = 2
"""Examples of one clause, at most."""

CLAUSES = 4
"""Clauses named in the title of a finding."""


@dataclass(frozen=True)
class Conduct:
    """What some columns came to on the calls of a finding: how many results of which verdict."""

    labels: tuple[str, ...]
    counts: Counter[str]


@dataclass(eq=False)
class Finding:
    """One cause: the results of all columns that fail alike (`trial.groups`).

    clauses:   the broken ones, in each version of the text; [] for refusals, crashes and hangs.
    text:      the specifications that it is about, without versions, in one text.
    flags:     the conditions that set the results apart, by name with its meaning, "" where no record has one.
    looks:     what all wrong elements look like, in words; "" where they look like nothing known.
    spared:    results that share the conditions and conform.
    held:      (label of the column, line) of each result.
    outside:   the clauses on calls that all of these calls break, each in one version of the text.
    conducts:  what every column did on these calls.
    instances: those shown in full, new ones first, then the smallest; left_out: the others."""

    id: str
    verdict: str
    text: str
    clauses: list[str]
    flags: dict[str, str]
    looks: str
    spared: int
    held: list[tuple[str, CaseLine]]
    outside: list[str]
    conducts: list[Conduct]
    instances: list[Instance]
    left_out: list[Instance] = field(default_factory=list)

    @property
    def locals(self) -> str:
        """The broken clauses by section and tag, each once, the first few."""
        return named(list(dict.fromkeys(parts(address)[2] for address in self.clauses)), CLAUSES)

    @property
    def title(self) -> str:
        """What is wrong, and where, in one line."""
        if self.clauses:
            return joined(self.clauses)
        if self.outside:
            return f"{self.text}, where the call breaks {in_words(parts(address)[2] for address in self.outside)}"
        return self.text

    @property
    def where(self) -> str:
        """The conditions in words."""
        return where_clause(self.flags.items())

    @property
    def contexts(self) -> str:
        """In which contexts it shows, and how often; "" where calls stood alone."""
        counts = Counter(line.context for _, line in self.held)
        named = [f"{name} ({count})" for name, count in sorted(counts.items()) if name]
        alone = f"alone ({counts['']})" if counts[""] else "never where the call stands alone"
        return f"{in_words(named)}; {alone}" if named else ""

    @property
    def message(self) -> str:
        """What was done, in the words of its first result, where no clause is broken."""
        return "" if self.clauses else self.held[0][1].did

    @property
    def results(self) -> int:
        """How many results it is about."""
        return len(self.held)

    @property
    def new(self) -> int:
        """How many of them are not known."""
        return sum(line.known is None for _, line in self.held)

    @property
    def reasons(self) -> list[Known]:
        """The known divergences that explain its results."""
        return list({line.known.id: line.known for _, line in self.held if line.known}.values())

    @property
    def accused(self) -> list[str]:
        """The labels of the columns that gave its results."""
        return list(dict.fromkeys(label for label, _ in self.held))

    @property
    def keys(self) -> list[Key]:
        """Its cases."""
        return list(dict.fromkeys((line.spec, line.id) for _, line in self.held))

    @property
    def smallest(self) -> Instance:
        """The one with the smallest input."""
        return min([*self.instances, *self.left_out], key=lambda instance: size_of(instance.line))


def findings(shown: Sequence[Column], cases: Mapping[Key, CaseRow], texts: Mapping[str, Clause],
             each: int = SHOWN) -> list[Finding]:
    """The groups of each column, those of one cause together: new ones first, then those with most results. Each
    instance is shown in full under one finding, `each` of them at most."""
    alike: dict[tuple[object, ...], list[tuple[Column, Group]]] = {}
    for column in shown:
        for group in groups(column.record):
            key = group.verdict, group.text, frozenset(group.clauses), group.features, group.symptom
            alike.setdefault(key, []).append((column, group))
    where = placed(instances(shown, cases.values(), texts))
    listed = [_finding(shown, cases, those, where) for those in alike.values()]
    listed.sort(key=lambda finding: (not finding.new, -finding.results))
    most, taken = max(1, min(each, SHOWN_IN_ALL // max(1, len(listed)))), set[int]()
    for finding in listed:
        every = finding.instances
        finding.instances = [instance for instance in every if id(instance) not in taken][:most] or every[:0]
        taken.update(map(id, finding.instances))
        finding.left_out = [instance for instance in every if instance not in finding.instances]
    return listed


def places(listed: Iterable[Finding]) -> dict[ResultKey, str]:
    """For each result that accuses somebody the id of the place that shows it, or else of its finding."""
    found: dict[ResultKey, str] = {}
    for finding in listed:
        for instance in finding.left_out:
            for key in instance.keys:
                found.setdefault(ResultKey(*key, instance.form), finding.id)
    for instance in (instance for finding in listed for instance in finding.instances):
        for key, name in zip(instance.keys, instance.anchors, strict=True):
            found[ResultKey(*key, instance.form)] = name
    return found


def of_clauses(listed: Iterable[Finding]) -> dict[str, list[Finding]]:
    """For each broken clause the findings in which some output breaks it, those with most results first."""
    found: dict[str, Counter[int]] = {}
    by_number = dict(enumerate(listed))
    for number, finding in by_number.items():
        for _, line in finding.held:
            for address in line.clauses if line.verdict == "diverges" else ():
                found.setdefault(address, Counter())[number] += 1
    return {address: [by_number[number] for number, _ in counts.most_common()] for address, counts in found.items()}


def _finding(shown: Sequence[Column], cases: Mapping[Key, CaseRow], those: Sequence[tuple[Column, Group]],
             where: Mapping[ResultKey, Instance]) -> Finding:
    first = those[0][1]
    lines = sorted((line for _, group in those for line in group.lines),
                   key=lambda line: (line.known is not None, size_of(line)))
    results = dict.fromkeys(line.key for line in lines)
    specifications = sorted(dict.fromkeys(line.spec for line in lines), key=by_age)
    defined = {name: text for column in reversed(shown) for name, text in column.record.header.flags.items()}
    name = "-".join([first.verdict, first.text, *first.clauses, *first.features, *filter(None, [first.symptom])])
    clauses = [f"{specification}#{local}" for local in first.clauses for specification in specifications
               if any(f"{specification}#{local}" in line.clauses for line in lines if line.spec == specification)]
    held = [(column.label, line) for column, group in those for line in group.lines]
    outside = _outside(lines)
    return Finding(
        anchor(f"finding-{name}" + "".join(f"-{parts(address)[2]}" for address in outside)
               + (f"-{_hashed(lines[0])}" if not clauses else "")),
        first.verdict, first.text, clauses,
        {flag: meaning(flag, lines[0], defined) for flag in first.features},
        symptom_notes().get(first.symptom, first.symptom),
        sum(group.spared for _, group in those), held, outside, _conducts(shown, cases, results),
        list({id(where[result]): where[result] for result in results}.values()))


def _hashed(line: CaseLine) -> str:
    return f"{line.id}-{line.form}"


def _outside(lines: Sequence[CaseLine]) -> list[str]:
    """The clauses on calls that every line breaks, each in one version of the text."""
    if lines[0].verdict == "diverges":
        return []
    shared = set.intersection(*({parts(address)[2] for address in line.clauses} for line in lines))
    found: dict[str, str] = {}
    for address in (address for line in lines for address in line.clauses if parts(address)[2] in shared):
        found.setdefault(parts(address)[2], address)
    return list(found.values())


def _conducts(shown: Sequence[Column], cases: Mapping[Key, CaseRow], results: Iterable[ResultKey]) -> list[Conduct]:
    """The columns with the same counts together; "" counts what was not tried."""
    found: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for number, column in enumerate(shown):
        counts: Counter[str] = Counter()
        for key in results:
            line = cases[key.spec, key.id].cells[number].get(key.form)
            counts[line.verdict if line else ""] += 1
        found.setdefault(tuple(counts.items()), []).append(column.label)
    return [Conduct(tuple(labels), Counter(dict(counts))) for counts, labels in found.items()]


@dataclass(frozen=True)
class Example:
    """A call and what is wrong on it. `said` holds (who, in what way), the labels of those that fail alike together;
    `recent` says whether it is one of the newest version of the text that is in question."""

    instance: Instance
    said: tuple[tuple[tuple[str, ...], str], ...]
    recent: bool = True

    @property
    def who(self) -> set[str]:
        """The labels of all that fail on it."""
        return {label for labels, _ in self.said for label in labels}


def examples(listed: Iterable[Finding], shown: Sequence[Column]) -> dict[str, list[Example]]:
    """For each finding, by its id, the smallest calls that show it, and what is wrong on them."""
    return {finding.id: _chosen([_wrong(instance, finding) for instance in (*finding.instances, *finding.left_out)],
                                finding, shown) for finding in listed}


def smallest(listed: Iterable[Finding]) -> dict[str, tuple[Finding, Instance, str]]:
    """For the label of each column that is accused its smallest call, under which finding, and what is wrong on it."""
    found: dict[str, tuple[Finding, Instance, str]] = {}
    for finding in listed:
        for instance in (*finding.instances, *finding.left_out):
            for labels, why in _wrong(instance, finding).said:
                for label in labels:
                    if label not in found or size_of(instance.line) < size_of(found[label][1].line):
                        found[label] = finding, instance, why
    return found


def where(labels: Collection[str], shown: Sequence[Column]) -> str:
    """Some columns in a sentence: their versions alone where all are of one backend, "" where there is one column."""
    if len(shown) == 1:
        return ""
    if len(labels) == len(shown) > MOST:
        return "all"
    if len({column.name for column in shown}) == 1:
        return in_words(column.short for column in shown if column.label in labels)
    return "; ".join(together(column.label for column in shown if column.label in labels))


def _wrong(instance: Instance, finding: Finding) -> Example:
    """Who fails on an instance as the finding says, and how."""
    said: dict[str, tuple[str, ...]] = {}
    for answer in instance.accused:
        labels = tuple(label for label in answer.labels if label in finding.accused)
        if answer.line.verdict == finding.verdict and labels:
            broken = instance.divergences(answer)
            why = broken[0].why if broken else answer.line.did
            said[why] = (*said.get(why, ()), *labels)
    newest = finding.clauses[0].partition("#")[0] if finding.clauses else ""
    return Example(instance, tuple((labels, why) for why, labels in said.items()),
                   not newest or newest in dict(instance.keys))


def _chosen(candidates: Iterable[Example], finding: Finding, shown: Sequence[Column]) -> list[Example]:
    """A call on which all fail that fail anywhere; where there is none, one on which the newest version of a backend
    fails, and one for those that are left. Of several one under the newest text, then the smallest."""
    able = [example for example in candidates if example.said]
    left = {column.label for column in shown if any(column.label in example.who for example in able)}
    newest = set({column.name: column.label for column in shown if column.label in left}.values())
    chosen: list[Example] = []
    while left and len(chosen) < MOST:
        chosen.append(min((example for example in able if example.who & left), key=lambda example: (
            not example.who >= left, not example.who & left & newest, not example.recent,
            size_of(example.instance.line))))
        left -= chosen[-1].who
    return chosen
