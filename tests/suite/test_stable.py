"""Nothing that CHANGELOG calls stable disappears: the lists frozen at a release hold."""

import pytest

from tests.suite.stable_names import FOLDER, LISTS


@pytest.mark.parametrize("title", LISTS)
def test_every_stable_name_is_still_there(title: str) -> None:
    """Each frozen name, address or id is still offered."""
    frozen = (FOLDER / f"{title}.txt").read_text(encoding="utf-8").splitlines()
    assert len(frozen) > 50
    if title == "interfaces":
        assert set(frozen) - set(LISTS[title]()) == set()
        return
    offered = {line.split(" ", 1)[0]: set(line.split()) for line in LISTS[title]()}
    for line in frozen:
        name = line.split(" ", 1)[0]
        assert set(line.split()) - offered.get(name, set()) == set(), name
