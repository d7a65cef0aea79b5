"""The examples in docstrings run, and the words of the README are those of the suite."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import cases
import oracle
from backends import InProcess, Request
from cases.lint import lint
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


def block(language: str) -> str:
    """The only code block of the README in that language."""
    found = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    assert len(found) == 1
    return found[0]


def test_the_case_of_the_readme_is_one_that_lint_accepts(tmp_path: Path) -> None:
    """Pasted into values.yaml, as the README says."""
    path = tmp_path / "values.yaml"
    text = (SPEC_FOLDER.parent / "cases/sonnx/maxpool/values.yaml").read_text(encoding="utf-8")
    path.write_text(text.partition("cases:\n")[0] + "cases:\n" + block("yaml"), encoding="utf-8")
    added = cases.load_cases([path])[-1]
    assert added.id == "two-infinities" and lint(added) == []


def test_the_class_of_the_readme_is_an_adapter() -> None:
    """With a function of one's own it answers a request."""
    scope = {"my_maxpool": lambda x, **attributes: (x.max(keepdims=True), np.zeros((1, 1, 1, 1), np.int64))}
    exec(block("python"), scope)
    host = InProcess(scope["MyRuntime"]())
    outcome = host.run(Request(b"", "MaxPool", {}, 22, {"X": np.ones((1, 1, 2, 2))}, ("Y",)))
    assert host.identity["name"] == "my-runtime" and outcome.outputs["Y"].tolist() == [[[[1]]]]
