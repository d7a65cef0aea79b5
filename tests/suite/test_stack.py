"""Many calls judged at once are judged as each is alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from plumbline.cases.format import tested_clauses
from plumbline.cases.format.tested_clauses import on_outputs, together
from plumbline.cases.generate.blocks import INPUTS, Block, block, block_case
from plumbline.cases.generate.choices import Draw, drawn, makes_calls
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.operator import Operator
from plumbline.oracle.stack import Stack
from tests.sampling import sampled


def answers(drawn: Block, rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    """The right outputs of each call; every other one with some elements exchanged for others near or far."""
    found = []
    for place in range(INPUTS):
        outputs = {name: array.copy() for name, array in drawn.spec.expected(drawn.call_at(place)).items()}
        for array in outputs.values() if place % 2 else ():
            wrong = rng.random(array.shape) < 0.2
            some = np.array([0, 1, *drawn.inputs[place]["X"].ravel()[:4], *array.ravel()[:4]])
            with np.errstate(invalid="ignore", over="ignore"):
                array[wrong] = rng.choice(some, array.shape).astype(array.dtype)[wrong]
        found.append(outputs)
    return found


def stacked(drawn: Block) -> Stack:
    """The calls of a block as one."""
    laid = drawn.together(range(INPUTS))
    assert laid is not None
    return Stack(drawn.spec, laid, INPUTS)


POOLING = [name for name in spec_names() if load_spec(name).definition.stacked_input and makes_calls(load_spec(name))]


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("name", POOLING)
def test_what_is_accepted_together_is_right_alone_and_nothing_wrong_is_accepted(name: str) -> None:
    """And little of what is right everywhere is left to be judged alone: column-major indices, and calls of which
    nothing is judged."""
    rng, accepted, wrong = np.random.default_rng(3), 0, 0
    for number in range(BLOCKS):
        drawn = block(name, seed=5, number=number)
        if drawn.call.inputs["X"].size > LARGE:
            continue
        outputs, stack = answers(drawn, rng), stacked(drawn)
        found = stack.accepts(outputs)
        accepted += int(stack.accepts([drawn.spec.expected(drawn.call_at(place)) for place in range(INPUTS)]).sum())
        for place in range(INPUTS):
            alone = drawn.spec.divergences(drawn.call_at(place), outputs[place])
            assert not (found[place] and alone)
            wrong += bool(alone)
    assert min(accepted, wrong) > 0.1 * BLOCKS * INPUTS


BLOCKS = 30
"""Blocks that are tried of each specification."""

LARGE = 4096
"""Elements of X above which a block is not judged call by call here."""

CHANGES = {"another size": lambda array: array[..., :1], "another type": lambda array: array.astype(np.complex64),
           "another rank": lambda array: array[..., 0], "no axes": lambda array: np.asarray(1.0),
           "another batch": lambda array: array[:0]}


@pytest.mark.parametrize("of_all", [False, True], ids=["of one", "of all"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_shape_or_type_is_left_to_be_judged_alone(change: Callable[[np.ndarray], np.ndarray],
                                                          of_all: bool) -> None:
    """Of one call, which the others do not have, or of all of them; and an output that is missing."""
    drawn = next(found for found in (block("onnx/maxpool@22", seed=0, number=number) for number in range(50))
                 if drawn_size(found) > 1)
    outputs = [dict(drawn.spec.expected(drawn.call_at(place))) for place in range(INPUTS)]
    changed = [{**part, "Y": change(part["Y"])} if of_all or place == 0 else part for place, part in enumerate(outputs)]
    assert not stacked(drawn).accepts(changed).any()
    assert not stacked(drawn).accepts([{"Indices": outputs[0]["Indices"]}, *outputs[1:]]).any()


def drawn_size(drawn: Block) -> int:
    """How many windows there are along the last axis."""
    return drawn.spec.expected(drawn.call)["Y"].shape[-1]


def test_what_cannot_be_laid_together_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A definition that names no input for it."""
    drawn = block("onnx/averagepool@22", seed=0, number=0)
    monkeypatch.setattr(drawn.spec.definition, "stacked_input", None)
    assert drawn.together(range(INPUTS)) is None


@pytest.mark.parametrize("name", ["onnx/maxpool@22", "onnx/averagepool@22", "sonnx/maxpool"])
def test_what_calls_try_together_is_what_each_tries(name: str) -> None:
    """The same clauses. Left out is automatic padding, where a value from another call counts as one of X."""
    for number in range(6):
        drawn = block(name, seed=2, number=number)
        laid = drawn.together(range(INPUTS))
        if laid is None or drawn.call.inputs["X"].size > LARGE or "auto_pad" in drawn.call.attributes \
                or drawn.call.attributes.get("storage_order"):
            continue
        found = together(drawn.spec.judged(laid), INPUTS)
        for place in range(0, INPUTS, 7):
            alone = set(on_outputs(drawn.spec, drawn.call_at(place)))
            assert found[place] == alone and "Y.F2" in {address.partition("#")[2] for address in alone}


def test_a_call_of_a_block_depends_on_its_number_alone() -> None:
    """Drawn twice, and as a case, it is the same, and valid."""
    for number in (0, 17, 160):
        case = block_case("onnx/maxpool@22", seed=4, number=number)
        again = block("onnx/maxpool@22", seed=4, number=number // INPUTS).call_at(number % INPUTS)
        assert case.id == f"block-4-{number}" and dict(case.call.attributes) == dict(again.attributes)
        assert np.array_equal(case.call.inputs["X"], again.inputs["X"], equal_nan=again.inputs["X"].dtype.kind == "f")
        assert load_spec(case.spec).violations(case.call) == []


def test_calls_of_a_block_are_small_enough_to_be_judged() -> None:
    """Other values of Range's inputs are another number of elements, 10^43 of them here; that ended a campaign."""
    drawn = block("onnx/range@27", seed=2, number=202 // INPUTS)
    assert all(drawn.spec.judged(drawn.call_at(place)).decided == {} for place in range(INPUTS))


def test_no_maker_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the specification."""
    spec = load_spec("onnx/maxpool@22")
    monkeypatch.setattr(spec, "definition", type("Mute", (Operator,), {}))
    with pytest.raises(LookupError, match="onnx/maxpool@22: its operator definition makes no valid calls"):
        block("onnx/maxpool@22", seed=0, number=0)


@pytest.mark.parametrize("name", sampled(spec_names(), 16))
def test_answers_that_no_clause_can_be_blamed_for_are_not_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call tests the same clauses as when every wrong answer is tried for every clause."""
    spec = load_spec(name)
    calls = [drawn(spec, Draw((5, number), number)) for number in range(12)]
    found = [on_outputs(spec, call) for call in calls]
    monkeypatch.setattr(tested_clauses, "_can_be_blamed", lambda judged, right, name, count: {
        address: np.ones(count, bool) for address in judged.spec.on_elements})
    assert found == [on_outputs(spec, call) for call in calls]
