"""Tools for who writes cases: a case to begin with, titles that say something, one layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.cases import load_cases
from plumbline.cases.format.layout import laid_out, layout_problems
from plumbline.cases.format.lint import lint
from plumbline.cases.format.loader import CASE_FOLDER, case_files
from plumbline.cases.generate.scaffold import TITLE, scaffold
from plumbline.oracle import spec_names
from tests.suite.commands import cases as main

HEAD = """spec: sonnx/maxpool
defaults:
  dtype: float32
  attributes: {auto_pad: NOTSET, ceil_mode: 0, dilations: [1, 1], kernel_shape: [2, 2], pads: [0, 0, 0, 0],
               storage_order: 0, strides: [1, 1]}
cases:
"""
CASE = """# about the case

- id: one
  # about what is expected
  expect: {outputs: {Y: [[[[4]]]]}}
  title: Rising values
  source: a test  # of the layout
  clauses: [Y.F1]
  inputs:
    X: [[[[1, 2],
          [3, 4]]]]
"""
LAID_OUT = """# about the case

- id: one
  title: Rising values
  clauses: [Y.F1]
  source: a test  # of the layout
  inputs:
    X: [[[[1, 2],
          [3, 4]]]]
  # about what is expected
  expect: {outputs: {Y: [[[[4]]]]}}
"""


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("name", [*dict.fromkeys(name.partition("@")[0] for name in spec_names()), "onnx/maxpool@12"])
def test_a_new_case_lacks_nothing_but_its_title(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of every specification: it is read, it opens with the line for editors, and lint asks for a title alone."""
    path = tmp_path / "new.yaml"
    assert main(["new", name, "brand-new", "--file", str(path)]) == 0
    assert "plumbline cases lint" in capsys.readouterr().out
    first = path.read_text(encoding="utf-8").splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / schema).resolve() == CASE_FOLDER / "case.schema.json"
    found = load_cases([path])
    assert found and all(case.id == "brand-new" for case in found)
    assert {problem for case in found for problem in map(str, lint(case)) if "has the title" not in problem} == set()
    assert all(any("say what it tests" in problem for problem in lint(case)) for case in found)


def test_a_second_case_is_added_below_and_uses_the_defaults_of_the_file(tmp_path: Path) -> None:
    """The first stays as it is; of the defaults nothing is repeated."""
    path = tmp_path / "cases.yaml"
    path.write_text(HEAD + LAID_OUT, encoding="utf-8")
    added = scaffold("sonnx/maxpool", "two", path)
    assert "attributes" not in added and "spec:" not in added
    path.write_text(HEAD + LAID_OUT + added, encoding="utf-8")
    assert [case.id for case in load_cases([path])] == ["one", "two"]
    assert layout_problems(path) == []


