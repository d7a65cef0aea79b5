"""Sweeps: every call within a bound, by its number, and the two oracles agree on each."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from plumbline.cases import lint
from plumbline.cases.__main__ import main
from plumbline.cases.lint import disagreements
from plumbline.cases.sweep import sweep_call, sweep_calls, sweep_size
from plumbline.oracle import Call, load_spec, spec_names

TEXT = "onnx/maxpool@22"
"""A text with every mode and switch of its family."""


def asked(call: Call) -> tuple:
    """A call without the values of X."""
    return tuple(sorted((name, str(value)) for name, value in call.attributes.items())), call.inputs["X"].shape


@pytest.mark.parametrize("name", spec_names())
def test_both_oracles_agree_on_every_call_of_one_axis(name: str) -> None:
    """With sizes, kernels and strides up to 2, pads up to 1, in every mode; most numbers have a call."""
    calls = list(sweep_calls(name, 2, 1))
    assert len(calls) > sweep_size(name, 2, 1) / 3
    assert [line for _, call in calls for line in disagreements(name, call)] == []


def test_a_sweep_has_every_axis_within_the_bound_once() -> None:
    """Enumerated independently, for explicit padding without a switch: of one axis all, of two every pair."""
    numbers = range(1, 3)
    axes = list(product(numbers, numbers, numbers, numbers, range(2), range(2)))
    for rank in (1, 2):
        expected = set()
        for chosen in product(axes, repeat=rank):
            size, kernel, stride, dilation, begin, end = zip(*chosen, strict=True)
            attributes = {"kernel_shape": [*kernel], "strides": [*stride], "dilations": [*dilation],
                          "pads": [*begin, *end]}
            expected.add(asked(Call("MaxPool", attributes, {"X": np.zeros((1, 2, *size))})))
        found = [asked(call) for _, call in sweep_calls(TEXT, 2, rank, range(64 ** rank))]
        assert len(found) == len(set(found)) and set(found) == expected


def test_no_call_comes_twice_and_all_modes_come() -> None:
    """Over the whole sweep of one axis: the modes of the text, roundings and storage orders."""
    found = [asked(call) for _, call in sweep_calls(TEXT, 2, 1)]
    assert len(found) == len(set(found)) == sweep_size(TEXT, 2, 1)
    words = {word for attributes, _ in found for word in attributes}
    assert words >= {("auto_pad", "VALID"), ("auto_pad", "SAME_UPPER"), ("auto_pad", "SAME_LOWER"), ("ceil_mode", "1"),
                     ("storage_order", "1")}
    means = {word for _, call in sweep_calls("onnx/averagepool@22", 2, 1) for word in asked(call)[0]}
    assert ("count_include_pad", "1") in means and ("ceil_mode", "1") in means


def test_a_number_always_has_the_same_call() -> None:
    """To the bit, whatever was asked before; and from part to part nothing is lost."""
    some = dict(sweep_calls(TEXT, 2, 2, range(100, 140)))
    for number in reversed(range(100, 140)):
        again = sweep_call(TEXT, 2, 2, number)
        assert again.attributes == some[number].attributes
        assert again.inputs["X"].tobytes() == some[number].inputs["X"].tobytes()
        assert again.inputs["X"].dtype == some[number].inputs["X"].dtype
    size = sweep_size(TEXT, 2, 1)
    parts = [number for start in range(0, size, 100)
             for number, _ in sweep_calls(TEXT, 2, 1, range(start, min(start + 100, size)))]
    assert parts == [number for number, _ in sweep_calls(TEXT, 2, 1)]


def test_a_call_outside_the_domain_has_a_number_and_is_none() -> None:
    """The profile allows no pad that reaches the kernel: the first such number is none, and inside there is none."""
    spec = load_spec("sonnx/maxpool")
    found = [sweep_call(spec.name, 2, 1, number) for number in range(sweep_size(spec.name, 2, 1))]
    calls = [call for call in found if call is not None]
    assert found[1] is None and 0 < len(calls) < len(found)
    assert all(spec.violations(call) == [] and call.inputs["X"].ndim == 4 for call in calls)
    for number in (-1, len(found)):
        with pytest.raises(IndexError, match=f"there is no number {number}; there are 64"):
            sweep_call(spec.name, 2, 1, number)


def test_a_sweep_is_streamed() -> None:
    """Of one with trillions of numbers the first call and a late one come at once."""
    assert sweep_size(TEXT, 60, 2) > 10 ** 12
    assert next(sweep_calls(TEXT, 60, 2))[0] == 0
    assert sweep_call(TEXT, 60, 2, sweep_size(TEXT, 60, 2) - 1).inputs["X"].shape == (1, 2, 60, 60)


def test_the_door_lists_counts_and_compares(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each call; how many; how many the oracles disagree on. What is no sweep is said in a line."""
    assert main(["sweep", "sonnx/maxpool", "--bound", "1"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("0  MaxPool(") and "dilations=[1, 1]" in first
    assert second.startswith("1  MaxPool(") and "dilations=[2, 1]" in second
    assert main(["sweep", "sonnx/maxpool", "--bound", "2", "--count"]) == 0
    assert capsys.readouterr().out == "sonnx/maxpool: 30 calls of 64 numbers\n"
    assert main(["sweep", "onnx/maxpool@1", "--bound", "2", "--compare"]) == 0
    assert "56 calls of 56 numbers, 0 on which the two oracles disagree" in capsys.readouterr().out
    assert main(["sweep", "onnx/nothing", "--bound", "2"]) == 2
    assert "onnx/nothing" in capsys.readouterr().err
    assert main(["sweep", "sonnx/maxpool", "--bound", "0"]) == 2
    assert "'--bound': 0 is not in the range x>=1" in capsys.readouterr().err


def test_the_door_tells_on_which_call_the_oracles_disagree(capsys: pytest.CaptureFixture[str],
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    """With its number, and an exit status of 1; here a slow oracle that gives zeros."""
    monkeypatch.setattr(lint, "literal_expected", lambda name, call: {
        output: np.zeros_like(array) for output, array in load_spec(name).expected(call).items()})
    assert main(["sweep", "onnx/maxpool@1", "--bound", "1", "--compare"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("0  the two oracles disagree: onnx/maxpool@1#") and "MaxPool(" in lines[0]
    assert lines[-1].endswith("4 on which the two oracles disagree")
