"""Sweeps: every call whose choices cost little, by its number, and the two oracles agree on each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from plumbline.cases.format.lint import disagreements
from plumbline.cases.generate.choices import maker
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.choosing import Replay, cost, every
from plumbline.oracle.operator import Choose
from tests.sampling import sampled
from tests.suite.commands import cases as main

BITS = 3
"""Enough for every mode and switch of a text."""

MOST = 160
"""Calls of one specification in a short run; the sample says where among the others these begin."""


def three(choose: Choose) -> Call:
    """A call of three choices, the last with options that are drawn rarely."""
    chosen = [choose(range(4)), choose(range(3)), choose(range(3), (0.5, 0.25, 0.01))]
    return Call("Three", {"chosen": chosen})


def test_every_call_comes_once_the_cheapest_first() -> None:
    """Enumerated independently: all choices whose costs add up to the budget at most."""
    weights: Sequence[float] = (0.5, 0.25, 0.01)
    costs = {(a, b, c): cost(a) + cost(b) + cost(c, weights) for a in range(4) for b in range(3) for c in range(3)}
    found = [tuple(call.attributes["chosen"]) for _, call in every(three, 4)]
    assert len(found) == len(set(found)) and set(found) == {one for one, bits in costs.items() if bits <= 4}
    assert [costs[one] for one in found] == sorted(costs[one] for one in found)
    assert cost(2, weights) == 6 and cost(2) == 2 and not cost(0, weights)


def test_a_replay_takes_the_plainest_where_its_list_ends() -> None:
    """And the last option where there are fewer than the list says."""
    replay = Replay([9, 1])
    assert three(replay).attributes["chosen"] == [3, 1, 0] and replay.taken == [3, 1, 0]


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(spec_names(), 32))
def test_both_oracles_agree_on_every_call_of_few_bits(name: str) -> None:
    """And many of them are inside the domain."""
    spec = load_spec(name)
    calls = [call for _, call in every(maker(spec), BITS) if not spec.violations(call)]
    assert len(calls) > 20
    some = sampled(calls, max(1, len(calls) // MOST))
    assert [line for call in some for line in disagreements(name, call)] == []


def test_all_modes_and_switches_come() -> None:
    """Over the calls of a few bits, each once."""
    spec = load_spec("onnx/maxpool@22")
    calls = [call for _, call in every(maker(spec), BITS)]
    said = {(name, str(value)) for call in calls for name, value in call.attributes.items()}
    assert said >= {("auto_pad", "VALID"), ("auto_pad", "SAME_UPPER"), ("auto_pad", "SAME_LOWER"), ("ceil_mode", "1"),
                    ("storage_order", "1")}


def test_the_door_counts_and_compares_and_fails_where_nothing_is_tried(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`plumbline cases sweep`: status 2 and one line for a definition whose calls are all outside the domain."""
    assert main(["sweep", "sonnx/maxpool", "--bound", "1", "--compare"]) == 0
    assert "calls of" in capsys.readouterr().out
    spec = load_spec("sonnx/maxpool")
    monkeypatch.setattr(spec, "definition", type("Vain", (spec.definition,), {"make": classmethod(
        lambda cls, choose, version: Call("MaxPool", {}, {"X": np.zeros((1, 1, 1, 1), np.float32)}))}))
    assert main(["sweep", "sonnx/maxpool", "--bound", "1"]) == 2
    assert "nothing was tried" in capsys.readouterr().err


def test_a_number_always_has_the_same_call() -> None:
    """To the bit."""
    spec = load_spec("onnx/averagepool@22")
    once, again = (list(every(partial(spec.definition.make, version=spec.opset), 2)) for _ in range(2))
    assert [number for number, _ in once] == [number for number, _ in again]
    for (_, one), (_, other) in zip(once, again, strict=True):
        assert dict(one.attributes) == dict(other.attributes)
        assert one.inputs["X"].tobytes() == other.inputs["X"].tobytes()
