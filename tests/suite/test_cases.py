"""Files of cases: what is malformed gives one line with file, line, column and remedy, and hides nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import pytest

from plumbline.cases import generate_cases, load_cases, read_cases
from plumbline.cases.format.lint import duplicates, lint
from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.cases.format.schema import SCHEMA_FILE, TENSORS
from plumbline.cases.format.tested_clauses import on_outputs
from plumbline.cases.format.variants import possible_ids
from plumbline.cases.onnx.models import model_of, to_call, to_model
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.yaml_text import load
from tests.sampling import sampled
from tests.suite.commands import cases as main
from tests.suite.written import cases_of

GOOD = """spec: sonnx/maxpool
defaults:
  dtype: float32
  attributes: {auto_pad: NOTSET, ceil_mode: 0, dilations: [1, 1], kernel_shape: [2, 2], pads: [0, 0, 0, 0],
               storage_order: 0, strides: [1, 1]}
cases:
- id: first
  title: The first of two
  clauses: [Y.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 4]]]]}
  expect: {outputs: {Y: [[[[4]]]], Indices: [[[[3]]]]}}
- id: second
  title: The second of two
  clauses: [Y.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 5]]]]}
  expect: {outputs: {Y: [[[[5]]]]}}
"""


def write(folder: Path, text: str, name: str = "cases.yaml") -> Path:
    """A file of cases."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("old", "new", "line", "column", "says"), [
    ("  title: The first", "  titel: The first", 8, 3, "unknown key 'titel'; did you mean 'title'?"),
    ("  clauses: [Y.F1]\n", "", 7, 3, "the key 'clauses' is missing; add it"),
    ("  source: a test", "  source: 7", 10, 3, "source: input should be a valid string, not 7"),
    ("  title: The first of two", "  title: 3", 8, 3, "title: input should be a valid string, not 3"),
    ("id: first", "id: The First", 7, 3, "'The First' is not a valid id"),
    ("[Y.F1]", "[Y.F9]", 9, 13, "sonnx/maxpool has no clause 'Y.F9'; under that section it has Y.C1, "),
    ("id: second", "id: first", 13, 3, "the id 'first' is taken by"),
    ("[3, 4]", "[3]", 11, 12, "the nested lists are ragged"),
    ("[3, 4]", "[3, four]", 11, 12, "'four' is not a number; write 1.5, -.inf"),
    ("[3, 4]", "[3, 1e60]", 11, 12, "1e+60 is too large for float32"),
    ("dtype: float32", "dtype: int8", None, None, None),
    ("{X: [[[[1, 2]", "{W: [[[[1, 2]", 11, 3, "MaxPool takes X; give it, and nothing else"),
    ("{outputs: {Y: [[[[4]]]], Indices: [[[[3]]]]}}", "{}", 12, 3, "give exactly one of outputs, outside, observe"),
    ("Indices: [[[[3]]]]", "Index: [[[[3]]]]", 12, 36, "MaxPool has no output 'Index'; outputs are Y, Indices"),
    ("{outputs: {Y: [[[[5]]]]}}", "{Y: [[[[5]]]]}", 18, 12,
     "unknown key 'Y'; the outputs of a call are written as outputs: {Y: ...}"),
    ("{outputs: {Y: [[[[5]]]]}}", "{outputs: {Y: {zzz: 1}}}", 18, 26, "unknown key 'zzz'; keys are as_printed, "),
    ("{outputs: {Y: [[[[5]]]]}}", "{outside: [pads.C9]}", 18, 22, "has no clause 'pads.C9'"),
    ("expect: {outputs: {Y: [[[[5]]]]}}", "outside: [pads.C9]", 18, 13, "has no clause 'pads.C9'"),
    ("expect: {outputs: {Y: [[[[5]]]]}}", "outputs: {Y: [[[[five]]]]}", 18, 13, "'five' is not a number"),
    ("expect: {outputs: {Y: [[[[5]]]]}}", "outputs: {Z: [[[[5]]]]}", 18, 13, "MaxPool has no output 'Z'"),
    ("  expect: {outputs: {Y: [[[[5]]]]}}\n", "", 13, 3, "the key 'expect' is missing; add it"),
    ("expect: {outputs: {Y: [[[[5]]]]}}", "expect: {outputs: {Y: [[[[5]]]]}}\n  outside: [pads.C4]", 19, 3,
     "the key 'outside' is not allowed here; remove it"),
    ("  source: a test\n  inputs: {X: [[[[1, 2], [3, 5]]]]}",
     "  source: a test\n  attributes: {pads: [2, 2, 2, 2]}\n  inputs: {X: [[[[1, 2], [3, 5]]]]}", 19, 12,
     "the call is outside the domain"),
])
def test_a_malformed_case_is_one_line_and_hides_no_other(
        tmp_path: Path, old: str, new: str, line: int | None, column: int | None, says: str | None) -> None:
    """The other case is still read."""
    assert old in GOOD
    found, errors = read_cases([write(tmp_path, GOOD.replace(old, new, 1))])
    if says is None:
        assert len(found) == 2 and not errors
        return
    assert len(found) == 1
    assert str(errors[0]).startswith(f"{tmp_path}/cases.yaml:{line}:{column}: ")
    assert says in str(errors[0]) and "\n" not in str(errors[0])


