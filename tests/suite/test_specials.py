"""The table of special values: what a text says is asked of its oracle, what a backend did is read from its record."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.backends import Answered, Raised
from plumbline.cases import Case, generate_cases
from plumbline.cases.format.flags import flags_of, flags_of_answer, notes
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.generate.special_values import IN_ALL, IN_ONE, Requirement, probe_of, requirements
from plumbline.oracle import Call, load_spec
from plumbline.reports.specials import FLAGS
from plumbline.trial.record.judge import judge
from plumbline.trial.run.line_builder import details_of, line_of
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.fakes import FAKES


def said(name: str, source: str, value: str) -> Requirement:
    """What a text says of a value in an input."""
    spec = load_spec(name)
    asked = probe_of(spec)
    assert asked is not None
    return dict(requirements(spec, asked))[source][value]


@pytest.mark.parametrize(("name", "source", "value", "expected"), [
    ("sonnx/div", "B", "-0", Requirement("-inf", ("float.C.F2",))),
    ("sonnx/div", "A", "NaN", Requirement("NaN", ("float.C.F3",), ("float.C.U1",))),
    ("onnx/div@14", "B", "-0", Requirement("anything", (), ("C.U3",))),
    ("sonnx/max", "data_0", "both zeros", Requirement("+0", ("Y.F1", "float.Y.F1"))),
    ("onnx/max@13", "data_0", "both zeros", Requirement("+0 or -0", ("max.F1",), ("max.U2",))),
    ("onnx/maxpool@22", "X", "NaN", Requirement("1 or NaN or -inf", ("Y.F1",), ("Y.U3",))),
    ("sonnx/maxpool", "X", "NaN", Requirement("1", ("float.Y.F1",))),
    ("sonnx/add", "A", "all largest", Requirement("+inf", ("float.C.F1",))),
    ("sonnx/add", "A", "both infinities", Requirement("NaN", ("float.C.F2",), ("float.C.U1",))),
    ("sonnx/less", "A", "NaN", Requirement("False", ("float.C.F1",))),
])
def test_what_a_text_says_is_found_by_asking(name: str, source: str, value: str, expected: Requirement) -> None:
    """The answers allowed, the clauses that decide, the unspecified clauses; on numbers and on truth values."""
    assert said(name, source, value) == expected


@pytest.mark.parametrize("name", ["sonnx/conv", "sonnx/matmul", "onnx/gemm@13", "onnx/averagepool@22"])
def test_where_cells_meet_the_call_has_several(name: str) -> None:
    """A NaN beside a number says more than a NaN alone; every input that is read has a row with every value."""
    spec = load_spec(name)
    asked = probe_of(spec)
    assert asked is not None
    read = spec.receptive_field(asked.call, asked.output, asked.where)
    assert max(map(len, read.values())) > 1
    rows = dict(requirements(spec, asked))
    assert rows.keys() == read.keys() and all(set(IN_ONE) <= row.keys() for row in rows.values())
    assert list(next(iter(rows.values()))) == [*IN_ONE, *IN_ALL]


def test_what_a_backend_did_is_counted_from_its_record(
        sonnx_cases: list[Case], run_trial, capsys: pytest.CaptureFixture[str]) -> None:
    """By flag and verdict, calls outside the domain left out, with the clauses that are broken."""
    record = run_trial(FAKES["starts_at_lowest_finite"](), sonnx_cases)
    assert main(["specials", str(record.path)]) == 0
    row, = (line for line in capsys.readouterr().out.splitlines() if "| sonnx/maxpool | " in line
            and line.startswith(f"| {record.who} |"))
    cells = [cell.strip() for cell in row.split("|")[3:-1]]
    infinite = [line for line in record.cases if "infinite" in line.flags]
    kept, broken = (sum(line.verdict == verdict for line in infinite) for verdict in ("conforms", "diverges"))
    assert kept and broken and cells[1].startswith(f"kept {kept}, diverge {broken}")
    assert "Y.F1" in cells[1]
    assert not any("outside" in cell or "accepts" in cell for cell in cells)
    titles = [*FLAGS.values()]
    largest = Counter(line.verdict for line in record.cases if "largest" in line.flags)
    assert largest["conforms"] and cells[titles.index("largest")].startswith(f"kept {largest['conforms']}")
    assert cells[titles.index("-0")] == "not recorded" and cells[titles.index("overflow")] == ""


MOST = np.finfo(np.float32).max


@pytest.mark.parametrize(("name", "inputs", "largest", "overflow"), [
    ("onnx/add@14", {"A": [MOST], "B": [MOST]}, ["largest", "largest-in-B"], True),
    ("onnx/add@14", {"A": [MOST], "B": [1]}, ["largest"], False),
    ("onnx/add@14", {"A": [-MOST, 1], "B": [np.inf, -np.inf]}, [], False),
    ("onnx/div@14", {"A": [1, MOST], "B": [0, 0.5]}, ["largest"], True),
    ("onnx/div@14", {"A": [1, MOST], "B": [0, 1]}, ["largest"], False),
    ("onnx/exp@13", {"X": [1000, np.inf]}, [], True),
    ("onnx/exp@13", {"X": [88, np.inf, np.nan]}, [], False),
    ("onnx/log@13", {"X": [0, MOST]}, ["largest"], False),
    ("onnx/matmul@13", {"A": [[MOST, MOST], [1, np.inf]], "B": [[1], [1]]}, ["largest"], True),
    ("onnx/less@13", {"A": [MOST], "B": [1]}, ["largest"], False),
    ("onnx/globalmaxpool@22", {"X": [[[]]]}, [], False),
])
def test_an_overflow_is_an_infinity_of_finite_numbers(name: str, inputs: dict[str, list[Any]], largest: list[str],
                                                      overflow: bool) -> None:
    """Of one element at least: what is read from an infinity or divided by zero is none. A record says so of a result,
    also where its backend gave something else."""
    spec = load_spec(name)
    call = Call(spec.operator, {}, {name: np.array(values, np.float32) for name, values in inputs.items()})
    case = made_case(spec, "made", "Made", call, "a test")
    assert [flag for flag in case.flags if flag.startswith("largest")] == largest
    assert case.flags == flags_of(spec, call) and "overflow" not in case.flags
    for outcome in (Answered(spec.expected(call)), Answered({}), Raised("run", "Error", "no")):
        verdict = judge(spec, case, call, outcome)
        details = details_of(spec, verdict, call, outcome)
        line = line_of(case, spec, spec.outputs[0], verdict, None, outcome, 0.0, details)
        assert line.flags == [*case.flags, *["overflow"] * overflow]
    assert {"overflow", *largest} <= notes([spec]).keys()


def test_cells_beyond_64_bits_are_padding() -> None:
    """A window far behind X holds nothing, and its coordinates are no numbers of 64 bits."""
    call = Call("MaxPool", {"kernel_shape": [1], "strides": [2**62 + 1], "pads": [0, 2**62], "ceil_mode": 1},
                {"X": np.float32([[[7]]])}, ("Y",))
    assert flags_of_answer(load_spec("openvino/maxpool@14"), call) == ()


def test_a_text_that_the_suite_does_not_have_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was done under it is counted all the same; a record without results is one line."""
    lines = [{**small.line("a", "conforms"), "flags": ["nan-in-X"]},
             {**small.line("b", "crashes"), "flags": ["nan"]}, small.line("c", "conforms")]
    path = small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), lines)
    assert main(["specials", str(path)]) == 0
    out = capsys.readouterr().out
    assert ": not in this suite" in out and "| toy 1 | toy/maxpool | kept 1, crash 1 | not recorded |" in out
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8").splitlines()[0])) + "\n", encoding="utf-8")
    assert main(["specials", str(path)]) == 2
    assert "no result" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "inputs", "differ"), [
    ("onnx/add@14", {"A": [[1], [2]], "B": [[1, 2, 3]]}, True),
    ("onnx/add@14", {"A": [1, 2], "B": [3, 4]}, False),
    ("onnx/max@13", {"data_0": [1, 2], "data_1": [3, 4], "data_2": 5}, True),
    ("onnx/clip@13", {"input": [1, 2], "min": 0, "max": 1}, False),
    ("onnx/abs@13", {"X": [1, 2]}, False),
])
def test_inputs_that_are_broadcast_are_a_flag(name: str, inputs: dict[str, Any], differ: bool) -> None:
    """The bounds of Clip are scalars by the text: nothing is broadcast."""
    spec = load_spec(name)
    call = Call(spec.operator, {}, {name: np.array(values, np.float32) for name, values in inputs.items()})
    assert ("shapes-differ" in flags_of(spec, call)) == differ


