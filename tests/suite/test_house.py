"""The package's imports run one way: between rooms, between their floors, and without a circle."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from plumbline.data import PACKAGE
from plumbline.oracle.predicates import UNBOUND, Predicate

ORDER = (
    "data", "processes",
    "oracle", "oracle.reference", "oracle.families", "oracle.operators", "oracle.check",
    "cases.format", "cases.onnx.models", "cases.generate", "cases.onnx", "cases.corpus", "cases.documents", "cases",
    "backends", "backends.adapters",
    "trial.record", "trial.editions", "trial.known", "trial.run", "trial.campaign", "trial.tools",
    "trial.model", "trial.accuracy", "trial",
    "reports", "commands", "conformance", "",
)
"""Folders (and modules at the top, or before their folder), each importing itself and those before it.

A room's `__init__` stands last."""


def module_name(path: Path) -> str:
    """The dotted name of a module inside the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports anywhere, functions included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names |= {alias if (alias := f"{node.module}.{name.name}").removeprefix("plumbline.") in MODULES
                      else str(node.module) for name in node.names}
    return {name.removeprefix("plumbline").removeprefix(".") for name in names if name.split(".")[0] == "plumbline"}


@cache
def graph() -> dict[str, set[str]]:
    """The modules of the package that each module imports, read when the first test asks for them."""
    return {name: imports(path) & set(MODULES) for name, path in MODULES.items()}


def place(name: str) -> int:
    """The position in ORDER of the longest folder that a module stands in."""
    if "." in name or name in ("data", "__main__") or not MODULES[name].name == "__init__.py":
        return max((ORDER.index(folder) for folder in ORDER if f"{name}.".startswith(f"{folder}.")),
                   key=lambda number: len(ORDER[number]), default=ORDER.index(""))
    return ORDER.index(name)


def test_no_module_imports_itself_through_others() -> None:
    """Late imports are counted."""
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_folders_import_only_those_before_them() -> None:
    """In the order of ORDER."""
    wrong = [f"{name} imports {imported}" for name, targets in graph().items() for imported in targets
             if place(imported) > place(name)]
    assert wrong == []


def test_references_are_independent_of_what_they_check() -> None:
    """Reference oracles import calls, each other, and nothing of definitions, families or judging."""
    allowed = ("oracle.reference", "oracle.call")
    wrong = [f"{name} imports {imported}" for name, targets in graph().items() if name.startswith("oracle.reference")
             for imported in targets if not imported.startswith(allowed) and imported != "oracle"]
    assert wrong == []


def test_the_reading_counts_imports() -> None:
    """Guard: the graph is not empty."""
    assert len(graph()) > 400 and sum(map(len, graph().values())) > 1_500


def test_families_bind_no_address() -> None:
    """A predicate of a base class gets its address from the definitions that have it; none is unbound with None."""
    wrong, counted = [], 0
    for name in graph():
        if name.startswith(("oracle.families.", "oracle.operators.")):
            module = importlib.import_module(f"plumbline.{name}")
            for value in vars(module).values():
                for method, entry in vars(value).items() if isinstance(value, type) else ():
                    inherited = isinstance(value, type) and any(
                        isinstance(vars(base).get(method), Predicate) for base in value.__mro__[1:])
                    counted += isinstance(entry, Predicate)
                    if name.startswith("oracle.families.") and isinstance(entry, Predicate) and entry.clause != UNBOUND:
                        wrong.append(f"{name}.{value.__name__}.{method} is bound to {entry.clause}")
                    if inherited and entry is None:
                        wrong.append(f"{name}.{value.__name__}.{method} unbinds a predicate with None")
    assert counted > 800 and wrong == []
