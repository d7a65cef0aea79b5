"""Published editions of ONNX: read from the wheels of two releases, disputed where they disagree, chosen by option.

The wheels are downloaded where they are missing; without them these tests fail.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import Answered
from plumbline.oracle import Call, SpecError, load_spec
from plumbline.oracle.editions import Edition, choose_edition
from plumbline.oracle.markdown import read_front
from plumbline.trial.editions import wheels as listed
from plumbline.trial.editions.comparison import changes_of_tests, changes_of_text
from plumbline.trial.editions.gate import _of_shapes, judge_inference, judge_tests
from plumbline.trial.editions.schemas import sentences
from plumbline.trial.editions.wheels import EditionsError, Wheel, wheels
from plumbline.trial.record.judge import judge_inside
from plumbline.trial.run.options import OptionError, read_options

OLD, NEW = "1.16.2", "1.21.0"
SENTENCE = "Sliding windows that would start in the right padded region are ignored"
POOLS = {"averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True",
         "maxpool_2d_ceil_output_size_reduce_by_one"}
SCORES = {f"attention_{axes}_qk_matmul_{what}" for axes, what in (
    ("3d_with_past_and_present", "bias"), ("3d_with_past_and_present", "softcap"), ("4d_with_past_and_present", "bias"),
    ("4d_with_past_and_present", "bias_3d_mask"), ("4d_with_past_and_present", "bias_4d_mask"), ("4d_with", "bias"),
    ("4d_with", "softcap"))}
IN_BOTH = {"qlinearmatmul_2D_int8_float32", "qlinearmatmul_3D_int8_float32", "roialign_mode_max"}
X = np.array([[[5, 7]]], np.float32)


@pytest.fixture(scope="module")
def fetched() -> list[Wheel]:
    """The two wheels."""
    chosen = wheels([OLD, NEW])
    for wheel in chosen:
        wheel.fetch()
    return chosen


def pool(operator: str, **attributes: object) -> Call:
    """A row of two with a last window behind it, unless other attributes are given."""
    return Call(operator, {"kernel_shape": [1], "strides": [3], "ceil_mode": 1, **attributes}, {"X": X}, ("Y",))


def verdict(spec: str, call: Call, outputs: dict[str, np.ndarray], release: str = "") -> tuple[str, list[str]]:
    """The verdict, with local addresses."""
    found = judge_inside(load_spec(spec, release).judged(call), Answered(outputs))
    return found.verdict, [address.partition("#")[2] for address in found.clauses]


ONE, TWO = {"Y": X[:, :, :1]}, {"Y": np.array([[[5, 0]]], np.float32)}


@pytest.mark.parametrize(("spec", "operator", "release", "verdicts"), [
    ("onnx/maxpool@10", "MaxPool", "", ("diverges", "conforms")),
    ("onnx/maxpool@11", "MaxPool", "", ("diverges", "conforms")),
    ("onnx/averagepool@10", "AveragePool", "", ("diverges", "conforms")),
    ("onnx/averagepool@11", "AveragePool", OLD, ("diverges", "conforms")),
    ("onnx/maxpool@12", "MaxPool", "", ("observed", "conforms")),
    ("onnx/maxpool@12", "MaxPool", OLD, ("conforms", "diverges")),
    ("onnx/maxpool@12", "MaxPool", NEW, ("diverges", "conforms")),
    ("onnx/averagepool@19", "AveragePool", "", ("observed", "conforms")),
    ("onnx/averagepool@19", "AveragePool", OLD, ("conforms", "diverges")),
    ("onnx/maxpool@22", "MaxPool", "", ("conforms", "diverges")),
    ("onnx/lppool@18", "LpPool", "", ("observed", "conforms")),  # by shape inference of 1.16 alone
    ("onnx/lppool@18", "LpPool", NEW, ("diverges", "conforms")),
    ("onnx/lppool@22", "LpPool", NEW, ("observed", "conforms")),
])
def test_a_window_in_the_padding_is_judged_by_edition(spec: str, operator: str, release: str,
                                                     verdicts: tuple[str, str]) -> None:
    """Without the last window and with it."""
    assert tuple(verdict(spec, pool(operator), outputs, release)[0] for outputs in (ONE, TWO)) == verdicts


def test_a_disputed_result_names_both_clauses() -> None:
    """First the erratum, then the clause that it would break; a wrong value is still accused."""
    assert verdict("onnx/maxpool@12", pool("MaxPool"), ONE) == ("observed", ["Y.E4", "Y.C2"])
    assert verdict("onnx/maxpool@12", pool("MaxPool"), {"Y": X[:, :, 1:]})[0] == "diverges"


def test_valid_with_ceil_mode_is_disputed_by_shape_inference() -> None:
    """At every opset with ceil_mode; a third size is nobody's."""
    row = np.array([[[3, 1, 2, 6, 9]]], np.float32)
    values = {"MaxPool": [3, 6, 9], "AveragePool": [2, 4, 9]}
    for spec in ("onnx/maxpool@10", "onnx/maxpool@12", "onnx/maxpool@22", "onnx/averagepool@11", "onnx/averagepool@19"):
        operator = load_spec(spec, "").operator
        call = Call(operator, {"kernel_shape": [2], "strides": [2], "auto_pad": "VALID", "ceil_mode": 1}, {"X": row})
        y = np.array([[values[operator]]], np.float32)
        assert verdict(spec, call.asking_for("Y"), {"Y": y})[0] == "observed", spec
        assert verdict(spec, call.asking_for("Y"), {"Y": y[:, :, :2]})[0] == "conforms", spec
        assert verdict(spec, call.asking_for("Y"), {"Y": y[:, :, :1]})[0] == "diverges", spec


