"""The issues of texts: each erratum has one class, which follows from its text and cases, and each silence is asked."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from plumbline.cases import load_cases
from plumbline.cases.issues import CLASSES, Text, page, texts
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.__main__ import main
from plumbline.oracle.discovery import SPEC_FOLDER

PAGE = SPEC_FOLDER.parent / "docs" / "sonnx-issues.md"


CASES = cache(load_cases)


def text_of(*names: str) -> Text:
    """A text with its cases."""
    found, = texts([load_spec(name) for name in names], CASES())
    return found


def test_the_page_of_the_profile_is_the_generated_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that it names was run."""
    assert main(["errata", "sonnx/*"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8")


def test_every_erratum_and_every_silence_of_the_profile_is_there_once() -> None:
    """None is lost between the classes."""
    specs = [load_spec(name) for name in spec_names() if name.startswith("sonnx/")]
    stated = Counter(clause.local for spec in specs for clause in spec.clauses.values()
                     if clause.kind in ("erratum", "unspecified"))
    assert Counter(re.findall(r"^- \*\*`(\S+)`\*\*", PAGE.read_text(encoding="utf-8"), re.M)) == stated


@pytest.mark.parametrize(("address", "named"), [
    ("sonnx/div#float.C.E2", "contradiction"), ("sonnx/div#float.C.E4", "wrong formula"),
    ("sonnx/sub#int.C.E1", "wrong example"), ("sonnx/maxpool#Indices.E2", "wrong example"),
    ("sonnx/maxpool#pads.E2", "wrong formula"), ("sonnx/maxpool#X.E1", "editorial"),
])
def test_the_class_follows_from_the_text_and_its_cases(address: str, named: str) -> None:
    """One of each class; an editor's note under an example is not the example."""
    name, _, local = address.partition("#")
    text = text_of(name)
    assert text.class_of(text.clauses[local]) == named in CLASSES


def test_an_example_is_shown_as_printed_and_as_read() -> None:
    """With its call, and a silence with what it leaves open."""
    text = "\n".join(page([load_spec("sonnx/sub")], CASES()))
    assert "- call: `Sub() of A = uint8 [6, 100], B = uint8 [3, 200]` (case int-example-1)\n" \
           "  - printed: `C = [3, 44]`; read: `C = [3, 156]`" in text
    assert re.search(r"\*\*`float\.C\.U1`\*\* .*\n.*\n  - call: that of case \S+\n  - open: C at \[0\]", text)


def test_versions_of_a_text_are_one_text() -> None:
    """A clause that only an older version has is among its issues."""
    versions = [name for name in spec_names() if name.startswith("onnx/maxpool@")]
    text = text_of(*versions)
    newest = load_spec(versions[-1])
    older = [clause for clause in text.of_kind("erratum") if clause.local not in
             {known.local for known in newest.clauses.values()}]
    assert len(versions) == 6 and older