@pytest.mark.parametrize(("mode", "pads", "beyond"), [
    ("reflect", [3, 0], True), ("reflect", [0, 4], True), ("reflect", [2, 2], False), ("edge", [3, 0], False)])
def test_a_reflection_longer_than_the_axis_is_a_flag(mode: str, pads: list[int], beyond: bool) -> None:
    """An axis of three elements reflects two, since its edge is not repeated."""
    spec, call = load_spec("onnx/pad@19"), Call("Pad", {"mode": mode}, {
        "data": np.float32([1, 2, 3]), "pads": np.int64(pads)})
    assert ("reflects-beyond" in flags_of(spec, call)) == beyond


@pytest.mark.parametrize(("name", "attributes", "inputs", "flag", "has"), [
    ("onnx/reducesum@13", {"noop_with_empty_axes": 1}, {"data": np.float32([1, 2])}, "unreduced-vector", True),
    ("onnx/reducesum@13", {}, {"data": np.float32([1, 2])}, "unreduced-vector", False),
    ("onnx/slice@13", {}, {"data": np.zeros((2, 4), "f4"), "starts": np.int64([3]), "ends": np.int64([0]),
                           "axes": np.int64([-1]), "steps": np.int64([-2])}, "strided-rows", True),
    ("onnx/slice@13", {}, {"data": np.zeros((2, 4), "f4"), "starts": np.int64([0]), "ends": np.int64([2]),
                           "axes": np.int64([0]), "steps": np.int64([2])}, "strided-rows", False)])
