"""What faults are planted in, by operator: its reference oracle, and the implementations that are derived from neither
oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from plumbline.backends import Request
from plumbline.oracle import Call, load_spec
from plumbline.oracle.discovery import slow_oracle
from tests.faults.calls import Item, Outputs
from tests.faults.program import Program
from tests.faults.trial import Invoke
from tests.operators.discovery import honest, modules
from tests.power.implementation import Pooling

REFERENCE = "plumbline.oracle.reference."
POOLING = {"MaxPool": "pool", "AveragePool": "average"}
"""The operators that `tests.power.implementation` and `tests.suite.naive` compute, with the function of the latter."""

IN_ONNX = ("onnx/", "sonnx")
"""Families whose calls these two read."""


@dataclass(frozen=True)
class Subject:
    """A program in which faults are planted: ``reference``, or the place of an independent implementation."""

    name: str
    program: Program
    invoke: Invoke


def subjects(operator: str, names: list[str]) -> Iterator[Subject]:
    """Those of an operator."""
    spec = load_spec(names[0])
    oracle = slow_oracle(operator, spec.path)
    yield Subject("reference", Program(oracle.__module__, [REFERENCE], oracle.__name__), _of_oracle)
    if spec.operator in POOLING and operator.startswith(IN_ONNX):
        function = POOLING[spec.operator]
        yield Subject("tests.suite.naive", Program("tests.suite.naive", ["tests.suite."], function), _of_function)
        yield Subject("tests.power", Program(Pooling.__module__, ["tests.power."], "Pooling.run"), _of_function)
    elif operator in modules():
        kind = honest(modules()[operator])[0]
        yield Subject("tests.operators", Program(modules()[operator].__name__, ["tests.operators."], kind.__name__),
                      _of_class)


def implementation(operator: str, names: list[str]) -> Callable[[Request], Outputs]:
    """The right implementation that faults are wrapped around: the canonical outputs where there is no other."""
    if load_spec(names[0]).operator in POOLING and operator.startswith(IN_ONNX):
        return Pooling.run
    if operator in modules():
        return honest(modules()[operator])[0]().run
    return _canonical


def _of_oracle(entry: Any, item: Item) -> Outputs:
    call = item.judged.call
    return entry(call, item.spec.opset) if "@" in item.spec.name else entry(call)


def _of_function(entry: Any, item: Item) -> Outputs:
    return entry(item.request)


def _of_class(entry: Any, item: Item) -> Outputs:
    return entry().run(item.request)


def _canonical(request: Request) -> Outputs:
    spec = load_spec(request.specification)
    return spec.expected(Call(request.operator, dict(request.attributes), dict(request.inputs), request.outputs))
