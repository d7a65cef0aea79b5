"""JAX on the CPU: for each call one function of `jax.numpy`, `jax.nn` or `jax.lax` of the same meaning.

The functions are called with the words of the call, and nothing is computed beside them; what they cannot express is
refused here, and declared. JAX names the modes of padding "SAME", "SAME_LOWER" and "VALID"; it pads at each axis's two
ends in pairs, where ONNX lists all beginnings first.
"""

import importlib.util
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax import lax

_place = importlib.util.spec_from_file_location("by_functions", Path(__file__).with_name("_by_functions.py"))
by_functions = importlib.util.module_from_spec(_place)
_place.loader.exec_module(by_functions)
CannotExpressError, attributes, plain = by_functions.CannotExpressError, by_functions.attributes, by_functions.plain

PADDING = {"SAME_UPPER": "SAME", "SAME_LOWER": "SAME_LOWER", "VALID": "VALID"}

KEPT = 500
"""Calls until what JAX compiled for them is dropped: it keeps all of it, and thousands of shapes fill the memory."""


class Jax(by_functions.ByFunctions):
    """One call of a function, compiled for its shapes."""

    name = "jax"
    library = "JAX"
    tensor = staticmethod(lambda array: array)
    requirements = ("jax", "onnx")
    address_limit = True
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

    contexts = ("constants", "weights", "strided")

    def __init__(self):
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)  # without it float64 becomes float32
        self.calls_left = KEPT

    def version(self):
        """The version of the package."""
        return jax.__version__

    def about(self):
        """Where it runs."""
        return {"device": str(jax.devices()[0]), "jaxlib": jax.lib.__version__}

    def inputs(self, request):
        """The inputs by name, those among them that are constants of the model."""
        graph = onnx.load_model_from_string(request.model).graph
        constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        return {name: request.inputs[name] if name in request.inputs else constants[name]
                for name in graph.node[0].input if name}

    def run(self, request):
        """The output by its name. Constants of the model are constants of a function that is compiled as a whole, which
        XLA computes beforehand. Raises what JAX raises, and CannotExpressError."""
        self.calls_left -= 1
        if not self.calls_left:
            jax.clear_caches()
            self.calls_left = KEPT
        call, inputs = self.function(request), self.inputs(request)
        if len(inputs) == len(request.inputs):
            found = call()
        else:
            found = jax.jit(lambda given: self.function(request, {**inputs, **given})())(request.inputs)
        return {request.outputs[0]: np.asarray(found)}


def _argmax(request, data):
    axis, keepdims, last = attributes(request, axis=0, keepdims=1, select_last_index=0)
    if last or keepdims not in (0, 1):
        raise CannotExpressError(f"select_last_index {last} and keepdims {keepdims}")
    return partial(jnp.argmax, data, axis=axis, keepdims=bool(keepdims))


def _clip(request, input, **bounds):
    words = dict(zip(("min", "max"), attributes(request, min=None, max=None), strict=True))
    return partial(jnp.clip, input, **words | bounds)


def _conv(request, X, W, B=None):
    if B is not None:
        raise CannotExpressError("the input B")
    one = [1] * (X.ndim - 2)
    *_, strides, dilations, group = attributes(request, auto_pad="", pads=None, kernel_shape=None, strides=one,
                                               dilations=one, group=1)
    return partial(lax.conv_general_dilated, X, W, strides, _padding(request, len(one)), rhs_dilation=dilations,
                   feature_group_count=group)


def _div(request, A, B):
    attributes(request)
    if A.dtype.kind not in "iu":
        return partial(jnp.divide, A, B)
    if A.ndim != B.ndim and A.ndim and B.ndim:
        raise CannotExpressError("integers of unlike ranks")
    return partial(lax.div, A, B)


def _global(function):
    """Of a function of a line, over whole planes."""
    def call(request, X):
        attributes(request)
        return partial(function, X, axis=tuple(range(2, X.ndim)), keepdims=True)
    return call


def _max_pool(request, X):
    kernel, one = request.attributes["kernel_shape"], [1] * (X.ndim - 2)
    ceil, order, *_, strides, dilations = attributes(
        request, ceil_mode=0, storage_order=0, auto_pad="", kernel_shape=None, pads=None, strides=one, dilations=one)
    if ceil or request.outputs != ("Y",):
        raise CannotExpressError("a ceil_mode, or Indices")
    lowest = -np.inf if jnp.issubdtype(X.dtype, jnp.floating) else np.iinfo(X.dtype).min
    padding = _padding(request, len(kernel))
    return partial(lax.reduce_window, X, np.array(lowest, X.dtype)[()], lax.max, (1, 1, *kernel), (1, 1, *strides),
                   padding if isinstance(padding, str) else [(0, 0), (0, 0), *padding],
                   window_dilation=(1, 1, *dilations))


def _padding(request, rank):
    mode, pads = request.attributes.get("auto_pad", "NOTSET"), request.attributes.get("pads", [0] * 2 * rank)
    return list(zip(pads[:rank], pads[rank:], strict=True)) if mode == "NOTSET" else PADDING[mode]


def _pow(request, A, B):
    attributes(request)
    if A.dtype != B.dtype:
        raise CannotExpressError("a power of the type of the base alone")
    if A.dtype.kind in "iu" and np.any(B < 0):  # "the operation is invalid", says the documentation
        raise CannotExpressError("a power of integers with an exponent below zero")
    return partial(jnp.power, A, B)


def _unsqueeze(request, data, axes=None):
    places, = attributes(request, axes=axes)
    return partial(jnp.expand_dims, data, tuple(map(int, places)))


Jax.calls = {
    "Abs": plain(jnp.abs), "Add": plain(jnp.add), "ArgMax": _argmax, "Clip": _clip,
    "Concat": plain(lambda *parts, axis: jnp.concatenate(parts, axis), axis=("axis", 1)), "Conv": _conv, "Div": _div,
    "Exp": plain(jnp.exp), "Flatten": by_functions.flatten(lambda x, axis: lax.collapse(jnp.asarray(x), axis)),
    "GlobalAveragePool": _global(jnp.mean), "GlobalMaxPool": _global(jnp.max),
    "LeakyRelu": plain(jax.nn.leaky_relu, negative_slope=("alpha", 0.01)),
    "Less": plain(jnp.less), "Log": plain(jnp.log), "MatMul": plain(jnp.matmul), "Max": plain(jnp.maximum, 2),
    "MaxPool": _max_pool, "Min": plain(jnp.minimum, 2), "Mul": plain(jnp.multiply), "Pow": _pow,
    "Relu": plain(jax.nn.relu), "Reshape": by_functions.reshape(jnp.reshape), "Sigmoid": plain(jax.nn.sigmoid),
    "Softmax": plain(jax.nn.softmax, since=13, axis=("axis", -1)), "Sqrt": plain(jnp.sqrt),
    "Sub": plain(jnp.subtract), "Tanh": plain(jnp.tanh), "Unsqueeze": _unsqueeze, "Where": plain(jnp.where),
}
