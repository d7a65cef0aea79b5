"""What releases changed in place: sentences and official tests of a version that earlier releases had already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

import numpy as np

from plumbline.oracle import load_spec
from plumbline.oracle.specification import spec_names
from plumbline.trial.editions.node_tests import node_tests
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
    """Yield a line for each official test that asks the same call and publishes other outputs, or another call with
    the same inputs, than in the release before."""
    last: dict[str, tuple[str, str, str, str, str]] = {}
    for wheel in wheels:
        for test in node_tests(wheel):
            if test.spec is None:
                continue
            attributes = sorted(str(attribute).split() for attribute in test.node.attribute)
            inputs, outputs = (_digest(test.sets, place) for place in (0, 1))
            now = (wheel.release, test.spec.name, str(attributes), inputs, outputs)
            before = last.get(test.name, now)
            if before[3] == inputs and before[2:] != now[2:]:
                what = "outputs" if before[2] == now[2] else "attributes"
                yield f"{test.name}: other {what} in {wheel.release} ({now[1]}) than in {before[0]} ({before[1]})"
            last[test.name] = now


def _digest(sets: Sequence[tuple[dict[str, np.ndarray], ...]], place: int) -> str:
    """The shapes and, to four digits, the values: another rounding is no other output."""
    digest = sha256()
    for entry in sets:
        for name, array in sorted(entry[place].items()):
            numbers = array.ravel().tolist()
            digest.update(f"{name} {array.dtype} {array.shape} ".encode())
            digest.update(" ".join(f"{number:.3e}" if isinstance(number, float) else str(number)
                                   for number in numbers).encode())
    return digest.hexdigest()


def report(wheels: Sequence[Wheel], show: Callable[[str], None]) -> None:
    """Show what changed, as Markdown."""
    show("## Texts that changed in place\n")
    for (before, after, gone, new), names in changes_of_text(wheels).items():
        show(f"### {before} to {after}: {', '.join(names)}\n")
        show("\n".join([*(f"- gone: {text}" for text in gone), *(f"- new: {text}" for text in new)]) + "\n")
    show("## Official tests that changed\n")
    for line in changes_of_tests(wheels):
        show(f"- {line}")
