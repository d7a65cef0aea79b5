"""Fake implementations, each of which does one thing wrong: its docstring. They are put to the trial as any backend is,
as ``tests.suite.fakes:NAME``."""

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

    def version(self) -> str:
        """Fakes do not change."""
        return "1"


def adapter(function: Callable[[SimpleNamespace], Any]) -> type[Adapter]:
    """Makes an adapter of a function from a request to outputs."""
    name = function.__name__
    FAKES[name] = type(name, (Adapter,), {"name": name.replace("_", "-"), "__doc__": function.__doc__,
                                          "run": lambda self, request: function(request)})
    return FAKES[name]


@adapter
def honest(request):
    """Tells the truth."""
    return pool(request)


@adapter
def starts_at_lowest_finite(request):
    """The search for the maximum starts at the lowest finite value."""
    def choose(window, padded):
        value, index = first_maximum(window)
        return (max(value, np.finfo(request.inputs["X"].dtype).min), index) \
            if request.inputs["X"].dtype.kind == "f" else (value, index)
    return pool(request, choose)


@adapter
def minimum(request):
    """Gives the minimum."""
    def choose(window, padded):
        numbers = [pair for pair in window if pair[0] == pair[0]]
        return min(numbers, key=lambda pair: (pair[0], pair[1])) if numbers else first_maximum(window)
    return pool(request, choose)


@adapter
def minus_four_for_minus_infinity(request):
    """Where Y is -inf or the lowest integer, the index is -4."""
    def choose(window, padded):
        value, index = first_maximum(window)
        dtype = request.inputs["X"].dtype
        return value, -4 if value == (-np.inf if dtype.kind == "f" else np.iinfo(dtype).min) else index
    return pool(request, choose)


@adapter
def big_endian(request):
    """Tells the truth in the other byte order, which is nobody's business."""
    return {name: array.astype(array.dtype.newbyteorder(">")) for name, array in pool(request).items()}


@adapter
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


@adapter
def refuses_at_load(request):
    """Refuses everything while loading."""
    refuses("load")


@adapter
def answers_a_text(request):
    """Answers a text instead of outputs."""
    return "42"


@adapter
def answers_texts(request):
    """Answers arrays of texts."""
    return {"Y": np.array(["a"]), "Indices": np.array([1])}


def __getattr__(name: str) -> Any:
    """The fakes by name, for ``tests.suite.fakes:NAME``."""
    try:
        return FAKES[name]
    except KeyError:
        raise AttributeError(name) from None