def test_axes_out_of_order_are_disputed_by_shape_inference() -> None:
    """Of the first version of Squeeze: the shape that is inferred, which keeps one of two axes, and no third one."""
    call = Call("Squeeze", {"axes": [2, 0]}, {"data": np.arange(5, dtype=np.float32).reshape(1, 5, 1)})
    found = [verdict("onnx/squeeze@1", call, {"squeezed": np.arange(5, dtype=np.float32).reshape(shape)})
             for shape in ((5,), (1, 5), (5, 1))]
    assert found == [("conforms", []), ("observed", ["squeezed.E1", "squeezed.C1"]), ("diverges", ["squeezed.C1"])]


def test_cells_beyond_the_padded_input_in_the_divisor_are_disputed() -> None:
    """In the whole answer alone, as the test of three releases published it."""
    call = Call("AveragePool", {"kernel_shape": [3], "strides": [2], "pads": [1, 0], "ceil_mode": 1,
                                "count_include_pad": 1}, {"X": np.array([[[1, 2, 3, 4, 5]]], np.float32)}, ("Y",))
    counted = {"Y": np.array([[[1, 3, 9 / 3]]], np.float32)}
    right = {"Y": np.array([[[1, 3, 9 / 2]]], np.float32)}
    for release, verdicts in (("", ("observed", "conforms")), (OLD, ("conforms", "diverges")),
                              (NEW, ("diverges", "conforms"))):
        found = tuple(verdict("onnx/averagepool@19", call, outputs, release)[0] for outputs in (counted, right))
        assert found == verdicts, release


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("number", "of_one"), [(0, POOLS), (1, SCORES)], ids=(OLD, NEW))
def test_official_tests_are_not_accused(number: int, of_one: set[str], fetched: list[Wheel]) -> None:
    """Judged by their own release and by all: disputed are the pools of the older one, the order of softcap and mask in
    the newer, and what both have alike."""
    findings = list(judge_tests(fetched[number]))
    assert len(findings) > 250
    assert [finding for finding in findings if finding.kind == "accused"] == []
    assert {finding.name for finding in findings if finding.kind == "disputed"} == of_one | IN_BOTH


