"""Make instances of findings: a call and all its answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plumbline.reports.columns import CaseRow, Column, versions
from plumbline.reports.histories import spans
from plumbline.reports.pictures import Picture, input_pictures, output_pictures
from plumbline.reports.reproduce import archive, folder_name, script
from plumbline.reports.words import anchor, local_of, merge_versions, unversioned
from plumbline.trial.record.header import Clause
from plumbline.trial.record.lines import CaseLine, Divergence, Known, ResultKey
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.tools.promotion import promoted

LARGEST_DOWNLOAD = 8192
"""Bytes of the largest archive embedded in a page."""


@dataclass
class Answer:
    """An answer that some columns share.

    known: known divergences that explain it, with the labels to which they apply.
    """

    line: CaseLine
    labels: list[str]
    known: list[tuple[Known, list[str]]] = field(default_factory=list)

    @property
    def accuses(self) -> bool:
        """True if the answer is a fault."""
        return self.line.accuses

    @property
    def other_verdicts(self) -> list[tuple[str, list[str], list[str]]]:
        """Verdicts on the call under other specifications.

        Triples of verdict, broken clauses (section and tag) and specifications."""
        names_of: dict[tuple[str, ...], list[str]] = {}
        for name, also in self.line.also.items():
            names_of.setdefault((also.verdict, *map(local_of, also.clauses)), []).append(name)
        return [(verdict, clauses, merge_versions(names)) for (verdict, *clauses), names in names_of.items()]

    @cached_property
    def inputs(self) -> list[Picture]:
        """The inputs, with the cells read marked."""
        return input_pictures(self.line)


@dataclass(eq=False)
class Instance:
    """A call in one output selection that accuses some column.

    Versions of a specification with the same results share an instance.

    missing: labels of the columns that did not try the call;
    history: a sentence for each backend in several versions: the verdicts of each version;
    lines:   an accusing line for each version of the specification.
    """

    case: CaseRow
    form: str
    answers: list[Answer]
    missing: list[str]
    history: list[str]
    records: dict[str, Record]
    clauses: Mapping[str, Clause]
    lines: list[CaseLine] = field(default_factory=list)

    @property
    def line(self) -> CaseLine:
        """The line of the first answer, an accusing one."""
        return self.answers[0].line

    @property
    def accused(self) -> list[Answer]:
        """The faulty answers."""
        return [answer for answer in self.answers if answer.accuses]

    @property
    def other_answers(self) -> list[Answer]:
        """The answers that are no fault."""
        return [answer for answer in self.answers if not answer.accuses]

    @property
    def brief(self) -> str:
        """The call on one line, with requested outputs and opsets."""
        opsets = sorted({line.opset for line in self.lines})
        call = call_text(self.line.call) if self.line.call else ""  # a line that accuses has one
        return f"{call} -> {', '.join(self.line.outputs)}; opset {', '.join(map(str, opsets))}"

    @property
    def anchors(self) -> list[str]:
        """An HTML id for each version of the specification."""
        return [anchor(f"{line.spec}-{line.id}-{line.form}") for line in self.lines]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The case under each version of the specification."""
        return [(line.spec, line.id) for line in self.lines]

    def divergences(self, answer: Answer) -> list[Divergence]:
        """The broken clauses of an answer, without restatements."""
        return [entry for entry in answer.line.divergences if not self.clauses[entry.clause].restates]

    def pictures(self, answer: Answer) -> list[Picture]:
        """The pictures of an answer.

        Inputs and expected outputs are shown with the first answer, and again if other cells are marked."""
        if answer is self.answers[0]:
            return answer.inputs + output_pictures(answer.line, also_expected=True)
        inputs = answer.inputs if answer.inputs != self.answers[0].inputs else []
        return inputs + output_pictures(answer.line, also_expected=bool(inputs))

    @cached_property
    def yaml(self) -> str:
        """The call as a YAML case, or ""."""
        try:
            return promoted(self.records[self.answers[0].labels[-1]], self.line)
        except LookupError:
            return ""

    @cached_property
    def download(self) -> tuple[str, str] | None:
        """Name and data: URL of an archive of the files.

        None if there are no files, or they would make the page large."""
        content = archive(self.records[self.answers[0].labels[-1]], self.line)
        if not 0 < len(content) <= LARGEST_DOWNLOAD:
            return None
        return f"{folder_name(self.line)}.zip", f"data:application/zip;base64,{base64.b64encode(content).decode()}"

    @cached_property
    def scripts(self) -> list[tuple[str, str]]:
        """Pairs of label and reproducer of the faulty answers."""
        pairs = [(label, script(self.records[label], answer.line)) for answer in self.accused
                 for label in {self.records[label].header.backend.name: label for label in answer.labels}.values()]
        return [(label, text) for label, text in pairs if text]


