"""The GitHub action without GitHub: its steps in order, in bash, with what GitHub would put in their place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.oracle.yaml_text import load

ROOT = SPEC_FOLDER.parent
ACTION = load((ROOT / "action.yml").read_text(encoding="utf-8"))
FAKE = "tests.suite.fakes:minus_four_for_minus_infinity"
NOT_RUN = ("Install", "Keep the report")
"""Steps that need a registry (`tests/package` installs the wheel) or GitHub itself."""


def act(folder: Path, **given: str) -> tuple[int, str]:
    """The exit status of the action, that of the first step that fails, and its summary."""
    inputs = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | given
    inputs["report-dir"] = str(folder / "report")
    summary, outputs = folder / "summary.md", {}
    python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ (?:inputs\.([\w-]+)|steps\.try\.outputs\.status) \}\}",
                      lambda match: inputs[match[1]] if match[1] else outputs.get("status", ""), text)

    for step in ACTION["runs"]["steps"]:
        if step["name"] in NOT_RUN:
            continue
        output = folder / "output"
        output.touch()
        environment = {**os.environ, "PATH": python, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
                       **{name: filled(value) for name, value in step.get("env", {}).items()}}
        assert step["shell"] == "bash" and "${{" not in step["run"], "an expression in a script is run as written"
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], cwd=ROOT,
                              env=environment, capture_output=True, text=True, check=False)
        outputs |= dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        if done.returncode:
            break
    return done.returncode, summary.read_text(encoding="utf-8") if summary.exists() else ""


@pytest.mark.gate(one_in=10)
@pytest.mark.parametrize(("given", "status", "says"), [
    ({}, 1, "1 new root cause, 0 known root causes; "),
    ({"fail-on": "error"}, 0, "1 new root cause, 0 known root causes; "),
    ({"fail-on": "all"}, 2, ""),
    ({"backend": "nobody"}, 2, ""),
    ({"specs": "sonnx/* sonx/*"}, 2, ""),
])
def test_the_action_fails_on_what_it_is_asked_to(given: dict[str, str], status: int, says: str, tmp_path: Path) -> None:
    """And its summary, SARIF, JUnit XML, record and page are there."""
    found, summary = act(tmp_path, **{"backend": FAKE, "specs": "sonnx/maxpool", **given})
    assert found == status and says in summary
    if says:
        assert {path.suffix for path in (tmp_path / "report").iterdir()} == {".jsonl", ".html", ".sarif", ".xml"}


def test_the_action_takes_known_divergences(tmp_path: Path) -> None:
    """A list that is refused is not taken for nothing known."""
    path = tmp_path / "known.yaml"
    path.write_text("backend: somebody-else\ndivergences: []\n", encoding="utf-8")
    assert act(tmp_path, backend=FAKE, specs="sonnx/relu", known=str(path)) == (2, "")


def test_everything_that_is_left_out_here_is_named() -> None:
    """The steps that are not run are those two, and every input is used."""
    steps = ACTION["runs"]["steps"]
    assert [step["name"] for step in steps if "uses" in step or "pip" in step.get("run", "")] == list(NOT_RUN)
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
