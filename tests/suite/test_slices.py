"""A large output is judged a slice at a time, and nothing that is said of it depends on where it is cut."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from plumbline.cases import generate_cases
from plumbline.cases.format import tested_clauses as tried
from plumbline.cases.generate.choices import makes_calls
from plumbline.cases.generate.size_classes import size_class_cases
from plumbline.oracle import Call, JudgedCall, Spec, load_spec, slices, spec_names
from plumbline.oracle.operator import Operator
from plumbline.oracle.parts import begun, narrowed
from plumbline.trial.known.symptoms import symptoms_of
from tests.sampling import sampled

NAMES = [name for name in spec_names()
         if makes_calls(load_spec(name)) and load_spec(name).definition.slices is not Operator.slices]

NEWEST = [name for name in NAMES if load_spec(name).opset == max(load_spec(name).versions or [load_spec(name).opset])]


def calls(spec: Spec) -> Iterator[Call]:
    """Generated ones inside the domain, asked for the outputs that must be there."""
    for case in generate_cases(spec.name, seed=4, count=20 if "reduced" in spec.outputs else 12):
        call = case.call.asking_for(*spec.forms[0])
        if not spec.violations(call):
            yield call


def spoilt(right: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With some elements exchanged for others near or far."""
    found, wrong = right.copy(), rng.random(right.shape) < 0.3
    with np.errstate(all="ignore"):
        found[wrong] = rng.choice(np.array([0, 1, *right.ravel()[:4]]), right.shape).astype(right.dtype)[wrong]
    return found


def said(judged: JudgedCall, outputs: dict[str, np.ndarray]) -> object:
    """All that is said of some outputs, but for the clauses that are blamed for wrong elements."""
    whole, elements = set[str](), []
    for entry in judged.divergences(outputs):
        if entry.where is None:
            whole.add(entry.clause)
        else:
            elements += map(str, zip(entry.where.tolist(), np.asarray(entry.expected).tolist(),
                                     np.asarray(entry.got).tolist(), strict=True))
    observes = not whole and not elements and judged.observes(outputs)
    return (whole, sorted(set(elements)), judged.measures(outputs), judged.errors(outputs), observes,
            judged.decides_nothing,
            {key: f"{bound:.6g}" for key, bound in judged.tolerance.items()})


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(NAMES, 32))
def test_a_call_in_slices_is_judged_as_it_is_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right outputs and wrong ones, cut along several axes where one does not do."""
    spec, rng, cut = load_spec(name), np.random.default_rng(1), 0
    monkeypatch.setattr(slices, "SMALL", 0)
    for call in calls(spec):
        whole = JudgedCall(spec, call)
        (key, right), = whole.expected.items()
        answers = [{key: right}, {key: spoilt(right, rng)}, {key: right.reshape(*right.shape, 1)}]
        with np.errstate(all="ignore"), monkeypatch.context() as small:
            wanted = [said(whole, answer) for answer in answers]
            found = spec.divergences(call, answers[1])
            looks = symptoms_of(spec, call, found)
            small.setattr(slices, "LARGEST", max(right.size // 6, 1))
            sliced = JudgedCall(spec, call)
            assert [said(sliced, answer) for answer in answers] == wanted and sliced.flags == whole.flags
            assert sliced.expected[key].dtype == right.dtype and sliced.expected[key].shape == right.shape
            assert sliced.expected[key].tobytes() == right.tobytes()
            again = replace(call)
            parts = spec.divergences(again, answers[1])
            if [entry.clause for entry in parts] == [entry.clause for entry in found]:
                assert symptoms_of(spec, again, parts) == looks
            cut += sliced.slices is not None
    assert cut


def test_a_strip_of_windows_has_the_room_of_algorithms_on_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fourier transforms mix all places, so that a far and large cell allows an error in every strip."""
    x = np.ones((1, 2, 40, 40), np.float32)
    x[0, :, 39, 39] = 1e6
    call = Call("Conv", {"pads": [1, 0, 2, 1]}, {"X": x, "W": np.ones((3, 2, 3, 2), np.float32)}).asking_for("Y")
    spec = load_spec("onnx/conv@11")
    right, = spec.expected(call).values()
    given = {"Y": right + np.float32(0.01)}
    monkeypatch.setattr(slices, "LARGEST", 60)
    sliced = JudgedCall(spec, call)
    assert sliced.observes(given) and not sliced.divergences(given) and sliced.at_once < 200
    x[0, :, 39, 39] = 1
    given = {"Y": spec.expected(replace(call))["Y"] + np.float32(0.01)}
    assert len(JudgedCall(spec, replace(call)).divergences(given)) == 2  # with padding and without


def test_what_is_wrong_is_told_with_its_place_in_the_whole_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """And by the clause that is blamed for it in the whole, whose words name the first place."""
    spec = load_spec("onnx/add@14")
    call = Call("Add", {}, {"A": np.ones((40, 40), np.float32), "B": np.ones(40, np.float32)})
    given = np.full((40, 40), 2, np.float32)
    given[7, 5] = given[39, 0] = 3
    wanted = spec.divergences(call, {"C": given})
    monkeypatch.setattr(slices, "LARGEST", 100)
    found = JudgedCall(spec, call).divergences({"C": given})
    assert [entry.why for entry in found] == [entry.why for entry in wanted]
    assert [entry.where.tolist() for entry in found] == [[[7, 5], [39, 0]]]


