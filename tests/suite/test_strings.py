"""Tensors of strings: what is drawn, judged, kept and shown of them, and what faults of a runtime are called."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest

from plumbline.backends.hosts import outcome_of
from plumbline.backends.in_process import InProcess
from plumbline.backends.outcomes import Answered
from plumbline.backends.request import to_request
from plumbline.backends.worker import Served, decode, encode
from plumbline.cases import Case
from plumbline.cases.format.case import Expectation
from plumbline.cases.format.compact import LONGEST
from plumbline.cases.format.disk_cache import DiskCache
from plumbline.cases.format.layout import laid_out
from plumbline.cases.format.loader import read_cases
from plumbline.cases.format.tensors import TensorError, literal
from plumbline.cases.format.writing import as_yaml
from plumbline.cases.generate.cached_cases import CaseSet, read_cases_of, write_cases
from plumbline.cases.generate.planting import planted
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.oracle import Call, OutsideDomain, load_spec
from plumbline.oracle.tensor_protos import to_array
from plumbline.oracle.type_names import name_of, shown
from plumbline.trial import read_record
from plumbline.trial.known.frozen_calls import FrozenCall
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.tensors import to_array as of_record
from plumbline.trial.record.tensors import to_tensor, values_of
from tests.suite.commands import plumbline as main
from tests.suite.fakes import Adapter
from tests.suite.runs import conformance, only

SPEC = "onnx/concat@13"
TEXTS = ["", "a\0", "a\0b", "\u00fc", "\U0001f600", "b"]
"""Such that each fault of `FAULTS` changes some."""


def strings(*values: Any) -> np.ndarray:
    """An array of objects."""
    return np.array(values, object)


CALL = Call("Concat", {"axis": 0}, {"inputs_0": strings(*TEXTS[:3]), "inputs_1": strings(*TEXTS[3:])})


def each(change: Callable[[str], Any]) -> Callable[[np.ndarray], np.ndarray]:
    """A fault that changes each string."""
    return lambda right: strings(*map(change, right.tolist()))


FAULTS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str, str]] = {
    "lost": (lambda right: strings(*right[:1], *[""] * (len(right) - 1)), "concat_result.F1", "empty-string"),
    "cut at the first NUL": (each(lambda text: text.partition("\0")[0]), "concat_result.F1", "cut-string"),
    "without NULs at the end": (lambda right: right.astype(str), "concat_result.F1", "cut-string"),
    "None for the empty string": (each(lambda text: text or None), "concat_result.F1", "no-string"),
    "arrays of strings": (np.frompyfunc(lambda text: np.array([text] * 2, "O"), 1, 1), "concat_result.F1", "no-string"),
    "another order": (lambda right: np.roll(right, 1), "concat_result.F1", ""),
    "ASCII alone": (each(lambda text: text.encode("ascii", "replace").decode()), "concat_result.F1", ""),
    "numbers": (lambda right: np.zeros(right.shape, np.float32), "concat_result.F2", "other-type"),
    "one too many": (lambda right: np.concatenate([right, right[:1]]), "concat_result.C1", ""),
}
"""By name a fault, the clause that it breaks, and the symptom that it shows."""


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_named_by_its_clause_and_symptom(name: str) -> None:
    """And the right answer breaks nothing, as objects or in numpy's own type."""
    spec = load_spec(SPEC)
    fault, clause, symptom = FAULTS[name]
    right = spec.expected(CALL)["concat_result"]
    assert right.tolist() == TEXTS
    assert spec.divergences(CALL, {"concat_result": right}) == []
    assert spec.divergences(CALL, {"concat_result": right.astype(np.dtypes.StringDType())}) == []
    broken = spec.divergences(CALL, {"concat_result": fault(right)})
    assert f"{SPEC}#{clause}" in [entry.clause for entry in broken]
    if symptom != "other-type":
        assert [entry.clause for entry in broken] == [f"{SPEC}#{clause}"]
    assert symptom in (*symptoms_of(spec, CALL, broken), "")


def test_what_is_no_string_of_unicode_is_outside_the_domain() -> None:
    """A lone surrogate has no form in UTF-8; None and numbers are no strings. The message shows it escaped."""
    for value, said in (("\ud800", r"inputs_0 holds '\ud800', which has a surrogate"),
                        (None, "None, which is not a str"), (1, "1, which is not a string")):
        with pytest.raises(OutsideDomain, match="inputs_0 holds ") as error:
            load_spec(SPEC).violations(Call("Concat", {"axis": 0}, {"inputs_0": strings(value, "a")}))
        assert said in str(error.value)


