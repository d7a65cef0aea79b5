"""Read what adapters and programs declare, without running them.

An adapter is a class in adapters/NAME.py; a program of `stdio:` is declared by adapters/NAME.yaml.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.backends.capabilities import Capability, CapabilityError, read_capabilities
from plumbline.backends.environments import NPM
from plumbline.backends.foreign_text import one_line
from plumbline.backends.scripts import of_node, of_page
from plumbline.backends.worker import SPECIFICATIONS
from plumbline.cases.onnx.contexts import contexts_named
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import YAMLError, load

ADAPTER_FOLDER = Path(__file__).resolve().parent / "adapters"


class BackendError(ValueError):
    """A backend that cannot be tested; the text says which and why."""


@dataclass(frozen=True)
class Declared:
    """Declarations in an adapter's file, read without importing the runtime."""

    class_name: str
    """The class, or the provider of a program."""
    requirements: tuple[str, ...]
    specifications: tuple[str, ...] = SPECIFICATIONS
    capabilities: tuple[Capability, ...] | None = None
    contexts: tuple[str, ...] = ()
    megabytes: int = 0
    program: Mapping[str, Any] = field(default_factory=dict)
    """For a program, what its host is told: `Stdio.declared`."""
    providers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By execution provider the packages of an environment that has it."""
    configurations: tuple[str, ...] = ()
    """The names of ways to configure the runtime."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """By configuration the threads of a program."""
    in_browser: bool = False
    """A browser runs a few calls a second: too slow to be tested unless it is named."""


def adapter_names() -> list[str]:
    """Return the names of the suite's adapters."""
    return sorted(path.stem.replace("_", "-") for path in ADAPTER_FOLDER.iterdir()
                  if path.suffix in (".py", ".yaml") and not path.stem.startswith("_"))


def declared_by(name: str) -> Declared:
    """Return the declarations of an adapter of the suite."""
    return read_declared(adapter_file(name))


def adapter_file(name: str) -> Path:
    """Return the file of an adapter of the suite."""
    path = ADAPTER_FOLDER / f"{name}.yaml"
    return path if path.exists() else ADAPTER_FOLDER / f"{name.replace('-', '_')}.py"


def content_of(path: Path) -> Any:
    """Return the content of a YAML or JSON file. Raises BackendError."""
    try:
        return load(read_text(path))
    except (OSError, YAMLError) as error:
        raise BackendError(f"{path}: cannot be read: {one_line(getattr(error, 'strerror', None) or error)}") from None


def _program(path: Path) -> Declared:
    """Return the declarations of a program. Raises BackendError."""
    content = content_of(path)
    like = declared_by(content["like"]) if "like" in content else None
    specifications = tuple(content.get("specifications", SPECIFICATIONS))
    capabilities = content.get("capabilities")
    entries = read_capabilities(capabilities) if capabilities is not None else like.capabilities if like else None
    package, provider = content["npm"], content["provider"]
    reproduce = {"node": of_node, "page": of_page}[content["runs_in"]](package, provider)
    threads = content.get("threads", {})
    return Declared(provider, (NPM + package,), specifications, None if entries is None else tuple(entries),
                    megabytes=content["megabytes"], in_browser=content["runs_in"] == "page",
                    configurations=tuple(threads), threads=threads,
                    program={"name": path.stem, "specifications": specifications, "reproduce": reproduce,
                             "not_implemented": content["not_implemented"],
                             "capabilities": entries and [entry.model_dump(exclude_defaults=True)
                                                          for entry in entries]})


def read_declared(path: Path) -> Declared:
    """Return the declarations of a YAML file, or of the first class with 'requirements' in a Python file.

    Raises BackendError."""
    if path.suffix == ".yaml":
        return _program(path)
    names = _Names()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        name, value = _assigned(node)
        if value is not None:
            names.values[name] = names.visit(value)
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
                                contexts_of(path.name, values.get("contexts", ())),
                                int(values.get("megabytes", 0)), providers=values.get("providers", {}),
                                configurations=tuple(values.get("configurations", ())))
    raise BackendError(f"{path.name}: no class with 'requirements'")


def contexts_of(declared_by: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of contexts. Raises BackendError."""
    try:
        return contexts_named(names)
    except ValueError as error:
        raise BackendError(f"{declared_by}: contexts: {error}") from None


class _Names(ast.NodeTransformer):
    """Replaces names by their values, also behind a star in a list."""

    def __init__(self) -> None:
        self.values: dict[str, ast.expr] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        node.elts = [item for element in node.elts for item in (
            element.value.elts if isinstance(element, ast.Starred) and isinstance(element.value, ast.List)
            else [element])]
        return node


def _assigned(line: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
        return line.targets[0].id, line.value
    if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
        return line.target.id, line.value
    return "", None


def _literals(path: Path, node: ast.ClassDef, names: _Names) -> dict[str, Any]:
    values = {}
    for line in node.body:
        name, value = _assigned(line)
        if value is not None and name in ("requirements", "specifications", "capabilities", "contexts", "megabytes",
                                           "providers", "configurations"):
            try:
                values[name] = ast.literal_eval(names.visit(value))
            except ValueError:
                raise BackendError(f"{path.name}:{line.lineno}: {name} is not written as a literal") from None
    return values
