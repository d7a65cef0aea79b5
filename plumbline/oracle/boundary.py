"""Read the inequalities of a clause on one axis, and split them into classes.

A field of a clause: comparisons with commas between them, those for some calls alone behind the words of these calls:

    boundary: k >= 1
    boundary: SAME_UPPER/SAME_LOWER: in % s >= 0; NOTSET floor: ceil((in + b + e - ke) / s) * s < in + b, s <=> ke

Symbols are `in`, `k`, `s`, `d`, `b`, `e`, `ke` and `op`, or `M`, `N` and `K`, as the texts have them. `a >= b` splits
into `a = b` and `a > b`; of integers `a > b` splits into `a = b + 1` and `a > b + 1`; `<=` and `<` likewise;
`a <=> b`, which is no demand, into below, at and above. Everything is computed for whole arrays of axes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import add, floordiv, mod, mul, sub
from typing import Any

Symbols = Mapping[str, Any]
"""An int, or an int array, for each symbol."""

SYMBOLS = ("in", "k", "s", "d", "b", "e", "ke", "op", "M", "N", "K")

SPLITS = {"<=>": (0, "<=>"), ">=": (0, "=>"), "<=": (0, "<="), ">": (1, "=>"), "<": (-1, "<=")}
"""How each comparison splits: what is added to its right side, and the signs of the classes."""

SIGNS = {"<": -1, "=": 0, ">": 1}

OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul,
                                                                   ast.Mod: mod}

Quotient = Callable[[Any, Any], Any]
"""Divides and rounds down; the divisor is positive."""


class BoundaryError(ValueError):
    """A field that cannot be read; the text says why."""


@dataclass(frozen=True)
class Inequality:
    """A comparison, for calls that have one of the words of each set in `when`."""

    text: str
    when: tuple[frozenset[str], ...]
    difference: ast.expr
    signs: str

    def applies(self, words: frozenset[str]) -> bool:
        """Return True if it is about calls with these words, such as NOTSET and floor."""
        return all(words & alternatives for alternatives in self.when)

    def holds(self, sign: str, symbols: Symbols) -> Any:
        """Return True, or a mask, where an axis is of one of the classes."""
        value = self.value(symbols)
        return (value > 0) * 1 - (value < 0) * 1 == SIGNS[sign]

    def value(self, symbols: Symbols, floor: Quotient = floordiv) -> Any:
        """Return what is below, at or above zero for an axis of the class ``<``, ``=`` or ``>``: a number, an array, or
        whatever sums, products, remainders and `floor` of the symbols are."""
        return _value(self.difference, symbols, floor)


def read_boundary(text: str) -> tuple[Inequality, ...]:
    """The inequalities of a field. Raises BoundaryError."""
    found = []
    for group in text.replace("`", "").split(";"):
        words, colon, comparisons = group.rpartition(":")
        when = tuple(frozenset(word.split("/")) for word in words.split()) if colon else ()
        found += [_inequality(comparison.strip(), when) for comparison in comparisons.split(",")]
    return tuple(found)


def _inequality(text: str, when: tuple[frozenset[str], ...]) -> Inequality:
    match = re.fullmatch(r"([^<>=]+)(<=>|>=|<=|>|<)([^<>=]+)", text)
    if match is None:
        raise BoundaryError(f"{text!r} is no comparison with one of {', '.join(SPLITS)}")
    added, signs = SPLITS[match[2]]
    source = re.sub(r"\bin\b", "size", f"({match[1]}) - ({match[3]}) - ({added})")
    try:
        difference = ast.parse(source.strip(), mode="eval").body
        _value(difference, dict.fromkeys(SYMBOLS, 1), floordiv)
    except (SyntaxError, ZeroDivisionError, BoundaryError) as error:
        raise BoundaryError(f"{text!r} cannot be computed: {error.args[0]}") from None
    return Inequality(text, when, difference, signs)


def _value(node: ast.expr, symbols: Symbols, floor: Quotient) -> Any:
    """Evaluate an expression on `symbols` (numbers or arrays, by name); `floor(a, b)` divides and rounds down."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name == "size" or name in symbols:
            return symbols["in" if name == "size" else name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, symbols, floor)
        case ast.Call(func=ast.Name(id="floor"), args=[ast.BinOp(left=left, op=ast.Div(), right=right)]):
            return floor(_value(left, symbols, floor), _value(right, symbols, floor))
        case ast.Call(func=ast.Name(id="ceil"), args=[ast.BinOp(left=left, op=ast.Div(), right=right)]):
            return -floor(-_value(left, symbols, floor), _value(right, symbols, floor))
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in OPERATIONS:
            return OPERATIONS[type(operation)](_value(left, symbols, floor), _value(right, symbols, floor))
    raise BoundaryError(f"{ast.unparse(node)!r} is none of {', '.join(SYMBOLS)}, their sums, products, remainders, "
                        "floor(a / b) and ceil(a / b)")
