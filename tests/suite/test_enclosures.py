"""Enclosures of operators: every value that conforms is inside, on every input between the ends."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from plumbline.cases.generate.choices import Draw
from plumbline.oracle import Call, OutsideDomain, load_spec, spec_names
from plumbline.oracle.enclosures import enclosure, with_inputs
from plumbline.oracle.ends import Ends
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.operators.onnx.gelu import BODY, STEEPEST, Gelu
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide

LATEST = sorted({name.partition("@")[0]: name for name in sorted(spec_names(), key=lambda name: int(
    name.partition("@")[2] or 0)) if name.startswith("onnx/")}.values())

CALLS, INPUTS, SMALL = 12, 12, 5000

WITHOUT_RULE = frozenset(
    "and attention constant constantofshape convinteger dequantizelinear dft dynamicquantizelinear equal hardswish if "
    "isinf isnan loop lppool matmulinteger maxpool mod nonmaxsuppression nonzero not or qlinearconv qlinearmatmul "
    "quantizelinear range reducel1 reducel2 reducelogsum reducelogsumexp reduceprod reducesumsquare roialign scan "
    "stft topk upsample xor".split())
"""Operators of which no call is enclosed on inputs that are not exact; those of MaxPool have Indices here."""


def judged_calls(name: str, count: int) -> list[JudgedCall]:
    """Small calls inside the domain, of floats that are moderate."""
    spec, found = load_spec(name), list[JudgedCall]()
    for number in range(6 * count):
        call = spec.definition.make(Draw((35, number)), spec.opset)
        if call is not None and len(found) < count:
            inputs = {key: tamed(array) for key, array in call.inputs.items()}
            judged = JudgedCall(spec, Call(call.operator, call.attributes, inputs, call.outputs))
            with suppress(OutsideDomain):
                if not judged.violations and max(array.size for array in judged.expected.values()) < SMALL:
                    found.append(judged)
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
    """Canonical values, moved by up to four million numbers, as long as they conform."""
    for judged in judged_calls(name, CALLS):
        with np.errstate(all="ignore"):
            ends = judged.definition.enclosure()
        for output, wanted in judged.expected.items():
            if is_float(wanted.dtype):
                for step in (0, *(sign * 2.0**power for power in range(-1, 22) for sign in (1, -1))):
                    outside = conforming_outside(judged, output, wanted, step, ends[output])
                    assert not outside.any(), (name, judged.call, output, step, np.argwhere(outside)[0])


def conforming_outside(judged: JudgedCall, output: str, wanted: np.ndarray, step: float, ends: Ends) -> np.ndarray:
    """bool: which elements, moved so many units in the last place, conform and are not enclosed."""
    with np.errstate(all="ignore"):
        got = (wanted.astype(Wide) + step * np.spacing(np.abs(wanted)).astype(Wide)).astype(wanted.dtype)
        right = np.asarray(judged.definition.conforms(output, got))
        for allowance in judged.allowances.get(output, ()):
            if getattr(allowance.admits, "__name__", "") == "explains":
                right = right | allowance.allows(got)
        outside = (got.astype(Wide) < ends.low) | (got.astype(Wide) > ends.high)
        return np.asarray(right & outside & np.isfinite(wanted.astype(Wide)) & ~freed(judged, output))


@pytest.mark.parametrize("name", LATEST)
def test_what_is_enclosed_on_inputs_between_the_ends_is_enclosed(name: str) -> None:
    """Of drawn inputs between ends that are near or far; operators without a rule are known."""
    random, rules = np.random.default_rng(35), 0
    for judged in judged_calls(name, CALLS):
        floats = [key for key, array in judged.call.inputs.items() if is_float(array.dtype) and array.size]
        for chosen in (floats, floats[:1]) if floats and not (judged.disputes or judged.decided) else ():
            lows, highs = spread(judged.call.inputs, chosen, random)
            whole = enclosure(judged.definition, lows, highs)
            inexact = any(not np.array_equal(lows[key], highs[key]) for key in chosen)
            rules += inexact and whole is not None
            for _ in range(INPUTS if whole else 0):
                other = with_inputs(judged.definition, between(lows, highs, chosen, random))
                with np.errstate(all="ignore"):
                    parts = other.enclosure()
                    for output in judged.expected:
                        part, mine, slack = parts[output], whole[output], 2.0**-55 * np.abs(parts[output].low)
                        outside = (part.low < mine.low - slack) | (part.high > mine.high + slack)
                        outside |= np.isnan(part.low) & ~np.isnan(mine.low)
                        assert not outside.any(), (name, judged.call, output, np.argwhere(outside)[0])
    assert (rules == 0) is (name.partition("@")[0].removeprefix("onnx/") in WITHOUT_RULE), rules


def spread(inputs: Mapping[str, np.ndarray], chosen: list[str], random: np.random.Generator) -> tuple[Any, Any]:
    """Ends around some inputs, relative and absolute."""
    lows, highs, scale = dict(inputs), dict(inputs), 10.0 ** -random.integers(0, 6)
    for key in chosen:
        x = inputs[key]
        with np.errstate(all="ignore"):
            radius = np.abs(x) * scale * random.random(x.shape) + scale * (random.random(x.shape) < 0.5)
            lows[key], highs[key] = (x - radius).astype(x.dtype), (x + radius).astype(x.dtype)
    return lows, highs


def between(lows: Mapping[str, np.ndarray], highs: Mapping[str, np.ndarray], chosen: list[str],
            random: np.random.Generator) -> dict[str, np.ndarray]:
    """Inputs between ends: at one of them, or anywhere, and some elements elsewhere."""
    found, at = {}, random.choice([0, 1, random.random()])
    for key in chosen:
        low, high, shape = lows[key], highs[key], lows[key].shape
        where = np.where(random.random(shape) < 0.3, random.random(shape), at)
        with np.errstate(all="ignore"):
            found[key] = np.clip((low + (high - low) * where).astype(low.dtype), low, high).astype(low.dtype)
    return found


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_no_slope_of_gelu_is_steeper_than_is_assumed(approximate: str) -> None:
    """On a fine grid of float64; the constants of the body are enclosed with those of the summary."""
    x = np.linspace(-9, 9, 1 << 14)
    gelu = load_spec("onnx/gelu@20").judged(Call("Gelu", {"approximate": approximate}, {"X": x})).definition
    assert isinstance(gelu, Gelu)
    slopes = np.diff(gelu.value_of) / np.diff(x)
    assert 1.12 < np.abs(slopes).max() < STEEPEST
    low, high = gelu.enclosure()["Y"]
    body = gelu.with_tanh(*BODY) if approximate == "tanh" else gelu.value_of
    assert ((low <= body) & (body <= high)).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("operator", ["Exp", "Log", "Sigmoid", "Tanh", "Erf", "Softplus", "Sqrt", "Reciprocal",
                                      "HardSigmoid"])
def test_ends_rise_and_fall_with_the_function(operator: str, dtype: str) -> None:
    """Over all numbers of a type of 16 bits with a value in range; so the ends at corners are those of all between."""
    spec = load_spec(next(name for name in LATEST if name.startswith(f"onnx/{operator.lower()}@")))
    every = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    every = every[np.isfinite(every.astype(np.float32))]
    every = every[np.argsort(every.astype(np.float32), kind="stable")]
    for part in (every[every < 0], every[every > 0]):
        with np.errstate(all="ignore"):
            definition = spec.definition(Call(operator, {}, {spec.inputs[0]: part}), spec.opset)
            where = np.isfinite(definition.canonical[spec.outputs[0]].astype(np.float32))
            for end in definition.enclosure_near()[spec.outputs[0]]:
                kept = end[where & np.isfinite(end)]
                steps = np.diff(kept) * (-1 if operator == "Reciprocal" else 1)
                assert (steps >= -2.0**-50 * np.abs(kept[1:])).all(), operator


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_ends_are_rounded_outward(dtype: type) -> None:
    """To a number of the type, or to the next one; infinities and what is unknown stay."""
    third, largest = Wide(1) / 3, Wide(float(ml_dtypes.finfo(dtype).max))
    exact = np.array([third, -third, 1.5, 0, largest * 2, np.inf, np.nan, Wide(2) ** -1100], Wide)
    low, high = Ends(exact, exact).outward(np.dtype(dtype))
    assert low.dtype == high.dtype == np.dtype(dtype)
    assert ((low.astype(Wide) <= exact) & (high.astype(Wide) >= exact))[np.arange(8) != 6].all()
    assert (low == high).tolist() == [False, False, True, True, False, True, False, False]
    assert np.isnan([low[6].astype(float), high[6].astype(float)]).all() and float(low[4]) == largest