def test_calls_that_a_runtime_leaves_unwritten_have_a_flag(name: str, attributes: dict[str, Any],
                                                           inputs: dict[str, np.ndarray], flag: str, has: bool) -> None:
    """A vector that is not reduced, and steps along the last of several axes."""
    spec = load_spec(name)
    assert (flag in flags_of(spec, Call(spec.operator, attributes, inputs))) == has


@pytest.mark.parametrize("name", ["onnx/conv@11", "onnx/div@14", "onnx/maxpool@12", "onnx/quantizelinear@19"])
def test_flags_that_matter_are_those_of_all(name: str) -> None:
    """Each flag is the same wanted alone and among all."""
    spec = load_spec(name)
    for case in generate_cases(name, seed=7, count=30):
        every = set(flags_of(spec, case.call))
        for flag in notes([spec]):
            assert {flag} & set(flags_of(spec, case.call, {flag})) == {flag} & every


def test_a_range_of_nan_is_judged_by_its_type() -> None:
    """Though there is no element to compare, and no number to begin with."""
    spec, numbers = load_spec("sonnx/range"), {"start": np.nan, "limit": 1, "delta": 3}
    call = Call("Range", {}, {name: np.array(number, np.float32) for name, number in numbers.items()})
    found, = spec.divergences(call, {"output": np.zeros(0, np.float64)})
    assert found.clause == "sonnx/range#Y.C2"
