"""Write the issues of specifications: errata by class, open questions.

All is computed from a specification and its cases. An erratum is editorial if its clause says so; a wrong example if it
overrules a case as printed, or its source is an example; a contradiction if its source sets one place against another;
and otherwise a wrong formula.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from plumbline.cases.documents.examples import NO_OUTPUTS, examples_of, judged
from plumbline.cases.format.case import Case
from plumbline.cases.generate.combinations import combination_cases
from plumbline.oracle import OutsideDomain, Spec
from plumbline.oracle.clause import Clause
from plumbline.oracle.disagreement_page import call_line
from plumbline.oracle.evidence import evidence_of
from plumbline.oracle.markdown import SpecText

CLASSES = {
    "contradiction": "two places of the specification say different things",
    "wrong formula": "a computed value refutes a formula, a condition or a sentence",
    "wrong example": "an example or a figure is not what the specification itself gives",
    "editorial": "no value depends on it",
}

EXAMPLE = re.compile(r"\b(?:Example|figure)")

LONGEST = 240
"""Most characters of a call that is shown; a longer call is named by its case."""

LARGEST = 100
"""Most elements of a call that is shown."""

MOST = 6
"""Most places of unspecified elements that are named."""


@dataclass
class Document:
    """A specification in all its versions, with its cases.

    general: a specification of no operator, which then has neither `specs` nor `cases`.
    clauses: by local address, as the newest version that has them states them; `evidence` likewise.
    """

    name: str
    specs: list[Spec]
    cases: list[Case]
    general: SpecText | None = None
    clauses: dict[str, Clause] = field(init=False)
    evidence: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.clauses, self.evidence = {}, {}
        newest_first: list[Spec | SpecText] = [*reversed(self.specs), *filter(None, [self.general])]
        for version in newest_first:
            computed = evidence_of(version)
            for clause in version.clauses.values():
                if clause.local not in self.clauses:
                    self.clauses[clause.local] = clause
                    self.evidence[clause.local] = computed.get(clause.address, "")

    @property
    def about(self) -> str:
        """The operator, if any, and the edition of the source."""
        if self.general is not None:
            return self.general.edition
        return f"{self.specs[-1].operator}; {self.specs[-1].edition}"

    def of_kind(self, kind: str) -> list[Clause]:
        """Return the clauses of a kind, in order."""
        return [clause for clause in self.clauses.values() if clause.kind == kind]

    def overruled(self, clause: Clause) -> list[Case]:
        """Return the printed examples that an erratum overrules."""
        return [case for case in self.cases if _local(case.expectation.erratum or "") == clause.local]

    def class_of(self, clause: Clause) -> str:
        """Return the class of an erratum: a key of `CLASSES`."""
        if clause.editorial:
            return "editorial"
        places = re.split(r"\b(?:against|with)\b", clause.source)[0].split(";")
        if self.overruled(clause) or any(EXAMPLE.search(place) and "note" not in place for place in places):
            return "wrong example"
        return "contradiction" if re.search(r"\bagainst\b", clause.source) else "wrong formula"


def documents(specs: Sequence[Spec | SpecText], cases: Sequence[Case]) -> list[Document]:
    """Return the documents of some specifications, those of no operator last.

    Combinations of special values, which no seed draws, are among the cases of each."""
    versions: dict[str, list[Spec]] = {}
    for spec in specs:
        if isinstance(spec, Spec):
            versions.setdefault(spec.name.partition("@")[0], []).append(spec)
    of_operators = [Document(name, own, [*(case for case in cases if case.spec in {spec.name for spec in own}),
                                         *(case for spec in own for case in combination_cases(spec.name))])
                    for name, own in versions.items()]
    return of_operators + [Document(spec.name, [], [], spec) for spec in specs if isinstance(spec, SpecText)]


def page(specs: Sequence[Spec | SpecText], cases: Sequence[Case], patterns: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of the page; `patterns` are those that selected the specifications."""
    with_issues = [document for document in documents(specs, cases)
                   if document.of_kind("erratum") or document.of_kind("unspecified")]
    command = " ".join(["plumbline errata", *(f"'{pattern}'" for pattern in patterns)])
    yield from ("# Issues of specifications", "", f"Generated by `{command}`.", "",
                "For each specification: its errata, by class, and what it does not define, as questions to decide.",
                "", "- *call*: the shortest case of the suite that shows the issue;",
                "- *computed*: evidence that the suite computes when it makes this page;",
                "- *printed*, *read*: what the source prints, and what the specification gives as read by the suite;",
                "- *undefined*: what the specification does not define for the call.", "",
                "`plumbline explain ADDRESS` says more. An issue that an earlier specification has too is not",
                "repeated. The table counts documented examples, and those with outputs that keep or break the",
                "clauses of their specification.", "")
    yield from (f"- **{name}**: {meaning}" for name, meaning in CLASSES.items())
    yield from ("", f"| specification | {' | '.join(CLASSES)} | open questions | examples | kept | broken |",
                f"|---|{'---|' * (len(CLASSES) + 4)}")
    yield from map(_row, with_issues)
    first: dict[str, str] = {}
    for document in with_issues:
        yield from ("", f"## {document.name}", "", f"{document.about}.")
        yield from errata_of(document, first)
        yield from questions_of(document, first)


def _row(document: Document) -> str:
    classes = Counter(map(document.class_of, document.of_kind("erratum")))
    examples = {case.id: judged(spec, case) for spec in document.specs for case in examples_of(spec, document.cases)}
    broken = sum(bool(example.broken) for example in examples.values())
    kept = sum(not example.broken and NO_OUTPUTS not in example.notes for example in examples.values())
    counts = [*(classes[name] for name in CLASSES), len(document.of_kind("unspecified")), len(examples), kept, broken]
    return f"| {document.name} | {' | '.join(str(number or '') for number in counts)} |"


