"""Slow checks rotate: none is left out for ever, and a whole run leaves none out."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from tests import sampling
from tests.conftest import pytest_collection_modifyitems
from tests.sampling import Sample, has_turn, sampled

TESTS = [f"tests/suite/test_slow.py::test_{number}" for number in range(200)]


def use(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Have this process sample as with `--sample text`."""
    monkeypatch.setattr(sampling, "sample", lambda: Sample.parse(text))


@pytest.mark.parametrize(("ending", "step"), [("", 6), ("/10", 10)])
def test_each_check_has_its_turn_once_in_so_many_commits(ending: str, step: int,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    """Of consecutive numbers of commits; each run takes about its share."""
    turns, items = Counter(), Counter()
    for commit in range(0x400, 0x400 + step):
        use(monkeypatch, f"{commit:x}{ending}")
        chosen = [test for test in TESTS if has_turn(test, 6)]
        assert 0.5 < len(chosen) * step / len(TESTS) < 2
        turns.update(chosen)
        items.update(sampled(TESTS, 6))
    assert turns == items == Counter(TESTS)


def test_a_whole_run_takes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever share a short run takes."""
    use(monkeypatch, "all")
    assert all(has_turn(test, 8) for test in TESTS) and sampled(TESTS, 8) == TESTS


def test_a_test_that_is_left_out_is_counted_and_one_that_is_named_runs(
        request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By pytest, as deselected."""
    use(monkeypatch, "4")
    for arguments, count in (["tests/suite"], 0), (["tests/suite/test_slow.py::test_1"], 1):
        counted: list[pytest.Item] = []
        hook = SimpleNamespace(pytest_deselected=lambda items, counted=counted: counted.extend(items))
        slow = pytest.Function.from_parent(request.node.parent, name="slow", callobj=use)
        slow.add_marker(pytest.mark.gate(one_in=10 ** 9))
        items = [slow, request.node]
        pytest_collection_modifyitems(SimpleNamespace(args=arguments, hook=hook), items)
        assert items == [slow, request.node][1 - count:] and counted == [slow][count:]
