"""The issues of texts: each erratum has one class, which follows from its text and cases, and each unspecified clause
is asked."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from plumbline.cases.documents.issues import CLASSES, Document, documents, page
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.evidence import evidence_of
from plumbline.oracle.markdown import SpecText, read_front
from plumbline.oracle.specification import general_texts
from tests.suite.commands import plumbline as main
from tests.suite.written import cases_of

PAGE = SPEC_FOLDER.parent / "docs" / "sonnx-issues.md"


def text_of(*names: str) -> Document:
    """A text with its cases."""
    document, = documents([load_spec(name) for name in names], cases_of(*names))
    return document


def test_the_page_of_the_profile_is_the_generated_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that it names was run."""
    assert main(["errata", "sonnx/*"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8")


def test_every_erratum_and_every_silence_of_the_profile_is_there_once() -> None:
    """None is lost between the classes."""
    specs = [load_spec(name) for name in spec_names() if name.startswith("sonnx/")]
    on_models = [text for name, text in general_texts().items() if name.startswith("sonnx/")]
    stated = Counter(clause.local for spec in (*specs, *on_models)
                     for clause in spec.clauses.values()
                     if clause.kind in ("erratum", "unspecified"))
    assert Counter(re.findall(r"^- \*\*`(\S+)`\*\*", PAGE.read_text(encoding="utf-8"), re.M)) == stated


@pytest.mark.parametrize(("address", "named"), [
    ("sonnx/div#float.C.E2", "contradiction"), ("sonnx/div#float.C.E4", "wrong formula"),
    ("sonnx/sub#int.C.E1", "wrong example"), ("sonnx/maxpool#Indices.E2", "wrong example"),
    ("sonnx/maxpool#pads.E2", "wrong formula"), ("sonnx/maxpool#X.E1", "editorial"),
    ("sonnx/sqrt#accuracy.E1", "wrong formula"), ("sonnx/abs#X.E1", "contradiction"),
])
def test_the_class_follows_from_the_text_and_its_cases(address: str, named: str) -> None:
    """One of each class; an editor's note under an example is not the example."""
    name, _, local = address.partition("#")
    text = text_of(name)
    assert text.class_of(text.clauses[local]) == named in CLASSES


def test_an_example_is_shown_as_printed_and_as_read() -> None:
    """With its call, and a U clause with what is undefined."""
    text = "\n".join(page([load_spec("sonnx/sub")], cases_of("sonnx/sub")))
    assert "- call: `Sub() of A = uint8 [6, 100], B = uint8 [3, 200]` (case int-example-1)\n" \
           "  - printed: `C = [3, 44]`; read: `C = [3, 156]`" in text
    assert re.search(r"\*\*`float\.C\.U1`\*\* .*\n.*\n  - call: that of case \S+\n  - undefined: C at \[0\]", text)


def test_versions_of_a_text_are_one_text() -> None:
    """A clause that only an older version has is among its issues."""
    versions = [name for name in spec_names() if name.startswith("onnx/maxpool@")]
    text = text_of(*versions)
    newest = load_spec(versions[-1])
    older = [clause for clause in text.of_kind("erratum") if clause.local not in
             {known.local for known in newest.clauses.values()}]
    assert len(versions) == 6 and older


def test_errata_of_a_text_of_no_operator_are_issues_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is computed or editorial; asked for alone, or explained, it is there as on the page of the profile."""
    general = general_texts()["sonnx/general"]
    text, = documents([general], [])
    assert all(bool(text.evidence[clause.local]) is not bool(clause.editorial) for clause in text.of_kind("erratum"))
    assert main(["errata", "sonnx/general"]) == 0
    alone = capsys.readouterr().out
    assert "## sonnx/general" in alone and "## sonnx/abs" not in alone
    section = alone.partition("## sonnx/general")[2].partition("### Editorial")[0]
    assert "3 rows and 1 term: -" in section and section in PAGE.read_text(encoding="utf-8")
    assert main(["explain", "sonnx/general#guidelines.E1"]) == 0
    assert "computed: 3 rows and 1 term: -" in capsys.readouterr().out


def test_an_erratum_of_a_text_of_no_operator_needs_its_evidence(tmp_path: Path) -> None:
    """The function that computes it stands in the module beside the text; an editorial one alone needs no module."""
    def written(last: str) -> SpecText:
        path = tmp_path / "b.md"
        path.write_text("---\nspecification: a/b\nedition: none\n---\n\n## `restrictions`\n\n"
                        f"- **`E1`** *Title.* It says 1.\n  - {last}\n  - source: s\n", encoding="utf-8")
        return read_front(path)

    assert evidence_of(written("editorial: none")) == {}
    (tmp_path / "b.py").write_text("from plumbline.oracle.operator import evidence\n\n@evidence('restrictions.E2')\n"
                                   "def found():\n    return '1 is 1'\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"do not match: restrictions\.E1, restrictions\.E2"):
        evidence_of(written("derived: none"))


def test_with_records_the_page_has_every_requirement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the tags of its source, the number of its cases, and its results; errata and questions follow."""
    options = ["--spec", "sonnx/neg", "--generated", "0", "--context", "none", "--report-dir", str(tmp_path)]
    assert main(["conformance", "--backend", "onnx-reference", *options]) == 0
    record, = tmp_path.glob("*.jsonl")
    capsys.readouterr()
    assert main(["errata", "sonnx/neg", "--record", str(record)]) == 0
    written = capsys.readouterr().out
    rows = {line.split("`")[1]: line.split(" | ") for line in written.splitlines() if line.startswith("| `")}
    stated = [clause.local for clause in load_spec("sonnx/neg").clauses.values() if clause.kind not in
              ("erratum", "unspecified")]
    assert list(rows) == stated
    assert rows["A.C1"][1] == "R3" and rows["A.C1"][-1].startswith("answered 1")
    assert rows["B.F1"][-1].startswith("kept ") and "broken" not in rows["B.F1"][-1]
    assert "### To decide" in written and "**`A.E1`**" in written
