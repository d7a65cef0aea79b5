"""Accuracy profiles: the bound of a function and element type becomes a divergence, with the clause of the profile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from plumbline.backends import Answered, Request
from plumbline.cases import Case, Expectation
from plumbline.oracle import Call, SpecError, load_spec, spec_names
from plumbline.oracle.accuracy import choose_profile, is_of_profile, unit_in_the_last_place
from plumbline.oracle.markdown import read_front
from plumbline.oracle.rounding import Wide
from plumbline.oracle.slices import LARGEST
from plumbline.oracle.specification import _all_below, _texts_below, profiles
from plumbline.reports import summary_lines
from plumbline.reports.accuracy_shares import accuracy_shares
from plumbline.reports.clauses import by_clause, clause_rows
from plumbline.reports.columns import columns
from plumbline.reports.page import page
from plumbline.trial import KnownDivergences
from plumbline.trial.accuracy.measurement import AgainstProfile, Measurement, Series, Worst
from plumbline.trial.known.draft import known_text
from plumbline.trial.known.register_file import KnownError, read_known
from plumbline.trial.record.judge import Verdict, judge_inside
from plumbline.trial.record.measurements import share_name
from plumbline.trial.run.options import OptionError, read_options
from tests.suite.commands import plumbline
from tests.suite.commands import report as main
from tests.suite.pages import Page

EXP, NEWEST = "onnx/exp@13", {
    "Exp": "onnx/exp@13", "Log": "onnx/log@13", "Tanh": "onnx/tanh@13", "Sqrt": "onnx/sqrt@13", "Erf": "onnx/erf@13",
    "Sin": "onnx/sin@22", "Cos": "onnx/cos@22", "Pow": "onnx/pow@15", "Div": "onnx/div@14", "Add": "onnx/add@14",
    "Reciprocal": "onnx/reciprocal@13"}
"""The newest specifications of functions that some profile bounds."""

KEPT = ("conforms", "observed")
TYPES = {"bfloat16": ml_dtypes.bfloat16}


@pytest.fixture
def under(request: pytest.FixtureRequest) -> Iterator[None]:
    """Judge by the profile that the parameter names."""
    undo = choose_profile(request.param)
    yield
    undo()


def verdict(operator: str, x: np.ndarray, answer: np.ndarray) -> Verdict:
    """The verdict on an answer to a call on one tensor."""
    spec = load_spec(NEWEST[operator])
    call = Call(operator, {}, {spec.inputs[0]: x})
    return judge_inside(spec.judged(call), Answered({spec.outputs[0]: answer}))


def off(operator: str, x: np.ndarray, ulp: float) -> np.ndarray:
    """Answers that are about so many ulp above the exact values."""
    spec = load_spec(NEWEST[operator])
    y = spec.expected(Call(operator, {}, {spec.inputs[0]: x}))[spec.outputs[0]]
    return np.asarray((y + ulp * np.spacing(np.abs(y))).astype(x.dtype))


@pytest.mark.parametrize(("under", "dtype", "ulp", "clause"), [
    ("opencl-full", "float32", 2, None), ("opencl-full", "float32", 5, "F1"),
    ("opencl-full", "float64", 2, None), ("opencl-full", "float64", 5, "F2"),
    ("opencl-full", "float16", 1, None), ("opencl-full", "float16", 3, "F3"),
    ("opencl-embedded", "float32", 3, None), ("opencl-embedded", "float32", 5, "F1"),
    ("opencl-embedded", "float16", 2, None), ("opencl-embedded", "float16", 4, "F3"),
    ("opencl-embedded", "float64", 5, None),  # on which the documents differ
    ("opencl-relaxed", "float32", 5, None),  # 3 + floor(2 * 2.76) are allowed
    ("opencl-relaxed", "float32", 9, "F1"),
    ("correctly-rounded", "float32", 0, None), ("correctly-rounded", "float32", 1, "F1"),
    ("correctly-rounded", "float16", 1, "F1"), ("correctly-rounded", "float64", 1, "F1"),
    ("correctly-rounded", "bfloat16", 1, "F2"), ("correctly-rounded", "bfloat16", 0, None),
    ("declared", "float32", 5, None),
], indirect=["under"])
def test_an_error_is_judged_by_function_and_type(under: None, dtype: str, ulp: int, clause: str | None,
                                                 request: pytest.FixtureRequest) -> None:
    """At the clause of the table for the type, and not where a profile has none."""
    name = request.node.callspec.params["under"]
    x = np.array([2.76], np.float32).astype(TYPES.get(dtype, dtype))
    judged = verdict("Exp", x, off("Exp", x, ulp))
    assert judged.clauses == (f"accuracy/{name}#exp.{clause}",) if clause else judged.verdict in KEPT


@pytest.mark.parametrize("under", ["correctly-rounded"], indirect=True)
@pytest.mark.parametrize(("operator", "function"), [("Exp", np.exp), ("Log", np.log), ("Tanh", np.tanh),
                                                    ("Sin", np.sin), ("Cos", np.cos), ("Sqrt", np.sqrt)])
def test_float32_by_way_of_float64_is_rounded_correctly(under: None, operator: str, function: np.ufunc) -> None:
    """But for ties, which these numbers do not come near; one ulp beside is not."""
    x = np.linspace(0.01, 9, 999, dtype=np.float32)
    answer = function(x.astype(np.float64)).astype(np.float32)
    assert verdict(operator, x, answer).verdict in KEPT
    answer[7] = np.nextafter(answer[7], np.float32(2))
    assert verdict(operator, x, answer).verdict == "diverges"


@pytest.mark.parametrize("under", ["correctly-rounded", "sonnx"], indirect=True)
def test_a_product_with_the_reciprocal_is_not_rounded_correctly(under: None, request: pytest.FixtureRequest) -> None:
    """IEEE 754 decides what ONNX leaves open; so does SONNX's note, which allows u times the quotient."""
    name = request.node.callspec.params["under"]
    spec, one = load_spec(NEWEST["Div"]), np.float32(1)
    call = Call("Div", {}, {"A": np.arange(1, 99, dtype=np.float32), "B": np.full(98, 49, np.float32)})
    answer = call.inputs["A"] * (one / call.inputs["B"])
    judged = judge_inside(spec.judged(call), Answered({"C": answer}))
    assert judged.clauses == (f"accuracy/{name}#div.F1",)
    bound, real = profiles()[name].bounds["div.F1"], spec.judged(call).definition.real_values()
    room = bound.room(real, unit_in_the_last_place(real.exact, answer.dtype), answer.dtype)
    units = room / np.spacing(np.abs(call.inputs["A"] / call.inputs["B"]))
    assert (units == 0.5).all() if name == "correctly-rounded" else 0.5 <= units.min() < 0.6 and 0.9 < units.max() < 1


