"""What a reader does with the page: filter, search, follow links, change the theme, print, use it without scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from plumbline.reports import write_html
from plumbline.reports.words import anchor
from plumbline.trial.record.recording import read_records
from tests.browser.conftest import Opener
from tests.suite import small_records as small
from tests.suite.small_records import SPEC

MAXIMUM = anchor(f"{SPEC}#Y.F1")
FINDING = anchor(f"{SPEC}-nan-first-Y")
"""A call that a finding shows in full."""


def rows(page: Page, kind: str) -> list[str]:
    """The ids of the rows (or findings) of a kind that are not filtered away."""
    return page.eval_on_selector_all(kind, "all => all.filter(one => !one.closest('[hidden]')).map(one => one.id)")


def named(page: Page) -> list[str]:
    """The cases that are not filtered away."""
    return page.eval_on_selector_all("table.all tbody tr", "all => all.filter(one => !one.closest('[hidden]'))"
                                     ".map(one => one.querySelector('th').textContent)")


def of_findings(page: Page) -> list[tuple[bool, set[str]]]:
    """(whether it is filtered away, the names of its cases) for each finding."""
    found = page.eval_on_selector_all("details.finding", """all => all.map(one => [one.closest('[hidden]') !== null,
        one.dataset.cases.trim().split(' ').map(n => document.querySelector(`#c${n} th`).textContent)])""")
    return [(hidden, set(names)) for hidden, names in found]


@pytest.mark.parametrize(("choice", "value", "cases"), [
    ("dtype", "float16", ["float16-plain", "generated-0-1"]),
    ("opset", "1", ["float16-plain"]),
    ("verdict", "crashes", ["stride-zero"]),
    ("clause", "Indices.F1", ["plain"]),
    ("specification", SPEC, None),
])
def test_filters_leave_what_is_asked_for(choice: str, value: str, cases: list[str] | None, visit: Opener) -> None:
    """Cases, and the findings of those cases; the count says how many; showing all brings everything back."""
    page = visit()
    before = named(page)
    page.select_option(f"select[name={choice}]", value)
    assert named(page) == (before if cases is None else cases)
    findings = of_findings(page)
    assert {name for _, names in findings for name in names} == {"plain", "padded-corner", "nan-first", "three-axes",
                                                                 "stride-zero"}
    assert all(hidden == names.isdisjoint(named(page)) for hidden, names in findings)
    expect(page.locator("#filter output")).to_contain_text(f"{len(named(page))} of {len(before)} cases")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#filter output")).to_contain_text(f"{len(before)} of {len(before)} cases")
    assert named(page) == before


def test_a_filter_counts_anew(visit: Opener) -> None:
    """In the matrix stand the results of the chosen type alone; the clauses that none of them speaks of are gone."""
    page = visit(f"#{MAXIMUM}")
    cell = page.locator(f"[id='{MAXIMUM}'] .cell").nth(1)
    whole = cell.inner_text()
    assert whole.split() == ["✗", "2", "of", "6", "diverge"]
    page.select_option("select[name=dtype]", "float16")
    expect(cell).to_have_text("✓ 1 conform")
    assert anchor(f"{SPEC}#Indices.F1") not in rows(page, "tr[data-clause]")
    page.select_option("select[name=dtype]", "")
    expect(cell).to_have_text(re.compile("of 6 diverge"))


def test_a_search_finds_clauses_cases_and_findings(visit: Opener) -> None:
    """By words of a statement or a title, whatever the case of the letters."""
    page = visit()
    page.fill("input[name=text]", "NAN-first")
    assert named(page) == ["nan-first"]
    assert [names for hidden, names in of_findings(page) if not hidden and "nan-first" in names]
    page.fill("input[name=text]", "first maximum")
    assert rows(page, "tr[data-clause]") == [anchor(f"{SPEC}#Indices.F1")]
    page.fill("input[name=text]", "nothing says this")
    expect(page.locator("#filter output")).to_contain_text("0 of 8 clauses, 0 of 4 root causes, 0 of 10 cases")


def test_choices_stand_in_the_address(visit: Opener) -> None:
    """A filtered page can be sent on."""
    page = visit()
    page.select_option("select[name=dtype]", "float16")
    page.fill("input[name=text]", "plain")
    address = page.evaluate("location.hash")
    assert named(visit(address)) == ["float16-plain"]


@pytest.mark.parametrize("target", [MAXIMUM, FINDING, anchor(f"{SPEC}#Y.E1"), "silences"])
def test_a_link_leads_to_a_clause_or_a_finding(target: str, visit: Opener) -> None:
    """Whatever is folded around it opens, and it is in view; also when a filter had hidden it."""
    page = visit(f"#{target}")
    expect(page.locator(f"[id='{target}']")).to_be_in_viewport()
    assert page.evaluate("id => { const one = document.getElementById(id); return one.open ?? true }", target)
    page = visit()
    page.fill("input[name=text]", "nothing says this")
    page.evaluate("id => { location.hash = id }", target)
    expect(page.locator(f"[id='{target}']")).to_be_in_viewport()


def test_the_keyboard_reaches_everything(visit: Opener) -> None:
    """The first stop leads past the header; a folded finding opens with the space bar."""
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the root causes"
    page.locator("details.finding", has=page.locator(f"[id='{FINDING}']")).locator("> summary").focus()
    page.keyboard.press("Space")
    expect(page.locator(f"[id='{FINDING}'] blockquote").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_it_is_chosen(scheme: str, visit: Opener) -> None:
    """The button goes round; the choice is kept over a reload."""
    colours = {"light": "rgb(252, 251, 248)", "dark": "rgb(21, 23, 27)"}
    page = visit(color_scheme=scheme)
    body, button = page.locator("body"), page.locator("#theme")
    expect(body).to_have_css("background-color", colours[scheme])
    for theme in ("light", "dark"):
        button.click()
        expect(button).to_have_text(f"Theme: {theme}")
        expect(body).to_have_css("background-color", colours[theme])
    page.reload()
    expect(button).to_have_text("Theme: dark")
    button.click()
    expect(body).to_have_css("background-color", colours[scheme])


def test_print_shows_findings_and_no_controls(visit: Opener) -> None:
    """On paper what is folded is open, black on white, even when the dark theme was chosen."""
    page = visit(color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.locator("#filter")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    expect(page.locator(f"[id='{FINDING}'] blockquote").first).to_be_visible()
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")


def test_without_scripts_everything_is_readable(visit: Opener) -> None:
    """No control that does nothing; a folded part opens by itself."""
    page = visit(java_script_enabled=False)
    expect(page.locator("#filter")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    finding = page.locator("details.finding", has=page.locator(f"[id='{FINDING}']"))
    finding.locator("> summary").click()
    expect(finding.get_by_text("at 1 element: Y[0, 0, 0, 0] is nan, not 4.0")).to_be_visible()
    clauses = page.locator("details", has=page.locator(f"[id='{MAXIMUM}']"))
    expect(clauses).not_to_have_attribute("open", "")
    clauses.locator("> summary").click()
    expect(page.locator(f"[id='{MAXIMUM}'] .cell").nth(1)).to_be_visible()


def test_a_phone_needs_no_sideways_scrolling(visit: Opener) -> None:
    """At 360 points the page is as wide as the screen, with everything open; wide tables scroll in themselves."""
    page = visit(viewport={"width": 360, "height": 740})
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(("width", "screens"), [(1400, 6), (390, 8)])
def test_a_page_begins_short(width: int, screens: int, visit: Opener) -> None:
    """What is long is folded, with scripts or without: a phone's page of one operator takes a few screens."""
    for scripts in (True, False):
        page = visit(viewport={"width": width, "height": 900}, java_script_enabled=scripts)
        height = page.locator("html").bounding_box()["height"]
        assert height < screens * 900, height


