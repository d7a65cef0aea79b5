"""Files made to harm: cases, known divergences, capabilities, records, models and specifications. One line says what is
wrong with each, soon, and nothing moves a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import tracemalloc
import unicodedata
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from plumbline.backends import BackendError, find_backend
from plumbline.cases import load_cases, read_cases
from plumbline.cases.format.lint import lint
from plumbline.oracle import SpecError, files
from plumbline.oracle.discovery import SPEC_FOLDER, VARIABLE
from plumbline.oracle.markdown import read_front
from plumbline.oracle.safe_text import UNSAFE
from plumbline.oracle.yaml_text import LARGEST
from plumbline.trial.known.register_file import KnownError, read_known
from plumbline.trial.record.recording import RecordError, read_record
from tests.suite.commands import cases
from tests.suite.commands import plumbline as oracle
from tests.suite.test_cases import GOOD, write
from tests.suite.test_specification_text import TEXT, read

Place = Callable[[Path], Path]


def pipe(folder: Path) -> Path:
    """A pipe into which nobody writes."""
    os.mkfifo(folder / "pipe.yaml")
    return folder / "pipe.yaml"


def loop(folder: Path) -> Path:
    """A link to itself."""
    (folder / "loop.yaml").symlink_to("loop.yaml")
    return folder / "loop.yaml"


def large(folder: Path) -> Path:
    """A file of two bytes more than are read of any, none of which is on the disk."""
    with (folder / "large.yaml").open("wb") as file:
        file.truncate(files.RECORD + 2)
    return folder / "large.yaml"


def foreign(folder: Path) -> Path:
    """A text that is not UTF-8."""
    (folder / "foreign.yaml").write_bytes(b"spec: \xff\xfe")
    return folder / "foreign.yaml"


PLACES: list[tuple[Place, str]] = [
    (pipe, "not a regular file"), (lambda _: Path("/dev/zero"), "not a regular file"),
    (loop, "Too many levels of symbolic links"), (large, "2,147,483,650 bytes; at most"),
    (lambda folder: folder, "Is a directory"), (foreign, "not UTF-8 at byte 6"),
]


@pytest.mark.parametrize(("make", "says"), PLACES, ids=["pipe", "device", "loop", "large", "folder", "foreign"])
def test_what_is_no_sensible_file_is_one_line_wherever_it_is_named(
        make: Place, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As cases, known divergences, capabilities, record or model; nobody waits and nothing is read."""
    path = make(tmp_path)
    said = [str(error) for error in (read_cases([path])[1] if path != tmp_path else ())]
    program = "exec:a {model} {inputs} {outputs}"
    for error, reading in ((KnownError, lambda: read_known(path)), (RecordError, lambda: read_record(path)),
                           (BackendError, lambda: find_backend(program, capabilities=path))):
        with pytest.raises(error) as caught:
            reading()
        said.append(str(caught.value))
    if make is not foreign:  # as a model it is one that cannot be read as one
        assert oracle(["check", str(path), "--spec", "sonnx/*"]) == 2
        said.append(capsys.readouterr().err.rstrip("\n"))
    assert len(said) >= 4 and all(str(path) in line and says in line and "\n" not in line for line in said), said


