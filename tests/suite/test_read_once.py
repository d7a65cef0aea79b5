"""A call is read once for all its output selections, and only specifications that are asked for are read."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from _pytest.mark.expression import Expression

from plumbline.backends import Answered
from plumbline.backends.identity import Identity
from plumbline.cases import Case, generated_cases
from plumbline.cases.format.case import MADE
from plumbline.oracle import Call, load_spec
from plumbline.oracle.check import shape_inference
from plumbline.oracle.judged_calls import KEPT, SMALL
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.specification import Spec, _loaded, spec_names
from plumbline.trial import KnownDivergences, Session
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import Trials
from plumbline.trial.run.selection import Selection
from tests.sampling import sampled
from tests.suite.written import cases_of


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """By specification, how often all clauses on calls were evaluated."""
    counted: Counter[str] = Counter()
    states = vars(JudgedCall)["_states"].func

    def counting(judged: JudgedCall) -> object:
        counted[judged.spec.name] += 1
        return states(judged)

    monkeypatch.setattr(vars(JudgedCall)["_states"], "func", counting)
    Spec.release()
    return counted


def test_all_selections_of_a_case_share_one_reading(sonnx_cases: list[Case], counts: Counter[str]) -> None:
    """Also for an answer that is judged under every other specification of the operator."""
    session = Session(SimpleNamespace(identity=Identity(name="b", version="1", specifications=["*"]), notes=[]),
                      KnownDivergences(), SimpleNamespace(case=lambda line: None))
    case = next(case for case in sonnx_cases if case.id == "one-by-one")
    wrong = {name: array + array.dtype.type(1) for name, array in load_spec(case.spec).expected(case.call).items()}
    for form in ("Y", "Y+Indices"):
        assert session.judged(case, form, Answered(wrong)).verdict.verdict == "diverges"
    assert counts["sonnx/maxpool"] == 1 and len(counts) > 5 and set(counts.values()) == {1}


def test_few_calls_are_kept(counts: Counter[str]) -> None:
    """A call is known by its arrays, not by what these hold, and is dropped when others come."""
    spec = load_spec("sonnx/relu")
    calls = [Call("Relu", {}, {"X": np.zeros(2, np.float32)}) for _ in range(KEPT + 1)]
    for call in [*calls, *calls[1:], *calls[1:]]:
        assert spec.violations(call.asking_for("Y")) == []
    assert counts["sonnx/relu"] == len(calls)
    spec.violations(calls[0])
    assert counts["sonnx/relu"] == len(calls) + 1


@pytest.mark.parametrize(("room", "again"), [(0, 40), (4 * SMALL - 1, 40), (4 * SMALL, 40 - SMALL - KEPT), (1000, 0)])
def test_where_there_is_room_more_calls_are_kept(room: int, again: int, counts: Counter[str]) -> None:
    """Each of forty has four elements: they are kept while there is room, none if one alone takes much of it."""
    spec = load_spec("sonnx/relu")
    calls = [Call("Relu", {}, {"X": np.zeros(2, np.float32)}) for _ in range(40)]
    with Spec.recent.keeping(room):
        for call in [*calls, *calls]:
            spec.expected(call)
    assert counts["sonnx/relu"] == len(calls) + again


def by_keyword(keyword: str) -> Selection:
    """What -k selects."""
    return Selection((), keyword, Expression.compile(keyword).evaluate, ["test_conformance.py::test_conformance[me"])


@pytest.mark.parametrize(("keyword", "written", "generated"), [
    ("::nan-first[", {"sonnx/argmax", "sonnx/maxpool"}, set()),  # ArgMax shares a file with ONNX's, which has one
    ("sonnx/maxpool::nan-first", {"sonnx/maxpool"}, set()),
    ("sonnx/relu", {"sonnx/relu"}, {"sonnx/relu"}),
    ("sonnx/relu and generated-0-1", set(), {"sonnx/relu"}),
    ("sonnx/relu and not nan", {"sonnx/relu"}, {"sonnx/relu"}),
    ("sonnx/relu and ::generated-0-1[", set(), {"sonnx/relu"}),
    ("sonnx/relu and ::generated", set(), {"sonnx/relu"}),
    ("sonnx/maxpool and indices]", {"sonnx/maxpool"}, {"sonnx/maxpool"}),
    ("::no-such-case[", set(), set()),
])
def test_a_keyword_reaches_few_specifications(keyword: str, written: set[str], generated: set[str]) -> None:
    """Of the SONNX profile: those with a written case that may match, and with a generated one."""
    selection = by_keyword(keyword)
    names = [name for name in spec_names() if name.startswith("sonnx/")]
    for wanted, of in ((written, False), (generated, True)):
        reached = {name for name in names if selection.reaches(name, of)}
        assert reached == wanted, of


def test_no_selected_case_is_missed() -> None:
    """Each case is reached by its name, by parts of it, in a context and with its outputs."""
    for case in cases_of(*sampled(spec_names(), 24))[::7]:
        name = f"::{case.spec}::{case.id}"
        for keyword in (f"{case.id}", f"::{case.id}[", f"{name}/transposed[", f"{case.id[1:]}/transposed", f"{name}[Y",
                        f"{case.id[2:-1] or case.id}", f"zzz or {case.id}", f"{case.spec} and not zzz", name.upper()):
            if "@" not in keyword:  # which pytest refuses
                assert by_keyword(keyword).reaches(case.spec, False), keyword
        assert Selection([f"a.py::test_conformance[me{name}[Y]]"]).reaches(case.spec, False)


def test_no_generated_case_is_missed() -> None:
    """Each kind is known by how its ids begin, in a selection and in a record."""
    name = "onnx/reducesum@13"
    made = generated_cases(name, cases_of(name), seed=0)
    kinds = {case.id.partition("-")[0] + "-": case for case in made}
    assert kinds.keys() <= set(MADE) and len(kinds) > 4
    for case in kinds.values():
        assert by_keyword(f"::{case.id}[").reaches(name, True), case.id


def test_only_selected_specifications_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known divergences are about others too."""
    loaded: list[str] = []
    monkeypatch.setattr("plumbline.oracle.specification.binding_problems",
                        lambda text, definition: loaded.append(text.name) or [])
    _loaded.cache_clear()
    trials = Trials(RunOptions(generated=0, report_dir=tmp_path), selection=by_keyword("sonnx/relu and ::ends"))
    KnownDivergences.load("onnxruntime", "1.23.2", about=[spec.name for spec in trials.specs])
    _loaded.cache_clear()
    assert [spec.name for spec in trials.specs] == ["sonnx/relu"] and len(set(loaded)) < 10, loaded


