"""Many calls judged at once are judged as each is alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from plumbline.cases.blocks import INPUTS, Block, block, block_case
from plumbline.oracle import Divergence, load_spec, spec_names
from plumbline.oracle.stack import Stack


def answers(drawn: Block, rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    """The right outputs of each call; every other one with some elements exchanged for others near or far."""
    found = []
    for place in range(INPUTS):
        outputs = {name: array.copy() for name, array in drawn.spec.expected(drawn.one(place)).items()}
        for array in outputs.values() if place % 2 else ():
            wrong = rng.random(array.shape) < 0.2
            some = np.array([0, 1, *drawn.inputs[place].ravel()[:4], *array.ravel()[:4]])
            with np.errstate(invalid="ignore", over="ignore"):
                array[wrong] = rng.choice(some, array.shape).astype(array.dtype)[wrong]
        found.append(outputs)
    return found


def told(found: list[Divergence]) -> list[tuple]:
    """Findings as plain data, without the words."""
    return [(entry.clause, entry.output) if entry.where is None else
            (entry.clause, entry.output, entry.where.tolist(), entry.expected.tobytes(), entry.got.tobytes())
            for entry in found]


@pytest.mark.parametrize("name", spec_names())
def test_calls_laid_together_are_judged_as_each_alone(name: str) -> None:
    """The same clauses, elements and values for right and for wrong outputs; what is left to be judged alone is little:
    column-major indices, and calls of which nothing is judged."""
    rng, judged, wrong = np.random.default_rng(3), 0, 0
    for number in range(12):
        drawn = block(name, seed=5, number=number)
        outputs = answers(drawn, rng)
        for place, found in enumerate(Stack(drawn.spec, drawn.call, INPUTS).judged(outputs)):
            if found is not None:
                judged += 1
                wrong += bool(found)
                assert told(found) == told(drawn.spec.divergences(drawn.one(place), outputs[place]))
    assert judged > 0.6 * 12 * INPUTS and wrong > 0.2 * 12 * INPUTS


CHANGES = {"another size": lambda array: array[..., :1], "another type": lambda array: array.astype(np.complex64),
           "another rank": lambda array: array[..., 0], "no axes": lambda array: np.asarray(1.0),
           "another batch": lambda array: array[:0]}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_one_call_has_otherwise_is_left_to_be_judged_alone(change: Callable[[np.ndarray], np.ndarray]) -> None:
    """A shape, type or name that the others do not have: none of them can be laid together."""
    drawn = block("onnx/maxpool@22", seed=0, number=3)
    outputs = [dict(drawn.spec.expected(drawn.one(place))) for place in range(INPUTS)]
    for one in ({**outputs[0], "Y": change(outputs[0]["Y"])}, {"Indices": outputs[0]["Indices"]}):
        assert Stack(drawn.spec, drawn.call, INPUTS).judged([one, *outputs[1:]]) == [None] * INPUTS


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_wrong_shape_or_type_of_all_is_charged_to_each(change: Callable[[np.ndarray], np.ndarray]) -> None:
    """As if it were alone, or left to be judged so."""
    drawn = block("onnx/maxpool@22", seed=0, number=3)
    outputs = [{**drawn.spec.expected(drawn.one(place))} for place in range(INPUTS)]
    given = [{**part, "Y": change(part["Y"])} for part in outputs]
    for place, found in enumerate(Stack(drawn.spec, drawn.call, INPUTS).judged(given)):
        alone = drawn.spec.divergences(drawn.one(place), given[place])
        assert alone and (found is None or told(found) == told(alone))


def test_a_specification_that_says_nothing_of_it_is_not_laid_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default of `Bindings.stacked`."""
    drawn = block("onnx/averagepool@22", seed=0, number=0)
    monkeypatch.setattr(drawn.spec._bindings, "stacked", lambda call, count: None)
    outputs = [drawn.spec.expected(drawn.one(place)) for place in range(INPUTS)]
    assert Stack(drawn.spec, drawn.call, INPUTS).judged(outputs) == [None] * INPUTS


def test_a_call_of_a_block_depends_on_its_number_alone() -> None:
    """Drawn twice, and as a case, it is the same, and valid."""
    for number in (0, 17, 160):
        case = block_case("onnx/maxpool@22", seed=4, number=number)
        again = block("onnx/maxpool@22", seed=4, number=number // INPUTS).one(number % INPUTS)
        assert case.id == f"block-4-{number}" and dict(case.call.attributes) == dict(again.attributes)
        assert np.array_equal(case.call.inputs["X"], again.inputs["X"], equal_nan=again.inputs["X"].dtype.kind == "f")
        assert load_spec(case.spec).violations(case.call) == []


def test_no_recipe_no_block() -> None:
    """One line names the operator."""
    with pytest.raises(LookupError, match="no recipe draws"):
        drawn = load_spec("onnx/maxpool@22")
        original, drawn.operator = drawn.operator, "Relu"
        try:
            block("onnx/maxpool@22", seed=0, number=0)
        finally:
            drawn.operator = original


