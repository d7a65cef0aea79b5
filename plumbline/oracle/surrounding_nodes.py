"""Declare nodes around the one under test that change no value.

Runtimes rewrite graphs: they merge a node with its neighbours, move others through it, change the layout of its data. A
surrounding node passes on every value exactly, so that the specification still defines the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


def _no_attributes(x: np.ndarray) -> Mapping[str, Any]:
    return {}


def _no_weights(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return ()


@dataclass(frozen=True)
class SurroundingNode:
    """A node that gives the tensor it takes.

    operator:   of ONNX's own domain.
    passes:     whether it gives an array as it is, to the bit.
    attributes: of the node, for an array.
    weights:    its further inputs, for an array; constants of the model.
    since:      the first version of ONNX's operator set in which the node can be written so.
    between:    what stands between it and the node under test, for an array, where that is more than the array: what
                neighbours before it add those after it take away.
    """

    operator: str
    passes: Callable[[np.ndarray], bool]
    attributes: Callable[[np.ndarray], Mapping[str, Any]] = _no_attributes
    weights: Callable[[np.ndarray], tuple[np.ndarray, ...]] = _no_weights
    since: int = 7
    between: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True)
class Surroundings:
    """Nodes before the first input of the node under test and after its first output, as data flows; `note` says what
    they are in a sentence, and why."""

    name: str
    note: str
    before: tuple[SurroundingNode, ...] = ()
    after: tuple[SurroundingNode, ...] = ()
