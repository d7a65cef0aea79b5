"""A fault planted in one oracle is seen by the other: that they agree is said by the lint of cases (`test_gates`), and
for drawn calls by `test_makers`."""

from __future__ import annotations

import inspect
import itertools
import sys
import types
from fractions import Fraction

import numpy as np
import pytest

import plumbline.oracle.reference.sonnx.maxpool as reference
from plumbline.cases import Case, generate_cases
from plumbline.cases.format.lint import both_oracles_agree
from plumbline.cases.format.lint import disagreements as of_call
from plumbline.cases.generate.choices import Led
from plumbline.oracle import Call, OutsideDomain, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families import maxima, windows
from plumbline.oracle.families.elementwise import nearest
from plumbline.oracle.families.window_sizes import ENDS
from plumbline.oracle.rounding import PRECISION

GENERATED = list(generate_cases("sonnx/maxpool", seed=11, count=300))


def disagreement(cases: list[Case]) -> str | None:
    """The first thing that the two oracles disagree on."""
    return next((problem for case in cases for problem in both_oracles_agree(case)), None)


FAULTS = [
    (windows, "// s + 1 for", "// s + 2 for"),
    (windows, "k * d - b)", "k - b)"),
    (windows, "k * d - b)", "k * d)"),
    (windows, "(size - 1 - first) // stride", "(size - first) // stride"),
    (windows, "-(first // stride)", "-first // stride"),
    (windows, "prod(sizes[axis + 1:])", "prod(sizes[:axis])"),
    (windows, "prod(shape[2:])", "prod(shape[2:3])"),
    (maxima, "cells > best_so_far", "cells >= best_so_far"),
    (maxima, "better &= cells == cells", "pass"),
    (maxima, "np.arange(count) * s + _wrapped(-b)", "np.arange(count) * s"),
    (maxima, "d * k * step", "k * step"),
    (maxima, "return -np.inf if is_float", "return 0 if is_float"),
    (reference, "- (dilation_h * (kernel_h - 1) + 1)) / stride_h", "- (dilation_h * (kernel_h - 1) + 1)) / stride_w"),
    (reference, "row = m * stride_h + h * dilation_h - top", "row = m * stride_h + h * dilation_w - top"),
    (reference, "column = n * stride_w + w * dilation_w - left", "column = n * stride_w + w * dilation_w - right"),
    (reference, "0 <= row < height", "0 <= row <= height - 2 or row == 0"),
    (reference, "c * height * width", "c * height"),
    (reference, "largest = max(", "largest = min("),
    (reference, "= min(flat for number, flat in numbers", "= max(flat for number, flat in numbers"),
    (reference, "y[b, c, m, n] = -math.inf", "y[b, c, m, n] = math.nan"),
    (reference, "if not math.isnan(number)", "if True"),
]