@pytest.mark.parametrize("under", ["opencl-full"], indirect=True)
def test_what_a_profile_leaves_open_is_not_judged(under: None) -> None:
    """Subnormal results of float32; overflow within the bound, and not before it."""
    x = np.array([-100], np.float32)
    assert verdict("Exp", x, np.zeros(1, np.float32)).verdict != "diverges"
    smallest = np.array([np.finfo(np.float32).smallest_normal])
    assert verdict("Tanh", smallest, np.zeros(1, np.float32)).verdict != "diverges"  # the tangent is subnormal
    largest = np.array([88.72283], np.float32)
    assert verdict("Exp", largest, np.array([np.inf], np.float32)).clauses == ("accuracy/opencl-full#exp.F1",)
    sigmoid = load_spec("onnx/sigmoid@13")
    assert not sigmoid.bounds and sigmoid.profile == "accuracy/opencl-full"


@pytest.mark.parametrize("under", ["opencl-relaxed"], indirect=True)
@pytest.mark.parametrize(("operator", "x", "error", "clause"), [
    ("Sin", 3.0, 2.0**-12, None), ("Sin", 3.0, 2.0**-10, "sin.F1"),
    ("Log", 1.5, 2.0**-22, None), ("Log", 1.5, 2.0**-20, "log.F1"), ("Log", 2.5, 2.0**-20, "log.F2"),
])
def test_absolute_errors_hold_in_an_interval(under: None, operator: str, x: float, error: float,
                                             clause: str | None) -> None:
    """ONNX allows as much in these cases."""
    spec, array = load_spec(NEWEST[operator]), np.array([x], np.float32)
    real = spec.judged(Call(operator, {}, {spec.inputs[0]: array})).definition.real_values()
    assert real is not None
    answer = (real.exact + error).astype(np.float32)
    found = [entry.clause for entry in spec.judged(Call(operator, {}, {spec.inputs[0]: array})).comparisons(
        {spec.outputs[0]: answer}) if entry.divergence]
    assert found == ([f"accuracy/opencl-relaxed#{clause}"] if clause else [])


