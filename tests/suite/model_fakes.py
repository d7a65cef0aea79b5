"""ONNX Runtime with a fault: `At_NAME` adds 1000 to what the node gives whose first output is NAME, where a whole
model is run; `Of_OPERATOR` to what every node of that operator gives. Others below fail in other ways."""

from __future__ import annotations

import itertools
import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from tests.suite.fakes import Adapter


class Runs(Adapter):
    """ONNX Runtime, on a model that `changed` may change."""

    name = "runs"

    def changed(self, model: onnx.ModelProto) -> None:
        """As it is."""

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The outputs by name."""
        model = onnx.load_model_from_string(request.model)
        self.changed(model)
        options = onnxruntime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return dict(zip(request.outputs, session.run(list(request.outputs), dict(request.inputs)), strict=True))


def plant(model: onnx.ModelProto, node: onnx.NodeProto, by: float = 1000.0) -> None:
    """Add a number to the first output of a node of float32; a smaller one may be left open as the error of an
    algorithm for convolutions."""
    given = node.output[0]
    node.output[0] = f"{given} as it was"
    model.graph.initializer.append(numpy_helper.from_array(np.float32(by), f"too much for {given}"))
    place = list(model.graph.node).index(node) + 1
    model.graph.node.insert(place, helper.make_node("Add", [node.output[0], f"too much for {given}"], [given]))


class Honest(Runs):
    """ONNX Runtime as it is."""

    name = "honest"


class OtherBranch(Runs):
    """Takes the other branch."""

    name = "other-branch"

    def changed(self, model: onnx.ModelProto) -> None:
        """Exchange the branches."""
        names = {"then_branch": "else_branch", "else_branch": "then_branch"}
        for node in model.graph.node:
            for attribute in node.attribute:
                attribute.name = names.get(attribute.name, attribute.name)


class SingleNodes(Runs):
    """A class that knows operators, and of a whole model nothing."""

    name = "single-nodes"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """By the inputs of the operator."""
        if "X" not in request.inputs or not request.operator:
            raise KeyError("operator")
        return super().run(request)


class Refuses(Runs):
    """No model with an AveragePool of an odd kernel."""

    name = "refuses"

    def changed(self, model: onnx.ModelProto) -> None:
        """Raises."""
        for node in model.graph.node:
            kernel = next((list(each.ints) for each in node.attribute if each.name == "kernel_shape"), [0])
            if node.op_type == "AveragePool" and kernel[0] % 2:
                raise ValueError("no odd means here")


class OneProduct(Runs):
    """No model with two products outside inner graphs."""

    name = "one-product"

    def changed(self, model: onnx.ModelProto) -> None:
        """Raises."""
        if sum(node.op_type == "Mul" for node in model.graph.node) > 1:
            raise ValueError("one product only")


class FewOutputs(Runs):
    """No model with more than four outputs."""

    name = "few-outputs"

    def changed(self, model: onnx.ModelProto) -> None:
        """Raises."""
        if len(model.graph.output) > 4:
            raise ValueError("too many outputs")


class PlainScans(Runs):
    """No Scan with two outputs."""

    name = "plain-scans"

    def changed(self, model: onnx.ModelProto) -> None:
        """Raises."""
        if any(node.op_type == "Scan" and len(node.output) > 1 for node in model.graph.node):
            raise ValueError("no Scan with two outputs")


class Dies(Runs):
    """The process ends over an AveragePool."""

    name = "dies"

    def changed(self, model: onnx.ModelProto) -> None:
        """Ends it."""
        if any(node.op_type == "AveragePool" for node in model.graph.node):
            os._exit(3)


class Wavers(Runs):
    """What the node `b` of a whole model gives is another number too large each time."""

    name = "wavers"

    def __init__(self) -> None:
        self.count = itertools.count(1)

    def changed(self, model: onnx.ModelProto) -> None:
        """Plants it."""
        for node in [node for node in model.graph.node if node.output[0] == "b"]:
            plant(model, node, float(next(self.count)))


class OnceMore(Runs):
    """A loop runs once more than its trip count says, whatever the condition."""

    name = "once-more"

    def changed(self, model: onnx.ModelProto) -> None:
        """Plants it."""
        for place, node in enumerate(list(model.graph.node)):
            if node.op_type == "Loop":
                more = [helper.make_node("Add", [node.input[0], "once"], ["more"])]
                body = node.attribute[0].g
                body.node.append(helper.make_node("Or", [body.output[0].name, "always"], ["on"]))
                body.output[0].name = "on"
                node.input[0] = "more"
                model.graph.initializer.extend([numpy_helper.from_array(np.array(1, np.int64), "once"),
                                                numpy_helper.from_array(np.array(True), "always")])
                model.graph.node.insert(place, more[0])


class Fuses(Runs):
    """What a Relu gives that follows an AveragePool, whose output nobody else sees, is too large."""

    name = "fuses"

    def changed(self, model: onnx.ModelProto) -> None:
        """Plants it."""
        seen = {value.name for value in model.graph.output}
        means = {node.output[0] for node in model.graph.node if node.op_type == "AveragePool"} - seen
        for node in [node for node in model.graph.node if node.op_type == "Relu" and node.input[0] in means]:
            plant(model, node)


class FusesByDefault(Fuses):
    """The same, unless optimisation is off, which it takes."""

    name = "fuses-by-default"
    contexts = ("unoptimized",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """By the settings."""
        return Runs.run(Honest() if request.settings.get("optimization") == "none" else self, request)


class TakesLowest(Runs):
    """What a MaxPool gives is too large where it is -inf."""

    name = "takes-lowest"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Of a model of one node."""
        found = super().run(request)
        one = onnx.load_model_from_string(request.model).graph.node
        return {name: np.maximum(array, -1e38) if len(one) == 1 and one[0].op_type == "MaxPool" else array
                for name, array in found.items()}


class OpenBounds(Runs):
    """What a Slice gives is too large where its bounds are inputs of the model."""

    name = "open-bounds"

    def changed(self, model: onnx.ModelProto) -> None:
        """Plants it."""
        given = {value.name for value in model.graph.input}
        for node in [node for node in model.graph.node if node.op_type == "Slice" and node.input[1] in given]:
            plant(model, node)


class Lonely(Runs):
    """What a MaxPool gives that has a model of its own is too large."""

    name = "lonely"

    def changed(self, model: onnx.ModelProto) -> None:
        """Plants it."""
        for node in [node for node in model.graph.node if len(model.graph.node) == 1 and node.op_type == "MaxPool"]:
            plant(model, node)


class NoQuotients(Runs):
    """A Div gives its first input, since a quotient by the integer zero may end a process."""

    name = "no-quotients"

    def changed(self, model: onnx.ModelProto) -> None:
        """Puts an Identity in its place."""
        for node in [node for node in model.graph.node if node.op_type == "Div"]:
            node.op_type = "Identity"
            del node.input[1:]


def __getattr__(name: str) -> Any:
    """`At_NAME` and `Of_OPERATOR`."""
    kind, _, which = name.partition("_")
    if kind not in ("At", "Of"):
        raise AttributeError(name)

    def changed(self: Runs, model: onnx.ModelProto) -> None:
        for node in [node for node in model.graph.node if which in (node.output[0], node.op_type)]:
            plant(model, node)
    return type(name, (Runs,), {"name": name.lower().replace("_", "-"), "changed": changed, "__module__": __name__})
