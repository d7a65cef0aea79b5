"""A model of one node, and what is built around it: constants, nodes before and after, sizes left open.

Whatever is put before an input is what the graph is given in its place, under the same name; whatever is put after an
output gives what the graph gives, under the same name. The model is built when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from plumbline.cases.onnx.models import model_of
from plumbline.oracle import Call, Spec

CONSTANTS_SINCE = 4
"""The first version of ONNX's format in which a constant is not an input."""

Change = Callable[[onnx.ModelProto], None]


class Frame:
    """The model of a call, and the `inputs` that it is given. `expected` are its canonical outputs, where they are at
    hand. Raises ValueError or TypeError, when they are asked for, where no model can hold the call, or it has none."""

    def __init__(self, spec: Spec, call: Call, opset: int, expected: Mapping[str, np.ndarray] | None = None) -> None:
        self.spec, self.call, self.opset = spec, call, opset
        self.inputs: dict[str, np.ndarray] = dict(call.inputs)
        self._expected = expected
        self._changes: list[Change] = []
        self._inner: dict[str, tuple[str, np.ndarray]] = {}

    @property
    def expected(self) -> Mapping[str, np.ndarray]:
        """The canonical outputs, of those asked for."""
        if self._expected is None:
            self._expected = self.spec.expected(self.call)
        return self._expected

    @property
    def model(self) -> bytes:
        """The model as it is built."""
        model = model_of(self.spec, self.call, self.opset)
        return self._changed(model).SerializeToString() if self._changes else model

    def tolerance(self, output: str) -> float:
        """How far from the canonical values of an output conforming ones may be."""
        return 0.0 if self.spec.exact else float(self.spec.tolerance(self.call).get(output, 0.0))

    @staticmethod
    def element(dtype: np.dtype) -> int:
        """What ONNX calls an element type."""
        return int(helper.np_dtype_to_tensor_dtype(dtype))

    def leave_sizes_open(self) -> None:
        """Every size of every input is a symbol of its own."""
        self._changes.append(_leave_sizes_open)

    def make_constant(self, name: str) -> None:
        """An input is a constant of the model."""
        array = self.inputs.pop(name)

        def change(model: onnx.ModelProto) -> None:
            _add_constant(model, name, array)
            kept = [value for value in model.graph.input if value.name != name]
            del model.graph.input[:]
            model.graph.input.extend(kept)

        self._changes.append(change)

    def before(self, name: str, operator: str, given: np.ndarray, *weights: np.ndarray,
               between: np.ndarray | None = None, **attributes: Any) -> None:
        """What is read as the input `name` comes from another node, which takes `given`; `between` is what it gives,
        where that is not what was given before."""
        inner = self._inside(name, self.inputs[name] if between is None else between)
        read = self.element(given.dtype)
        self.inputs[name] = given

        def change(model: onnx.ModelProto) -> None:
            for node in model.graph.node:
                node.input[:] = [inner if of == name else of for of in node.input]
            model.graph.node.insert(0, _node(model, operator, name, inner, inner, weights, attributes))
            value = next(value for value in model.graph.input if value.name == name)
            value.CopyFrom(helper.make_tensor_value_info(name, read, given.shape))

        self._changes.append(change)

    def after(self, name: str, operator: str, *weights: np.ndarray, between: np.ndarray | None = None,
              **attributes: Any) -> None:
        """What is given as the output `name` comes from another node, which takes what was given before; `between` is
        what it takes, where that is not what it gives."""
        if name not in (self.call.outputs or self.expected):
            return
        inner = self._inside(name, self.expected[name] if between is None else between)

        def change(model: onnx.ModelProto) -> None:
            for node in model.graph.node:
                node.output[:] = [inner if of == name else of for of in node.output]
            model.graph.node.append(_node(model, operator, inner, name, inner, weights, attributes))

        self._changes.append(change)

    def around(self) -> tuple[bytes, dict[str, np.ndarray], dict[str, np.ndarray]] | None:
        """The nodes around the node, without it: a model that gives what the node reads and, from what it should give,
        what the graph should; its inputs, and the outputs that it should give. None where there are none."""
        if not self._inner:
            return None
        model = self._changed(model_of(self.spec, self.call, self.opset))
        node = next(node for node in model.graph.node if node.name == self.call.operator)
        model.graph.node.remove(node)
        inputs, wanted = dict(self.inputs), {}
        told = {value.name: value for value in model.graph.output}
        del model.graph.output[:]
        for inner in node.input:
            if inner in self._inner:
                wanted[inner] = self._inner[inner][1]
                model.graph.output.append(self._value(inner, wanted[inner]))
        for inner in node.output:
            if inner in self._inner:
                name, inputs[inner] = self._inner[inner]
                wanted[name] = self.expected[name]
                model.graph.input.append(self._value(inner, inputs[inner]))
                model.graph.output.append(told[name])
        kept = [value for value in model.graph.input if any(value.name in other.input for other in model.graph.node)]
        del model.graph.input[:]
        model.graph.input.extend(kept)
        names = {value.name for value in kept}
        return model.SerializeToString(), {name: array for name, array in inputs.items() if name in names}, wanted

    def _value(self, name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, self.element(array.dtype), array.shape)

    def _changed(self, model: bytes) -> onnx.ModelProto:
        found = onnx.load_model_from_string(model)
        found.ir_version = max(found.ir_version, CONSTANTS_SINCE)
        for change in self._changes:
            change(found)
        return found

    def _inside(self, name: str, array: np.ndarray) -> str:
        inner = f"{name}_{len(self._inner) + 1}"
        self._inner[inner] = (name, array)
        return inner


def _leave_sizes_open(model: onnx.ModelProto) -> None:
    for value in model.graph.input:
        for axis, size in enumerate(value.type.tensor_type.shape.dim):
            size.Clear()
            size.dim_param = f"{value.name}_{axis}"


def _node(model: onnx.ModelProto, operator: str, takes: str, gives: str, beside: str, weights: tuple[np.ndarray, ...],
          attributes: Mapping[str, Any]) -> onnx.NodeProto:
    names = [f"{beside}_weight_{number}" for number in range(len(weights))]
    for name, weight in zip(names, weights, strict=True):
        _add_constant(model, name, weight)
    return helper.make_node(operator, [takes, *names], [gives], f"{operator}_{beside}", **attributes)


def _add_constant(model: onnx.ModelProto, name: str, array: np.ndarray) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
