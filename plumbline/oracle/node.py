"""Represent a node of a model, and the call that it makes."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.partial import PartialAttributes, PartialTensor

Shape = tuple[int | str, ...]
"""Sizes; one that is not known is its symbol, or ""."""


class SpecInForce(Protocol):
    """The part of a specification (`Spec`) that gives a node its meaning."""

    @property
    def name(self) -> str:
        """The name of the specification."""

    @property
    def opset(self) -> int:
        """The version of the operator that it is about."""

    @property
    def clauses(self) -> Container[str]:
        """The addresses of its clauses."""

    @property
    def variadic_output(self) -> str | None:
        """The output that a node may have any number of times."""

    def input_names(self, count: int) -> tuple[str, ...]:
        """The names of the first `count` inputs of a node."""

    def output_names(self, count: int) -> tuple[str, ...]:
        """The names of the first `count` outputs of a node."""


@dataclass(frozen=True, eq=False)
class Given:
    """An input of a node. dtype: None where unknown. shape: None where even the rank is. read: gives the value, where
    it is a constant of the model; None where it cannot be read."""

    dtype: np.dtype | None
    shape: Shape | None
    read: Callable[[], np.ndarray | None] | None = None

    @cached_property
    def value(self) -> np.ndarray | None:
        """The elements, where the model has them."""
        return self.read() if self.read is not None else None


@dataclass(frozen=True, eq=False)
class Node:
    """One application of an operator, as far as the model tells.

    name:       of the node; of its first output where it has none. place: ``graph > OPERATOR node > attribute``.
    domain:     the operator set that the operator is of, "" for ONNX's own.
    opset:      the version of it that the node is written for.
    attributes: those set; unknown: those that a function leaves to its caller.
    inputs:     by position; None for an optional one that is left out.
    asked:      which outputs are asked for, by position.
    """

    name: str
    place: str
    domain: str
    operator: str
    opset: int
    attributes: Mapping[str, Any]
    inputs: tuple[Given | None, ...]
    asked: tuple[bool, ...] = (True,)
    unknown: tuple[str, ...] = ()

    @property
    def first(self) -> Given:
        """The first input; one of which nothing is known where there is none."""
        return (self.inputs and self.inputs[0]) or Given(None, None)

    def with_first(self, **changed: Any) -> Node:
        """Return the node with another type or shape of its first input, whose value is then unknown."""
        return replace(self, inputs=(replace(self.first, **{"read": None, **changed}), *self.inputs[1:]))

    def named(self, spec: SpecInForce) -> dict[str, Given]:
        """The inputs that are given, by the names that a specification has for them."""
        names = spec.input_names(len(self.inputs))
        return {name: tensor for name, tensor in zip(names, self.inputs, strict=True) if tensor is not None}

    def call(self, spec: SpecInForce) -> Call:
        """Return the call under a specification; inputs that are no constants have only type and shape."""
        attributes = PartialAttributes(self.attributes, self.unknown) if self.unknown else self.attributes
        inputs: dict[str, Any] = {}
        for name, tensor in self.named(spec).items():
            known = tensor.value
            inputs[name] = PartialTensor(tensor.dtype, tensor.shape, name) if known is None else known
        return Call(self.operator, attributes, inputs,
                    spec.output_names(len(self.asked)) if spec.variadic_output else None)
