"""Judge a model by specifications that are about whole models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch

from plumbline.oracle.answers import Standing
from plumbline.oracle.check.model_file import Model
from plumbline.oracle.check.repair import overall
from plumbline.oracle.check.restrictions import PREDICATES, standing
from plumbline.oracle.clause import SpecError
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.specification import general_texts


@dataclass(frozen=True, eq=False)
class OfModel:
    """A model under one text."""

    text: SpecText
    standings: list[Standing]

    @property
    def standing(self) -> str:
        """The state: ``"inside"``, ``"breaks"`` or ``"undecided"``."""
        return overall(self.standings)

    def those(self, state: str) -> list[Standing]:
        """The clauses that the model breaks, keeps, ..., in the order of the text."""
        return [entry for entry in self.standings if entry.state == state]


def general(patterns: Iterable[str]) -> list[SpecText]:
    """Return the specifications of models that names and globs match.

    Raises SpecError if a clause lacks its predicate, or a predicate its clause."""
    patterns = list(patterns)
    found = [text for name, text in general_texts().items() if any(fnmatch(name, pattern) for pattern in patterns)]
    for text in found:
        stated = {clause.address for clause in text.clauses.values() if clause.judges == "model"}
        bound = {address for address in PREDICATES if address.startswith(f"{text.name}#")}
        if stated != bound:
            raise SpecError(f"{text.path}: clauses and predicates do not match: {', '.join(sorted(stated ^ bound))}")
    return found


def of_model(text: SpecText, model: Model) -> OfModel:
    """Return the state of each clause of a specification for a model."""
    return OfModel(text, [standing(clause.address, model) for clause in text.clauses.values()
                          if clause.judges == "model"])
