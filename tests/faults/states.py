"""Faults that show in a model around the node, at a second call, or in what was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from plumbline.backends import Request
from tests.faults.calls import Outputs
from tests.faults.readings import without_attribute
from tests.faults.values import through
from tests.faults.wrapper import Facts, Run, Spoil, Wrapper, of_outputs


def of_contexts(facts: Facts) -> Iterator[Wrapper]:
    """Those in the contexts that the operator is put in."""
    spoils: Mapping[str, Spoil] = {
        "the last element is not written": _last_not_written,
        "rows are turned": lambda x: x[..., ::-1] if x.ndim else x,
        "elements come one late": lambda x: np.roll(x.reshape(-1), 1).reshape(x.shape),
        "float32 goes through float16": partial(through, wide=np.dtype(np.float32), short=np.dtype(np.float16))}
    for context in sorted(facts.contexts):
        for what, spoil in spoils.items():
            yield Wrapper(f"{context}: {what}", "context", partial(_in_context, context=context, inner=of_outputs(
                "", "", spoil)), needed=what.startswith("the last"))
        for name in facts.attributes:
            inner = Wrapper("", "", partial(without_attribute, name=name))
            yield Wrapper(f"{context}: {name} is not read", "context",
                          partial(_in_context, context=context, inner=inner))


def _last_not_written(x: np.ndarray) -> np.ndarray:
    flat = x.reshape(-1).copy()
    flat[-1:] = 0
    return flat.reshape(x.shape)


def _in_context(run: Run, request: Request, outputs: Outputs, context: str, inner: Wrapper) -> Outputs:
    return inner.spoils(run, request, outputs) if request.label == context else outputs


class Remembering:
    """An adapter with a fault that shows at a second call, or in what it was given: `fault` names one of FAULTS."""

    FAULTS = ("the second call gives zeros", "a second call gives what the first gave of other values",
              "an input is overwritten", "an output handed out before is overwritten")

    def __init__(self, run: Run, fault: str) -> None:
        self.right, self.fault = run, fault
        self.name = "remembering"
        self.last: dict[str, np.ndarray] | None = None

    def version(self) -> str:
        """It does not change."""
        return "1"

    def run(self, request: Request) -> dict[str, np.ndarray]:
        """The outputs by name."""
        before, outputs = self.last, {name: np.array(array) for name, array in self.right(request).items()}
        self.last = outputs
        if self.fault == self.FAULTS[2]:
            for array in request.inputs.values():
                array[...] = 0
        if before is None:
            return outputs
        if self.fault == self.FAULTS[3]:
            for array in before.values():
                array[...] = 0
        if self.fault == self.FAULTS[0]:
            return {name: np.zeros_like(array) for name, array in outputs.items()}
        if self.fault == self.FAULTS[1] and all(before[name].shape == outputs[name].shape for name in outputs):
            self.last = before
            return {name: before[name].copy() for name in outputs}
        return outputs
