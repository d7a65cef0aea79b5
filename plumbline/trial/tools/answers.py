"""Tabulate the answers of backends to a case, and what is required."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.backends import Answered, BackendError, Request, find_backend, to_request
from plumbline.backends.declared_limits import Asking
from plumbline.backends.outcomes import Outcome, in_words
from plumbline.cases import Case
from plumbline.oracle import Call, Spec, load_spec

ELEMENTS = 32
"""Elements of an output that are shown."""

REFUSAL = 60
"""Characters of a refusal that are shown."""


@dataclass(frozen=True)
class Row:
    """The answers of a backend: a text for each output of each form."""

    who: str
    cells: tuple[str, ...]


def heading(case: Case) -> Row:
    """Return the row of titles: the outputs, each alone or beside others."""
    spec = load_spec(case.spec)
    return Row("", tuple(f"{name} of {'+'.join(form)}" if len(form) > 1 else name for form in spec.forms
                         for name in spec.asked(case.call.asking_for(*form))))


def required(case: Case) -> Row:
    """Return the canonical outputs; elements of which the specification leaves something open end with "?".

    Raises OutsideDomain."""
    spec, cells = load_spec(case.spec), list[str]()
    for form in spec.forms:
        call = case.call.asking_for(*form)
        masks = {name: entry.mask for name, entry in spec.unspecified(call).items()}
        expected = spec.expected(call)
        cells += [_values(array, masks.get(name, False)) for name, array in expected.items()]
    return Row(case.spec, tuple(cells))


def answers(case: Case, names: Iterable[str], time_limit: float) -> Iterator[Row]:
    """Yield the row of each backend; one that cannot be started has its reason. Wrong outputs are marked."""
    spec = load_spec(case.spec)
    requests = [(call, to_request(spec, call, case.opset, time_limit))
                for call in (case.call.asking_for(*form) for form in spec.forms)]
    for named in names:
        try:
            host = find_backend(named).start()
        except BackendError as error:
            yield Row(named, (" ".join(str(error).split()),))
            continue
        try:
            yield Row(f"{named.partition('==')[0]} {host.identity.version}", _cells(spec, requests, Asking(host)))
        finally:
            host.close()


def _cells(spec: Spec, requests: Sequence[tuple[Call, Request]], asking: Asking) -> tuple[str, ...]:
    cells = list[str]()
    for call, request in requests:
        outcome, = asking.submit([request])
        cells += _of_outcome(spec, call, outcome)
    return tuple(cells)


def _of_outcome(spec: Spec, call: Call, outcome: Outcome) -> list[str]:
    names = spec.asked(call)
    if not isinstance(outcome, Answered):
        text = in_words(outcome)
        return [text if len(text) <= REFUSAL else f"{text[:REFUSAL]}…"] + [""] * (len(names) - 1)
    wrong = {entry.output for entry in spec.divergences(call, outcome.outputs)}
    return [f"{_values(outcome.outputs[name])}{' ✗' if name in wrong else ''}" if name in outcome.outputs else
            "absent ✗" for name in names]


def _values(array: np.ndarray, mask: np.ndarray | str | bool = False) -> str:
    """Return the elements in C order, those of the mask with "?"; a mask that is a text is about the whole output."""
    marks = np.broadcast_to(True if isinstance(mask, str) else mask, array.shape).reshape(-1)[:ELEMENTS].tolist()
    texts = [f"{_number(value)}{'?' if mark else ''}"
             for value, mark in zip(array.reshape(-1)[:ELEMENTS].tolist(), marks, strict=True)]
    return " ".join(texts) + (" …" if array.size > ELEMENTS else "")


def _number(value: object) -> str:
    if isinstance(value, float):
        return "NaN" if value != value else f"{value:.9g}"
    return str(value)


def markdown(rows: Iterable[Row]) -> str:
    """Return rows as a table; the first one has the titles."""
    head, *rest = rows
    lines = [" | ".join(["runtime", *head.cells]), "|".join(["---"] * (1 + len(head.cells))),
             *(" | ".join([row.who, *(cell.replace("|", "\\|") for cell in row.cells),
                           *[""] * (len(head.cells) - len(row.cells))]) for row in rest)]
    return "\n".join(f"| {line} |" if "---" not in line else f"|{line}|" for line in lines)
