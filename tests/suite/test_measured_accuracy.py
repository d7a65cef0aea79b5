"""The measured error of functions: planted errors stand in their bucket with their figure, and nothing else does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from plumbline.backends import Host, InProcess, to_request
from plumbline.oracle import Call
from plumbline.oracle.rounding import smallest_normal
from plumbline.oracle.specification import SPEC_FOLDER, reference_expected
from plumbline.reports.accuracy_page import accuracy_page, plot_name
from plumbline.reports.power_plots import LEVELS, described_map, power_plot
from plumbline.reports.ulp_plots import PANEL, ulp_plot
from plumbline.trial.accuracy import every_float32
from plumbline.trial.accuracy.errors import Truth, bounds_on, short
from plumbline.trial.accuracy.functions import DTYPES, EXPONENTS, Function, function_names, functions_named
from plumbline.trial.accuracy.inputs import (
    LOW_BITS,
    bits_of,
    bucket_count,
    buckets_of,
    drawn_inputs,
    numbers_of,
    result_classes,
)
from plumbline.trial.accuracy.measure import measured
from plumbline.trial.accuracy.measurement import (
    AgainstProfile,
    Measurement,
    Series,
    read_measurements,
    write_measurements,
)
from plumbline.trial.accuracy.power_map import power_map
from tests.suite.commands import plumbline
from tests.suite.documents import unknown_parts

SVG = "{http://www.w3.org/2000/svg}"
BINADE_OF_8 = 127 + 3
"""The bucket of [8, 16) in float32."""

Change = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From inputs and right results to the results that are given."""


class Exact:
    """Gives numbers next to the exponential in extended precision, changed by `change`."""

    name, requirements = "exact", ()

    def __init__(self, change: Change = lambda x, y: y) -> None:
        self.change = change

    def version(self) -> str:
        """Fakes do not change."""
        return "1"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """Return Y."""
        x = request.inputs["X"]
        with np.errstate(all="ignore"):
            return {"Y": self.change(x, np.exp(x.astype(np.longdouble)).astype(x.dtype))}


def of(adapter: Any, dtype: str = "float32", per_bucket: int = 8, operator: str = "Exp") -> tuple[Measurement, Series]:
    """The measurement of one backend."""
    function, = functions_named([operator])
    measurement = measured(function, dtype, {"exact 1": InProcess(adapter)}, 0, per_bucket)
    return measurement, measurement.series[0]