@pytest.mark.parametrize(("text", "place", "says"), [
    ("spec: [", "2:1", "not YAML"),
    ("a: 1\na: 2", "2:1", "duplicate key 'a'; remove one"),
    ("spec: 1e400", "1:7", "1e400 is beyond float64; write .inf if infinity is meant"),
    ("[" * 900, "1:101", "nested more than 100 levels deep"),
    ("[" * 101 + "]" * 101, "1:101", "nested more than 100 levels deep"),
    ("- 1", "1:1", "begins with 'spec:'"),
    (GOOD.replace("sonnx/maxpool", "sonnx/minpool"), "1:1", "no specification is called 'sonnx/minpool'"),
    (GOOD.replace("defaults:", "default:"), "2:1", "did you mean 'defaults'?"),
    (GOOD.replace("  dtype: float32\n", ""), "6:3", "has no dtype"),
    (GOOD.replace("[[[[1, 2], [3, 4]]]]", "&a [*a]").replace("[[[[1, 2], [3, 5]]]]", "[['" + "9" * 400 + "']]"), "7:3",
     "cannot be built: RecursionError"),
    (GOOD.replace("[[[[1, 2], [3, 4]]]]", "{generator: normal, shape: [1, 1, 2, 2], seed: -1}")
         .replace("[[[[1, 2], [3, 5]]]]", "{generator: constant, shape: [1], value: '0x1p99999'}"), "7:3",
     "cannot be built"),
])
def test_a_malformed_file_does_not_hide_the_others(tmp_path: Path, text: str, place: str, says: str) -> None:
    """One line, and the cases of the other file."""
    write(tmp_path, text, "bad.yaml")
    write(tmp_path, GOOD, "good.yaml")
    found, errors = read_cases([tmp_path])
    assert [case.id for case in found] == ["first", "second"]
    assert str(errors[0]).startswith(f"{tmp_path}/bad.yaml:{place}: ")
    assert says in str(errors[0]) and "\n" not in str(errors[0])


def test_very_deep_nesting_is_one_error(tmp_path: Path) -> None:
    """From about 1,000 levels on, newer releases of libyaml refuse it themselves; older ones died of it."""
    (error,) = read_cases([write(tmp_path, "[" * 300_000)])[1]
    assert re.search("nested more than 100 levels deep|maximum nesting depth", str(error))