def test_numpy_s_own_types_of_strings_are_taken() -> None:
    """They are held as objects; two lengths are one type."""
    call = Call("Concat", {"axis": 0}, {"inputs_0": np.array(["a"]), "inputs_1": np.array([b"bcd"]),
                                        "inputs_2": np.array(["\0"], np.dtypes.StringDType())})
    assert {name_of(tensor.dtype) for tensor in call.inputs.values()} == {"string"}
    assert load_spec(SPEC).expected(call)["concat_result"].tolist() == ["a", "bcd", "\0"]


def test_operators_that_compute_are_outside_their_domain() -> None:
    """Add by its clause on types; Cast takes strings, and is not tried with them."""
    assert load_spec("onnx/add@14").violations(Call("Add", {}, {"A": strings("a"), "B": strings("b")}))
    cast = Call("Cast", {"to": 1}, {"input": strings("1.5")})
    assert not load_spec("onnx/cast@13").violations(cast)
    with pytest.raises(OutsideDomain, match="is not tried with tensors of strings"):
        load_spec("onnx/cast@13").expected(cast)


@pytest.mark.parametrize("spec_name", ["onnx/concat@13", "onnx/gather@13", "onnx/equal@19", "sonnx/reshape"])
def test_every_special_string_is_tried_whatever_the_seed(spec_name: str) -> None:
    """Empty, NUL inside and at the end, accents, beyond 16 bits and long."""
    for seed in (1, 2):
        cases = generated_cases(spec_name, [], seed=seed)
        held = {text for case in cases for tensor in case.call.inputs.values() if tensor.dtype.hasobject
                for text in tensor.reshape(-1).tolist()}
        assert {value.item() for value in planted(np.dtype(object)).values()} <= held


def test_equal_is_tried_with_strings_that_differ_behind_a_nul() -> None:
    """A comparison of C strings takes them for equal."""
    cases = [case for case in generated_cases("onnx/equal@19", [], seed=3) if case.dtype == "string"]
    assert any(bool((np.equal(*cut(case)) != case.expectation.outputs["C"]).any()) for case in cases  # type: ignore[index]
               if case.call.inputs["A"].shape == case.call.inputs["B"].shape)