@pytest.mark.parametrize(("module", "right", "wrong"), FAULTS, ids=[f"{m.__name__}: {w}" for m, _, w in FAULTS])
def test_a_fault_in_one_oracle_is_seen_by_the_other(module: types.ModuleType, right: str, wrong: str,
                                                    sonnx_cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    """The faulty module takes the place of the right one, and the two disagree somewhere (or break down)."""
    source = inspect.getsource(module)
    assert source.count(right) == 1, f"{module.__name__} no longer holds {right!r} once"
    faulty = types.ModuleType(module.__name__)
    monkeypatch.setitem(sys.modules, module.__name__, faulty)
    exec(compile(source.replace(right, wrong), module.__file__, "exec"), faulty.__dict__)
    for name, value in vars(faulty).items():  # where the right module's own classes look
        if getattr(value, "__module__", None) == module.__name__:
            monkeypatch.setattr(module, name, value)
    users = [value for name, value in sys.modules.items()
             if name.startswith(("plumbline.oracle.operators", "plumbline.oracle.families"))]
    for user in users:
        for name in ("Geometry", "Maxima", "taps", "plane_offsets", "strides_of"):
            if hasattr(user, name) and hasattr(faulty, name):
                monkeypatch.setattr(user, name, getattr(faulty, name))
    valid = [case for case in [*sonnx_cases, *GENERATED] if case.expectation.kind == "outputs"]
    try:
        problem = disagreement(valid)
    except (IndexError, ValueError, OutsideDomain) as error:
        problem = repr(error)
    assert problem, "nobody noticed"


CALL = Call("MaxPool", {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [2, 2],
                        "pads": [0, 0, 0, 0], "storage_order": 0, "strides": [1, 1]},
            {"X": np.array([[[[np.nan, np.nan, 1], [np.nan, np.nan, 2]]]])})


def test_what_is_open_is_masked_and_not_judged() -> None:
    """Any index is right for a window of nothing but NaN, and Y is still judged there."""
    spec = load_spec("sonnx/maxpool")
    unspecified = spec.unspecified(CALL)
    assert unspecified["Indices"].mask.tolist() == [[[[True, False]]]]
    assert unspecified["Indices"].clauses == ("sonnx/maxpool#float.Indices.U1",)
    y = np.array([[[[-np.inf, 2]]]])
    assert spec.divergences(CALL, {"Y": y, "Indices": np.array([[[[-99, 5]]]])}) == []
    wrong = spec.divergences(CALL, {"Y": y + np.nan, "Indices": np.array([[[[0, 4]]]])})
    assert [entry.clause.partition("#")[2] for entry in wrong] == ["float.Y.F1", "float.Indices.F1"]


def test_either_zero_is_right() -> None:
    """+0 and -0 are the same value."""
    spec = load_spec("sonnx/maxpool")
    call = Call("MaxPool", CALL.attributes, {"X": np.array([[[[-0.0, -0.0], [-0.0, -0.0]]]])}, ("Y",))
    assert spec.divergences(call, {"Y": np.array([[[[0.0]]]])}) == []
    assert spec.divergences(call, {"Y": np.array([[[[-0.0]]]])}) == []


def test_a_wrong_shape_names_its_restatements_too() -> None:
    """Clauses that restate Y.C1 are broken with it."""
    spec = load_spec("sonnx/maxpool")
    found = spec.divergences(CALL.asking_for("Y"), {"Y": np.zeros((1, 1, 1, 1))})
    broken = [entry.clause.partition("#")[2] for entry in found]
    assert broken == ["dilations.C3", "pads.C2", "strides.C2", "X.C2", "Y.C1"]


def test_outputs_of_a_call_outside_the_domain_are_not_judged() -> None:
    """`expected` and `divergences` raise, and say which clause the call breaks."""
    spec = load_spec("sonnx/maxpool")
    call = Call("MaxPool", {**CALL.attributes, "pads": [2, 0, 0, 0]}, CALL.inputs)
    with pytest.raises(OutsideDomain, match=r"pads\.C4"):
        spec.expected(call)
    with pytest.raises(OutsideDomain, match="is about MaxPool, not Relu"):
        spec.violations(Call("Relu", {}, {}))


@pytest.mark.parametrize("attributes", [
    {"kernel_shape": "2"}, {"kernel_shape": [2.0, 2]}, {"kernel_shape": [True, 2]}, {"strides": [[1], 1]}, {"pads": 3},
    {"dilations": None}, {"auto_pad": 0}, {"ceil_mode": True}, {"storage_order": "0"}])
def test_attributes_of_the_wrong_type_are_violations_and_no_errors(attributes: dict) -> None:
    """Whatever a model holds, a call is judged."""
    assert load_spec("sonnx/maxpool").violations(Call("MaxPool", {**CALL.attributes, **attributes}, CALL.inputs))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 1, 3), (0, 0, 0, 0), (1, 1, 0, 3)])
def test_inputs_of_any_rank_are_judged(shape: tuple[int, ...]) -> None:
    """No rank and no empty axis breaks a predicate."""
    call = Call("MaxPool", CALL.attributes, {"X": np.zeros(shape)})
    assert load_spec("sonnx/maxpool").violations(call)


HUGE = 2**62


@pytest.mark.parametrize(("attributes", "clause"), [
    ({"pads": [2**31 - 1, 0, 0, 0]}, "pads.C4"), ({"pads": [0, 0, 0, HUGE]}, "pads.C4"),
    ({"strides": [2**63, 1]}, "strides.C1"), ({"dilations": [HUGE, 1]}, "Y.C3"),
    ({"ceil_mode": 0.0}, "ceil_mode.C1"), ({"storage_order": False}, "restrictions.R5"),
    ({"stride": [1, 1]}, "signature.C1"),
])
def test_huge_and_foreign_attributes_are_judged_by_arithmetic(attributes: dict, clause: str) -> None:
    """No window is laid out to find that a call is outside the domain."""
    found = load_spec("sonnx/maxpool").violations(Call("MaxPool", {**CALL.attributes, **attributes}, CALL.inputs))
    assert f"sonnx/maxpool#{clause}" in [entry.clause for entry in found]