def seven_ulps_off(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """In [8, 16), by seven numbers."""
    bits = bits_of(y) + np.where((x >= 8) & (x < 16), 7, 0).astype(bits_of(y).dtype)
    return bits.view(y.dtype)


def test_a_planted_error_stands_in_its_bucket_with_its_figure() -> None:
    """Seven ulp, and half of one by rounding; elsewhere at most a half."""
    measurement, series = of(Exact(seven_ulps_off))
    assert series.largest and series.largest.ulp
    assert 6.5 < series.largest.ulp <= 7.5 and 8 <= float(series.largest.x) < 16
    assert series.ulp[BINADE_OF_8] == series.largest.ulp
    others = [value for bucket, value in enumerate(series.ulp) if value is not None and bucket != BINADE_OF_8]
    assert max(others) <= 0.5 and len(others) > 300
    assert set(series.at) == {str(BINADE_OF_8)} and not series.wrong
    assert series.not_nearest == int((buckets_of_inputs(measurement) == BINADE_OF_8).sum())
    against = series.against["opencl-full"]
    assert against.exceeding == series.not_nearest and against.share == pytest.approx(series.largest.ulp / 3, rel=1e-3)


def buckets_of_inputs(measurement: Measurement) -> np.ndarray:
    """Those of the inputs drawn for a measurement of Exp."""
    function, = functions_named(["Exp"])

    def classes(x: np.ndarray) -> np.ndarray:
        return result_classes(function.definition(x).canonical["Y"])
    with np.errstate(all="ignore"):
        x = drawn_inputs("float32", classes, 0, 8)
    assert len(x) == measurement.inputs
    return buckets_of(x)


@pytest.mark.parametrize(("dtype", "unit"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7), ("float64", 2.0**-52)])
def test_the_unit_is_that_of_the_type(dtype: str, unit: float) -> None:
    """The number after the right one is one ulp farther; of 16-bit types every number is tried."""
    def next_one(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        in_place = (x >= 0.5) & (x < 0.6875)  # results in [1.6, 2)
        return np.where(in_place, y.astype(np.longdouble) + unit, y).astype(y.dtype)
    measurement, series = of(Exact(next_one), dtype, 256)
    assert series.largest and series.largest.ulp and 1 < series.largest.ulp <= 1.52
    assert 0.5 <= float(series.largest.x) < 0.6875
    assert dtype == "float64" or measurement.inputs == 65536


def test_wrong_infinities_and_nans_are_marked_apart() -> None:
    """They are in no figure of ulp, and counted; both answers above the range are right."""
    def wrong(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        y = np.where((x > 88.722) & (x < 88.7228), np.inf, y)
        y = np.where((x > -2) & (x < -1), np.nan, y)
        y = np.where(np.isnan(x), 0, y)
        return np.where((x > 1000) & np.isfinite(x), np.finfo(np.float32).max, y).astype(x.dtype)
    _, series = of(Exact(wrong))
    assert series.largest and series.largest.ulp and series.largest.ulp <= 0.5
    sixty_four, minus_one = str(127 + 6), str(256 + 127)
    assert set(series.wrong) == {sixty_four, minus_one, "255", "511"}
    assert series.wrong[sixty_four].got == "inf" and 88.722 < float(series.wrong[sixty_four].x)
    assert series.wrong[minus_one].got == "nan" and series.ulp[int(minus_one)] is not None  # of -1 itself
    assert series.wrong["255"].x == "nan" and series.wrong["255"].got == "0.0"


def test_numbers_are_denser_where_results_change_class() -> None:
    """The last input with a finite exponential is tried, and the first without, however few are drawn."""
    function, = functions_named(["Exp"])
    tried: list[np.ndarray] = []

    def note(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        tried.append(x)
        return y
    of(Exact(note), per_bucket=2)
    x = np.concatenate(tried)
    edge = np.float32(88.72284)  # the exponential of the next number is above the largest
    assert {float(edge), float(np.nextafter(edge, np.float32(np.inf)))} <= set(x[np.isfinite(x)].tolist())
    assert len(x) < 10_000 and len(np.unique(bits_of(x))) == len(x)


def test_the_real_value_is_that_of_the_reference_oracle() -> None:
    """In exact arithmetic, at the input with the largest error, for each function."""
    class Zero(Exact):
        def run(self, request: SimpleNamespace) -> dict[str, Any]:
            x = next(iter(request.inputs.values()))
            return {request.outputs[0]: np.ones_like(x)}
    for name in function_names():
        for function in functions_named([name]):
            largest = measured(function, "float16", {"zero": InProcess(Zero())}, 0).series[0].largest
            assert largest is not None
            call: Call = function.call(np.array([float(largest.x)], np.float16))
            wanted = next(iter(reference_expected(function.spec.name, call).values()))
            assert float(wanted[0]) == float(np.float16(float(largest.exact))), function.name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_the_reference_oracle_gives_is_half_an_ulp_from_the_real_values(dtype: str) -> None:
    """At most, as far as these are known, on numbers of all binades of each function, in the normal range."""
    generator = np.random.default_rng(5)
    for function in functions_named([]):
        x = numbers_of(generator.integers(0, 1 << 32, 64, np.uint64) << np.uint64(32 * (dtype == "float64")), dtype)
        with np.errstate(all="ignore"):
            truth = Truth(x, function.definition(x), buckets_of(x), bucket_count(dtype))
            wanted = next(iter(reference_expected(function.spec.name, function.call(x)).values()))
            where = truth.has_value & (np.abs(truth.exact) >= smallest_normal(x.dtype))
            assert (truth.errors(wanted).ulp[where] <= 0.5 + truth.unsure).all() and where.any(), function.name


def test_the_reference_of_gelu_is_exact_far_below_zero() -> None:
    """1 and the error function of a negative number are nearly 0; the C library has a function for it."""
    x = np.array([-9.0, -10.0, -13.0, -20.0])
    got = reference_expected("onnx/gelu@20", Call("Gelu", {}, {"X": x}))["Y"]
    wanted = [value * math.erfc(-value / math.sqrt(2)) / 2 for value in x]
    assert got.tolist() == pytest.approx(wanted, rel=1e-12, abs=0)  # the argument is rounded


def test_functions_are_those_with_real_values() -> None:
    """By name, without regard to case; Pow by five exponents."""
    assert {"Exp", "Log", "Sqrt", "Sigmoid", "Tanh", "Erf", "Sin", "Cos", "Reciprocal", "Pow"} <= set(function_names())
    assert [function.exponent for function in functions_named(["pow"])] == list(EXPONENTS)
    assert functions_named(["exp", "EXP"])[0].spec.name == "onnx/exp@13"
    assert len(functions_named(["exp", "EXP"])) == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_buckets_are_the_highest_bits(dtype: str) -> None:
    """Sign and exponent, at least; as many buckets as there are."""
    function, = functions_named(["Sqrt"])
    assert function.takes(dtype)
    assert bucket_count(dtype) * (1 << LOW_BITS[dtype]) == 1 << {"float16": 16, "bfloat16": 16}.get(
        dtype, int(dtype.removeprefix("float")) if dtype != "bfloat16" else 16)


@pytest.mark.parametrize(("value", "shown"), [
    (0.5, 0.5), (0.500001, 0.5001), (0.0, 0.0), (1e-320, 0.001), (123401, 123500)])
def test_a_figure_is_never_shown_too_small(value: float, shown: float) -> None:
    """In four digits, rounded up."""
    assert short(value) == shown


class Refuses(Exact):
    """Takes no call."""

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """Refuse. Raises ValueError."""
        raise ValueError("not <here> | never")


class Narrow(Exact):
    """Gives another element type."""

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """Return Y."""
        return {"Y": super().run(request)["Y"].astype(np.float64)}


def test_without_answers_it_says_why() -> None:
    """A refusal, and another element type."""
    assert "not <here>" in of(Refuses())[1].note and not of(Refuses())[1].ulp
    assert of(Narrow())[1].note.startswith("gave float64[") and not of(Narrow())[1].ulp


def test_the_plot_shows_figures_bounds_and_marks_without_script() -> None:
    """Well-formed, named for those who do not see it, with colors for light and dark."""
    function, = functions_named(["Exp"])
    hosts = {"off & 1": InProcess(Exact(seven_ulps_off)), "refuses 1": InProcess(Refuses()),
             "inf 1": InProcess(Exact(lambda x, y: np.where(x > 60, np.inf, y).astype(x.dtype)))}
    measurement = measured(function, "float32", hosts, 0, 8)
    text = ulp_plot(measurement)
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img" and root.get("aria-labelledby") == "t d"
    words = " ".join(node.text or "" for node in root.iter() if node.tag in (f"{SVG}title", f"{SVG}desc", f"{SVG}text"))
    largest = measurement.series[0].largest
    assert largest and f"off & 1: at most {largest.ulp:g} ulp, at x = {largest.x}" in words
    for part in ("bound of correctly-rounded: 0.5 ulp", "bound of opencl-full: 3 ulp", "x above zero, by exponent",
                 "x below zero, by exponent", "error in ulp", "not <here>", "× at"):
        assert part in words, part
    assert "prefers-color-scheme:dark" in text and "<script" not in text and "href" not in text
    colors = {node.get("class") for node in root.iter(f"{SVG}path")}
    assert {"line c0", "line c2", "bound", "grid"} <= colors
    marks = [node.get("d") or "" for node in root.iter(f"{SVG}path") if "l5 5m-5 0l5-5" in (node.get("d") or "")]
    assert len(marks) == 1 and len(re.findall("M", marks[0])) == len(measurement.series[2].wrong)
    page = accuracy_page([measurement], {plot_name(measurement): "exp-float32.svg"}, "plumbline accuracy Exp")
    assert page.startswith("<!-- Generated by: plumbline accuracy Exp -->") and "](exp-float32.svg)" in page
    assert "not &lt;here> \\| never" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 5 and {row.replace("\\|", "").count("|") for row in rows} == {rows[0].count("|")}


def test_a_line_is_as_high_as_its_error() -> None:
    """A tenfold error is a decade higher on the axis."""
    def drawn(steps: int) -> tuple[float, float]:
        def off(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            bits = bits_of(y) + np.where((x >= 8) & (x < 16), steps, 0).astype(bits_of(y).dtype)
            return bits.view(y.dtype)
        measurement, series = of(Exact(off))
        path = next(node.get("d") or "" for node in ElementTree.fromstring(ulp_plot(measurement)).iter(f"{SVG}path")
                    if node.get("class") == "line c0" and "H" in (node.get("d") or ""))
        assert series.largest and series.largest.ulp
        return series.largest.ulp, min(float(value) for value in re.findall(r"V([\d.]+)", path))
    (small, low), (large, high) = drawn(4), drawn(40)
    assert low - high == pytest.approx(PANEL / 3 * np.log10(large / small), abs=0.2)


def test_the_file_has_what_was_measured(tmp_path: Path) -> None:
    """And says how it was made."""
    measurement, _ = of(Exact(seven_ulps_off))
    path = write_measurements(tmp_path / "m.json", [measurement], "plumbline accuracy Exp")
    assert read_measurements(path) == [measurement]
    assert json.loads(path.read_text("utf-8"))["made_by"] == "plumbline accuracy Exp"


def test_the_command_writes_data_plots_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For ONNX Runtime, in float16."""
    assert plumbline(["accuracy", "sqrt", "--dtype", "float16", "--output", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"measured.md", "measurements.json", "sqrt-float16.svg"}
    out = capsys.readouterr().out
    assert re.search(r"^Sqrt float16  onnxruntime [\d.]+  0\.5 ulp at x = ", out) and "exceeds" not in out


@pytest.mark.parametrize(("arguments", "says"), [
    (["expp"], "no function is called 'expp'; did you mean 'exp'?"),
    (["Relu"], "no function is called 'Relu'"),
    (["Exp", "--backend", "nowhere"], "no backend is called 'nowhere'"),
    (["Exp", "--dtype", "int8"], "'int8' is not one of"),
    (["Exp", "--inputs", "1"], "Invalid value for '--inputs'"),
    (["Exp", "--seed", "-1"], "Invalid value for '--seed'"),
])
def test_wrong_arguments_give_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With what is wrong."""
    assert plumbline(["accuracy", *arguments]) == 2
    err = capsys.readouterr().err
    assert says.lower() in err.lower() and err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2, "measurements": []}', '{"format": 1, "measurements": [{}]}'])
def test_a_file_that_is_none_gives_one_line(text: str, tmp_path: Path) -> None:
    """With its name."""
    path = tmp_path / "m.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="is no file of `plumbline accuracy`") as error:
        read_measurements(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


class Powers(Exact):
    """Powers of float16 rounded once, two numbers off for bases in [8, 16) and exponents in [2, 4)."""

    name = "powers"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """Return Z."""
        x, y = (tensor.astype(np.longdouble) for tensor in request.inputs.values())
        with np.errstate(all="ignore"):
            z = np.power(x, y).astype(np.float16)
        off = (x >= 8) & (x < 16) & (y >= 2) & (y < 4)
        z = np.where(off, (bits_of(z) + off * np.uint16(2)).view(np.float16), z)
        return {request.outputs[0]: np.where((x < 0) & (y == 0.5), 0, z).astype(np.float16)}


def test_the_map_of_powers_shows_planted_errors_in_their_cells() -> None:
    """Two ulp in one cell; a number for the root of negative numbers in one row."""
    measured_map = power_map({"powers 1": InProcess(Powers()), "refuses 1": InProcess(Refuses())}, 0)
    entry, refusing = measured_map.backends
    planted = (15 + 3) * 64 + 15 + 1
    assert 1.5 < (entry.ulp[planted] or 0) <= 2.5
    others = [value for cell, value in enumerate(entry.ulp) if cell != planted and value is not None]
    assert max(others) <= 0.5 and len(others) > 1500
    marked = {cell for cell, wrong in enumerate(entry.wrong) if wrong}
    assert marked == {negative * 64 + 15 - 1 for negative in range(32, 64)} and "never" in refusing.note
    text = power_plot(measured_map)
    root = ElementTree.fromstring(text)
    colors = {node.get("class"): node.get("d") or "" for node in root.iter(f"{SVG}path")}
    assert set(colors) == {"k0", "k3", f"k{len(LEVELS) + 1}"}
    assert colors["k3"] == f"M{32 + 18} {63 - 32 - 16}h1v1h-1"  # between 2 and 4 ulp
    assert "at most" in described_map(measured_map) and "prefers-color-scheme:dark" in text and "<script" not in text


SHARD = 4096
"""Numbers of a shard in these tests, from the first of the binade on."""


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first numbers of each binade stand for all."""
    def results(function: Function, host: Host, number: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for start in (0, SHARD):
            x = numbers_of(np.arange(start, start + SHARD, dtype=np.uint32) + number * every_float32.SIZE, "float32")
            yield x, host.run(to_request(function.spec, function.call(x), 13)).outputs["Y"]
    monkeypatch.setattr(every_float32, "_results", results)
    monkeypatch.setattr(every_float32, "AT_ONCE", SHARD)


def shards_of(adapter: Any, span: range, path: Path, report: Callable[[int, float], None] = lambda *_: None,
              operator: str = "Exp") -> Measurement:
    """Measure all numbers of shards."""
    function, = functions_named([operator])
    progress = every_float32.Progress.read(path, {"function": operator})
    return every_float32.every_float32(function, InProcess(adapter), progress, span, report)


def off_somewhere(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Seven numbers off in [8, 16), infinite in a part of [64, 128), zero for NaN."""
    y = np.where((x > 64) & (x < 64.01), np.inf, seven_ulps_off(x, y))
    return np.where(np.isnan(x), 0, y).astype(x.dtype)


@pytest.mark.usefixtures("small_shards")
def test_an_interrupted_campaign_gives_what_a_whole_one_gives(tmp_path: Path) -> None:
    """And repeats no shard."""
    span = range(120, 140)
    whole = shards_of(Exact(off_somewhere), span, tmp_path / "whole")
    done: list[int] = []

    def interrupt(number: int, seconds: float) -> None:
        done.append(number)
        if number == 7:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        shards_of(Exact(off_somewhere), span, tmp_path / "part", interrupt)
    assert len(json.loads((tmp_path / "part").read_text("utf-8"))["shards"]) == 7
    assert shards_of(Exact(off_somewhere), span, tmp_path / "part", lambda number, _: done.append(number)) == whole
    assert done == [*range(1, 8), *range(1, 14)]


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("number", [0, 100, 127, BINADE_OF_8, 133, 134, 255, 256, 300, 389, 511])
def test_a_shard_is_measured_as_by_the_oracle(number: int, tmp_path: Path) -> None:
    """In float64 and from the real values: the same figures, counts and marks."""
    function, = functions_named(["Exp"])
    series = shards_of(Exact(off_somewhere), range(number, number + 1), tmp_path / "p").series[0]
    start = number * every_float32.SIZE
    x = numbers_of(np.arange(start, start + 2 * SHARD, dtype=np.uint32), "float32")
    got = Exact(off_somewhere).run(SimpleNamespace(inputs={"X": x}))["Y"]
    wanted = Truth(x, function.definition(x), buckets_of(x), 512).series("", got, "", bounds_on("Exp", "float32"))
    assert series.ulp == wanted.ulp and series.not_nearest == wanted.not_nearest
    assert {key: entry.count for key, entry in series.wrong.items()} == \
        {key: entry.count for key, entry in wanted.wrong.items()}
    for profile, entry in series.against.items():
        assert entry.exceeding == wanted.against.get(profile, AgainstProfile(0, 0)).exceeding, profile
    if number == BINADE_OF_8:
        assert series.largest and series.largest.ulp and 6.5 < series.largest.ulp <= 7.5
        assert series.not_nearest == series.against["correctly-rounded"].exceeding == 2 * SHARD


@pytest.mark.parametrize("operator", ["Cos", "Exp", "Log", "Reciprocal", "Sigmoid", "Sin", "Sqrt", "Tanh"])
def test_functions_in_float64_are_those_of_the_oracle(operator: str) -> None:
    """To eight ulp of float64, on numbers of all binades, and where an exponential leaves float64."""
    function, = functions_named([operator])
    x = numbers_of(np.random.default_rng(0).integers(0, 1 << 32, 4096), "float32")
    x = np.concatenate([x, np.linspace(-750, -700, 101, dtype=np.float32)])
    assert every_float32.in_float64(function, x) is not None
    every_float32._check(function, x)


def test_a_function_that_is_not_exact_enough_in_float64_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than measuring by it."""
    function, = functions_named(["Exp"])
    monkeypatch.setattr(every_float32, "in_float64", lambda function, x: np.exp(x.astype(np.float64)) * (1 + 2.0**-48))
    with pytest.raises(ValueError, match="ulp from the oracle's value"):
        every_float32._check(function, np.array([1.5, 2.5], np.float32))


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("text", ["", "{}", '{"format": 1, "what": {"function": "Log"}, "shards": {}}'])
def test_progress_of_something_else_is_not_continued(text: str, tmp_path: Path) -> None:
    """The message says what to do."""
    path = tmp_path / "p"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="delete it to start again"):
        shards_of(Exact(), range(1), path)


def test_a_backend_without_results_ends_the_campaign(tmp_path: Path) -> None:
    """With its reason."""
    with pytest.raises(ValueError, match=r"Exp of float32 from bits 0x00000000 on: refused \(run\): ValueError"):
        shards_of(Refuses(), range(1), tmp_path / "p")


@pytest.mark.parametrize(("arguments", "says"), [
    (["--every-float32"], "needs names of functions"), (["Pow", "--every-float32"], "needs names of functions"),
    (["Exp", "--shards", "0..1"], "--shards needs it"),
    (["Exp", "--every-float32", "--shards", "3..3"], "not of the form"),
    (["Exp", "--every-float32", "--dtype", "float16"], "leave --dtype out"),
])
def test_wrong_arguments_of_a_campaign_give_one_line(arguments: list[str], says: str,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    """With what is wrong."""
    assert plumbline(["accuracy", *arguments]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_the_page_of_the_documentation_has_its_plots() -> None:
    """All of them and no others, small enough for a repository; its command is one of today."""
    folder = SPEC_FOLDER.parent / "docs" / "accuracy"
    page = (folder / "measured.md").read_text("utf-8")
    pictures = set(re.findall(r"\]\(([^)]+\.svg)\)", page))
    own = set(re.findall(r"\(accuracy/([^)]+\.svg)\)", (folder.parent / "accuracy.md").read_text("utf-8")))
    assert pictures | own == {path.name for path in folder.glob("*.svg")} and len(pictures) == 23
    assert sum(path.stat().st_size for path in [*folder.glob("*.svg"), *folder.glob("*.md")]) < 300_000
    command = re.match("<!-- Generated by: (plumbline accuracy .*) -->", page)
    assert command and not unknown_parts(command[1], folder)


@pytest.mark.usefixtures("small_shards")
def test_the_command_continues_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """Of some shards the progress stays, of all, here six, it goes; a page is written either way."""
    monkeypatch.setattr("plumbline.commands.accuracy.SHARDS", 6)
    command = ["accuracy", "Exp", "--every-float32", "--output", str(tmp_path)]
    assert plumbline([*command, "--shards", "1..4"]) == 0
    assert re.search(r"^Exp: [\d,]+ values in [\d.]+ s, [\d,]+ a second; all [\d,]+ take ", capsys.readouterr().out)
    assert len(list(tmp_path.glob("exp-onnxruntime-*.progress"))) == 1
    assert plumbline([*command, "--shards", "1..5"]) == 0
    assert capsys.readouterr().err.startswith("3 of 4 shards were done before")
    series = read_measurements(tmp_path / "measurements.json")[0].series[0]
    assert [bucket for bucket, value in enumerate(series.ulp) if value is not None] == [1, 2, 3, 4]
    assert plumbline(command) == 0
    assert capsys.readouterr().err.startswith("4 of 6 shards were done before")
    assert {path.name for path in tmp_path.iterdir()} == {"measured.md", "measurements.json", "exp-float32.svg"}
