"""Shapes of outputs that a specification declares once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plumbline.cases.generate.choices import Draw, drawn
from plumbline.oracle import Call, SpecError, load_spec, spec_names
from plumbline.oracle.markdown import read_front
from plumbline.oracle.shapes import ShapeFormula
from tests.sampling import sampled

DECLARED = [name for name in spec_names() if load_spec(name).definition.shape_formulas]


def test_clause_predicate_and_shape_come_from_one_formula() -> None:
    """DepthToSpace declares its sizes; a wrong one breaks the clause that states them."""
    spec = load_spec("onnx/depthtospace@13")
    call = Call("DepthToSpace", {"blocksize": 2}, {"input": np.zeros((1, 8, 2, 3), np.float32)})
    assert spec.judged(call).definition.shape_of("output") == (1, 2, 4, 6)
    wrong, = spec.divergences(call, {"output": np.zeros((1, 2, 6, 4), np.float32)})
    assert wrong.clause == "onnx/depthtospace@13#output.C1"
    assert wrong.why == "output has shape [1, 2, 6, 4], not [1, 2, 4, 6]"
    assert spec.clauses[wrong.clause].statement.startswith("output has the shape `(N, C / (blocksize * blocksize), ")


def test_a_shape_may_be_that_of_another_output() -> None:
    """InvStdDev of LayerNormalization has that of Mean, whose clause is written by hand."""
    spec, x = load_spec("onnx/layernormalization@17"), np.zeros((2, 3, 4), np.float32)
    call = Call("LayerNormalization", {"axis": 1}, {"X": x, "Scale": x[0]})
    wrong, = spec.divergences(call, {**spec.expected(call), "InvStdDev": x})
    assert (wrong.clause, wrong.why) == ("onnx/layernormalization@17#InvStdDev.C1",
                                         "InvStdDev has shape [2, 3, 4], not [2, 1, 1]")


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(DECLARED, 8))
def test_declared_shapes_are_those_of_canonical_outputs(name: str) -> None:
    """On drawn calls."""
    for number in range(100):
        judged = load_spec(name).judged(drawn(load_spec(name), Draw((18, number))))
        for output, array in judged.expected.items():
            assert judged.definition.shape_of(output) == array.shape


@pytest.mark.parametrize("formula", ["X.y", "(N", "(N**2) of X (N)", "(f(N)) of X (N)", "(N, 'a') of X (N)",
                                     f"(N{' + N' * 99}) of X (N)", ""])
def test_other_terms_are_refused(formula: str) -> None:
    """Formulas are read, never run."""
    with pytest.raises((ValueError, SyntaxError)):
        ShapeFormula("Y.C1", formula)


def test_a_wrong_formula_is_told_with_its_file(tmp_path: Path) -> None:
    """As other mistakes of a front matter are."""
    page = Path(load_spec("onnx/abs@13").path).read_text(encoding="utf-8")
    path = tmp_path / "abs.md"
    path.write_text(page.replace("{Y.C1: X}", "{Y.C1: X + 1}"), encoding="utf-8")
    with pytest.raises(SpecError, match=r"abs\.md:1: shapes .* formulas of shapes \(Y\.C1: 'X \+ 1' is neither"):
        read_front(path)