def test_empty_windows_are_found_as_by_looking_at_each() -> None:
    """The arithmetic of C4 against every cell of every window, for all axes within a bound."""
    for size, k, s, d, begin, end in itertools.product(range(1, 5), range(1, 4), range(1, 4), range(1, 5), range(6),
                                                       range(6)):
        axis = windows.Geometry((size,), (k,), (s,), (d,), (begin,), (end,))
        count = axis.floor_sizes[0]
        if count >= 1:
            looked = [m for m in range(count) if not any(0 <= m * s + i * d - begin < size for i in range(k))]
            found = axis.empty_window((count,))
            assert (found is None) == (not looked) and (found is None or found[1] in looked)


MEAN = Call("AveragePool", {"kernel_shape": [3]}, {"X": np.array([[[0.1, 0.2, 0.4]]], dtype=np.float32)})


@pytest.mark.parametrize(("ulps", "conforms"), [(0, True), (1, True), (2, True), (-2, True), (6, False), (-6, False)])
def test_a_mean_conforms_within_its_rounding_error(ulps: int, conforms: bool) -> None:
    """Three values: at most ((1 + u)**4 - 1) of their mean, some 2.5 to 4 ulp; six are too many."""
    spec = load_spec("onnx/averagepool@22")
    y = spec.expected(MEAN)["Y"]
    found = spec.divergences(MEAN, {"Y": y + ulps * np.spacing(y)})
    assert (found == []) == conforms


def test_an_error_at_the_largest_value_is_measured_in_its_ulp() -> None:
    """The next value below is one ulp off, though there is none above."""
    spec = load_spec("onnx/averagepool@22")
    top = np.full((1, 1, 1), np.finfo(np.float32).max)
    call = Call("AveragePool", {"kernel_shape": [1]}, {"X": top})
    assert spec.measures(call, {"Y": np.nextafter(top, np.float32(0))}) == {"largest error in ulp": 1.0}


def test_an_error_beyond_what_float64_holds_is_still_a_number() -> None:
    """The largest float64 where the mean is the smallest: the record can hold the figure."""
    spec = load_spec("onnx/averagepool@22")
    call = Call("AveragePool", {"kernel_shape": [1]}, {"X": np.full((1, 1, 1), 5e-324)})
    assert np.isfinite(spec.measures(call, {"Y": np.full((1, 1, 1), 1.7e308)})["largest error in ulp"])


def test_the_bound_of_a_mean_holds_for_every_order_of_summation() -> None:
    """Sums in every order, in float16, divided or multiplied by the reciprocal, before or after: all conform."""
    rng = np.random.default_rng(5)
    spec = load_spec("onnx/averagepool@22")
    for _ in range(20):
        x = (rng.standard_normal(5) * 2.0 ** rng.integers(-10, 8, 5)).astype(np.float16)
        call = Call("AveragePool", {"kernel_shape": [5]}, {"X": x.reshape(1, 1, 5)})
        for order in itertools.permutations(x):
            total = early = np.float16(0)
            for value in order:
                total, early = np.float16(total + value), np.float16(early + np.float16(value / np.float16(5)))
            for y in (total / np.float16(5), total * np.float16(1 / 5), early):
                assert spec.divergences(call, {"Y": np.array([[[y]]], dtype=np.float16)}) == []


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_what_extended_precision_decides_is_what_fractions_decide(dtype: str) -> None:
    """Of products near a tie, of subnormal numbers too: the canonical one, its neighbours, and those after them."""
    kind, half = element_type(dtype), Fraction(1, 2)
    eta = float(PRECISION[dtype][1])
    odd = np.array([*(eta * np.arange(-9, 10)), *(1 + 2 * float(PRECISION[dtype][0]) * np.arange(9))], kind)
    x = np.concatenate([odd, odd[::-1]])
    with np.errstate(all="ignore"):
        canonical = (x * kind.type(0.5)).astype(kind)
        wide = x.astype(np.longdouble) / 2
        for step in (-2, -1, 0, 1, 2):
            got = (canonical + kind.type(step) * np.spacing(canonical)).astype(kind)
            decided = [nearest(got, canonical, lambda at: Fraction(float(x[at])) * half, True, how)
                       for how in (None, wide)]
            assert np.array_equal(*decided) and decided[0].any() == (abs(step) < 2)


