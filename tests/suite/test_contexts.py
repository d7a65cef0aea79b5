"""Contexts: the same call put in several ways, none of which may change its answer."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from plumbline.backends import Answered, InProcess, find_backend, to_request
from plumbline.backends.worker import channels_last
from plumbline.cases import Case, generate_cases
from plumbline.cases.generate.seeded import dense_case
from plumbline.cases.onnx.contexts import (
    FEW,
    GENERIC,
    NEIGHBOURS,
    contexts,
    contexts_named,
    flag,
    in_context,
    in_contexts,
    in_one_of,
    notes,
)
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.families.surroundings import OF_SUITE
from plumbline.oracle.specification import definitions
from plumbline.reports.reproduce import contents
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.known.register_file import KnownEntry
from plumbline.trial.record.judge import Verdict
from plumbline.trial.run.context_recheck import held
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import RunError, Trials
from plumbline.trial.run.session import Session
from tests.suite.conftest import Trial
from tests.suite.fakes import Adapter

SPECS = ("onnx/maxpool@22", "onnx/averagepool@22", "onnx/conv@22", "onnx/clip@13", "onnx/matmul@13", "sonnx/reshape")
X = np.array([[[[1, 2, 4], [8, 16, 32], [64, 3, 5]]]], dtype=np.float32)
PLAIN = Call("MaxPool", {"kernel_shape": [2, 2]}, {"X": X})


def case_of(call: Call = PLAIN, name: str = "onnx/maxpool@22") -> Case:
    """A case of a call."""
    drawn = next(iter(generate_cases(name, seed=0, count=1)))
    spec = load_spec(name)
    return Case("generated-0-0", drawn.title, name, 22, call,
                type(drawn.expectation)(outputs=spec.expected(call)), (), "here")


def framed(name: str, call: Call = PLAIN) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The model and the inputs of a call in a context."""
    request = to_request(load_spec("onnx/maxpool@22"), call.asking_for("Y", "Indices"), 22, context=name)
    return onnx.load_model_from_string(request.model), dict(request.inputs)


@pytest.mark.parametrize("name", [name for name, context in contexts().items() if name != "weights"
                                  and not name.startswith("before-normal")])
def test_a_context_changes_no_answer_of_the_reference(name: str) -> None:
    """ONNX's own evaluator gives the same for the call alone and in each context, to the bit."""
    model, inputs = framed(name)
    onnx.checker.check_model(model, full_check=True)
    y, indices = ReferenceEvaluator(model).run(["Y", "Indices"], inputs)
    expected = load_spec("onnx/maxpool@22").expected(PLAIN)
    assert y.dtype == X.dtype and np.array_equal(y, expected["Y"]) and np.array_equal(indices, expected["Indices"])


@pytest.mark.parametrize("spec_name", SPECS)
def test_every_call_in_every_context_is_right_or_refused_by_a_runtime(spec_name: str) -> None:
    """Wherever ONNX Runtime answers the call alone as the text says, it answers so in what is chosen for it here: the
    nodes around it and how inputs are turned into theirs are right. Known divergences apart."""
    spec, host = load_spec(spec_name), find_backend("onnxruntime").load()
    answered = 0
    for case in generate_cases(spec_name, seed=5, count=60):
        alone = host.run(to_request(spec, case.call, case.opset))
        if not isinstance(alone, Answered) or spec.divergences(case.call, alone.outputs):
            continue
        for found in in_contexts([case], [name for name in contexts() if name != "own-precision"], 4):
            outcome = host.run(to_request(spec, case.call, case.opset, context=found.context))
            assert not isinstance(outcome, Answered) or not spec.divergences(case.call, outcome.outputs), found.id
            answered += isinstance(outcome, Answered)
    host.close()
    assert answered > 20


def test_sizes_left_open_are_symbols() -> None:
    """Each of its own, and none is left fixed."""
    model, _ = framed("open-sizes")
    sizes = model.graph.input[0].type.tensor_type.shape.dim
    assert len({size.dim_param for size in sizes}) == 4 and not any(size.dim_value for size in sizes)


def test_constants_are_no_inputs() -> None:
    """The model then takes nothing."""
    model, inputs = framed("constants")
    assert not model.graph.input and not inputs and len(model.graph.initializer) == 1