def cut(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The operands up to the first NUL of each string."""
    a, b = (np.vectorize(lambda text: text.partition("\0")[0], otypes=[object])(case.call.inputs[name])
            for name in "AB")
    return a, b


FILE = r"""spec: onnx/concat
defaults: {dtype: string}
cases:
- {id: escapes, title: Strings with escapes, clauses: [concat_result.F1], versions: 13-, attributes: {axis: 0},
   inputs: {inputs_0: ["a\0b", "", "\u202e", "1"], inputs_1: {generator: constant, shape: [2], value: "x\0"}},
   outputs: {concat_result: ["a\0b", "", "\u202e", "1", "x\0", "x\0"]}}
"""


def test_cases_have_strings_with_escapes(tmp_path: Path) -> None:
    """What cannot be seen stands as an escape, and layout keeps it; elsewhere it is refused, as are numbers."""
    path = tmp_path / "cases.yaml"
    path.write_text(FILE, encoding="utf-8")
    (case,), errors = read_cases([path])
    assert not errors and case.call.inputs["inputs_0"].tolist() == ["a\0b", "", "\u202e", "1"]
    from plumbline.cases.format.loader import CASE_FOLDER
    assert all(escape in laid_out(FILE, CASE_FOLDER / "onnx" / "concat") for escape in (r'"a\0b"', r'"\u202e"'))
    for old, new, said in ((r'"\u202e", "1"]', '"\u202e", "1"]', "write its escape"),
                           ("Strings with escapes", r'"Strings \0 escapes"', "invisible character"),
                           ('"1"], inputs_1', "1], inputs_1", "1 is not a string; write '1'"),
                           (r'"", "\u202e", "1"], in', r'["", x], "1"], in', "ragged"),
                           ("generator: constant", "generator: ramp", "makes numbers")):
        path.write_text(FILE.replace(old, new, 1), encoding="utf-8")
        _, errors = read_cases([path])
        assert len(errors) == 1 and said in str(errors[0]), (new, errors)
    with pytest.raises(TensorError, match="which has a surrogate, and UTF-8 has none"):
        literal(["a", "\ud800"], np.dtype(object))
    written = as_yaml([{"inputs": {"X": ["a\0b", "\u202e", "\U0001f600", "nan", "1", "\n"]}}])
    assert "\u202e" not in written and "\0" not in written and max(map(len, written.splitlines())) < LONGEST


def test_strings_come_back_from_the_cache(tmp_path: Path) -> None:
    """With the digests of their cases, and answers that equal the canonical ones are known by theirs."""
    cases = [case for case in generated_cases(SPEC, [], seed=1, count=4)
             if case.dtype == "string" and case.expectation.outputs]
    assert cases and write_cases(cache := DiskCache(tmp_path), "x", CaseSet([], cases))
    back = read_cases_of(cache, "x")
    assert back is not None and [case.digest for case in back.generated] == [case.digest for case in cases]
    for old, new in zip(cases, back.generated, strict=True):
        assert all(np.array_equal(array, new.call.inputs[name]) for name, array in old.call.inputs.items())
        assert new.computed is not None and new.computed.answers["concat_result"].equals(old.expectation.outputs or {})


def test_strings_in_records_can_be_seen_and_read_back() -> None:
    """They are in the notation of Python; "nan" is no number there."""
    array = strings(*TEXTS, "nan", "1", "'", "\u034f", "\\u034f").reshape(1, 11)
    tensor = to_tensor(array)
    assert tensor.values[0][1:3] == [r"'a\x00'", r"'a\x00b'"] and tensor.values[0][9] == r"'\u034f'"
    assert np.array_equal(of_record(tensor), array) and values_of(tensor) == array.tolist()
    old = tensor.model_copy(update={"dtype": "object", "values": [["a", "nan"]], "shape": [1, 2]})
    assert of_record(old).tolist() == [["a", "nan"]]


def test_a_long_string_is_cut_where_it_is_shown() -> None:
    """And what hides text is escaped."""
    assert shown("x" * 100) == repr("x" * 40) + "... (100 characters)" and shown("\u202ea") == r"'\u202ea'"


def test_no_nul_is_lost_from_a_tensor_of_onnx() -> None:
    """Which onnx's own reader drops."""
    tensor = onnx.numpy_helper.from_array(strings("a\0", "\0").reshape(2, 1))
    assert onnx.numpy_helper.to_array(tensor).tolist() == [["a"], [""]]
    assert to_array(tensor).tolist() == [["a\0"], ["\0"]]


def answer(given: np.ndarray, inputs: dict[str, np.ndarray] | None = None,
           run: Callable[[Any], Any] | None = None) -> Any:
    """What a worker makes of an answer, as the suite reads it."""
    adapter = SimpleNamespace(run=run or (lambda request: {"Y": given}))
    data: list[np.ndarray] = []
    body = {"model": 0, "attributes": {}, "outputs": ["Y"], "operator": "Concat"}
    data.append(np.zeros(0, np.uint8))
    body["inputs"] = {name: encode(array, data) for name, array in (inputs or {}).items()}
    text, sent = Served(adapter).answer({"number": 0, "requests": [body]}, data)
    return outcome_of(json.loads(text)["answers"][0], lambda array: decode(array, sent)) \
        if "answers" in json.loads(text) else text


def test_what_a_runtime_gives_for_strings_arrives() -> None:
    """In any type that numpy has for them, and with None or numbers in the place of some."""
    for given in (strings("a", None), strings("a", np.int64(0)), np.array(["a", "b\0"], np.dtypes.StringDType())):
        outcome = answer(given)
        assert isinstance(outcome, Answered) and outcome.outputs["Y"].tolist() == [
            value.item() if isinstance(value, np.generic) else value for value in given.tolist()]
    assert "an array of object" in answer(strings(None)).why


def test_the_suite_s_own_process_takes_strings_by_the_block() -> None:
    """As campaigns run calls: nothing is serialised."""
    host, spec = InProcess(CutsAtNul()), load_spec(SPEC)
    outcome, = host.run_inputs(to_request(spec, CALL, 13), [CALL.inputs])
    assert isinstance(outcome, Answered) and outcome.outputs["concat_result"].tolist() == ["", "a", "a", *TEXTS[3:]]


def test_an_input_of_strings_that_is_overwritten_is_noticed() -> None:
    """As one of numbers is."""
    def run(request: Any) -> dict[str, np.ndarray]:
        request.inputs["X"][0] = "other"
        return {"Y": strings("a")}
    assert "the input X was overwritten" in answer(strings("a"), {"X": strings("a", "b")}, run).harm


class CutsAtNul(Adapter):
    """Concatenates strings as C has them."""

    name = "cuts-at-nul"
    specifications = ("onnx/concat",)

    def run(self, request: Any) -> dict[str, np.ndarray]:
        """The inputs, one after another."""
        parts = list(request.inputs.values())
        if parts[0].dtype != object:
            raise NotImplementedError("strings alone")
        whole = np.concatenate(parts, axis=request.attributes["axis"])
        return {"concat_result": each(lambda text: text.partition("\0")[0])(whole.reshape(-1)).reshape(whole.shape)}

    reproduce = """arrays = list(inputs.values())
whole = np.concatenate(arrays, axis=node.attribute[0].i)
got = [np.array([text.partition("\\0")[0] for text in whole.reshape(-1)], object).reshape(whole.shape)]"""


def test_a_run_names_the_fault_and_its_script_shows_it(tmp_path: Path) -> None:
    """The page shows the NUL and runs no markup."""
    conformance(tmp_path, "--backend", "tests.suite.test_strings:CutsAtNul", "--spec", SPEC)
    record = read_record(only(tmp_path))
    wrong = [line for line in record.cases if line.verdict == "diverges"]
    assert {line.id for line in wrong} >= {"strings", "planted-string-nul-inside"}
    assert {clause for line in wrong for clause in line.clauses} == {f"{SPEC}#concat_result.F1"}
    page = only(tmp_path, "*.html").read_text(encoding="utf-8")
    assert r"a\x00" in page and "\0" not in page and "<b>&amp;" not in page
    from plumbline.reports.reproduce import contents
    line = next(line for line in wrong if line.id == "strings")
    files = contents(record, line)
    assert to_array(onnx.TensorProto.FromString(files["input_0.pb"])).tolist() == ["", "a\0", "\0b"]
    (tmp_path / "script.py").write_bytes(files["reproduce.py"])
    done = subprocess.run([sys.executable, "-I", tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr


def test_a_frozen_call_holds_strings() -> None:
    """As a list of calls keeps them, attributes too."""
    for call, spec in ((CALL, SPEC), (Call("Constant", {"value": strings(*TEXTS)}), "onnx/constant@25")):
        expected = load_spec(spec).expected(call)
        case = Case("one", "One", spec, 25, call, Expectation(outputs=expected), (), "here")
        again = FrozenCall.model_validate(FrozenCall.of(case, "Y", "1").model_dump()).case("one")
        assert [array.tolist() for array in load_spec(spec).expected(again.call).values()] == [
            array.tolist() for array in expected.values()]


def test_a_model_with_inputs_of_strings_is_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Drawn, or from files; the wrong node is named."""
    node = onnx.helper.make_node("Concat", ["x", "c"], ["y"], axis=0)
    described = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.STRING, [size])
                 for name, size in (("x", 3), ("y", 4))]
    graph = onnx.helper.make_graph([node], "strings", described[:1], described[1:],
                                   [onnx.numpy_helper.from_array(strings("a\0"), "c")])
    imports = [onnx.helper.make_opsetid("", 19)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=imports, ir_version=9), tmp_path / "net.onnx")
    np.savez(tmp_path / "x.npz", x=np.array(["", "b", "\u00fc"]))
    words = ["model", str(tmp_path / "net.onnx"), "--report-dir", str(tmp_path)]
    for more in ([], ["--inputs", str(tmp_path / "x.npz")]):
        assert main([*words, "--backend", "onnxruntime", *more]) == 0
        assert "judged 1 of 1 nodes, decided 1 (4 of 4 elements)" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "net.onnx")]) == 0 and "string [3]" in capsys.readouterr().out
    assert main(["model", *words[1:], "--backend", "tests.suite.test_strings:CutsAtNul"]) == 1
    assert "first wrong node: y (Concat)" in capsys.readouterr().out
