"""Facts of ONNX's schemas: frozen in specifications, judged, and asked of backends."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.cases.generate.schema_cases import is_judged, schema_cases
from plumbline.commands.cases import _official
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.clause import SpecError
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.markdown import read_front
from plumbline.oracle.schema_sync import GENERATED, facts_of, synced, synced_front, written
from plumbline.oracle.specification import texts_named
from tests.suite.commands import plumbline

X = np.ones((2, 3), np.float32)


def test_what_is_generated_is_that_of_the_installed_onnx(capsys: pytest.CaptureFixture[str]) -> None:
    """Versions, inputs, outputs, editions, attribute names and types, element types: of all specifications."""
    assert plumbline(["specs", "sync", "onnx/*", "--check"]) == 0, capsys.readouterr().out


def test_a_front_matter_with_errors_is_mended(tmp_path: Path) -> None:
    """Each generated key and fact; what was written by hand stays, even where the schema says otherwise."""
    text, = texts_named("onnx/resize")
    path, page = tmp_path / "resize.md", text.path.read_text(encoding="utf-8")
    spoiled = page.replace("versions: [10, 11, ", "versions: [").replace("optional_inputs: [roi, scales, sizes]\n", "")
    spoiled = spoiled.replace("inputs: [X, roi, scales, sizes]", "inputs: [X, roi, scales]")
    path.write_text(spoiled.replace("onnx package 1.", "onnx package 0.").replace("types: [float32, ", "types: ["),
                    encoding="utf-8")
    assert "input_versions: {roi: 11-, sizes: 11-}" in page.partition(GENERATED)[0]
    front, table = synced_front(read_front(path)), synced(read_front(path), lambda text, fact: False)
    assert written(path.read_text(encoding="utf-8"), front, table) == page


@pytest.mark.parametrize(("name", "attributes", "clause"), [
    ("onnx/shape@15", {"start": "x"}, "start.C1"), ("onnx/clip@6", {"min": "x"}, "min.C4"),
    ("onnx/argmax@13", {"keepdims": "x"}, "keepdims.C1"), ("onnx/transpose@13", {"perm": "x"}, "perm.C1"),
    ("onnx/transpose@13", {"axes": [0]}, "signature.C1")])
def test_what_the_schema_refuses_is_outside(name: str, attributes: dict, clause: str) -> None:
    """As onnx.checker has it; other clauses are not asked of a call that breaks a fact."""
    spec = load_spec(name)
    call = Call(spec.operator, attributes, {spec.inputs[0]: X})
    assert [entry.clause for entry in spec.violations(call)] == [f"{name}#{clause}"]
    node = onnx.helper.make_node(spec.operator, ["x"], ["y"], **attributes)
    context = onnx.checker.C.CheckerContext()
    context.ir_version, context.opset_imports = 8, {"": spec.opset}
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_node(node, context)


def test_each_fact_is_broken_by_a_generated_call() -> None:
    """Alone; of facts on attributes and types of Transpose and Concat none is left out."""
    for name in [name for name in spec_names() if name.startswith(("onnx/transpose@", "onnx/argmax@"))]:
        spec, cases = load_spec(name), list(schema_cases(name))
        assert {clause for case in cases for clause in case.clauses} == {
            address for address in spec.facts if spec.clauses[address].judges == "call"
            and (spec.opset < max(spec.versions) or not address.endswith("#data.C6"))}, name
        assert len({case.id for case in cases}) == len(cases)


def test_facts_keep_their_addresses(tmp_path: Path) -> None:
    """What onnx adds gets the next free tag, what it changes is written, and nothing is written twice."""
    text, = texts_named("onnx/transpose")
    path = tmp_path / "transpose.md"
    shutil.copy(text.path, path)
    old = {address: dict(entry) for address, entry in text.front["schema"].items()}
    del old["data.C6"]
    old["data.C5"]["versions"] = "24-"
    front = synced_front(text)
    path.write_text(written(path.read_text(encoding="utf-8"), front, old), encoding="utf-8")
    table = synced(read_front(path), lambda text, fact: False)
    assert table == text.front["schema"] and list(old) == [address for address in table if address != "data.C6"]
    path.write_text(written(path.read_text(encoding="utf-8"), front, table), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text.path.read_text(encoding="utf-8")


def test_a_type_that_an_attribute_names_is_a_fact() -> None:
    """By type inference, which is asked for two of the types that the output may have."""
    named = {operator: [(fact.section, fact.values["named"]) for fact in facts_of(operator, "", [version])
                        if "named" in fact.values]
             for operator, version in (("LayerNormalization", 17), ("Cast", 6), ("Constant", 25), ("Relu", 14))}
    assert named == {"LayerNormalization": [("Mean", "stash_type"), ("InvStdDev", "stash_type")],
                     "Cast": [("output", "to")], "Constant": [], "Relu": []}
    spec, call = load_spec("onnx/layernormalization@17"), Call("LayerNormalization", {}, {"X": X, "Scale": X[0]})
    right = spec.expected(call)
    wrong, = spec.divergences(call, {**right, "Mean": right["Mean"].astype(np.float64)})
    assert (wrong.clause, wrong.why) == ("onnx/layernormalization@17#Mean.F2", "Mean is float64, not float32")
    assert spec.clauses[wrong.clause].statement == "Mean has the element type that `stash_type` names."


def test_clauses_written_by_hand_are_left_alone() -> None:
    """A fact that they judge already is not stated again."""
    text, = texts_named("onnx/maxpool")
    assert text.facts == {} and synced(text, is_judged) == {}


@pytest.mark.parametrize("entry", ["axis.C1: {fact: colour}", "axis.C1: {fact: attribute, typ: int}", "axis: {}",
                                   "axis.C1: {fact: attribute, type: int, versions: newest}", "axis.C1: int"])
def test_a_wrong_fact_is_named(entry: str, tmp_path: Path) -> None:
    """With the file and the key."""
    text, = texts_named("onnx/transpose")
    path = tmp_path / "transpose.md"
    page = text.path.read_text(encoding="utf-8")
    path.write_text(page.replace("schema:\n", f"schema:\n  {entry}\n"), encoding="utf-8")
    with pytest.raises(SpecError, match=r"transpose.md:1: .*schema"):
        read_front(path)


def test_a_fact_that_is_a_clause_as_well_is_named(tmp_path: Path) -> None:
    """With the line of the clause."""
    text, = texts_named("onnx/transpose")
    path = tmp_path / "transpose.md"
    path.write_text(text.path.read_text(encoding="utf-8").replace("**`C2`** *Perm", "**`C1`** *Perm"), encoding="utf-8")
    with pytest.raises(SpecError, match=r"transpose.md:\d+: perm.C1 is a fact of the schema"):
        _ = read_front(path).clauses


def test_a_new_specification_has_what_the_schemas_give(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as it is, its facts are those of onnx, what is left is marked; nothing is overwritten."""
    arguments = ["specs", "new", "SoftmaxCrossEntropyLoss", "--folder", str(tmp_path)]
    assert plumbline(arguments) == 0
    assert "TODO" in (tmp_path / "onnx" / "softmaxcrossentropyloss.md").read_text(encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path))
    spec = load_spec("onnx/softmaxcrossentropyloss@12")
    assert (spec.inputs, spec.outputs) == (("scores", "labels", "weights"), ("output", "log_prob"))
    assert (spec.optional_inputs, spec.optional) == (("weights",), ("log_prob",))
    assert spec.definition.types_of("scores", 12) == ("float32", "float16", "float64")
    assert plumbline(["specs", "sync", spec.name.partition("@")[0], "--check"]) == 0
    capsys.readouterr()
    assert plumbline(arguments) == 2 and "loss.md: exists already" in capsys.readouterr().err
    assert plumbline(["specs", "new", "Rnn"]) == 2 and "no operator Rnn" in capsys.readouterr().err


