"""A finding in a notebook: the same pictures as on the page."""

from __future__ import annotations

from plumbline.reports.columns import Column
from plumbline.reports.findings import findings_of
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
