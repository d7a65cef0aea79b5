"""What adapters have in common that call a function of a library for each operator, as those of PyTorch and JAX do.

It runs in the environment of the adapter, which may hold no more than numpy and the library.
"""

from functools import partial

import numpy as np


class CannotExpressError(NotImplementedError):
    """A call for which the library has no function, or no parameter. The text says which."""

    phase = "check"


class ByFunctions:
    """An adapter with a function for each operator.

    library: what the library is called.
    calls:   by operator, from a request and its inputs by name to the function with all its words. Raises
             CannotExpressError.
    tensor:  from an array of numpy to what the functions take."""

    library = ""
    calls = {}
    tensor = staticmethod(np.asarray)

    def gap(self, request):
        """What the library cannot express."""
        try:
            self.function(request)
        except Exception as error:  # `run` will say what is wrong with the call
            return str(error) if isinstance(error, CannotExpressError) else None
        return None

    def inputs(self, request):
        """The inputs by name."""
        return request.inputs

    def function(self, request, inputs=None):
        """The function with all its words, of these inputs or those of the request; called without more, it computes.
        Raises CannotExpressError, and what wrong attributes make `calls` raise."""
        try:
            if request.operator not in self.calls:
                raise CannotExpressError(request.operator)
            given = self.inputs(request) if inputs is None else inputs
            return self.calls[request.operator](request, **{name: self.tensor(x) for name, x in given.items()})
        except CannotExpressError as error:
            raise CannotExpressError(f"{self.library} cannot express {error}") from None


def attributes(request, **defaults):
    """The attributes, or their defaults; numbers with a point as the float32 that ONNX takes them for.
    `consumed_inputs` is a hint on which nothing depends. Raises CannotExpressError for any other attribute."""
    for name in request.attributes.keys() - defaults.keys() - {"consumed_inputs"}:
        raise CannotExpressError(f"the attribute {name}")
    found = [request.attributes.get(name, default) for name, default in defaults.items()]
    return [float(np.float32(value)) if isinstance(value, float) else value for value in found]


def plain(function, count=None, since=1, **named):
    """Of a function that takes the inputs, of which there are `count`, and for each word that is `named` an attribute,
    given with its default; from opset `since` on."""
    def call(request, **inputs):
        if count not in (None, len(inputs)) or request.opset < since:
            raise CannotExpressError(f"{request.operator} of {len(inputs)} at opset {request.opset}")
        values = attributes(request, **dict(named.values()))
        return partial(function, *inputs.values(), **dict(zip(named, values, strict=True)))
    return call


def flatten(function):
    """Of a function that joins the axes from one on."""
    def call(request, input):
        axis, = attributes(request, axis=1)
        if input.ndim < 2 or axis not in (1, 1 - input.ndim):
            raise CannotExpressError("Flatten that joins other axes than all but the first")
        return partial(function, input, axis)
    return call


def reshape(function):
    """Of a function that takes the sizes of the output, of which one may be -1."""
    def call(request, data, shape=None):
        target, zero = attributes(request, shape=shape, allowzero=0)
        if 0 in target and not zero:
            raise CannotExpressError("a size of 0 that stands for that of data")
        return partial(function, data, tuple(map(int, target)))
    return call