LISTS = "".join(f"    a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 10))
BOMB = f"  attributes:\n    a0: &a0 [{', '.join('1' * 10)}]\n{LISTS}    auto_pad: NOTSET\n"
"""Ten lists, each of ten of the one before: ten thousand million numbers in three hundred letters."""


@pytest.mark.parametrize(("old", "new", "place", "says"), [
    ("  attributes: {auto_pad: NOTSET, ceil_mode: 0, dilations: [1, 1], kernel_shape: [2, 2], pads: [0, 0, 0, 0],\n"
     "               storage_order: 0, strides: [1, 1]}\n", BOMB, "1:1", f"values; at most {LARGEST:,} are read"),
    ("  dtype: float32", "  dtype: float32\n  opset: -5", "4:3", "greater than or equal to 1, not -5"),
    ("  dtype: float32", "  dtype: float32\n  opset: 99999999999999999999", "4:3", "less than or equal to 2147483647"),
    ("[3, 4]", "[3, 1e400]", "11:30", "1e400 is beyond float64; write .inf if infinity is meant"),
    ("[3, 4]", "[3, -1e400]", "11:30", "-1e400 is beyond float64"),
    ("[3, 4]", "[3, '1e400']", "11:12", "'1e400' is too large for float32; write .inf where"),
    ("storage_order: 0", "storage_order: 1e999", "5:31", "1e999 is beyond float64"),
    ("title: The first of two", 'title: "\\x1b[2JThe first of two"', "8:10", "the invisible character \\x1b"),
    ("source: a test", 'source: "a \\u202e test"', "10:11", "contains the invisible character \\u202e; remove it"),
    ("source: a test", 'source: "a \\u061c test"', "10:11", "contains the invisible character \\u061c; remove it"),
    ("auto_pad: NOTSET", '"\\xadauto_pad": NOTSET', "4:16", "the invisible character \\xad"),
    ("storage_order: 0", '"storage\\x07_order": 0', "5:16", "the invisible character \\x07"),
    ("X: [[[[1, 2], [3, 4]]]]", "X: {generator: ramp, shape: [1, 1, -1, 2]}", "11:47", "equal to 0, not -1"),
    ("X: [[[[1, 2], [3, 4]]]]", "X: {generator: ramp, shape: [1, 1, 1.5, 2]}", "11:47", "a valid integer, not 1.5"),
    ("X: [[[[1, 2], [3, 4]]]]", "X: {generator: ramp, shpe: [1, 1, 2, 2]}", "11:33", "did you mean 'shape'?"),
    ("X: [[[[1, 2], [3, 4]]]]", "X: {<<: {generator: ramp}, shape: [1, 1, 2, 2]}", "11:16", "unknown key '<<'"),
    ("Y: [[[[4]]]]", "Y: {generator: ramp, shape: [1, 1, 1, 1]}", "12:26", "'generator' is not allowed here"),
    ("X: [[[[1, 2], [3, 4]]]]", "X: {generator: ramp, shape: [1, 1, 32768, 32768]}", "11:12",
     "takes 8,589,934,592 bytes at 8 an element; at most 268,435,456"),
])
def test_what_yaml_says_and_nobody_means_is_one_line(old: str, new: str, place: str, says: str, tmp_path: Path) -> None:
    """With file, line and column; the end of a line is not one of them."""
    assert old in GOOD
    errors = read_cases([write(tmp_path, GOOD.replace(old, new, 1))])[1]
    assert str(errors[0]).startswith(f"{tmp_path}/cases.yaml:{place}: ") and says in str(errors[0])
    assert all(line.isprintable() for line in map(str, errors))
    noted = GOOD.replace("  source: a test", "  source: a test\n  notes: |\n    two\n    lines")
    assert not read_cases([write(tmp_path, noted)])[1]


def test_the_cost_of_a_wrong_file_is_bounded(tmp_path: Path) -> None:
    """A duplicate key among many takes linear time; a shape of 400 bytes, little memory."""
    path = write(tmp_path, "".join(f"k{number}: 1\n" for number in range(30_000)) + "k29999: 2\n")
    start = process_time()
    assert "duplicate key 'k29999'" in str(read_cases([path])[1][0])
    assert process_time() - start < 10
    tracemalloc.start()
    read_cases([write(tmp_path, GOOD.replace("[[[[1, 2], [3, 4]]]]", "{generator: ramp, shape: [1, 1, 9999, 9999]}"))])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


def test_a_case_without_a_verdict_outside_the_domain_is_a_problem(tmp_path: Path) -> None:
    """What it breaks is named."""
    text = GOOD.replace("[[[[1, 2], [3, 5]]]]}\n  expect: {outputs: {Y: [[[[5]]]]}}",
                        "[[[[1, 2], [3, 5]]]]}\n  attributes: {strides: [0, 1]}\n  expect: {observe: unknown}")
    _, case = load_cases([write(tmp_path, text)])
    assert any("second breaks sonnx/maxpool#strides.C1" in line for line in lint(case))


def test_an_opset_that_nobody_knows_judges_no_backend(tmp_path: Path) -> None:
    """A runtime would rightly refuse it."""
    case = read_cases([write(tmp_path, GOOD.replace("  dtype: float32", "  dtype: float32\n  opset: 999"))])[0][0]
    assert any("has opset 999; the last known opset is" in line for line in lint(case))


@pytest.mark.parametrize(("old", "new", "says"), [
    ("opset: 14", "opset: null", "opset is None, and not the number of an opset"),
    ("opset: 14", "opset: true", "opset is True, and not the number of an opset"),
    ("outputs: [Y]", "outputs: Y", "outputs is 'Y', and not a list of names"),
    ("outputs: [Y]", "outputs: []", "outputs is [], and not a list of names"),
    ("specification: a/b", "specification: a/b#c", "specification is 'a/b#c', and not a name such as"),
    ("operator: Relu", "operator: [Relu]", "operator is ['Relu'], and not a text"),
    ("opset: 14", "versions: null\noutput_versions: {}", "versions is None, and not a list of numbers"),
    ("opset: 14", "versions: [14]\noutput_versions: {Y: all}", "output_versions is {'Y': 'all'}, and not versions"),
    ("*Value.*", "*Val\x1b[2Jue.*", "contains the invisible character \\x1b; remove it"),
])
def test_a_text_with_a_value_that_does_not_belong_there_is_one_line(old: str, new: str, says: str,
                                                                    tmp_path: Path) -> None:
    """With file and line."""
    with pytest.raises(SpecError) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    assert says in str(caught.value) and str(caught.value).startswith(f"{tmp_path}/b.md:")
    assert str(caught.value).isprintable()


def test_a_text_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    """With the byte."""
    (tmp_path / "b.md").write_bytes(TEXT.encode() + b"\xff")
    with pytest.raises(SpecError, match=rf"b.md:1: cannot be read: not UTF-8 at byte {len(TEXT)}"):
        assert read_front(tmp_path / "b.md").clauses


EXAMPLE = SPEC_FOLDER.parent / "docs" / "worked-example" / "example"


@pytest.mark.parametrize(("old", "new", "says"), [
    ("return Unspecified.of", "raise SystemExit(0)\n        return Unspecified.of",
     "leakyrelu.py:33: called sys.exit"),
    ("from fractions", "raise SystemExit(0)\nfrom fractions", "leakyrelu.py: cannot be imported: SystemExit: 0"),
])
def test_a_predicate_cannot_end_the_suite_with_status_0(
        old: str, new: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """What asks the process to end is an error that says where it stands."""
    folder = shutil.copytree(EXAMPLE, tmp_path / "example")
    definition = folder / "leakyrelu.py"
    definition.write_text(definition.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert cases(["lint", str(folder / "leakyrelu.yaml")]) in (1, 2)
    told = capsys.readouterr()
    assert says in told.out + told.err and "Traceback" not in told.out + told.err


def test_no_character_that_hides_or_moves_text_is_safe() -> None:
    """Of all of Unicode: control and format characters, half surrogates, ends of lines and of paragraphs."""
    acting = [chr(code) for code in range(sys.maxunicode + 1)
              if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert len(acting) > 2200 and [one for one in acting if not UNSAFE.fullmatch(one)] == []
    assert not UNSAFE.search("a\u00e4\u6f22\U0001f600\ufe0f\u00a0\u2212")


def test_what_a_list_of_known_divergences_says_moves_no_terminal() -> None:
    """Names in it, which errors repeat, may hold a tab or a mark."""
    assert str(KnownError("k.yaml: no flag is called n\tan\u061c")) == r"k.yaml: no flag is called n an\u061c"
