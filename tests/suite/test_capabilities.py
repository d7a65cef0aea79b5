"""What a backend declares: which requests it covers, which limit is named, and what becomes of it in a run."""

from __future__ import annotations

from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.backends import Answered, Asking, BackendError, Request, adapter_names, doctor, is_asked, to_request
from plumbline.backends.capabilities import CapabilityError, read_capabilities, undeclared
from plumbline.backends.declarations import declared_by, read_declared
from plumbline.backends.identity import Identity
from plumbline.backends.registry import find_backend
from plumbline.cases import Case
from plumbline.oracle import Call, load_spec
from plumbline.reports import summary_lines
from plumbline.trial.record.judge import judge_inside
from tests.suite import manners
from tests.suite.commands import backends as main


def request(dtype: str = "float32", rank: int = 2, opset: int = 12, **attributes: Any) -> Request:
    """A call of MaxPool that asks for Y and Indices."""
    return Request(b"", "MaxPool", attributes, opset, {"X": np.ones((1, 1) + (2,) * rank, dtype)}, ("Y", "Indices"))


@pytest.mark.parametrize(("entry", "asked", "says"), [
    ({}, request(), None),
    ({"operators": ["MaxPool"]}, request(), None),
    ({"operators": ["AveragePool"]}, request(), "operator MaxPool is not declared"),
    ({"opsets": [8, 12]}, request(opset=12), None),
    ({"opsets": [8, 12]}, request(opset=13), "opset 13 is not declared"),
    ({"opsets": [8, None]}, request(opset=7), "opset 7 is not declared"),
    ({"opsets": [8, None]}, request(opset=99), None),
    ({"dtypes": ["float32"]}, request("float64"), "dtype float64 is not declared"),
    ({"ranks": [1, 2]}, request(rank=3), "a rank of 3 spatial axes is not declared"),
    ({"outputs": ["Y"]}, request(), "output Indices is not declared"),
    ({"attributes": {"ceil_mode": [0]}}, request(), None),
    ({"attributes": {"ceil_mode": [0]}}, request(ceil_mode=1), "ceil_mode 1 is not declared"),
    ({"attributes": {"dilations": [1]}}, request(dilations=[1, 1]), None),
    ({"attributes": {"dilations": [1]}}, request(dilations=[1, 2]), "dilations [1, 2] is not declared"),
    ({"attributes": {"auto_pad": ["NOTSET"]}}, request(auto_pad="VALID"), "auto_pad VALID is not declared"),
    ({"versions": ">=1.2"}, request(), None),
    ({"versions": "<1.2"}, request(), "version 1.3 is not declared"),
    ({"dtypes": ["int8"], "ranks": [1]}, request(),
     "dtype float32 and a rank of 2 spatial axes are not declared"),
])
def test_an_entry_covers_a_request_or_the_limit_is_named(entry: dict[str, Any], asked: Request,
                                                         says: str | None) -> None:
    """Each key alone; an absent key and an absent attribute limit nothing."""
    assert undeclared(read_capabilities([entry]), "1.3", asked) == says


def test_one_entry_that_covers_is_enough_and_the_closest_one_is_told_of() -> None:
    """No entry declares nothing, no list everything."""
    entries = [{"operators": ["MaxPool"], "dtypes": ["float32"], "opsets": [1, 7]},
               {"operators": ["MaxPool"], "dtypes": ["float32", "int8"], "opsets": [8, None]}]
    read = read_capabilities(entries)
    assert undeclared(read, "1", request("int8")) is None
    assert undeclared(read, "1", request("int8", opset=7)) == "dtype int8 is not declared"
    assert undeclared(read, "1", request("uint8", opset=9)) == "dtype uint8 is not declared"
    assert undeclared(read_capabilities([]), "1", request()) == "nothing is declared"
    assert undeclared(read_capabilities(None), "1", request()) is None


