"""Sizes at which kernels change their path: each is met with every element type of the newest text, with no seed."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.backends import InProcess
from plumbline.cases.format.canonical_answer import decides_little
from plumbline.cases.format.lint import lint
from plumbline.cases.generate.run_cases import OLDER_ONE_IN, all_cases, generated_cases, in_turn, unseeded_cases
from plumbline.cases.generate.seeded import generate_cases
from plumbline.cases.generate.size_classes import covered_sizes, size_class_cases, sought
from plumbline.oracle import load_spec, spec_names
from plumbline.trial.record.header import Backend
from plumbline.trial.run.forms import forms, forms_of
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import Trials
from plumbline.trial.run.selection import Selection
from tests.sampling import sampled
from tests.suite.fakes import FAKES
from tests.suite.runs import ROOT
from tests.suite.written import cases_of

NEWEST = [name for name in spec_names() if load_spec(name).is_newest]


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(NEWEST, 48))
def test_every_size_is_met_with_every_type(name: str) -> None:
    """By cases that no seed takes part in, each of which is inside the domain and tries a clause."""
    spec, made = load_spec(name), list(size_class_cases(name, []))
    assert bool(sought(name)) != (spec.operator in ("Shape", "Size", "If", "Loop", "Scan"))  # which read no element
    assert covered_sizes(spec, [case.call for case in made]) == sought(name)
    assert len({case.id for case in made}) == len(made)
    assert [line for case in made[:2] for line in lint(case)] == []


def test_a_text_that_a_later_one_replaces_has_none() -> None:
    """Its kernels are those of the newest."""
    for name in set(spec_names()) - set(NEWEST):
        assert not sought(name) and not list(size_class_cases(name, [])), name


def test_a_size_that_another_case_has_is_not_met_twice() -> None:
    """A call outside the domain meets none."""
    others = [*cases_of("onnx/conv@22"), *generate_cases("onnx/conv@22", seed=0, count=64)]
    spec, calls = load_spec("onnx/conv@22"), [case.call for case in others]
    before, made = covered_sizes(spec, calls), list(size_class_cases("onnx/conv@22", calls))
    assert before and len(made) < len(list(size_class_cases("onnx/conv@22", [])))
    assert before | covered_sizes(spec, [case.call for case in made]) == sought("onnx/conv@22")
    outside = [case.call for case in cases_of("onnx/conv@22") if spec.violations(case.call)]
    assert outside and covered_sizes(spec, outside) == set()


@pytest.mark.parametrize(("spec", "wide"), [
    ("onnx/conv@22", "cancellation"), ("onnx/averagepool@22", "many-taps-float16"),
    ("onnx/averagepool@19", None), ("onnx/maxpool@22", None)])
def test_what_decides_little(spec: str, wide: str | None) -> None:
    """What may be off by a tenth: no sum that is exact, no older version, nothing that is compared exactly."""
    text = load_spec(spec)
    found = {case.id for case in cases_of(spec) if decides_little(text, case.call)}
    assert found >= {wide} if wide else not found
    assert not found & {case.id for case in cases_of(spec) if case.id.startswith("exact-")}


def test_a_record_counts_the_sizes_that_were_put() -> None:
    """And not those of cases that were left out."""
    made = list(size_class_cases("sonnx/add", []))
    backend = Backend.of(InProcess(FAKES["honest"]()).identity, tried=True)
    spec = load_spec("sonnx/add")
    found = [header(backend, [spec], made, "", {}, chosen).sizes[spec.name] for chosen in (None, [(made[0], "C")], [])]
    assert [entry.met for entry in found] == [len(sought(spec.name)), len(covered_sizes(spec, [made[0].call])), 0]


def test_none_without_generated_cases_and_none_where_they_would_be_large() -> None:
    """`--generated 0` is a short run; the corpus has no room for them."""
    made = generated_cases("sonnx/add", cases_of("sonnx/add"), seed=0)
    ids = {case.id for case in made if case.id.startswith("stratum-")}
    assert ids and ids <= {case.id for case in unseeded_cases("sonnx/add", cases_of("sonnx/add"))}
    for fewer in (generated_cases("sonnx/add", cases_of("sonnx/add"), seed=0, count=0),
                  generated_cases("sonnx/add", cases_of("sonnx/add"), seed=0, large=False)):
        assert not any(case.id.startswith("stratum-") for case in fewer)


def test_older_versions_are_tried_in_turn() -> None:
    """Each within so many seeds; all at once without the newest, and where a pattern names the operator."""
    names = [name for name in spec_names() if name.startswith(("onnx/clip@", "onnx/relu@"))]
    older = [name for name in names if not load_spec(name).is_newest]
    turns = [in_turn(names, ["onnx/*"], seed) for seed in range(OLDER_ONE_IN)]
    assert sorted(name for turn in turns for name in turn if name in older) == sorted(older) != []
    assert all(set(names) - set(older) <= set(turn) for turn in turns)
    assert in_turn(older, ["*"], 0) == older and in_turn(["sonnx/maxpool"], ["*"], 1) == ["sonnx/maxpool"]
    for glob in ("onnx/relu", "onnx/relu@*"):
        named = [name for name in names if name.startswith("onnx/relu@")]
        assert in_turn(names, ["onnx/*", glob], 0) == [name for name in names if name in {*turns[0], *named}]
    some, every = (all_cases(names, seed=0, count=1, tried=tried)[0] for tried in (turns[0], None))
    assert {case.spec for case in some.generated} == set(turns[0]) < {case.spec for case in every.generated}
    assert {case.spec for case in some.written} == set(names) == {case.spec for case in every.generated}


def test_written_cases_of_older_versions_take_their_turn() -> None:
    """By the seed; one's own cases, and those selected by name, are put whatever the seed is."""
    def tried(selection: Selection = Selection(), **options: Any) -> set[str]:  # noqa: B008 (it is frozen)
        wild = {"spec": ("onnx/relu*",), "generated": 0, **options}
        return {case.spec for case in Trials(RunOptions.model_validate(wild), selection=selection).cases}

    every = {name for name in spec_names() if name.startswith("onnx/relu@")}
    turns = [tried(seed=seed) for seed in range(OLDER_ONE_IN)]
    assert all(turn < every for turn in turns) and every == set().union(*turns)
    assert tried(all_versions=True) == every == tried(spec=("onnx/relu",)) == \
        tried(Selection(keyword="relu", evaluate=lambda occurs: occurs("relu")))
    assert tried(cases=(ROOT / "cases/onnx/relu",)) == every


def test_a_generated_call_of_many_forms_is_put_in_two() -> None:
    """With all outputs, and with some, which differ from call to call; a written one in all."""
    written = cases_of("onnx/lstm@22")[0]
    assert forms_of(written) == forms(load_spec("onnx/lstm@22"))
    made = [forms_of(case) for case in generate_cases("onnx/lstm@22", seed=0, count=8)]
    assert {found[-1] for found in made} == {"Y+Y_h+Y_c"} and {len(found) for found in made} == {2}
    assert len({found[0] for found in made}) > 2
    assert forms_of(next(generate_cases("onnx/maxpool@22", seed=0, count=1))) == ["Y", "Y+Indices"]


@pytest.mark.gate(one_in=12)
def test_copies_of_the_process_make_the_same_cases() -> None:
    """In the same order."""
    names = [name for name in spec_names() if name.rpartition("/")[2].startswith(("abs", "less", "where", "relu"))]
    (alone, errors), (shared, _) = (all_cases(names, seed=0, count=2, processes=count) for count in (1, 2))
    for one, other in ((alone.written, shared.written), (alone.generated, shared.generated)):
        assert [(case.spec, case.id) for case in one] == [(case.spec, case.id) for case in other] != []
    assert not errors
