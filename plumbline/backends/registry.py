"""From a name on the command line to a backend: `onnxruntime==1.23.2`, `package.module:Class`, `exec:COMMAND`,
`stdio:COMMAND`."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plumbline.backends.capabilities import Capability, CapabilityError, read_capabilities
from plumbline.backends.environments import environment, is_made
from plumbline.backends.foreign_text import NAME, one_line
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.in_process import InProcess
from plumbline.backends.process import MEMORY_LIMIT, Worker
from plumbline.backends.program import Program
from plumbline.backends.scripts import of_class
from plumbline.backends.stdio import Stdio
from plumbline.backends.worker import SPECIFICATIONS, load_adapter
from plumbline.cases.onnx.contexts import contexts_named
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import YAMLError, load

ADAPTER_FOLDER = Path(__file__).resolve().parent / "adapters"
EMBEDDED = "onnxruntime"
"""The backend that lives in the suite's own environment where it is installed there."""


PROGRAM, STDIO = "exec:", "stdio:"
"""What the name of a program begins with: one that is started for each call, and one that is spoken to."""

CLASS = r"[A-Za-z_][\w.]*:[A-Za-z_]\w*"
"""What names an adapter outside the suite: MODULE:CLASS."""


class BackendError(ValueError):
    """A backend that cannot be tried; the text says which and why."""


@dataclass(frozen=True)
class Declared:
    """What the class of an adapter's file declares, read without importing the runtime."""

    class_name: str
    requirements: tuple[str, ...]
    specifications: tuple[str, ...] = SPECIFICATIONS
    capabilities: tuple[Capability, ...] | None = None
    contexts: tuple[str, ...] = ()
    megabytes: int = 0


@dataclass(frozen=True)
class Backend:
    """What `--backend` named, not started yet.

    named:     as on the command line.
    adapter:   the name of the adapter, "" for one outside the clone.
    reference: path/to/file.py:Class, package.module:Class, the module of an ONNX backend, or the command of a program.
    specifications: patterns of what it can be asked about; None when only the backend itself can tell.
    contexts:  those that it takes; None when only the backend itself can tell.
    given:     what it is called and declares whatever it says of itself: some of "name", "version", "capabilities".
    megabytes: what its environment takes on disk, where that was measured (on x86-64 Linux), else 0.
    """

    named: str
    adapter: str
    reference: str
    requirements: tuple[str, ...] = ()
    python: Path | None = None
    specifications: tuple[str, ...] | None = None
    contexts: tuple[str, ...] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    megabytes: int = 0

    @property
    def download(self) -> str:
        """What making its environment downloads, and how large that is; "" where nothing has to be made."""
        if not self.requirements or is_made(self.adapter, self.requirements):
            return ""
        size = f", {self.megabytes:,} MB on disk with all that it needs" if self.megabytes else ""
        return f"{', '.join(self.requirements)}{size}"

    def declared_contexts(self, memory_limit: int = MEMORY_LIMIT) -> tuple[str, ...]:
        """The contexts that it takes. One whose file cannot be read is started, and says so itself. Raises
        BackendError."""
        if self.contexts is not None:
            return self.contexts
        host = self.start(memory_limit)
        host.close()
        return _contexts(self.named, host.identity.get("contexts", ()))

    def start(self, memory_limit: int = MEMORY_LIMIT) -> Host:
        """A host that is ready, in its environment, which is made when needed. Raises BackendError."""
        try:
            host = self._started(memory_limit)
            self._complete(host)
            return host
        except (StartError, CapabilityError) as error:
            raise BackendError(f"{self.named}: {error}") from None

    def _complete(self, host: Host) -> None:
        """Add to what a host says of itself. Raises CapabilityError."""
        host.identity |= self.given
        read_capabilities(host.identity["capabilities"])
        if re.fullmatch(CLASS, self.reference) and not host.identity["reproduce"]:
            host.identity["reproduce"] = of_class(self.reference)

    def _started(self, memory_limit: int) -> Host:
        if self.named.startswith(PROGRAM):
            return Program(self.reference, memory_limit)
        if self.named.startswith(STDIO):
            return Stdio(self.reference, memory_limit=memory_limit)
        python = environment(self.adapter, self.requirements) if self.requirements else self.python
        return Worker(self.reference, *([python] if python else []), memory_limit=memory_limit)

    def load(self) -> InProcess:
        """The adapter in this process, for one that lives in the suite's own environment and is trusted not to crash.
        Raises BackendError."""
        if self.named.startswith((PROGRAM, STDIO)) or self.requirements or self.python:
            raise BackendError(f"{self.named} cannot run in the process of the suite: it lives outside its environment")
        try:
            host = InProcess(load_adapter(self.reference), self.start)
            self._complete(host)
        except Exception as error:  # whatever an adapter raises when it is imported or asked who it is
            raise BackendError(f"{self.named}: {type(error).__name__}: {error}") from None
        return host


def adapter_names() -> list[str]:
    """The adapters of the clone."""
    return sorted(path.stem.replace("_", "-") for path in ADAPTER_FOLDER.glob("*.py") if not path.stem.startswith("_"))