@pytest.mark.gate(one_in=12)
def test_the_gate_accuses(fetched: list[Wheel], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the reading of an edition its test is accused."""
    spec = load_spec("onnx/maxpool@12", "")
    monkeypatch.setattr(spec, "disputing", {})
    accused = [finding.name for finding in judge_tests(fetched[0]) if finding.kind == "accused"]
    assert accused == ["maxpool_2d_ceil_output_size_reduce_by_one"]


@pytest.mark.gate(one_in=12)
def test_shape_inference_is_not_accused() -> None:
    """What the newer release infers is allowed or disputed, and some of it disputed."""
    kinds = {finding.kind for finding in judge_inference([NEW])}
    assert kinds == {"conforms", "disputed", "erratum"}


def einsum(equation: str) -> tuple[str, Call]:
    """Of one operand with three axes."""
    return "onnx/einsum@12", Call("Einsum", {"equation": equation}, {"Inputs_0": np.zeros((2, 3, 2), np.float32)})


def transposed(*sizes: int) -> tuple[str, Call]:
    """Of an X with two spatial axes of size 6."""
    x, w = np.zeros((1, 1, 6, 6), np.float32), np.zeros((1, 1, 3, 3), np.float32)
    return "onnx/convtranspose@11", Call("ConvTranspose", {"output_shape": list(sizes)}, {"X": x, "W": w})


@pytest.mark.parametrize(("asked", "inferred", "release", "kind"), [
    (einsum("kBk"), (), "1.16.2", "erratum"),
    (einsum("kBk"), (), "1.17.0", "accused"),
    (einsum("kBk"), (3, 3), "1.16.2", "accused"),
    (einsum("kBk->B"), (), "1.16.2", "accused"),
    (einsum("kbk"), (), "1.16.2", "accused"),
    (transposed(6, 5), (1, 1, 6), "1.23.2", "erratum"),
    (transposed(5, 6), (1, 1), "1.13.0", "erratum"),
    (transposed(5, 6), (1, 1, 6), "1.13.0", "accused"),
    (transposed(6, 6), (1, 1, 6), "1.13.0", "accused"),
])
def test_shapes_inferred_by_mistake_are_errata(asked: tuple[str, Call], inferred: tuple[int, ...], release: str,
                                               kind: str) -> None:
    """Of the releases that the erratum names, and no other shape."""
    spec = load_spec(asked[0])
    assert _of_shapes(spec, release, asked[1], {spec.outputs[0]: inferred})[0] == kind


@pytest.mark.gate(one_in=12)
def test_changes_of_texts_and_tests_are_found(fetched: list[Wheel]) -> None:
    """The sentence that was in two versions, and the output that became the opposite."""
    gone = {name for (_, _, gone, _), names in changes_of_text(fetched).items() if SENTENCE in gone for name in names}
    assert gone == {"onnx/maxpool@12", "onnx/averagepool@19"}
    said = sentences(fetched[1].sources())
    assert SENTENCE in said["MaxPool", 22] and SENTENCE not in said["LpPool", 22]
    between = wheels(["1.17.0", NEW])
    between[0].fetch()
    name = "averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True (onnx/averagepool@22)"
    assert list(changes_of_tests(between)) == [f"{name}: other outputs in {NEW} than in 1.17.0"]


def test_sentences_follow_names_through_the_sources() -> None:
    """Adjacent literals are one; comments, errors and methods of other classes say nothing."""
    source = """
    // "a comment"
    namespace onnx {
    static const char* pads_doc = R"DOC(Two per axis. At both ends)DOC";
    OpSchema& OpSchema::Attr(int x) { return "nothing"; }
    std::function<void(OpSchema&)> Filler(const char* name) { return [=](OpSchema& schema) {
      schema.Attr("pads", pads_doc); if (bad) { fail_shape_inference("not ", name); }
      schema.Attr("k", "The " "size"); }; }
    ONNX_OPERATOR_SET_SCHEMA(Pool, 12, OpSchema().FillUsing(Filler("Pool")));
    } // namespace onnx
    """
    assert sentences([source]) == {("Pool", 12): ("pads", "Two per axis", "At both ends", "k", "The size", "Pool")}
    old = 'ONNX_OPERATOR_SCHEMA(Abs).SinceVersion(6).SetDoc("Absolute.");'
    assert sentences([old]) == {("Abs", 6): ("Absolute",)}


def test_a_wheel_that_is_missing_or_another_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing passes on nothing."""
    monkeypatch.setattr(listed, "FOLDER", tmp_path)
    with pytest.raises(EditionsError, match="not in .*--fetch"):
        list(judge_tests(wheels([OLD])[0]))
    with pytest.raises(EditionsError, match="has no wheel of onnx 0.0.1"):
        wheels(["0.0.1"])
    with pytest.raises(EditionsError, match="cannot download onnx 0.0.1"):
        Wheel("0.0.1", "3.12", ("manylinux2014_x86_64",), "").fetch()


def test_editions_of_a_clause_are_read(tmp_path: Path) -> None:
    """Releases in order, a source that is known, an erratum; what is wrong is said with its line."""
    assert "1.16.1" in Edition.parse("text 1.16.0-1.16.2") and "1.17.0" not in Edition.parse("test 1.16.0-1.16.2")
    assert str(Edition.parse("test 1.9.0-1.10.0")) == "official test of onnx 1.9.0 to 1.10.0"
    path = tmp_path / "convtranspose.md"
    shutil.copytree("spec/onnx/families", tmp_path / "families")
    text = Path("spec/onnx/convtranspose.md").read_text(encoding="utf-8")
    for wrong in ("text 1.17.0-1.16.0", "book 1.16.0", "text newest"):
        path.write_text(text.replace("editions: inference 1.13.0-1.23.2", f"editions: {wrong}"), encoding="utf-8")
        with pytest.raises(SpecError, match=rf"convtranspose.md:\d+: editions: '{wrong}' is not of the form"):
            _ = read_front(path).clauses


def test_an_edition_is_chosen_for_a_run_alone() -> None:
    """An option, refused where there is no such release; undone afterwards."""
    assert read_options({"edition": OLD}, Path("/")).edition == OLD
    with pytest.raises(OptionError, match="--edition 9.9: .*no release of onnx"):
        read_options({"edition": "9.9"}, Path("/"))
    undo = choose_edition(OLD)
    deciding = dict(load_spec("onnx/maxpool@12").deciding)
    undo()
    assert list(deciding) == ["onnx/maxpool@12#Y.E4"] and not load_spec("onnx/maxpool@12").deciding


def test_an_answer_of_another_shape_decides_nothing() -> None:
    """It is allowed by another reading alone; elements are not compared."""
    call = Call("LpPool", {"kernel_shape": [1, 4], "pads": [0, 3, 0, 2], "strides": [3, 4], "dilations": [1, 2],
                           "ceil_mode": 1, "p": 3}, {"X": np.ones((1, 3, 6, 7), np.float32)}, ("Y",))
    judged = load_spec("onnx/lppool@22").judged(call)
    reading, = judged.disputes["onnx/lppool@22#Y.E3"].readings
    assert judged.disputed(reading.canonical) and not judged.decides(reading.canonical)
