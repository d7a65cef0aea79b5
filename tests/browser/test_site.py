"""The static site in a browser: clean for axe, readable on a phone and without scripts, searched, and not heavy."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from plumbline.reports.site import write_site
from plumbline.trial.record.recording import read_records
from tests.browser.conftest import Opener
from tests.suite import small_records

PAGES = ("index.html", "toy/maxpool/index.html", "backends/toy/index.html", "silences/index.html",
         "specials/index.html", "search/index.html")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the small records, hostile text among it."""
    folder = tmp_path_factory.mktemp("site")
    return write_site(read_records(small_records.write_all(folder)), folder / "out")[0].parent


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("options", [{"viewport": {"width": 1400, "height": 900}},
                                     {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
                         ids=["light", "dark phone"])
def test_axe_finds_no_violation_and_nothing_is_wider_than_the_page(page: str, options: dict[str, object], site: Path,
                                                                   visit: Opener) -> None:
    """With everything open."""
    there = visit(path=site / page, **options)
    there.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    found = Axe().run(there).response
    assert [(rule["id"], node["html"][:200]) for rule in found["violations"] for node in rule["nodes"]] == []
    assert there.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]


def test_a_cell_leads_to_the_smallest_call_behind_it(site: Path, visit: Opener) -> None:
    """From the index to the row of the version, and from there to the cause, which opens."""
    page = visit(path=site / "index.html")
    page.locator("td.cell a").nth(1).click()
    row = page.locator("tr:target")
    expect(row).to_contain_text("Y[0, 0, 0, 0] is nan, not 4.0")
    row.get_by_role("link", name="its root cause").click()
    expect(page.locator("details.finding:target blockquote").first).to_be_visible()


def test_a_search_leaves_what_has_every_word(site: Path, visit: Opener) -> None:
    """And stands in the address; without scripts there is the folded list, and no form."""
    page = visit(path=site / "search/index.html")
    page.fill("input[name=text]", "FIRST maximum")
    expect(page.locator(".found li:visible")).to_have_count(1)
    expect(page.locator("#search output")).to_contain_text("Shown: 1 of ")
    again = visit(page.evaluate("location.hash"), path=site / "search/index.html")
    expect(again.locator(".found li:visible")).to_have_count(1)
    plain = visit(path=site / "search/index.html", java_script_enabled=False)
    expect(plain.locator("#search")).to_be_hidden()
    plain.locator("details summary").first.click()
    expect(plain.locator(".found li").first).to_be_visible()


def test_a_permanent_address_leads_to_its_clause(site: Path, visit: Opener) -> None:
    """In view, with scripts or without."""
    for scripts in (True, False):
        page = visit("#Indices.F1", path=site / "toy/maxpool/index.html", java_script_enabled=scripts)
        expect(page.locator("[id='Indices.F1']")).to_be_in_viewport()
