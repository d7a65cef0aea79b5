"""Range: bounds in extended precision decide as exact ones do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.steps import Steps

STEPS = 24


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("start", "delta"), [(0.1, 0.3), (-10.0, 0.8), (1e-30, -3e-8), (3.0, 1.0)])
def test_numbers_beside_the_bound_are_judged_by_it(dtype: str, start: float, delta: float) -> None:
    """Of numbers up to 24 steps of the type away, those within the bound are right, by fractions."""
    element, spec = element_type(dtype), load_spec("onnx/range@27")
    call = Call("Range", {}, {"start": np.array(start, element), "limit": np.array(start + 7.5 * delta, element),
                              "delta": np.array(delta, element)})
    definition = spec.judged(call).definition
    assert isinstance(definition, Steps)
    first, _, step = definition.numbers
    rights = set()
    for away in range(-STEPS, STEPS + 1):
        got = definition.canonical["output"].copy()
        bits = got.view(f"i{got.itemsize}")
        bits += away
        mask = definition.conforms("output", got)
        for place, right in enumerate(mask.tolist()):
            bound, answer = definition.bound(place), float(got[place])
            exact = np.isfinite(answer) and (
                bound is None or abs(Fraction(answer) - first - place * step) <= bound)
            assert right == (away == 0 or exact), (away, place)
            rights.add(right)
    assert rights == {True, False}
