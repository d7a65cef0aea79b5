"""`oracle check` for any operator: inputs by name, those left out, constants whose values a clause reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import helper, numpy_helper

from plumbline.oracle.check import Finding, check
from plumbline.oracle.discovery import VARIABLE
from plumbline.oracle.partial import PartialTensor, Undecided
from tests.suite.commands import plumbline as main
from tests.suite.models import addresses, model, only

FRONT = """---
specification: some/{name}
operator: {operator}
opset: 13
outputs: [Y]
optional: []
{inputs}
edition: ONNX, {operator}-13
---
# {operator}

### `X`: tensor

"""
CLAUSE = "- **`{tag}`** *A rule.* It holds.\n  - judges: {judges}\n  - source: here\n"
DEFINITION = """from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.operator import Operator, on_call

class {operator}(Operator):
    value = elements_of("X.F1", "Y", "wrong")
{clauses}

def literal(call):
    return {{}}
"""
CLIP = {"C1": "None if 'low' not in self.inputs or self.inputs['low'].ndim == 0 else 'low is not a scalar'",
        "C2": "None if 'low' not in self.inputs or self.inputs['low'] < 5 else f\"low is {self.inputs['low']}\"",
        "C3": "None if self.inputs['X'].shape[1] == 3 else 'not three'",
        "C4": "None if 'high' not in self.inputs or self.inputs['high'].dtype == 'float32' else 'high is another type'"}
CONCAT = {"C1": "None if len({tensor.dtype for tensor in self.inputs.values()}) == 1 else 'types differ'"}
GRAPH = """g (float[N,M] X, float high) => (float[a,b] Y, float[c,d] Z) <float low = {{{low}}}> {{
    five = Constant <value_float = 5.0> ()
    Y = Clip (X, {first})
    Z = Concat <axis = 0> (X, Y, X) }}"""


@pytest.fixture(autouse=True)
def some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts: of an operator with optional inputs, one of which a clause reads, and of a variadic one."""
    folder = tmp_path / "texts" / "some"
    folder.mkdir(parents=True)
    for operator, inputs, clauses in (("Clip", "inputs: [X, low, high]\noptional_inputs: [low, high]", CLIP),
                                      ("Concat", "inputs: [inputs]\nvariadic_input: inputs", CONCAT)):
        name = operator.lower()
        text = FRONT.format(name=name, operator=operator, inputs=inputs)
        text += "".join(CLAUSE.format(tag=tag, judges="call") for tag in clauses)
        (folder / f"{name}.md").write_text(text + CLAUSE.format(tag="F1", judges="outputs"), encoding="utf-8")
        methods = "".join(f"    @on_call('X.{tag}')\n    def {tag.lower()}(self):\n        return {body}\n"
                          for tag, body in clauses.items())
        (folder / f"{name}.py").write_text(DEFINITION.format(operator=operator, clauses=methods), encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "texts"))


def found(folder: Path, low: str = "1", first: str = "low") -> Finding:
    """What is found of the Clip node."""
    return only(check(model(folder, GRAPH.format(low=low, first=first), opset=13), ["some/clip"]))


def test_the_value_of_an_initialiser_is_read(tmp_path: Path) -> None:
    """A clause on the elements of an input is decided where the model has them; what is not known is named."""
    inside = found(tmp_path)
    assert inside.standing == "undecided" and addresses(inside, "kept") == {"X.C1", "X.C2", "X.C4"}
    assert [entry.why for entry in inside.those("undecided")] == ["the size of X on axis 1 (M)"]
    assert [entry.why for entry in found(tmp_path, "7").those("broken")] == ["low is 7.0"]


def test_the_value_of_a_constant_node_is_read(tmp_path: Path) -> None:
    """Like that of an initialiser."""
    assert [entry.why for entry in found(tmp_path, first="five").those("broken")] == ["low is 5.0"]


def test_an_input_whose_value_the_caller_gives_is_undecided(tmp_path: Path) -> None:
    """Also where it has a default among the initialisers."""
    assert "the elements of low" in [entry.why for entry in found(tmp_path, first="high").those("undecided")]
    path = model(tmp_path, GRAPH.format(low="7", first="low"), opset=13)
    proto = onnx.load(path)
    proto.graph.input.append(helper.make_tensor_value_info("low", 1, []))
    path.write_bytes(proto.SerializeToString())
    assert addresses(only(check(path, ["some/clip"])), "undecided") == {"X.C2", "X.C3"}