def test_a_new_specification_of_an_operator_of_the_suite_needs_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                      capsys: pytest.CaptureFixture[str]) -> None:
    """Of the same name it would stop every command; with a name of its own it is read beside the suite's."""
    assert plumbline(["specs", "new", "Relu", "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "there is a specification onnx/relu already" in said and "--name mine/relu" in said
    assert not list(tmp_path.iterdir())
    assert plumbline(["specs", "new", "Relu", "--folder", str(tmp_path), "--name", "Relu"]) == 2
    assert "write FAMILY/OPERATOR in small letters, such as mine/relu" in capsys.readouterr().err
    assert plumbline(["specs", "new", "Relu", "--folder", str(tmp_path), "--name", "mine/relu"]) == 0
    assert "plumbline conformance --spec mine/relu\n" in capsys.readouterr().out
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path))
    spec = load_spec("mine/relu@14")
    assert spec.operator == "Relu" and {"X.C3", "Y.F2"} <= {clause.local for clause in spec.clauses.values()}
    assert plumbline(["specs", "new", "Hardswish"]) == 2 and "did you mean 'HardSwish'?" in capsys.readouterr().err


def test_examples_of_a_specification_in_another_folder_stay_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                                  ) -> None:
    """They are not written among the suite's cases."""
    assert plumbline(["specs", "new", "Shrink", "--folder", str(tmp_path)]) == 0
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path))
    assert _official("onnx/shrink") == tmp_path / "onnx" / "shrink-official.yaml"
    assert _official("onnx/abs") == CASE_FOLDER / "onnx" / "abs" / "official.yaml"


def test_an_output_that_the_definition_does_not_give_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a KeyError; and first that the text has a section on what is none of its outputs."""
    source, stated = SPEC_FOLDER.parent / "docs/worked-example/example/leakyrelu", "element type of X.\n"
    for folder, field in (("without", ""), ("with", "  - judges: outputs\n")):
        (tmp_path / folder / "example").mkdir(parents=True)
        for suffix in (".md", ".py"):
            text = source.with_suffix(suffix).read_text("utf-8").replace("outputs: [Y]", "outputs: [Z]")
            (tmp_path / folder / "example" / f"leakyrelu{suffix}").write_text(
                text.replace(stated, stated + field), encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path / "without"))
    with pytest.raises(SpecError, match=r"the one it has is about outputs, and the text has the outputs Z"):
        load_spec("example/leakyrelu")
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path / "with"))
    spec = load_spec("example/leakyrelu")
    with pytest.raises(SpecError, match="the text names the output Z, and `expected` of LeakyRelu gives Y"):
        spec.divergences(Call("LeakyRelu", {}, {"X": X}), {"Z": X})


@pytest.mark.parametrize(("old", "new", "says"), [
    ("edition: ", "editon: ", r"relu.md:1: the front matter has the unknown key 'editon'; did you mean 'edition'\?"),
    ("- **`C1`** *", "- **`C1` *", r"relu.md:13: the asterisks around the tag are not closed; write \*\*`C1`\*\* "),
])
def test_a_slip_of_the_pen_in_a_text_is_named(old: str, new: str, says: str, tmp_path: Path) -> None:
    """Not all keys that there are; and no clause is taken for prose."""
    text = (SPEC_FOLDER.parent / "docs" / "worked-example" / "example" / "leakyrelu.md").read_text(encoding="utf-8")
    path = tmp_path / "leakyrelu.md"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SpecError, match=says):
        _ = read_front(path).clauses
