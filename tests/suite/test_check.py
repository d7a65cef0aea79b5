"""`oracle check`: models are judged node by node, and what a model does not say decides nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.cases import generate_cases
from plumbline.cases.generate.schema_cases import schema_cases
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.check import check
from plumbline.oracle.partial import PartialTensor
from tests.sampling import sampled
from tests.suite.commands import plumbline as main
from tests.suite.models import EXPLICIT, addresses, model, one_node, only
from tests.suite.written import cases_of

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
POOLING = ["onnx/maxpool", "onnx/averagepool"]
REAL = {  # MaxPool nodes, AveragePool nodes
    "bvlc_alexnet": (3, 0), "densenet121": (1, 3), "inception_v1": (13, 1), "inception_v2": (5, 8), "resnet50": (1, 1),
    "shufflenet": (1, 4), "squeezenet": (3, 0), "vgg19": (5, 0), "zfnet512": (3, 0)}


@pytest.mark.parametrize("name", REAL)
def test_real_graphs_break_the_rule_on_defaults_and_nothing_else(name: str) -> None:
    """Every pooling node of the graphs in the onnx package; attributes written out repair each of them."""
    maxima, means = REAL[name]
    report = check(LIGHT / f"light_{name}.onnx", ["sonnx/maxpool", *POOLING])
    nodes = Counter(finding.spec.name for finding in report.findings)
    assert nodes == Counter({"sonnx/maxpool": maxima, "onnx/maxpool@8": maxima, "onnx/averagepool@7": means})
    assert report.counts(load_spec("sonnx/maxpool"), "broken") == {"sonnx/maxpool#restrictions.R2": maxima}
    assert report.status() == 1
    for finding in report.findings:
        assert not finding.those("undecided") and not finding.those("blocked")
        if finding.spec.name == "sonnx/maxpool":
            assert finding.repair.standing == "inside" and not finding.repair.changes
            assert "opset 10 or later" in finding.repair.steps[0]
        else:
            assert finding.standing == "inside" and finding.repair is None


def test_every_graph_in_the_package_is_tried() -> None:
    """The table above leaves none out."""
    assert {path.stem.removeprefix("light_") for path in LIGHT.glob("*.onnx")} == set(REAL)


NESTED = """g (float[N,3,8,8] X, bool c, int64 count) => (float[a,b,d,e] Y, float[f,h,i,j] Z, float[k,l,m,n] W) {
  Y = If (c) <then_branch = yes () => (float[o,p,q,r] T) { V = Relu (X)  T = MaxPool <kernel_shape = [2, 2]> (V) },
              else_branch = no () => (float[s,t,u,v] U) { U = local.pool <steps = [1, 1]> (X) }>
  Z = Loop (count, c, X) <body = again (int64 i1, bool c1, float[N,3,8,8] B) => (bool c2, float[w,x,y,z] D) {
    c2 = Identity (c1)  D = MaxPool <kernel_shape = [1, 1]> (B) }>
  W = Scan (X) <num_scan_inputs = 1, body = slices (float[3,8,8] S) => (float[aa,bb,cc] R) {
    R = MaxPool <kernel_shape = [3]> (S) }>
}"""
POOL = """<domain: "local", opset_import: ["": 12]>
pool <steps> (A) => (B) { R = Relu (A)  B = MaxPool <kernel_shape = [3, 3], strides: ints = @steps> (R) }
<domain: "local", opset_import: ["": 12]>
never (A) => (B) { B = MaxPool <kernel_shape = [9, 9]> (A) }"""


def test_subgraphs_and_functions_are_read(tmp_path: Path) -> None:
    """Nodes in If, Loop and Scan, and in a function with the attributes and the shape that its caller gives; a function
    that nothing calls is not judged."""
    nodes = [finding.node for finding in check(model(tmp_path, NESTED, functions=POOL), ["sonnx/maxpool"]).findings]
    assert [(node.place, node.first.shape) for node in nodes] == [
        ("graph > If Y > then_branch", ("N", 3, 8, 8)),
        ("graph > If Y > else_branch > function local.pool", ("N", 3, 8, 8)),
        ("graph > Loop Z > body", ("N", 3, 8, 8)),
        ("graph > Scan W > body", (3, 8, 8))]
    assert nodes[1].attributes == {"kernel_shape": [3, 3], "strides": [1, 1]}


def test_a_function_for_another_opset_is_judged_by_the_text_of_that_opset(tmp_path: Path) -> None:
    """It cannot be inlined: what its caller gives is undecided, what it says itself is not."""
    functions = """<domain: "local", opset_import: ["": 10]>
    old <steps> (A) => (B) { B = MaxPool <kernel_shape = [0, 3], strides: ints = @steps> (A) }"""
    graph = "g (float[1,3,8,8] X) => (float[a,b,c,d] Y) { Y = local.old <steps = [1, 1]> (X) }"
    report = check(model(tmp_path, graph, functions=functions), ["onnx/*"])
    finding = only(report)
    assert finding.spec.name == "onnx/maxpool@10" and finding.node.place == "function local.old"
    assert addresses(finding, "broken") == {"kernel_shape.C1"} and finding.repair is None
    assert {"strides.C1", "X.C1", "X.C2", "signature.C1"} <= addresses(finding, "undecided")
    assert report.notes[0].startswith("not inlined") and "local.old" in report.notes[0]


def test_weights_in_other_files_are_not_needed(tmp_path: Path) -> None:
    """A model with external data is judged without the file that holds them."""
    path = one_node(tmp_path, f"kernel_shape = [2, 2], {EXPLICIT}")
    proto = onnx.load(path)
    weights = onnx.numpy_helper.from_array(np.zeros((1, 3, 8, 8), np.float32), "W")
    onnx.external_data_helper.set_external_data(weights, "absent.bin", offset=0, length=768)
    weights.ClearField("raw_data")
    proto.graph.initializer.append(weights)
    proto.graph.node.insert(0, onnx.helper.make_node("Add", ["X", "W"], ["S"]))
    proto.graph.node[1].input[0] = "S"
    path.write_bytes(proto.SerializeToString())
    report = check(path, ["sonnx/maxpool"])
    assert only(report).standing == "inside" and only(report).node.first.shape == (1, 3, 8, 8) and report.status() == 0


@pytest.mark.parametrize(("x", "undecided"), [
    ("float[N,C,8,8]", set()),
    ("float[N,C,H,8]", {"pads.C4", "Y.C3"}),
    ("float[N,C,8,?]", {"pads.C4", "Y.C3"}),
    ("float[]", {"restrictions.R1", "kernel_shape.C2", "pads.C1", "pads.C4", "strides.C3", "Y.C3"}),
])
def test_what_the_model_does_not_say_is_undecided(tmp_path: Path, x: str, undecided: set[str]) -> None:
    """Exactly the clauses that depend on it."""
    report = check(one_node(tmp_path, f"kernel_shape = [2, 2], {EXPLICIT}", x), ["sonnx/maxpool"])
    assert addresses(only(report), "undecided") == undecided and not addresses(only(report), "broken")
    assert report.status() == (3 if undecided else 0) and report.status(allow_undecided=True) == 0


def test_an_unknown_type_is_undecided(tmp_path: Path) -> None:
    """X comes from an operator that nobody knows."""
    graph = f"""g (float[1,3,8,8] V) => (float[a,b,c,d] Y) {{
        X = local.mystery (V)  Y = MaxPool <kernel_shape = [2, 2], {EXPLICIT}> (X) }}"""
    assert {"X.C3", "restrictions.R1"} <= addresses(only(check(model(tmp_path, graph), ["sonnx/*"])), "undecided")


def hidden(call: Call) -> Iterator[Call]:
    """The call with the type, the rank, some sizes or nothing but the elements hidden, of one input or of all."""
    for name, tensor in call.inputs.items():
        shapes = [None] + [tuple("" if axis in chosen else size for axis, size in enumerate(tensor.shape))
                           for count in range(tensor.ndim + 1) for chosen in combinations(range(tensor.ndim), count)]
        for shape in shapes:
            for dtype in (tensor.dtype, None):
                partial = {name: PartialTensor(dtype, shape, name)}
                yield replace(call, inputs={**call.inputs, **partial})
    yield replace(call, inputs={name: PartialTensor(None, None, name) for name in call.inputs})


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(spec_names(), 16))
def test_what_is_decided_does_not_depend_on_what_is_unknown(name: str) -> None:
    """Of every case, and of generated calls, whatever is hidden: a clause that is decided is decided rightly."""
    spec = load_spec(name)
    calls = [case.call for case in (*cases_of(name), *generate_cases(name, seed=5, count=20), *schema_cases(name))]
    decided = Counter()
    for call in calls:
        full = {entry.clause: entry for entry in spec.clause_by_clause(call)}
        assert {entry.clause for entry in spec.violations(call)} == {
            clause for clause, entry in full.items() if entry.state == "broken"}
        outside_facts = any(full[clause].state == "broken" for clause in spec.facts if clause in full)
        for partial in hidden(call):
            for entry in spec.clause_by_clause(partial):
                state = full[entry.clause].state
                # A broken fact blocks every other clause; where it is hidden, these are decided by themselves.
                assert entry.state in ("undecided", state) or (state == "blocked" and outside_facts)
                decided[entry.state] += 1
    assert min(decided[state] for state in ("kept", "broken", *["undecided"] * bool(spec.inputs))) > 0


def test_versions_asked_for_that_are_not_in_force_are_named(tmp_path: Path) -> None:
    """A versioned name applies at its opsets alone; a name without version is the one in force."""
    path = one_node(tmp_path, "kernel_shape = [2, 2]", opset=13)
    assert only(check(path, ["onnx/maxpool"])).spec.name == "onnx/maxpool@12"
    report = check(path, ["onnx/maxpool@1", "onnx/maxpool@12", "onnx/maxpool@22"])
    assert only(report).spec.name == "onnx/maxpool@12"
    assert report.notes == ["onnx/maxpool@1, onnx/maxpool@22 are not in force at opset 13, onnx/maxpool@12 is"]
    report = check(path, ["onnx/maxpool@11"])
    assert report.status() == 2 and "not in force" in report.notes[0]


def test_a_glob_names_every_text_in_force(tmp_path: Path) -> None:
    """`onnx/*` and `onnx/maxpool` together ask once for each text; one that was asked for by name, and has no node in
    the model, is named."""
    path = one_node(tmp_path, "kernel_shape = [2, 2]")
    report = check(path, ["onnx/*", "onnx/maxpool", "onnx/maxpool@1"])
    assert only(report).spec.name == "onnx/maxpool@12" and report.notes == []
    assert check(path, ["onnx/*", "onnx/averagepool"]).notes == ["onnx/averagepool: the model has no AveragePool node"]
    notes = check(path, ["*/averagepool"]).notes
    assert notes == ["onnx/averagepool: the model has no AveragePool node"]


def test_operators_without_a_specification_are_named(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """By default, and of a whole family: undecided, status 3; Constant is data. Of one operator nothing else counts."""
    path = model(tmp_path, """g (float[2,3] X) => (float[2,3] Y) {
        C = Constant <value = float[1] {2}> ()  A = Relu (X)  B = test.Unknown (A)  Y = test.Unknown (B) }""",
                 imports=', "test": 1')
    assert main(["check", str(path)]) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "2 nodes without a specification: test.Unknown (2)"
    assert main(["check", str(path), "--allow-undecided"]) == main(["check", str(path), "--spec", "onnx/relu"]) == 0
    assert check(path, ["sonnx/*"]).unspecified == {"test.Unknown": 2} and not check(path, ["*/relu"]).unspecified


def test_an_input_that_nothing_gives_is_named(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """It is not merely undecided. A branch may read what graphs around it give."""
    path = model(tmp_path, "g () => (float[1] Y) { Y = Relu (nowhere) }")
    assert main(["check", str(path)]) == 3
    assert "note: not a valid model: nothing gives nowhere, an input of the node Y\n" in capsys.readouterr().out
    branch = "g () => (float[1] b) { b = Relu (X) }"
    path = model(tmp_path, f"g (float[1] X, bool C) => (float[1] Y) "
                 f"{{ Y = If (C) <then_branch = {branch}, else_branch = {branch}> }}")
    main(["check", str(path)])
    assert "note:" not in capsys.readouterr().out


def test_a_node_before_the_first_version_of_a_text_is_named(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Such a node is undecided; where no other is judged, nothing was checked."""
    graph = "g (float[2,2] X) => (float[2,2] Y) {{ A = {first} (X)  Y = Gemm (A, X, X) }}"
    for first, status in (("Relu", 3), ("test.Unknown", 2)):
        path = model(tmp_path, graph.format(first=first), imports=', "test": 1', opset=6)
        assert main(["check", str(path), "--spec", "onnx/relu", "--spec", "onnx/gemm"]) == status
        assert "1 node without a specification: Gemm at opset 6 (1)" in capsys.readouterr().out


