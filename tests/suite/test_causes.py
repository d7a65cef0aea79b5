"""What is one cause and what is two: accidents of looks, operators, refusals, what a person told apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plumbline.backends import find_backend
from plumbline.cases import Case
from plumbline.cases.format.flags import OF_VALUES
from plumbline.oracle import Call, load_spec
from plumbline.reports import summary_lines, write_html
from plumbline.trial.known.evidence import supported
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.known.symptoms import GENERIC, symptoms_of
from plumbline.trial.record.recording import Record, read_record
from plumbline.trial.record.tensors import to_tensor
from tests.suite import small_records as small
from tests.suite.cause_sentences import Bench
from tests.suite.cause_topics import subject_of
from tests.suite.cause_truth import synonyms, truth_of
from tests.suite.commands import backends as main

ANY_HALF, THIRD_HALF = "the call has a tensor of float16", "inputs_2 is of float16"
NEGATIVE = "updates holds a negative number or -0"

PLAIN = [small.line(f"conforms-{number}", "conforms", flags=["padded"] * (number % 3 == 0)) for number in range(30)]


def found(folder: Path, lines: list[small.Json], head: small.Json | None = None) -> list[Group]:
    """The causes of a record with these lines, among others that conform."""
    return groups(read_record(small.write(folder / "record.jsonl", head or small.header("toy", "1"), [*PLAIN, *lines])))


def refused(number: int, did: str, phase: str = "load", **others: object) -> small.Json:
    """A valid call that was refused."""
    return small.line(f"refused-{number}", "rejects-valid", phase=phase, did=did, dtype="float16", **others)


def test_kernels_that_a_runtime_does_not_have_are_one_cause(tmp_path: Path) -> None:
    """Where the refusal at load is marked by its type, or as the backend says; not where the kernel once answered, nor
    at another phase, nor what is known."""
    lines = [*(refused(number, f"NotImplemented: no kernel {'abc'[number]}", opset=(1, 8, 12)[number])
               for number in range(3)), refused(3, "RuntimeError: ERROR_CODE: 9, none", opset=11)]
    head = small.header("toy", "1")
    head["backend"]["not_implemented"] = ["ERROR_CODE: 9"]
    rows = (("MaxPool", 1, "float16", 1), ("MaxPool", 8, "float16", 1), ("MaxPool", 11, "float16", 1),
            ("MaxPool", 12, "float16", 1))
    assert [cause.kernels for cause in found(tmp_path, lines, head)] == [rows]
    assert [len(cause.lines) for cause in found(tmp_path, lines, head)] == [4]
    text = "\n".join(summary_lines(read_record(tmp_path / "record.jsonl")))
    assert "rejects-valid for lack of kernels, 4 results" in text and "MaxPool 11 " in text
    page = write_html([read_record(tmp_path / "record.jsonl")], tmp_path / "page.html", 1).read_text(encoding="utf-8")
    assert page.count("Kernels that the runtime lacks") == 1
    answered = small.line("answered", "conforms", dtype="float16", opset=13)  # of the same kernel as opset 12
    for more, folded in (([answered], 3), ([refused(4, "NotImplemented: no", "run", opset=12)], 4),
                         ([refused(5, "NotImplemented: no", opset=12, known=small.KNOWN)], 4),
                         ([refused(6, "RuntimeError: no", opset=12)], 4)):
        causes = found(tmp_path, [*lines, *more], head)
        assert [len(cause.lines) for cause in causes if cause.kernels] == [folded]
        assert sum(len(cause.lines) for cause in causes) == 4 + (more != [answered])


def test_numbers_in_a_message_make_no_cause_of_their_own(tmp_path: Path) -> None:
    """Also those without digits, and small ones; nor does a quotation that is cut off."""
    says = ("NaN is not in [0, 1]", "-inf is not in [0, 1]", "1.5e-44 is not in [0, 1]", "3 is not in [0, 1]")
    for messages in (says, ("no number: 'xy'", "no number: 'xyxyxyxy")):
        cause, = found(tmp_path, [refused(number, f"ValueError: {did}") for number, did in enumerate(messages)])
        assert len(cause.lines) == len(messages)
    both = [refused(number, did) for number, did in enumerate(["it isn't sorted", "it isn't finite"])]
    assert len(found(tmp_path, both)) == 2


def test_answers_that_change_are_one_cause_of_an_operator(tmp_path: Path) -> None:
    """Whatever they were before and after; memory that is overwritten is another."""
    says = ("put again Y[0] was nan and then 1e-44", "put to another process Y[1, 2] was -inf and then 0.0",
            "put after other calls Y was float32[2] and then float32[3]")
    lines = [small.line(f"unstable-{number}", "unstable", did=did, phase=None) for number, did in enumerate(says)]
    assert [len(cause.lines) for cause in found(tmp_path, lines)] == [3]
    written = [small.line(f"written-{number}", "unstable", did=f"the input {name} was overwritten", phase=None)
               for number, name in enumerate("AB")]
    assert sorted(len(cause.lines) for cause in found(tmp_path, [*lines, *written])) == [2, 3]


@pytest.mark.gate(one_in=12)
def test_what_was_learned_is_unsupported_the_next_time(tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """The same backend under the capabilities that its record gives: no finding is left, and what it answers is put."""
    before = run_trial(find_backend("tests.suite.manners:LacksAKernel").start(), sonnx_cases)
    assert before.counts["rejects-valid"] > 0 < before.counts["conforms"]
    assert [len(group.lines) for group in groups(before)] == [before.counts["rejects-valid"]]
    learned = tmp_path / "learned.yaml"
    assert main(["learn", str(before.path), "--output", str(learned)]) == 0
    after = run_trial(find_backend("tests.suite.manners:LacksAKernel", capabilities=learned).start(), sonnx_cases)
    assert (after.counts["rejects-valid"], after.counts["unsupported"]) == (0, before.counts["rejects-valid"])
    assert after.counts["conforms"] == before.counts["conforms"] and not groups(after)
    assert main(["learn", str(after.path)]) == 2  # nothing more is to be learned


def test_looks_that_are_an_accident_make_no_cause(tmp_path: Path) -> None:
    """Two of many wrong results look like something: their calls share all that tells the others, and the clause."""
    lines = [small.diverges(f"wrong-{number}", 7.0, flags=["padded"]) for number in range(9)]
    for entry in lines[:2]:
        entry["symptoms"] = ["single-precision"]
    cause, = found(tmp_path, lines)
    assert len(cause.lines) == 9 and cause.symptom == "" and cause.features == ("padded",)


@pytest.mark.parametrize("calls", [4, 5])
def test_few_calls_that_look_otherwise_are_an_accident_where_all_sorts_fail(tmp_path: Path, calls: int) -> None:
    """Another clause is broken, and all of them look alike: five calls show a pattern."""
    lines = [*(small.diverges(f"wrong-{number}", 7.0, flags=[]) for number in range(90)),
             *(small.diverges(f"nan-{number}", "nan", flags=[], symptoms=["nan"]) for number in range(calls))]
    for entry in lines[90:]:
        entry["clauses"] = [f"{small.SPEC}#Y.F2"]
    assert [len(cause.lines) for cause in found(tmp_path, lines)] == ([94] if calls < 5 else [90, 5])


def test_what_shares_conditions_is_one_cause_before_accidents_are(tmp_path: Path) -> None:
    """Some of many calls look alike by accident, and are not one cause with fewer that lack the condition."""
    looks = [[]] * 60 + [["zero"]] * 8 + [["tiny"]] * 5
    lines = [small.diverges(f"wrong-{number}", 7.0, symptoms=names, flags=["padded"] * (names != ["tiny"]))
             for number, names in enumerate(looks)]
    right = [small.line(f"right-{number}", "conforms", flags=["padded"] * (number % 4 == 0)) for number in range(80)]
    assert [(cause.features, len(cause.lines)) for cause in found(tmp_path, [*right, *lines])] == [
        (("padded",), 68), ((), 5)]


def test_what_is_seen_under_one_of_two_clauses_makes_no_cause(tmp_path: Path) -> None:
    """No call tests both clauses, each of which is about some types; a symptom that explains elements is a cause."""
    for symptom, count in (("nan", 1), ("forward", 2)):
        lines = [small.diverges(f"wrong-{number}", 7.0, covers=["Y.F1"], symptoms=[symptom], flags=[])
                 for number in range(12)]
        for entry in lines[6:]:
            entry |= {"clauses": [f"{small.SPEC}#Y.F2"], "covers": [f"{small.SPEC}#Y.F2"], "symptoms": []}
        right = [small.line(f"right-{number}", "conforms", covers=[("Y.F1", "Y.F2")[number % 2]], flags=[])
                 for number in range(40)]
        record = small.write(tmp_path / f"{symptom}.jsonl", small.header("toy", "1"), [*right, *lines])
        assert len(groups(read_record(record))) == count


def test_looks_that_are_their_own_make_a_cause(tmp_path: Path) -> None:
    """The calls that look so do not share what tells the others."""
    lines = [*(small.diverges(f"wrong-{number}", 7.0, flags=["padded"]) for number in range(9)),
             *(small.diverges(f"nan-{number}", 8.0, flags=["nan"], symptoms=["nan-decides"]) for number in range(5))]
    assert [(cause.features, cause.symptom, len(cause.lines)) for cause in found(tmp_path, lines)] == [
        (("padded",), "", 9), (("nan",), "nan-decides", 5)]


def test_a_fault_that_a_person_told_apart_stays_apart(tmp_path: Path) -> None:
    """Also where its calls lie among those of the other, known or new."""
    other = small.KNOWN | {"id": "eight"}
    for first, second in ((small.KNOWN, other), (small.KNOWN, None)):
        lines = [small.diverges(f"wrong-{number}", 7.0, flags=["padded"], known=first) for number in range(9)]
        few = {"symptoms": ["nan-decides"], "flags": ["padded", "nan"], **({"known": second} if second else {})}
        assert len(found(tmp_path, [*lines, small.diverges("nan-1", 8.0, **few)])) == 2


def test_faults_of_two_operators_are_two_causes(tmp_path: Path) -> None:
    """Though the clauses have the same section and tag, and nothing tells the calls from those that conform."""
    head, line = json.loads(json.dumps([small.header("toy", "1"), small.diverges("wrong", 7.0)]).replace(
        "toy/maxpool", "toy/other"))
    both = small.header("toy", "1")
    both["specifications"] |= head["specifications"]
    assert sorted(cause.text for cause in found(tmp_path, [small.diverges("wrong", 7.0), line], both)) == [
        "toy/maxpool", "toy/other"]


def test_calls_that_show_two_faults_do_not_make_them_one(tmp_path: Path) -> None:
    """An output of the wrong type where indices are asked for, a wrong value with padding, and calls that have both."""
    types = [small.diverges(f"type-{number}", 7.0, form="Y+Indices", flags=["padded"] * (number < 3))
             for number in range(15)]
    for number, entry in enumerate(types):
        entry["clauses"] = [f"{small.SPEC}#{local}" for local in (["Y.F2", "Y.F1"] if number < 3 else ["Y.F2"])]
    values = [small.diverges(f"value-{number}", 7.0, flags=["padded"]) for number in range(12)]
    assert [(cause.clauses[0], cause.features, len(cause.lines)) for cause in found(tmp_path, [*types, *values])] == [
        ("Y.F2", ("[Y+Indices]",), 15), ("Y.F1", ("padded",), 12)]


def test_a_value_that_no_wrong_element_reads_is_no_condition(tmp_path: Path) -> None:
    """Unless all calls that have it are wrong: then it spoils others."""
    both = ["minus-zero", "subnormal-in-X"]
    wrong = [small.line(f"wrong-{number}", "diverges", flags=both, unread=both[1:]) for number in range(6)]
    right = [small.line(f"right-{number}", "conforms", flags=both[:1 + number // 6]) for number in range(8)]
    cause, = found(tmp_path, [*wrong, *right])
    assert cause.features == ("minus-zero",)
    spoilt = [{**line, "flags": ["nan"], "unread": ["nan"]} for line in wrong]
    cause, = found(tmp_path, [*spoilt, *right])
    assert cause.features == ("nan",)


@pytest.mark.parametrize(("calls", "told"), [(6, ANY_HALF), (40, THIRD_HALF)])
def test_which_tensor_it_is_needs_evidence(calls: int, told: str) -> None:
    """Of half of the calls with a type, the third input has it: six failing calls do not tell that it is the third."""
    tensors = dict.fromkeys(["inputs_0", "inputs_1", "inputs_2"], "float16[2]")
    lines: list[Any] = [SimpleNamespace(spec="onnx/concat@13", base_id=str(number), dtype="float16", tensors=tensors,
                                        call=None) for number in range(calls)]
    masks = {name: np.arange(100) < having for name, having in ((ANY_HALF, 10), (THIRD_HALF, 5))}
    assert supported([THIRD_HALF], [*masks], 100, lines, masks.__getitem__) == [told]


@pytest.mark.parametrize(("values", "told"), [(6, [NEGATIVE]), (2, [])])
def test_one_example_with_each_attribute_is_no_evidence_of_its_values(values: int, told: list[str]) -> None:
    """Six calls that fail have negative numbers, and six of a hundred others: chance, if they have but two tensors."""
    lines: list[Any] = [SimpleNamespace(
        spec="onnx/scatternd@18", base_id=str(number), dtype="float32", tensors={"updates": "float32[1]"},
        call=SimpleNamespace(inputs={"updates": to_tensor(np.array([-1.0 - number % values]))})) for number in range(6)]
    assert supported([NEGATIVE], [NEGATIVE], 100, lines, lambda name: np.arange(100) < 6) == told


@pytest.mark.parametrize(("negative", "told"), [(72, "the call has updates"), (8, NEGATIVE)])
def test_the_numbers_of_an_input_that_many_calls_lack_need_evidence(negative: int, told: str) -> None:
    """So many of a hundred calls with it have negative ones; those with the flag too conform if it is all zeros."""
    lines: list[Any] = [SimpleNamespace(spec="onnx/scatternd@18", base_id=str(number), dtype="float32",
                                        tensors={"updates": "float32[2]"}, call=None) for number in range(11)]
    calls = np.arange(400)
    masks = {"flag": calls >= 94, "the call has updates": calls < 100, NEGATIVE: calls < negative}
    assert supported(["flag", NEGATIVE], [*masks], 100, lines, masks.__getitem__) == ["flag", told]


def test_what_is_flushed_on_the_way_out_is_not_called_an_input(tmp_path: Path) -> None:
    """Where both hold for all that is wrong, inputs and outputs may be to blame; where one alone does, it is named."""
    both, inputs = ["subnormal-as-zero", "subnormal-inputs-as-zero"], ["subnormal-inputs-as-zero"]
    for more, symptom in ((both, "subnormal-as-zero"), (inputs, "subnormal-inputs-as-zero")):
        lines = [small.diverges(f"flushed-{number}", 7.0, symptoms=more if number > 2 else both)
                 for number in range(5)]
        assert [cause.symptom for cause in found(tmp_path, lines)] == [symptom]


def test_a_value_in_a_narrower_type_is_a_symptom() -> None:
    """Of floats and of integers; not of what is right in it."""
    holds = GENERIC["narrower"][1]
    for wide, narrow in (("float32", "float16"), ("float64", "float32"), ("int16", "int8"), ("int32", "uint16")):
        right = np.array([70_001 if wide == "int32" else 300.2], wide)
        assert holds(right, right.astype(narrow).astype(wide)) and not holds(right, right + np.ones(1, wide))


@pytest.mark.parametrize(("change", "looks"), [
    (lambda x: x.reshape(-1), "flattened"), (lambda x: x.swapaxes(1, 2), "axes-exchanged"),
    (lambda x: x[..., None], "other-axes-of-one"), (lambda x: x[..., :1], "")])
def test_an_output_along_other_axes_is_a_symptom(change: Callable[[np.ndarray], np.ndarray], looks: str) -> None:
    """Flattened, exchanged, with one more of size 1; not an output that has fewer elements."""
    spec, x = load_spec("onnx/identity@25"), np.ones((2, 3, 4), "f4")
    call = Call("Identity", {}, {"input": x})
    assert {*symptoms_of(spec, call, spec.divergences(call, {"output": change(x)}))} == {*filter(None, [looks])}


def test_outputs_along_other_axes_are_one_cause() -> None:
    """Final states and scan outputs of Scan have clauses of their own on their shapes: one fault breaks both."""
    bench = Bench.of("onnx/scan")
    wrapper = next(each for each in bench.wrappers() if each.name == "outputs flattened")
    lines = list(bench.answered(wrapper, bench.items[::2]))
    cause, = groups(Record(Path("faulty"), bench.top, lines, None))
    assert cause.symptom == "flattened" and len(cause.clauses) == 2 and not cause.features


def test_no_flag_of_a_value_speaks_of_one_operator() -> None:
    """A flag says what an input holds, which any operator may be given: no search, no sum."""
    assert not [flag for flag, (note, _) in OF_VALUES.items() if "search" in note]


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("operator", ["onnx/relu", "onnx/sub", "onnx/clip", "onnx/cumsum", "onnx/if"])
def test_the_sentences_on_made_faults_are_true(operator: str) -> None:
    """Of one fault in nine of the shelf: 95 % one cause, 70 % of the sentences true, none misleading."""
    bench = Bench.of(operator)
    judged = [found for wrapper in bench.wrappers()[::9] if (found := bench.judged(wrapper)) is not None]
    truths = Counter(found.truth for found in judged if found.truth is not None)
    assert len(judged) > 10 and truths["misleading"] == 0 and truths["true"] >= 0.7 * truths.total(), judged
    assert sum(found.causes == 1 for found in judged) >= 0.95 * len(judged)


def test_a_sentence_is_judged_by_what_the_fault_is_about() -> None:
    """What is true of the same calls, but not what the fault is about, misleads; what it is about has to hold."""
    bench = Bench.of("onnx/identity")
    wrapper = next(each for each in bench.wrappers() if each.name == "input: NaN is zero")
    lines = list(bench.answered(wrapper, bench.items))
    wrong = tuple(line for line in lines if line.accuses)
    tried = [(line, line.accuses) for line in lines]
    for features, truth in ((("nan",), "true"), (("subnormal",), "misleading"), ((), "none"),
                            (("an output has a number of elements above 8, no multiple of it",), "misleading"),
                            (("an output has 1 axis or more",), "half")):
        cause = Group("diverges", "onnx/identity", ("Y.F1",), features, wrong)
        assert truth_of([cause], subject_of(wrapper), (), {}, 0.1, tried)[0] == truth, features
    flushed = next(each for each in bench.wrappers() if each.name == "output: subnormals are flushed")
    cause = Group("diverges", "onnx/identity", ("Y.F1",), (), wrong, symptom="subnormal-inputs-as-zero")
    assert truth_of([cause], subject_of(flushed), (), {}, 0.1, tried)[0] == "misleading"


def test_the_condition_of_a_refusal_is_held_against_those_with_its_message() -> None:
    """An axis that is left out refuses vectors for one reason, and matrices that differ for another."""
    bench = Bench.of("onnx/concat")
    wrapper = next(each for each in bench.wrappers() if each.name == "axis is not read")
    judged = bench.judged(wrapper)
    assert judged is not None and "inputs_0 has 1 axis" in judged.sentence and judged.truth == "half", judged


def test_one_condition_in_several_words_is_judged_alike() -> None:
    """A flag that holds for the same calls as a trait is about what that is about."""
    bench = Bench.of("onnx/identity")
    lines = list(bench.answered(bench.wrappers()[0], bench.items))
    same = synonyms(lines)
    assert "the call has a tensor of float64" in same["float64"] and "nan" not in same["float64"]
    wrapper = next(each for each in bench.wrappers() if each.name == "input: NaN is zero")
    wrong = [line for line in bench.answered(wrapper, bench.items) if line.accuses]
    cause = Group("diverges", "onnx/identity", ("output.F1",), ("odd",), tuple(wrong))
    tried = [(line, line.accuses) for line in bench.answered(wrapper, bench.items)]
    assert truth_of([cause], subject_of(wrapper), (), {}, 0.1, tried)[1] == "odd is not involved"
    assert "not involved" not in truth_of([cause], subject_of(wrapper), (), {}, 0.1, tried, same={"odd": ["nan"]})[1]


def test_a_fault_needs_a_condition_if_it_goes_without_it() -> None:
    """NaN that becomes zero needs NaN, and no infinity, whatever holds both."""
    bench = Bench.of("onnx/identity")
    wrapper = next(each for each in bench.wrappers() if each.name == "input: NaN is zero")
    lines = zip(bench.items, bench.answered(wrapper, bench.items), strict=True)
    shown = [item for item, line in lines if line.accuses and {"nan", "infinite"} <= line.features]
    assert bench.needs(wrapper, shown, "nan") and not bench.needs(wrapper, shown, "infinite")
