"""Nothing accuses honest implementations, of which each operator has one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from plumbline.backends import Request
from tests.honest.__main__ import STEMS, Count, honest, newest
from tests.honest.backend import Plain
from tests.operators.contract import Outputs


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("stem", STEMS)
def test_no_honest_implementation_is_accused(stem: str) -> None:
    """A few calls of each; `python -m tests.honest` runs thousands."""
    for turn, kind in enumerate(honest(stem)):
        counted = Count(newest(stem), kind, 3, range(turn * 64, turn * 64 + 64))
        assert not counted.accused and counted.verdicts["conforms"], kind


class Negative(Plain):
    """It negates what it gives."""

    def run(self, request: Request) -> Outputs:
        return {name: -output for name, output in super().run(request).items()}


@pytest.mark.parametrize("stem", ["sin", "gather", "reducesum"])
def test_what_is_false_is_accused(stem: str) -> None:
    """Otherwise that nothing is accused says nothing."""
    assert Count(newest(stem), Negative(), 3, range(64)).verdicts["diverges"] > 16


def test_honest_implementations_are_derived_from_neither_oracle() -> None:
    """Of the suite they know what a request is."""
    for path in Path(__file__).parent.glob("*.py"):
        if path.stem not in ("__main__", "test_honest"):
            modules = {node.module or "" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                       if isinstance(node, ast.ImportFrom)}
            own = {module for module in modules if module.partition(".")[0] in ("plumbline", "tests")}
            assert {module for module in own if not module.startswith("tests.honest.")} <= {"plumbline.backends"}
