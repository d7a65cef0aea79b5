"""The lines by hand of operators are counted, and those within their budget stay there."""

from __future__ import annotations

from fractions import Fraction

from plumbline.oracle.schema_sync import GENERATED
from tests import operator_lines
from tests.operator_lines import PARTS, counts, lines_of_page, table


def test_a_page_is_counted_as_wrapped_and_without_generated_facts() -> None:
    """Long lines count as the lines that they take; what is generated ends with the front matter."""
    page = f"---\nspecification: a/b\n{GENERATED}edition: none\nschema:\n  X.C1: {{fact: outputs}}\n---\n# Text\n"
    assert lines_of_page(page) == 4
    assert lines_of_page("x" * 100 + " " + "y" * 100) == 2 and lines_of_page("\n\n") == 2


def test_of_shared_files_each_counts_its_own_and_an_equal_part(tmp_path, monkeypatch) -> None:
    """And generated ones not at all."""
    module = "import x\n\n\nclass A:\n    y = 1\n\n\ndef c():\n    pass\n"
    for name, content in (("shared.py", module), ("own.md", "1\n"), ("official.yaml", "1\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(operator_lines, "files", lambda: [
        ("reference", tmp_path / "shared.py", "onnx/a"), ("reference", tmp_path / "shared.py", "onnx/b"),
        ("text", tmp_path / "own.md", "onnx/a"), ("YAML", tmp_path / "official.yaml", "onnx/a"),
        ("tests", tmp_path / "none.py", "onnx/b")])
    monkeypatch.setattr(operator_lines, "families_of_one", lambda: [("definition", tmp_path / "shared.py", "onnx/b")])
    assert {name: [row[part] for part in PARTS] for name, row in counts().items()} == {
        "onnx/a": [1, 0, 4 + Fraction(5, 2), 0, 0], "onnx/b": [0, 9, Fraction(5, 2), 0, 0]}


def test_a_family_that_one_operator_needs_is_its_own() -> None:
    """That of windows is not, which many need."""
    of = {path.stem: name for _, path, name in operator_lines.families_of_one()}
    assert of["transposed_symptoms"] == "onnx/convtranspose" and of["powers"] == "onnx/pow"
    assert "windows" not in of and "reductions" not in of


def test_what_is_within_its_budget_stays_there() -> None:
    """Those that exceed theirs are listed by ``python -m tests.lines --operators``."""
    within = ("the ten reductions", "onnx/mish", "onnx/neg", "onnx/sign", "onnx/round", "onnx/not",
              "onnx/and", "onnx/or ", "onnx/xor", "onnx/equal", "onnx/greater ", "onnx/greaterorequal",
              "onnx/lessorequal", "onnx/sigmoid", "onnx/reciprocal", "onnx/sin", "onnx/cos", "onnx/ceil", "onnx/floor",
              "onnx/transpose", "onnx/sub ", "onnx/max ", "onnx/min ", "onnx/exp ", "onnx/layernormalization ")
    rows = [line for line in table() if line.startswith(within)]
    assert len(rows) == len(within) and not [line for line in rows if line.endswith("exceeded")]
