"""axe-core finds nothing to complain of, in both themes, with everything open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from plumbline.reports import record_parts, write_html
from plumbline.trial.record.recording import read_records
from tests.browser.conftest import Opener
from tests.suite import small_records as small


@pytest.mark.parametrize("options", [{"color_scheme": "light"}, {"color_scheme": "dark"},
                                     {"viewport": {"width": 360, "height": 740}}], ids=["light", "dark", "phone"])
def test_axe_finds_no_violation(options: dict[str, object], visit: Opener) -> None:
    """Contrast, names, landmarks, tables, whatever its rules ask."""
    page = visit(**options)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    found = Axe().run(page).response
    assert len(found["passes"]) > 20, "axe looked at hardly anything"
    assert [(rule["id"], node["html"][:200]) for rule in found["violations"] for node in rule["nodes"]] == []


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The index of a run over two operators, which is more than one page takes."""
    monkeypatch.setattr(record_parts, "MOST", 10)
    head = small.header("toy", "1.9")
    other = json.loads(json.dumps([head, *small.OLD]).replace("toy/maxpool", "toy/other"))
    for key in ("specifications", "coverage", "errata", "boundaries"):
        head[key] = head[key] | other[0][key]
    records = read_records([small.write(tmp_path / "two.jsonl", head, [*small.OLD, *other[1:]])])
    return write_html(records, tmp_path / "index.html")


@pytest.mark.parametrize("options", [{"viewport": {"width": 1400, "height": 900}},
                                     {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
                         ids=["wide", "dark phone"])
def test_an_index_is_clean_and_its_reproducers_are_one_click_away(options: dict[str, object], index: Path,
                                                                  visit: Opener) -> None:
    """The link opens the page of the operator with the script in view."""
    page = visit(path=index, **options)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    response = Axe().run(page).response
    assert [(rule["id"], node["html"][:200]) for rule in response["violations"] for node in rule["nodes"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
    page.get_by_role("link", name="Reproduce").first.click()
    expect(page.locator("details.script:target pre")).to_be_in_viewport()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_reproducer_is_one_click_away(scripts: bool, visit: Opener) -> None:
    """From a root cause that is folded, with scripts or without."""
    page = visit(java_script_enabled=scripts)
    page.get_by_role("link", name="Reproduce").first.click()
    expect(page.locator("details.script:target")).to_be_in_viewport()
    expect(page.locator("details.script:target summary")).to_be_visible()
