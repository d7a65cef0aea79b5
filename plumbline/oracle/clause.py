"""Represent clauses, the tagged statements of a specification, and addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal

from plumbline.oracle.boundary import Inequality
from plumbline.oracle.editions import Edition

TAG = re.compile(r"[RCFUE][1-9][0-9]*")
ADDRESS = re.compile(rf"[^#]+\.{TAG.pattern}")
"""Of a clause inside its specification."""

NAME = re.compile(r"[\w.+-]+/[\w.+-]+(@[0-9]+)?")
"""Of a specification."""

KINDS = {"R": "restriction", "C": "constraint", "F": "function", "U": "unspecified", "E": "erratum"}


class SpecError(ValueError):
    """A specification that cannot be used: the message says file, line and what is wrong."""


@dataclass(frozen=True)
class Versions:
    """The versions of a specification that something holds for, as ranges.

    ranges: first and last version of each; a last of None is the current version.
    """

    ranges: tuple[tuple[int, int | None], ...]

    @classmethod
    @cache
    def parse(cls, text: str) -> Versions:
        """Read ``"8-11"``, ``"22-"``, ``"1"``, or several of these: ``"1-11, 13-"``. Raises ValueError."""
        matches = [re.fullmatch(r"([0-9]+)(?:(-)([0-9]*))?", part.strip()) for part in text.split(",")]
        ranges = [(int(match[1]), int(match[3]) if match[3] else None if match[2] else int(match[1]))
                  for match in matches if match]
        rising = all(before[1] is not None and before[1] < after[0] for before, after in pairwise(ranges))
        if not all(matches) or not rising:
            raise ValueError(f"{text!r} is not of the form 8-11, 22- or 1, nor of rising ranges: 1-11, 13-")
        return cls(tuple(ranges))

    def __and__(self, other: Versions) -> Versions:
        """Return the versions that both hold; their ranges may be none."""
        both = [(max(first, begin), min((end for end in (last, stop) if end is not None), default=None))
                for first, last in self.ranges for begin, stop in other.ranges]
        return Versions(tuple((first, last) for first, last in both if last is None or first <= last))

    def __contains__(self, version: int) -> bool:
        return any(first <= version and (last is None or version <= last) for first, last in self.ranges)

    def __str__(self) -> str:
        return ", ".join(str(first) if first == last else f"{first}-{last or ''}" for first, last in self.ranges)


@dataclass(frozen=True)
class Clause:
    """A statement. `restates` and `implies` hold full addresses of the same specification; `boundary` holds the
    inequalities along one axis on whose two sides it is to be tried; `tags` are those of the source, where it has its
    own; `editions` are the releases that read the specification otherwise, as an E clause says; `page` is the file that
    states it, None for a fact in the front matter."""

    specification: str
    section: str
    tag: str
    title: str
    statement: str
    source: str
    line: int
    judges: Literal["call", "outputs", "model"] | None = None
    restates: str | None = None
    implies: tuple[str, ...] = ()
    derived: str | None = None
    editorial: str | None = None
    versions: Versions | None = None
    boundary: tuple[Inequality, ...] = ()
    tags: tuple[str, ...] = ()
    editions: tuple[Edition, ...] = ()
    page: Path | None = None

    @cached_property
    def local(self) -> str:
        """The address inside its specification: ``pads.C1``."""
        return f"{self.section}.{self.tag}"

    @cached_property
    def address(self) -> str:
        """The full address: ``sonnx/maxpool#pads.C1``."""
        return f"{self.specification}#{self.local}"

    @property
    def kind(self) -> str:
        """The tag's letter in words."""
        return KINDS[self.tag[0]]


def full_address(specification: str, address: str) -> str:
    """Return ``pads.C1`` as an address of `specification`; a full address as it is."""
    return address if "#" in address else f"{specification}#{address}"
