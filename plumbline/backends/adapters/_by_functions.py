"""Base of adapters that call a library function for each operator.

It runs in the environment of the adapter, which may hold no more than numpy and the library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from plumbline.backends.request import Request

Computation = Callable[[], Any]
"""A library function with all its arguments."""

Maker = Callable[..., Computation]
"""From a request and its inputs by name to the computation. Raises CannotExpressError."""


class CannotExpressError(NotImplementedError):
    """A call for which the library has no function or no parameter."""

    phase = "check"


class ByFunctions:
    """An adapter with a function for each operator.

    library: what the library is called.
    makers:  by operator.
    tensor:  converts an array of numpy to what the functions take."""

    library = ""
    makers: ClassVar[Mapping[str, Maker]] = {}
    tensor: Callable[[np.ndarray], Any] = staticmethod(np.asarray)

    def gap(self, request: Request) -> str | None:
        """Return what the library cannot express."""
        try:
            self.computation(request)
        except Exception as error:  # of another kind: `run` reports it
            return str(error) if isinstance(error, CannotExpressError) else None
        return None

    def inputs(self, request: Request) -> Mapping[str, np.ndarray]:
        """Return the inputs by name."""
        return request.inputs

    def computation(self, request: Request, inputs: Mapping[str, Any] | None = None) -> Computation:
        """Return the computation of a request, perhaps on other inputs.

        Raises CannotExpressError, and what wrong attributes make `makers` raise."""
        try:
            if request.operator not in self.makers:
                raise CannotExpressError(request.operator)
            arrays = self.inputs(request) if inputs is None else inputs
            return self.makers[request.operator](request, **{name: self.tensor(x) for name, x in arrays.items()})
        except CannotExpressError as error:
            raise CannotExpressError(f"{self.library} cannot express {error}") from None


def attributes(request: Request, **defaults: Any) -> list[Any]:
    """Return the attributes or their defaults; floats as the float32 of ONNX.

    `consumed_inputs` is a hint on which nothing depends. Raises CannotExpressError for any other attribute."""
    for name in request.attributes.keys() - defaults.keys() - {"consumed_inputs"}:
        raise CannotExpressError(f"the attribute {name}")
    values = [request.attributes.get(name, default) for name, default in defaults.items()]
    return [float(np.float32(value)) if isinstance(value, float) else value for value in values]


def plain(function: Callable[..., Any], count: int | None = None, since: int = 1, **named: tuple[str, Any]) -> Maker:
    """Return the maker for a function that takes inputs and attributes.

    count: how many inputs it takes, None for any number.
    since: the first opset with the function's meaning.
    named: by keyword of the function, the attribute and its default."""
    def make(request: Request, **inputs: Any) -> Computation:
        if count not in (None, len(inputs)) or request.opset < since:
            raise CannotExpressError(f"{request.operator} of {len(inputs)} at opset {request.opset}")
        values = attributes(request, **dict(named.values()))
        return partial(function, *inputs.values(), **dict(zip(named, values, strict=True)))
    return make


def flatten(function: Callable[..., Any]) -> Maker:
    """Return the maker for a function that joins axes."""
    def make(request: Request, input: Any) -> Computation:
        axis, = attributes(request, axis=1)
        if input.ndim < 2 or axis not in (1, 1 - input.ndim):
            raise CannotExpressError("Flatten that joins other axes than all but the first")
        return partial(function, input, axis)
    return make


def reshape(function: Callable[..., Any]) -> Maker:
    """Return the maker for a function of the output's sizes."""
    def make(request: Request, data: Any, shape: Any = None) -> Computation:
        target, zero = attributes(request, shape=shape, allowzero=0)
        if 0 in target and not zero:
            raise CannotExpressError("a size of 0 that stands for that of data")
        return partial(function, data, tuple(map(int, target)))
    return make