def test_neighbours_pass_on_what_they_are_given_or_do_not_fit() -> None:
    """A negative number keeps a rectifier away, an infinity a convolution, an odd number of steps a quantisation."""
    def fits(name: str, *values: float) -> bool:
        x = np.resize(np.array(values, dtype=np.float32), (1, 1, 3, 3))
        return in_context(case_of(Call("MaxPool", {"kernel_shape": [2, 2]}, {"X": x})), name) is not None

    assert fits("after-rectifier", 1, 2) and not fits("after-rectifier", 1, -2) and not fits("after-rectifier", -0.0)
    assert fits("after-convolution", 1, 2.5) and not fits("after-convolution", 1, np.inf)
    assert not fits("after-convolution", 1, -0.0) and not fits("after-convolution", 1e-45)
    assert fits("quantized", 1, 2.5) and not fits("quantized", 1, 2.3) and not fits("quantized", 1, 1000.5)
    assert fits("before-clip", 1, np.inf) and not fits("before-clip", 1, np.nan)


def test_what_is_quantized_is_given_in_integers() -> None:
    """Of the type of the context; what comes out is float32 again."""
    for name, dtype in (("quantized", "uint8"), ("quantized-signed", "int8")):
        model, inputs = framed(name)
        assert inputs["X"].dtype.name == dtype
        assert [node.op_type for node in model.graph.node] == ["DequantizeLinear", "MaxPool", "QuantizeLinear",
                                                               "DequantizeLinear"]


def test_what_is_left_open_is_not_quantized() -> None:
    """An intermediate result may overflow, and an infinity would come out as the end of the type."""
    call = Call("LpPool", {"kernel_shape": [2], "p": 20000}, {"X": np.float32([[[9, 8, 0.5]]])})
    assert in_context(case_of(call, "onnx/lppool@22"), "quantized") is None


def test_the_default_puts_a_case_of_the_newest_text_in_one_context() -> None:
    """Which one depends on its name alone; an older text has none, nor has what is outside the domain."""
    names = find_backend("onnxruntime").contexts
    cases = list(islice(generate_cases("onnx/relu@14", seed=0, count=200), 200))
    once, again = list(in_contexts(cases, names)), list(in_contexts(cases[::-1], names))
    assert 80 < len(once) < 120 and {case.id for case in once} == {case.id for case in again}  # every other one
    assert len({case.context for case in once}) > 10 and any(case.context in FEW for case in once)
    assert all(case.base_id + "/" + case.context == case.id for case in once)
    assert not list(in_contexts(list(generate_cases("onnx/relu@13", seed=0, count=5)), names))
    assert not list(in_contexts(cases, ()))


def test_a_case_that_asks_for_all_contexts_is_put_in_each(tmp_path: Path) -> None:
    """Also from a file of one's own, whose other cases stand alone."""
    entry = {"title": "Nine numbers by twos", "clauses": ["Y.F1"], "source": "here",
             "attributes": {"kernel_shape": [2, 2]}, "inputs": {"X": X.tolist()}, "expect": {"outputs": "computed"}}
    (tmp_path / "own.yaml").write_text(json.dumps({
        "spec": "onnx/maxpool@22", "defaults": {"dtype": "float32"},
        "cases": [{"id": "everywhere", "contexts": "all", **entry}, {"id": "alone", **entry}]}))
    options = RunOptions(backend=("onnxruntime",), cases=(tmp_path / "own.yaml",), report_dir=tmp_path)
    ids = [item.case.id for item in Trials(options).items() if item.form == "Y"]
    assert "everywhere/threads" in ids and "everywhere/quantized" in ids and len(ids) == len(set(ids)) > 20
    assert [name for name in ids if name.startswith("alone")] == ["alone"]


def test_a_campaign_in_contexts_goes_through_all_and_alone() -> None:
    """By the number of the call."""
    names = find_backend("onnxruntime").contexts
    found = {in_one_of(case_of(), names, number).context for number in range(30)}
    ours = {each.name for each in load_spec("onnx/maxpool@22").definition.surroundings}
    assert found == {name for name in names if name in ours or name in {each.name for each in GENERIC}} - {"weights"} \
        | {""}


def test_dense_calls_have_what_is_rare() -> None:
    """More of them have many channels than of others, and call k depends on seed and k."""
    shapes = [dense_case("onnx/maxpool@22", seed=0, number=number).call.inputs["X"].shape for number in range(80)]
    assert sum(shape[1] > 8 for shape in shapes) > 5
    assert dense_case("onnx/maxpool@22", seed=0, number=3).id == "dense-0-3"


def test_contexts_and_flags_have_notes() -> None:
    """What a finding says of them; names are those of a flag."""
    assert set(notes()) == {flag(name) for name in contexts()}
    assert all(context.note.endswith(".") and name.replace("-", "").isalpha() for name, context in contexts().items())