@pytest.mark.parametrize(("arguments", "says"), [
    (["sonnx/minpool", "x"], "no specification is called 'sonnx/minpool'; did you mean"),
    (["sonnx/maxpool", "The Case"], "'The Case' is not a valid id; use lower-case words joined by hyphens"),
    (["sonnx/maxpool", "int-example-1"], "the id 'int-example-1' is taken by cases/sonnx/maxpool/examples.yaml:"),
    (["onnx/maxpool", "x", "--file", "cases.yaml"], "holds cases of sonnx/maxpool, not of onnx/maxpool; name a file"),
    (["sonnx/maxpool", "x", "--file", "cases.yaml/new.yaml"], "cases.yaml: "),
    (["sonnx/maxpool", "x", "--file", "shared.yaml"], "with an entry for sonnx/maxpool under 'but' are its own"),
])
def test_a_case_that_cannot_be_begun_is_one_line(arguments: list[str], says: str, tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    """And the exit status is 2."""
    (tmp_path / "cases.yaml").write_text(HEAD + CASE, encoding="utf-8")
    shared = HEAD.replace("defaults:", "defaults:\n  but: {sonnx/maxpool: null}")
    (tmp_path / "shared.yaml").write_text(shared + CASE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["new", *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1


@pytest.mark.parametrize(("title", "says"), [
    (TITLE, "which says nothing; say what it tests"),
    ("Something", "which says nothing"),
    ("One", None),
    ("Rising values.", "a full stop; drop it"),
    ("rising values", "begin with a capital letter"),
    ("strides left at one", ""),
    ("1x1 everything", ""),
])
def test_a_title_says_what_is_tried(title: str, says: str | None, tmp_path: Path) -> None:
    """One that says nothing is named with what to do; a name of the operator's may begin one."""
    path = tmp_path / "cases.yaml"
    path.write_text(HEAD + LAID_OUT.replace("Rising values", title), encoding="utf-8")
    if says is None:
        with pytest.raises(Exception, match="at least 8 characters"):
            load_cases([path])
        return
    problems = lint(load_cases([path])[0])
    assert says in problems[0] if says else not problems


def test_two_cases_with_one_title_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names both."""
    path = tmp_path / "cases.yaml"
    second = LAID_OUT.replace("# about the case\n", "").replace("id: one", "id: two").replace("4]", "5]")
    path.write_text(HEAD + LAID_OUT + second, encoding="utf-8")
    assert main(["lint", str(path)]) == 1
    assert "two has the title of one" in capsys.readouterr().out


def test_fix_lays_a_file_out_and_keeps_comments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys in order, comments where they belong, tensors as they were; a second time changes nothing."""
    path = tmp_path / "cases.yaml"
    path.write_text(HEAD + CASE, encoding="utf-8")
    assert main(["lint", str(path)]) == 1
    assert f"{path}:10: expected 'title: Rising values'; run plumbline cases lint --fix" in capsys.readouterr().out
    for _ in range(2):
        assert main(["lint", "--fix", str(path)]) == 0
        assert path.read_text(encoding="utf-8") == HEAD + LAID_OUT


def test_whatever_is_at_the_ends_of_lines_is_laid_out_or_explained(tmp_path: Path) -> None:
    """Spaces in a block scalar are content; what cannot be laid out is one line, and the file stays as it is."""
    notes = "  notes: |\n    two  \n    lines\n"
    alias = LAID_OUT.replace("  title: Rising values\n", "  source: &words Rising values\n  title: *words\n")
    alias = alias.replace("  source: a test  # of the layout\n", "")
    for text, wanted, says in (
            (LAID_OUT.rstrip("\n"), LAID_OUT, "expected an empty line"),
            (LAID_OUT + "\n \n", LAID_OUT, "expected the end of the file"),
            (LAID_OUT + notes + "  \n", LAID_OUT + notes, "expected an empty line"),
            (LAID_OUT + notes.replace("|", "|+") + "\n\n", None, "would change what it says"),
            (alias, None, "would change what it says")):
        path = tmp_path / "cases.yaml"
        path.write_text(HEAD + text, encoding="utf-8")
        assert len(layout_problems(path)) == 1 and says in layout_problems(path)[0], text
        main(["lint", "--fix", str(path)])
        assert path.read_text(encoding="utf-8") == HEAD + (text if wanted is None else wanted)


FOLDER = CASE_FOLDER / "sonnx" / "maxpool"


def test_in_the_clone_a_file_opens_with_the_line_for_editors() -> None:
    """A file without it, or with another, is given it."""
    wanted = "# yaml-language-server: $schema=../../case.schema.json\n"
    assert laid_out(HEAD + LAID_OUT, FOLDER) == wanted + HEAD + LAID_OUT
    assert laid_out("# yaml-language-server: $schema=elsewhere\n" + HEAD + LAID_OUT, FOLDER) == wanted + HEAD + LAID_OUT


LONG = """# about the first
- id: one
  title: A "quoted" word, and rows
  source: a book
  clauses: [Y.F1]
  inputs:
    X: [[[[1, 2],
          [3, 4]]]]
  expect:
    outputs: {Y: [[[[4]]]]}
  notes: "It's one: the first of all the cases of this file, with notes of so many words that no line of one hundred and
    twenty characters could hold them"

- id: two
  title: Strides of zero
  clauses: [strides.C1]
  source: curated
  inputs: {X: [[[[1]]]]}
  expect:
    outside: [strides.C1]

# about the third
- id: three
  title: With a comment inside
  clauses: [Y.F1]
  inputs: {X: [[[[1]]]]}  # of one element
  expect: {outputs: {Y: [[[[1]]]]}}
"""
SHORT = """# about the first
- {id: one, title: 'A "quoted" word, and rows', clauses: [Y.F1], source: a book,
   inputs: {X: [[[[1, 2],
                  [3, 4]]]]},
   outputs: {Y: [[[[4]]]]},
   notes: "It's one: the first of all the cases of this file, with notes of so many words that no line of one hundred
          and twenty characters could hold them"}
- {id: two, title: Strides of zero, inputs: {X: [[[[1]]]]}, outside: [strides.C1]}

# about the third
- id: three
  title: With a comment inside
  clauses: [Y.F1]
  inputs: {X: [[[[1]]]]}  # of one element
  expect: {outputs: {Y: [[[[1]]]]}}
"""


def test_in_the_clone_cases_are_written_in_short() -> None:
    """Nothing stays that repeats a default; rows of tensors, comments, and cases with comments inside do."""
    for text in (LONG, SHORT):
        assert laid_out(HEAD + text, FOLDER).endswith("cases:\n" + SHORT)
    assert laid_out(HEAD + SHORT, CASE_FOLDER.parent) != laid_out(HEAD + LONG, CASE_FOLDER.parent)


@pytest.mark.gate(one_in=12)
def test_the_files_of_the_suite_are_laid_out() -> None:
    """`plumbline cases lint --fix` would change none."""
    assert case_files()
    assert [problem for path in case_files() for problem in layout_problems(path)] == []
