"""Runs a notebook from its first cell to its last, and keeps of it what the next run gives again: no counters, no
times, no widgets, no metadata of who ran it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent
TIME_LIMITS = 240, 1800
"""Seconds for one cell, first and once more: at times a kernel stands idle while the client waits for it, since a
message between them was lost (ipykernel#1554), and a cell may need long."""

METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}
WIDGET = "application/vnd.jupyter.widget-view+json"
PARAMETERS = "parameters"
"""The tag of the cell that says what can be set, as papermill has it."""


class NotebookError(RuntimeError):
    """A notebook that does not run, or warns; the text says which, and why."""


def notebooks() -> list[Path]:
    """All of them."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """A notebook as it stands."""
    return nbformat.read(path, as_version=4)


def execute(path: Path, **parameters: Any) -> NotebookNode:
    """The notebook with its outputs made anew; the file stays as it is. `parameters` are set behind the cell that names
    them. Raises NotebookError."""
    first, last = TIME_LIMITS
    try:
        notebook = _executed(path, parameters, first)
    except CellTimeoutError:
        try:
            notebook = _executed(path, parameters, last)
        except CellTimeoutError as error:
            raise NotebookError(f"{path.name}: {' '.join(str(error).split())}") from None
    _tidy(path, notebook)
    return notebook


def _executed(path: Path, parameters: dict[str, Any], limit: int) -> NotebookNode:
    """As it comes out of a kernel of its own. Raises CellTimeoutError and NotebookError."""
    notebook = read(path)
    if parameters:
        _set(path, notebook, parameters)
    client = NotebookClient(notebook, timeout=limit, kernel_name="python3", coalesce_streams=True,
                            resources={"metadata": {"path": str(FOLDER)}})
    kernel = client.create_kernel_manager()
    with TemporaryDirectory() as sockets:
        # The kernel is spoken to through files that this user alone can open, not through ports of the machine.
        kernel.transport, kernel.ip = "ipc", f"{sockets}/kernel"
        try:
            client.execute()
        except CellExecutionError as error:
            raise NotebookError(f"{path.name}: {error.ename}: {' '.join(error.evalue.split())}") from None
        except DeadKernelError as error:
            raise NotebookError(f"{path.name}: {' '.join(str(error).split())}") from None
    return notebook


def save(notebook: NotebookNode, path: Path) -> None:
    """Write it where it can be opened."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def _set(path: Path, notebook: NotebookNode, parameters: dict[str, Any]) -> None:
    place = next((number for number, cell in enumerate(notebook.cells)
                  if PARAMETERS in cell.metadata.get("tags", ())), None)
    if place is None:
        raise NotebookError(f"{path.name}: has no cell tagged {PARAMETERS!r}, so nothing of it can be set")
    source = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    cell = nbformat.v4.new_code_cell(source, id="injected-parameters", metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(place + 1, cell)


def _tidy(path: Path, notebook: NotebookNode) -> None:
    """Leave out what differs from run to run. Raises NotebookError for a warning."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({"tags": cell.metadata.tags} if "tags" in cell.metadata else {})
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise NotebookError(f"{path.name}: {' '.join(output.text.split())}")
            if "execution_count" in output:
                output.execution_count = None
