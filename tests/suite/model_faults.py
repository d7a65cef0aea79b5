"""ONNX Runtime with one node of a model computed by something else: an implementation with a single fault, of those by
which the suite's own power is measured."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import helper

from plumbline.backends import Request
from plumbline.oracle.check.graph import plain
from plumbline.oracle.check.selection import in_force
from tests.operators.discovery import faults, modules
from tests.power.catalogue import catalogue
from tests.suite.model_fakes import Runs


def implementation(operator: str, name: str) -> type:
    """The faulty implementation of that name. Raises KeyError."""
    pooling = {mutant.pooling.__name__: mutant.pooling for mutant in catalogue() if mutant.operator == operator}
    return pooling[name] if pooling else {each.__name__: each for each in faults(modules()[f"onnx/{operator.lower()}"])
                                          }[name]


class Faulty(Runs):
    """What the node gives whose first output is `node`, in a model of several nodes, comes of the implementation."""

    name = "faulty"

    def __init__(self, node: str, fault: str) -> None:
        self.node, self.fault = node, fault

    def run(self, request: SimpleNamespace) -> Mapping[str, np.ndarray]:
        """The whole model up to the node, the node, and the whole model behind it."""
        model = onnx.load_model_from_string(request.model)
        there = [node for node in model.graph.node if node.output[0] == self.node]
        if not there or len(model.graph.node) == 1:
            return super().run(request)
        node, constants = there[0], {tensor.name: onnx.numpy_helper.to_array(tensor)
                                     for tensor in model.graph.initializer}
        reads = [name for name in node.input if name and name not in constants and name not in request.inputs]
        before = onnx.ModelProto()
        before.CopyFrom(model)
        del before.graph.output[:]
        before.graph.output.extend(onnx.ValueInfoProto(name=name) for name in reads)
        tensors = {**constants, **request.inputs, **(super().run(_asking(request, before, reads)) if reads else {})}
        given = self._wrong(node, model.opset_import[0].version, tensors)
        model.graph.node.remove(node)
        model.graph.input.extend(helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in given.items())
        for output in model.graph.output:  # a fault may be of the shape, and what comes behind it of another too
            output.type.tensor_type.ClearField("shape")
        return super().run(_asking(request, model, request.outputs, given))

    def _wrong(self, node: onnx.NodeProto, opset: int, tensors: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        spec = in_force(f"onnx/{node.op_type.lower()}", opset)
        names = spec.input_names(len(node.input))
        inputs = {name: tensors[tensor] for name, tensor in zip(names, node.input, strict=True) if tensor}
        request = Request(b"", node.op_type, {each.name: plain(each) for each in node.attribute}, opset, inputs,
                          tuple(spec.outputs[:len(node.output)]), specification=spec.name)
        made = implementation(node.op_type, self.fault)
        found = made.run(request) if node.op_type.endswith("agePool") or node.op_type == "MaxPool" else None
        with np.errstate(all="ignore"):
            found = found if found is not None else made().run(request)
        return dict(zip(node.output, (found[name] for name in request.outputs), strict=True))


def _asking(request: SimpleNamespace, model: onnx.ModelProto, outputs: list[str],
            more: Mapping[str, np.ndarray] | None = None) -> SimpleNamespace:
    return SimpleNamespace(model=model.SerializeToString(), inputs={**request.inputs, **(more or {})},
                           outputs=list(outputs))