def test_an_input_left_out_leaves_the_others_their_names(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The third is not the second; each is shown with its type and shape."""
    path = model(tmp_path, GRAPH.format(low="1", first="low, high"), opset=13)
    proto = onnx.load(path)
    proto.graph.node[1].input[1] = ""
    path.write_bytes(proto.SerializeToString())
    node = only(check(path, ["some/clip"])).node
    assert [given is None for given in node.inputs] == [False, True, False]
    main(["check", str(path), "--spec", "some/clip"])
    assert "Y  (graph; X float32 [N, M], high float32 [])" in capsys.readouterr().out


def test_sizes_of_one_symbol_are_equal() -> None:
    """And those of two symbols, or of none, are not known to be, or not to be."""
    one, two = (PartialTensor(None, ("N", "M", ""), name) for name in "AB")
    assert one.shape[:2] == two.shape[:2] and not one.shape[0] != two.shape[0]
    for size, other in ((one.shape[0], two.shape[1]), (one.shape[2], two.shape[2]), (one.shape[0], 3)):
        with pytest.raises(Undecided, match="the size of A on axis"):
            assert size == other
        with pytest.raises(Undecided):
            assert size != other


def test_variadic_inputs_are_numbered(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """As many as there are."""
    path = model(tmp_path, GRAPH.format(low="1", first="low"), opset=13)
    assert main(["check", str(path), "--spec", "some/concat"]) == 0
    assert "inputs_0 float32 [N, M], inputs_1 float32 [a, b], inputs_2 float32 [N, M]" in capsys.readouterr().out


def test_a_node_that_makes_no_call_at_all_breaks(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """An input too many is neither passed over nor the end of the check."""
    path = model(tmp_path, GRAPH.format(low="1", first="low, high, high"), opset=13)
    assert main(["check", str(path), "--spec", "some/*"]) == 1
    out = capsys.readouterr().out
    assert "not a call of the operator: Clip takes X, low, high, each an array; not X, low, high, input 3" in out
    assert "some/concat  1 Concat node: 1 inside" in out


def test_an_initialiser_that_does_not_fit_its_shape_has_no_value(tmp_path: Path) -> None:
    """Nor one that stands in another file."""
    path = model(tmp_path, GRAPH.format(low="7", first="low"), opset=13)
    proto = onnx.load(path)
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.float32(7), "low"))
    proto.graph.initializer[0].dims[:] = [2**40]
    path.write_bytes(proto.SerializeToString())
    assert {"X.C2"} <= addresses(only(check(path, ["some/clip"])), "undecided")


@pytest.mark.parametrize("read", [
    lambda x: x == 0, lambda x: 0 < x, lambda x: x + 1, lambda x: 1 - x, lambda x: x[0], list, len, bool, np.isnan,
    np.any, lambda x: np.add(np.ones(1), x), lambda x: np.ones(1) * x, lambda x: np.concatenate([x, x]), int,
    lambda x: x.tolist(), lambda x: 3 in x, lambda x: x.size])
def test_no_way_of_reading_what_is_not_known_gives_an_answer(read: object) -> None:
    """Neither a comparison, which Python would answer by identity, nor a function of numpy."""
    with pytest.raises(Undecided, match="of W"):
        read(PartialTensor(np.dtype("float32"), ("N", 3), "W"))


def test_open_sizes_are_given(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """By symbol, or by input and axis, as they are shown; what depends on them is decided then."""
    path = tmp_path / "model.onnx"
    proto = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]> s (float[N,H] X, float[4] B) => '
                                    "(float[N,4] Y) { Y = Add (X, B) }")
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    path.write_bytes(proto.SerializeToString())
    assert main(["check", str(path)]) == 3
    out = capsys.readouterr().out
    assert "the size of A on axis " in out and "A float32 [X.0, H]" in out  # as --size takes them
    assert main(["check", str(path), "--size", "H=4", "--size", "X.0=1"]) == 0
    assert "A float32 [1, 4]" in capsys.readouterr().out
    assert main(["check", str(path), "--size", "K=9"]) == 2
    assert "--size K: the model's inputs have no such size; they have H, X.0" in capsys.readouterr().err
