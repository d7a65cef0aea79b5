"""Enclosures of operators: every value that conforms is inside, on every input between the ends."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases.generate.choices import Draw
from plumbline.oracle import Call, OutsideDomain, load_spec, spec_names
from plumbline.oracle.enclosures import enclosure, with_inputs
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide

NEWEST = [max(versions) for versions in ({int(name.partition("@")[2]) for name in spec_names() if name.partition("@")[0]
                                          == text} for text in ()) if versions]
LATEST = sorted({name.partition("@")[0]: name for name in sorted(
    (name for name in spec_names() if name.startswith("onnx/")), key=lambda name: int(name.partition("@")[2]))}.values())

WITHOUT_RULE = set()


def judged_calls(name: str, count: int) -> list[JudgedCall]:
    """Calls inside the domain, of floats that are moderate."""
    spec, found = load_spec(name), []
    for number in range(6 * count):
        call = spec.definition.make(Draw((35, number)), spec.opset)
        if call is None:
            continue
        inputs = {key: tamed(array) for key, array in call.inputs.items()}
        judged = JudgedCall(spec, Call(call.operator, call.attributes, inputs, call.outputs))
        try:
            if not judged.violations and judged.expected and max(array.size for array in judged.expected.values()) < 5000:
                found.append(judged)
        except OutsideDomain:
            continue
        if len(found) == count:
            break
    return found


def tamed(array: np.ndarray) -> np.ndarray:
    """Mostly the same, with magnitudes that leave room for sums."""
    if not is_float(array.dtype):
        return array
    with np.errstate(all="ignore"):
        return np.where(np.abs(array) < 100, array, array.dtype.type(1.5)).astype(array.dtype)


def freed(judged: JudgedCall, output: str) -> np.ndarray:
    """bool: which elements clauses free that are not on accuracy."""
    mask = np.zeros(judged.expected[output].shape, bool)
    for allowance in judged.allowances.get(output, ()):
        if not allowance.observed:
            mask |= allowance.where & ((judged.expected[output] != 0) | (allowance.admits is None))
    return mask


@pytest.mark.parametrize("name", LATEST)
def test_what_conforms_is_enclosed(name: str) -> None:
    """Canonical values, moved by more and more, until they no longer conform."""
    for judged in judged_calls(name, 12):
        definition = judged.definition
        with np.errstate(all="ignore"):
            ends = definition.enclosure()
        for output, wanted in judged.expected.items():
            if not is_float(wanted.dtype) or output not in ends:
                continue
            low, high = ends[output]
            for step in [0, *(sign * 2.0**power for power in range(-1, 22, 1) for sign in (1, -1))]:
                with np.errstate(all="ignore"):
                    got = (wanted.astype(Wide) + step * np.spacing(np.abs(wanted)).astype(Wide)).astype(wanted.dtype)
                    right = np.asarray(definition.conforms(output, got))
                    for allowance in judged.allowances.get(output, ()):
                        if allowance.observed and "accuracy" in str(allowance.admits) + "explains":
                            right = right | allowance.allows(got)
                    inside = ~(got.astype(Wide) < low) & ~(got.astype(Wide) > high)
                wrong = right & ~inside & np.isfinite(wanted.astype(Wide)) & ~freed(judged, output)
                assert not wrong.any(), (name, judged.call, output, step, got[wrong][:3], low[wrong][:3], high[wrong][:3])


@pytest.mark.parametrize("name", LATEST)
def test_what_is_enclosed_on_inputs_between_the_ends_is_enclosed(name: str) -> None:
    """Of many inputs between two ends."""
    random, rules = np.random.default_rng(35), 0
    for judged in judged_calls(name, 12):
        definition, inputs = judged.definition, judged.call.inputs
        floats = [key for key, array in inputs.items() if is_float(array.dtype) and array.size]
        if not floats or judged.disputes or not any(is_float(array.dtype) for array in judged.expected.values()):
            continue
        for chosen in (floats, floats[:1]):
            scale = 10.0 ** -random.integers(0, 6)
            lows, highs = dict(inputs), dict(inputs)
            for key in chosen:
                x = inputs[key]
                with np.errstate(all="ignore"):
                    radius = np.abs(x) * scale * random.random(x.shape) + scale * (random.random(x.shape) < 0.5)
                    lows[key], highs[key] = (x - radius).astype(x.dtype), (x + radius).astype(x.dtype)
            try:
                whole = enclosure(definition, lows, highs)
            except (OutsideDomain, ValueError):
                raise
            if whole is None:
                continue
            rules += 1
            for _ in range(12):
                at = random.choice([0, 1, random.random()])
                between = {key: np.clip((lows[key] + (highs[key] - lows[key]) * np.where(
                    random.random(inputs[key].shape) < 0.3, random.random(inputs[key].shape), at)).astype(
                        inputs[key].dtype), lows[key], highs[key]).astype(inputs[key].dtype) for key in chosen}
                other = with_inputs(definition, {**inputs, **between})
                with np.errstate(all="ignore"):
                    ends = other.enclosure()
                for output, part in ends.items():
                    if output not in judged.expected:
                        continue
                    mine = whole[output]
                    with np.errstate(all="ignore"):
                        slack = 2.0**-55 * np.abs(part.low)
                        unlike = (part.low < mine.low - slack) | (part.high > mine.high + slack) | (
                            np.isnan(part.low) & ~np.isnan(mine.low))
                    assert not unlike.any(), (name, judged.call.attributes, output, part.low[unlike][:3], mine.low[
                        unlike][:3], part.high[unlike][:3], mine.high[unlike][:3])
    print(name, rules)
