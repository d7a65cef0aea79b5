"""Derive clause, predicate and shape of an output from a formula.

Under the key `shapes` the front matter maps the address of a clause to the input, or the other output, whose shape the
output has, such as ``X``, or to sizes in terms of those of an input and of attributes: ``(N, C / blocksize) of input
(N, C)``.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from plumbline.oracle.answers import Wrong
from plumbline.oracle.call import is_of
from plumbline.oracle.clause import Clause
from plumbline.oracle.predicates import Predicate
from plumbline.oracle.response import Response, wrong_shape

SIZES = re.compile(r"(\(.{0,200}\)) of (\w+) (\([\w, ]*\))")

OPERATIONS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: lambda size, by: size // by if by else 0}
"""A quotient is one without a rest, as clauses on calls require."""


@dataclass(frozen=True)
class ShapeFormula:
    """A formula of the shape of an output. Raises ValueError, and SyntaxError, for no formula.

    address: of its clause in the specification, "Y.C1".
    text:    the formula, "X" or "(N, 1) of X (N, C)".
    """

    address: str
    text: str

    def __post_init__(self) -> None:
        """Raise unless `text` is a formula."""
        assert self._sizes is not None

    @property
    def output(self) -> str:
        """The name of the output."""
        return self.address.rpartition(".")[0]

    @cached_property
    def _sizes(self) -> tuple[ast.expr, ...]:
        """Expressions of the sizes; () where the shape is that of an input or output."""
        if self.text.isidentifier():
            return ()
        match = SIZES.fullmatch(self.text)
        listed = match[1][1:-1].strip() if match else ""
        tree = ast.parse(f"({listed},)" if listed else "()" if match else "0", mode="eval").body
        if not isinstance(tree, ast.Tuple) or not all(map(_is_size, tree.elts)):
            raise ValueError(f"{self.address}: {self.text!r} is neither an input, such as X, nor sizes, such as (N, 1) "
                             "of X (N, C)")
        return tuple(tree.elts)

    def of(self, definition: Any) -> tuple[int, ...]:
        """Return the shape of the output of a call (`definition`: an Operator)."""
        match = SIZES.fullmatch(self.text)
        if match is None:
            of_input = definition.inputs.get(self.text)
            return definition.shape_of(self.text) if of_input is None else tuple(of_input.shape)
        known = dict(zip(re.findall(r"\w+", match[3]), definition.inputs[match[2]].shape, strict=True))
        return tuple(_value(size, lambda name: known[name] if name in known else definition.attribute(name))
                     for size in self._sizes)

    def clause(self, specification: str) -> Clause:
        """Return the clause that states the shape, for the text of a `specification` ("onnx/relu@14")."""
        shape = SIZES.sub(r"`\1`, where \2 has `\3`", self.text) if self._sizes else f"of {self.text}"
        return Clause(specification, self.output, self.address.rpartition(".")[2], "Shape",
                      f"{self.output} has the shape {shape}.", "Summary; Outputs", 1, judges="outputs")

    def predicate(self) -> Predicate:
        """Return the predicate that decides the clause."""
        def wrong(definition: Any, response: Response) -> Wrong | None:
            named = [name for name in response.asked if is_of(name, self.output)]
            return next(filter(None, (wrong_shape(response, name) for name in named)), None)
        return Predicate("outputs", self.address, wrong)


def _is_size(size: ast.expr) -> bool:
    if isinstance(size, ast.BinOp):
        return type(size.op) in OPERATIONS and _is_size(size.left) and _is_size(size.right)
    return isinstance(size, ast.Name) or isinstance(size, ast.Constant) and type(size.value) is int


def _value(size: ast.expr, known: Callable[[str], int]) -> int:
    if isinstance(size, ast.BinOp):
        return OPERATIONS[type(size.op)](_value(size.left, known), _value(size.right, known))
    return known(size.id) if isinstance(size, ast.Name) else int(getattr(size, "value", 0))
