"""Find the specifications that a selection by name can reach.

That saves generating cases of others. Names of results are `BACKEND::SPECIFICATION::ID[OUTPUTS]`. In doubt a word
counts as a part of one: a specification too many costs time, one too few would lose results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from plumbline.cases.format.case import MADE
from plumbline.cases.format.loader import case_places, files_about
from plumbline.cases.format.variants import possible_ids
from plumbline.cases.format.withdrawn import withdrawn
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle.files import read_text
from plumbline.oracle.specification import outputs_of, spec_names

Matcher = Callable[[str], bool]
"""Tells whether a word is a part of a name."""

WORD = re.compile(r"(?:(?P<lead>.*)::)?(?P<id>[^:\[\]/]*)(?P<context>/[^\[\]:]*)?(?P<form>[\[\]].*)?", re.S)
"""A part of a name, split at the marks between specification, id, context and outputs."""

TAIL = re.compile(r"[\w.+-]*")
"""What follows."""

BRANCHES = 8
"""Words of an expression that are tried both ways; beyond these every specification is taken to be reached."""


@dataclass(frozen=True)
class Selection:
    """The results that a command line selects by name.

    ids:      node ids of single results; () for all.
    keyword:  the expression of -k, "" for none.
    evaluate: tells whether the expression holds where a matcher says which words occur.
    fixed:    parts of every name, such as the names of backends.
    """

    ids: Sequence[str] = ()
    keyword: str = ""
    evaluate: Callable[[Matcher], bool] = field(default=lambda matcher: True)
    fixed: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.ids or self.keyword)

    def reaches(self, spec_name: str, generated: bool) -> bool:
        """True unless no generated case, or no written one, of a specification can be selected."""
        if self.ids and not any(f"::{spec_name}::" in name for name in self.ids):
            return False
        return self._can_hold(lambda word: self._may_occur(word.lower(), spec_name, generated), {})

    def _can_hold(self, may_occur: Matcher, decided: Mapping[str, bool]) -> bool:
        """True if the expression holds for some choice of the words that may occur and are not `decided`."""
        undecided: list[str] = []

        def matcher(word: str) -> bool:
            if word not in decided and may_occur(word):
                undecided.append(word)
            return decided.get(word, word in undecided)

        if self.evaluate(matcher) or len(decided) >= BRANCHES:
            return True
        return bool(undecided) and any(self._can_hold(may_occur, {**decided, undecided[0]: choice})
                                       for choice in (False, True)[:len(undecided)])

    def _may_occur(self, word: str, spec_name: str, generated: bool) -> bool:
        """Return True unless a word is certainly no part of a result's name.

        word:      in lower case.
        generated: whether names of generated or of hand-written cases of the specification are meant."""
        before = [f"{fixed}::{spec_name}::".lower() for fixed in self.fixed]
        if any(word in text for text in before):
            return True
        parts = WORD.fullmatch(word)
        if parts is None or not parts["id"]:
            return True
        lead, piece, context, form = parts["lead"], parts["id"], parts["context"], parts["form"] or ""
        if lead is not None and not any(text.endswith(f"{lead}::") for text in before):
            return False
        if context is not None and not any(name.startswith(context[1:]) for name in contexts()):
            return False
        outputs = "+".join(outputs_of(spec_name)).lower()
        if lead is None and context is None and (piece in outputs or any(piece in name for name in contexts())):
            return True
        if form.startswith("]"):
            return False
        ended = bool(context or form)
        if not generated:
            whole = ("" if lead is None else r"(?<![\w.+-])", re.escape(piece), r"(?![\w.+-])" if ended else "")
            return re.search("".join(whole), _files_about(spec_name, tuple(case_places()))) is not None
        if lead is None:
            return TAIL.fullmatch(piece) is not None
        return any(piece.startswith(kind) or kind.startswith(piece) and not ended
                   for kind in (*MADE, *map(str.lower, withdrawn(spec_name))))


@cache
def _files_about(spec_name: str, places: tuple[Path, ...]) -> str:
    """Return the ids, in lower case, that files in these places may have which hold cases of a specification."""
    return "\n".join(map(_ids, _files(places)[spec_name]))


@cache
def _files(places: tuple[Path, ...]) -> dict[str, list[Path]]:
    names = spec_names()
    return dict(zip(names, files_about([[name] for name in names]), strict=True))


@cache
def _ids(file: Path) -> str:
    try:
        return "\n".join(possible_ids(read_text(file))).lower()
    except OSError:
        return ""  # the run says what is wrong with it
