"""What all conforming implementations of a model can give: honest ones are inside, a planted error is outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import numpy_helper

from plumbline.backends import InProcess
from plumbline.oracle.check.selection import texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.bound_run import BoundRun, Enclosed
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import drawn_inputs
from plumbline.trial.model.trial import ModelTrial
from tests.suite.model_fakes import Honest
from tests.suite.test_model import main, saved

MODELS = {
    "classifier": """c (float[1,2,6,6] x) => (float[1,5] y) <float[4,2,3,3] W, float[4] b, float[64,5] V, int64[2] s> {
        h = Conv (x, W, b)  r = Relu (h)  f = Reshape (r, s)  l = MatMul (f, V)  y = Softmax (l)
    }""",
    "gates": """g (float[3,16] x) => (float[3,8] y) <float[16,8] W, float[16,8] V, float[8] b> {
        l = MatMul (x, W)  m = Add (l, b)  i = Sigmoid (m)  n = MatMul (x, V)  t = Tanh (n)  y = Mul (i, t)
    }""",
    "normalised": """n (float[2,32] x) => (float[2,32] y) <float e = {0.00001}, float two = {2}, float[32] b> {
        m = ReduceMean <axes = [-1]> (x)  d = Sub (x, m)  q = Pow (d, two)  v = ReduceMean <axes = [-1]> (q)
        w = Add (v, e)  r = Sqrt (w)  n = Div (d, r)  y = Mul (n, b)
    }""",
    "attention": """a (float[4,8] x) => (float[4,8] y) <float[8,8] Q, float[8,8] K, float scale = {2.5}> {
        q = MatMul (x, Q)  k = MatMul (x, K)  t = Transpose <perm = [1, 0]> (k)  s = MatMul (q, t)  z = Div (s, scale)
        p = Softmax (z)  y = MatMul (p, x)
    }""",
    "pools": """p (float[1,2,6,6] x) => (float[1,4,3,3] y) {
        a = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (x)  e = Exp (x)
        m = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (e)  l = Log (m)  c = Concat <axis = 1> (a, l)
        y = LeakyRelu <alpha = 0.1> (c)
    }""",
}
SEEDS = range(12)

Sum = Callable[[np.ndarray], np.ndarray]


def model_of(name: str, folder: Path, seed: int) -> Path:
    """A model with drawn weights; the shape that it needs is that of a row."""
    random, path = np.random.default_rng(seed), saved(folder, MODELS[name], 13)
    model = onnx.load(path)
    for tensor in list(model.graph.initializer):
        if not tensor.raw_data and not tensor.float_data:
            model.graph.initializer.remove(tensor)
    known = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.value_info:
        if value.name not in known and value.type.tensor_type.shape is not None:
            shape = [size.dim_value for size in value.type.tensor_type.shape.dim]
            drawn = np.array([1, 64]) if value.name == "s" else random.normal(size=shape).astype(np.float32) / 3
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(drawn), value.name))
    onnx.save(model, path)
    return path


def enclosed(path: Path, seed: int) -> tuple[dict[str, np.ndarray], Enclosed, ModelTrial]:
    """Drawn inputs, and the enclosure of y on them."""
    graph = Graph(path)
    inputs = drawn_inputs(graph, seed, {})
    trial = ModelTrial(graph, InProcess(Honest()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.final = optimised(path, inputs, True)
    run = BoundRun(trial)
    assert run.run().outputs["y"].outside == 0
    return dict(inputs), run.tensors["y"], trial


def optimised(path: Path, inputs: Any, is_optimised: bool) -> dict[str, np.ndarray]:
    """What ONNX Runtime gives."""
    options = ort.SessionOptions()
    if not is_optimised:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return {"y": ort.InferenceSession(path, options, ["CPUExecutionProvider"]).run(["y"], dict(inputs))[0]}


def orders(random: np.random.Generator) -> list[Sum]:
    """Sums along the last axis: in order, in any order, in pairs, in float64 rounded once."""
    def any_order(terms: np.ndarray) -> np.ndarray:
        return np.add.accumulate(terms[..., random.permutation(terms.shape[-1])], axis=-1)[..., -1]
    return [lambda terms: np.add.accumulate(terms, axis=-1)[..., -1], any_order, lambda terms: terms.sum(axis=-1),
            lambda terms: terms.astype(np.float64).sum(axis=-1).astype(terms.dtype)]


def computed(path: Path, inputs: dict[str, np.ndarray], dtype: type, total: Sum) -> np.ndarray:
    """The output by numpy in a type, each node by its formula."""
    def number(x: np.ndarray) -> np.ndarray:
        return x.astype(dtype) if x.dtype == np.float32 else x
    model = onnx.load(path)
    at = {tensor.name: number(numpy_helper.to_array(tensor)) for tensor in model.graph.initializer}
    at |= {name: number(x) for name, x in inputs.items()}
    for node in model.graph.node:
        x, *more = (at[name] for name in node.input)
        attributes = {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}
        at[node.output[0]] = np.asarray(OPERATORS[node.op_type](total, attributes, x, *more))
    return at["y"]


def windows(x: np.ndarray, size: int, step: int) -> np.ndarray:
    """(N, C, rows, columns, cells of a window)."""
    cut = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::step, ::step]
    return cut.reshape(*cut.shape[:4], -1)


def convolved(total: Sum, _: Any, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A sum of all products and the bias."""
    cut = np.moveaxis(windows(x, 3, 1), 1, 3).reshape(1, 4, 4, -1)
    terms = cut[:, None] * w.reshape(1, 4, 1, 1, -1)
    return total(np.concatenate([terms, np.broadcast_to(b.reshape(1, 4, 1, 1, 1), (1, 4, 4, 4, 1))], axis=-1))


