"""Write the first files for the repository of a runtime."""

from __future__ import annotations

import keyword
import re
import tomllib
from pathlib import Path

import click

from plumbline.commands.base import Commands
from plumbline.oracle.files import read_text, write_file

commands = Commands("begin", help=__doc__)

KNOWN = Path("conformance/known.yaml")
WORKFLOW = Path(".github/workflows/plumbline.yml")
SETTINGS = Path("pyproject.toml")

CLASS = '''"""{title}: what `--backend {module}:{title}` names. Replace Relu by your runtime."""

import numpy as np


class {title}:
    """Answer calls of one operator; see docs/plug-in-an-implementation.md."""

    name = "{name}"
    specifications = ("{spec}",)
    capabilities = [{{"operators": ["Relu"], "dtypes": ["float32"]}}]  # refusals of other calls are `unsupported`

    def version(self):
        """Return the version of the runtime."""
        return "0.1"

    def run(self, request):
        """Return the outputs by name; raise an exception to refuse.

        `request` has model (bytes of an ONNX model of one node), operator, attributes (a dict without those that the
        node leaves out: use ONNX's defaults), inputs (arrays by name) and outputs (the names to return).
        """
        if request.operator != "Relu":
            raise NotImplementedError(request.operator)
        x = request.inputs["X"]
        return {{"Y": np.maximum(x, x.dtype.type(0))}}
'''
LIST = """\
# Expected failures, each with its reason. `plumbline known RECORD` drafts entries from a run.
backend: {name}
divergences: []
"""
TABLE = """\
[tool.plumbline]
backend = "{backend}"
{specs}known = "{known}"
"""
JOB = """\
# Conformance on each pull request. Plumbline is not published yet: build its wheel in a clone (`uv build --wheel`) and
# commit it to conformance/. pyproject.toml names the backend and the list of known divergences.
name: conformance
on: [pull_request]

jobs:
  plumbline:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install conformance/*.whl  # add here what builds and installs your runtime
      - run: plumbline conformance
      - run: plumbline report markdown latest >> "$GITHUB_STEP_SUMMARY"
        if: always()
      - uses: actions/upload-artifact@v4
        if: always()
        with: {path: reports/out}
"""


@commands.command()
@click.option("--backend", required=True, metavar="NAME", help="The backend, as in plumbline conformance.")
@click.option("--name", metavar="NAME", help="What the backend calls itself. Default: it is asked.")
@click.option("--spec", default="onnx/*", metavar="GLOB", help="Specifications. Default: onnx/*.")
def init(backend: str, name: str | None, spec: str) -> None:
    """Write CI, a list of known divergences and [tool.plumbline] for the repository of a runtime.

    Writes .github/workflows/plumbline.yml and conformance/known.yaml, and adds a table to pyproject.toml. No file is
    overwritten.
    """
    if unprintable := next((text for text in (backend, name or "", spec) if not text.isprintable()), None):
        raise click.UsageError(f"{unprintable!r} has characters that cannot be printed, which no file may hold")
    _write(_project(backend, name or _own_name(backend), spec))
    print("next: plumbline conformance")


@commands.command("new-backend")
@click.argument("name")
def new_backend(name: str) -> None:
    """Write a backend that runs: a class, a list of known divergences, and CI.

    NAME is that of the runtime, such as my-runtime. Writes my_runtime.py in this folder, and what `plumbline init`
    writes. No file is overwritten.
    """
    module = re.sub(r"\W+", "_", name).strip("_").lower()
    if not module.isidentifier() or keyword.iskeyword(module):
        raise click.UsageError(f"{name!r} makes no name of a Python module; begin with a letter")
    title = "".join(part.capitalize() for part in module.split("_"))
    spec = "onnx/relu"
    text = CLASS.format(title=title, module=module, name=name, spec=spec)
    _write({Path(f"{module}.py"): text, **_project(f"{module}:{title}", name, None)})
    print("next: plumbline conformance")


def _own_name(backend: str) -> str:
    """Return a backend's own name; that of its class or module if it cannot be started here."""
    if ":" in backend:
        from plumbline.backends.declarations import BackendError  # on demand: it needs numpy
        from plumbline.backends.registry import find_backend

        try:
            host = find_backend(backend).start()
            host.close()
            return host.identity.name
        except BackendError as error:
            print(f"not started here ({error}): if it gives itself another name, write that into {KNOWN}")
    return re.split(r"[:.]", backend.partition("==")[0])[-1]


def _project(backend: str, name: str, spec: str | None) -> dict[Path, str]:
    """Return the files of a project, by path; without `spec`, the `specifications` of the class decide.

    Raises ClickException if pyproject.toml has the table already."""
    before = read_text(SETTINGS) if SETTINGS.exists() else ""
    try:
        if "plumbline" in tomllib.loads(before).get("tool", {}):
            raise click.ClickException(f"{SETTINGS}: has [tool.plumbline] already")
    except tomllib.TOMLDecodeError as error:
        raise click.ClickException(f"{SETTINGS}: {error}") from None
    specs = "" if spec is None else f'specs = ["{spec}"]\n'
    table = TABLE.format(backend=backend, specs=specs, known=KNOWN.as_posix())
    return {KNOWN: LIST.format(name=name), WORKFLOW: JOB,
            SETTINGS: f"{before.rstrip()}\n\n{table}" if before.strip() else table}


def _write(files: dict[Path, str]) -> None:
    """Write files, or none of them. Raises ClickException if one exists."""
    existing = [path for path in files if path.exists() and path != SETTINGS]
    if existing:
        raise click.ClickException(f"{existing[0]}: exists already; remove it, or keep it and write the others by hand")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(write_file(path, text))