@pytest.mark.parametrize("under", ["opencl-full"], indirect=True)
def test_large_outputs_are_judged_in_slices(under: None) -> None:
    """Each element at its place in the whole output."""
    x = np.full((4, LARGEST), 2.5, np.float32)
    answer = off("Exp", x, 0)
    answer[[0, 3], 5] += 8 * np.spacing(answer[0, 5])
    divergence, = verdict("Exp", x, answer).divergences
    assert divergence.where is not None and divergence.where.tolist() == [[0, 5], [3, 5]]


def test_without_a_profile_nothing_changes() -> None:
    """No clause of a profile is in a specification, and none is listed among them."""
    assert not any(is_of_profile(name) for name in spec_names())
    spec = load_spec(EXP)
    before = spec.digest
    assert not spec.bounds and not any(map(is_of_profile, spec.clauses))
    undo = choose_profile("opencl-full")
    judged = load_spec(EXP)
    undo()
    assert judged.digest != before and [*judged.clauses][-3:] == [f"accuracy/opencl-full#exp.F{n}" for n in (1, 2, 3)]
    assert load_spec(EXP) is spec


def test_profiles_are_complete() -> None:
    """Each bound is about an operator that has real values, and its clause names the number."""
    for name, text in profiles().items():
        assert text.name == f"accuracy/{name}"
        for address, bound in text.bounds.items():
            operator = next(operator for operator in [*NEWEST, "Sub", "Mul"] if operator.lower() == bound.function)
            clause = text.clauses[f"{text.name}#{address}"]
            assert operator and bound.source == clause.source and clause.judges == "outputs"
            assert (bound.allowed if not bound.rounded else "rounded to nearest") in clause.statement


@pytest.mark.parametrize(("operator", "answer"), [(operator, spec) for operator, spec in NEWEST.items()])
def test_real_values_are_those_of_the_canonical_outputs(operator: str, answer: str) -> None:
    """Within half a ulp."""
    spec = load_spec(answer)
    x = np.array([0.3, 1.5, 2.75], np.float32)
    judged = spec.judged(Call(operator, {}, dict.fromkeys(spec.inputs, x)))
    real, y = judged.definition.real_values(), judged.expected[spec.outputs[0]]
    assert real is not None and real.where.all()
    assert (np.abs(real.exact - y) <= unit_in_the_last_place(real.exact, y.dtype) / 2).all()


def test_a_unit_is_the_distance_of_the_numbers_around_a_value() -> None:
    """Also below the normal range, and at zero."""
    values = np.array([1, 1.5, 2 - 2.0**-40, 2.0**-149, 0, 2.0**127], Wide)
    assert unit_in_the_last_place(values, np.dtype("float32")).tolist() == [
        2.0**-23, 2.0**-23, 2.0**-23, 2.0**-149, 2.0**-149, 2.0**104]