def softmax(total: Sum, _: Any, x: np.ndarray) -> np.ndarray:
    """With the largest element subtracted."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / total(powers)[..., None]


OPERATORS: dict[str, Callable[..., Any]] = {
    "Conv": convolved, "Softmax": softmax, "Relu": lambda t, a, x: np.maximum(x, 0),
    "Reshape": lambda t, a, x, s: x.reshape(s), "Add": lambda t, a, x, y: x + y, "Sub": lambda t, a, x, y: x - y,
    "MatMul": lambda t, a, x, y: t(x[:, None, :] * y.T[None]), "Mul": lambda t, a, x, y: x * y,
    "Div": lambda t, a, x, y: x / y, "Sigmoid": lambda t, a, x: 1 / (1 + np.exp(-x)),
    "Tanh": lambda t, a, x: np.tanh(x),
    "ReduceMean": lambda t, a, x: (t(x) / x.dtype.type(x.shape[-1]))[..., None], "Pow": lambda t, a, x, y: x * x,
    "Sqrt": lambda t, a, x: np.sqrt(x), "Transpose": lambda t, a, x: x.T, "Exp": lambda t, a, x: np.exp(x),
    "Log": lambda t, a, x: np.log(x), "Concat": lambda t, a, *x: np.concatenate(x, axis=1),
    "MaxPool": lambda t, a, x: windows(x, 2, 2).max(axis=-1),
    "AveragePool": lambda t, a, x: t(windows(x, 2, 2)) / x.dtype.type(4),
    "LeakyRelu": lambda t, a, x: np.where(x < 0, x * x.dtype.type(np.float32(a["alpha"])), x)}


@pytest.mark.parametrize("name", MODELS)
def test_honest_implementations_are_inside(name: str, tmp_path: Path) -> None:
    """numpy in float32 with sums in four orders and in float64, and ONNX Runtime with and without optimisation."""
    for seed in SEEDS:
        path = model_of(name, tmp_path, seed)
        inputs, found, _ = enclosed(path, seed)
        honest = [computed(path, inputs, np.float32, total) for total in orders(np.random.default_rng(seed))]
        honest += [computed(path, inputs, np.float64, lambda terms: terms.sum(axis=-1)), found.value,
                   *(optimised(path, inputs, flag)["y"] for flag in (True, False))]
        for got in honest:
            assert got.shape == found.low.shape
            assert bool(((got >= found.low) & (got <= found.high)).all()), (name, seed)


@pytest.mark.parametrize(("name", "most"), [("classifier", 3e-4), ("gates", 2e-5), ("normalised", 1e-4),
                                            ("attention", 2e-4), ("pools", 5e-6)])
def test_the_enclosure_is_narrow(name: str, most: float, tmp_path: Path) -> None:
    """As a share of the largest value; what is introduced and what is propagated make it up."""
    for seed in SEEDS[:4]:
        _, found, trial = enclosed(model_of(name, tmp_path, seed), seed)
        assert 0 < found.distance.max() <= most * np.abs(found.value).max() and found.lost == ("", "")
        stated = BoundRun(trial).run().outputs["y"]
        assert stated.distance == float(found.distance.max()) and stated.introduced <= stated.distance
        assert stated.introduced > 0 or name == "pools"  # whose last node copies that element
        assert (stated.bounded, stated.of, stated.is_open) == (found.value.size, found.value.size, False)


@pytest.mark.parametrize("name", MODELS)
def test_a_planted_error_is_outside(name: str, tmp_path: Path) -> None:
    """A final output that is off by 1 % of the largest value in one element."""
    inputs, found, trial = enclosed(model_of(name, tmp_path, 3), 3)
    wrong = np.array(trial.final["y"])
    wrong[(0,) * wrong.ndim] += 0.01 * np.abs(wrong).max()
    trial.final = {"y": wrong}
    assert BoundRun(trial).run().outputs["y"].outside == 1


def test_copies_keep_the_error_that_was_introduced(tmp_path: Path) -> None:
    """And name the node that introduced it."""
    path = saved(tmp_path, "c (float[3,4] x) => (float[1,12] y) { e = Exp (x)  t = Transpose (e)  "
                           "y = Flatten <axis = 0> (t) }")
    _, found, trial = enclosed(path, 2)
    stated = BoundRun(trial).run().outputs["y"]
    assert stated.node == "e" and stated.introduced == stated.distance > 0
    assert np.array_equal(np.asarray(found.introduced), found.distance)


DECISIONS = {
    "d (float[8] x) => (int64[1] y) { y = ArgMax (x) }": ("", "", False),
    "d (float[8] x) => (int64[1] y) { e = Exp (x)  y = ArgMax (e) }": ("", "", False),
    "d (float[8] x) => (int64[1] y) <float z = {0}> { m = Mul (x, z)  e = Exp (m)  f = Sigmoid (e)  y = ArgMax (f) }":
        ("y", "decisions may fall otherwise", True),
    "d (float[8] x) => (float[8] y) { n = Sub (x, x)  e = Sigmoid (n)  h = Add (e, e)  f = Floor (h)  y = Neg (f) }":
        ("", "", False),
    "d (float[8] x) => (float[8] y) { e = Exp (x)  l = Log (e)  y = Reciprocal (l) }":
        ("y", "nothing bounds 1 of 8 elements", False),
    "d (float[8] x) => (int32[8] y) { e = Exp (x)  l = Log (e)  n = Sub (l, l)  f = Floor (n)  y = Cast <to = 6> (f) }":
        ("n", "the enclosure is wider than the largest value", True),
    "d (float[8] x) => (float[8] y) { e = Exp (x)  g = Erf (e)  h = Mod <fmod = 1> (g, e)  y = Relu (h) }":
        ("h", "no rule encloses Mod on inputs that are not exact", False),
}


@pytest.mark.parametrize("graph", DECISIONS)
def test_where_bounds_say_nothing_is_named(graph: str, tmp_path: Path) -> None:
    """Decisions that may fall otherwise, poles, and operators without a rule, by the first node."""
    path = saved(tmp_path, graph, 20)
    trial = ModelTrial(Graph(path), InProcess(Honest()), KnownDivergences(), texts(["onnx/*"]),
                       {"x": np.linspace(-2, 1.5, 8, dtype=np.float32)})
    trial.final = optimised(path, trial.inputs, True)
    stated = BoundRun(trial).run().outputs["y"]
    assert (stated.lost, stated.why, stated.is_open) == DECISIONS[graph]


def test_the_command_states_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """As text, as JSON and on the page."""
    path = model_of("classifier", tmp_path, 0)
    arguments = ["model", str(path), "--bound", "--report-dir", str(tmp_path / "out")]
    assert main(arguments) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("bound of y: "))
    assert "introduced by y, " in line and line.endswith(" propagated)")
    assert main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bound"]["outputs"]["y"]["outside"] == 0 and told["bound"]["outputs"]["y"]["distance"] > 0
    assert "ound of y: conforming" in Path(told["report"]).read_text()
