"""Instances of findings: one call in one form, who is accused on it, and what every other backend did."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plumbline.reports.changes import spans
from plumbline.reports.columns import CaseRow, Column, versions
from plumbline.reports.pictures import Picture, input_pictures, output_pictures
from plumbline.reports.reproduce import archive, folder_name, script
from plumbline.reports.words import anchor, parts, texts
from plumbline.trial.record.header import Clause
from plumbline.trial.record.lines import CaseLine, Divergence, Known, ResultKey
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.tools.promotion import promoted

LARGEST_DOWNLOAD = 8192
"""Bytes of an archive that is part of the page."""


@dataclass
class Answer:
    """What some columns gave alike, and the line of the last of them. `known` says what explains it, and to whom that
    applies."""

    line: CaseLine
    labels: list[str]
    known: list[tuple[Known, list[str]]] = field(default_factory=list)

    @property
    def accuses(self) -> bool:
        """Whether it is a fault."""
        return self.line.accuses

    @property
    def also(self) -> list[tuple[str, list[str], list[str]]]:
        """(verdict, clauses by section and tag, specifications) of the same call under other texts."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, other in self.line.also.items():
            found.setdefault((other.verdict, *(parts(address)[2] for address in other.clauses)), []).append(name)
        return [(verdict, clauses, texts(names)) for (verdict, *clauses), names in found.items()]

    @cached_property
    def given(self) -> list[Picture]:
        """The inputs, with the cells that this answer's first differing element depends on."""
        return input_pictures(self.line)


@dataclass(eq=False)
class Instance:
    """One call in one form that accuses some column. Versions of a text on which all is the same share an instance.

    missing: the columns that did not try it; since: for a backend in several versions, what each did;
    clauses: those of the texts, by address.
    """

    case: CaseRow
    form: str
    answers: list[Answer]
    missing: list[str]
    since: list[str]
    records: dict[str, Record]
    clauses: Mapping[str, Clause]
    lines: list[CaseLine] = field(default_factory=list)

    @property
    def line(self) -> CaseLine:
        """The line of the first answer, which accuses."""
        return self.answers[0].line

    @property
    def accused(self) -> list[Answer]:
        """The answers that are faults."""
        return [answer for answer in self.answers if answer.accuses]

    @property
    def others(self) -> list[Answer]:
        """The answers that are not."""
        return [answer for answer in self.answers if not answer.accuses]

    @property
    def brief(self) -> str:
        """The call on one line, with the outputs asked for and the opsets on which all is the same."""
        opsets = sorted({line.opset for line in self.lines})
        call = call_text(self.line.call) if self.line.call else ""  # a line that accuses has one
        return f"{call} -> {', '.join(self.line.outputs)}; opset {', '.join(map(str, opsets))}"

    @property
    def anchors(self) -> list[str]:
        """An id for each version of the text."""
        return [anchor(f"{line.spec}-{line.id}-{line.form}") for line in self.lines]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The case under each version of the text."""
        return [(line.spec, line.id) for line in self.lines]

    def divergences(self, answer: Answer) -> list[Divergence]:
        """The clauses that an answer breaks, without those that only restate another."""
        return [entry for entry in answer.line.divergences if not self.clauses[entry.clause].restates]

    def pictures(self, answer: Answer) -> list[Picture]:
        """What to show with an answer: the input and what was expected once, and again where other cells matter."""
        if answer is self.answers[0]:
            return answer.given + output_pictures(answer.line, also_expected=True)
        again = answer.given if answer.given != self.answers[0].given else []
        return again + output_pictures(answer.line, also_expected=bool(again))

    @cached_property
    def yaml(self) -> str:
        """The call as a case; "" where the record does not hold its whole input."""
        try:
            return promoted(self.records[self.answers[0].labels[-1]], self.line)
        except LookupError:
            return ""

    @cached_property
    def download(self) -> tuple[str, str] | None:
        """(name, data: address) of an archive with the files of the first answer; None where there are none, or they
        would make the page large."""
        content = archive(self.records[self.answers[0].labels[-1]], self.line)
        if not 0 < len(content) <= LARGEST_DOWNLOAD:
            return None
        return f"{folder_name(self.line)}.zip", f"data:application/zip;base64,{base64.b64encode(content).decode()}"

    @cached_property
    def scripts(self) -> list[tuple[str, str]]:
        """(whom it tries, reproducer), for each answer that is a fault one for each backend that gave it."""
        made = [(label, script(self.records[label], answer.line)) for answer in self.accused
                for label in {self.records[label].header.backend.name: label for label in answer.labels}.values()]
        return [(label, text) for label, text in made if text]


def instances(shown: Sequence[Column], cases: Iterable[CaseRow], clauses: Mapping[str, Clause]) -> list[Instance]:
    """Every one; `clauses` are those of the texts, by address."""
    found: dict[str, Instance] = {}
    for case in cases:
        for form in dict.fromkeys(line.form for _, line in case.lines if line.accuses):
            lines = [cell.get(form) for cell in case.cells]
            key = json.dumps([parts(case.line.spec)[0], case.line.id, form, *map(_said, lines)])
            if key not in found:
                found[key] = _instance(shown, case, form, lines, clauses)
            found[key].lines.append(next(line for line in lines if line and line.accuses))
    return list(found.values())


def placed(listed: Iterable[Instance]) -> dict[ResultKey, Instance]:
    """For each result that accuses somebody its instance."""
    return {ResultKey(*key, instance.form): instance for instance in listed for key in instance.keys}


def _instance(shown: Sequence[Column], case: CaseRow, form: str, lines: list[CaseLine | None],
              clauses: Mapping[str, Clause]) -> Instance:
    answers: dict[str, Answer] = {}
    for column, line in zip(shown, lines, strict=True):
        if line is not None:
            answer = answers.setdefault(json.dumps(_said(line)), Answer(line, []))
            answer.line = line
            answer.labels.append(column.label)
            _explain(answer, line.known, column.label)
    ordered = sorted(answers.values(), key=lambda answer: (not answer.accuses, answer.line.known is not None))
    history = {name: [(shown[number].version, line.verdict) for number in numbers if (line := lines[number])]
               for name, numbers in versions(shown).items()}
    since = [f"{name}: {', then '.join(map(str, spans(steps)))}" for name, steps in history.items()]
    records = {column.label: column.record for column in shown}
    missing = [column.label for column, line in zip(shown, lines, strict=True) if line is None]
    return Instance(case, form, ordered, missing, since, records, clauses)


def _explain(answer: Answer, known: Known | None, label: str) -> None:
    for reason, labels in answer.known:
        if reason == known:
            labels.append(label)
            return
    if known is not None:
        answer.known.append((known, [label]))


def _said(line: CaseLine | None) -> list[Any]:
    """What makes two answers alike: verdict, clauses by their place in the text, and what was given. The words of a
    refusal are left aside: they hold addresses and line numbers. So is what is known: that is for each to say."""
    if line is None:
        return []
    said: list[Any] = [line.verdict, [parts(address)[2] for address in line.clauses], line.phase]
    if line.verdict in ("diverges", "unstable"):
        said += [line.did, *(_plain(tensors) for tensors in (line.got, line.again))]
    return [*said, line.call.model_dump()] if line.accuses and line.call else said


def _plain(tensors: Mapping[str, Tensor] | None) -> dict[str, Any] | None:
    return {name: tensor.model_dump() for name, tensor in tensors.items()} if tensors is not None else None
