"""A text's own printed examples, judged by its own clauses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite.commands import plumbline as main

CASES = """spec: sonnx/maxpool
defaults:
  dtype: float32
  attributes: {auto_pad: NOTSET, ceil_mode: 0, dilations: [1, 1], kernel_shape: [2, 2], pads: [0, 0, 0, 0],
               storage_order: 0, strides: [1, 1]}
cases:
- id: example-1
  title: A printed index that the clauses forbid
  clauses: [Indices.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 4]]]]}
  expect: {outputs: {Y: [[[[4]]]], Indices: [[[[1]]]]}}
- id: example-2
  title: An example without outputs
  clauses: [Y.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 5]]]]}
  expect: {outputs: computed}
"""


def test_each_example_is_kept_or_names_the_clause_that_it_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the ten one breaks the rule on ties, as its erratum says; the status is that of nothing unexplained."""
    assert main(["examples", "sonnx/maxpool"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "sonnx/maxpool: 10 examples, 9 kept, 1 broken, 0 without outputs"
    place = next(number for number, line in enumerate(lines) if line.startswith("int-example-4"))
    assert "broken  read as Indices.E2 says" in lines[place] and "sonnx/maxpool#Indices.F2" in lines[place + 1]
    assert any(line.startswith("real-example") and "X is printed as '4 81748948'" in line for line in lines)


def test_four_digits_are_not_the_mean(capsys: pytest.CaptureFixture[str]) -> None:
    """The example of AveragePool that prints four digits breaks the clause on values, in the version that has it."""
    assert main(["examples", "onnx/averagepool@22"]) == 0
    text = capsys.readouterr().out
    assert "onnx/averagepool@22#Y.F1: not the mean of its window" in text and "1 broken" in text


def test_an_example_that_no_erratum_explains_is_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And one that prints no outputs is not counted as kept."""
    (tmp_path / "cases.yaml").write_text(CASES, encoding="utf-8")
    assert main(["examples", "sonnx/maxpool", "--cases", str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "sonnx/maxpool#Indices.F1" in text and "2 examples, 0 kept, 1 broken, 1 without outputs" in text


def test_a_text_without_examples_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and what is missing."""
    (tmp_path / "cases.yaml").write_text(CASES, encoding="utf-8")
    assert main(["examples", "openvino/avgpool", "--cases", str(tmp_path)]) == 2
    assert "has no documented example among the cases" in capsys.readouterr().err
