"""Tallies add up: the same calls come to the same, however they are parted and in whatever order the parts come."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.oracle import Call
from plumbline.trial.campaign import tally
from plumbline.trial.campaign.checkpoint import Checkpoint
from plumbline.trial.campaign.shards import Job, shards
from plumbline.trial.campaign.tally import CONFORMING, LINES, NOTES, Cause, Tally
from plumbline.trial.record.lines import CallData, CaseLine, Divergence, Known

OUTPUTS = ("Y", "Indices")
QUICK = settings(max_examples=60, deadline=None, derandomize=True, database=None)

KINDS = [("conforms", [], None), ("observed", ["toy#Y.U1"], None), ("diverges", ["toy#Y.F1"], None),
         ("diverges", ["toy#Y.F1"], "nan"), ("diverges", ["toy#Y.F1", "toy#Indices.F1"], None), ("crashes", [], None)]


def line(number: int, kind: int) -> CaseLine:
    """A line as a session writes it."""
    verdict, clauses, known = KINDS[kind]
    return CaseLine(record="case", id=f"generated-0-{number}", spec="toy", verdict=verdict, clauses=clauses,
                    form="Y+Indices", covers=["toy#Y.F1", "toy#Indices.F1", "toy#signature.F1"], seconds=number / 1e6,
                    phase=None, source="", title="", opset=1, dtype="float32", flags=[], did="",
                    call=CallData(operator="Toy", attributes={}, inputs={}),
                    known=Known(id=known, reason="") if known else None)


def tally_of(kinds: dict[int, int]) -> Tally:
    """Calls by number, put in order."""
    found = Tally()
    for number in sorted(kinds):
        found.add(number, line(number, kinds[number]), OUTPUTS)
    found.add_shapes(calls_of(kinds))
    found.note(f"note {number % 40}" for number in kinds)
    found.answered_by["faulty 1"] += len(kinds)
    return found


def calls_of(numbers: Iterable[int]) -> Iterable[Call]:
    """Calls whose shapes are their numbers, halved."""
    return (Call("Toy", {}, {"X": np.broadcast_to(0, (number // 2,))}) for number in numbers)


CALLS = st.dictionaries(st.integers(0, 10_000), st.integers(0, len(KINDS) - 1), max_size=60)
TALLIES = st.builds(tally_of, CALLS)


@QUICK
@given(TALLIES, TALLIES, TALLIES)
def test_addition_is_associative_and_commutative_with_a_zero(one: Tally, two: Tally, three: Tally) -> None:
    """The merge laws, of tallies that may share calls."""
    assert (one + two) + three == one + (two + three)
    assert one + two == two + one
    assert one + Tally() == one == Tally() + one


@QUICK
@given(CALLS, st.integers(1, 9), st.randoms(use_true_random=False))
def test_parts_come_to_what_the_whole_comes_to(calls: dict[int, int], parts: int, random: Any) -> None:
    """Whichever calls are in a part, and in whatever order they are added."""
    split: list[Tally] = [Tally() for _ in range(parts)]
    for number in random.sample(sorted(calls), len(calls)):
        part = split[random.randrange(parts)]
        part.add(number, line(number, calls[number]), OUTPUTS)
        part.add_shapes(calls_of([number]))
    whole = tally_of(calls)
    found = sum(split, Tally())
    assert (found.causes, found.kept, found.lines, found.microseconds, found.shapes) == (
        whole.causes, whole.kept, whole.lines, whole.microseconds, whole.shapes)


@QUICK
@given(TALLIES)
def test_json_gives_a_tally_back(one: Tally) -> None:
    """So that an interrupted campaign goes on with what it had."""
    assert Tally.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_the_counts_are_of_all_calls_and_the_lines_of_the_first() -> None:
    """By hand: 1000 calls of four kinds."""
    found = tally_of({number: (0, 0, 3, 4)[number % 4] for number in range(1000)})
    assert found.calls == 1000 and found.verdicts == {"conforms": 500, "diverges": 500}
    assert found.broken == {"toy#Y.F1": 500, "toy#Indices.F1": 250} and found.known == {"nan": 250}
    assert found.kept == {"toy#Y.F1": 500, "toy#Indices.F1": 750, "toy#signature.F1": 1000}
    known = Cause("diverges", ("toy#Y.F1",), "nan")
    assert [number for number, _ in found.lines[known]] == list(range(2, 2 + 4 * LINES, 4))
    assert [entry.id for entry in found.in_order()][:4] == [f"generated-0-{number}" for number in range(4)]
    assert found.microseconds == sum(range(1000))


def test_a_clause_on_an_output_that_was_not_asked_for_or_is_spoiled_is_not_kept() -> None:
    """Nothing is said of what nobody could see."""
    found = Tally()
    found.add(0, line(0, 0).model_copy(update={"form": "Y"}), OUTPUTS)
    assert found.kept == {"toy#Y.F1": 1, "toy#signature.F1": 1}
    spoiled = Divergence(output="Indices", clause="toy#Indices.C1", why="wrong shape")
    found.add(1, line(1, 2).model_copy(update={"divergences": [spoiled]}), OUTPUTS)
    assert found.kept == {"toy#Y.F1": 1, "toy#signature.F1": 2}


def test_a_tally_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million calls are as large as ten thousand: lines, notes and shapes have a limit."""
    monkeypatch.setattr(tally, "SHAPES", 100)
    sizes = [len(json.dumps(sum((tally_of({start + step: step % len(KINDS) for step in range(500)})
                                 for start in range(0, 500 * parts, 500)), Tally()).to_json())) for parts in (10, 30)]
    assert sizes[1] < sizes[0] + 50
    whole = tally_of({number: number % len(KINDS) for number in range(2000)})
    assert sum(map(len, whole.lines.values())) == CONFORMING + LINES * (len(KINDS) - 1)
    assert len(whole.notes) == NOTES


