"""Read and draw equations of Einstein sums."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from plumbline.oracle.operator import Choose

ELLIPSIS = "..."
TOKEN = re.compile(r"[A-Za-z]|\.\.\.|,|->| |.", re.DOTALL)
EQUATIONS = ("ij,jk->ik", "bij,bjk->bik", "i,i->", "ij->ji", "...ii ->...i", "ij->i", "ij,jk,kl->il", "i,j->ij",
             "ij,k->", "bij,kj,bl->bkl", "i,i,i,i->i", "ii", "ij,ij->", "...ij,...jk->...ik", "ba", "aB,Bc",
             "a...,b...->ab...")
"""Equations that are drawn often."""


@dataclass(frozen=True)
class Equation:
    """Lists of letters and ellipses: of each operand, and of the output, None where there is no ``->``."""

    terms: tuple[tuple[str, ...], ...]
    output: tuple[str, ...] | None

    @classmethod
    def of(cls, text: str) -> Equation | None:
        """Read an equation; None where it is malformed."""
        tokens = [token for token in TOKEN.findall(text) if token != " "]
        if not all(token.isalpha() and token.isascii() or token in (ELLIPSIS, ",", "->") for token in tokens):
            return None
        parts: list[list[str]] = [[]]
        for token in tokens:
            if token in (",", "->"):
                parts.append([])
            else:
                parts[-1].append(token)
        marks = [token for token in tokens if token in (",", "->")]
        if "->" in marks[:-1]:
            return None
        terms = tuple(map(tuple, parts))
        return cls(terms[:-1], terms[-1]) if "->" in marks else cls(terms, None)

    @property
    def letters(self) -> list[str]:
        """The letters of the terms, one after another."""
        return [token for term in self.terms for token in term if token != ELLIPSIS]

    @property
    def broadcasts(self) -> bool:
        """True if some term has an ellipsis."""
        return any(ELLIPSIS in term for term in self.terms)

    def implicit(self, order: Any = None) -> tuple[str, ...]:
        """The output-term where none is given."""
        once = sorted((token for token in set(self.letters) if self.letters.count(token) == 1), key=order)
        return (*([ELLIPSIS] if self.broadcasts else []), *once)


def drawn_equation(choose: Choose) -> str:
    """An equation of up to three terms of up to three letters each."""
    terms = ["".join(choose(("i", "j", "k", "B")) for _ in range(choose((2, 1, 3, 0))))
             for _ in range(choose((2, 1, 3), (3, 3, 1)))]
    if choose((False, True), (4, 1)):
        terms = [term + ELLIPSIS if choose((True, False)) else term for term in terms]
    text = choose((",", " , "), (4, 1)).join(terms)
    if choose((True, False)):
        letters = dict.fromkeys(token for term in terms for token in term if token.isalpha())
        in_output = [token for token in letters if choose((True, False))]
        text += "->" + (ELLIPSIS if ELLIPSIS in text else "") + "".join(in_output[::choose((1, -1))])
    return text
