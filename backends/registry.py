"""From a name on the command line to a backend: `onnxruntime`, `onnxruntime==1.23.2`, `package.module:Class`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from backends.environments import environment
from backends.hosts import StartError, Worker

ADAPTER_FOLDER = Path(__file__).resolve().parent / "adapters"
EMBEDDED = "onnxruntime"
"""The backend that lives in the suite's own environment."""


class BackendError(ValueError):
    """A backend that cannot be tried; the text says which and why."""


@dataclass(frozen=True)
class Backend:
    """What `--backend` named, not started yet.

    named:     as on the command line.
    adapter:   the name of the adapter, "" for one outside the clone.
    reference: path/to/file.py:Class or package.module:Class.
    """

    named: str
    adapter: str
    reference: str
    requirements: tuple[str, ...] = ()
    python: Path | None = None

    def start(self) -> Worker:
        """A worker that is ready, in its environment, which is made when needed. Raises BackendError."""
        try:
            python = environment(self.adapter, self.requirements) if self.requirements else self.python
            return Worker(self.reference, *([python] if python else []))
        except StartError as error:
            raise BackendError(f"{self.named}: {error}") from None


def adapter_names() -> list[str]:
    """The adapters of the clone."""
    return sorted(path.stem.replace("_", "-") for path in ADAPTER_FOLDER.glob("*.py") if path.stem != "__init__")


def find_backend(named: str, python: Path | None = None) -> Backend:
    """The backend of a name. `python` is the interpreter for a class outside the clone. Raises BackendError."""
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", named):
        return Backend(named, "", named, python=python)
    name, equals, version = named.partition("==")
    if name not in adapter_names():
        raise BackendError(f"no backend is called {named!r}; there are {', '.join(adapter_names())}, any of them with "
                           "==VERSION, and package.module:Class")
    if equals and not re.fullmatch(r"[0-9][\w.+!-]*", version):
        raise BackendError(f"{named!r}: {version!r} is no version; write {name}==1.2.3")
    path = ADAPTER_FOLDER / f"{name.replace('-', '_')}.py"
    class_name, requirements = _declared(path)
    if python is not None and not equals:
        return Backend(named, name, f"{path}:{class_name}", python=python)
    if equals:
        requirements = (f"{requirements[0]}=={version}", *requirements[1:])
    elif name == EMBEDDED:
        requirements = ()
    return Backend(named, name, f"{path}:{class_name}", requirements)


def _declared(path: Path) -> tuple[str, tuple[str, ...]]:
    """The class of an adapter's file and its requirements, read without importing the runtime."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "requirements":
                    return node.name, tuple(ast.literal_eval(line.value))
    raise BackendError(f"{path}: no class with 'requirements'")
