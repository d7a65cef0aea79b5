"""A run over many operators: an index and a page for each, whose links all lead somewhere."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from plumbline.oracle.specification import matches
from plumbline.reports import record_parts, write_html
from plumbline.trial.record.recording import Record, read_records
from tests.suite import small_records as small
from tests.suite.pages import SCRIPTS, Page


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """A record about two operators, more than one page takes, and one about the first of them alone."""
    monkeypatch.setattr(record_parts, "MOST", 10)
    second = json.loads(json.dumps([small.header("toy", "1.9"), *small.OLD]).replace("toy/maxpool", "toy/other"))
    head = small.header("toy", "1.9")
    for key in ("specifications", "coverage", "errata", "boundaries"):
        head[key] = head[key] | second[0][key]
    head["sizes"] = {small.SPEC: {"met": 1, "sought": 2}}
    return read_records([small.write(tmp_path / "two.jsonl", head, [*small.OLD, *second[1:]]),
                         small.write(tmp_path / "one.jsonl", small.header("toy", "1.10"), small.NEW)])


def test_every_link_of_an_index_leads_to_a_place(many: list[Record], tmp_path: Path) -> None:
    """To a page of an operator and an id on it, for every cause; the pages lead back."""
    index = write_html(many, tmp_path / "out" / "some thing.html")
    page = Page(index.read_text(encoding="utf-8"))
    links = [unquote(link) for link in page.links if not link.startswith(("#", "https:"))]
    assert len([link for link in links if link.endswith("-script")]) > 1  # a reproducer is one click away
    assert {link.partition("#")[2].partition("-")[0] for link in links if "#" in link} >= {
        "finding", "findings", "spec", "silences", "toy"}
    for link in links:
        name, _, place = link.partition("#")
        there = Page((index.parent / name).read_text(encoding="utf-8"))
        assert not place or place in there.ids
        assert "../some thing.html" in map(unquote, there.links)
    assert not page.fetched and page.tags.count("script") == SCRIPTS - 1


def test_an_index_counts_what_the_records_hold(many: list[Record], tmp_path: Path) -> None:
    """The headline is that of the whole run; a part neither calls itself incomplete nor holds another operator."""
    index = write_html(many, tmp_path / "page.html")
    text = Page(index.read_text(encoding="utf-8")).text
    accusing = sum(line.accuses for line in many[0].cases)
    assert f"{accusing} of {len(many[0].cases)} results diverge or are refused" in text
    verdicts = [line.verdict for line in many[0].cases if line.spec.startswith("toy/other")]
    judged = verdicts.count("conforms") + verdicts.count("diverges")
    assert 0 < judged < len(verdicts) and f"{judged} judged, {verdicts.count('conforms')} conform" in text
    assert f"; {len(verdicts) - judged} not judged" in text and text.count(" New: on no list.") == 1
    assert f" conform, {verdicts.count('diverges')} diverge" in text or not verdicts.count("diverges")
    assert text.index("kept: some result") < text.index("A root cause")
    for name in ("toy-maxpool", "toy-other"):
        part = Page((tmp_path / "page" / f"{name}.html").read_text(encoding="utf-8")).text
        assert "INCOMPLETE" not in part and "partial run" not in part
        assert ("well-known networks" in part) == (name == "toy-maxpool")  # sizes of it alone
        assert ("toy/other" in part) == (name == "toy-other") and ("1.10" in part) == (name == "toy-maxpool")


def test_a_part_of_a_run_that_did_not_end_says_so(many: list[Record]) -> None:
    """And one of a whole run is whole."""
    cut = [Record(record.path, record.header, record.cases[:-1], None) for record in many]
    found = record_parts.divided(cut)
    assert all(part.incomplete for parts in found.values() for part in parts)
    assert not any(part.incomplete for parts in record_parts.divided(many).values() for part in parts)


def test_what_one_page_can_hold_is_one_page(many: list[Record], tmp_path: Path,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    """Few results, or one operator alone."""
    assert record_parts.divided(many[1:]) == {}
    monkeypatch.setattr(record_parts, "MOST", 100)
    assert record_parts.divided(many) == {}
    assert "Traceability" in write_html(many, tmp_path / "p.html").read_text("utf-8")


def test_a_pattern_without_a_version_names_all() -> None:
    """As pages print it: onnx/relu; with a version it names one, and a profile's specification has none."""
    names = ["onnx/relu@6", "onnx/relu@14", "onnx/leakyrelu@6", "sonnx/relu"]
    assert [[name for name in names if matches(name, pattern)] for pattern in (
        "onnx/relu", "onnx/relu@6", "*/relu", "onnx/relu@1*", "relu")] == [
        names[:2], names[:1], [*names[:2], "sonnx/relu"], ["onnx/relu@14"], []]
