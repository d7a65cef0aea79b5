"""Instances of findings: one call in one form, who is accused on it, and what every other backend did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plumbline.reports.addresses import anchor, parts, texts
from plumbline.reports.findings import Line
from plumbline.reports.grids import Picture, brief_values
from plumbline.reports.history import spans, versions
from plumbline.reports.pictures import input_pictures, output_pictures
from plumbline.reports.reproduce import script
from plumbline.reports.side_by_side import CaseRow, Column
from plumbline.trial.judge import ACCUSES
from plumbline.trial.promote import promoted
from plumbline.trial.record import Record

DEFAULTS = {"auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0, "count_include_pad": 0}
"""What ONNX takes where an attribute is absent."""


@dataclass
class Answer:
    """What some columns gave alike, and the line of the last of them. `known` says what explains it, and to whom that
    applies."""

    line: Line
    labels: list[str]
    known: list[tuple[dict[str, Any], list[str]]] = field(default_factory=list)

    @property
    def accuses(self) -> bool:
        """Whether it is a fault."""
        return self.line["verdict"] in ACCUSES

    @property
    def also(self) -> list[tuple[str, list[str], list[str]]]:
        """(verdict, clauses by section and tag, specifications) of the same call under other texts."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, other in self.line.get("also", {}).items():
            found.setdefault((other["verdict"], *(parts(address)[2] for address in other["clauses"])), []).append(name)
        return [(verdict, clauses, texts(names)) for (verdict, *clauses), names in found.items()]

    @cached_property
    def given(self) -> list[Picture]:
        """The inputs, with the window of this answer's first differing element."""
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
    clauses: dict[str, Any]
    lines: list[Line] = field(default_factory=list)

    @property
    def line(self) -> Line:
        """The line of the first answer, which accuses."""
        return self.answers[0].line

    @property
    def accused(self) -> list[Answer]:
        """The answers that are faults."""
        return [answer for answer in self.answers if answer.accuses]

    @property
    def others(self) -> list[Answer]:
        """The answers that are none."""
        return [answer for answer in self.answers if not answer.accuses]

    @property
    def brief(self) -> str:
        """The call on one line, with the outputs asked for and the opsets on which all is the same."""
        opsets = sorted({line["opset"] for line in self.lines})
        return (f"{call_text(self.line['call'])} -> {self.form.replace('+', ', ')}; "
                f"opset {', '.join(map(str, opsets))}")

    @property
    def anchors(self) -> list[str]:
        """An id for each version of the text."""
        return [anchor(f"{line['spec']}-{line['id']}-{line['form']}") for line in self.lines]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The case under each version of the text."""
        return [(line["spec"], line["id"]) for line in self.lines]

    def divergences(self, answer: Answer) -> list[dict[str, Any]]:
        """The clauses that an answer breaks, without those that only restate another."""
        return [entry for entry in answer.line.get("divergences", []) if not self.clauses[entry["clause"]]["restates"]]

    def pictures(self, answer: Answer) -> list[Picture]:
        """What to show with an answer: the input and what was expected once, and again where the window is another."""
        if answer is self.answers[0]:
            return answer.given + output_pictures(answer.line, also_expected=True)
        again = answer.given if answer.given != self.answers[0].given else []
        return again + output_pictures(answer.line, also_expected=bool(again))

    @cached_property
    def yaml(self) -> str:
        """The call as a case; "" where the record does not hold its whole input."""
        record = self.records[self.answers[0].labels[-1]]
        try:
            return promoted(record, self.line)
        except LookupError:
            return ""

    @cached_property
    def scripts(self) -> list[tuple[str, str]]:
        """(whom it tries, reproducer), for each answer that is a fault one for each backend that gave it."""
        made = [(label, script(self.records[label], answer.line)) for answer in self.accused
                for label in {self.records[label].header["backend"]["name"]: label for label in answer.labels}.values()]
        return [(label, text) for label, text in made if text]


def call_text(call: dict[str, Any]) -> str:
    """A call on one line, without the attributes that have ONNX's defaults; inputs of few elements with their values.

    >>> x = {"dtype": "float32", "shape": [1, 1, 2], "values": [[[1.0, "-inf"]]]}
    >>> call_text({"operator": "MaxPool", "attributes": {"kernel_shape": [2], "pads": [0, 0]}, "inputs": {"X": x}})
    'MaxPool(kernel_shape=[2]) of float32 [[[1, −inf]]]'
    """
    attributes = [f"{name}={value}" for name, value in call["attributes"].items() if not _is_default(name, value)]
    inputs = [f"{tensor['dtype']} {brief_values(tensor)}" for tensor in call["inputs"].values()]
    return f"{call['operator']}({', '.join(attributes)}) of {', '.join(inputs)}"


def _is_default(name: str, value: Any) -> bool:
    if name in ("pads", "strides", "dilations"):
        return isinstance(value, list) and all(item == (name != "pads") for item in value)
    return value == DEFAULTS.get(name)


def instances(shown: Sequence[Column], cases: Iterable[CaseRow], clauses: dict[str, Any]) -> list[Instance]:
    """Every one; `clauses` are those of the texts, by address."""
    found: dict[str, Instance] = {}
    for case in cases:
        for form in dict.fromkeys(line["form"] for _, line in case.lines if line["verdict"] in ACCUSES):
            lines = [cell.get(form) for cell in case.cells]
            key = json.dumps([parts(case.line["spec"])[0], case.line["id"], form, *map(_said, lines)])
            if key not in found:
                found[key] = _instance(shown, case, form, lines, clauses)
            found[key].lines.append(next(line for line in lines if line and line["verdict"] in ACCUSES))
    return list(found.values())


def _instance(shown: Sequence[Column], case: CaseRow, form: str, lines: list[Line | None],
              clauses: dict[str, Any]) -> Instance:
    answers: dict[str, Answer] = {}
    for column, line in zip(shown, lines, strict=True):
        if line is not None:
            answer = answers.setdefault(json.dumps(_said(line)), Answer(line, []))
            answer.line = line
            answer.labels.append(column.label)
            _explain(answer, line.get("known"), column.label)
    ordered = sorted(answers.values(), key=lambda answer: (not answer.accuses, "known" in answer.line))
    since = [f"{name}: " + ", then ".join(str(span) for span in spans(
        (shown[number].version, lines[number]["verdict"]) for number in numbers if lines[number] is not None))
        for name, numbers in versions(shown).items()]
    records = {column.label: column.record for column in shown}
    missing = [column.label for column, line in zip(shown, lines, strict=True) if line is None]
    return Instance(case, form, ordered, missing, since, records, clauses)


def _explain(answer: Answer, known: dict[str, Any] | None, label: str) -> None:
    for reason, labels in answer.known:
        if reason == known:
            labels.append(label)
            return
    if known is not None:
        answer.known.append((known, [label]))


def _said(line: Line | None) -> list[Any]:
    """What makes two answers alike: verdict, clauses by their place in the text, and what was given. The words of a
    refusal are left aside: they hold addresses and line numbers. So is what is known: that is for each to say."""
    if line is None:
        return []
    locals_ = [parts(address)[2] for address in line["clauses"]]
    said = [line["verdict"], locals_, line["phase"]]
    if line["verdict"] == "diverges":
        return [*said, line["did"], line.get("got"), line["call"]]
    return [*said, line["call"]] if line["verdict"] in ACCUSES else said
