"""Compare a quantised model with the model of floats that it was made from.

Both run on the same backend and inputs. Tensors are matched by name as ONNX Runtime's own tool does: that of a
dequantisation stands for the tensor that was quantised. The loss of a tensor is the norm of its difference as a share
of the norm of the float one; what arises at it is its loss beyond the largest of those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import in_words
from plumbline.oracle.response import is_float
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.other_runs import compared
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.record.model_part import Loss, OtherModel

SUFFIXES = ("_DequantizeLinear_Output_1", "_DequantizeLinear_Output", "_dequantized")
"""What tools append to the name of a tensor that they quantise and dequantise."""


def compare_against(trial: ModelTrial, path: Path) -> OtherModel:
    """Compare the final outputs and the matched inner tensors with those of another model. Raises ModelError."""
    other = Graph(path)
    names = {value.name for value in other.inputs}
    if names != set(trial.inputs):
        return OtherModel(file=path.name, why=f"its inputs are {', '.join(sorted(names)) or 'none'}")
    if not trial.final:
        return OtherModel(file=path.name, why="the backend does not run the quantised model")
    other.bind(trial.inputs)
    final = _run(trial, other, [])
    if not isinstance(final, Answered):
        return OtherModel(file=path.name, why=f"it was {in_words(final)}")
    return OtherModel(file=path.name, outputs=compared(trial.final, final).outputs, losses=list(_losses(trial, other)))


def _run(trial: ModelTrial, graph: Graph, names: list[str]) -> Outcome:
    extra = [name for name in names if name not in graph.outputs]
    return trial.submit(graph.giving(extra), trial.inputs, [*graph.outputs, *extra], graph.path.name)


def _losses(trial: ModelTrial, other: Graph) -> Iterator[Loss]:
    """Yield the loss of each matched tensor, in the order of the quantised graph."""
    in_float = {name for step in other.steps for name in step.gives}
    carried: dict[str, float] = {}
    for portion in trial.graph.portions(trial.graph.steps):
        pairs = {name: found for step in portion for name in step.gives if (found := _matched(name, in_float))}
        runs = [_run(trial, graph, list(dict.fromkeys(wanted))) for graph, wanted in (
            (trial.graph, pairs.keys()), (other, pairs.values()))] if pairs else []
        tensors = [run.outputs if isinstance(run, Answered) else {} for run in runs] or [{}, {}]
        for step in portion:
            before = max((carried.get(name, 0.0) for name in step.reads), default=0.0)
            for name in step.gives:
                carried[name] = before
                loss = _loss(tensors[0].get(name), tensors[1].get(pairs.get(name, "")))
                if loss is not None:
                    carried[name] = loss
                    yield Loss(tensor=name, node=step.node.name, operator=step.operator, loss=loss,
                               arises=max(loss - before, 0.0))


def _matched(name: str, in_float: set[str]) -> str:
    """Return the tensor of the float model that one of the quantised model stands for, "" if there is none."""
    base = next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)
    return base if base in in_float else ""


def _loss(quantised: np.ndarray | None, exact: np.ndarray | None) -> float | None:
    """Return the share of the norm that differs; None where that is no number."""
    if quantised is None or exact is None or quantised.shape != exact.shape:
        return None
    if not is_float(exact.dtype) or not is_float(quantised.dtype):
        return None
    right = exact.astype(np.float64).ravel()
    norm = float(np.linalg.norm(right))
    difference = float(np.linalg.norm(quantised.astype(np.float64).ravel() - right))
    return difference / norm if norm and np.isfinite(norm) and np.isfinite(difference) else None
