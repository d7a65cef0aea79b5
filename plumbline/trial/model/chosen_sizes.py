"""Choose the sizes that a model leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import starmap

import numpy as np

from plumbline.backends import Answered, Asking, Host, Request
from plumbline.oracle import TooLarge
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import open_sizes

TRIED = ((64, 16), (128, 64), (224, 256), (32, 1024), (320, 4096), (640, 16000), (1, 1))
"""Sizes of axes of images, and of others, in the order in which they are tried together."""

LARGEST = 2**24
"""Most elements of inputs of chosen sizes."""


def chosen_sizes(graph: Graph, given: Mapping[str, int], draw: Callable[[Mapping[str, int]], dict[str, np.ndarray]],
                 host: Host, time_limit: float) -> dict[str, int]:
    """Return the first open sizes with which a backend runs the model, {} if none that are tried do.

    given: the sizes that are not to be chosen, by symbol.
    draw:  makes inputs of sizes; raises InputError and TooLarge.
    """
    lacking = {size: axes for size, axes in open_sizes(graph.inputs).items() if size not in given}
    asking = Asking(host)
    for of_images, of_others in TRIED:
        sizes = {size: 1 if any(starmap(_is_batch, axes)) else
                 of_images if any(len(shape) > 3 for _, shape in axes) else of_others for size, axes in lacking.items()}
        with suppress(TooLarge):
            inputs = draw({**given, **sizes})
            if sum(array.size for array in inputs.values()) <= LARGEST and _runs(graph, inputs, asking, time_limit):
                return sizes
    return {}


def _is_batch(axis: int, shape: Sequence[int | str]) -> bool:
    """Return True for a first axis, and for the second one of states: layers, batch, units."""
    return axis == 0 or axis == 1 and len(shape) == 3 and isinstance(shape[0], int)


def _runs(graph: Graph, inputs: Mapping[str, np.ndarray], asking: Asking, time_limit: float) -> bool:
    """Return True if the model gives outputs with elements."""
    request = Request(graph.giving([]), "", {}, graph.opsets[""], inputs, tuple(graph.outputs), time_limit, "",
                      f"{graph.path.name} with sizes that were chosen")
    outcome, = asking.submit([request])
    return isinstance(outcome, Answered) and all(array.size for array in outcome.outputs.values())
