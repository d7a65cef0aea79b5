"""Findings as notebooks show them: the same pictures as on the page, and as many as the summary counts."""

from __future__ import annotations

from pathlib import Path

from plumbline.reports.columns import Column
from plumbline.reports.findings import findings_of
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.recording import read_record
from tests.suite import small_records as small
from tests.suite.pages import Page
from tests.suite.small_records import HOSTILE


def test_a_finding_shows_itself(shown: list[Column], text: str) -> None:
    """Verdict, clause, call and pictures; nothing is fetched, and text from records stays text."""
    listed = findings_of([column.record for column in shown])
    assert listed
    whole = Page(text).text
    for finding in listed:
        output = finding._repr_html_()
        page = Page(output)
        assert not page.fetched and not page.links and "script" not in page.tags
        assert f"✗ {finding.verdict}" in page.text and HOSTILE not in output
        assert finding.smallest.brief.replace(" ", "") in page.text.replace(" ", "")
        answer = next(answer for answer in finding.smallest.accused if answer.line.verdict == finding.verdict)
        for figure in finding.smallest.pictures(answer):
            assert figure.caption in page.text and figure.caption in whole
            assert "figure" in page.tags


def test_crashes_with_other_messages_are_findings_of_their_own(tmp_path: Path) -> None:
    """As many as the summary counts."""
    lines = [small.line(name, "crashes", did=did) for name, did in (("plain", "SIGFPE"), ("pad-one", "SIGSEGV"))]
    record = read_record(small.write(tmp_path / "toy.jsonl", small.header("toy", "1"), lines))
    listed = findings_of([record])
    assert len(listed) == len(groups(record)) == 2 == len({finding.id for finding in listed})