def test_a_file_is_left_out_for_the_name_of_another_specification_alone(tmp_path: Path) -> None:
    """A misspelt name is an error with its place; a suffix in upper case is read."""
    write(tmp_path, GOOD, "A.YAML")
    write(tmp_path, GOOD.replace("sonnx/maxpool", "sonnx/maxpol"), "b.yaml")
    write(tmp_path, GOOD.replace("sonnx/maxpool", "[onnx/maxpool@12, sonnx/maxpol]"), "c.Yml")
    write(tmp_path, "spec: sonnx/add\nnot: read", "d.yml")
    cases, errors = read_cases([tmp_path], ["sonnx/maxpool"])
    assert [case.id for case in cases] == ["first", "second"]
    assert [str(error).partition(";")[0] for error in errors] == [
        f"{tmp_path}/{name}:1:1: no specification is called 'sonnx/maxpol'" for name in ("b.yaml", "c.Yml")]


def test_a_file_that_is_not_there_and_an_empty_folder_are_one_line(tmp_path: Path) -> None:
    """Reading raises nothing, and neither passes for cases."""
    assert "a folder without a YAML file" in str(read_cases([tmp_path])[1][0])
    assert "cannot be read" in str(read_cases([tmp_path / "none.yaml"])[1][0])


def test_a_clause_that_is_kept_is_not_also_called_broken(tmp_path: Path) -> None:
    """One mistake, one line."""
    path = write(tmp_path, GOOD.replace("{outputs: {Y: [[[[5]]]]}}", "{outside: [pads.C4]}"))
    problems = [line for case in read_cases([path])[0] for line in lint(case)]
    assert [line.partition(";")[0].rpartition(": ")[2] for line in problems] == [
        "second is expected to break sonnx/maxpool#pads.C4, but keeps it"]


@pytest.mark.parametrize(("old", "new", "says"), [
    ("Y: [[[[5]]]]", "Y: [[[[4]]]]", "expects what sonnx/maxpool#Y.F1 forbids"),
    ("{outputs: {Y: [[[[5]]]]}}", "{outside: [pads.C4]}", "is expected to break sonnx/maxpool#pads.C4, but keeps it"),
    ("[[[[1, 2], [3, 5]]]]}\n  expect: {outputs: {Y: [[[[5]]]]}}",
     "[[[[1, 2], [3, 5]]]]}\n  attributes: {strides: [0, 1]}\n  expect: {outside: [pads.C4]}",
     "breaks sonnx/maxpool#strides.C1"),
    ("{outputs: {Y: [[[[5]]]]}}", "{outputs: {Y: [[[[5]]]]}, as_printed: {Y: [[[[5]]]]}, erratum: Y.E1}",
     "keeps values as printed that the clauses allow"),
    ("{outputs: {Y: [[[[5]]]]}}", "{outputs: {Y: [[[[5]]]]}, as_printed: {X: '4.8'}, erratum: Y.E1}",
     "keeps '4.8' as printed, which can be read as a number"),
    ("{outputs: {Y: [[[[5]]]]}}", "{outputs: {Y: [[[[5]]]]}, as_printed: {Y: [[[[4]]]]}, erratum: Y.F1}",
     "which is no E clause"),
    ("The second of two\n  clauses: [Y.F1]", "The second of two\n  clauses: [int.pads.F1]",
     "names int.pads.F1, which none of the wrong outputs tried for this call breaks"),
    ("The second of two\n  clauses: [Y.F1]", "The second of two\n  clauses: [Y.F1, float.Y.F1]",
     "names float.Y.F1, which none of the wrong outputs tried for this call breaks"),
])
def test_lint_finds_a_case_that_contradicts_the_clauses(tmp_path: Path, old: str, new: str, says: str) -> None:
    """One line that names the case and the clause."""
    assert old in GOOD
    problems = [line for case in load_cases([write(tmp_path, GOOD.replace(old, new, 1))]) for line in lint(case)]
    assert any(says in line and " second " in line for line in problems), problems