def test_a_model_without_any_operator_of_a_family_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Not one for each operator of the family."""
    path = model(tmp_path, "g (float[2] X) => (float[2] Y) { Y = test.Unknown (X) }", imports=', "test": 1')
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().out.splitlines()[1:] == [
        "note: the model has no node of an operator in onnx/*", "1 node without a specification: test.Unknown (1)"]


def test_each_operator_set_has_its_own_specification(tmp_path: Path) -> None:
    """A node of the internal NHWC domain is judged by the text about that, and by no other."""
    graph = """g (float[1,3,8,8] X) => (float[a,b,c,d] Y, float[e,f,g,h] Z) {
        Y = MaxPool <kernel_shape = [2, 2]> (X)  Z = com.ms.internal.nhwc.MaxPool <kernel_shape = [3]> (X) }"""
    path = model(tmp_path, graph, imports=', "com.ms.internal.nhwc": 11')
    report = check(path, ["ms.nhwc/*", "onnx/maxpool", "sonnx/maxpool"])
    assert [(finding.spec.name, finding.node.name) for finding in report.findings] == [
        ("ms.nhwc/maxpool@11", "Z"), ("onnx/maxpool@12", "Y"), ("sonnx/maxpool", "Y")]
    assert addresses(report.findings[0], "broken") and set(report.findings[0].repairs.values()) == {None}


@pytest.mark.parametrize(("content", "says"), [
    (None, "cannot be read: No such file or directory"),
    (b"", "not an ONNX model: it has no graph with nodes"),
    (b"a text file, not a model", "not an ONNX model"),
    ("half", "not an ONNX model"),
])
def test_a_file_that_cannot_be_checked_gives_one_line(tmp_path: Path, content: bytes | str | None, says: str,
                                                      capsys: pytest.CaptureFixture) -> None:
    """Absent, empty, of another kind, cut off in the middle: status 2."""
    path = one_node(tmp_path, "kernel_shape = [2, 2]")
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:len(path.read_bytes()) // 2] if content == "half" else content)
    assert main(["check", str(path), "--spec", "sonnx/*"]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error == f"{path}: {says}\n"


def test_nothing_to_check_and_no_such_specification(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Both are status 2, and say so."""
    path = model(tmp_path, "g (float[1,3,8,8] X) => (float[a,b,c,d] Y) { Y = Relu (X) }")
    assert main(["check", str(path), "--spec", "sonnx/maxpool"]) == 2
    assert "the model has no MaxPool node" in capsys.readouterr().out
    for name in ("sonnx/nothing", "openvino/*"):
        assert main(["check", str(path), "--spec", name]) == 2
        assert f"no specification of a model's operators is called '{name}'" in capsys.readouterr().err