def test_neighbours_come_from_the_homes() -> None:
    """Each context that is not generic is some definition's, and every definition with windows has one with a
    convolution."""
    of_definitions = {each.name for name in spec_names() for each in load_spec(name).definition.surroundings}
    assert set(contexts()) == of_definitions | {each.name for each in GENERIC}
    assert [each.name for each in OF_SUITE] == list(dict.fromkeys(
        each.name for _, definition in definitions() for each in definition.surroundings))
    assert "after-convolution" in {each.name for each in load_spec("sonnx/maxpool").definition.surroundings}


class InThreads(Adapter):
    """Declares a context."""

    name = "in-threads"
    contexts = ("threads",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """By the reference evaluator."""
        found = ReferenceEvaluator(request.model).run(list(request.outputs), request.inputs)
        return dict(zip(request.outputs, found, strict=True))


class InAnything(InThreads):
    """Declares a context that there is not."""

    contexts = ("anything",)


def test_a_name_stands_for_all_neighbours() -> None:
    """Each once, whoever names it besides; a declaration that uses it is read without the runtime."""
    neighbours = {name for name in contexts() if name not in {each.name for each in GENERIC}}
    found = contexts_named(["cast", "in-blocks", NEIGHBOURS, "cast"])
    assert set(found) == {"cast", *neighbours} and len(found) == len(neighbours) + 1
    assert set(find_backend("tract").contexts) == {"constants", "weights", "transposed", "cast", *neighbours}


@pytest.mark.gate(one_in=8)
def test_a_backend_outside_the_suite_is_put_in_the_contexts_that_it_declares(tmp_path: Path) -> None:
    """It is asked for them; what the options name comes first."""
    options = RunOptions(backend=("tests.suite.test_contexts:InThreads",), spec=("onnx/maxpool@22",), generated=4,
                         report_dir=tmp_path)
    assert {item.case.context for item in Trials(options).items()} == {"", "threads"}
    options = options.model_copy(update={"context": ("cast",)})
    assert {item.case.context for item in Trials(options).items()} == {"", "cast"}


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("backend", "context", "said"), [
    ("InAnything", (), "tests.suite.test_contexts:InAnything: contexts: there is no context 'anything'; there are "),
    ("InThreads", ("threds",), "--context: there is no context 'threds'; did you mean 'threads'?; there are "),
])
def test_a_context_that_there_is_not_is_one_line(backend: str, context: tuple[str, ...], said: str, tmp_path: Path
                                                 ) -> None:
    """That says who names it, and which there are."""
    with pytest.raises(RunError) as told:
        Trials(RunOptions(backend=(f"tests.suite.test_contexts:{backend}",), spec=("onnx/maxpool@22",),
                          context=context, report_dir=tmp_path))
    assert str(told.value).startswith(said) and "\n" not in str(told.value)


