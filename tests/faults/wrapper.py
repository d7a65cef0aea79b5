"""What a wrapper is, and which operators can have it: faults that no syntax tree holds.

A wrapper spoils what an implementation reads (`of_inputs`, `of_attributes`), gives (`of_outputs`), refuses or
remembers. Which operators can have a fault is computed from their calls (`Facts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from plumbline.backends import Request
from tests.faults.calls import Item, Outputs

Run = Callable[[Request], Outputs]
Spoil = Callable[[np.ndarray], np.ndarray]

@dataclass(frozen=True)
class Wrapper:
    """A fault of any implementation.

    spoils: the outputs of a request, from those of the right implementation, which also may be run on another request.
    needed: whether each operator that can have it must have a call in the default run that shows it; of others it is
            enough that no drawn call shows it either.
    """

    name: str
    kind: str
    spoils: Callable[[Run, Request, Outputs], Outputs]
    needed: bool = False


@dataclass
class Facts:
    """Facts about calls of an operator: element types of inputs and outputs, inputs that some calls lack, the largest
    output, its rank and the longest last axis, attributes with the values seen, and contexts."""

    inputs: dict[str, set[np.dtype]] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    outputs: set[np.dtype] = field(default_factory=set)
    size: int = 0
    rank: int = 0
    columns: int = 0
    attributes: dict[str, list[Any]] = field(default_factory=dict)
    contexts: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, items: Iterable[Item], contexts: Iterable[str] = ()) -> Facts:
        """Of some calls."""
        found, given = cls(contexts=set(contexts)), list[set[str]]()
        for item in items:
            given.append(set(item.request.inputs))
            variadic = item.spec.variadic_input is not None  # inputs after the third are like those before
            for name, array in [*item.request.inputs.items()][:3 if variadic else None]:
                found.inputs.setdefault(name, set()).add(array.dtype)
            for array in (item.case.expectation.outputs or {}).values():
                found.outputs.add(array.dtype)
                found.size, found.rank = max(found.size, array.size), max(found.rank, array.ndim)
                found.columns = max(found.columns, *array.shape[-1:], 0)
            for name, value in item.request.attributes.items():
                values = found.attributes.setdefault(name, [])
                if repr(value) not in map(repr, values):
                    values.append(value)
        found.optional = {name for name in found.inputs if any(name not in names for names in given)}
        return found

    @property
    def types(self) -> set[np.dtype]:
        """Of inputs and outputs."""
        return set().union(self.outputs, *self.inputs.values())


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def is_float(dtype: np.dtype) -> bool:
    """Whether elements are floating-point numbers."""
    return dtype.kind == "f" or dtype == BFLOAT16


def of_outputs(name: str, kind: str, spoil: Spoil, needed: bool = False) -> Wrapper:
    """Make a wrapper that spoils every output."""
    return Wrapper(name, kind, lambda run, request, outputs: {key: spoil(array) for key, array in outputs.items()},
                   needed)


def of_input(of: str, name: str, kind: str, spoil: Spoil) -> Wrapper:
    """Make a wrapper that spoils one input."""
    return Wrapper(name, kind, partial(input_spoilt, name=of, spoil=spoil, other=of))


def input_spoilt(run: Run, request: Request, outputs: Outputs, name: str, spoil: Spoil | None,
                  other: str) -> Outputs:
    """Return the outputs for an input that is spoilt, or in whose place another is read."""
    given = request.inputs.get(other)
    if given is None or name not in request.inputs:
        return outputs
    if spoil is None and (given.shape, given.dtype) != (request.inputs[name].shape, request.inputs[name].dtype):
        return outputs
    read = given if spoil is None else spoil(given)
    if read is given or (read.dtype == given.dtype and read.tobytes() == request.inputs[name].tobytes()):
        return outputs
    return run(replace(request, inputs={**request.inputs, name: read}))
