"""Choose among published editions of ONNX that read a specification differently."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from packaging.version import InvalidVersion, Version

VARIABLE = "PLUMBLINE_EDITION"
SOURCES = {"text": "text", "test": "official test", "inference": "shape inference"}


def chosen_edition() -> str:
    """Return the release that PLUMBLINE_EDITION names; "" where every published edition counts."""
    return os.environ.get(VARIABLE, "")


def choose_edition(release: str) -> Callable[[], None]:
    """Let a release alone count, in this process and those that it starts; return what undoes that."""
    return set_variable(VARIABLE, release)


def set_variable(name: str, value: str) -> Callable[[], None]:
    """Set a variable of the environment; return what undoes that."""
    before = os.environ.get(name)
    os.environ[name] = value

    def undo() -> None:
        os.environ.pop(name)
        os.environ.update({} if before is None else {name: before})
    return undo


@dataclass(frozen=True)
class Edition:
    """The releases from `first` to `last` whose `source` has a reading."""

    source: Literal["text", "test", "inference"]
    first: str
    last: str

    @classmethod
    def parse(cls, text: str) -> Edition:
        """Read ``"text 1.16.0-1.16.2"`` or ``"test 1.17.0"``. Raises ValueError."""
        match = re.fullmatch(rf"({'|'.join(SOURCES)}) ([0-9.]+)(?:-([0-9.]+))?", text)
        try:
            if match is None or Version(match[2]) > Version(match[3] or match[2]):
                raise ValueError
        except (InvalidVersion, ValueError):
            raise ValueError(f"{text!r} is not of the form text 1.16.0-1.16.2, test 1.17.0 or inference "
                             "1.16.0-1.16.2") from None
        source: Any = match[1]
        return cls(source, match[2], match[3] or match[2])

    def __contains__(self, release: str) -> bool:
        return bool(release) and Version(self.first) <= Version(release) <= Version(self.last)

    def __str__(self) -> str:
        releases = self.first if self.first == self.last else f"{self.first} to {self.last}"
        return f"{SOURCES[self.source]} of onnx {releases}"


def in_words(editions: tuple[Edition, ...]) -> str:
    """Return one line on the releases that read a specification otherwise."""
    return f"read otherwise by the {', the '.join(map(str, editions))}"


def decides(editions: tuple[Edition, ...], release: str) -> bool:
    """Return whether in that release the text or an official test has the reading: it alone then counts. Where only
    shape inference has it, the release contradicts itself and both readings count."""
    return any(release in edition for edition in editions if edition.source != "inference")


def counts(editions: tuple[Edition, ...], release: str) -> bool:
    """Return whether the reading counts, for a release or, where none is named, for any."""
    return not release or any(release in edition for edition in editions)
