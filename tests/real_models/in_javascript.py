"""Plant faults in JavaScript, in the page or program that runs a model; count those named as first wrong node.

    python -m tests.real_models.in_javascript BACKEND ... [--only TEXT] [--faults N] [--seed N]

The program of the adapter is copied, and in the copy the kernel of one node is replaced by one with a fault
(faulty.mjs). It computes the node with the runtime, then spoils what comes out; the other nodes run as they are.
"""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import helper

from plumbline.backends import Answered, Request, registry
from plumbline.oracle import OutsideDomain, TooLarge
from plumbline.trial.model.graph import Step
from plumbline.trial.model.trial import ModelTrial
from tests.real_models import elsewhere, faults

FAULTY = Path(__file__).with_name("faulty.mjs")

Tensors = Mapping[str, np.ndarray]


def faulty_program(folder: Path) -> Path:
    """Copy the program of the adapters, with a kernel that can be replaced; return its place."""
    shutil.copytree(registry.PROGRAM_FILE.parent, folder, dirs_exist_ok=True)
    calls = (folder / "calls.mjs").read_text(encoding="utf-8")
    honest = calls.replace("export async function answer(", "async function honest(")
    assert honest != calls
    (folder / "calls.mjs").write_text(honest + FAULTY.read_text(encoding="utf-8"), encoding="utf-8")
    return folder / registry.PROGRAM_FILE.name


def names() -> list[str]:
    """The faults."""
    return re.findall(r'^  "(.+?)": data', FAULTY.read_text(encoding="utf-8"), re.MULTILINE)


def opened(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with what every node gives as outputs: none is fused with another."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:], copy.graph.value_info[:]
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for node in model.graph.node for name in node.output)
    return copy


def step(model: onnx.ModelProto, faulty: bool = False) -> dict[str, object]:
    """A part of the model that runs, as faulty.mjs reads it."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return {"model": base64.b64encode(model.SerializeToString()).decode(), "faulty": faulty,
            "inputs": [value.name for value in model.graph.input if value.name not in constants],
            "outputs": [value.name for value in model.graph.output]}


class InJavaScript(elsewhere.Elsewhere):
    """Another backend, where the kernel of the node that gives `node` is replaced."""

    name = "in-javascript"

    def __init__(self, node: str, fault: str, types: Mapping[str, onnx.ValueInfoProto]) -> None:
        self.node, self.fault, self.types = node, fault, types

    def run(self, request: SimpleNamespace) -> Tensors:  # type: ignore[override]
        """Return the outputs by name; a model of one node is as it is."""
        model = onnx.load_model_from_string(request.model)
        there = [node for node in model.graph.node if node.output[0] == self.node]
        if not there or len(model.graph.node) == 1:
            return super().run(request)
        steps = [step(opened(model)), step(self.alone(model, there[0]), faulty=True)]
        model.graph.node.remove(there[0])
        model.graph.input.extend(self.types[name] for name in there[0].output if name)
        if model.graph.node:
            steps.append(step(opened(model)))
        planted = json.dumps({"fault": self.fault, "steps": steps})
        return self.given(self.host.run(Request(request.model, "", {"planted": planted}, 0, request.inputs,
                                                tuple(request.outputs), time_limit=elsewhere.SECONDS)))

    def alone(self, model: onnx.ModelProto, node: onnx.NodeProto) -> onnx.ModelProto:
        """The node as a model."""
        constants = [tensor for tensor in model.graph.initializer if tensor.name in node.input]
        known = {tensor.name for tensor in constants}
        graph = helper.make_graph(
            [node], "alone", [self.types[name] for name in dict.fromkeys(node.input) if name and name not in known],
            [onnx.ValueInfoProto(name=name) for name in node.output if name], constants)
        return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def drawn(trial: ModelTrial, rng: random.Random, count: int) -> Iterator[tuple[Step, str, InJavaScript]]:
    """Draw nodes, each with a fault that its specification decides there."""
    graph = trial.graph
    inner = [name for each in graph.steps for name in each.gives if name not in graph.outputs]
    outcome = trial.submit(graph.giving(inner), trial.inputs, [*graph.outputs, *inner], "every tensor")
    assert isinstance(outcome, Answered), outcome
    tensors = {**{name: graph.value(name) for name in graph.constants}, **trial.inputs, **outcome.outputs}
    types = {name: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for name, array in tensors.items()}
    subjects, chosen = [subject for subject in trial.subjects if subject.findings], set[str]()
    for _ in range(faults.DRAWS):
        subject, fault = rng.choice(subjects), rng.choice(names())
        if len(chosen) == count or subject.name in chosen:
            continue
        planted = InJavaScript(subject.step.gives[0], fault, types)
        tensors = {**trial.inputs, **trial_of(planted, trial, [*graph.outputs, *inner])}
        spec = subject.findings[0].spec
        try:
            call = trial.judging.call(subject.step, spec, tensors).asking_for(
                *spec.output_names(len(subject.step.gives)))
            outputs = dict(zip(call.outputs, (tensors[name] for name in subject.step.gives), strict=True))
            if not spec.divergences(call, outputs):
                continue
        except (OutsideDomain, TooLarge):
            continue
        chosen.add(subject.name)
        yield subject.step, fault, planted


def trial_of(planted: InJavaScript, trial: ModelTrial, outputs: list[str]) -> Tensors:
    """What the model gives with a fault."""
    model = trial.graph.giving([name for name in outputs if name not in trial.graph.outputs])
    return planted.run(SimpleNamespace(model=model, inputs=trial.inputs, outputs=outputs))


def main() -> int:
    """Replace the adapters' program; see `elsewhere.count_named`."""
    with tempfile.TemporaryDirectory() as scratch:
        registry.PROGRAM_FILE = faulty_program(Path(scratch))
        return elsewhere.count_named(__doc__, drawn, 10)


if __name__ == "__main__":
    raise SystemExit(main())
