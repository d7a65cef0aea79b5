"""JAX on the CPU: for each call one function of `jax.numpy`, `jax.nn` or `jax.lax` of the same meaning.

The functions are called with the words of the call, and nothing is computed beside them; what they cannot express is
refused here, and declared. JAX names the modes of padding "SAME", "SAME_LOWER" and "VALID"; it pads at each axis's two
ends in pairs, where ONNX lists all beginnings first.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PADDING = {"SAME_UPPER": "SAME", "SAME_LOWER": "SAME_LOWER", "VALID": "VALID"}


class Jax:
    """One call of a function, compiled for its shapes."""

    name = "jax"
    requirements = ("jax",)
    megabytes = 530
    specifications = ("sonnx/*", "onnx/*")
    # From the documentation of the functions. jax.numpy takes every type of numpy, and bfloat16.
    capabilities = [
        # jax.lax.reduce_window: window_dimensions, window_strides, padding, window_dilation; one output, no rounding up
        # and no mean, whose divisor would have to be computed beside it.
        {"operators": ["MaxPool"], "outputs": ["Y"], "attributes": {"ceil_mode": [0]}},
        {"operators": ["Abs", "Add", "Clip", "Concat", "Div", "Exp", "Flatten", "GlobalAveragePool", "GlobalMaxPool",
                       "LeakyRelu", "Less", "Log", "MatMul", "Mul", "Pow", "Relu", "Reshape", "Sigmoid", "Sqrt", "Sub",
                       "Tanh", "Unsqueeze", "Where"]},
        {"operators": ["ArgMax"], "attributes": {"keepdims": [0, 1], "select_last_index": [0]}},
        {"operators": ["Conv"], "takes": ["X", "W"]},
        {"operators": ["Max", "Min"], "takes": ["data_0", "data_1"]},
        {"operators": ["Softmax"], "opsets": [13, None]},
    ]

    def __init__(self):
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)  # without it float64 becomes float32

    def version(self):
        """The version of the package."""
        return jax.__version__

    def about(self):
        """Where it runs."""
        return {"device": str(jax.devices()[0]), "jaxlib": jax.lib.__version__}

    def gap(self, request):
        """What JAX cannot express."""
        try:
            _call(request)
        except Exception as error:  # `run` will say what is wrong with the call
            return str(error) if isinstance(error, NotImplementedError) else None
        return None

    def run(self, request):
        """The output by its name. Raises what JAX raises; for what it cannot express, NotImplementedError."""
        return {request.outputs[0]: np.asarray(_call(request)())}


def _call(request):
    """The function with all its words; called without more, it gives the output."""
    if request.operator not in CALLS:
        raise _no_word(request.operator)
    return CALLS[request.operator](request, **request.inputs)


def _no_word(what):
    error = NotImplementedError(f"JAX cannot express {what}")
    error.phase = "check"
    return error


def _words(request, **defaults):
    """The attributes, or their defaults; numbers with a point as the float32 that ONNX takes them for.
    `consumed_inputs` is a hint on which nothing depends."""
    for name in request.attributes.keys() - defaults.keys() - {"consumed_inputs"}:
        raise _no_word(f"the attribute {name}")
    found = [request.attributes.get(name, default) for name, default in defaults.items()]
    return [float(np.float32(value)) if isinstance(value, float) else value for value in found]


def _plain(function, count=None, since=1, **words):
    """Of a function that takes the inputs, of which there are `count`, and for each of its `words` an attribute, given
    with its default."""
    def call(request, **arrays):
        if count not in (None, len(arrays)) or request.opset < since:
            raise _no_word(f"{request.operator} of {len(arrays)} at opset {request.opset}")
        values = _words(request, **dict(words.values()))
        return partial(function, *arrays.values(), **dict(zip(words, values, strict=True)))
    return call


def _argmax(request, data):
    axis, keepdims, last = _words(request, axis=0, keepdims=1, select_last_index=0)
    if last or keepdims not in (0, 1):
        raise _no_word(f"select_last_index {last} and keepdims {keepdims}")
    return partial(jnp.argmax, data, axis=axis, keepdims=bool(keepdims))


def _clip(request, input, **bounds):
    words = dict(zip(("min", "max"), _words(request, min=None, max=None), strict=True))
    return partial(jnp.clip, input, **words | bounds)


def _conv(request, X, W, B=None):
    if B is not None:
        raise _no_word("the input B")
    one = [1] * (X.ndim - 2)
    *_, strides, dilations, group = _words(request, auto_pad="", pads=None, kernel_shape=None, strides=one,
                                           dilations=one, group=1)
    return partial(lax.conv_general_dilated, X, W, strides, _padding(request, len(one)), rhs_dilation=dilations,
                   feature_group_count=group)


def _div(request, A, B):
    _words(request)
    if A.dtype.kind not in "iu":
        return partial(jnp.divide, A, B)
    if A.ndim != B.ndim and A.ndim and B.ndim:
        raise _no_word("integers of unlike ranks")
    return partial(lax.div, A, B)


def _flatten(request, input):
    axis, = _words(request, axis=1)
    if input.ndim < 2 or axis not in (1, 1 - input.ndim):
        raise _no_word("Flatten that joins other axes than all but the first")
    return partial(lax.collapse, jnp.asarray(input), axis)


def _global(function):
    """Of a function of a line, over whole planes."""
    def call(request, X):
        _words(request)
        return partial(function, X, axis=tuple(range(2, X.ndim)), keepdims=True)
    return call


def _max_pool(request, X):
    kernel, one = request.attributes["kernel_shape"], [1] * (X.ndim - 2)
    ceil, order, *_, strides, dilations = _words(request, ceil_mode=0, storage_order=0, auto_pad="", kernel_shape=None,
                                                 pads=None, strides=one, dilations=one)
    if ceil or request.outputs != ("Y",):
        raise _no_word("a ceil_mode, or Indices")
    lowest = -np.inf if X.dtype.kind == "f" else np.iinfo(X.dtype).min
    padding = _padding(request, len(kernel))
    return partial(lax.reduce_window, X, np.array(lowest, X.dtype)[()], lax.max, (1, 1, *kernel), (1, 1, *strides),
                   padding if isinstance(padding, str) else [(0, 0), (0, 0), *padding],
                   window_dilation=(1, 1, *dilations))


def _padding(request, rank):
    mode, pads = request.attributes.get("auto_pad", "NOTSET"), request.attributes.get("pads", [0] * 2 * rank)
    return list(zip(pads[:rank], pads[rank:], strict=True)) if mode == "NOTSET" else PADDING[mode]


def _pow(request, A, B):
    _words(request)
    if A.dtype != B.dtype:
        raise _no_word("a power of the type of the base alone")
    if A.dtype.kind in "iu" and np.any(B < 0):  # "the operation is invalid", says the documentation
        raise _no_word("a power of integers with an exponent below zero")
    return partial(jnp.power, A, B)


def _reshape(request, data, shape=None):
    target, zero = _words(request, shape=shape, allowzero=0)
    if 0 in target and not zero:
        raise _no_word("a size of 0 that stands for that of data")
    return partial(jnp.reshape, data, tuple(map(int, target)))


def _unsqueeze(request, data, axes=None):
    places, = _words(request, axes=axes)
    return partial(jnp.expand_dims, data, tuple(map(int, places)))


CALLS = {
    "Abs": _plain(jnp.abs), "Add": _plain(jnp.add), "ArgMax": _argmax, "Clip": _clip,
    "Concat": _plain(lambda *parts, axis: jnp.concatenate(parts, axis), axis=("axis", 1)), "Conv": _conv, "Div": _div,
    "Exp": _plain(jnp.exp), "Flatten": _flatten, "GlobalAveragePool": _global(jnp.mean),
    "GlobalMaxPool": _global(jnp.max), "LeakyRelu": _plain(jax.nn.leaky_relu, negative_slope=("alpha", 0.01)),
    "Less": _plain(jnp.less), "Log": _plain(jnp.log), "MatMul": _plain(jnp.matmul), "Max": _plain(jnp.maximum, 2),
    "MaxPool": _max_pool, "Min": _plain(jnp.minimum, 2), "Mul": _plain(jnp.multiply), "Pow": _pow,
    "Relu": _plain(jax.nn.relu), "Reshape": _reshape, "Sigmoid": _plain(jax.nn.sigmoid),
    "Softmax": _plain(jax.nn.softmax, since=13, axis=("axis", -1)), "Sqrt": _plain(jnp.sqrt),
    "Sub": _plain(jnp.subtract), "Tanh": _plain(jnp.tanh), "Unsqueeze": _unsqueeze, "Where": _plain(jnp.where),
}