def test_lint_finds_a_call_tried_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under another id it is the same call; the door says so and fails."""
    path = write(tmp_path, GOOD.replace("5", "4").replace("- id: second", "\n- id: second"))
    assert ["second makes the call of first" in line for line in duplicates(load_cases([path]))] == [True]
    assert main(["lint", str(path)]) == 1
    assert "2 cases, 1 problem\n" in capsys.readouterr().out


def test_specials_are_read_to_the_last_bit(tmp_path: Path) -> None:
    """Infinities, NaN, both zeros and hex text."""
    text = GOOD.replace("[[[[1, 2], [3, 5]]]]}", "[[[[-.inf, .nan], [-0.0, '0x1.000002p0']]]]}")
    text = text.replace("[[[[5]]]]", "[[[['0x1.000002p0']]]]")
    values = load_cases([write(tmp_path, text)])[1].call.inputs["X"].ravel()
    assert values[0] == -np.inf and np.isnan(values[1]) and np.signbit(values[2]) and values[3] == 1 + 2.0**-23


def test_a_short_case_is_one_with_its_defaults_and_its_expectation_written_out(tmp_path: Path) -> None:
    """Its source is curated or the file's, and its clauses are those that the call breaks."""
    head, first, second = GOOD.partition("cases:\n")[0], "- {id: one, title: Plain call", "- {id: two, title: Its pads"
    inputs, pads = "inputs: {X: [[[[1, 2], [3, 4]]]]}", "attributes: {pads: [2, 2, 2, 2]}"
    short = (f"{first}, clauses: [Y.F1], {inputs}, outputs: {{Y: [[[[4]]]]}}}}\n"
             f"{second}, {pads}, {inputs}, outside: [pads.C4]}}\n")
    long = (f"{first}, clauses: [Y.F1], source: SOURCE, {inputs}, expect: {{outputs: {{Y: [[[[4]]]]}}}}}}\n"
            f"{second}, clauses: [pads.C4], source: SOURCE, {pads}, {inputs}, expect: {{outside: [pads.C4]}}}}\n")
    for given, source in (("", "curated"), ("  source: a book\n", "a book")):
        texts = f"{head}{given}cases:\n{short}", f"{head}cases:\n{long.replace('SOURCE', source)}"
        read = [load_cases([write(tmp_path, text)]) for text in texts]
        assert [[(case.digest, case.clauses, case.source, case.title) for case in cases] for cases in read][0] == \
            [(case.digest, case.clauses, case.source, case.title) for case in read[1]]
        assert [case.expectation.kind for case in read[0]] == ["outputs", "outside"]


def test_cases_without_inputs_have_those_of_the_file(tmp_path: Path) -> None:
    """A change for a specification finds them too; without any, the case is an error where it stands."""
    text = """spec: [onnx/abs, sonnx/abs]
defaults: {dtype: float32, inputs: {X: [-1]}}
cases:
- {id: shared, title: The inputs of the file, clauses: [Y.F1], versions: "13", outputs: {Y: [1]},
   but: {sonnx/abs: {clauses: [Y.C1]}}}
- {id: own, title: Inputs of its own, clauses: [Y.F1], versions: "13", inputs: {X: [2]}, outputs: {Y: [2]},
   but: {sonnx/abs: null}}
"""
    path = write(tmp_path, text)
    assert [(case.spec, case.call.inputs["X"].tolist()) for case in load_cases([path])] == [
        ("onnx/abs@13", [-1]), ("sonnx/abs", [-1]), ("onnx/abs@13", [2])]
    error, = read_cases([write(tmp_path, text.replace(", inputs: {X: [-1]}", ""))])[1]
    assert str(error).startswith(f"{path}:4:3: ") and "inputs" in str(error)


def test_an_official_example_gives_a_case_its_id_title_and_source(tmp_path: Path) -> None:
    """Also with the name of a type in it; a key of the case's own counts more, and a number is not a name."""
    head, body = "spec: onnx/max\ncases:\n- {example: ", ("clauses: [max.F1], versions: 13-, dtype: [float16, int8], "
        "inputs: {data_0: [1, 2], data_1: [2, 1]}, outputs: {max: [2, 2]}}\n")
    cases = load_cases([write(tmp_path, f"{head}'max_{{dtype}}', {body}")])
    assert {(case.id, case.title) for case in cases} == {
        ("official-max-float16", "Official example max float16"), ("official-max-int8", "Official example max int8")}
    assert {case.source for case in cases} == {"ONNX, test_max_float16", "ONNX, test_max_int8"}
    own = load_cases([write(tmp_path, f"{head}max_example, title: Two maxima, {body}")])
    assert {case.title for case in own} == {"Two maxima, float16", "Two maxima, int8"}
    assert "unknown key 'example'" in str(read_cases([write(tmp_path, f"{head}7, {body}")])[1][0])


