"""`plumbline model` on models like those that are deployed: nothing right is accused, a planted fault is located at its
node, and what is known of ONNX Runtime is found where a model meets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.backends import Host, InProcess, find_backend
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.check.selection import texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model import graph as model_graph
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import drawn_inputs
from plumbline.trial.model.model_record import record_of
from plumbline.trial.model.sentences import is_smaller, touched
from plumbline.trial.model.trial import ModelTrial
from tests.operators.discovery import implementations
from tests.suite.architectures import ARCHITECTURES
from tests.suite.meeting import applying, meeting
from tests.suite.model_fakes import Honest
from tests.suite.model_faults import Faulty

JUDGED = {load_spec(name).operator for name in spec_names() if name.startswith("onnx/")}
"""The operators of ONNX that have a specification."""

OPERATORS = {load_spec(name).operator for name in spec_names()
             if name.startswith("onnx/") and name.partition("@")[0] in implementations()}
"""Those of ONNX with an implementation of their own, in which faults are planted."""

FAULTS = """
    Abs detector abs0 output: float32 goes through bfloat16
    Add residual add1 output: float32 goes through bfloat16
    ArgMax unet classes keepdims is not read
    AveragePool inception averagepool1 output: one more
    Clip detector clip0 output: negated
    Concat squeeze concat0 outputs from the last to the first
    Conv inception conv9 the first channel stands for all
    Div transformer div1 A: negated
    Exp squeeze exp0 X: one more
    Flatten residual flatten0 output: float32 goes through float16
    Gemm inception gemm0 alpha is not read
    GlobalAveragePool inception globalaveragepool0 the first channel stands for all
    GlobalMaxPool squeeze globalmaxpool0 the first channel stands for all
    LeakyRelu unet leakyrelu0 alpha is not read
    LeakyRelu unet leakyrelu0 outputs flattened
    Less transformer less0 outputs with rows turned
    Log squeeze scores output: one more
    LpPool unet lppool0 output: one more
    MatMul transformer matmul4 the last column is not written
    Max detector max0 output: negated
    MaxPool squeeze maxpool1 strides is not read
    Min detector min0 output: zero
    Mul transformer mul3 output: float32 goes through bfloat16
    Pow transformer pow2 B: one more
    Relu unet relu1 X: absolute
    Reshape transformer reshape2 output: float32 goes through float16
    Shape transformer shape0 outputs from the last to the first
    Shape transformer shape0 outputs one element late
    Sigmoid unet mask output: negated
    Slice detector slice1 output: float32 goes through float16
    Softmax transformer softmax0 outputs with rows turned
    Sqrt transformer sqrt1 output: negated
    Sub detector sub1 A: negated
    Tanh transformer tanh0 output: rounded to whole numbers
    Unsqueeze transformer unsqueeze1 outputs with an axis more at the end
    Where transformer where0 X: negated
