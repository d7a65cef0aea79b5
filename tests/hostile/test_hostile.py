"""Each attack leaves the promises of the suite whole.

No traceback, one line that says what and where, a status that tells the truth, memory and disk bounded, no process and
no file left behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.attacks import ATTACKS
from tests.hostile.door import Attack, Door, broken


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A process that runs commands."""
    opened = Door(tmp_path_factory.mktemp("door"))
    yield opened
    opened.close()


def test_names_are_not_used_twice() -> None:
    """Each attack can be run by itself."""
    names = [str(attack) for attack in ATTACKS]
    assert sorted(names) == sorted(set(names))


STARTS = ("conformance", "campaign", "model", "accuracy")
"""Commands that start a backend, which costs several times as much as any other."""


@pytest.mark.parametrize("attack", [pytest.param(attack, id=str(attack), marks=pytest.mark.gate(
    one_in=20 if attack.command and attack.command[0] in STARTS else 4)) for attack in ATTACKS])
def test_an_attack_breaks_no_promise(attack: Attack, door: Door, tmp_path: Path) -> None:
    """See `door.broken`."""
    assert not (wrong := broken(attack, door, tmp_path)), "\n".join(wrong)