SEVERAL = """spec: [onnx/abs, sonnx/abs]
defaults: {dtype: int8, but: {bfloat16: {versions: 13-}, sonnx/abs: null}}
cases:
- {id: ends, title: Both ends, clauses: [Y.F1], dtype: [float16, bfloat16], inputs: {X: [max, -max, tiny, -normal]},
   outputs: {Y: [max, max, tiny, normal]}, but: {sonnx/abs: {dtype: [float16], title: The ends of X}}}
- {id: "{dtype}-above-min", title: "Near the end of {dtype}, an integer", clauses: [Y.F1], versions: 6-,
   source: "a book, {dtype}", dtype: [int16, uint8], inputs: {X: [min+1, max-1]}, outputs: {Y: computed}}
- {id: other, title: Another call, clauses: [Y.F1], inputs: {X: [2]}, outputs: computed,
   but: {onnx/abs: null, sonnx/abs: {}}}
- {id: plain, title: A plain call, clauses: [Y.F1], versions: 6-, inputs: {X: [1]}, outputs: {Y: [1]},
   but: {sonnx/abs: {clauses: [Y.C1], inputs: {X: [-1]}}}}
""".replace("{Y: computed}", "computed")


def test_values_by_name_have_multiples_and_parts(tmp_path: Path) -> None:
    """Of floating-point numbers, in each type."""
    entries = SEVERAL.replace("[max, -max, tiny, -normal]", "[max/2, -max/4, tiny*3, -normal]", 1).replace(
        "{Y: [max, max, tiny, normal]}", "computed")
    cases = {(case.spec, case.id): case for case in load_cases([write(tmp_path, entries)])}
    for dtype, largest, least in (("float16", 65504, 2.0**-24), ("bfloat16", float.fromhex("0x1.fep127"), 2.0**-133)):
        x = cases["onnx/abs@13", f"ends-{dtype}"].call.inputs["X"].astype(float).tolist()
        assert x[:3] == [largest / 2, -largest / 4, 3 * least]


def test_an_entry_is_a_case_of_each_type_and_specification_with_its_changes(tmp_path: Path) -> None:
    """Ids, titles and sources have the type; values by name are those of the type; a change replaces what it names."""
    cases = {(case.spec, case.id): case for case in load_cases([write(tmp_path, SEVERAL)])}
    by_id: dict[str, list[str]] = {}
    for spec, case_id in cases:
        by_id.setdefault(case_id, []).append(spec)
    assert by_id == {"ends-float16": ["onnx/abs@1", "onnx/abs@6", "onnx/abs@13", "sonnx/abs"],
                     "ends-bfloat16": ["onnx/abs@13"], "int16-above-min": ["onnx/abs@6", "onnx/abs@13"],
                     "uint8-above-min": ["onnx/abs@6", "onnx/abs@13"],
                     "other": ["sonnx/abs"], "plain": ["onnx/abs@6", "onnx/abs@13", "sonnx/abs"]}
    ends, ints, plain = cases["onnx/abs@13", "ends-bfloat16"], cases["onnx/abs@6", "int16-above-min"], "plain"
    assert ends.title == "Both ends, bfloat16" and cases["sonnx/abs", "ends-float16"].title == "The ends of X, float16"
    assert ends.call.inputs["X"].astype(float).tolist() == [
        float.fromhex(text) for text in ("0x1.fep127", "-0x1.fep127", "0x1p-133", "-0x1p-126")]
    assert (ints.title, ints.source) == ("Near the end of int16, an integer", "a book, int16")
    assert ints.call.inputs["X"].dtype == np.int16 and ints.call.inputs["X"].tolist() == [-32767, 32766]
    assert [cases[spec, plain].clauses for spec in ("onnx/abs@6", "sonnx/abs")] == [
        ("onnx/abs@6#Y.F1",), ("sonnx/abs#Y.C1",)]
    assert [cases[spec, plain].call.inputs["X"].tolist() for spec in ("onnx/abs@6", "sonnx/abs")] == [[1], [-1]]
    assert {case.place.rpartition(":")[2] for case in cases.values() if case.id.startswith("ends")} == {"4"}


