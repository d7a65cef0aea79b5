"""Adapter for JAX on the CPU: one library function for each call.

The functions get the inputs and attributes of the call, and nothing else is computed. What they cannot express is
refused here, and outside the declared capabilities.

JAX names the modes of padding "SAME", "SAME_LOWER" and "VALID". It takes the pads of each axis as a pair, where ONNX
lists all beginnings first.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax import lax

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plumbline.backends.adapters._by_functions import Computation, Maker
    from plumbline.backends.request import Request

_place = importlib.util.spec_from_file_location("by_functions", Path(__file__).with_name("_by_functions.py"))
assert _place is not None and _place.loader is not None
by_functions: Any = importlib.util.module_from_spec(_place)
_place.loader.exec_module(by_functions)
CannotExpressError, attributes, plain = by_functions.CannotExpressError, by_functions.attributes, by_functions.plain

ANY = ["float16", "bfloat16", "float32", "float64", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4",
       "uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "float4_e2m1fn", "float8_e4m3fn",
       "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
PADDING = {"SAME_UPPER": "SAME", "SAME_LOWER": "SAME_LOWER", "VALID": "VALID"}

CALLS_BETWEEN_CLEARINGS = 500
"""Calls after which compiled code is dropped: JAX keeps it for every shape, which fills the memory."""


class Jax(by_functions.ByFunctions):
    """Calls the function, compiled for its shapes."""

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
        {"operators": ["Abs", "Add", "Clip", "Div", "Exp", "GlobalAveragePool", "GlobalMaxPool", "LeakyRelu", "Less",
                       "Log", "MatMul", "Mul", "Pow", "Relu", "Sigmoid", "Sqrt", "Sub", "Tanh"]},
        {"operators": ["Concat", "Flatten", "Reshape", "Unsqueeze"], "dtypes": ANY},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": ANY}}},
        {"operators": ["ArgMax"], "attributes": {"keepdims": [0, 1], "select_last_index": [0]}},
        {"operators": ["Conv"], "takes": ["X", "W"]},
        {"operators": ["Max", "Min"], "takes": ["data_0", "data_1"]},
        {"operators": ["Softmax"], "opsets": [13, None]},
    ]

    contexts = ("constants", "weights", "strided")

    def __init__(self) -> None:
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)  # without it float64 becomes float32
        self.calls_left = CALLS_BETWEEN_CLEARINGS

    def version(self) -> str:
        """Return the version of the package."""
        return jax.__version__

    def about(self) -> dict[str, str]:
        """Return the device and the version of jaxlib."""
        return {"device": str(jax.devices()[0]), "jaxlib": jax.lib.__version__}

    def inputs(self, request: Request) -> Mapping[str, np.ndarray]:
        """Return the inputs by name, constants of the model included."""
        graph = onnx.load_model_from_string(request.model).graph
        constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        return {name: request.inputs[name] if name in request.inputs else constants[name]
                for name in graph.node[0].input if name}

    def run(self, request: Request) -> dict[str, Any]:
        """Return the output by name.

        request: operator, attributes, inputs (arrays by name) and the names of outputs.

        Constants of the model are constants of a function that is compiled as a whole, which XLA folds. Raises what JAX
        raises, and CannotExpressError."""
        self.calls_left -= 1
        if not self.calls_left:
            jax.clear_caches()
            self.calls_left = CALLS_BETWEEN_CLEARINGS
        compute, inputs = self.computation(request), self.inputs(request)
        if len(inputs) == len(request.inputs):
            result = compute()
        else:
            result = jax.jit(lambda variable: self.computation(request, {**inputs, **variable})())(dict(request.inputs))
        return {request.outputs[0]: np.asarray(result)}


def _argmax(request: Request, data: Any) -> Computation:
    axis, keepdims, last = attributes(request, axis=0, keepdims=1, select_last_index=0)
    if last or keepdims not in (0, 1):
        raise CannotExpressError(f"select_last_index {last} and keepdims {keepdims}")
    return partial(jnp.argmax, data, axis=axis, keepdims=bool(keepdims))


def _clip(request: Request, input: Any, **bounds: Any) -> Computation:
    limits = dict(zip(("min", "max"), attributes(request, min=None, max=None), strict=True))
    return partial(jnp.clip, input, **limits | bounds)


def _conv(request: Request, X: Any, W: Any, B: Any = None) -> Computation:
    if B is not None:
        raise CannotExpressError("the input B")
    one = [1] * (X.ndim - 2)
    *_, strides, dilations, group = attributes(request, auto_pad="", pads=None, kernel_shape=None, strides=one,
                                               dilations=one, group=1)
    return partial(lax.conv_general_dilated, X, W, strides, _padding(request, len(one)), rhs_dilation=dilations,
                   feature_group_count=group)


def _div(request: Request, A: Any, B: Any) -> Computation:
    attributes(request)
    if A.dtype.kind not in "iu":
        return partial(jnp.divide, A, B)
    if A.ndim != B.ndim and A.ndim and B.ndim:
        raise CannotExpressError("integers of unlike ranks")
    return partial(lax.div, A, B)


def _global(function: Callable[..., Any]) -> Maker:
    """Return the maker for a reduction of whole planes."""
    def make(request: Request, X: Any) -> Computation:
        attributes(request)
        return partial(function, X, axis=tuple(range(2, X.ndim)), keepdims=True)
    return make


def _max_pool(request: Request, X: Any) -> Computation:
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


def _padding(request: Request, rank: int) -> str | list[tuple[int, int]]:
    mode, pads = request.attributes.get("auto_pad", "NOTSET"), request.attributes.get("pads", [0] * 2 * rank)
    return list(zip(pads[:rank], pads[rank:], strict=True)) if mode == "NOTSET" else PADDING[mode]


def _pow(request: Request, A: Any, B: Any) -> Computation:
    attributes(request)
    if A.dtype != B.dtype:
        raise CannotExpressError("a power of the type of the base alone")
    if A.dtype.kind in "iu" and np.any(B < 0):  # "the operation is invalid", says the documentation
        raise CannotExpressError("a power of integers with an exponent below zero")
    return partial(jnp.power, A, B)


def _unsqueeze(request: Request, data: Any, axes: Any = None) -> Computation:
    places, = attributes(request, axes=axes)
    return partial(jnp.expand_dims, data, tuple(map(int, places)))


Jax.makers = {
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
