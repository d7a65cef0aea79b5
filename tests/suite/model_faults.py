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
from tests.faults.shelf import shelf
from tests.faults.subjects import implementation
from tests.faults.wrapper import Facts
from tests.suite.model_fakes import Runs


def faulty(request: Request, fault: str) -> Mapping[str, np.ndarray]:
    """The outputs of the implementation of an operator with a wrapper of that name. Raises KeyError."""
    right = implementation(request.specification.partition("@")[0])
    outputs = right(request)
    facts = Facts({name: {array.dtype} for name, array in request.inputs.items()},
                  outputs={np.asarray(array).dtype for array in outputs.values()}, size=1024, rank=4,
                  attributes={name: [value] for name, value in request.attributes.items()})
    return {wrapper.name: wrapper for wrapper in shelf(facts)}[fault].spoils(right, request, outputs)


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
        constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        before = {**constants, **request.inputs, **self._everything(model, request.inputs)}
        given = self._wrong(there[0], model.opset_import[0].version, before)
        model.graph.node.remove(there[0])
        model.graph.input.extend(helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in given.items())
        found = {**given, **self._everything(model, {**request.inputs, **given})}
        return {name: found[name] for name in request.outputs}

    def _everything(self, model: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """What every node gives. None is fused with another, so that a tensor has the same bits each time."""
        opened = onnx.ModelProto()
        opened.CopyFrom(model)
        names = [name for node in model.graph.node for name in node.output]
        del opened.graph.output[:]
        del opened.graph.value_info[:]
        opened.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        return super().run(SimpleNamespace(model=opened.SerializeToString(), inputs=inputs, outputs=names))

    def _wrong(self, node: onnx.NodeProto, opset: int, tensors: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        spec = in_force(f"onnx/{node.op_type.lower()}", opset)
        names = spec.input_names(len(node.input))
        inputs = {name: tensors[tensor] for name, tensor in zip(names, node.input, strict=True) if tensor}
        request = Request(b"", node.op_type, {each.name: plain(each) for each in node.attribute}, opset, inputs,
                          spec.output_names(len(node.output)), specification=spec.name)
        with np.errstate(all="ignore"):
            found = faulty(request, self.fault)
        return dict(zip(node.output, (found[name] for name in request.outputs), strict=True))
