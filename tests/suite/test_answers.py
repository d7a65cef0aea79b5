"""The table of what backends answer to one case."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plumbline.commands.backends import commands
from plumbline.commands.base import run
from plumbline.oracle.discovery import SPEC_FOLDER

ROOT = SPEC_FOLDER.parent
DOCUMENTED = str(ROOT / "docs" / "nan-in-maxpool.yaml")
VALUES = str(ROOT / "cases" / "sonnx" / "maxpool" / "values.yaml")

PROGRAM = """
import base64, json, struct, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "start":
        print(json.dumps({"plumbline": 2, "name": "any", "version": "1"}), flush=True)
    elif message["do"] == "run" and len(message["outputs"]) > 1:
        print(json.dumps({"number": message["number"], "refused": {"message": "no | indices"}}), flush=True)
    elif message["do"] == "run":
        data = base64.b64encode(struct.pack("<4f", 3, float("nan"), 3, 5)).decode()
        y = {"dtype": "float32", "shape": [1, 1, 2, 2], "data": data}
        print(json.dumps({"number": message["number"], "outputs": {"Y": y}}), flush=True)
"""


def test_the_table_has_what_is_required_and_what_was_answered(tmp_path: Path,
                                                              capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong output is marked, a refusal is in one cell, and a backend that does not start has its reason."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    status = run(commands, ["answers", "nan-in-maxpool", "--cases", DOCUMENTED, f"stdio:{sys.executable} {path}",
                            "stdio:no-such-program"], "plumbline")
    assert status == 0
    assert capsys.readouterr().out.splitlines() == [
        "| runtime | Y | Y of Y+Indices | Indices of Y+Indices |", "|---|---|---|---|",
        "| sonnx/maxpool | 3 3 3 5 | 3 3 3 5 | 4 4 4 8 |",
        f"| stdio:{sys.executable} {path} 1 | 3 NaN 3 5 ✗ | refused (run): refused: no \\| indices |  |",
        "| stdio:no-such-program | stdio:no-such-program: there is no program 'no-such-program' |  |  |"]


def test_what_is_undefined_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """In a window of nothing but NaN the index is undefined."""
    assert run(commands, ["answers", "nan-all", "--cases", VALUES, "stdio:no-such-program"], "plumbline") == 0
    assert "| sonnx/maxpool | -inf 2 | -inf 2 | 0? 5 |" in capsys.readouterr().out


def test_a_case_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """With status 2."""
    assert run(commands, ["answers", "no-such-case", "--cases", VALUES, "onnxruntime"], "plumbline") == 2
    assert "no case is called 'no-such-case'" in capsys.readouterr().err