def test_a_number_may_be_given_for_each_type(tmp_path: Path) -> None:
    """In nested lists; a type without one is an error of the entry."""
    entries = SEVERAL.replace("[max, -max, tiny, -normal]", "[[{float16: 9, bfloat16: -87}, 1]]", 1).replace(
        "{Y: [max, max, tiny, normal]}", "computed", 1)
    cases = {(case.spec, case.id): case for case in load_cases([write(tmp_path, entries)])}
    for dtype, number in (("float16", 9), ("bfloat16", -87)):
        assert cases["onnx/abs@13", f"ends-{dtype}"].call.inputs["X"].astype(float).tolist() == [[number, 1]]
    errors = read_cases([write(tmp_path, entries.replace(", bfloat16: -87", "", 1))])[1]
    assert ["a value is given for float16, and none for bfloat16" in str(error) for error in errors] == [True]


def test_a_change_for_a_pattern_is_for_every_specification_that_it_matches(tmp_path: Path) -> None:
    """In the defaults and in a case; one for a specification by its name counts more, wherever it stands."""
    entries = SEVERAL.replace("sonnx/abs: null", '"sonnx/*": null', 1).replace(
        "[float16], title: The ends of X}", '[float16], title: The ends of X}, "*/abs": {title: Both, notes: All}', 1)
    cases = {(case.spec, case.id): case for case in load_cases([write(tmp_path, entries)])}
    names = {(case.spec, case.id) for case in load_cases([write(tmp_path, SEVERAL)])}
    assert cases.keys() == names
    ends = cases["sonnx/abs", "ends-float16"], cases["onnx/abs@6", "ends-float16"]
    assert [(case.title, case.notes) for case in ends] == [("The ends of X, float16", "All"), ("Both, float16", "All")]


@pytest.mark.parametrize(("old", "new", "line", "column", "says"), [
    ('but: {sonnx/abs: {dtype', 'but: {"sonnx/e*": null, sonnx/abs: {dtype', 5, 50, "'sonnx/e*' is neither a type"),
    ("but: {sonnx/abs: {dtype", "but: {sonnx/ab: {dtype", 5, 50, "'sonnx/ab' is neither a type that the case lists"),
    ("sonnx/abs: null", "sonnx/ab: null", 2, 58, "'sonnx/ab' is neither a type nor a specification"),
    ("{clauses: [Y.C1]", "{but: {}, clauses: [Y.C1]", 11, 22, "a change for sonnx/abs cannot have the key 'but'"),
    ("[float16, bfloat16]", "[float16, float61]", 4, 49, "dtype: input should be"),
    ("title: The ends of X", "titel: The ends of X", 4, 3, "unknown key 'titel'; did you mean 'title'?"),
    ("-normal]}", "normal-1]}", 4, 86, "'normal-1' is no value of float16"),
    ("-normal]}", "max*2]}", 4, 86, "131008.0 is too large for float16"),
    ("[min+1, max-1]", "[min, max/2]", 7, 63, "'max/2' is no value of int16"),
    ("but: {onnx/abs: null, sonnx/abs: {}}", "but: {onnx/abs: null}", 9, 4, "left out of every specification"),
    ("[min+1, max-1]", "[min, tiny]", 7, 63, "'tiny' is no value of int16"),
    ("dtype: [int16, uint8], ", "", 6, 4, "the id has {dtype}; list types under dtype"),
    ("id: plain", "id: ends-float16", 10, 4, "the id 'ends-float16' is taken by"),
])
def test_what_is_wrong_with_an_entry_of_several_cases_is_one_line(tmp_path: Path, old: str, new: str, line: int,
                                                                  column: int, says: str) -> None:
    """The line of the entry, or of what is wrong in it."""
    assert old in SEVERAL
    errors = [str(error) for error in read_cases([write(tmp_path, SEVERAL.replace(old, new, 1))])[1]]
    assert len(errors) == 1 and says in errors[0] and "\n" not in errors[0], errors
    assert errors[0].startswith(f"{tmp_path}/cases.yaml:{line}:{column}: "), errors