def errata_of(document: Document, first: dict[str, str]) -> Iterator[str]:
    """Yield the errata of a document by class, with evidence and the shortest call that shows each.

    first: by statement, the address of the first clause that has it."""
    errata = document.of_kind("erratum")
    for name in CLASSES:
        of_class = [clause for clause in errata if document.class_of(clause) == name]
        if of_class:
            yield from ("", f"### {name.capitalize()}", "")
        for clause in of_class:
            yield from _stated(clause, first)
            if first[clause.statement] != clause.address:
                continue
            yield from _facts({"why no value depends on it": clause.editorial,
                               "computed": _plain(document.evidence[clause.local])})
            own = document.overruled(clause) or [case for case in document.cases
                                             if clause.local in map(_local, case.clauses)]
            for case in _shortest(own)[:1]:
                yield from _called(case, _answer(document, case))


def questions_of(document: Document, first: dict[str, str]) -> Iterator[str]:
    """Yield what a document leaves open, with the shortest call that each clause applies to."""
    unspecified_clauses = document.of_kind("unspecified")
    if unspecified_clauses:
        yield from ("", "### To decide", "")
    by_clause = _touching(document, {clause.local for clause in unspecified_clauses})
    for clause in unspecified_clauses:
        yield from _stated(clause, first)
        if clause.local in by_clause:
            yield from _called(*by_clause[clause.local])


def _stated(clause: Clause, first: dict[str, str]) -> Iterator[str]:
    """Yield an issue, with its statement unless an earlier specification has the same.

    first: by statement, the address of the first clause that has it."""
    earlier = first.setdefault(clause.statement, clause.address)
    said = clause.statement if earlier == clause.address else f"As `{earlier}`."
    yield f"- **`{clause.local}`** *{clause.title}.* {said}"
    yield from _facts({"source": clause.source})


def _facts(facts: dict[str, str | None]) -> Iterator[str]:
    yield from (f"  - {name}: {said}" for name, said in facts.items() if said)


def _called(case: Case, said: str) -> Iterator[str]:
    line = _line(case)
    yield f"  - call: `{line}` (case {case.id})" if line else f"  - call: that of case {case.id}"
    if said:
        yield f"  - {said}"


def _answer(document: Document, case: Case) -> str:
    """Return what the source prints for a call, and what the specification gives as read."""
    spec = next(spec for spec in document.specs if spec.name == case.spec)
    printed = _tensors(case.expectation.as_printed or {})
    broken = [entry.clause for entry in spec.violations(case.call)]
    if broken:
        read = f"outside the domain by {', '.join(map(_local, broken))}"
    else:
        read = _tensors(spec.expected(case.call)) + "".join(
            f", {name} undefined in part by {', '.join(map(_local, entry.clauses))}"
            for name, entry in spec.unspecified(case.call).items())
    return "; ".join(f"{name}: {said}" for name, said in (("printed", printed), ("read", read)) if said)


def _touching(document: Document, wanted: set[str]) -> dict[str, tuple[Case, str]]:
    """Return, by U clause, the shortest case that it applies to, and what is undefined there."""
    by_clause: dict[str, tuple[Case, str]] = {}
    specs = {spec.name: spec for spec in document.specs}
    for case in _shortest(document.cases):
        if wanted <= by_clause.keys():
            break
        judged_call = specs[case.spec].judged(case.call)
        try:
            applying = {_local(clause) for clause in judged_call.unspecified_clauses}
        except OutsideDomain:
            continue
        for local in wanted & applying - by_clause.keys():
            by_clause[local] = case, _undefined(specs[case.spec], case, local)
    return by_clause


def _undefined(spec: Spec, case: Case, local: str) -> str:
    parts = []
    for name, entry in spec.unspecified(case.call).items():
        if local in map(_local, entry.clauses):
            mask = entry.mask
            places = [] if isinstance(mask, str) or mask.all() else np.argwhere(mask).tolist()
            parts.append(f"{name} at {', '.join(map(str, places[:MOST]))}{' and more' * (len(places) > MOST)}"
                         if places else f"all of {name}")
    if local in map(_local, spec.may_refuse(case.call)):
        parts.append("whether the call is refused")
    return f"undefined: {'; '.join(parts)}" if parts else ""


def _shortest(cases: Iterable[Case]) -> list[Case]:
    """Return the cases that can be shown, shortest first, then the others by number of elements."""
    def length(case: Case) -> tuple[bool, int, int]:
        line = _line(case)
        return not line, len(line), _elements(case)

    return sorted(cases, key=length)


def _line(case: Case) -> str:
    """Return the call of a case in one line, "" if it is long."""
    line = call_line(case.call) if _elements(case) <= LARGEST else ""
    return line if len(line) <= LONGEST else ""


def _elements(case: Case) -> int:
    return sum(array.size for array in case.call.inputs.values())


def _tensors(outputs: Mapping[str, np.ndarray | str]) -> str:
    shown = {name: value if isinstance(value, str) else str(value.tolist()) for name, value in outputs.items()}
    return ", ".join(f"`{name} = {value}`" if len(value) <= LONGEST else f"{name} (long)"
                     for name, value in shown.items())


def _local(address: str) -> str:
    return address.partition("#")[2]


def _plain(text: str) -> str:
    """Return a string without Markdown markup."""
    return re.sub(r"([*_<`])", r"\\\1", text)
