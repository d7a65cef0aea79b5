"""Find what ONNX releases changed in existing operator versions.

Compared are sentences of the documentation, and official tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from plumbline.oracle import load_spec
from plumbline.oracle.specification import spec_names
from plumbline.oracle.type_names import bytes_of
from plumbline.trial.editions.node_tests import NodeTest, node_tests
from plumbline.trial.editions.schemas import sentences
from plumbline.trial.editions.wheels import Wheel

Change = tuple[str, str, tuple[str, ...], tuple[str, ...]]
"""The release before, the release that changed it, what is gone and what is new."""


def changes_of_text(wheels: Sequence[Wheel]) -> dict[Change, list[str]]:
    """Return the specifications whose sentences changed, by change, with wheels oldest first."""
    last: dict[str, tuple[str, tuple[str, ...]]] = {}
    found: dict[Change, list[str]] = {}
    specs = [load_spec(name) for name in spec_names() if name.startswith("onnx/")]
    for wheel in wheels:
        said = sentences(wheel.sources())
        for spec in specs:
            now = said.get((spec.operator, spec.opset))
            if now is None:
                continue
            before, then = last.get(spec.name, (wheel.release, now))
            gone, new = (tuple(part for part in these if part not in those)
                         for these, those in ((then, now), (now, then)))
            if gone or new:
                found.setdefault((before, wheel.release, gone, new), []).append(spec.name)
            last[spec.name] = wheel.release, now
    return found


def changes_of_tests(wheels: Sequence[Wheel]) -> Iterator[str]:
    """Yield a line for each official test of one version that, for the same inputs, publishes other outputs or has
    other attributes than in the release before."""
    last: dict[tuple[str, str], tuple[NodeTest, str]] = {}
    for wheel in wheels:
        for test in node_tests(wheel):
            if test.spec is None:
                continue
            key = test.name, test.spec.name
            attributes = str(sorted(map(str, test.node.attribute)))
            before, then = last.get(key, (test, attributes))
            if _alike(before, test, 0) and (attributes != then or not _alike(before, test, 1)):
                what = "outputs" if attributes == then else "attributes"
                yield f"{test.name} ({test.spec.name}): other {what} in {wheel.release} than in {before.release}"
            last[key] = test, attributes


def _alike(one: NodeTest, other: NodeTest, place: int) -> bool:
    """Return True if tensors are equal within the tolerance of ONNX's runner.

    `place` is 0 for inputs, 1 for outputs."""
    pairs = [(mine[place], theirs[place]) for mine, theirs in zip(one.sets, other.sets, strict=False)]
    return len(one.sets) == len(other.sets) and all(
        mine.keys() == theirs.keys() and all(_close(mine[name], theirs[name]) for name in mine)
        for mine, theirs in pairs)


def _close(mine: np.ndarray, theirs: np.ndarray) -> bool:
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return False
    if mine.dtype.kind != "f":
        return bytes_of(mine) == bytes_of(theirs)
    return bool(np.allclose(mine, theirs, rtol=1e-3, atol=1e-7, equal_nan=True))


def report(wheels: Sequence[Wheel], show: Callable[[str], None]) -> None:
    """Show what changed, as Markdown."""
    show("## Texts that changed in place\n")
    for (before, after, gone, new), names in changes_of_text(wheels).items():
        show(f"### {before} to {after}: {', '.join(names)}\n")
        show("\n".join([*(f"- gone: {text}" for text in gone), *(f"- new: {text}" for text in new)]) + "\n")
    show("## Official tests that changed\n")
    for line in changes_of_tests(wheels):
        show(f"- {line}")
