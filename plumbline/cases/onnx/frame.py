"""Build the model of a node with constants, surrounding nodes, unknown sizes.

A node before an input takes the input of the graph, under the same name; a node after an output gives the output of the
graph, under the same name. The model is built when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from plumbline.cases.onnx.models import CONSTANTS_SINCE, model_of
from plumbline.oracle import Call, Spec

Change = Callable[[onnx.ModelProto], None]


class Frame:
    """The model of a call, and its `inputs`.

    expected: the canonical outputs, if known.
    built:    the serialised model of the call alone, if at hand.

    Reading `model` raises ValueError or TypeError if no model can hold the call."""

    def __init__(self, spec: Spec, call: Call, opset: int, expected: Mapping[str, np.ndarray] | None = None,
                 built: bytes | None = None) -> None:
        self.spec, self.call, self.opset, self._built = spec, call, opset, built
        self.inputs: dict[str, np.ndarray] = dict(call.inputs)
        self._expected = expected
        self._changes: list[Change] = []
        self._inner: dict[str, tuple[str, np.ndarray]] = {}

    @property
    def expected(self) -> Mapping[str, np.ndarray]:
        """The canonical outputs that the call asks for."""
        if self._expected is None:
            self._expected = self.spec.expected(self.call)
        return self._expected

    @property
    def model(self) -> bytes:
        """The serialised model."""
        return bytes(self._changed(self._alone).SerializeToString()) if self._changes else self._alone

    @property
    def _alone(self) -> bytes:
        """The serialised model of the call alone."""
        if self._built is None:
            self._built = model_of(self.spec, self.call, self.opset)
        return self._built

    def tolerance(self, output: str) -> float:
        """Return the largest error that the specification allows in an output."""
        return 0.0 if self.spec.exact else float(self.spec.tolerance(self.call).get(output, 0.0))

    @staticmethod
    def element(dtype: np.dtype) -> int:
        """Return ONNX's number of an element type."""
        return int(helper.np_dtype_to_tensor_dtype(dtype))

    def leave_sizes_open(self) -> None:
        """Make every size of every input a symbol of its own."""
        self._changes.append(_leave_sizes_open)

    def make_constant(self, name: str) -> None:
        """Make an input a constant of the model."""
        array = self.inputs.pop(name)

        def change(model: onnx.ModelProto) -> None:
            _add_constant(model, name, array)
            inputs = [value for value in model.graph.input if value.name != name]
            del model.graph.input[:]
            model.graph.input.extend(inputs)

        self._changes.append(change)

    def before(self, name: str, operator: str, given: np.ndarray, *weights: np.ndarray,
               between: np.ndarray | None = None, **attributes: Any) -> None:
        """Put a node before an input.

        given:   what the node takes, and the graph in place of the input.
        weights: further inputs of the node, constants of the model.
        between: what the node gives, if it is not the array that the input has had so far."""
        inner = self._inside(name, self.inputs[name] if between is None else between)
        read = self.element(given.dtype)
        self.inputs[name] = given

        def change(model: onnx.ModelProto) -> None:
            for node in model.graph.node:
                node.input[:] = [inner if source == name else source for source in node.input]
            model.graph.node.insert(0, _node(model, operator, name, inner, inner, weights, attributes))
            value = next(value for value in model.graph.input if value.name == name)
            value.CopyFrom(helper.make_tensor_value_info(name, read, given.shape))

        self._changes.append(change)

    def after(self, name: str, operator: str, *weights: np.ndarray, between: np.ndarray | None = None,
              **attributes: Any) -> None:
        """Put a node after an output.

        weights: further inputs of the node, constants of the model.
        between: what the node takes, if it is not what it gives."""
        if name not in (self.call.outputs or self.expected):
            return
        inner = self._inside(name, self.expected[name] if between is None else between)

        def change(model: onnx.ModelProto) -> None:
            for node in model.graph.node:
                node.output[:] = [inner if target == name else target for target in node.output]
            model.graph.node.append(_node(model, operator, inner, name, inner, weights, attributes))

        self._changes.append(change)

    def around(self) -> tuple[bytes, dict[str, np.ndarray], dict[str, np.ndarray]] | None:
        """Return a model of the surrounding nodes alone, its inputs, and its expected outputs.

        The model gives what the node under test reads, and takes what that node should give. None without surrounding
        nodes."""
        if not self._inner:
            return None
        model = self._changed(self._alone)
        node = next(node for node in model.graph.node if node.name == self.call.operator)
        model.graph.node.remove(node)
        inputs, expected = dict(self.inputs), {}
        outputs = {value.name: value for value in model.graph.output}
        del model.graph.output[:]
        for inner in node.input:
            if inner in self._inner:
                expected[inner] = self._inner[inner][1]
                model.graph.output.append(self._value(inner, expected[inner]))
        for inner in node.output:
            if inner in self._inner:
                name, inputs[inner] = self._inner[inner]
                expected[name] = self.expected[name]
                model.graph.input.append(self._value(inner, inputs[inner]))
                model.graph.output.append(outputs[name])
        read = {name for surrounding in model.graph.node for name in surrounding.input}
        values = [value for value in model.graph.input if value.name in read]
        del model.graph.input[:]
        model.graph.input.extend(values)
        names = {value.name for value in values}
        return model.SerializeToString(), {name: array for name, array in inputs.items() if name in names}, expected

    def _value(self, name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, self.element(array.dtype), array.shape)

    def _changed(self, model: bytes) -> onnx.ModelProto:
        proto = onnx.load_model_from_string(model)
        proto.ir_version = max(proto.ir_version, CONSTANTS_SINCE)
        for change in self._changes:
            change(proto)
        return proto

    def _inside(self, name: str, array: np.ndarray) -> str:
        inner = f"{name}_{len(self._inner) + 1}"
        self._inner[inner] = (name, array)
        return inner


def with_constants(spec: Spec, call: Call, opset: int, names: Collection[str], built: bytes | None = None) -> Frame:
    """Return the model of a call with some inputs as constants; those that it lacks are passed over."""
    frame = Frame(spec, call, opset, built=built)
    for name in call.inputs:
        if name in names:
            frame.make_constant(name)
    return frame


def _leave_sizes_open(model: onnx.ModelProto) -> None:
    for value in model.graph.input:
        for axis, size in enumerate(value.type.tensor_type.shape.dim):
            size.Clear()
            size.dim_param = f"{value.name}_{axis}"


def _node(model: onnx.ModelProto, operator: str, takes: str, gives: str, tensor: str, weights: tuple[np.ndarray, ...],
          attributes: Mapping[str, Any]) -> onnx.NodeProto:
    """Return a surrounding node; `tensor`, which it exchanges with the node under test, makes its names unique."""
    names = [f"{tensor}_weight_{number}" for number in range(len(weights))]
    for name, weight in zip(names, weights, strict=True):
        _add_constant(model, name, weight)
    return helper.make_node(operator, [takes, *names], [gives], f"{operator}_{tensor}", **attributes)


def _add_constant(model: onnx.ModelProto, name: str, array: np.ndarray) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