def test_a_version_that_is_none_is_in_no_range() -> None:
    """A build's own name is not taken for a version."""
    read = read_capabilities([{"versions": ">=0"}])
    assert undeclared(read, "nightly", request()) == "version nightly is not declared"


@pytest.mark.parametrize(("data", "says"), [
    ([{"operators": "MaxPool"}], "capabilities[0]['operators']: Input should be a valid list"),
    ([{"operator": ["MaxPool"]}],
     "capabilities[0]['operator']: unknown key; did you mean 'operators'?; allowed: operators, opsets"),
    ([{"inputs": {"X": {"types": []}}}],
     "capabilities[0]['inputs']['X']['types']: unknown key; did you mean 'dtypes'?; allowed: dtypes, axes"),
    ([{"operators": ["MaxPol"]}], "unknown operator 'MaxPol'; did you mean 'MaxPool'?"),
    ([{}, {"dtypes": ["float23"]}], "capabilities[1]['dtypes']: unknown type 'float23'"),
    ([{"inputs": {"X": {"dtypes": ["half"]}}}], "unknown type 'half'"),
    ([{"outputs": ["Z"]}], "'Z' is not an output of any operator"),
    ([{"operators": ["MaxPool"], "attributes": {"dilation": [1]}}], "'dilation' is not an attribute of MaxPool"),
    ([{"opsets": [8]}], "capabilities[0]['opsets']"),
    ([{"versions": "1.2"}], "'1.2' is no version specifier"),
    ({"operators": ["MaxPool"]}, "capabilities: Input should be a valid list"),
])
def test_what_cannot_be_read_is_one_line(data: Any, says: str) -> None:
    """Which entry, which key, and what is wrong."""
    with pytest.raises(CapabilityError) as caught:
        read_capabilities(data)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_an_operator_without_a_specification_may_be_declared() -> None:
    """The backend may well have it; of its outputs nothing is known."""
    assert read_capabilities([{"operators": ["Det", "acme.Blend"], "outputs": ["blended"]}])


@pytest.mark.parametrize("name", adapter_names())
def test_an_adapter_declares_literals(name: str) -> None:
    """What it needs and what it can be asked are read without its runtime."""
    declared = declared_by(name)
    assert declared.requirements and declared.specifications


@pytest.mark.parametrize(("line", "says"), [
    ("capabilities = make()", "mine.py:3: capabilities is not written as a literal"),
    ("capabilities = [{'ranks': ['two']}]", "mine.py: capabilities[0]['ranks'][0]: Input should be a valid integer"),
])
def test_an_adapter_that_computes_what_it_declares_is_told(line: str, says: str, tmp_path: Path) -> None:
    """With file and line."""
    path = tmp_path / "mine.py"
    path.write_text(f"class Mine:\n    requirements = ('mine',)\n    {line}\n", encoding="utf-8")
    with pytest.raises(BackendError) as caught:
        read_declared(path)
    assert str(caught.value).startswith(says)


def test_an_adapter_may_name_a_list_above(tmp_path: Path) -> None:
    """Alone and among others; what it computes there is not a literal."""
    path = tmp_path / "mine.py"
    text = ("A = ['int8']\nB = [*A, {}]\n\nclass Mine:\n    requirements = ('mine',)\n"
            "    capabilities = [{{'dtypes': A}}, {{'dtypes': ['bool', *B]}}]\n")
    path.write_text(text.format("'uint8'"), encoding="utf-8")
    first, second = read_declared(path).capabilities or ()
    assert (first.dtypes, second.dtypes) == (["int8"], ["bool", "int8", "uint8"])
    path.write_text(text.format("other()"), encoding="utf-8")
    with pytest.raises(BackendError, match=r"^mine\.py:6: capabilities is not written as a literal$"):
        read_declared(path)


def test_patterns_name_specifications() -> None:
    """As a shell does."""
    assert is_asked(("sonnx/*", "onnx/maxpool@1?"), "onnx/maxpool@12")
    assert not is_asked(("sonnx/*", "onnx/maxpool@1?"), "onnx/maxpool@8")