def find_backend(named: str, python: Path | None = None, *, name: str | None = None, version: str | None = None,
                 capabilities: Any = None) -> Backend:
    """The backend of a name. `python` is the interpreter for a module or class.

    `name` and `version` are what it is called in records, `capabilities` (data as in `backends.capabilities`, which an
    adapter would declare, or the path of a file of YAML or JSON that holds it) what it can be asked, whatever it says
    of itself. Raises BackendError."""
    found, place = _find(named, python), named
    if isinstance(capabilities, Path):
        place = str(capabilities)
        capabilities = _content(capabilities)
    try:
        read_capabilities(capabilities)
    except CapabilityError as error:
        raise BackendError(f"{place}: {error}") from None
    given = {"name": name and one_line(name, NAME), "version": version and one_line(version, NAME),
             "capabilities": capabilities}
    return replace(found, given={key: value for key, value in given.items() if value is not None})


def _content(path: Path) -> Any:
    """What a file of YAML or JSON holds. Raises BackendError."""
    try:
        return load(read_text(path))
    except (OSError, YAMLError) as error:
        raise BackendError(f"{path}: cannot be read: {one_line(getattr(error, 'strerror', None) or error)}") from None


def _find(named: str, python: Path | None) -> Backend:
    for prefix, specifications in ((PROGRAM, SPECIFICATIONS), (STDIO, None)):
        if named.startswith(prefix):
            if python is not None:
                raise BackendError(f"{named}: --python is for a MODULE or MODULE:CLASS; a program brings what it needs")
            return Backend(named, "", named.removeprefix(prefix).strip(), specifications=specifications,
                           contexts=())
    if re.fullmatch(CLASS + r"|[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", named):
        return Backend(named, "", named, python=python)
    name, equals, version = named.partition("==")
    if name not in adapter_names():
        raise BackendError(f"no backend is called {named!r}; there are {', '.join(adapter_names())}, any of them with "
                           "==VERSION; besides package.module:Class, a module of an ONNX backend, exec:COMMAND and "
                           "stdio:COMMAND")
    if equals and not re.fullmatch(r"[0-9][\w.+!-]*", version):
        raise BackendError(f"{named!r}: {version!r} is no version; write {name}==1.2.3")
    path = ADAPTER_FOLDER / f"{name.replace('-', '_')}.py"
    found = read_declared(path)
    reference, requirements = f"{path}:{found.class_name}", found.requirements
    if python is not None and not equals:
        return Backend(named, name, reference, python=python, specifications=found.specifications,
                       contexts=found.contexts)
    if equals:
        requirements = (f"{requirements[0]}=={version}", *requirements[1:])
    elif name == EMBEDDED and importlib.util.find_spec(EMBEDDED) is not None:
        requirements = ()
    return Backend(named, name, reference, requirements, specifications=found.specifications, contexts=found.contexts,
                   megabytes=found.megabytes)


def read_declared(path: Path) -> Declared:
    """What the first class with 'requirements' in an adapter's file declares. Raises BackendError."""
    names = _Names()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        name, value = _assigned(node)
        if value is not None:
            names.given[name] = names.visit(value)
        if isinstance(node, ast.ClassDef):
            values = _literals(path, node, names)
            if "requirements" in values:
                capabilities = values.get("capabilities")
                try:
                    entries = read_capabilities(capabilities)
                except CapabilityError as error:
                    raise BackendError(f"{path.name}: {error}") from None
                return Declared(node.name, tuple(values["requirements"]),
                                tuple(values.get("specifications", SPECIFICATIONS)),
                                None if entries is None else tuple(entries),
                                _contexts(path.name, values.get("contexts", ())),
                                int(values.get("megabytes", 0)))
    raise BackendError(f"{path.name}: no class with 'requirements'")


def _contexts(declared_by: str, names: Iterable[str]) -> tuple[str, ...]:
    """Raises BackendError."""
    try:
        return contexts_named(names)
    except ValueError as error:
        raise BackendError(f"{declared_by}: contexts: {error}") from None


class _Names(ast.NodeTransformer):
    """Puts in place of a name, also behind a star in a list, what the file gave it above."""

    def __init__(self) -> None:
        self.given: dict[str, ast.expr] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        node.elts = [item for element in node.elts for item in (
            element.value.elts if isinstance(element, ast.Starred) and isinstance(element.value, ast.List)
            else [element])]
        return node


def _assigned(line: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
        return line.targets[0].id, line.value
    return "", None


def _literals(path: Path, node: ast.ClassDef, names: _Names) -> dict[str, Any]:
    values = {}
    for line in node.body:
        name, value = _assigned(line)
        if value is not None and name in ("requirements", "specifications", "capabilities", "contexts", "megabytes"):
            try:
                values[name] = ast.literal_eval(names.visit(value))
            except ValueError:
                raise BackendError(f"{path.name}:{line.lineno}: {name} is not written as a literal") from None
    return values