UNTIL = """spec: [onnx/unsqueeze, sonnx/unsqueeze]
defaults: {dtype: float32, dtypes: {axes: int64}}
cases:
- {id: first, title: A first axis, clauses: [expanded.C1, axes.C4], versions: 11-, until: {axes: 11},
   inputs: {data: [1], axes: [0]}, outputs: {expanded: [[1]]},
   but: {attribute: {title: By an attribute, clauses: [expanded.F1]}, sonnx/unsqueeze: null}}
- {id: below, title: An axis below zero, clauses: [Y.F1], until: {axes: 11},
   inputs: {data: [1], axes: [-1]}, outputs: computed, but: {onnx/unsqueeze: null}}
"""


def test_an_input_that_was_an_attribute_makes_a_case_of_each_form(tmp_path: Path) -> None:
    """Within the versions of the entry; a specification without versions has the input."""
    cases = {(case.spec, case.id): case for case in load_cases([write(tmp_path, UNTIL)])}
    assert [key for key in cases if "sonnx" in key[0]] == [("sonnx/unsqueeze", "below")]
    assert {spec for spec, case_id in cases if case_id == "first-attribute"} == {"onnx/unsqueeze@11"}
    assert {spec for spec, case_id in cases if case_id == "first"} == {
        f"onnx/unsqueeze@{version}" for version in (13, 21, 23, 24, 25)}
    before, after = cases["onnx/unsqueeze@11", "first-attribute"], cases["onnx/unsqueeze@13", "first"]
    assert (before.title, before.clauses) == ("By an attribute", ("onnx/unsqueeze@11#expanded.F1",))
    assert before.call.attributes == {"axes": [0]} and list(before.call.inputs) == ["data"]
    assert after.call.attributes == {} and after.call.inputs["axes"].tolist() == [0]
    assert {"first", "first-attribute", "below"} <= possible_ids(UNTIL)


@pytest.mark.parametrize(("old", "new", "says"), [
    ("until: {axes: 11},\n   inputs: {data: [1], axes: [0]}", "until: {axis: 11},\n   inputs: {data: [1], axes: [0]}",
     "the case has no input 'axis'"),
    ("11-, until: {axes: 11}", "11-", "no input was an attribute; name some under until"),
    ("until: {axes: 11}", "until: {axes: 11, data: 12}", "attributes up to the same version"),
    ("versions: 11-", "versions: eleven", "'eleven' is not of the form"),
])
def test_what_is_wrong_with_an_input_that_was_an_attribute_is_one_line(tmp_path: Path, old: str, new: str,
                                                                       says: str) -> None:
    """It says what."""
    assert old in UNTIL
    errors = [str(error) for error in read_cases([write(tmp_path, UNTIL.replace(old, new, 1))])[1]]
    assert len(errors) == 1 and says in errors[0] and "\n" not in errors[0], errors