def test_equal_models_are_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where inference gives no answer."""
    asked: list[bytes] = []

    def ask(request: bytes) -> bytes:
        asked.append(request)
        raise RuntimeError("it ended its process")

    monkeypatch.setattr(shape_inference, "_answers", {})
    real = shape_inference._copy()
    monkeypatch.setattr(shape_inference, "_copy", cache(lambda: SimpleNamespace(
        ask=lambda request: asked.append(request) or real.ask(request))))
    model, other = (onnx.helper.make_model(onnx.helper.make_graph(
        [onnx.helper.make_node(operator, ["X"], ["Y"])], "one",
        [onnx.helper.make_tensor_value_info("X", onnx.TensorProto.FLOAT, [2, 3])], [onnx.ValueInfoProto(name="Y")]))
        for operator in ("Relu", "Neg"))
    shapes = [[dimension.dim_value for output in shape_inference.inferred_outputs(model)
               for dimension in output.type.tensor_type.shape.dim] for _ in range(3)]
    assert shapes == [[2, 3]] * 3 and len(asked) == 1
    monkeypatch.setattr(shape_inference, "_copy", cache(lambda: SimpleNamespace(ask=ask)))
    for _ in range(2):
        with pytest.raises(RuntimeError):
            shape_inference.inferred_outputs(other)
    assert len(asked) == 2


def test_assertions_of_the_package_are_not_rewritten() -> None:
    """pytest would do so with every module of a package that brings a plugin, which takes seconds."""
    loaders = {name: type(module.__loader__).__name__ for name, module in list(sys.modules.items())
               if name.startswith("plumbline.oracle.")}
    assert loaders and "AssertionRewritingHook" not in loaders.values()
