"""Models like those that are deployed, built node by node at small sizes: a residual network, an inception, a squeeze
net, a U-net, a transformer, a quantised network, a detector. Each node is named by its first output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """A graph as it is written: a method call appends a node, and gives the name of its output."""

    def __init__(self, name: str, shape: Sequence[int | str], seed: int = 0) -> None:
        self.name, self.rng = name, np.random.default_rng(seed)
        self.inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)]
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []
        self.layers = 0

    def __getattr__(self, operator: str) -> Callable[..., str]:
        """`graph.Relu(x, name="a")`: arrays among the inputs become initialisers."""
        def add(*inputs: str | np.ndarray, name: str = "", **attributes: Any) -> str:
            name = name or f"{operator.lower()}{sum(node.op_type == operator for node in self.nodes)}"
            names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
            self.nodes.append(helper.make_node(operator, names, [name], name, **attributes))
            return name
        return add

    def constant(self, array: Any) -> str:
        """An initialiser."""
        self.tensors.append(numpy_helper.from_array(np.asarray(array), f"constant{len(self.tensors)}"))
        return self.tensors[-1].name

    def weight(self, *shape: int) -> np.ndarray:
        """Small numbers, so that what a layer gives is about as large as what it gets."""
        return (self.rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)

    def conv(self, x: str, channels: tuple[int, int], kernel: int = 3, stride: int = 1) -> str:
        """A convolution that keeps the size, or divides it by the stride; then a Relu."""
        given, wanted = channels
        pads = [kernel // 2] * 4
        return self.Relu(self.Conv(x, self.weight(wanted, given, kernel, kernel), self.weight(wanted), pads=pads,
                                   kernel_shape=[kernel, kernel], strides=[stride, stride]))

    def model(self, *outputs: str) -> onnx.ModelProto:
        """The whole."""
        given = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, given, self.tensors)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        found = onnx.shape_inference.infer_shapes(made, strict_mode=True)
        del found.graph.value_info[:]  # as exporters leave it
        return found


def residual() -> onnx.ModelProto:
    """Like ResNet-18: blocks whose input is added to what they give."""
    graph = Graph("residual", ["N", 3, 32, 32])
    x = graph.MaxPool(graph.conv("image", (3, 8), 7, 2), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for given, wanted, stride in ((8, 8, 1), (8, 16, 2), (16, 16, 1)):
        y = graph.conv(x, (given, wanted), 3, stride)
        y = graph.Conv(y, graph.weight(wanted, wanted, 3, 3), graph.weight(wanted), pads=[1, 1, 1, 1])
        if stride > 1:
            x = graph.Conv(x, graph.weight(wanted, given, 1, 1), strides=[stride, stride])
        x = graph.Relu(graph.Add(y, x))
    x = graph.Flatten(graph.GlobalAveragePool(x))
    return graph.model(graph.Gemm(x, graph.weight(10, 16), graph.weight(10), transB=1, name="scores"))


def inception() -> onnx.ModelProto:
    """Like Inception-v3: branches of several widths, an AveragePool among them, joined."""
    graph = Graph("inception", ["N", 3, 27, 27])
    x = graph.MaxPool(graph.conv("image", (3, 8), 3, 2), kernel_shape=[3, 3], strides=[2, 2])
    for channels in (8, 18):
        one = graph.conv(x, (channels, 4), 1)
        three = graph.conv(graph.conv(x, (channels, 4), 1), (4, 6))
        five = graph.conv(graph.conv(x, (channels, 2), 1), (2, 4), 5)
        mean = graph.AveragePool(x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
        x = graph.Concat(one, three, five, graph.conv(mean, (channels, 4), 1), axis=1)
    x = graph.AveragePool(x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = graph.Dropout(graph.GlobalAveragePool(x))
    x = graph.Reshape(x, np.array([0, -1]))
    return graph.model(graph.Softmax(graph.Gemm(x, graph.weight(18, 5), alpha=0.5), axis=-1, name="shares"))


def squeeze() -> onnx.ModelProto:
    """Like SqueezeNet 1.1: narrow layers that widen in two ways, pools whose last windows hang over."""
    graph = Graph("squeeze", [1, 3, 31, 31])
    x = graph.conv("image", (3, 8), 3, 2)
    for given, wanted in ((8, 8), (16, 12)):
        x = graph.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
        x = graph.conv(x, (given, 4), 1)
        x = graph.Concat(graph.conv(x, (4, wanted), 1), graph.conv(x, (4, wanted)), axis=1)
    x = graph.conv(graph.Dropout(x), (24, 10), 1)
    x = graph.Flatten(graph.GlobalMaxPool(x))
    powers = graph.Exp(graph.Sub(x, np.float32([1])))
    return graph.model(graph.Log(graph.Add(powers, np.float32([1])), name="scores"))


def unet() -> onnx.ModelProto:
    """Down and up again, by a ConvTranspose and by a Resize, with what was on the way down beside it."""
    graph = Graph("unet", ["N", 1, 20, 20])
    first = graph.LeakyRelu(graph.Conv("image", graph.weight(4, 1, 3, 3), pads=[1, 1, 1, 1]), alpha=0.1)
    second = graph.conv(graph.MaxPool(first, kernel_shape=[2, 2], strides=[2, 2]), (4, 8))
    third = graph.conv(graph.LpPool(second, kernel_shape=[2, 2], strides=[2, 2], p=2), (8, 8))
    up = graph.ConvTranspose(third, graph.weight(8, 8, 2, 2), strides=[2, 2])
    x = graph.conv(graph.Concat(up, second, axis=1), (16, 4))
    up = graph.Resize(x, "", np.float32([1, 1, 2, 2]), mode="nearest")
    cut = graph.Slice(first, np.array([1, 1]), np.array([-1, -1]), np.array([2, 3]))
    sizes = graph.Slice(graph.Shape(cut), np.array([2]), np.array([4]))
    inside = graph.Slice(up, np.array([1, 1]), graph.Add(sizes, np.array([1, 1])), np.array([2, 3]))
    x = graph.Conv(graph.Concat(inside, cut, axis=1), graph.weight(3, 8, 1, 1))
    graph.ArgMax(x, axis=1, keepdims=0, name="classes")
    return graph.model(graph.Sigmoid(x, name="mask"), "classes")


def transformer() -> onnx.ModelProto:
    """Two heads of causal attention and a layer of neurons, its normalisation written out as exporters do."""
    graph, length, width, heads = Graph("transformer", ["N", 6, 16]), 6, 16, 2

    def normalised(x: str) -> str:
        away = graph.Sub(x, graph.ReduceMean(x, axes=[-1]))
        spread = graph.Sqrt(graph.Add(graph.ReduceMean(graph.Pow(away, np.float32(2)), axes=[-1]), np.float32(1e-5)))
        return graph.Add(graph.Mul(graph.Div(away, spread), 1 + graph.weight(width)), graph.weight(width))

    def split(x: str, order: list[int]) -> str:
        y = graph.Add(graph.MatMul(x, graph.weight(width, width)), graph.weight(width))
        return graph.Transpose(graph.Reshape(y, np.array([0, length, heads, width // heads])), perm=order)

    x = graph.Add("image", graph.weight(length, width))
    y = normalised(x)
    queries = split(y, [0, 2, 1, 3])
    scores = graph.MatMul(queries, split(y, [0, 2, 3, 1]))
    size = graph.Cast(graph.Slice(graph.Shape(queries), np.array([3]), np.array([4])), to=TensorProto.FLOAT)
    scores = graph.Div(scores, graph.Sqrt(size))
    rows = graph.Unsqueeze(np.arange(length), np.array([1]))
    later = graph.Less(rows, graph.Unsqueeze(np.arange(length), np.array([0])))
    shares = graph.Softmax(graph.Where(later, np.float32(-1e9), scores), axis=-1)
    y = graph.Transpose(graph.MatMul(shares, split(y, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    x = graph.Add(x, graph.MatMul(graph.Reshape(y, np.array([0, length, width])), graph.weight(width, width)))
    y = graph.MatMul(normalised(x), graph.weight(width, 24))
    cubic = graph.Add(y, graph.Mul(graph.Pow(y, np.float32(3)), np.float32(0.044715)))
    y = graph.Mul(graph.Mul(y, np.float32(0.5)), graph.Add(graph.Tanh(graph.Mul(cubic, np.float32(0.8))),
                                                           np.float32(1)))
    return graph.model(graph.Add(x, graph.MatMul(y, graph.weight(24, width)), name="states"))


def quantised() -> onnx.ModelProto:
    """Tensors are rounded to eight bits between layers, MaxPool and Concat work on these."""
    graph = Graph("quantised", ["N", 2, 16, 16])

    def rounded(x: str | np.ndarray, scale: float, kind: type = np.uint8) -> str:
        return graph.QuantizeLinear(x, np.float32(scale), kind(0))

    def real(x: str, scale: float, kind: type = np.uint8) -> str:
        return graph.DequantizeLinear(x, np.float32(scale), kind(0))

    x = rounded("image", 0.03)
    for given, wanted in ((2, 4), (4, 8)):
        weight = real(rounded(graph.weight(wanted, given, 3, 3), 0.01, np.int8), 0.01, np.int8)
        y = graph.Relu(graph.Conv(real(x, 0.03), weight, pads=[1, 1, 1, 1]))
        x = graph.MaxPool(rounded(graph.Clip(y, np.float32(0), np.float32(6)), 0.03), kernel_shape=[2, 2],
                          strides=[2, 2])
    x = real(graph.Reshape(graph.Concat(x, x, axis=1), np.array([0, -1])), 0.03)
    return graph.model(graph.Gemm(x, graph.weight(256, 4), name="scores"))


def detector() -> onnx.ModelProto:
    """A head that decodes boxes: exponents of sizes, corners, areas, what two boxes share."""
    graph = Graph("detector", ["N", 3, 12, 12])
    x = graph.Conv(graph.conv("image", (3, 6), 3, 2), graph.weight(5, 6, 1, 1))
    x = graph.Transpose(graph.Reshape(x, np.array([0, 5, -1])), perm=[0, 2, 1])
    centre = graph.Sigmoid(graph.Slice(x, np.array([0]), np.array([2]), np.array([-1])))
    size = graph.Exp(graph.Slice(x, np.array([2]), np.array([4]), np.array([-1])))
    score = graph.Tanh(graph.Slice(x, np.array([4]), np.array([5]), np.array([-1])))
    half = graph.Div(size, np.float32(2))
    low, high = graph.Sub(centre, half), graph.Add(centre, half)
    box = np.float32([[0.25, 0.25], [0.75, 0.75]])
    shared = graph.Sub(graph.Min(high, box[1]), graph.Max(low, box[0]))
    shared = graph.Mul(graph.Abs(shared), graph.Clip(score, np.float32(-0.5), np.float32(0.5)))
    best = graph.Where(graph.Less(score, np.float32(0)), np.float32(0), shared)
    graph.ArgMax(best, axis=-1, name="sides")
    return graph.model(graph.Concat(low, high, best, axis=-1, name="boxes"), "sides")


ARCHITECTURES: dict[str, Callable[[], onnx.ModelProto]] = {
    made.__name__: made for made in (residual, inception, squeeze, unet, transformer, quantised, detector)}
