"""Which conditions a root cause has: what its calls share and accident does not explain; what wrong elements show."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.evidence import topic_of
from plumbline.trial.known.root_causes import groups
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.recording import read_record
from plumbline.trial.record.tensors import to_tensor
from plumbline.trial.record.traits import traits_of
from plumbline.trial.run.line_builder import given_of, tensors_of
from tests.suite import small_records as small
from tests.suite.test_causes import found


def sized(number: int, size: int, verdict: str = "conforms", **others: object) -> small.Json:
    """A result of a call with so many elements."""
    name = f"{verdict}-{number}-{size}"
    tensors = {"X": f"float32[1, {size}]", "Y": f"float32[1, {size}]"}
    wrong = small.diverges(name, 7.0, tensors=tensors, **others)
    if verdict == "conforms":
        return small.line(name, verdict, tensors=tensors, given=wrong["call"]["attributes"], **others)
    return wrong


def test_a_size_is_a_condition_where_no_flag_is_one(tmp_path: Path) -> None:
    """The tail behind the last block of eight, and what lies beyond the first 64; a few calls show no size."""
    whole = [sized(number, 8 * (1 + number % 16)) for number in range(60)]
    tails = [sized(number, 8 * number + 3 + number % 2, "diverges") for number in range(1, 14)]
    cause, = groups(read_record(small.write(tmp_path / "tails.jsonl", small.header("toy", "1"), [*whole, *tails])))
    assert cause.features == ("an output has a number of elements above 8, no multiple of it",)
    few = [sized(number, 40 + number) for number in range(25)]
    many = [sized(number, 65 + 7 * number, "diverges") for number in range(12)]
    cause, = groups(read_record(small.write(tmp_path / "many.jsonl", small.header("toy", "1"), [*few, *many])))
    assert cause.features == ("an output has more than 64 elements",) and cause.spared == 0
    cause, = groups(read_record(small.write(tmp_path / "one.jsonl", small.header("toy", "1"), [*few, many[-1]])))
    assert not any("elements" in name for name in cause.features)


def test_a_condition_of_few_calls_that_all_have_makes_one_cause(tmp_path: Path) -> None:
    """Most of them have a flag as well, which excludes more; not if a symptom explains their wrong elements."""
    right = [*(sized(number, 20 + number, flags=["upper"] * (number < 5)) for number in range(40)),
             *(sized(number, 90 + number) for number in range(40, 44))]
    few = [sized(number, 65 + 7 * number, "diverges") | {"clauses": [f"{small.SPEC}#Y.F2"]} for number in range(8)]
    for looks, count in (([], 1), (["forward"], 2)):
        most = [sized(number, 66 + 7 * number, "diverges", flags=["upper"], symptoms=looks) for number in range(10)]
        path = small.write(tmp_path / f"{len(looks)}.jsonl", small.header("toy", "1"), [*right, *most, *few])
        causes = groups(read_record(path))
        assert len(causes) == count and causes[-1].features == ("an output has more than 64 elements",)


def test_types_and_values_of_any_input_are_conditions(tmp_path: Path) -> None:
    """Of a call whose first input has neither the type nor the value that matters."""
    def line(number: int, verdict: str, dtype: str, flags: list[str]) -> small.Json:
        found = sized(number, 2 + number % 5, verdict, dtype="bool", flags=flags)
        return {**found, "tensors": {**found["tensors"], "Z": f"{dtype}[1, 2]"}}
    held = [line(number, "diverges", "float32", [f"nan-in-{'XZ'[number % 2]}"]) for number in range(10)]
    typed = [line(number, "diverges", "int8", []) for number in range(10)]
    others = [line(100 + number, "conforms", "float32", []) for number in range(40)]
    for lines, says in ((held, "an input holds NaN"), (typed, "the call has a tensor of int8")):
        record = read_record(small.write(tmp_path / f"{says}.jsonl", small.header("toy", "1"), [*others, *lines]))
        cause, = groups(record)
        assert cause.features == (says,)


def test_kinds_of_numbers_are_conditions(tmp_path: Path) -> None:
    """As for a runtime that reads an exponent as a whole number."""
    lines = [{**sized(number, 2 + number % 5, "diverges" if number % 3 == 0 else "conforms"),
              "holds": {"X": ["fraction"] if number % 3 == 0 else ["negative"]}} for number in range(60)]
    for number, line in enumerate(lines[::3]):
        x = to_tensor(np.array([[number + 0.5]], np.float32)).model_dump()
        line["call"] = {**line["call"], "inputs": {**line["call"]["inputs"], "X": x}}
    cause, = groups(read_record(small.write(tmp_path / "record.jsonl", small.header("toy", "1"), lines)))
    assert cause.features == ("X holds a fraction",)


def test_what_few_calls_share_by_accident_is_no_condition(tmp_path: Path) -> None:
    """Three calls that have what half of the others have, or two of different types; not what no other call has."""
    held = [small.line(f"right-{number}", "conforms", flags=["reverse"] * (number % 2)) for number in range(30)]
    for flags, features in ((["reverse"], ()), (["only-here"], ("only-here",))):
        lines = [small.diverges(f"wrong-{number}", 7.0, flags=flags) for number in range(3)]
        record = small.write(tmp_path / f"{flags[0]}.jsonl", small.header("toy", "1"), [*held, *lines])
        cause, = groups(read_record(record))
        assert cause.features == features
        cause, = found(tmp_path, [{**line, "flags": ["padded"]} for line in lines[:2]])
        assert cause.features == ()
    typed = [small.diverges(f"wrong-{dtype}", 7.0, dtype=dtype, symptoms=["single-precision"])
             for dtype in ("float64", "bfloat16")]
    cause, = found(tmp_path, typed)
    assert cause.features == ()


def test_one_call_shows_a_condition_only_if_hardly_another_call_has_it(tmp_path: Path) -> None:
    """A flag of one in 15 calls may be on a single wrong one by accident: the report then names no condition."""
    for others, features in ((2, ()), (0, ("nan",))):
        right = [small.line(f"right-{number}", "conforms", flags=["nan"] * (number < others)) for number in range(2000)]
        record = small.write(tmp_path / f"{others}.jsonl", small.header("toy", "1"),
                             [*right[:30 if others else 2000], small.diverges("wrong", 7.0, flags=["nan"])])
        assert groups(read_record(record))[0].features == features


def test_a_flag_is_an_accident_among_all_flags_that_calls_have(tmp_path: Path) -> None:
    """Three wrong calls share a flag of every fifteenth; with forty flags some three calls would share one."""
    for others, features in ((0, ("rare",)), (40, ())):
        right = [small.line(f"right-{number}", "conforms", flags=[
            *["rare"] * (number % 15 == 0), *[f"other-{number % others}" for _ in range(min(others, 1))]])
            for number in range(300)]
        wrong = [small.diverges(f"wrong-{number}", 7.0, flags=["rare"]) for number in range(3)]
        path = small.write(tmp_path / f"{others}.jsonl", small.header("toy", "1"), [*right, *wrong])
        assert groups(read_record(path))[0].features == features


def test_an_explanation_needs_five_calls(tmp_path: Path) -> None:
    """Fewer wrong answers may look like a misreading or a narrower type by accident; what is seen of them counts."""
    for symptom in ("forward", "narrower", "subnormal-as-zero", "not-nan"):
        for count in (4, 5):
            lines = [small.diverges(f"wrong-{number}", 7.0, symptoms=[symptom]) for number in range(count)]
            assert [cause.symptom for cause in found(tmp_path, lines)] == [
                symptom if count == 5 or symptom == "not-nan" else ""]
        assert [cause.looks for cause in found(tmp_path, lines[:3])] == [symptom]


def test_conditions_that_explain_the_same_calls_are_none(tmp_path: Path) -> None:
    """Of NaN and nesting, which all wrong calls share, other calls tell which is the condition."""
    wrong = [small.diverges(f"wrong-{number}", 7.0, flags=["nan", "nested"]) for number in range(4)]
    plain = [small.line(f"right-{number}", "conforms", flags=[]) for number in range(60)]
    for flags, features in (([], ()), (["nested"], ("nan",)), (["nan"], ("nested",))):
        others = [small.line(f"other-{number}", "conforms", flags=flags) for number in range(9)]
        cause, = found(tmp_path, [*plain, *others, *wrong])
        assert cause.features == features


def test_a_zero_of_the_other_sign_is_a_value_like_others(tmp_path: Path) -> None:
    """Wrong elements should be NaN: tensors that hold everything hold -0 as well, which fewer others do."""
    wrong = [small.diverges(f"wrong-{number}", 7.0, flags=["nan", "minus-zero"], symptoms=["not-nan"])
             for number in range(14)]
    right = [small.line(f"right-{number}", "conforms", flags=[*["nan"] * (number % 4 == 0),
                                                              *["minus-zero"] * (number < 9)]) for number in range(60)]
    cause, = found(tmp_path, [*right, *wrong])
    assert cause.features == ("nan",)


def test_a_context_is_a_condition_if_the_call_alone_conforms(tmp_path: Path) -> None:
    """One call is enough; without the call alone nobody can tell."""
    call = Call("MaxPool", {}, {})
    case = Case("right-0", "", small.SPEC, 12, call, Expectation(), (), "", ()).within("cast")
    wrong = small.diverges(case.id, 7.0, flags=["in-cast"], context="cast")
    for first, features in ((0, ("in-cast",)), (1, ())):
        right = [small.line(f"right-{number}", "conforms", flags=[]) for number in range(first, 20)]
        cause, = found(tmp_path, [*right, wrong])
        assert cause.features == features


def test_two_words_on_one_topic_are_no_rivals(tmp_path: Path) -> None:
    """A flag and a trait of one value, type, attribute or shape; a flag of the definition is one of its own."""
    line, = read_record(small.write(tmp_path / "record.jsonl", small.header("toy", "1"), [sized(0, 8)])).cases
    for topic, names in {
            "NaN": ("nan", "nan-in-W", "an input holds NaN"),
            "a fraction": ("X holds a fraction", "W holds a fraction"),
            "type": (line.dtype, "X is of float32", "the call has a tensor of float32"),
            "pads": ("the call has pads", "the call has no pads", "the call has a negative pads", "the call has pads=1",
                     "the call has a pads with different entries"),
            "shape": ("the call has inputs of one shape", "an output has more than 64 elements", "X has no axes"),
            "padded": ("padded",)}.items():
        assert {topic_of(name, line) for name in names} == {topic}


def test_an_attribute_that_is_a_tensor_is_no_condition_where_other_calls_have_one(tmp_path: Path) -> None:
    """A call that conforms is recorded without its values, but with its name; a graph is too long for a value."""
    graph = "body () => (float y) { y = Constant <value_float: float = 1> () }"
    given = given_of({"value": np.zeros((1, 2), np.float32), "body": graph})
    assert given["value"] == {"dtype": "float32", "shape": [1, 2]}
    assert traits_of({}, {}, given) == ["the call has value", "the call has body"]


def test_what_every_call_that_conforms_has_is_no_condition(tmp_path: Path) -> None:
    """Though all that is wrong has it too, and few calls conform."""
    right = [sized(number, 0) for number in range(4)]
    wrong = [sized(number, 2 + number % 7, "diverges") for number in range(40)]
    cause, = groups(read_record(small.write(tmp_path / "record.jsonl", small.header("toy", "1"), [*right, *wrong])))
    assert not any(name.startswith(("the call has", "an output has 2 axes")) for name in cause.features)


def test_values_that_several_inputs_hold_name_none_of_them(tmp_path: Path) -> None:
    """Nobody can tell which of the two it is."""
    right = [sized(number, 2) for number in range(60)]
    for flags, says in ((["nan", "nan-in-W"], "an input holds NaN"), (["nan"], "nan")):
        wrong = [sized(number, 2, "diverges", flags=flags) for number in range(2)]
        cause, = found(tmp_path, [*right, *wrong])
        assert cause.features == (says,)


def test_wrong_elements_say_which_value_it_is(tmp_path: Path) -> None:
    """Of those that the same calls hold, though another is rarer."""
    held = [small.line(f"right-{number}", "conforms", flags=["subnormal"] * (number < 2) + ["largest"] * (number == 2))
            for number in range(40)]
    lines = [small.diverges(f"wrong-{number}", 7.0, flags=["subnormal", "largest"], symptoms=["subnormal-as-zero"])
             for number in range(6)]
    cause, = found(tmp_path, [*held, *lines])
    assert cause.features == ("subnormal",)


def test_a_lost_sign_of_zero_and_a_lost_nan_are_called_so(tmp_path: Path) -> None:
    """Not by what also holds for them: close to zero, or zero; nor by inputs that explain nothing."""
    for name, (expected, got) in {"other-zero": (-0.0, 0.0), "not-nan": (np.nan, 0.0)}.items():
        x = np.array([expected, np.inf], np.float32)
        spec, call = load_spec("onnx/identity@14"), Call("Identity", {}, {"input": x})
        broken = spec.divergences(call, {"output": np.array([got, np.inf], np.float32)})
        symptoms = symptoms_of(spec, call, broken)
        assert symptoms[0] == name and "infinite-inputs-as-finite" not in symptoms
        cause, = found(tmp_path, [small.diverges(f"wrong-{name}", 7.0, symptoms=list(symptoms))])
        assert cause.symptom == name


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "bfloat16"])
def test_floats_of_8_bits_have_flags_symptoms_and_kinds_of_numbers(dtype: str) -> None:
    """As those of 16 bits and more."""
    x = np.array([-1.5, np.nan], np.float32).astype(getattr(ml_dtypes, dtype))
    spec, call = load_spec("onnx/identity@25"), Call("Identity", {}, {"input": x})
    assert "nan" in flags_of(spec, call)
    assert tensors_of(call, {})["holds"] == {"input": ["negative", "fraction"]}
    broken = spec.divergences(call, {"output": np.where(x != x, x.dtype.type(0), x)})
    assert "not-nan" in symptoms_of(spec, call, broken)


def test_what_numbers_a_tensor_holds() -> None:
    """-0 has the sign of a negative number; a complex number has two parts; an index is zero or another."""
    held = {"A": np.array([-0.0]), "B": np.array([0.0, np.nan]), "C": np.array([1 - 2.5j]), "D": np.array([0, 3]),
            "E": np.zeros(2, np.uint8), "F": np.array(["-1"])}
    assert tensors_of(Call("Toy", {}, held), {})["holds"] == {
        "A": ["negative"], "C": ["negative", "fraction"], "D": ["nonzero"]}


def test_the_length_of_an_input_is_a_condition(tmp_path: Path) -> None:
    """Where its elements are read in another order, all that have two are wrong."""
    def line(number: int, length: int, verdict: str) -> small.Json:
        tensors = {"X": "float32[4, 4]", "W": f"int64[{length}]", "Y": "float32[4, 4]"}
        return {**sized(number, 4, verdict), "id": f"{verdict}-{number}", "tensors": tensors}
    lines = [*(line(number, 1, "conforms") for number in range(30)),
             *(line(number, 2 + number % 3, "diverges") for number in range(20))]
    cause, = groups(read_record(small.write(tmp_path / "record.jsonl", small.header("toy", "1"), lines)))
    assert cause.features == ("W has two elements or more",)


def test_a_tensor_is_cropped_within_itself() -> None:
    """Around a place of another output, which may be longer."""
    kept = to_tensor(np.zeros((1, 20_000)), (0, 25_000))
    assert kept.shape == [1, 20_000] and np.array(kept.values).size > 0