def test_the_text_says_clause_reason_and_repair(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """What is said of several nodes alike stands once."""
    path = model(tmp_path, """g (float[1,3,9,9] X) => (float[a,b,c,d] Y, float[e,f,g,h] Z) {
        Y = MaxPool <kernel_shape = [2, 2]> (X)  Z = MaxPool <kernel_shape = [2, 2]> (X) }""")
    assert main(["check", str(path), "--spec", "sonnx/maxpool"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "sonnx/maxpool  2 MaxPool nodes: 2 breaking a clause",
        "  Y  (graph; X float32 [1, 3, 9, 9])  breaks",
        "  Z  (graph; X float32 [1, 3, 9, 9])  breaks",
        "    breaks sonnx/maxpool#restrictions.R2 No defaults: not set: auto_pad, ceil_mode, dilations, pads, "
        "storage_order, strides",
        "      repair: set auto_pad = NOTSET, ceil_mode = 0, dilations = [1, 1], pads = [0, 0, 0, 0], "
        "storage_order = 0, strides = [1, 1] (ONNX's defaults)",
        "    after these repairs: inside"]


def test_json_has_the_documented_keys(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """And the status that the process ends with."""
    path = one_node(tmp_path, "kernel_shape = [2, 2], ceil_mode = 1, strides = [2, 2]", "float[N,3,8,?]")
    assert main(["check", str(path), "--spec", "sonnx/maxpool", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["model", "opset", "status", "notes", "specs", "nodes", "unspecified", "model_clauses"]
    assert found["status"] == 1
    assert list(found["specs"][0]) == ["spec", "nodes", "inside", "breaks", "undecided", "broken", "open"]
    node = found["nodes"][0]
    assert list(node) == ["spec", "name", "place", "operator", "domain", "opset", "x", "inputs", "standing",
                          "malformed", "broken", "undecided", "repair"]
    assert node["x"] == node["inputs"]["X"] == {"dtype": "float32", "shape": ["N", 3, 8, "X.3"]}
    assert list(node["broken"][0]) == ["clause", "why", "restates", "repair"]
    assert list(node["undecided"][0]) == ["clause", "depends_on"]
    assert list(node["repair"]) == ["steps", "keeps_meaning", "changes", "attributes", "dtype", "shape", "standing"]


def test_only_check_needs_onnx() -> None:
    """The oracle itself, and the other doors, do not import it."""
    program = ("import sys; from plumbline.commands.base import run; from plumbline.commands.main import commands; "
               "run(commands, ['list']); sys.exit('onnx' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


@pytest.mark.parametrize(("address", "held"), [
    ("onnx/maxpool@12#Y.C2", "10, 11, 12 of 1, 8, 10, 11, 12, 22"),
    ("onnx/averagepool@22#X.C3", "22 of 1, 7, 10, 11, 19, 22"),
    ("onnx/maxpool@1#X.C1", "1, 8, 10, 11, 12, 22 of 1, 8, 10, 11, 12, 22"),
    ("onnx/maxpool#Y.C2", "10, 11, 12 of 1, 8, 10, 11, 12, 22"),
])
def test_explain_says_for_which_versions_a_clause_holds(address: str, held: str,
                                                        capsys: pytest.CaptureFixture) -> None:
    """An address without a version is that of the last version which has the clause."""
    assert main(["explain", address]) == 0
    assert f"  holds for versions: {held}\n" in capsys.readouterr().out


def test_explain_finds_a_clause_by_a_tag_of_its_source(capsys: pytest.CaptureFixture) -> None:
    """Each clause that has the tag, with all that it has."""
    assert main(["explain", "sonnx/add#E_ADD_INT_CONSTR_B_0020"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("sonnx/add#B.C2  ")
    assert "  tags there: E_ADD_FLOAT_CONSTR_B_0020, E_ADD_INT_CONSTR_B_0020\n" in said
    assert main(["explain", "sonnx-saiv26/maxpool#C3"]) == 0
    assert capsys.readouterr().out.count("  tags there: C3\n") == 2
    assert main(["explain", "sonnx/add#E_ADD_INT_CONSTR_B_0021"]) == 2


def test_explain_says_nothing_of_versions_where_there_are_none(capsys: pytest.CaptureFixture) -> None:
    """SONNX has one text."""
    assert main(["explain", "sonnx/maxpool#Y.C1"]) == 0
    assert "versions" not in capsys.readouterr().out
