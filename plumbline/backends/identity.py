"""A backend's description of itself: name, version, capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from plumbline.backends.foreign_text import NAME, SCRIPT, one_line, plain


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A backend's description of itself, safe to print.

    about:              what else describes it: provider, build, device.
    reproduce, reproduce_as_set: Python lines that reports offer to copy; "" where there are none.
    specifications:     patterns of the specifications that it can be asked about.
    capabilities:       its declaration as data (`backends.capabilities`); None where it declares everything.
    contexts:           the contexts that it takes.
    batch:              how many calls it takes at once.
    not_implemented:    texts in messages that mark a kernel as missing.
    address_limit:      whether the addresses of its process may be limited.
    python, numpy:      versions in its environment, "none" for a program.
    memory_limit:       mebibytes, None where nothing limits it.
    """

    name: str
    version: str
    about: dict[str, str] = field(default_factory=dict)
    reproduce: str = ""
    reproduce_as_set: str = ""
    specifications: list[str]
    capabilities: Any = None
    contexts: list[str] = field(default_factory=list)
    batch: int = 1
    not_implemented: list[str] = field(default_factory=list)
    address_limit: bool = False
    python: str = "none"
    numpy: str = "none"
    memory_limit: int | None = None

    @classmethod
    def read(cls, data: Mapping[str, Any], memory_limit: int | None = None) -> Identity:
        """Return the identity that a backend sent.

        data:         its JSON, by the names of the fields.
        memory_limit: mebibytes, None for no limit.

        Lines of a script are kept only when they are whole. Raises LookupError, TypeError, AttributeError or ValueError
        for data that cannot be read."""
        return cls(
            name=one_line(data["name"], NAME), version=one_line(data["version"], NAME),
            about={one_line(key, NAME): one_line(text) for key, text in data.get("about", {}).items()},
            reproduce=_script(data.get("reproduce", "")), reproduce_as_set=_script(data.get("reproduce_as_set", "")),
            specifications=[one_line(pattern, NAME) for pattern in data["specifications"]],
            capabilities=data.get("capabilities"), contexts=[one_line(name, NAME) for name in data.get("contexts", ())],
            batch=data.get("batch", 1), not_implemented=[one_line(mark) for mark in data.get("not_implemented", ())],
            address_limit=data.get("address_limit") is True, python=one_line(data.get("python", "none"), NAME),
            numpy=one_line(data.get("numpy", "none"), NAME), memory_limit=memory_limit)

    def to_json(self) -> dict[str, Any]:
        """Return all of it by name, as records keep it."""
        return asdict(self)

    def __str__(self) -> str:
        """Return name and version."""
        return f"{self.name} {self.version}"


def _script(text: str) -> str:
    return plain(text, SCRIPT) if len(text) <= SCRIPT else ""
