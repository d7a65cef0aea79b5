"""The examples in docstrings run, and the words of the README are those of the suite."""

from __future__ import annotations

import doctest

import pytest

import cases
import oracle
from oracle.specification import SPEC_FOLDER
from trial import VERDICTS

README = (SPEC_FOLDER.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", [oracle, cases], ids=lambda module: module.__name__)
def test_docstring_examples_run(module: object) -> None:
    """And print what they show."""
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_readme_names_every_verdict(verdict: str) -> None:
    """A reader of a report finds the word."""
    assert f"`{verdict}`" in README
