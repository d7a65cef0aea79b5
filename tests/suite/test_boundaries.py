"""Boundary classes: they come from the clauses, each that can be had is tried, and a call is made where none is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from plumbline.backends.in_process import InProcess
from plumbline.cases import generated_cases
from plumbline.cases.format.lint import lint
from plumbline.cases.generate import boundary_classes as classes
from plumbline.cases.generate.boundaries import boundary_cases
from plumbline.oracle import Call, SpecError, load_spec, spec_names
from plumbline.oracle.boundary import BoundaryError, read_boundary
from plumbline.oracle.markdown import read_front
from plumbline.trial.record.header import Backend
from plumbline.trial.run.header_builder import header
from tests.sampling import sampled
from tests.suite.commands import cases as main
from tests.suite.fakes import FAKES
from tests.suite.written import cases_of

CACHED = (classes.classes_of, classes.candidates, classes.satisfiable)


@pytest.fixture
def afresh() -> Iterator[None]:
    """Nothing that was computed before the test, or in it, is kept."""
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


@pytest.mark.parametrize(("text", "signs"), [
    ("k >= s", "=>"), ("k <= s", "<="), ("k > s", "=>"), ("k < s", "<="), ("k <=> s", "<=>")])
def test_each_comparison_splits_into_its_two_sides(text: str, signs: str) -> None:
    """A strict one begins one further, integers being what they are; the third has three sides. Every pair of numbers
    that keeps the comparison is on exactly one side, and no other pair on any."""
    (found,) = read_boundary(text)
    assert found.signs == signs
    k, s = (grid.ravel() for grid in np.mgrid[-3:4, -3:4])
    symbols = {**dict.fromkeys(("in", "d", "b", "e", "ke"), 1), "k": k, "s": s}
    sides = sum(found.holds(sign, symbols).astype(int) for sign in signs)
    kept = {">=": k >= s, "<=": k <= s, ">": k > s, "<": k < s, "<=>": k == k}[text.split()[1]]
    assert sides.tolist() == kept.astype(int).tolist()


def test_quotients_remainders_and_words_are_read_as_the_texts_write_them() -> None:
    """floor and ceil round as they say, for negative numbers too; an inequality is about the calls it names."""
    first, second = read_boundary("ceil(b / s) <=> 0; SAME_UPPER/SAME_LOWER ceil: in % s >= 0")
    symbols = dict.fromkeys(("in", "k", "d", "e", "ke"), 5)
    assert first.holds("<", {**symbols, "b": -3, "s": 2}) and first.holds("=", {**symbols, "b": -1, "s": 2})
    assert second.holds(">", {**symbols, "b": 0, "s": 2}) and second.holds("=", {**symbols, "b": 0, "s": 5})
    assert first.applies(frozenset()) and second.applies(frozenset({"SAME_LOWER", "ceil"}))
    assert not second.applies(frozenset({"SAME_LOWER", "floor"}))


@pytest.mark.parametrize(("text", "says"), [
    ("k", "'k' is no comparison"), ("k == 1", "is no comparison"), ("out >= 1", "'out' is none of in, k"),
    ("k >= ", "is no comparison"), ("k / s >= 1", "'k / s' is none of"), ("(k >= 1", "cannot be computed"),
    ("__import__ >= 1", "is none of"), ("k.real >= 1", "is none of")])
def test_what_cannot_be_read_is_told(text: str, says: str) -> None:
    """In one line, and nothing but arithmetic is computed."""
    with pytest.raises(BoundaryError, match=says) as caught:
        read_boundary(text)
    assert "\n" not in str(caught.value)


def test_a_malformed_boundary_is_told_with_file_and_line(tmp_path) -> None:
    """And only a constraint or a function has one."""
    front = "---\nspecification: a/b\noperator: MaxPool\nopset: 1\noutputs: [Y]\noptional: []\nedition: e\n---\n"
    path = tmp_path / "b.md"
    path.write_text(f"{front}\n## `k`: int\n\n- **`C1`** *Title.* Text.\n  - judges: call\n  - source: s\n"
                    "  - boundary: k = 1\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"b.md:12: boundary: 'k = 1' is no comparison"):
        assert read_front(path).clauses
    path.write_text(f"{front}\n## `k`: int\n\n- **`U1`** *Title.* Text.\n  - source: s\n  - boundary: k > 1\n",
                    encoding="utf-8")
    with pytest.raises(SpecError, match="only a constraint or a function"):
        assert read_front(path).clauses


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled([name for name in spec_names() if classes.classes_of(name)], 18))
def test_a_run_without_options_has_every_pair_that_can_be_had(name: str) -> None:
    """And the calls made for it are inside the domain, as both oracles see them. Every word is one of a mode."""
    spec = load_spec(name)
    written = cases_of(name)
    made = generated_cases(name, written, seed=0, count=64)
    everything = [case.call for case in (*written, *made)]
    assert classes.covered(spec, everything) == classes.satisfiable(name)
    shares = classes.coverage(spec, classes.covered(spec, everything))
    assert shares and all(found == of > 0 for found, of in shares.values())
    others = [case.call for case in (*written, *made) if not case.id.startswith("boundary-")]
    boundary = [case for case in made if case.id.startswith("boundary-")]
    assert bool(boundary) == (classes.covered(spec, others) != classes.satisfiable(name))
    assert [line for case in boundary for line in lint(case)] == []
    words = frozenset().union(*classes.modes_of(spec))
    assert all(word in words for of in classes.classes_of(name) for some in of.inequality.when for word in some)


def test_a_new_inequality_is_uncovered_until_a_call_covers_it(monkeypatch: pytest.MonkeyPatch, afresh: None) -> None:
    """Its clause says it, and nothing else is changed: the share falls, a call for it is made, the share is whole."""
    spec = load_spec("onnx/maxpool@1")
    written = [case.call for case in cases_of(spec.name)]
    address = f"{spec.name}#Y.F1"
    clause = spec.clauses[address]
    changed = replace(clause, boundary=(*clause.boundary, *read_boundary("in >= 3 * s + k")))
    before = classes.coverage(spec, classes.covered(spec, written))[address]
    monkeypatch.setitem(spec.clauses, address, changed)
    for function in CACHED:
        function.cache_clear()
    found, of = classes.coverage(spec, classes.covered(spec, written))[address]
    assert found < of and of > before[1]
    made = list(boundary_cases(spec.name, written))
    calls = [*written, *(case.call for case in made)]
    assert classes.coverage(spec, classes.covered(spec, calls))[address] == (of, of)


def test_a_call_has_the_pairs_of_its_axes_and_of_its_axes_together() -> None:
    """Worked out by hand for a call of two axes: strides below and above the kernel."""
    spec = load_spec("onnx/maxpool@1")
    call = Call("MaxPool", {"kernel_shape": [2, 1], "strides": [1, 2], "auto_pad": "VALID"},
                {"X": np.zeros((1, 1, 2, 2), np.float32)})
    of = classes.classes_of(spec.name)
    shown = {(str(of[pair.first]), str(of[pair.second])) for pair in classes.covered(spec, [call]) if pair.across}
    assert shown == {("kernel_shape.C1: k >= 1 [>]", "kernel_shape.C1: k >= 1 [=]"),
                     ("strides.C1: s >= 1 [=]", "strides.C1: s >= 1 [>]"),
                     ("Y.C4: in >= ke [=]", "Y.C4: in >= ke [>]"),
                     ("Y.C4: (in - ke) % s >= 0 [=]", "Y.C4: (in - ke) % s >= 0 [>]"),
                     ("Y.F1: s <=> ke [<]", "Y.F1: s <=> ke [>]")}
    outside = Call("MaxPool", {"kernel_shape": [0, 1]}, call.inputs)
    assert classes.covered(spec, [outside]) == set()


def test_the_record_and_the_door_say_the_shares(capsys: pytest.CaptureFixture[str]) -> None:
    """By clause: found, and how many can be had."""
    spec = load_spec("onnx/maxpool@1")
    written = cases_of(spec.name)
    backend = Backend.of(InProcess(FAKES["honest"]()).identity, tried=True)
    shares = header(backend, [spec], written, "", {}).boundaries[f"{spec.name}#Y.C4"]
    assert 0 < shares.covered < shares.satisfiable
    assert main(["coverage", spec.name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{spec.name}: {len(classes.satisfiable(spec.name))} of " \
                       f"{len(classes.satisfiable(spec.name))} pairs of boundary classes"
    assert f"{shares.satisfiable} / {shares.satisfiable}" in next(line for line in lines if "Y.C4" in line)
    assert main(["coverage", "onnx/nothing"]) == 2
