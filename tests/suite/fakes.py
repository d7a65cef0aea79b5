"""Fake implementations, each of which tells one lie: its docstring. They are put to the trial as any backend is.

`@lies(...)` says which clauses the documented and curated cases must find broken, exactly; `Liar` adapters are used as
``tests.suite.fakes:NAME``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.suite.naive import first_maximum, pool

FAKES: dict[str, Any] = {}
"""The adapters by name."""


class Adapter:
    """What the fakes share: they have no gaps and are of version 1."""

    requirements = ()
    clauses: frozenset[str] = frozenset()

    def version(self) -> str:
        """Fakes do not change."""
        return "1"


def lies(*clauses: str) -> Callable[[Callable[[SimpleNamespace], Any]], type[Adapter]]:
    """Makes an adapter of a function from a request to outputs."""
    def make(function: Callable[[SimpleNamespace], Any]) -> type[Adapter]:
        name = function.__name__
        adapter = type(name, (Adapter,), {
            "name": name.replace("_", "-"), "__doc__": function.__doc__, "clauses": frozenset(clauses),
            "run": lambda self, request: function(request)})
        FAKES[name] = adapter
        return adapter
    return make


def has_nan(window: list[tuple[float, int]]) -> bool:
    """Whether a window selects a NaN."""
    return any(value != value for value, _ in window)


@lies()
def honest(request):
    """Tells the truth."""
    return pool(request)


# Values


@lies("float.pads.F1")
def pads_floats_with_zero(request):
    """Padding of floating-point tensors counts as 0."""
    def choose(window, padded):
        value, index = first_maximum(window)
        zero = padded and not has_nan(window) and request.inputs["X"].dtype.kind == "f"
        return (max(value, 0), index) if zero else (value, index)
    return pool(request, choose)


@lies("int.pads.F1")
def pads_integers_with_zero(request):
    """Padding of integer tensors counts as 0."""
    signed = request.inputs["X"].dtype.kind == "i"
    return pool(request, lambda window, padded: (max(first_maximum(window)[0], 0) if padded and signed else
                                                 first_maximum(window)[0], first_maximum(window)[1]))


@lies("float.pads.F1")
def pads_with_lowest_finite(request):
    """Padding counts as the lowest finite value."""
    def choose(window, padded):
        value, index = first_maximum(window)
        lowest = np.finfo(request.inputs["X"].dtype).min if request.inputs["X"].dtype.kind == "f" else value
        return (max(value, lowest) if padded and not has_nan(window) else value, index)
    return pool(request, choose)


@lies("Y.F1", "float.pads.F1", "float.Y.F1")
def starts_at_lowest_finite(request):
    """The search for the maximum starts at the lowest finite value."""
    def choose(window, padded):
        value, index = first_maximum(window)
        return (max(value, np.finfo(request.inputs["X"].dtype).min), index) \
            if request.inputs["X"].dtype.kind == "f" else (value, index)
    return pool(request, choose)


@lies("Y.F1", "Indices.F1", "float.Y.F1", "float.Indices.F1")
def minimum(request):
    """Gives the minimum."""
    def choose(window, padded):
        numbers = [pair for pair in window if pair[0] == pair[0]]
        return min(numbers, key=lambda pair: (pair[0], pair[1])) if numbers else first_maximum(window)
    return pool(request, choose)


@lies("Y.F1")
def flushes_subnormals(request):
    """Subnormal values of Y become 0."""
    outputs = pool(request)
    if outputs["Y"].dtype.kind == "f":
        tiny = np.abs(outputs["Y"]) < np.finfo(outputs["Y"].dtype).smallest_normal
        outputs["Y"][tiny] = 0
    return outputs


@lies("Y.F1", "float.pads.F1")
def computes_in_half(request):
    """Values pass through float16."""
    outputs = pool(request)
    if outputs["Y"].dtype.kind == "f":
        with np.errstate(over="ignore"):
            outputs["Y"] = outputs["Y"].astype(np.float16).astype(outputs["Y"].dtype)
    return outputs


@lies("float.Y.F1")
def nan_spreads(request):
    """A NaN in the window makes Y NaN."""
    return pool(request, lambda window, padded: (np.nan if has_nan(window) else first_maximum(window)[0],
                                                 first_maximum(window)[1]))


@lies("Y.F1", "float.Y.F1", "float.pads.F1")
def answers_nan(request):
    """Y of floating-point tensors is NaN throughout."""
    outputs = pool(request)
    if outputs["Y"].dtype.kind == "f":
        outputs["Y"][...] = np.nan
    return outputs


# Indices


@lies("Indices.F1", "float.Indices.F1")
def minus_four_for_minus_infinity(request):
    """Where Y is -inf or the lowest integer, the index is -4."""
    def choose(window, padded):
        value, index = first_maximum(window)
        dtype = request.inputs["X"].dtype
        return value, -4 if value == (-np.inf if dtype.kind == "f" else np.iinfo(dtype).min) else index
    return pool(request, choose)


@lies("Indices.F1")
def index_within_the_plane(request):
    """Indices leave out batch and channel."""
    outputs = pool(request)
    outputs["Indices"] %= max(int(np.prod(request.inputs["X"].shape[2:])), 1)
    return outputs


@lies("Indices.F2")
def last_tie_wins(request):
    """The last of equal maxima gives the index, where there is no NaN."""
    return pool(request, lambda window, padded: first_maximum(window) if has_nan(window) else
                max(window, key=lambda pair: pair))


@lies("float.Indices.F1")
def index_of_the_nan(request):
    """The first NaN of the window gives the index."""
    return pool(request, lambda window, padded: (
        first_maximum(window)[0], next((index for value, index in window if value != value), first_maximum(window)[1])))


# Shapes, types, presence


@lies("Y.C1")
def drops_the_last_column(request):
    """Y and Indices lack the last column, where there are several."""
    outputs = pool(request)
    return {name: array[..., :-1] if array.shape[-1] > 1 else array for name, array in outputs.items()}


@lies("Y.F3")
def folds_the_batch(request):
    """The batch is folded into the channels."""
    return {name: array.reshape(1, -1, *array.shape[2:]) if array.size else array
            for name, array in pool(request).items()}


@lies("Y.F3", "Y.F1", "Indices.F1")
def exchanges_batch_and_channel(request):
    """Batch and channel of the outputs are exchanged."""
    return {name: np.swapaxes(array, 0, 1) for name, array in pool(request).items()}


@lies("Y.C1")
def drops_the_batch_axis(request):
    """The outputs have no batch axis."""
    return {name: array[0] if len(array) else array for name, array in pool(request).items()}


@lies("Indices.C1")
def flat_indices(request):
    """Indices are a list."""
    outputs = pool(request)
    return {**outputs, "Indices": outputs["Indices"].ravel()}


@lies("Y.F2")
def answers_in_double(request):
    """Y is float64, whatever X is."""
    outputs = pool(request)
    return {**outputs, "Y": outputs["Y"].astype(np.float64)}


@lies("Indices.F3")
def indices_of_32_bits(request):
    """Indices are int32."""
    outputs = pool(request)
    return {**outputs, "Indices": outputs["Indices"].astype(np.int32)}


@lies("signature.F1")
def drops_indices(request):
    """Indices are never given."""
    return {"Y": pool(request)["Y"]}


# Conduct


@lies()
def big_endian(request):
    """Tells the truth in the other byte order, which is nobody's business."""
    return {name: array.astype(array.dtype.newbyteorder(">")) for name, array in pool(request).items()}


@lies()
def prints(request):
    """Tells the truth, and prints to stdout as well."""
    os.write(1, b'{"outputs": {}}\n')
    print("hello")
    return pool(request)


def refuses(phase: str):
    """A refusal in some phase."""
    error = NotImplementedError("not\nhere")
    error.phase = phase
    raise error


@lies()
def refuses_at_load(request):
    """Refuses everything while loading."""
    refuses("load")


@lies()
def answers_a_text(request):
    """Answers a text instead of outputs."""
    return "42"


@lies()
def answers_texts(request):
    """Answers arrays of texts."""
    return {"Y": np.array(["a"]), "Indices": np.array([1])}


def __getattr__(name: str) -> Any:
    """The fakes by name, for ``tests.suite.fakes:NAME``."""
    try:
        return FAKES[name]
    except KeyError:
        raise AttributeError(name) from None
