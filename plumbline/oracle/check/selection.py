"""Select the specifications that apply to a node, by name and opset."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch

from plumbline.oracle.clause import SpecError
from plumbline.oracle.specification import Spec, load_spec, operator_of, spec_names, there_are


@dataclass(frozen=True)
class Text:
    """A selected specification. versions: those selected; () for the one in force, or if it has no versions.
    by_name: whether it was asked for by its name, and not by a pattern of many."""

    name: str
    versions: tuple[int, ...] = ()
    by_name: bool = True

    @property
    def about(self) -> tuple[str, str]:
        """The operator that it is about: its domain and its name."""
        domain, operator = operator_of(self.name)
        return domain or "", operator

    def spec(self, opset: int) -> Spec | None:
        """The specification that applies to a node of that opset."""
        found = in_force(self.name, opset)
        return found if found is not None and (not self.versions or found.opset in self.versions) else None

    def left_out(self, opset: int) -> str | None:
        """Name in one line the selected versions that do not apply at an opset."""
        found = in_force(self.name, opset)
        idle = [f"{self.name}@{version}" for version in self.versions if found is None or version != found.opset]
        instead = found.name if found is not None else "no version"
        verb = "is" if len(idle) == 1 else "are"
        return f"{', '.join(idle)} {verb} not in force at opset {opset}, {instead} is" if idle else None


def in_force(name: str, opset: int) -> Spec | None:
    """The text of that name at an opset: its last version up to there, or itself where it has no versions."""
    named = [known for known in spec_names() if known.partition("@")[0] == name]
    if named == [name]:
        return load_spec(name)
    versions = [int(known.partition("@")[2]) for known in named]
    reached = [version for version in versions if version <= opset]
    return load_spec(f"{name}@{max(reached)}") if reached else None


def texts(patterns: Iterable[str]) -> list[Text]:
    """Return the specifications of ONNX operators that names and globs match.

    A pattern without a version selects the version in force. Raises SpecError if one matches nothing."""
    patterns = list(patterns)
    known = [name for name in spec_names() if operator_of(name)[0] is not None]
    names = list(dict.fromkeys(name.partition("@")[0] for name in known))
    found: dict[str, set[int]] = {}
    for pattern in patterns:
        whole = [name for name in names if fnmatch(name, pattern)]
        some = [name for name in known if fnmatch(name, pattern) and name.partition("@")[0] not in whole]
        if not whole and not some:
            raise SpecError(f"no specification of a model's operators is called {pattern!r}; {there_are(pattern)}")
        found |= {name: set() for name in whole}
        for name in some:
            text, _, version = name.partition("@")
            if found.setdefault(text, {int(version)}):
                found[text].add(int(version))
    exact = {pattern.partition("@")[0] for pattern in patterns}
    return [Text(name, tuple(sorted(found[name])), name in exact) for name in names if name in found]
