"""What the node tests of the onnx package find of the faults on the shelf of wrappers that the suite finds.

    python -m tests.suite.official [GLOB ...]      the operators whose names match, all of them by default

A node test is put to a faulty implementation as ONNX's runner puts it, and compared as ONNX's runner compares, within
the tolerance of the test. A test that the implementation without a fault does not pass is not counted.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache

import numpy as np
import onnx
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.runner import Runner

from plumbline.backends import Request
from plumbline.cases.onnx.models import to_call
from plumbline.commands.base import leave
from plumbline.oracle import Spec, load_spec, spec_names
from tests.faults.calls import default_items, operators
from tests.faults.subjects import implementation, wrapped
from tests.faults.trial import try_wrappers

Run = Callable[[Request], object]
"""An implementation, which gives its outputs by name or raises."""


@dataclass(frozen=True)
class NodeTest:
    """A node test of ONNX's: requests with the outputs that are right."""

    name: str
    requests: tuple[tuple[Request, tuple[np.ndarray, ...]], ...]
    rtol: float
    atol: float

    def fails(self, run: Run) -> bool:
        """Whether an implementation fails it."""
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for request, right in self.requests:
                    outputs = dict(run(request))  # type: ignore[call-overload]
                    Runner.assert_similar_outputs(right, [np.asarray(outputs[name]) for name in request.outputs],
                                                  self.rtol, self.atol)
        except Exception:  # whatever a fault comes to
            return True
        return False


@cache
def _collected() -> list[TestCase]:
    """Every node test; the package makes them, once in a process."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases
        return list(collect_testcases(None))


def node_tests(operator: str) -> Iterator[NodeTest]:
    """ONNX's tests of one node of that operator that a request can hold."""
    for test in _collected():
        graph = test.model.graph
        if [node.op_type for node in graph.node] != [operator]:
            continue  # the same test with the operator's function in its place
        opset = next(entry.version for entry in test.model.opset_import if entry.domain == "")
        spec = _in_force(operator, opset)
        requests = []
        for inputs, outputs in test.data_sets:
            arrays = dict(zip([value.name for value in graph.input], inputs, strict=True))
            if spec is not None and all(isinstance(array, np.ndarray) for array in arrays.values()):
                requests.append(_request(test.model, spec, opset, arrays, outputs))
        if len(requests) == len(test.data_sets):
            yield NodeTest(test.name, tuple(requests), test.rtol, test.atol)


def _request(model: onnx.ModelProto, spec: Spec, opset: int, arrays: dict[str, np.ndarray],
             outputs: list[np.ndarray]) -> tuple[Request, tuple[np.ndarray, ...]]:
    node = model.graph.node[0]
    call, _ = to_call(model.SerializeToString(), arrays)
    names = spec.input_names(len(node.input))
    inputs = {name: arrays[given] for name, given in zip(names, node.input, strict=True) if given}
    asked = tuple(name for name, given in zip(spec.output_names(len(node.output)), node.output, strict=False) if given)
    request = Request(b"", call.operator, call.attributes, opset, inputs, asked, specification=spec.name)
    return request, tuple(outputs)


def _in_force(operator: str, opset: int) -> Spec | None:
    names = [name for name in spec_names() if name.startswith("onnx/")]
    specs = [load_spec(name) for name in names if name.partition("@")[0] == f"onnx/{operator.lower()}"]
    return max((spec for spec in specs if spec.opset <= opset), key=lambda spec: spec.opset, default=None)


def faults_found(operator: str) -> dict[str, Run]:
    """The wrappers of an operator of ONNX that the default run of the suite finds, by name."""
    items = default_items(operators()[operator])
    runs = {wrapper: run for wrapper, run in wrapped(operator, items)}
    report = try_wrappers(runs, implementation(operator), items, [])
    names = {result.fault for result in report.results if result.outcome == "found"}
    return {wrapper.name: run for wrapper, run in runs.items() if wrapper.name in names}


def main(arguments: list[str] | None = None) -> int:
    """Print a row of a Markdown table for each operator, and the sum."""
    globs = arguments if arguments is not None else sys.argv[1:] or ["*"]
    print("| operator | ONNX's tests | faults that the suite finds | found by ONNX's tests |\n|---|---|---|---|")
    sums = [0, 0, 0]
    for name in operators():
        operator = load_spec(operators()[name][0]).operator
        if not name.startswith("onnx/") or not any(fnmatch(operator, glob) for glob in globs):
            continue
        tests = [test for test in node_tests(operator) if not test.fails(implementation(name))]
        faults = faults_found(name)
        row = [len(tests), len(faults), sum(any(test.fails(run) for test in tests) for run in faults.values())]
        sums = [total + part for total, part in zip(sums, row, strict=True)]
        print(f"| {operator} | {' | '.join(map(str, row))} |", flush=True)
    print(f"| all | {' | '.join(map(str, sums))} |")
    return 0


if __name__ == "__main__":
    leave(main)
