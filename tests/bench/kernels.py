"""How long one call takes: the fast oracle beside the runtimes, MaxPool with Indices, on one thread."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from plumbline.backends import StartError
from plumbline.backends.environments import environment
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, load_spec
from tests.bench.clock import per_second, repeated

SPEC = "onnx/maxpool@22"
OUTPUTS = ("Y", "Indices")

SHAPES = {"1x1x5x5 k2": ((1, 1, 5, 5), 2, 1, 300), "1x16x64x64 k3": ((1, 16, 64, 64), 3, 1, 20),
          "8x64x56x56 k3 s2": ((8, 64, 56, 56), 3, 2, 3)}
"""Shape of X, kernel and stride on both axes, and how often a round computes it."""


def milliseconds() -> dict[str, dict[str, float]]:
    """By shape and by who computes; a figure is missing where it is not measured."""
    table = {}
    for name, (shape, kernel, stride, times) in SHAPES.items():
        call = pooled(shape, kernel, stride)
        slow = {"onnx.reference": min(times, 5) if call.inputs["X"].size < 1000 else 1}  # seconds for a larger X
        rates = per_second({who: repeated(work, slow.get(who, times)) for who, work in _works(call).items()})
        table[name] = {who: 1000 / rate for who, rate in rates.items()}
    return table


def pooled(shape: tuple[int, ...], kernel: int, stride: int) -> Call:
    """A float32 call with two equal axes."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    return Call("MaxPool", {"kernel_shape": [kernel] * 2, "strides": [stride] * 2}, {"X": x})


def _works(call: Call) -> dict[str, Callable[[], object]]:
    spec, model = load_spec(SPEC), to_model(call, OUTPUTS, 22)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = dict(call.inputs)
    got = dict(zip(OUTPUTS, session.run(list(OUTPUTS), feeds), strict=True))
    if spec.divergences(call, got):
        raise AssertionError("ONNX Runtime diverges on what is to be compared")
    reference = ReferenceEvaluator(onnx.load_model_from_string(model))
    return {
        "onnxruntime": lambda: session.run(list(OUTPUTS), feeds),
        "oracle expects": lambda: spec.expected(call),
        "oracle judges": lambda: spec.divergences(call, got),
        "onnx.reference": lambda: reference.run(list(OUTPUTS), feeds)}


def milliseconds_of_torch() -> dict[str, float]:
    """The same calls in PyTorch, in its own environment, which is made when needed. Raises StartError."""
    python = environment("torch", ("torch",))
    plain = {name: [list(shape), kernel, stride, times] for name, (shape, kernel, stride, times) in SHAPES.items()}
    script = Path(__file__).with_name("in_torch.py")
    done = subprocess.run([str(python), str(script), json.dumps(plain)], capture_output=True, text=True)
    if done.returncode:
        raise StartError(f"{script.name} ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return {name: float(value) for name, value in json.loads(done.stdout).items()}
