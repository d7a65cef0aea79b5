"""Models that meet what is known of a backend: for each known divergence a node, with the inputs of a written case that
shows it or of a call below, all side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import onnx
import onnx.compose
from onnx import helper

from plumbline.cases.format.flags import flags_of
from plumbline.cases.onnx.models import model_of
from plumbline.oracle import Call, load_spec
from plumbline.oracle.check.selection import in_force
from plumbline.trial.known.register import KnownEntry
from tests.suite.written import cases_of

OPSET = 21


def _call(operator: str, attributes: dict[str, object], *inputs: np.ndarray) -> Call:
    names = in_force(f"onnx/{operator.lower()}", OPSET).input_names(len(inputs))
    return Call(operator, attributes, dict(zip(names, inputs, strict=True)))


def _ones(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.ones(shape, dtype)


def _lstm(x: np.ndarray, gate: float) -> Call:
    """One cell as the profile has it, whose output gate has a bias."""
    bias = np.array([[0, gate, 0, 0, 0, 0, 0, 0]], np.float32)
    batch, state = x.shape[1], 0 * _ones(1, x.shape[1], 1)
    return _call("LSTM", {"hidden_size": 1, "direction": "forward", "input_forget": 0, "layout": 0,
                          "activations": ["Sigmoid", "Tanh", "Tanh"]},
                 x, 0 * _ones(1, 4, 1), 0 * _ones(1, 4, 1), bias, np.full(batch, len(x), np.int32), state,
                 1 + state, 0 * _ones(1, 3))


DILATED = {"kernel_shape": [3, 1], "dilations": [2, 1], "auto_pad": "SAME_UPPER"}
CALLS = {
    "onnx-same-dilated-kernel-above-x-refused": _call("MaxPool", DILATED | {"dilations": [4, 1]}, _ones(1, 1, 2, 1)),
    "onnx-same-dilated-in-blocks-crash": _call("MaxPool", DILATED, _ones(1, 16, 2, 1)),
    "onnx-average-same-dilated-in-blocks-crash": _call("AveragePool", DILATED, _ones(1, 16, 2, 1)),
    "onnx-same-lower-negative-padding": _call("MaxPool", {"kernel_shape": [4], "strides": [8],
                                                          "auto_pad": "SAME_LOWER"}, -np.arange(8.0).reshape(1, 1, 8)),
    "onnx-conv-no-channel-hangs": _call("Conv", {"strides": [2]}, _ones(1, 0, 2), _ones(1, 0, 1)),
    "sonnx-conv-no-channel-hangs": _call("Conv", {"strides": [2], "pads": [0, 0], "dilations": [1], "group": 1,
                                                  "kernel_shape": [1], "auto_pad": "NOTSET"},
                                         _ones(1, 0, 2), _ones(1, 0, 1), _ones(1)),
    "onnx-index-never-set-for-nan": _call("MaxPool", {"kernel_shape": [2]}, np.full((1, 1, 3), np.nan)),
    "div-nothing-by-zero-refused": _call("Div", {}, _ones(0, dtype="int32"), 0 * _ones(1, dtype="int32")),
    "onnx-same-ignores-dilation-of-lowest": _call("MaxPool", {"kernel_shape": [2], "strides": [3], "dilations": [3],
                                                              "auto_pad": "SAME_LOWER", "ceil_mode": 1},
                                                  np.full((1, 1, 4), -128, np.int8)),
    "onnx-conv-size-beyond-53-bits": _call("Conv", {"pads": [0, 2**53], "strides": [2**53 + 5]}, _ones(1, 1, 5),
                                           _ones(1, 1, 1)),
    "sonnx-conv-size-beyond-53-bits": _call(
        "Conv", {"strides": [1, 2**53 + 5], "pads": [0, 0, 0, 2**53], "dilations": [1, 1], "group": 1,
                 "kernel_shape": [1, 1], "auto_pad": "NOTSET"}, _ones(1, 1, 1, 5), _ones(1, 1, 1, 1), _ones(1)),
    "matmul-empty-sum-not-broadcast": _call("MatMul", {}, _ones(1, 5, 0), _ones(2, 0, 3)),
    "sonnx-lstm-no-sequence-crash": _lstm(_ones(2, 0, 1), 1),
    "sonnx-lstm-few-digits": _lstm(_ones(1, 1, 1), -38),
    "convtranspose-dilation-of-62-bits": _call(
        "ConvTranspose", {"dilations": [1, 2**62], "pads": [0, 0, 0, 2**62]},
        np.array([[[[1, 10]]]], np.float32), _ones(1, 1, 2, 2)),
    "convtranspose-same-short-of-the-stride": _call(
        "ConvTranspose", {"auto_pad": "SAME_UPPER", "strides": [3, 3], "output_padding": [2, 0]}, _ones(1, 1, 1, 1),
        _ones(1, 1, 2, 1)),
    "dft-single-reciprocal": _call("DFT", {"inverse": 1}, _ones(1, 3, 1, dtype="float64")),
    "resize-size-without-region": _call(
        "Resize", {"coordinate_transformation_mode": "tf_crop_and_resize"},
        np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4),
        np.array([0, 0, 0.25, 0.25, 1, 1, 0.75, 0.75], np.float32), _ones(4)),
    "sonnx-tanh-beyond-one": _call("Tanh", {}, np.array([8.47554], np.float32)),
    "reduction-negative-axis-of-nothing": _call("ReduceSum", {"keepdims": 0}, _ones(0, 4), np.array([0, -1])),
    "max-last-zero-float16": _call("Max", {}, *(np.full(2, zero, np.float16) for zero in (-0.0, 0.0))),
    "argmax-negative-axis-of-nothing": _call("ArgMax", {"axis": -1}, _ones(0, 3)),
    "pow-exponent-through-float64": _call("Pow", {}, -2 * _ones(1), np.array([2**53 + 1])),
    "cast-to-e4m3fn-largest-for-nan": _call("Cast", {"to": onnx.TensorProto.FLOAT8E4M3FN, "saturate": 0},
                                                 481 * _ones(1)),
    "convinteger-same-negative-padding": _call(
        "ConvInteger", {"strides": [8], "auto_pad": "SAME_UPPER"}, np.arange(8, dtype=np.uint8).reshape(1, 1, 8),
        _ones(1, 1, 4, dtype="uint8")),
    "onnx-average-same-negative-padding-zero": _call(
        "AveragePool", {"kernel_shape": [1, 1], "strides": [1, 16], "auto_pad": "SAME_UPPER"}, _ones(1, 1, 1, 5)),
}
"""Of entries that no written case shows."""


def meeting(entries: Iterable[KnownEntry]) -> tuple[onnx.ModelProto, dict[str, np.ndarray], set[str]]:
    """The model, its inputs, and the ids of those of the entries that it meets."""
    parts, inputs, met = [], dict[str, np.ndarray](), set[str]()
    for entry in entries:
        for call, form in _calls(entry):
            number = f"n{len(parts)}_"
            spec = in_force(f"onnx/{call.operator.lower()}", OPSET)
            model = onnx.load_model_from_string(model_of(spec, call.asking_for(*form.split("+")), OPSET))
            parts.append(onnx.compose.add_prefix(model, number).graph)
            inputs |= {f"{number}{value.name}": call.inputs[value.name] for value in model.graph.input}
            met.add(entry.id)
            break
    graph = helper.make_graph([node for part in parts for node in part.node], "meeting",
                              [value for part in parts for value in part.input],
                              [value for part in parts for value in part.output],
                              [tensor for part in parts for tensor in part.initializer])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10), inputs, met


def applying(entry: KnownEntry) -> list[str]:
    """The specifications of an entry that apply at the opset."""
    return [name for name in entry.specs
            if (spec := in_force(name.partition("@")[0], OPSET)) is not None and spec.name == load_spec(name).name]


def _calls(entry: KnownEntry) -> Iterator[tuple[Call, str]]:
    """Calls that an entry is about under a text that applies at the opset, with the form: the written ones, of another
    version where that text has none, then its own."""
    texts = applying(entry)
    for name in sorted(entry.specs, key=lambda name: name not in texts):
        spec = in_force(name.partition("@")[0], OPSET)
        for case in cases_of(name) if entry.cases and spec is not None and spec.name in texts else ():
            if case.id in entry.cases and entry.generated is not None and not spec.violations(case.call) and set(
                    entry.generated) <= set(flags_of(spec, case.call)):
                yield case.call, entry.cases[case.id][0]
    if entry.id in CALLS:
        yield CALLS[entry.id], (entry.forms or ["+".join(load_spec(entry.specs[0]).forms[0])])[0]
