"""Faults planted in nodes of models: the runtime itself, with one node spoiled by a wrapper of the shelf."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx

from plumbline.backends import Answered, InProcess, Request
from plumbline.oracle import OutsideDomain, TooLarge
from plumbline.oracle.check.graph import plain
from plumbline.oracle.check.judging import Finding
from plumbline.oracle.check.selection import in_force, texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.inputs import drawn_inputs
from plumbline.trial.model.trial import ModelTrial
from tests.faults.shelf import shelf
from tests.faults.wrapper import Facts, Wrapper
from tests.suite.model_fakes import Honest, Runs
from tests.suite.model_faults import Faulty

DRAWS = 200
"""Most draws of a node and a fault that shows there."""

Outputs = Mapping[str, np.ndarray]


class Planted(Faulty):
    """What the node `node` gives is spoiled; all else is ONNX Runtime.

    alone: whether it is spoiled also where the node runs by itself, on the inputs that it had in the whole model."""

    name = "planted"

    def __init__(self, node: str, fault: str, alone: bool = False) -> None:
        super().__init__(node, fault)
        self.alone, self._calls = alone, list[bytes]()

    def run(self, request: SimpleNamespace) -> Outputs:
        """The node by itself, or the whole model."""
        model = onnx.load_model_from_string(request.model)
        tensors = {**{each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer},
                   **request.inputs}
        if self.alone and len(model.graph.node) == 1 and _call(model.graph.node[0], tensors) in self._calls:
            found = self._wrong(model.graph.node[0], model.opset_import[0].version, tensors)
            return {name: found[name] for name in request.outputs}
        return super().run(request)

    def spoiled(self, node: onnx.NodeProto, opset: int, tensors: Outputs) -> Outputs:
        """The outputs of the node by tensor. Raises what the wrapper raises."""
        return self._wrong(node, opset, tensors)

    def _wrong(self, node: onnx.NodeProto, opset: int, tensors: Outputs) -> Outputs:
        self._calls.append(_call(node, tensors))
        spec = in_force(f"onnx/{node.op_type.lower()}", opset)
        names = spec.input_names(len(node.input))
        inputs = {name: tensors[tensor] for name, tensor in zip(names, node.input, strict=True) if tensor}
        request = Request(b"", node.op_type, {each.name: plain(each) for each in node.attribute}, opset, inputs,
                          spec.output_names(len(node.output)), specification=spec.name)

        def right(asked: Request) -> dict[str, np.ndarray]:
            return _on_runtime(node, opset, asked, names)

        with np.errstate(all="ignore"):
            outputs = right(request)
            found = wrappers(request, outputs)[self.fault].spoils(right, request, outputs)
        return dict(zip(node.output, (found[name] for name in request.outputs), strict=True))


def _call(node: onnx.NodeProto, tensors: Outputs) -> bytes:
    """Operator, attributes and inputs of a node, as one digest."""
    digest = sha256(node.op_type.encode())
    for attribute in sorted(node.attribute, key=lambda each: each.name):
        digest.update(attribute.SerializeToString())
    for name in filter(None, node.input):
        digest.update(np.ascontiguousarray(tensors[name]).tobytes())
    return digest.digest()


def wrappers(request: Request, outputs: Outputs) -> dict[str, Wrapper]:
    """The faults that a node can have, by name."""
    facts = Facts({name: {array.dtype} for name, array in request.inputs.items()},
                  outputs={np.asarray(array).dtype for array in outputs.values()}, size=1024, rank=4,
                  attributes={name: [value] for name, value in request.attributes.items()})
    return {wrapper.name: wrapper for wrapper in shelf(facts)}


def _on_runtime(node: onnx.NodeProto, opset: int, request: Request, names: Sequence[str]) -> dict[str, np.ndarray]:
    """What the runtime gives for a node by itself, with the inputs and attributes of a request."""
    alone = onnx.helper.make_node(
        node.op_type, [name if tensor and name in request.inputs else "" for name, tensor in
                       zip(names, node.input, strict=True)],
        list(request.outputs))
    for attribute in node.attribute:
        if attribute.name in request.attributes:
            same = request.attributes[attribute.name] == plain(attribute)
            alone.attribute.append(attribute if same else onnx.helper.make_attribute(
                attribute.name, request.attributes[attribute.name]))
    values = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for name, array in request.inputs.items()]
    graph = onnx.helper.make_graph([alone], "alone", values, [onnx.ValueInfoProto(name=name)
                                                              for name in request.outputs])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)
    asked = Request(model.SerializeToString(), node.op_type, request.attributes, opset, request.inputs,
                    request.outputs)
    return Runs.run(Honest(), asked)  # type: ignore[arg-type]


def planted(path: Path, options: Sequence[str], count: int, seed: int, alone: bool = False
            ) -> Iterator[tuple[str, str, str]]:
    """Plant faults in a model one by one; yield the node, the fault, and the node that is named as the first wrong one.

    Nodes that are wrong without a fault are never named. With `alone`, a node must be wrong by itself too."""
    rng, already = random.Random(f"{seed} {path.name}"), set[str]()
    for node, fault in _drawn(_trial(path, options, Honest()), rng, count):
        first = _first_wrong(_trial(path, options, Planted(node.gives[0], fault, alone)), already, alone)
        if first != node.node.name and not already:  # it may be wrong without a fault
            honest = _trial(path, options, Honest())
            honest.run()
            already = {judged.step.node.name for judged in honest.wrong}
            if first.partition(", right alone")[0] in already:
                first = _first_wrong(_trial(path, options, Planted(node.gives[0], fault, alone)), already, alone)
        yield node.node.name, fault, first


class Named(Exception):
    """A node is named; what the trial does behind it is not needed."""


def _first_wrong(trial: ModelTrial, already: set[str], alone: bool) -> str:
    """Run a trial up to the first wrong node that is not `already` wrong; return its name, and if it is right alone."""
    def first() -> str:
        return next((judged.step.node.name for judged in trial.judged if judged.way == "in-place"
                     and judged.line.accuses and judged.step.node.name not in already), "")

    def stop(*_: object) -> None:
        if first():
            raise Named
    trial.wrong_case = stop  # of a portion of nodes, once all of it is judged
    with suppress(Named):
        trial.run()
    wrong_alone = {judged.step.node.name for judged in trial.judged if judged.way == "alone" and judged.line.accuses}
    return f"{first()}, right alone" if alone and first() and first() not in wrong_alone else first() or "none"


def _trial(path: Path, options: Sequence[str], adapter: Runs) -> ModelTrial:
    graph = Graph(path)
    pairs = list(zip(options[::2], options[1::2], strict=True))
    sizes = {name: int(size) for option, text in pairs if option == "--size"
             for name, _, size in [text.rpartition("=")]}
    ranges = {name: (float(low), float(high)) for option, text in pairs if option == "--range"
              for name, _, ends in [text.rpartition("=")] for low, _, high in [ends.partition(":")]}
    return ModelTrial(graph, InProcess(adapter), KnownDivergences(), texts(["onnx/*"]),
                      drawn_inputs(graph, 0, sizes, ranges=ranges))


def _drawn(trial: ModelTrial, rng: random.Random, count: int) -> Iterator[tuple[Step, str]]:
    """Draw nodes, each with a fault that its specification decides there."""
    graph = trial.graph
    names = [name for step in graph.steps for name in step.gives if name not in graph.outputs]
    outcome = trial.submit(graph.giving(names), trial.inputs, [*graph.outputs, *names], "every tensor")
    assert isinstance(outcome, Answered), outcome
    constants = {name: graph.value(name) for name in graph.constants}
    tensors = {**constants, **trial.inputs, **outcome.outputs}
    subjects = [subject for subject in trial.subjects if subject.findings]
    chosen: set[str] = set()
    for _ in range(DRAWS):
        subject = rng.choice(subjects)
        if len(chosen) == count or subject.name in chosen:
            continue
        fault = _showing(trial, subject.step, subject.findings[0], tensors, rng)
        if fault:
            chosen.add(subject.name)
            yield subject.step, fault


def _showing(trial: ModelTrial, step: Step, finding: Finding, tensors: Outputs, rng: random.Random) -> str:
    """Draw a fault of a node, "" if its specification does not decide it there."""
    spec = finding.spec
    call = trial.judging.call(step, spec, tensors).asking_for(*spec.output_names(len(step.gives)))
    request = Request(b"", step.node.operator, dict(step.node.attributes), step.node.opset, call.inputs, call.outputs)
    fault = rng.choice(sorted(wrappers(request, {name: tensors[tensor] for name, tensor in
                                                 zip(call.outputs, step.gives, strict=True)})))
    try:
        found = Planted(step.gives[0], fault).spoiled(step.proto, trial.graph.opsets[""], tensors)
        outputs = dict(zip(call.outputs, (found[name] for name in step.gives), strict=True))
        return fault if spec.divergences(call, outputs) else ""
    except (OutsideDomain, TooLarge, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return ""  # it does not fit this call
    except Exception as error:
        if type(error).__module__.startswith("onnxruntime"):  # the runtime refuses the spoiled call
            return ""
        raise
