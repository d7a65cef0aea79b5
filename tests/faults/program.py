"""A program of several modules that can be loaded anew with one change, or watched for what each change would alter."""

from __future__ import annotations

import ast
import builtins
import copy
import importlib.util
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.faults.changes import alternatives
from tests.faults.guard import Guard, Watch


@dataclass(frozen=True)
class Change:
    """One change of a program: the node's number in the syntax tree of `module`, and which of its replacements.

    place:      the function or the constant of the module that it is in.
    occurrence: how many times the same change was possible in that place before.
    """

    module: str
    node: int
    choice: int
    kind: str
    line: int
    column: int
    text: str
    place: str = ""
    occurrence: int = 0

    def __str__(self) -> str:
        """Name the change without its line, so that the name stays where code moves."""
        name = f"{self.module.rpartition('plumbline.oracle.')[2]} {self.place} {self.kind}: {self.text}"
        return f"{name} ({self.occurrence + 1})" if self.occurrence else name


class Program:
    """The module `root` with those modules below the same `packages` that it uses, in the order of their imports."""

    def __init__(self, root: str, packages: Sequence[str], entry: str) -> None:
        self.packages, self.entry, self.root = tuple(packages), entry, root
        self.sources: dict[str, str] = {}
        self._replacements: dict[tuple[str, int, int], ast.AST] = {}
        self._collect(root)
        self._codes = {name: self._compiled(ast.parse(source), name) for name, source in self.sources.items()}

    def _collect(self, name: str) -> None:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None, name
        source = Path(spec.origin).read_text(encoding="utf-8")
        for imported in _imports(ast.parse(source)):
            if imported.startswith(self.packages) and imported not in self.sources and _is_module(imported):
                self._collect(imported)
        self.sources.setdefault(name, source)

    @cached_property
    def changes(self) -> list[Change]:
        """Every change of what the entry reaches, in the order of the text, module by module."""
        reached = self._reached()
        found = []
        for name, source in self.sources.items():
            tree = ast.parse(source)
            inside = {id(inner) for node in tree.body if reached[name] is None or _names(node) & reached[name]
                      for inner in ast.walk(node)}
            places = _places(tree)
            count: dict[int, int] = {}
            for number, node, (kind, changed) in alternatives(tree):
                choice = count[number] = count.get(number, -1) + 1
                if id(node) in inside:
                    self._replacements[name, number, choice] = changed
                    new = "dropped" if isinstance(changed, ast.Pass) else ast.unparse(changed)
                    text = f"{ast.unparse(node)} -> {new}"
                    found.append(Change(name, number, choice, kind, getattr(node, "lineno", 0),
                                        getattr(node, "col_offset", 0), text, places.get(id(node), "")))
        found.sort(key=lambda change: (list(self.sources).index(change.module), change.line, change.column))
        before = Counter[str]()
        for number, change in enumerate(found):
            found[number] = replace(change, occurrence=before[str(change)])
            before[str(change)] += 1
        return found

    def _reached(self) -> dict[str, set[str] | None]:
        """By module the names of the functions and constants that the entry uses; None for all of them."""
        found: dict[str, set[str] | None] = {name: set() for name in self.sources}
        trees = {name: ast.parse(source) for name, source in self.sources.items()}
        pending = [(self.root, self.entry.partition(".")[0])]
        while pending:
            module, name = pending.pop()
            known = found[module]
            if known is None or name in known:
                continue
            known.add(name)
            for node in trees[module].body:
                if isinstance(node, ast.ImportFrom) and node.module is not None:
                    for alias in node.names:
                        if (alias.asname or alias.name) == name and node.module in found:
                            pending.append((node.module, alias.name))
                        elif (alias.asname or alias.name) == name and f"{node.module}.{alias.name}" in found:
                            found[f"{node.module}.{alias.name}"] = None
                elif name in _names(node):
                    pending += [(module, inner.id) for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        return found

    def load(self, guard: Guard, change: Change | None = None) -> Callable[..., Any]:
        """The entry of the program, loaded anew, with a change where one is given."""
        codes = self._codes
        if change is not None:
            tree = ast.parse(self.sources[change.module])
            target = next(islice(ast.walk(tree), change.node, None))
            replacement = copy.deepcopy(self._replacements[change.module, change.node, change.choice])
            tree = _Replacing({id(target): replacement}).visit(tree)
            codes = {**codes, change.module: self._compiled(tree, change.module)}
        return self._entry(codes, guard, Watch())

    def watched(self, guard: Guard, watch: Watch, chosen: Collection[int]) -> Callable[..., Any]:
        """The right program, which tells `watch` what some changes alter, by their places in `changes`."""
        codes, numbers = {}, {(change.module, change.node, change.choice): number
                              for number, change in enumerate(self.changes) if number in chosen}
        for name, source in self.sources.items():
            tree = ast.parse(source)
            watches: dict[int, list[tuple[int, ast.AST]]] = {}
            count: dict[int, int] = {}
            for number, node, made in alternatives(tree):
                choice = count[number] = count.get(number, -1) + 1
                if (name, number, choice) in numbers:
                    watches.setdefault(id(node), []).append((numbers[name, number, choice], made.node))
            codes[name] = self._compiled(_Watching(watches).visit(tree), name)
        watch.alive, watch.altered = set(chosen), set()
        entry = self._entry(codes, guard, watch)
        watch.always, watch.altered = watch.altered, set()
        return entry

    def _compiled(self, tree: ast.Module, name: str) -> Any:
        return compile(ast.fix_missing_locations(_Guarded().visit(tree)), f"<{name}>", "exec", dont_inherit=True)

    def _entry(self, codes: dict[str, Any], guard: Guard, watch: Watch) -> Callable[..., Any]:
        loaded: dict[str, ModuleType] = {}

        def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            for part in fromlist or ():
                if f"{name}.{part}" in loaded:  # a module of the program, out of its package
                    return _Package({part: loaded[f"{name}.{part}"] for part in fromlist})
            return loaded[name] if name in loaded else builtins.__import__(name, globals, locals, fromlist, level)

        guard.steps, guard.limit = 0, 1 << 20
        for name, code in codes.items():
            module = loaded[name] = ModuleType(name)
            vars(module).update({  # with a dot, so that no module can define these names
                "__builtins__": {**vars(builtins), "__import__": importing}, "guard.step": guard.step,
                "guard.power": guard.power, "guard.shift": guard.shift, "guard.blank": guard.blank,
                "watch.value": watch.value, "watch.reached": watch.reached})
            exec(code, vars(module))
        found: Any = loaded[self.root]
        for part in self.entry.split("."):
            found = getattr(found, part)
        return found


class _Package:
    def __init__(self, names: dict[str, ModuleType]) -> None:
        vars(self).update(names)


class _Replacing(ast.NodeTransformer):
    def __init__(self, replacements: dict[int, ast.AST]) -> None:
        self.replacements = replacements

    def visit(self, node: ast.AST) -> Any:
        return self.replacements.get(id(node)) or self.generic_visit(node)


class _Watching(ast.NodeTransformer):
    """Hands each expression with replacements, and the number of each statement that is dropped, to the watch."""

    def __init__(self, watches: dict[int, list[tuple[int, ast.AST]]]) -> None:
        self.watches = watches

    def visit(self, node: ast.AST) -> Any:
        watches = self.watches.get(id(node), [])
        if isinstance(node, ast.Expr):  # called for its effect, which must not come twice
            watches = [*watches, *self.watches.pop(id(node.value), [])]
        made: Any = self.generic_visit(node)
        if not watches:
            return made
        if isinstance(node, ast.stmt):
            return [ast.Expr(_call("watch.reached", *(ast.Constant(number) for number, _ in watches))), made]
        others = [ast.Tuple([ast.Constant(number), ast.Lambda(_no_arguments(), other)], ast.Load())
                  for number, other in watches]
        return _call("watch.value", made, *others)


class _Guarded(ast.NodeTransformer):
    """Counts the steps of loops, and bounds powers, shifts and blank arrays."""

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        match node:
            case ast.For() | ast.While():
                node.body.insert(0, ast.Expr(_call("guard.step")))
            case ast.comprehension():
                node.ifs.insert(0, _call("guard.step"))
            case ast.BinOp(op=ast.Pow()):
                return _call("guard.power", node.left, node.right)
            case ast.BinOp(op=ast.LShift()):
                return _call("guard.shift", node.left, node.right)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="empty")):
                node.func = ast.Name("guard.blank", ast.Load())
        return node


def _call(name: str, *arguments: Any) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_module(name: str) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None and not spec.origin.endswith("__init__.py")


def _places(tree: ast.Module) -> dict[int, str]:
    """The function, method or constant of the module that each node is in, by the node's id."""
    found: dict[int, str] = {}

    def enter(nodes: Sequence[ast.stmt], outer: str) -> None:
        for node in nodes:
            name = ".".join(filter(None, (outer, *sorted(_names(node))[:1])))
            found.update((id(inner), name) for inner in ast.walk(node))
            if isinstance(node, ast.ClassDef):
                enter(node.body, name)

    enter(tree.body, "")
    return found


def _names(node: ast.stmt) -> set[str]:
    """What a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
