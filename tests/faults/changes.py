"""The kinds of change that make a faulty program of a right one, as replacements in its syntax tree.

The list is fixed: whatever a kind applies to is changed, in every program alike. `strict=True` of `zip` is the only
constant that is left alone: Python defines that it changes no result.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,)}
"""The comparison that differs on equal numbers, and the opposite one."""

SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}

ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
"""Operators whose operands do not commute."""

OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor",
             "minimum": "maximum", "maximum": "minimum", "argmax": "argmin", "argmin": "argmax"}


class Alternative(NamedTuple):
    """What a node may be replaced by; `kind` names the entry of the list that does so."""

    kind: str
    node: ast.AST


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    made = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def expressions(node: ast.expr, is_condition: bool) -> Iterator[Alternative]:
    """The replacements of an expression that is evaluated."""
    if is_condition:
        yield from (Alternative("branch", ast.Constant(value)) for value in (True, False))
    match node:
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                for replacement in COMPARISONS[type(operator)]:
                    ops = [*node.ops[:place], replacement(), *node.ops[place + 1:]]
                    yield Alternative("comparison", _changed(node, ops=ops))
        case ast.Constant(value=bool(value)):
            yield Alternative("constant", ast.Constant(not value))
        case ast.Constant(value=int(value) | float(value)):
            yield from (Alternative("constant", ast.Constant(value + step)) for step in (1, -1))
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
            yield Alternative("sign", copy.deepcopy(node.operand))
        case ast.BinOp():
            for kind, table in (("sign", SIGNS), ("operator", OPERATORS)):
                if type(node.op) in table:
                    yield Alternative(kind, _changed(node, op=table[type(node.op)]()))
            if isinstance(node.op, ORDERED):
                yield Alternative("operand", _changed(node, left=node.right, right=node.left))
            yield from (Alternative("operand", copy.deepcopy(alone)) for alone in (node.left, node.right))
        case ast.BoolOp():
            yield Alternative("operator", _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And()))
            for place in range(len(node.values)):
                rest = [value for number, value in enumerate(node.values) if number != place]
                yield Alternative("operand", _changed(node, values=rest) if len(rest) > 1 else copy.deepcopy(rest[0]))
        case ast.Call():
            yield from _of_call(node)
        case ast.Subscript(ctx=ast.Load()):
            yield from _of_slices(node)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            for place, generator in enumerate(node.generators):
                if generator.ifs:
                    generators = [*node.generators]
                    generators[place] = _changed(generator, ifs=[])  # type: ignore[call-overload]
                    yield Alternative("branch", _changed(node, generators=generators))


def _of_call(node: ast.Call) -> Iterator[Alternative]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name in OPPOSITES:
        field = "id" if isinstance(node.func, ast.Name) else "attr"
        yield Alternative("bound", _changed(node, func=_changed(node.func, **{field: OPPOSITES[name]})))
    if name == "range" and not any(isinstance(argument, ast.Starred) for argument in node.args):
        start, stop = node.args[:2] if len(node.args) > 1 else (ast.Constant(0), node.args[0])
        for first, last in ((_plus(start, 1), stop), (start, _plus(stop, -1)), (start, _plus(stop, 1))):
            yield Alternative("bound", _changed(node, args=[first, last, *node.args[2:]]))
    elif len(node.args) == 2 and not any(isinstance(argument, ast.Starred) for argument in node.args):
        yield Alternative("operand", _changed(node, args=node.args[::-1]))


def _of_slices(node: ast.Subscript) -> Iterator[Alternative]:
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    for place, part in enumerate(parts):
        for field in ("lower", "upper") if isinstance(part, ast.Slice) else ():
            bound = getattr(part, field)
            for value in (None, *(_plus(bound, step) for step in (1, -1))) if bound is not None else ():
                changed = [*parts[:place], _changed(part, **{field: value}), *parts[place + 1:]]
                whole = _changed(node.slice, elts=changed) if isinstance(node.slice, ast.Tuple) else changed[0]
                yield Alternative("bound", _changed(node, slice=whole))


def _plus(node: ast.expr, step: int) -> ast.expr:
    return ast.BinOp(copy.deepcopy(node), ast.Add(), ast.Constant(step))


def statements(node: ast.stmt, assigned: set[str]) -> Iterator[Alternative]:
    """The replacements of a statement: that it is dropped. An assignment is, where the name has a value before it;
    without one the program would only stop."""
    match node:
        case ast.AugAssign() | ast.Continue() | ast.Break() | ast.Raise() | ast.Expr(value=ast.Call()):
            yield Alternative("statement", ast.Pass())
        case ast.Assign(targets=targets) if all(_has_value(target, assigned) for target in targets):
            yield Alternative("statement", ast.Pass())


def _has_value(target: ast.expr, assigned: set[str]) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_has_value(part, assigned) for part in target.elts)
    return isinstance(target, ast.Subscript) or (isinstance(target, ast.Name) and target.id in assigned)


def alternatives(tree: ast.Module) -> Iterator[tuple[int, ast.AST, Alternative]]:
    """Every replacement in a module: the node's number in `ast.walk`, the node, and what replaces it."""
    conditions, passed = set[int](), _unevaluated(tree)
    for node in ast.walk(tree):
        conditions |= {id(test) for test in (getattr(node, "test", None), *getattr(node, "ifs", ())) if test}
    assigned = _assigned_before(tree)
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in passed:
            continue
        if isinstance(node, ast.expr):
            made = expressions(node, id(node) in conditions)
        else:
            made = statements(node, assigned.get(id(node), set())) if isinstance(node, ast.stmt) else iter(())
        yield from ((number, node, alternative) for alternative in made)


def _unevaluated(tree: ast.Module) -> set[int]:
    """Annotations, parts of f-strings, targets of assignments and `strict` of `zip`."""
    passed: list[ast.AST] = []
    for node in ast.walk(tree):
        passed += [part for name in ("annotation", "returns") if (part := getattr(node, name, None)) is not None]
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            passed.append(node)
    return {id(inner) for node in passed for inner in ast.walk(node)}


def _assigned_before(tree: ast.Module) -> dict[int, set[str]]:
    """By assignment, the names of its function that are parameters or assigned on an earlier line."""
    found: dict[int, set[str]] = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
            stores = [node for node in ast.walk(function) if isinstance(node, ast.Name | ast.Assign)]
            for node in sorted(stores, key=lambda node: (node.lineno, isinstance(node, ast.Name))):
                if isinstance(node, ast.Assign):
                    found[id(node)] = set(names)
                elif isinstance(node.ctx, ast.Store):
                    names.add(node.id)
    return found
