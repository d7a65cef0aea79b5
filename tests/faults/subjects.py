"""What faults are planted in, by operator: its reference oracle, and the implementations that are derived from neither
oracle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from plumbline.backends import Request
from plumbline.oracle import Call, load_spec
from plumbline.oracle.discovery import reference_oracle
from plumbline.oracle.limits import holdable
from tests.faults.calls import Item, Outputs
from tests.faults.program import Program
from tests.faults.shelf import shelf
from tests.faults.trial import Invoke
from tests.faults.wrapper import Facts, Run, Wrapper
from tests.operators.discovery import implementations

REFERENCE = "plumbline.oracle.reference."
NAIVE = {"onnx/maxpool": "pool", "sonnx/maxpool": "pool", "onnx/averagepool": "average"}
"""The functions of `tests.suite.naive` that compute an operator."""

MOST = 2**22
"""Elements of the largest output of an answer with a fault."""


@dataclass(frozen=True)
class Subject:
    """A program in which faults are planted: ``reference``, or the place of an independent implementation."""

    name: str
    program: Program
    invoke: Invoke


def subjects(operator: str, names: list[str]) -> Iterator[Subject]:
    """Those of an operator."""
    spec = load_spec(names[0])
    oracle = reference_oracle(operator, spec.path, spec.module)
    yield Subject("reference", Program(oracle.__module__, [REFERENCE], oracle.__name__), _of_oracle)
    if operator in NAIVE:
        yield Subject("tests.suite.naive", Program("tests.suite.naive", ["tests.suite."], NAIVE[operator]),
                      _of_function)
    if operator in implementations():
        kind = implementations()[operator][0]
        yield Subject("tests.operators", Program(kind.__module__, ["tests.operators."], kind.__name__), _of_class)


def implementation(operator: str) -> Run:
    """The right implementation that faults are wrapped around: the canonical outputs where there is no other."""
    return implementations()[operator][0]().run if operator in implementations() else canonical


def wrapped(operator: str, items: Iterable[Item]) -> Iterator[tuple[Wrapper, Run]]:
    """Each wrapper that an operator can have, with the faulty implementation that it makes."""
    right = implementation(operator)
    for wrapper in shelf(Facts.of(items)):
        yield wrapper, partial(_spoilt, wrapper, right)


def _spoilt(wrapper: Wrapper, right: Run, request: Request) -> Outputs:
    return wrapper.spoils(right, request, right(request))


def _of_oracle(entry: Any, item: Item) -> Outputs:
    call = item.judged.call
    return entry(call, item.spec.opset) if "@" in item.spec.name else entry(call)


def _of_function(entry: Any, item: Item) -> Outputs:
    return entry(item.request)


def _of_class(entry: Any, item: Item) -> Outputs:
    return entry().run(item.request)


def canonical(request: Request) -> Outputs:
    """Return the canonical outputs of a request. Raises TooLarge for those of which a spoilt input makes millions."""
    spec = load_spec(request.specification)
    judged = spec.judged(Call(request.operator, dict(request.attributes), dict(request.inputs), request.outputs))
    for output in judged.asked:
        holdable(output, judged.definition.shape_of(output), MOST)
    return judged.expected