@pytest.mark.parametrize(("old", "new", "says"), [
    ("ulp: 3}", "ulps: 3}", "exp.F1: a bound has one of"), ("table: t,", "table: u,", "`table` is one of t"),
    ("ulp: 3}", "absolute: big}", "could not convert"), ("exp.F1", "Exp", "the address of a bound"),
    ("float32", "int8", "element types are"),
    ("ulp: 3}", "roundings: 0}", "`roundings` too"), ("ulp: 3}", "ulp: 0}", "`ulp` is finite and above zero"),
    ("source: s", "sauce: s", "each with `types` and `source`"), ("ulp: 3}", "rounded: up}", "one of nearest"),
    ("ulp: 3}", "ulp: 3, inside: [0, e]}", "could not convert"),
])
def test_a_malformed_bound_is_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    """File and remedy."""
    text = "---\nspecification: accuracy/own\nedition: none\ntables:\n  t: {types: [float32], source: s}\n" \
           "bounds:\n  exp.F1: {table: t, ulp: 3}\n---\n"
    path = tmp_path / "own.md"
    path.write_text(text, encoding="utf-8")
    assert read_front(path).bounds["exp.F1"].ulp == 3
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError, match="own.md:1: bounds: ") as caught:
        read_front(path)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_profiles_have_a_folder_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile of one's own is found there, and only there."""
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path))
    text = "---\nspecification: {}/own\nedition: none\ntables:\n  t: {{types: [float32], source: s}}\n" \
           "bounds:\n  exp.F1: {{table: t, ulp: 3}}\n---\n"
    for folder in ("accuracy", "else"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.md").write_text(text.format(folder), encoding="utf-8")
        if folder == "accuracy":
            assert profiles()["own"].bounds["exp.F1"].ulp == 3
            read_again()
    with pytest.raises(SpecError, match="own.md:1: accuracy profiles, which have `bounds`, and no other text"):
        profiles()
    read_again()


def read_again() -> None:
    """Forget the texts that were read."""
    _texts_below.cache_clear()
    _all_below.cache_clear()


def test_an_unknown_profile_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With the one that was meant, and status 2."""
    with pytest.raises(OptionError, match=r"^--accuracy opencl-ful: no accuracy profile is called 'opencl-ful'; did "
                                          r"you mean 'opencl-full'\?; there are .*declared"):
        read_options({"accuracy": "opencl-ful"}, Path("/"))
    assert plumbline(["conformance", "--accuracy", "opencl-ful"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_matrix_by_an_unknown_profile_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Before any backend is started."""
    assert plumbline(["matrix", "onnxruntime", "--accuracy", "opencl-fulll"]) == 2
    assert capsys.readouterr().err.startswith("no accuracy profile is called 'opencl-fulll'; ")


def test_profiles_are_listed_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """With their clauses, which are explained as others are."""
    assert plumbline(["list", "accuracy/*"]) == 0
    assert capsys.readouterr().out.split() == [f"accuracy/{name}" for name in profiles()]
    assert plumbline(["list", "accuracy/opencl-full"]) == 0
    assert "accuracy/opencl-full#exp.F1 " in capsys.readouterr().out
    assert plumbline(["explain", "accuracy/opencl-full#exp.F1"]) == 0
    assert "by at most 3 ulp" in capsys.readouterr().out
    assert plumbline(["explain", "accuracy/opencl-ful#exp.F1"]) == 2
    assert "did you mean 'opencl-full'" in capsys.readouterr().err


class Far:
    """A backend whose exponentials are five ulp off, near the upper end of a binade."""

    name = "far"

    def version(self) -> str:
        """The only one."""
        return "1"

    def run(self, request: Request) -> dict[str, np.ndarray]:
        """The canonical output, five numbers further."""
        y = load_spec(EXP).expected(Call("Exp", {}, request.inputs))["Y"]
        return {"Y": (y + 5 * np.spacing(y)).astype(y.dtype)}


def exponentials() -> list[Case]:
    """A case of two numbers, as if it were generated."""
    call = Call("Exp", {}, {"X": np.array([2.76, 2.75], np.float32)})
    expectation = Expectation(outputs=load_spec(EXP).expected(call))
    return [Case("generated-0-0", "", EXP, 13, call, expectation, (), "generator")]


@pytest.mark.parametrize(("profile", "breaks"), [("opencl-full", True), ("opencl-embedded", True),
                                                 ("opencl-relaxed", False), ("declared", False)])
def test_a_record_names_the_profile_and_its_clauses(profile: str, breaks: bool, run_trial: Any) -> None:
    """In its header, at the result, on its page, in words and in a drafted list."""
    undo = choose_profile(profile)
    try:
        record = run_trial(Far(), exponentials())
        line, = record.cases
        address, name = f"accuracy/{profile}#exp.F1", f"accuracy/{profile}"
        assert record.header.accuracy == ("" if profile == "declared" else name)
        assert line.verdict == ("diverges" if breaks else "observed")
        assert line.clauses == [address] if breaks else address not in line.clauses
        shown = Page(page([record])).text
        words = " ".join(" ".join(summary_lines(record, verbose=True)).split())
        assert (name in shown) is (name in words) is (profile != "declared")
        assert ("Accuracy, table" in page([record])) is (profile != "declared")
        if profile == "declared":
            return
        share = line.figures[share_name(name)]
        assert isinstance(share, float) and (share > 1) is breaks and f"{share:.3g} of float32" in words
        assert accuracy_shares(columns([record])) == [(name, "onnx/exp", "float32", (share,))]
        assert (f"✗ {share:.3g}" in shown) is breaks
        every = Measurement("Exp", "exp", "float32", 2**32, "all", 0.0, {profile: 4.0}, [
            Series(record.who, largest=Worst("1", "2", "3", 5.5), against={profile: AgainstProfile(1.375, 2)}),
            Series("another 1.0", largest=Worst("1", "2", "3", 9.0))])
        assert accuracy_shares(columns([record]), [every]) == [
            ("", "onnx/exp", "float32, all 2^32", (5.5,)), (name, "onnx/exp", "float32", (share,)),
            (name, "onnx/exp", "float32, all 2^32", (1.375,))]
        measured = page([record], [every])
        assert "<td>float32, all 2^32</td>" in measured and "in ulp" in measured and "✗ 1.38" in measured
        row = next(row for row in clause_rows(record, EXP) if row.address == address)
        assert row.status == ("diverges" if breaks else "conforms") and row.figures
        assert [addresses for addresses, _, _ in by_clause(record)] == ([address] if breaks else [])
        assert main(["explain", address, str(record.path)]) == 0
        assert main(["sarif", str(record.path)]) == 0
        assert not breaks or f"clauses: [{address}]" in known_text(record)
    finally:
        undo()


def test_a_known_list_names_a_clause_of_a_profile(run_trial: Any, tmp_path: Path) -> None:
    """It explains the divergence under that profile, and is no part of runs under another, or none."""
    path = tmp_path / "known.yaml"
    entry = {"id": "far", "spec": "onnx/exp@13", "verdict": "diverges", "clauses": ["accuracy/opencl-full#exp.F1"],
             "generated": [], "reason": "It has always been so."}
    path.write_text(json.dumps({"backend": "far", "divergences": [entry]}), encoding="utf-8")
    undo = choose_profile("opencl-full")
    known = KnownDivergences().joined([path], "far", "1")
    record = run_trial(Far(), exponentials(), known)
    undo()
    assert [line.known.id for line in record.cases if line.known] == ["far"]
    assert not KnownDivergences().joined([path], "far", "1").entries
    path.write_text(path.read_text("utf-8").replace("exp.F1", "exp.F9"), encoding="utf-8")
    with pytest.raises(KnownError, match="has no clause 'accuracy/opencl-full#exp.F9'"):
        read_known(path)
