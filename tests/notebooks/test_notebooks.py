"""The notebooks: each runs, shows what is committed, and holds nothing of the machine that ran it."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from notebooks.execute import FOLDER, NotebookError, execute, notebooks, read, save
from plumbline.reports.rendering import notebook_frame
from tests.suite.test_doors import unread

WRONG = '''
import numpy as np


class Zeros:
    """Gives zeros of the shape of X."""

    name = "zeros"
    specifications = ("sonnx/*",)

    def version(self):
        return "1.0"

    def run(self, request):
        return {name: np.zeros_like(request.inputs["X"]) for name in request.outputs}
'''


def shown(notebook: NotebookNode) -> list[tuple[str, object]]:
    """Everything that a notebook shows, cell by cell, without the style of pictures."""
    found: list[tuple[str, object]] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text" in output:
                found.append((cell.id, output.text))
            for _, data in sorted(output.get("data", {}).items()):
                found.append((cell.id, re.sub(r"<style>.*?</style>", "", data, flags=re.DOTALL)))
    return found


def pictures(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """The outputs that are pictures."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "<table" in output.get("data", {}).get("text/html", ""):
                yield output


@pytest.mark.gate(one_in=2)
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_shows_when_run_again(path: Path) -> None:
    """Each runs without an error or a warning, and what is committed is what comes out now."""
    committed = shown(read(path))
    assert committed, f"{path.name} was committed without outputs: make notebooks"
    assert shown(execute(path)) == committed, f"{path.name} is stale: make notebooks, and look at what changed"


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_holds_nothing_of_the_machine(path: Path) -> None:
    """No path, no time of day, no counter, no widget; pictures have the page's style, and a line for text viewers."""
    notebook = read(path)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?<![\w.:/])/(home|tmp|root|usr|opt|work|mnt|var|Users|private)/""", text)
    assert not re.search(r"[A-Z]:\\\\", text)
    assert not re.search(r"\b\d{1,2}:\d{2}:\d{2}\b|\b20\d\d-\d\d-\d\d\b", text)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"} and cell.get("execution_count") is None
    for output in pictures(notebook):
        assert len(output.data["text/plain"].splitlines()) == 1
        assert output.data["text/html"].startswith(notebook_frame("").removesuffix("</div>"))


def test_the_notebooks_are_those_of_the_readme() -> None:
    """Seven, each with a picture or more, and each is introduced."""
    introduced = re.findall(r"\((\w+)\.ipynb\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(introduced) == [path.stem for path in notebooks()] and len(introduced) == 7
    for path in notebooks():
        assert any(pictures(read(path))), path.stem


def test_another_backend_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`your_backend` about a class outside the clone: its verdicts and its findings are in the outputs."""
    (tmp_path / "all_zeros.py").write_text(WRONG, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    notebook = execute(FOLDER / "your_backend.ipynb", backend="all_zeros:Zeros",
                       files=["../cases/sonnx/maxpool/examples.yaml"])
    said = "\n".join(str(what) for _, what in shown(notebook))
    assert "zeros 1.0: 20 results, 20 diverge or are refused, 20 of them new" in said
    assert re.search(r"✗ diverges</strong> <code>[^<]*sonnx/maxpool#Y\.C1[^<]*</code>, \d+ results, \d+ new", said)
    assert len(list(pictures(notebook))) > 1


def broken(tmp_path: Path, source: str) -> Path:
    """A notebook whose only cell of code is this."""
    notebook = read(FOLDER / "write_a_case.ipynb")
    notebook.cells = [next(cell for cell in notebook.cells if cell.cell_type == "code")]
    notebook.cells[0].source = source
    save(notebook, tmp_path / "broken.ipynb")
    return tmp_path / "broken.ipynb"


@pytest.mark.parametrize(("source", "says"), [
    ("1 / 0", "broken.ipynb: ZeroDivisionError: division by zero"),
    ("import warnings; warnings.warn('mind the gap')", "mind the gap")], ids=["error", "warning"])
def test_a_notebook_that_fails_is_told_from_one_that_runs(tmp_path: Path, source: str, says: str) -> None:
    """An error and a warning each end in one line that names the notebook."""
    with pytest.raises(NotebookError) as caught:
        execute(broken(tmp_path, source))
    assert says in str(caught.value) and str(caught.value).startswith("broken.ipynb: ")


def test_what_cannot_be_set_is_said(tmp_path: Path) -> None:
    """A parameter for a notebook that has none."""
    with pytest.raises(NotebookError, match="has no cell tagged 'parameters'"):
        execute(broken(tmp_path, "1"), backend="torch")


def test_a_stale_picture_is_seen(tmp_path: Path) -> None:
    """A value changed in a picture differs from what is committed."""
    notebook = read(FOLDER / "maxpool_examples.ipynb")
    before = shown(notebook)
    drawn = next(pictures(notebook))
    drawn.data["text/html"] = drawn.data["text/html"].replace("Indices 4", "Indices 3", 1)
    assert shown(notebook) != before


@pytest.mark.parametrize(("limits", "runs"), [((1, 60), True), ((1, 2), False)])
def test_a_cell_whose_time_is_up_is_run_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                  limits: tuple[int, int], runs: bool) -> None:
    """By another kernel, with more time; then it is an error."""
    path = tmp_path / "slow.ipynb"
    save(new_notebook(cells=[new_code_cell("import time; time.sleep(4); print('done')")]), path)
    monkeypatch.setattr("notebooks.execute.TIME_LIMITS", limits)
    if runs:
        assert execute(path).cells[0].outputs[0].text == "done\n"
    else:
        with pytest.raises(NotebookError, match="slow.ipynb: A cell timed out"):
            execute(path)


def test_the_command_ends_in_silence_when_nobody_reads_its_output() -> None:
    """No traceback, and the status of a process that SIGPIPE ends."""
    assert unread(["notebooks", "--help"]) == (128 + signal.SIGPIPE, "")
