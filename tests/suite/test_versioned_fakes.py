"""Each fake is caught at exactly the clauses that it breaks, in every version of a text that has them."""

from __future__ import annotations

import pytest

from plumbline.backends import Answered, InProcess, to_request
from plumbline.oracle import JudgedCall, load_spec, spec_names
from tests.sampling import sampled
from tests.suite import onnx_fakes, openvino_fakes
from tests.suite.fakes import Adapter
from tests.suite.written import cases_of

TABLES = {"onnx/maxpool": onnx_fakes.MAXPOOL, "onnx/averagepool": onnx_fakes.AVERAGEPOOL,
          "ms.nhwc/maxpool": onnx_fakes.NHWC, "openvino/maxpool": openvino_fakes.MAXPOOL,
          "openvino/avgpool": openvino_fakes.AVGPOOL}
SPECS = [name for name in spec_names() if name.partition("@")[0] in TABLES and "@" in name]
LARGE = 300
"""Elements of X above which a case is left to the backends: the fakes are slow."""


def of_version(spec: str, clauses: frozenset[str]) -> set[str]:
    """Those clauses that a version of the text has."""
    return {clause for clause in clauses if f"{spec}#{clause}" in load_spec(spec).clauses}


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(SPECS, 8))
def test_a_faulty_implementation_breaks_exactly_its_clauses(name: str) -> None:
    """Each of them, by the newest edition alone; the one without a fault breaks none. Restatements aside."""
    spec = load_spec(name, "1.23.2")
    calls = [(case, case.call.asking_for(*form)) for case in cases_of(name) for form in spec.forms
             if case.expectation.kind == "outputs" and case.call.inputs["X"].size < LARGE]
    asked = [(JudgedCall(spec, call), to_request(spec, call, case.opset)) for case, call in calls]
    for fault, (function, clauses) in TABLES[name.partition("@")[0]].items():
        host, broken = InProcess(type(fault, (Adapter,), {"name": fault, "run": staticmethod(function)})()), set()
        for judged, request in asked:
            outcome = host.run(request)
            assert isinstance(outcome, Answered), f"{fault}: {outcome}"
            broken |= {entry.clause for entry in judged.divergences(outcome.outputs)}
        stated = {address.partition("#")[2] for address in broken if not spec.clauses[address].restates}
        assert stated == of_version(name, clauses), f"{fault}: {function.__doc__}"


def test_every_clause_on_outputs_has_a_fake_that_breaks_it_alone() -> None:
    """The gate, for specifications with versions."""
    for spec in SPECS:
        alone = [clauses for _, clauses in TABLES[spec.partition("@")[0]].values() if len(clauses) == 1]
        missing = [clause.local for clause in load_spec(spec).clauses.values()
                   if clause.judges == "outputs" and not clause.restates and {clause.local} not in alone]
        assert not missing, f"{spec}: write a faulty implementation that breaks exactly {missing}"