@pytest.mark.parametrize("end", [2**31 - 1, 2**32, 2**62])
@pytest.mark.parametrize("name", ["onnx/maxpool@22", "onnx/averagepool@22", "onnx/lppool@22"])
def test_a_kernel_at_the_end_of_its_type_is_answered_by_arithmetic(name: str, end: int) -> None:
    """Its padding is as wide: of one window, which holds all of X, only the cells in X are laid out."""
    spec, x = load_spec(name), np.arange(4, dtype=np.float32).reshape(1, 1, 1, 4)
    call = Call(spec.operator, {"kernel_shape": [1, end], "pads": [0, end - 4, 0, 0]}, {"X": x})
    y = spec.expected(call)["Y"]
    assert y.shape == (1, 1, 1, 1)
    assert y.item() == {"MaxPool": 3, "AveragePool": 1.5, "LpPool": np.float32(14 ** 0.5)}[spec.operator]
    assert spec.divergences(call, spec.expected(call)) == []


@pytest.mark.parametrize("name", [f"onnx/{name}" for name in ("maxpool@12", "averagepool@10", "averagepool@22",
                                                              "lppool@22")])
def test_makers_draw_kernels_at_the_ends_of_their_type(name: str) -> None:
    """Of every rank and mode; both oracles give the same of each."""
    spec, found = load_spec(name), set()
    for attempt in range(40):
        draw = Led([attempt], {"stratum": "ends", "at end": "kernel", "kernel": ENDS[attempt % len(ENDS)]})
        call = spec.definition.make(draw, spec.opset)
        if call is not None:
            assert not spec.violations(call) and not list(of_call(name, call))
            found.add(call.attributes["kernel_shape"][-1])
    assert found == set(ENDS)


def test_an_index_points_into_its_window_as_going_from_cell_to_cell_says() -> None:
    """For all axes within a bound and all indices, also those that are not integers, or lie beyond X."""
    for size, k, s, d, begin in itertools.product(range(5), (1, 2, 3), range(1, 3), range(3), range(3)):
        axis = windows.Geometry((2, size), (1, k), (1, s), (1, d), (0, begin), (0, 1))
        counts = axis.floor_sizes
        if counts[1] < 1:
            continue
        pooled = maxima.Maxima(np.arange(4.0 * size).reshape(2, 1, 2, size), axis, counts)
        for index in (*range(-1, 4 * size + 1), 0.5, np.nan, np.inf, 2.0**64):
            given = np.full(pooled.shape, index)
            largest = pooled.selects_maximum_at(given)
            for place, points in np.ndenumerate(pooled.selects_element_at(given)):
                cells = {(2 * place[0] + place[2]) * size + cell for cell in
                         (place[3] * s - begin + at * d for at in range(k)) if 0 <= cell < size}
                assert points == (index in cells) and largest[place] == (points and index == max(cells))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["onnx/maxpool@22", "openvino/maxpool@14"])
def test_windows_over_nothing_but_padding_are_judged(name: str) -> None:
    """X has no element, and Y has: the texts leave open what stands there."""
    spec = load_spec(name)
    call = Call("MaxPool", {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, {"X": np.zeros((1, 1, 0, 3), np.float32)})
    right, others = spec.expected(call), {"Y": np.float32(7), "Indices": np.int64(1)}
    assert spec.judged(call).unspecified_clauses == (f"{name}#X.U1",) and right["Y"].size
    assert spec.divergences(call, {of: np.full_like(array, others[of]) for of, array in right.items()}) == []


@pytest.mark.parametrize("power", [2, 3])
def test_a_norm_has_the_bound_of_its_own_type(power: int) -> None:
    """In double precision, too: by how far a sum of nine powers and its root are off at most."""
    spec, x = load_spec("onnx/lppool@22"), np.arange(1.0, 10).reshape(1, 1, 3, 3) / 3  # no square is exact
    call = Call("LpPool", {"kernel_shape": [3, 3], "p": power}, {"X": x})
    right, = spec.expected(call).values()
    judged = spec.judged(call).definition
    for factor, conforms in ((1, True), (1 + 2**-52, True), (1 + 2**-46, False), (1 - 2**-46, False)):
        assert judged.conforms("Y", right * factor).item() == conforms


def test_taps_are_the_cells_that_some_window_has_in_x() -> None:
    """By arithmetic as by looking at each, for all axes within a bound, by either way of finding them."""
    for size, k, s, d, begin, end in itertools.product(range(1, 5), (1, 2, 3, 40), range(1, 4), range(4), range(6),
                                                       range(3)):
        axis = windows.Geometry((size,), (k,), (s,), (d,), (begin,), (end,))
        count = axis.floor_sizes[0]
        if count >= 1:
            places = axis.positions((count,))[0]
            looked = np.flatnonzero(((places >= 0) & (places < size)).any(axis=0))
            looked = looked if d else looked[:1]  # cells that lie over each other are one
            assert [tap.offset[0] for tap in windows.taps(axis, (count,))] == looked.tolist()
