"""Calls put block by block come to what they come to one by one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally
from plumbline.trial.run.host_cache import close_cached
from tests.suite.fakes import Adapter
from tests.suite.naive import pool

HERE = "tests.suite.test_bulk"


class Various(Adapter):
    """The truth, but: no int8, no windows of NaN, a size too many for strides that begin with 4, and zero instead of
    Y's maximum where the first element of X is negative."""

    name = "various"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """As said."""
        x = request.inputs["X"]
        if x.dtype == np.int8 or np.isnan(x.astype(float)).any():
            raise ValueError("no kernel for this")
        found = pool(request)
        if request.attributes.get("strides", [1])[0] == 4:
            found = {name: np.concatenate([array, array], axis=-1) for name, array in found.items()}
        if x.ravel()[0] < 0:
            found["Y"] = np.zeros_like(found["Y"])
        return found


class Moody(Various):
    """The truth to calls that are put one by one in the same process, and zeros to those before."""

    name = "moody"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """What an adapter gives that is given no model."""
        return pool(request)

    def prepare(self, model: bytes) -> Any:
        """What it gives in blocks."""
        return lambda outputs, inputs: [np.zeros((1, 1, 1, 1))] * len(outputs)


class Scribbler(Adapter):
    """Writes into its input after it has read it, and gives the same array each time."""

    name = "scribbler"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """The truth."""
        found = pool(request)
        request.inputs["X"].fill(0)
        return found


def timeless(tally: Tally) -> dict[str, Any]:
    """Return what a tally says, without times, notes, and whether automatic padding is tried.

    Of stacked calls, values of one are tried as padding of another (`tested_clauses.together`)."""
    kept = {address: count for address, count in tally.kept.items() if "#auto_pad." not in address}
    lines = [line.model_copy(update={"seconds": 0.0}).model_dump_json() for line in tally.in_order()]
    return {"causes": tally.causes, "kept": kept, "shapes": tally.shapes, "lines": lines}


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("spec", "form"), [("sonnx/maxpool", "Y+Indices"), ("sonnx/maxpool", "Y"),
                                            ("onnx/maxpool@12", "Y+Indices")])
def test_a_shard_comes_to_the_same_in_blocks_and_one_by_one(spec: str, form: str) -> None:
    """Conforming and diverging calls, refusals by type and by value, wrong shapes; parts of blocks at both ends."""
    job = Job(spec, f"{HERE}:Various", form, 2, 5, 300, host="in-process")
    in_blocks, one_by_one = run_shard(job), run_shard(replace(job, host="process"))
    assert not in_blocks.notes and in_blocks.calls == 295
    assert timeless(in_blocks) == timeless(one_by_one)
    assert {"conforms", "diverges", "rejects-valid"} <= set(in_blocks.verdicts)
    close_cached()


def test_who_answers_otherwise_in_blocks_is_put_call_by_call() -> None:
    """Nobody is accused by an answer that was not given to the call alone; a note tells of it."""
    tally = run_shard(Job("sonnx/maxpool", f"{HERE}:Moody", "Y", 0, 0, 40, host="in-process"))
    assert set(tally.verdicts) <= {"conforms", "observed"} and tally.calls == 40
    assert any("in a block" in note and "call by call" in note for note in tally.notes)
    close_cached()


def test_what_an_adapter_does_to_its_arrays_changes_no_other_call() -> None:
    """Who writes to its inputs, or to outputs that it gave, is accused of that, and of nothing else."""
    tally = run_shard(Job("sonnx/maxpool", f"{HERE}:Scribbler", "Y+Indices", 0, 0, 160, host="in-process"))
    assert "unstable" in tally.verdicts and set(tally.verdicts) <= {"conforms", "observed", "unstable"}
    close_cached()


def test_disputed_results_are_observed_in_blocks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Editions differ about the last window, which ONNX Runtime leaves out: no call is counted as conforming."""
    monkeypatch.setattr("plumbline.trial.campaign.tally.LINES", 1)
    monkeypatch.setattr("plumbline.trial.campaign.tally.CONFORMING", 1)
    job = Job("onnx/maxpool@22", "onnxruntime", "Y+Indices", 0, 64, 72, host="in-process")
    tally = run_shard(job)
    assert not tally.notes and tally.verdicts == {"observed": 8}
    close_cached()