def test_a_gap_excuses_a_refusal_and_an_answer_beyond_it_is_told(sonnx_cases: list[Case], run_trial) -> None:
    """The data and `gap` both count, before the words of a refusal; what is answered all the same is judged
    as any other."""
    chosen = [case for case in sonnx_cases if case.id in ("int-example-1", "int-example-5", "nan-all-float64")]
    record = run_trial(manners.DeclaresAGap(), chosen)
    assert {(line.id, line.verdict, line.undeclared) for line in record.cases} == {
        ("int-example-1", "unsupported", ""), ("int-example-5", "conforms", "dtype uint8 is not declared"),
        ("nan-all-float64", "conforms", "dtype float64 is not declared")}
    refused = {line.did for line in record.cases if line.verdict == "unsupported"}
    assert refused == {"no int8; NotImplementedError: int8"}
    lines = "\n".join(summary_lines(record))
    assert "4 results outside the declared capabilities but answered anyway\n" in lines
    assert "2  dtype float64 is not declared" in lines


def test_a_silent_fallback_is_told(sonnx_cases: list[Case], run_trial) -> None:
    """The provider that computed is in each line, and one that was not asked for is in the summary."""
    chosen = [case for case in sonnx_cases if case.id in ("int-example-1", "float-example-1")]
    record = run_trial(manners.FallsBack(), chosen)
    assert {(line.id, line.provider) for line in record.cases} == {("int-example-1", "CPU"),
                                                                        ("float-example-1", "GPU")}
    assert "2 results computed by CPU instead of GPU" in summary_lines(record)


def test_the_list_shows_each_adapter_with_what_it_can_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Without its runtime: one line each, and all of it with a name."""
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(adapter_names()) and max(map(len, lines)) <= 100
    for name in adapter_names():
        assert main(["list", name]) == 0
    text = capsys.readouterr().out
    assert all(f"{name}\n    runs in " in text for name in adapter_names())
    assert main(["list", "onxruntime"]) == 2
    assert "can be asked about sonnx/*, onnx/*\n        AveragePool; opsets from 7; float32 float16; " in text


plain = cache(doctor._plain)
"""Every doctor asks the same calls, which take longer to draw than to answer."""


@pytest.mark.parametrize(("named", "status", "says"), [
    ("tests.suite.manners:DeclaresAGap", 0, ["0 wrong, 0 refused", "  right    onnx/maxpool@22 "]),
    ("tests.suite.fakes:minimum", 1, ["  wrong    onnx/conv@22: ", "2 right, "]),
    ("tests.suite.manners:Mistyped", 1, ["`specifications` names 'onnx/rellu', which matches no specification; did "
                                         "you mean 'onnx/relu'?", "0 right, 0 wrong, 0 refused, 3 failed",
                                         "  failed   onnx/relu@14: ", "has no attribute 'maximun'",
                                         "next: correct it, then plumbline backends doctor tests.suite.manners:Mist"]),
    ("tests.suite.manners:OtherName", 1, ["Y was asked for and not given; answered out"]),
    ("tests.suite.fakes:refuses_at_load", 1, ["refused (load): NotImplementedError: not here", "0 right"]),
    ("tests.suite.manners:SpeaksOfAnother", 1, ["nothing was asked"]),
    ("tests.suite.manners:HealthyRelu", 0, ["asked 3 plain calls of 1 operator: 3 right, 0 wrong, 0 refused",
                                            "next: plumbline conformance --backend tests.suite.manners:HealthyRelu "]),
    ("tests.suite.manners:BrokenSoftmax", 1, ["  wrong    onnx/softmax@13: Softmax(", "0 right, "]),
    ("tests.suite.manners:SpeaksOfOpenVino", 1, ["refused (run): RuntimeError: 0 bytes of a model, pads_begin ["]),
])
def test_the_doctor_runs_plain_calls_that_are_declared(
        named: str, status: int, says: list[str], capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any operator, in about ten lines; what is not right makes the status 1."""
    monkeypatch.setattr(doctor, "_plain", plain)
    assert main(["doctor", named]) == status
    text = capsys.readouterr().out
    assert "is ready (Python" in text and len(text.splitlines()) <= 10
    assert all(line in text for line in says), text


