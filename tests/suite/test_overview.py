"""The table at the top of a page: operators by family, states of clauses, judged results, links."""

from __future__ import annotations

from collections import Counter

import pytest

from plumbline.reports.clauses import clauses_of, matrix
from plumbline.reports.columns import Column, case_rows
from plumbline.reports.findings import findings
from plumbline.reports.overview import OTHERS, cells, families, widest
from plumbline.reports.page import content
from plumbline.reports.release_charts import release_charts
from plumbline.reports.rendering import rendered
from tests.suite.pages import Page
from tests.suite.small_records import SPEC

NAME = SPEC.partition("@")[0]


def test_cells_count_clauses_and_results(shown: list[Column]) -> None:
    """Clauses by state as in the matrix of clauses; judged and other results are those of the record."""
    rows = matrix(shown)
    made = cells(shown, rows, findings(shown, case_rows(shown), clauses_of(shown)))[NAME]
    for number, column in enumerate(shown):
        cell, lines = made[column.label], column.record.cases
        statuses = Counter(row.statuses[number] for row in rows[SPEC]
                           if row.clause.judges == "outputs" and not row.clause.restates)
        assert (cell.clauses["broken"], cell.clauses["kept"]) == (statuses["diverges"], statuses["conforms"])
        judged = [line for line in lines if line.verdict in ("conforms", "diverges")]
        assert (cell.judged, cell.not_judged) == (len(judged), len(lines) - len(judged)) and judged
        assert cell.new + cell.known == sum(line.accuses for line in lines)


def test_each_state_leads_to_a_place(shown: list[Column], text: str) -> None:
    """The first root cause of that operator and backend, its clauses, or what is undefined."""
    page = Page(text)
    overview = content(shown)["overview"]
    links = [link for rows in overview.values() for row in rows for cell in row.cells if cell
             for link in cell.links.values()]
    assert any(link.startswith("finding-") for link in links) and set(links) <= set(page.ids)
    assert widest(overview) > 1
    assert page.text.index("kept: some result") < page.text.index("A root cause groups")
    assert "all conform" in page.text or " conform, " in page.text


def test_operators_stand_by_family(shown: list[Column], monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the specification that is installed; what is not installed comes last."""
    made = {name: {} for name in ("onnx/relu", "toy/maxpool", "onnx/maxpool", "sonnx/maxpool")}
    for column in shown:
        specifications = column.record.header.specifications
        for name in made:
            monkeypatch.setitem(specifications, name, specifications[SPEC])
    assert [(family, [row.name for row in rows]) for family, rows in families(shown, made, {}).items()] == [
        ("Pooling and convolution", ["onnx/maxpool", "sonnx/maxpool"]), ("Elementwise", ["onnx/relu"]),
        (OTHERS, ["toy/maxpool"])]


def test_a_root_cause_has_a_chart_over_releases(shown: list[Column]) -> None:
    """One bar for each release of the accused backend: wrong calls, of those tried."""
    causes = findings(shown, case_rows(shown), clauses_of(shown))
    charts = {finding.id: release_charts(finding, shown) for finding in causes}
    assert {chart.backend for of_cause in charts.values() for chart in of_cause} == {"toy"}
    assert not [finding for finding in causes if charts[finding.id] and "toy" not in " ".join(finding.accused)]
    for finding in causes:
        wrong = Counter(label for label, _ in finding.results)
        for chart in charts[finding.id]:
            assert [bar.version for bar in chart.bars] == ["1.9", "1.10"]
            for bar in chart.bars:
                assert bar.wrong >= wrong[f"toy {bar.version}"] and (bar.height > 0) == (bar.wrong > 0)
    seen = rendered("page.html.j2", **content(shown))
    assert 'aria-label="Wrong calls by release, toy: 1.9: ' in seen