"""


@cache
def built(name: str) -> onnx.ModelProto:
    """One of the architectures."""
    return ARCHITECTURES[name]()


def tried(folder: Path, model: onnx.ModelProto, host: Host, inputs: Mapping[str, np.ndarray] | None = None,
          known: KnownDivergences | None = None, specs: Sequence[str] = ("onnx/*",)) -> ModelTrial:
    """A model tried, on drawn inputs where none are given."""
    path = folder / f"{model.graph.name}.onnx"
    onnx.save(model, path)
    graph = Graph(path)
    trial = ModelTrial(graph, host, known or KnownDivergences(), texts(specs),
                       inputs or drawn_inputs(graph, 1, {}))
    trial.run()
    return trial


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_nothing_right_is_accused(tmp_path: Path, name: str) -> None:
    """Each node whose operator has a specification is judged in both ways, and none diverges or is refused."""
    trial = tried(tmp_path, built(name), InProcess(Honest()))
    having = [node.name for node in built(name).graph.node if node.op_type in JUDGED]
    assert sorted((judged.step.node.name, judged.way) for judged in trial.judged) == sorted(
        (node, way) for node in having for way in ("alone", "in-place"))
    assert {judged.line.verdict for judged in trial.judged} <= {"conforms", "observed"} and trial.status() == 0


def test_the_architectures_have_every_operator_and_each_has_a_fault() -> None:
    """So that what is said of planted faults is said of all of `OPERATORS`."""
    there = {node.op_type for name in ARCHITECTURES for node in built(name).graph.node}
    planted = [line.split()[0] for line in FAULTS.strip().splitlines()]
    assert there >= OPERATORS and set(planted) == OPERATORS and len(planted) >= 30


def places(trial: ModelTrial) -> set[tuple[str, str]]:
    """Which nodes are wrong in which way, with their own inputs."""
    return {(judged.step.node.name, judged.way) for judged in trial.wrong if not is_smaller(judged.way)}


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("fault", FAULTS.strip().splitlines(), ids=str.strip)
def test_a_fault_planted_at_one_node_is_located_there(tmp_path: Path, fault: str) -> None:
    """In one run, and nowhere else, although every node behind it gets other inputs than it should, and with some does
    not run at all."""
    _, architecture, node, name = fault.split(maxsplit=3)
    trial = tried(tmp_path, built(architecture), InProcess(Faulty(node, name)))
    assert places(trial) == {(node, "in-place")}, trial.refused


def test_a_fault_that_needs_an_infinity_is_located_where_there_is_one(tmp_path: Path) -> None:
    """Ordinary inputs do not bring it out, and no trial on them can; drawn ones can hold special values."""
    model, host = built("residual"), InProcess(Faulty("relu0", "output: infinities are the largest number"))
    assert not tried(tmp_path, model, host).wrong
    graph = Graph(tmp_path / "residual.onnx")
    trial = tried(tmp_path, model, host, drawn_inputs(graph, 1, {}, None, [np.inf]))
    assert places(trial) == {("relu0", "in-place")}


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("version", ["==1.23.2", "==1.29", ""], ids=["1.23.2", "1.29", "current"])
def test_what_is_known_of_onnx_runtime_is_found_on_a_model_that_meets_it(tmp_path: Path, version: str) -> None:
    """Each entry about what is answered, at a node of its own, with the version that was tried and the clauses of the
    entry. Those left out are known of other nodes under another name, show where memory holds what others left, or are
    about earlier versions of an operator than a model of today has."""
    known, met, trial = met_by(tmp_path, f"onnxruntime{version}", "diverges")
    _, met_by_strings, of_strings = met_by(tmp_path, f"onnxruntime{version}", "diverges", strings=True)
    met |= met_by_strings
    left = {entry.id for entry in known.entries if entry.verdict == "diverges" and applying(entry)} - met
    assert all(name.endswith(("-documented", "-unwritten", "-early")) for name in left) and len(met) > 10
    assert {judged.way for judged in trial.wrong} == {"alone", "in-place"} and not trial.refused
    assert {judged.way for judged in of_strings.wrong} == ({"alone", "in-place"} if met_by_strings else set())
    assert not [judged for judged in (*trial.wrong, *of_strings.wrong) if judged.news]


@pytest.mark.gate(one_in=12)
def test_known_refusals_and_crashes_of_onnx_runtime_are_found_at_their_nodes(tmp_path: Path) -> None:
    """The whole model is refused, and tried node by node. (A node that is refused between others alone is found as a
    span.)"""
    known, met, _ = met_by(tmp_path, "onnxruntime", "rejects-valid", "crashes")
    left = {entry.id for entry in known.entries
            if entry.verdict in ("rejects-valid", "crashes") and applying(entry)} - met
    assert left == {"onnx-average-of-quantized-with-dilations-refused",
                    "instancenormalization-computed-empty-crash",  # of what another node computes
                    "split-more-outputs-than-parts-crash"}  # of a node outside its domain


def met_by(folder: Path, name: str, *verdicts: str, strings: bool = False
           ) -> tuple[KnownDivergences, set[str], ModelTrial]:
    """What is known of a backend, the entries with these verdicts that a model meets, and the trial of it, which finds
    all of them and no others. Entries on `strings` alone have a model of their own: ONNX Runtime's Python takes none
    beside types that numpy lacks. (A release that nobody has tried yet may have mended some, and what occurs on some
    processors alone may be right on this one.)"""
    backend = find_backend(name)
    host = backend.start()
    known = KnownDivergences.load(backend.adapter, host.identity.version)
    model, inputs, met = meeting(entry for entry in known.entries if entry.verdict in verdicts
                                   and (list(entry.dtypes or ()) == ["string"]) == strings)
    trial = tried(folder, model, host, inputs, known, ["onnx/*", "sonnx/*"])
    host.close()
    found = {judged.line.known.id for judged in trial.wrong if judged.line.known}
    everywhere = {entry.id for entry in known.entries if not entry.processors}
    assert found <= met and (found >= met & everywhere or not known.tried)
    return known, met, trial


def test_a_residual_network_is_not_touched_and_a_sentence_says_why(tmp_path: Path) -> None:
    """What is known needs attributes, types or shapes that no node has, or values that did not come."""
    known = KnownDivergences.load("onnxruntime", "1.31.1")
    trial = tried(tmp_path, built("residual"), InProcess(Honest()), None, known)
    said = touched(record_of(trial, tmp_path / "x.jsonl", "plumbline model", {}, "honest"))
    assert said.startswith("none of the ") and " known divergences of honest " in said
    assert " touched this model: " in said and " concern other operators or specifications; " in said
    assert " need attributes, types or shapes that no node has (such as: auto_pad is SAME and some dilation" in said
    assert "; 1 would show only where X holds -inf, the lowest finite value or " in said
    assert said.endswith(" (maxpool0), and did not with these inputs")


def test_a_model_that_no_request_holds_is_tried_node_by_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weights stay in their file until a node needs them, and the trial says so."""
    proto, path = onnx.ModelProto(), tmp_path / "large.onnx"
    proto.CopyFrom(built("residual"))
    onnx.save(proto, path, save_as_external_data=True, location="large.data", size_threshold=0)
    monkeypatch.setattr(model_graph, "LARGEST", 10_000)
    graph = Graph(path)
    given = drawn_inputs(graph, 1, {})
    trial = ModelTrial(graph, InProcess(Honest()), KnownDivergences(), texts(["onnx/*"]), given)
    trial.run()
    assert len(trial.judged) == len(proto.graph.node) and {judged.way for judged in trial.judged} == {"alone"}
    assert not trial.wrong and trial.status() == 0
    note, = trial.notes
    assert note.startswith("the whole model does not run, only its nodes one by one: it has ")
