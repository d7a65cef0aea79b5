"""`plumbline model` says what it decided: no vacuous pass, inputs drawn by what they are, bounded time and memory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.backends import Answered, Request, find_backend, process
from plumbline.commands.base import run
from plumbline.commands.main import commands
from plumbline.oracle import Call, Spec, load_spec, slices
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model import static_facts as model_static
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import InputError, drawn_inputs
from plumbline.trial.model.node_judging import errors
from plumbline.trial.record.measurements import ALLOWED_ERROR
from tests.suite.test_model import CHAIN, said, saved, tried

TEXT = """t (int64[1,S] input_ids, int64[1,S] attention_mask, int64[1] lengths, bool[1,S] keep, int64[1,S] other,
          int64[1,S] flags, float[1,S] weights) => (float[1,S,2] Y) <float[30,2] table, float zero = {0}> {
    wide = Cast <to = 6> (input_ids)
    e = Gather (table, wide)
    b = Cast <to = 9> (flags)
    w = Where (b, weights, zero)
    Y = Identity (e)
}"""


def main(*arguments: str) -> int:
    """The exit status of the command."""
    return run(commands, list(arguments), "plumbline")


def text_model(folder: Path) -> Graph:
    """A model with inputs of many meanings."""
    return Graph(saved(folder, TEXT.replace("table,", f"table = {{{','.join(['1'] * 60)}}},", 1)))


def test_integers_are_drawn_by_what_they_are(tmp_path: Path) -> None:
    """Indices within their table, masks of truth values that leave something, lengths of the sequence."""
    graph = text_model(tmp_path)
    drawn = drawn_inputs(graph, 0, {"S": 200})
    assert 9 < drawn["input_ids"].max() < 30 and drawn["lengths"].tolist() == [200] and drawn["other"].max() == 9
    for name in ("attention_mask", "flags"):
        assert set(drawn[name].ravel()) == {0, 1} and drawn[name][0, 0] == 1
    drawn = drawn_inputs(graph, 0, {"S": 200}, ranges={"other": (-3, -2), "weights": (5, 6), "attention_mask": (7, 7)})
    assert set(drawn["other"].ravel()) == {-3, -2} and set(drawn["attention_mask"].ravel()) == {7}
    assert drawn["weights"].min() >= 5 and drawn["weights"].max() <= 6
    for ranges in ({"other": (0.5, 1)}, {"keep": (0, 2)}, {"nobody": (0, 1)}):
        with pytest.raises(InputError, match="--range"):
            drawn_inputs(graph, 0, {"S": 2}, ranges=ranges)


@pytest.mark.parametrize(("range_", "status"), [("X=-1:1", 0), ("X=2:2", 0), ("Z=0:1", 2), ("X=1:0", 2), ("X=a:b", 2)])
def test_a_range_is_given_by_name(tmp_path: Path, range_: str, status: int) -> None:
    """What does not fit is an error before anything runs."""
    options = ["--backend", "tests.suite.model_fakes:Honest", "--report-dir", str(tmp_path)]
    assert main("model", str(saved(tmp_path, CHAIN)), *options, "--range", range_) == status


def test_nothing_decided_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Of 0 / 0 in integers nothing is said: the node is counted apart, the status is 2 unless that is allowed."""
    path = saved(tmp_path, "n (int32[2] X, int32[2] D) => (int32[2] Y) { b = Div (X, D)  Y = Add (X, D) }")
    np.savez(tmp_path / "zeros.npz", X=np.ones(2, np.int32), D=np.zeros(2, np.int32))
    options = [str(path), "--inputs", str(tmp_path / "zeros.npz"), "--report-dir", str(tmp_path), "--backend",
               "tests.suite.model_fakes:NoQuotients"]
    assert main("model", *options) == 2
    assert "judged 2 of 2 nodes, decided 1 (2 of 4 elements); nothing decided of Div" in capsys.readouterr().out
    assert main("model", *options, "--allow-undecided", "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["judged"], told["decided"], told["undecided"], told["status"]) == (2, 1, ["b"], 0)
    assert (told["decided_elements"], told["elements"]) == (2, 4)
    page = next(tmp_path.glob("*.html")).read_text(encoding="utf-8")
    assert "decided 1 (2 of 4 elements); nothing decided of Div" in page
    assert re.findall('class="headline">([^<]*)<', page) == ["Undecided: no judged node is wrong."]


def test_a_node_outside_its_domain_is_not_decided(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The nodes behind it are: shape inference takes the default of its onesided for another."""
    path = saved(tmp_path, """n (float[1,16] X) => (float[1,4,2] Y)
        <int64 step = {4}, float[4] window = {1, 1, 1, 1}, float[3,2] W = {1, 2, 3, 4, 5, 6}> {
            s = STFT (X, step, window)  e = ReduceSumSquare <axes = [-1], keepdims = 0> (s)  Y = MatMul (e, W)
        }""")
    assert main("model", str(path), "--report-dir", str(tmp_path)) == 2
    said = capsys.readouterr().out
    assert "judged 3 of 3 nodes, decided 2 (20 of 20 elements); nothing decided of STFT" in said
    assert re.findall(r"^outside .*", said, re.M) == ["outside  s (STFT): onnx/stft@17#signal.C2: signal has 2 axes"]
    assert main("check", str(path), "--allow-undecided") == 1
    assert "1 MatMul node: 1 inside" in capsys.readouterr().out


def test_outputs_that_are_not_finite_are_said(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """No pass where the inputs do not explain it."""
    path = saved(tmp_path, "n (float[2] X) => (float[2] Y) { a = Sub (X, X)  Y = Div (X, a) }")
    options = ["model", str(path), "--report-dir", str(tmp_path)]
    assert main(*options) == 2
    assert "outputs are not finite: Y (2 of 2 elements); all inputs are" in capsys.readouterr().out
    assert main(*options, "--allow-undecided") == 0
    np.savez(tmp_path / "nan.npz", X=np.full(2, np.nan, np.float32))
    main(*options, "--inputs", str(tmp_path / "nan.npz"))
    assert "outputs are not finite: Y (2 of 2 elements); nor are the inputs" in capsys.readouterr().out
    proto = onnx.load(path)
    proto.graph.node[1].output[0] = proto.graph.output[0].name = "5542"
    onnx.save(proto, path)
    main(*options)
    assert "outputs are not finite: '5542' (2 of 2 elements); all inputs are" in capsys.readouterr().out


def test_what_an_answer_decides() -> None:
    """An element that is open or merely observed decides nothing; one that is not decides something."""
    spec = load_spec("onnx/div@14")
    for divisor, decides in (([0, 0], False), ([0, 1], True), ([1, 1], True)):
        call = Call("Div", {}, {"A": np.array([4, 4], np.int32), "B": np.array(divisor, np.int32)})
        assert spec.judged(call).decides({"C": np.array([4, 4], np.int32)}) is decides
    empty = np.zeros(0, np.float32)
    assert load_spec("onnx/sigmoid@13").judged(Call("Sigmoid", {}, {"X": empty})).decides({"Y": empty})
    x = np.linspace(-3, 3, 8, dtype=np.float32)
    sigmoid = load_spec("onnx/sigmoid@13").judged(Call("Sigmoid", {}, {"X": x}))
    right, = sigmoid.expected.values()
    assert sigmoid.decides({"Y": right})
    off = right + np.spacing(right)
    assert sigmoid.observes({"Y": off}) and sigmoid.decides({"Y": off})  # what is far off would break F1


def test_what_a_model_can_meet_is_found_out_after_the_run_and_within_a_time(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes longer is not known, and so it is said; everything was judged before."""
    host = find_backend("onnxruntime").start()
    known = KnownDivergences.load(host_adapter(), host.identity.version)
    whole = tried(saved(tmp_path, CHAIN), host, known)
    assert any(subject.possible_divergences for subject in whole.subjects)
    for limit in ("NODE_SECONDS", "MODEL_SECONDS"):
        monkeypatch.setattr(model_static, limit, -1.0)
        late = tried(saved(tmp_path, CHAIN), host, known)
        assert len(late.judged) == len(whole.judged)
        assert not any(subject.possible_divergences for subject in late.subjects)
        assert said(late)[2].endswith("for lack of types, shapes or time")
        monkeypatch.undo()
    host.close()


def host_adapter() -> str:
    """The adapter of ONNX Runtime, as known divergences name it."""
    return find_backend("onnxruntime").adapter


def test_what_a_process_was_asked_is_remembered_within_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models count as inputs do."""
    monkeypatch.setattr(process, "REMEMBERED", 3000)
    host = find_backend("tests.suite.model_fakes:Honest").start()
    graph = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]> g (float[2] X) => (float[2] Y) '
                                    "{ Y = Relu (X) }")
    graph.doc_string = "long" * 250
    request = Request(graph.SerializeToString(), "", {}, 17, {"X": np.ones(2, np.float32)}, ("Y",), 20.0, "", "x")
    for _ in range(5):
        assert isinstance(host.run(request), Answered)
    host.close()
    assert len(host.before_end) == 2


def test_the_error_of_a_call_in_slices_has_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of the whole."""
    spec, call = load_spec("onnx/sigmoid@13"), Call("Sigmoid", {}, {"X": np.linspace(-3, 3, 1000, dtype=np.float32)})
    given = Answered({"Y": spec.expected(call)["Y"] + np.float32(1e-8)})
    whole = errors(spec, call, given)
    Spec.release()
    monkeypatch.setattr(slices, "SMALL", 0)
    monkeypatch.setattr(slices, "LARGEST", 100)
    assert spec.judged(call).slices is not None and errors(spec, call, given) == whole and ALLOWED_ERROR in whole