def test_twenty_thousand_results_open_folded(visit: Opener, tmp_path: Path) -> None:
    """Below ten megabytes; what is folded is not laid out; a filter answers."""
    lines = [small.diverges(f"{what}-{number}", 7.0) if number % 40 == 0 else
             small.line(f"{what}-{number}", "conforms", dtype=("float32", "float64")[number % 2])
             for what in ("case", "generated-0") for number in range(10_000)]
    path = small.write(tmp_path / "many.jsonl", small.header("toy", "1"), lines)
    html = write_html(read_records([path]), tmp_path / "many.html")
    assert html.stat().st_size < 10_000_000
    page = visit(path=html)
    expect(page.locator("#c19999")).to_be_hidden()
    page.select_option("select[name=dtype]", "float64")
    expect(page.locator("#filter output")).to_contain_text("10000 of 20000 cases")


def test_a_script_can_be_copied(visit: Opener) -> None:
    """Opening it brings a button, which copies, or selects where a page may not copy."""
    page = visit(f"#{FINDING}")
    script = page.locator(f"[id='{FINDING}'] .script").first
    script.locator("summary").click()
    button = script.get_by_role("button", name="Copy")
    button.click()
    expect(script.get_by_role("button")).to_have_text(re.compile("Copied|Selected"))
