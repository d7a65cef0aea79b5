"""What `oracle check` proposes is true: it repairs the clause, and keeps the meaning where it says so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

from plumbline.cases import generate_cases
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.check import Finding, check
from plumbline.oracle.check.repair import Repair
from plumbline.oracle.check.selection import in_force
from plumbline.oracle.node import Given, Node
from tests.suite.models import EXPLICIT, addresses, one_node, only
from tests.suite.written import cases_of


def finding_of(call: Call, opset: int, asked: tuple[bool, ...]) -> Finding:
    """What is found of a node that makes this call."""
    x, spec = call.inputs["X"], load_spec("sonnx/maxpool")
    node = Node("n", "graph", "", call.operator, opset, call.attributes, (Given(x.dtype, x.shape),), asked)
    return Finding(spec, node, spec.clause_by_clause(node.call(spec)))


def repaired(call: Call, repair: Repair) -> Call:
    """The call after a repair, on the same data."""
    x = call.inputs["X"].astype(repair.node.first.dtype).reshape(repair.node.first.shape)
    return Call(call.operator, repair.node.attributes, {"X": x}, call.outputs)


def assert_same_meaning(call: Call, other: Call, opset: int, later: int) -> None:
    """ONNX gives both the same outputs, but for what it leaves open of the first."""
    before, after = in_force("onnx/maxpool", opset), in_force("onnx/maxpool", later)
    unspecified = before.unspecified(call)
    for name, wanted in before.expected(call).items():
        mask = unspecified[name].mask if name in unspecified else np.zeros(wanted.shape, bool)
        if not isinstance(mask, str):
            got = after.expected(other)[name].reshape(wanted.shape)
            assert np.array_equal(got[~mask], wanted[~mask])


@pytest.mark.gate(one_in=12)
def test_repairs_are_true() -> None:
    """For calls that ONNX defines and the profile does not: after its repair each clause is kept, and a repair that is
    said to keep the meaning gives the same outputs. Unknown batch sizes change nothing."""
    spec = load_spec("sonnx/maxpool")
    seen = Counter()
    names = [name for name in spec_names() if name.startswith("onnx/maxpool")]
    calls = [*cases_of(*names), *(case for name in names for case in generate_cases(name, seed=17, count=50))]
    for case in calls:
        reference = load_spec(case.spec)
        if reference.violations(case.call):
            continue
        for asked in ((True,), (True, True))[:len(reference.outputs)]:
            call = case.call.asking_for(*reference.outputs[:len(asked)])
            finding = finding_of(call, reference.opset, asked)
            for clause, repair in finding.repairs.items():
                if repair is None:
                    seen["none"] += 1
                    continue
                other = repaired(call, repair)
                assert clause not in {entry.clause for entry in spec.violations(other)}, (case, clause)
                seen["changes" if repair.changes else "keeps"] += 1
                if not repair.changes:
                    later = max([reference.opset, *(edit.opset for edit in repair.edits)])
                    assert_same_meaning(call, other, reference.opset, later)
            if finding.repair is not None:
                assert not spec.violations(repaired(call, finding.repair)) or finding.repair.standing == "breaks"
                seen[finding.repair.standing] += 1
    assert seen["keeps"] > 500 and seen["changes"] > 20 and seen["none"] > 20 and seen["inside"] > 200, seen


@pytest.mark.parametrize(("attributes", "x", "step", "changes"), [
    ('auto_pad = "SAME_UPPER"', "float[1,3,H,W]", "pads = [0, 0, 1, 1] (what SAME_UPPER comes to)", None),
    ('auto_pad = "SAME_UPPER", strides = [2, 2]', "float[1,3,8,W]", "", "depends on the size of X on axis 3 (W)"),
    ('auto_pad = "SAME_LOWER", strides = [3, 3]', "float[1,3,9,9]", "", "auto_pad.U1 leaves open"),
    ('auto_pad = "VALID", ceil_mode = 1, strides = [2, 2]', "float[1,3,H,W]", "ceil_mode = 0 (what VALID", None),
    ("ceil_mode = 1, strides = [2, 2]", "float[1,3,8,8]", "set ceil_mode = 0 (the sizes of Y stay)", None),
    ("ceil_mode = 1, strides = [2, 2]", "float[1,3,9,8]", "ceil_mode = 0, pads = [0, 0, 1, 0] (the same", None),
    ("ceil_mode = 1, strides = [3, 3]", "float[1,3,8,8]", "set ceil_mode = 0 (the sizes of Y stay)", None),
    ("ceil_mode = 1, strides = [4, 4]", "float[1,3,8,8]", "", "Y.U2 leaves open what a window gives"),
    ("ceil_mode = 1, strides = [2, 2]", "float[1,3,H,8]", "", "depends on the size of X on axis 2 (H)"),
    ("ceil_mode = 2", "float[1,3,8,8]", "", "what ceil_mode = 2 means is not said"),
    ("storage_order = 1", "float[1,3,8,8]", "set storage_order = 0 (Indices are not asked for)", None),
    ("foo = 1", "float[1,3,8,8]", "remove foo (MaxPool never had it)", "ONNX gives the node no meaning"),
])
def test_the_repair_of_one_attribute(tmp_path: Path, attributes: str, x: str, step: str, changes: str | None) -> None:
    """What it says, and whether the meaning stays."""
    report = check(one_node(tmp_path, f"kernel_shape = [2, 2], {attributes}", x), ["sonnx/maxpool"])
    whole = only(report).repair
    assert step in "; ".join(whole.steps)
    assert not whole.changes if changes is None else any(changes in why for why in whole.changes)


def test_indices_that_are_asked_for_change_with_the_storage_order(tmp_path: Path) -> None:
    """The repair of R5 does not keep what they mean."""
    path = one_node(tmp_path, "kernel_shape = [2, 2], storage_order = 1", outputs="Y, Indices")
    assert "Indices then count row by row" in only(check(path, ["sonnx/*"])).repair.changes[0]


def test_a_type_outside_the_profile_is_cast_to_one_that_holds_it(tmp_path: Path) -> None:
    """bfloat16, which ONNX allows from opset 22 on."""
    path = one_node(tmp_path, f"kernel_shape = [2, 2], {EXPLICIT}", "bfloat16[1,3,8,8]", opset=22)
    finding = only(check(path, ["sonnx/maxpool"]))
    assert addresses(finding, "broken") == {"X.C3"} and not finding.repair.changes
    assert finding.repair.steps == ["Cast X to float32, which holds every bfloat16, and Y back"]


def proposed(folder: Path, text: str, spec: str, opset: int = 17) -> list[Repair]:
    """The repairs of the only node of a model under a specification."""
    path = folder / "model.onnx"
    path.write_bytes(onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {opset}]> {text}').SerializeToString())
    finding, = check(path, [spec]).findings
    assert None not in finding.repairs.values()
    return [repair for repair in finding.repairs.values() if repair is not None]


def test_defaults_of_a_convolution_are_proposed(tmp_path: Path) -> None:
    """By the shape of W, where lists have no default in the schema; the meaning stays."""
    repair, = proposed(tmp_path, """c (float[1,3,8,8] X, float[2,3,3,2] W, float[2] B) => (float[1,2,6,7] Y)
                       { Y = Conv (X, W, B) }""", "sonnx/conv")
    assert (repair.standing, repair.changes) == ("inside", ())
    assert repair.node.attributes == {"auto_pad": "NOTSET", "dilations": [1, 1], "group": 1, "kernel_shape": [3, 2],
                                      "pads": [0, 0, 0, 0], "strides": [1, 1]}


@pytest.mark.parametrize(("attributes", "opset", "axis"), [
    ("", 17, 2), ("<axis = -2>", 17, 1), ("<axis = -1>", 12, None)])
def test_the_axis_of_a_softmax_is_counted_from_the_front(tmp_path: Path, attributes: str, opset: int, axis: int | None
                                                         ) -> None:
    """The default of the version, too."""
    text = f"s (float[2,3,4] X) => (float[2,3,4] Y) {{ Y = Softmax {attributes} (X) }}"
    repair = proposed(tmp_path, text, "sonnx/softmax", opset)[0]
    assert repair.node.attributes == {"axis": 2 if axis is None else axis} and repair.changes == ()
    assert "counted from the front" in repair.steps[0]