def test_the_doctor_waits_for_one_answer_alone() -> None:
    """A class that hangs is not asked again and again."""
    with closing(find_backend("tests.suite.conduct:HangsOnThirdCall").start()) as host:
        faults = [answer.fault for answer in doctor.examined(host, 0.5)]
    assert [number for number, fault in enumerate(faults) if fault.startswith("no answer within 0.5 s")] == [2]
    assert len(faults) == 3


def test_the_doctor_tells_what_does_not_start(capsys: pytest.CaptureFixture[str]) -> None:
    """With the last lines it wrote."""
    assert main(["doctor", "tests.suite.manners:DiesAtStart"]) == 1
    assert "did not start: SIGILL" in capsys.readouterr().err


def test_a_request_names_the_specification_it_is_judged_under(sonnx_cases: list[Case], run_trial) -> None:
    """So that an adapter knows whose words operator and attributes are."""
    seen = []

    class Listening(manners.Batching):
        """Keeps what it hears."""

        def run(self, request):
            """The truth."""
            seen.append(request.specification)
            return super().run(request)

    run_trial(Listening(), sonnx_cases[:2], share=0)
    assert seen == ["sonnx/maxpool"] * 4


class Steps:
    """A host whose answers are so many steps of float32 above those of the oracle."""

    notes: list[str] = []

    def __init__(self, steps: int, capabilities: list[dict[str, Any]]) -> None:
        self.steps = steps
        self.identity = Identity(name="steps", version="1", specifications=[], capabilities=capabilities)

    def run(self, asked: Request) -> Answered:
        """The values at numbers below zero, whose spacing in ulp is that of the answers."""
        y = load_spec("onnx/sigmoid@13").expected(Call("Sigmoid", {}, asked.inputs))["Y"]
        return Answered({"Y": (y + self.steps * np.spacing(y)).astype(y.dtype)})


@pytest.mark.parametrize(("entries", "steps", "verdict"), [
    ([{"accuracy": 2}], 1, "observed"),
    ([{"accuracy": 2}], 5, "diverges"),
    ([{"accuracy": 9}, {"accuracy": 2}], 5, "diverges"),
    ([{"accuracy": 9}], 5, "observed"),
    ([{"accuracy": 0.5}], 0, "conforms"),
    ([{}], 5, "observed"),
    ([{"operators": ["Tanh"], "accuracy": 2}, {}], 5, "observed"),
    ([{"dtypes": ["float64"], "accuracy": 2}, {"dtypes": ["float32"]}], 5, "observed"),
])
def test_a_declared_accuracy_is_judged_where_the_text_has_none(entries: list[dict[str, Any]], steps: int,
                                                               verdict: str) -> None:
    """By the least of the entries that cover the call, at the clause that leaves accuracy open."""
    spec = load_spec("onnx/sigmoid@13")
    call = Call("Sigmoid", {}, {"X": np.array([-1, -2, -3.5], np.float32)})
    outcome, = Asking(Steps(steps, entries)).submit([to_request(spec, call, 13)])  # type: ignore[arg-type]
    assert isinstance(outcome, Answered)
    found = judge_inside(spec.judged(call), outcome)
    assert found.verdict == verdict
    assert found.clauses == (("onnx/sigmoid@13#Y.U1",) if verdict == "diverges" else found.clauses)


def test_an_accuracy_is_at_least_zero() -> None:
    """Anything else is one line."""
    with pytest.raises(CapabilityError, match="accuracy"):
        read_capabilities([{"accuracy": -1}])