class Told(Adapter):
    """Says what it was told, and how X lies in memory; what it prepares says how often it was asked, and what first."""

    name = "told"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Whether it was told nothing, and the strides of X."""
        return {"Y": np.array([json.dumps(request.settings) == "{}", *request.inputs["X"].strides], dtype=np.int64)}

    def prepare(self, model: bytes, settings: dict | None = None) -> object:
        """A function that counts how often it is asked."""
        asked: list[np.ndarray] = []

        def run(names: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            asked.append(inputs["X"])
            return [np.array([len(asked), *asked[0].shape], dtype=np.int64)]
        return run


def test_what_is_not_the_adapters_to_keep_is_kept_for_it() -> None:
    """Inputs with gaps between their numbers, and a model that was asked for something else before."""
    host = InProcess(Told())

    def given(context: str) -> list[int]:
        return host.run(to_request(load_spec("onnx/maxpool@22"), PLAIN.asking_for("Y"), 22,
                                   context=context)).outputs["Y"].tolist()
    assert given("") == [1, 36, 36, 12, 4]
    assert given("strided") == [0, 72, 72, 24, 8]
    assert channels_last(np.zeros((2, 3, 4, 5), np.int8)).strides == (60, 1, 15, 3)
    assert channels_last(np.float32([1, 2])).tolist() == [1, 2]
    assert given("again") == [2, 1, 1, 3, 3]
    assert given("again-open-sizes") == [2, 2, 1, 3, 3]


def test_settings_reach_a_session() -> None:
    """Threads and the level of optimisation."""
    adapter = find_backend("onnxruntime").load().adapter
    model = to_request(load_spec("onnx/maxpool@22"), PLAIN, 22).model
    assert adapter.prepare(model, {"threads": 3}).__self__.get_session_options().intra_op_num_threads == 3
    level = adapter.prepare(model, {"optimization": "none"}).__self__.get_session_options().graph_optimization_level
    assert level == onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL


class BreaksConvolutions(Adapter):
    """Refuses a model with a convolution, and gives the right answer for any other."""

    name = "breaks"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """By the reference evaluator."""
        model = onnx.load_model_from_string(request.model)
        if any(node.op_type == "Conv" for node in model.graph.node):
            raise RuntimeError("no such node")
        found = ReferenceEvaluator(model).run(list(request.outputs), request.inputs)
        return dict(zip(request.outputs, found, strict=True))


class BreaksItBetween(BreaksConvolutions):
    """Refuses a pool that stands beside a convolution, and neither of them alone."""

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """By the reference evaluator."""
        model = onnx.load_model_from_string(request.model)
        if {"Conv", "MaxPool"} <= {node.op_type for node in model.graph.node}:
            raise RuntimeError("cannot be merged")
        found = ReferenceEvaluator(model).run(list(request.outputs), request.inputs)
        return dict(zip(request.outputs, found, strict=True))


@pytest.mark.parametrize(("adapter", "verdict"), [(BreaksConvolutions, "observed"), (BreaksItBetween, "rejects-valid")])
def test_a_refusal_of_the_nodes_around_is_not_held_against_the_node(adapter: type[Adapter], verdict: str) -> None:
    """What refuses them without it has not been asked about it."""
    case = in_context(case_of(), "after-convolution")
    refused = Verdict("rejects-valid", (), "run", "RuntimeError")
    assert held(case, "Y", refused, InProcess(adapter()), 20.0).verdict == verdict


def test_a_result_says_its_context_and_a_known_divergence_may_be_of_one() -> None:
    """An entry for a case explains it in every context; one with contexts explains nothing else, and is exercised by
    the case that it names with its context alone."""
    case = case_of()
    within = in_context(case, "quantized")
    verdict = Verdict("rejects-valid", (), "load", "no")
    spec = load_spec(case.spec)

    def entry(**more: object) -> KnownDivergences:
        return KnownDivergences([KnownEntry(id="a", spec="onnx/maxpool@22", verdict="rejects-valid",
                                            reason="for this very test", **more)])

    assert entry(generated=[]).explain(spec, within, "Y", verdict)
    assert entry(generated=[], contexts=["quantized"]).explain(spec, within, "Y", verdict)
    assert not entry(generated=[], contexts=["quantized"]).explain(spec, case, "Y", verdict)
    assert not entry(generated=[], contexts=["cast"]).explain(spec, within, "Y", verdict)
    named = entry(cases={"generated-0-0/quantized": ["Y"]})
    assert named.explain(spec, within, "Y", verdict) and not named.explain(spec, case, "Y", verdict)
    named = entry(cases={"generated-0-0/quantized": ["Y"]})
    named.explain(spec, within, "Y", Verdict("conforms"))
    assert len(named.gone()) == 1


def test_a_session_records_the_context() -> None:
    """In the line of the result."""
    lines: list = []
    session = Session(find_backend("onnxruntime").load(), KnownDivergences(), SimpleNamespace(case=lines.append))
    session.run([in_context(case_of(), "in-a-layer")])
    assert [(line.id, line.context, line.verdict) for line in lines] == [
        ("generated-0-0/in-a-layer", "in-a-layer", "conforms")] * 2


def test_the_files_of_a_finding_in_a_context_hold_what_surrounds_the_node(run_trial: Trial) -> None:
    """The model that was put, its inputs and what it should give; no script, which would have the node alone."""
    case = in_context(case_of(), "after-convolution")
    record = run_trial(BreaksItBetween(), [case])
    line = next(line for line in record.cases if line.verdict == "rejects-valid")
    files = contents(record, line)
    tensors = {name: numpy_helper.to_array(onnx.load_tensor_from_string(data)) for name, data in files.items()
               if name.endswith(".pb")}
    model = onnx.load_model_from_string(files["model.onnx"])
    assert {node.op_type for node in model.graph.node} == {"Conv", "MaxPool"} and "reproduce.py" not in files
    given = {value.name: tensors[f"input_{number}.pb"] for number, value in enumerate(model.graph.input)}
    assert np.array_equal(ReferenceEvaluator(model).run(["Y"], given)[0], tensors["expected_0.pb"], equal_nan=True)


def test_a_shard_in_contexts_is_the_same_however_it_is_cut() -> None:
    """Counts of what came of its calls, those that are known and those that are not."""
    whole = Job("onnx/maxpool@22", "onnxruntime", "Y", 3, 0, 12, contexts=find_backend("onnxruntime").contexts)
    parts = [run_shard(Job(whole.spec, whole.backend, "Y", 3, start, start + 6, contexts=whole.contexts))
             for start in (0, 6)]
    assert (parts[0] + parts[1]).causes == run_shard(whole).causes
