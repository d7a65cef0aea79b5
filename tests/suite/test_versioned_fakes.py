"""Each fake is caught at exactly the clauses that it breaks, in every version of a text that has them."""

from __future__ import annotations

import pytest

from plumbline.cases import Case
from plumbline.oracle import load_spec, spec_names
from plumbline.reports.clauses import primary_clauses
from tests.suite import onnx_fakes, openvino_fakes
from tests.suite.fakes import Adapter

TABLES = {"onnx/maxpool": onnx_fakes.MAXPOOL, "onnx/averagepool": onnx_fakes.AVERAGEPOOL,
          "ms.nhwc/maxpool": onnx_fakes.NHWC, "openvino/maxpool": openvino_fakes.MAXPOOL,
          "openvino/avgpool": openvino_fakes.AVGPOOL}
SPECS = [name for name in spec_names() if name.partition("@")[0] in TABLES and "@" in name]
PUT = [(name, fake) for name in SPECS for fake in TABLES[name.partition("@")[0]]]
LARGE = 300
"""Elements of X above which a case is left to the backends: the fakes are slow."""


def of_version(spec: str, clauses: frozenset[str]) -> set[str]:
    """Those clauses that a version of the text has."""
    return {clause for clause in clauses if f"{spec}#{clause}" in load_spec(spec).clauses}


@pytest.mark.parametrize(("spec", "name"), PUT)
def test_a_lie_breaks_exactly_its_clauses(spec: str, name: str, cases: list[Case], run_trial) -> None:
    """And the truth breaks none."""
    function, clauses = TABLES[spec.partition("@")[0]][name]
    adapter = type(name, (Adapter,), {"name": name, "run": lambda self, request: function(request)})()
    chosen = [case for case in cases if case.spec == spec and case.expectation.kind == "outputs"
              and case.call.inputs["X"].size < LARGE]
    record = run_trial(adapter, chosen)
    broken = {clause.partition("#")[2] for line in record.cases if line.verdict == "diverges"
              for clause in primary_clauses(record, line)}
    assert set(record.counts) <= {"conforms", "diverges", "observed"}
    assert broken == of_version(spec, clauses), function.__doc__


@pytest.mark.parametrize("spec", SPECS)
def test_every_clause_on_outputs_has_a_fake_that_breaks_it_alone(spec: str) -> None:
    """The gate, for texts with versions."""
    alone = [clauses for _, clauses in TABLES[spec.partition("@")[0]].values() if len(clauses) == 1]
    missing = [clause.local for clause in load_spec(spec).clauses.values()
               if clause.judges == "outputs" and not clause.restates and {clause.local} not in alone]
    assert not missing, f"write a fake that breaks exactly {missing}"