@pytest.mark.gate(one_in=12)
def test_the_schema_accepts_the_committed_cases_and_refuses_a_wrong_key() -> None:
    """Editors see what the loader sees."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    for path in CASE_FOLDER.rglob("*.yaml"):
        validator.validate(load(path.read_text(encoding="utf-8"), TENSORS))
    assert not validator.is_valid(load(GOOD.replace("title", "titel")))
    assert not validator.is_valid(load(GOOD.replace("expect: {outputs: {Y: [[[[5]]]]}}", "outside: pads.C4")))
    assert validator.is_valid(load(SEVERAL))
    assert not validator.is_valid(load(SEVERAL.replace("title: The ends", "titel: The ends")))


def test_generated_cases_depend_on_seed_and_number_alone() -> None:
    """The tenth case is the same however many are asked for, to the bit; another seed gives others."""
    few = list(generate_cases("sonnx/maxpool", seed=3, count=10))
    many = list(generate_cases("sonnx/maxpool", seed=3, count=12))[:10]
    other = list(generate_cases("sonnx/maxpool", seed=4, count=10))
    def calls(cases):
        return [(case.id, case.call.attributes, case.call.inputs["X"].tobytes(), case.dtype) for case in cases]
    assert calls(few) == calls(many)
    assert [call[2] for call in calls(few)] != [call[2] for call in calls(other)]


def test_generated_cases_are_valid_and_varied() -> None:
    """Inside the domain; unequal axes, pads, dilations, several planes, every dtype."""
    spec = load_spec("sonnx/maxpool")
    generated = list(generate_cases("sonnx/maxpool", seed=0, count=200))
    assert not any(spec.violations(case.call) for case in generated)
    assert {case.dtype for case in generated} == {"float16", "float32", "float64", "int8", "uint8"}
    for name in ("kernel_shape", "strides", "dilations"):
        assert any(len(set(case.call.attributes[name])) == 2 for case in generated)
    assert any(len(set(case.call.attributes["pads"])) == 4 for case in generated)
    assert sum("padded" in case.flags for case in generated) > 40
    assert sum("padded" not in case.flags and "dilated" not in case.flags for case in generated) > 10


def test_a_call_survives_the_road_to_a_model_and_back() -> None:
    """Operator, attributes, outputs and opset."""
    case = next(iter(generate_cases("sonnx/maxpool", seed=5, count=1)))
    call, opset = to_call(to_model(case.call, ("Y",), 12), dict(case.call.inputs))
    assert (call.operator, call.attributes, call.outputs, opset) == ("MaxPool", case.call.attributes, ("Y",), 12)


@pytest.mark.gate
def test_models_of_valid_calls_pass_the_checker_of_onnx() -> None:
    """Also what few runtimes ask for, such as the shapes of outputs."""
    names = [name for name in spec_names() if "@" in name and load_spec(name).domain == ""]
    valid = [case for case in cases_of(*sampled(names, 12)) if case.expectation.kind == "outputs"]
    for case in valid:
        onnx.checker.check_model(model_of(load_spec(case.spec), case.call, case.opset))
    assert len(valid) > 100


@pytest.mark.parametrize("name", ["onnx/reshape@1", "onnx/reshape@13", "onnx/unsqueeze@13", "onnx/unsqueeze@25",
                                  "sonnx/unsqueeze", "onnx/shape@25", "onnx/less@13"])
def test_a_model_says_of_its_outputs_what_comes_out(name: str) -> None:
    """Their types and numbers of axes, as cases have them written, also where ONNX's shape inference finds none."""
    cases, _ = read_cases(None, [name])
    written = [case for case in cases if case.expectation.outputs is not None and not case.expectation.computed]
    assert written
    for case in written:
        model = onnx.load_model_from_string(model_of(load_spec(name), case.call, case.opset))
        for output in model.graph.output:
            right, tensor = case.expectation.outputs[output.name], output.type.tensor_type
            assert len(tensor.shape.dim) == right.ndim, case.id
            assert onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type) == right.dtype, case.id


def test_a_case_with_ties_tests_which_index_is_given() -> None:
    """A wrong output gives the other index of each maximum, as a faulty search does."""
    lines = np.array([[1, 0, 3, 2], [0, 3, 1, 3]], np.float32)
    call = Call("ArgMax", {"axis": -1, "keepdims": 0}, {"data": lines})
    assert "onnx/argmax@13#select_last_index.F1" in on_outputs(load_spec("onnx/argmax@13"), call)