def test_what_wrong_elements_look_like_is_asked_slice_by_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a very large output: zeros of the other sign in two slices, then another element in a third."""
    monkeypatch.setattr(slices, "LARGEST", 100)
    spec, x = load_spec("sonnx/relu"), np.ones((40, 40), np.float32)
    x[3, 4] = x[30, 1] = -0.0
    given = np.abs(x)
    for wrong in (False, True):
        given[20, 20] += wrong
        call = Call("Relu", {}, {"X": x})
        assert ("other-zero" in symptoms_of(spec, call, spec.divergences(call, {"Y": given}))) != wrong


def test_of_many_wrong_elements_the_places_of_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are counted."""
    for name, value in {"LARGEST": 100, "KEPT": 250}.items():
        monkeypatch.setattr(slices, name, value)
    call = Call("Relu", {}, {"X": np.ones((40, 40), np.float32)})
    entry, = JudgedCall(load_spec("onnx/relu@14"), call).divergences({"Y": np.zeros((40, 40), np.float32)})
    assert len(entry.where) < 400 and len(entry.where) + entry.beyond == 1600


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(NEWEST, 24))
def test_the_part_of_a_call_that_gives_an_element_gives_it(name: str) -> None:
    """And inputs do not grow."""
    spec, rng, smaller = load_spec(name), np.random.default_rng(2), 0
    for call in calls(spec):
        (key, right), = spec.expected(call).items()
        if len(call.outputs or ()) == 1 and right.size:
            place = tuple(int(rng.integers(size)) for size in right.shape)
            part, where = narrowed(spec, call, place)
            assert spec.expected(part)[key].tobytes() == right[where].tobytes()
            before, after = (sum(tensor.size for tensor in each.inputs.values()) for each in (call, part))
            assert after <= before and all(cut in (slice(None), slice(at, at + 1))
                                           for cut, at in zip(where, place, strict=True))
            smaller += after < before
    assert smaller


def definitions() -> set[int]:
    """All that are in memory."""
    return {id(entry) for entry in gc.get_objects() if isinstance(entry, Operator)}


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(NEWEST, 24))
def test_what_is_computed_of_a_call_is_let_go_with_it(name: str) -> None:
    """References in a circle would keep arrays of one slice through the judging of many others."""
    spec, rng = load_spec(name), np.random.default_rng(2)
    few = list(calls(spec))[:3]
    spec.release()
    gc.collect()
    gc.disable()
    before = definitions()
    try:
        for call in few:
            judged = JudgedCall(spec, call)
            with np.errstate(all="ignore"):
                said(judged, {key: spoilt(array, rng) for key, array in judged.expected.items()})
            del judged
        assert definitions() <= before
    finally:
        gc.enable()


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled([name for name in NEWEST if load_spec(name).definition.slices_alike], 12))
def test_the_beginning_of_a_large_call_tries_what_the_whole_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which clauses a case is there for does not depend on how much of its output is spoilt."""
    spec, smaller = load_spec(name), 0
    for case in size_class_cases(name, []):
        part = begun(spec, case.call, tried.LARGE)
        if part is case.call or smaller == 8:
            continue
        assert not spec.violations(part) and spec.judged(part).at_once < spec.judged(case.call).at_once
        found = tried.on_outputs(spec, case.call)
        with monkeypatch.context() as whole:
            whole.setattr(tried, "LARGE", np.inf)
            assert tried.on_outputs(spec, case.call) == found
        smaller += 1
    assert smaller


def test_each_slice_is_computed_once_for_all_questions_about_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """And once for the canonical output."""
    spec, asked = load_spec("onnx/erf@13"), list[int]()
    function = spec.definition.function

    def counted(x: np.ndarray) -> np.ndarray:
        asked.append(x.size)
        return np.asarray(function(x))

    monkeypatch.setattr(spec.definition, "function", staticmethod(counted))
    monkeypatch.setattr(slices, "SMALL", 0)
    monkeypatch.setattr(slices, "LARGEST", 100)
    judged = JudgedCall(spec, Call("Erf", {}, {"input": np.linspace(-3, 3, 1000, dtype=np.float32)}))
    said(judged, {"output": judged.expected["output"]})
    assert judged.unspecified_clauses and judged.decided_elements({"output": judged.expected["output"]}) == (1000, 1000)
    assert sum(asked) <= 2 * 1000 + 100  # and the first, which says if the call can be cut


def test_a_slice_is_computed_once_for_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags, size, clauses and expected outputs of a call take one computation of each element."""
    spec, x = load_spec("onnx/erf@13"), np.linspace(-3, 3, 3 * slices.LARGEST, dtype=np.float32)
    computed = list[int]()

    def counting(numbers: np.ndarray) -> np.ndarray:
        computed.append(numbers.size)
        return np.tanh(numbers)

    monkeypatch.setattr(spec.definition, "function", staticmethod(counting))
    judged = spec.judged(Call("Erf", {}, {"input": x}))
    assert judged.at_once == slices.LARGEST and judged.flags["beside-an-end"] is False
    given = {"output": np.tanh(x)}
    assert not judged.divergences(given) and judged.decided_elements(given)[1] == x.size
    assert judged.expected["output"].shape == x.shape and sum(computed) == x.size