def instances(shown: Sequence[Column], cases: Iterable[CaseRow], clauses: Mapping[str, Clause]) -> list[Instance]:
    """The instances of all cases, equal versions merged. `clauses` are the clauses of the specifications by address."""
    by_key: dict[str, Instance] = {}
    for case in cases:
        for form in dict.fromkeys(line.form for _, line in case.lines if line.accuses):
            lines = [cell.get(form) for cell in case.cells]
            key = json.dumps([unversioned(case.line.spec), case.line.id, form, *map(_identity, lines)])
            if key not in by_key:
                by_key[key] = _instance(shown, case, form, lines, clauses)
            by_key[key].lines.append(next(line for line in lines if line and line.accuses))
    return list(by_key.values())


def instances_by_result(entries: Iterable[Instance]) -> dict[ResultKey, Instance]:
    """The instance of each accusing result."""
    return {ResultKey(*key, instance.form): instance for instance in entries for key in instance.keys}


def _instance(shown: Sequence[Column], case: CaseRow, form: str, lines: list[CaseLine | None],
              clauses: Mapping[str, Clause]) -> Instance:
    """Return a call with its answers; equal answers of several columns are one.

    form:    the outputs asked for, "Y+Indices".
    lines:   for each column its result, None if it did not try the call.
    clauses: of the specifications, by address."""
    answers: dict[str, Answer] = {}
    for column, line in zip(shown, lines, strict=True):
        if line is not None:
            answer = answers.setdefault(json.dumps(_identity(line)), Answer(line, []))
            answer.line = line
            answer.labels.append(column.label)
            _explain(answer, line.known, column.label)
    ordered = sorted(answers.values(), key=lambda answer: (not answer.accuses, answer.line.known is not None))
    steps_of = {name: [(shown[number].version, line.verdict) for number in numbers if (line := lines[number])]
                for name, numbers in versions(shown).items()}
    history = [f"{name}: {', then '.join(map(str, spans(steps)))}" for name, steps in steps_of.items()]
    records = {column.label: column.record for column in shown}
    missing = [column.label for column, line in zip(shown, lines, strict=True) if line is None]
    return Instance(case, form, ordered, missing, history, records, clauses)


def _explain(answer: Answer, known: Known | None, label: str) -> None:
    """Add a known divergence of a column to an answer."""
    for reason, labels in answer.known:
        if reason == known:
            labels.append(label)
            return
    if known is not None:
        answer.known.append((known, [label]))


def _identity(line: CaseLine | None) -> list[Any]:
    """The part of a line in which equal answers agree.

    The message of a refusal is left out since it contains addresses and line numbers, the known divergence since it
    differs from backend to backend."""
    if line is None:
        return []
    identity: list[Any] = [line.verdict, [local_of(address) for address in line.clauses], line.phase]
    if line.verdict in ("diverges", "unstable"):
        identity += [line.did, *(_plain(tensors) for tensors in (line.got, line.again))]
    return [*identity, line.call.model_dump()] if line.accuses and line.call else identity


def _plain(tensors: Mapping[str, Tensor] | None) -> dict[str, Any] | None:
    return {name: tensor.model_dump() for name, tensor in tensors.items()} if tensors is not None else None
