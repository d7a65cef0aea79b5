"""The switch between versions of the documentation: which there are, and in which order."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import jinja2
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def versions() -> ModuleType:
    """The module of the documentation, which is in no package."""
    spec = importlib.util.spec_from_file_location("docs_versions", DOCS / "versions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_newest_tag_comes_first_and_other_tags_are_ignored(versions: ModuleType) -> None:
    """By number, not by letter; main comes before all."""
    tags = ["v0.9.0", "v0.10.0", "latest", "v1.0.0-rc1", "v1", "0.3.0", "v0.10.0", "v0.10.1"]
    assert versions.list_versions(tags, "1.0.0") == [
        {"folder": "latest", "name": "1.0.0 (main)"}, {"folder": "v0.10.1", "name": "0.10.1"},
        {"folder": "v0.10.0", "name": "0.10.0"}, {"folder": "v0.9.0", "name": "0.9.0"}]


def test_a_version_is_alone_unless_a_list_is_given(versions: ModuleType, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """Links to versions that are not published beside it would be dead."""
    monkeypatch.delenv("DOCS_VERSIONS", raising=False)
    monkeypatch.delenv("DOCS_VERSION", raising=False)
    assert versions.read_versions("0.2.0") == ([{"folder": "latest", "name": "0.2.0 (main)"}], "latest")
    listed = versions.list_versions(["v0.1.0"], "0.2.0")
    (tmp_path / "versions.json").write_text(json.dumps(listed), encoding="utf-8")
    monkeypatch.setenv("DOCS_VERSIONS", str(tmp_path / "versions.json"))
    monkeypatch.setenv("DOCS_VERSION", "v0.1.0")
    assert versions.read_versions("0.1.0") == (listed, "v0.1.0")


def test_the_switch_links_to_the_other_versions(versions: ModuleType) -> None:
    """From any depth, and without scripts; no list of others beside a single version."""
    template = jinja2.Template((DOCS / "_templates" / "versions.html").read_text(encoding="utf-8"))

    def shown(tags: list[str]) -> str:
        return template.render(versions=versions.list_versions(tags, "0.2.0"), built="latest", root_doc="README",
                               pathto=lambda page: f"../../{page}.html", content_root="../../")

    assert 'href="../../README.html">0.2.0 (main)<' in shown([]) and "Other versions" not in shown([])
    assert shown(["v0.1.0", "v0.2.0"]).count("<details>") == 1
    assert 'href="../../../v0.1.0/index.html">0.1.0<' in shown(["v0.1.0", "v0.2.0"])