def test_distinct_shapes_are_counted_and_beyond_a_limit_estimated() -> None:
    """Exactly below the limit; beyond it within a tenth, from no more hashes than the limit."""
    few, many = Tally(), Tally()
    few.add_shapes(calls_of(range(5000)))
    assert few.distinct_shapes == 2500
    for start in range(0, 60_000, 1000):
        part = Tally()
        part.add_shapes(calls_of(range(start, start + 1000)))
        many += part
    assert len(many.shapes) == tally.SHAPES and abs(many.distinct_shapes - 30_000) < 3000
    two = Tally()
    two.add_shapes(Call("Toy", {}, {"A": np.zeros(a), "B": np.zeros(b)}) for a, b in ((2, 3), (3, 2), (2, 3)))
    assert two.distinct_shapes == 2


@QUICK
@given(start=st.integers(0, 50), calls=st.integers(1, 60), size=st.integers(1, 20),
       random=st.randoms(use_true_random=False))
def test_shards_are_every_call_once_also_after_an_interruption(start: int, calls: int, size: int, random: Any,
                                                               tmp_path_factory: Any) -> None:
    """Whichever shards were done before, and with another size of shards afterwards."""
    whole = Job("sonnx/maxpool", "nobody", "Y", 0, start, start + calls)
    cut = list(shards(whole, size))
    assert [number for job in cut for number in range(job.start, job.stop)] == list(range(start, start + calls))
    done = random.sample(cut, random.randrange(len(cut) + 1))
    checkpoint = Checkpoint(whole, tmp_path_factory.getbasetemp() / "laws.part")
    for job in done:
        checkpoint.add(job, Tally())
    again = Checkpoint.read(whole, checkpoint.path) if done else checkpoint
    left = {number for job in again.left(random.randrange(1, 20)) for number in range(job.start, job.stop)}
    assert left == set(range(start, start + calls)) - {n for job in done for n in range(job.start, job.stop)}
    checkpoint.path.unlink(missing_ok=True)
