"""axe-core finds nothing to complain of, in both themes, with everything open."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Opener


@pytest.mark.parametrize("options", [{"color_scheme": "light"}, {"color_scheme": "dark"},
                                     {"viewport": {"width": 360, "height": 740}}], ids=["light", "dark", "phone"])
def test_axe_finds_no_violation(options: dict[str, object], visit: Opener) -> None:
    """Contrast, names, landmarks, tables, whatever its rules ask."""
    page = visit(**options)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    found = Axe().run(page).response
    assert len(found["passes"]) > 20, "axe looked at hardly anything"
    assert [(rule["id"], node["html"][:200]) for rule in found["violations"] for node in rule["nodes"]] == []
