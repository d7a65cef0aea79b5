"""Nothing accuses honest implementations, of which each operator has one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from plumbline.trial.record.judge import ACCUSES
from tests.faults.calls import operators
from tests.honest.__main__ import backends, count, newest
from tests.honest.backend import Plain
from tests.honest.elements import FUNCTIONS

STEMS = sorted(name.removeprefix("onnx/") for name in operators() if name.startswith("onnx/"))


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("stem", STEMS)
def test_no_honest_implementation_is_accused(stem: str) -> None:
    """A few calls of each; `python -m tests.honest` runs thousands."""
    for turn, backend in enumerate(backends(stem)):
        tally = count(newest(stem), backend, 3, range(turn * 32, turn * 32 + 32))
        assert set(tally.verdicts) <= {"conforms", "observed"}, (backend, tally.causes)


@pytest.mark.parametrize("stem", ["sin", "gather", "reducesum"])
def test_what_is_false_is_accused(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise that nothing is accused says nothing."""
    computed = Plain.computed
    monkeypatch.setitem(FUNCTIONS, "sin", FUNCTIONS["cos"])
    monkeypatch.setattr(Plain, "computed", lambda self, name, inputs, given: computed(self, name, inputs, given)
                        if name == "sin" else -computed(self, name, inputs, given))
    tally = count(newest(stem), "tests.honest.backend:Plain", 3, range(8))
    assert sum(tally.verdicts[verdict] for verdict in ACCUSES) >= 4  # another process, which is honest, is asked too


def test_honest_implementations_are_derived_from_neither_oracle() -> None:
    """Of the suite they know what a request is."""
    for path in Path(__file__).parent.glob("*.py"):
        if path.stem not in ("__main__", "test_honest"):
            modules = {node.module or "" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                       if isinstance(node, ast.ImportFrom)}
            own = {module for module in modules if module.partition(".")[0] in ("plumbline", "tests")}
            assert {module for module in own if not module.startswith("tests.honest.")} <= {"plumbline.backends"}
