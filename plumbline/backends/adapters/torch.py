"""Adapter for PyTorch on the CPU: one library function for each call.

The functions get the inputs and attributes of the call, and nothing else is computed. What they cannot express is
refused here, and outside the declared capabilities.

The `ceil_mode` of pooling drops windows starting in the padding at the end, as ONNX does from opset 22 on. PyTorch
counts an index within its plane, as `max_unpool` takes it; ONNX counts over the whole tensor, so the offset of the
plane is added.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from math import inf, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable

    from plumbline.backends.adapters._by_functions import Computation, Maker
    from plumbline.backends.request import Request

_place = importlib.util.spec_from_file_location("by_functions", Path(__file__).with_name("_by_functions.py"))
assert _place is not None and _place.loader is not None
by_functions: Any = importlib.util.module_from_spec(_place)
_place.loader.exec_module(by_functions)
CannotExpressError, attributes, plain = by_functions.CannotExpressError, by_functions.attributes, by_functions.plain

FLOATS = ["float16", "float32", "float64"]
NUMBERS = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]
ANY = [*NUMBERS, "bool", "complex64", "complex128"]


class Torch(by_functions.ByFunctions):
    """Calls the function on one thread."""

    name = "torch"
    library = "PyTorch"
    tensor = staticmethod(torch.from_numpy)
    requirements = ("torch",)
    address_limit = True
    megabytes = 5200
    specifications = ("sonnx/*", "onnx/*")
    # Attributes from PyTorch's documentation. Types from its own list of operators and their types on the CPU,
    # torch.testing._internal.common_methods_invocations.op_db.
    capabilities = [
        {"operators": ["MaxPool"], "ranks": [1], "dtypes": FLOATS,
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1]}},
        {"operators": ["MaxPool"], "ranks": [2, 3], "dtypes": [*FLOATS, "int8", "uint8"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1]}},
        {"operators": ["AveragePool"], "ranks": [1, 2], "dtypes": FLOATS,
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1], "dilations": [1]}},
        {"operators": ["AveragePool"], "ranks": [3], "dtypes": ["float32", "float64"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1], "dilations": [1]}},
        {"operators": ["GlobalAveragePool", "GlobalMaxPool"], "ranks": [1, 2, 3], "dtypes": FLOATS},
        {"operators": ["Conv"], "ranks": [1, 2, 3], "dtypes": [*FLOATS, "int64"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"]}},
        {"operators": ["Abs", "Add", "Clip", "Div", "Less", "MatMul", "Mul", "Relu", "Sub"], "dtypes": NUMBERS},
        {"operators": ["Pow"], "dtypes": NUMBERS, "inputs": {"B": {"dtypes": NUMBERS}}},
        {"operators": ["Max", "Min"], "dtypes": NUMBERS, "takes": ["data_0", "data_1"]},
        {"operators": ["Concat", "Flatten", "Reshape", "Unsqueeze"], "dtypes": ANY},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": ANY}}},
        {"operators": ["ArgMax"], "dtypes": NUMBERS, "attributes": {"keepdims": [0, 1], "select_last_index": [0]}},
        {"operators": ["Softmax"], "opsets": [13, None], "dtypes": FLOATS},
        {"operators": ["Exp", "LeakyRelu", "Log", "Sigmoid", "Sqrt", "Tanh"], "dtypes": FLOATS},
        {"operators": ["Gemm"], "dtypes": NUMBERS, "attributes": {"transA": [0], "transB": [0]}},
    ]
    contexts = ("threads", "strided", "channels-last")

    def version(self) -> str:
        """Return the version of the package, without the build's label."""
        return torch.__version__.partition("+")[0]

    def about(self) -> dict[str, str]:
        """Return build and device."""
        return {"build": torch.__version__, "device": "cpu"}

    def gap(self, request: Request) -> str | None:
        """Return what PyTorch cannot express.

        Besides missing functions: the documented limit of the padding of pooling, and numbers beyond the int of C++
        ("value cannot be converted to type int without overflow")."""
        if request.operator in ("MaxPool", "AveragePool"):
            lists = [request.attributes.get(name, []) for name in ("kernel_shape", "pads", "strides", "dilations")]
            if any(number >= 2**31 for numbers in lists for number in numbers):
                return "a number above 32 bits"
            if any(2 * pad > size for pad, size in zip(lists[1], lists[0] * 2, strict=False)):
                return "padding above half the kernel"
        return super().gap(request)

    def run(self, request: Request) -> dict[str, Any]:
        """The outputs by name. Raises CannotExpressError, and what PyTorch raises."""
        torch.set_num_threads(request.settings.get("threads", 1))
        result = self.computation(request)()
        tensors = zip(request.outputs, result if isinstance(result, tuple) else (result,), strict=True)
        return {name: tensor.numpy() for name, tensor in tensors}


def _quotient(A: Any, B: Any) -> Any:
    return torch.div(A, B, rounding_mode=None if A.is_floating_point() else "trunc")


def _argmax(request: Request, data: Any) -> Computation:
    axis, keepdims, last = attributes(request, axis=0, keepdims=1, select_last_index=0)
    if last or keepdims not in (0, 1):
        raise CannotExpressError(f"select_last_index {last} and keepdims {keepdims}")
    return partial(torch.argmax, data, dim=axis, keepdim=bool(keepdims))


def _clip(request: Request, input: Any, **bounds: Any) -> Computation:
    limits = dict(zip(("min", "max"), attributes(request, min=None, max=None), strict=True)) | bounds
    if limits == {"min": None, "max": None}:
        raise CannotExpressError("Clip without bounds")
    if any(isinstance(bound, float) and torch.finfo(input.dtype).max < abs(bound) < inf for bound in limits.values()):
        raise CannotExpressError(f"a bound that {input.dtype} does not have")
    return partial(torch.clamp, input, **limits)


def _conv(request: Request, X: Any, W: Any, B: Any = None) -> Computation:
    _, pads, strides, dilations, group, _ = attributes(request, auto_pad="", pads=None, strides=1, dilations=1, group=1,
                                                        kernel_shape=None)
    rank = X.ndim - 2
    return partial(_function("conv{}d", rank), X, W, B, strides, _padding(request, pads, rank), dilations, group)


def _global(name: str) -> Maker:
    """Return the maker for a function that divides planes into cells: into one."""
    def make(request: Request, X: Any) -> Computation:
        attributes(request)
        return partial(_function(name, X.ndim - 2), X, 1)
    return make


def _gemm(request: Request, A: Any, B: Any, C: Any = None) -> Computation:
    alpha, beta, *transposed = attributes(request, alpha=1.0, beta=1.0, transA=0, transB=0)
    if any(transposed) or C is None:
        raise CannotExpressError("a transposed factor, or C left out")
    if not A.is_floating_point():  # integers want integers
        if not (alpha.is_integer() and beta.is_integer()):
            raise CannotExpressError("factors of integers that are not whole numbers")
        alpha, beta = int(alpha), int(beta)
    return partial(torch.addmm, C, A, B, beta=beta, alpha=alpha)


def _pow(request: Request, A: Any, B: Any) -> Computation:
    attributes(request)
    if A.dtype != B.dtype:
        raise CannotExpressError("a power of the type of the base alone")
    return partial(torch.pow, A, B)


def _unsqueeze(request: Request, data: Any, axes: Any = None) -> Computation:
    places, = attributes(request, axes=axes)
    if len(places) != 1:
        raise CannotExpressError(f"{len(places)} new axes")
    return partial(torch.unsqueeze, data, dim=int(places[0]))


def _pool(kind: str) -> Maker:
    """Return the maker for a kind of pooling, "max" or "avg"."""
    def make(request: Request, X: Any) -> Computation:
        given, rank = request.attributes, X.ndim - 2
        one, kernel, pads = [1] * rank, given["kernel_shape"], given.get("pads", [0] * 2 * rank)
        strides, dilations = given.get("strides", one), given.get("dilations", one)
        ceil, padding = bool(given.get("ceil_mode", 0)), _padding(request, pads, rank)
        if ceil and given.get("auto_pad", "NOTSET") != "NOTSET":
            raise CannotExpressError("a ceil_mode together with automatic padding")
        axes = zip(X.shape[2:], kernel, strides, dilations, pads, strict=False)
        if ceil and request.opset < 22 and any(step > 0 and size + pad <= step * -(
                (dilation * (taps - 1) + 1 - size - 2 * pad) // step) for size, taps, step, dilation, pad in axes):
            raise CannotExpressError("a last window that starts in the padding at the end")
        words = {"stride": strides, "padding": padding, "ceil_mode": ceil}
        if any(step != 1 for step in dilations):  # what a function does not take, it refuses
            words["dilation"] = dilations
        if kind == "avg":
            words["count_include_pad"] = bool(given.get("count_include_pad", 0))
        pool = partial(_function(kind + "_pool{}d", rank), X, kernel, **words)
        if request.outputs == ("Y",):
            return pool
        if given.get("storage_order", 0):
            raise CannotExpressError("indices in column-major order")
        planes = (torch.arange(prod(X.shape[:2])) * prod(X.shape[2:])).reshape(*X.shape[:2], *one)

        def indexed() -> tuple[Any, Any]:
            y, indices = pool(return_indices=True)
            return y, indices + planes
        return indexed
    return make


def _padding(request: Request, pads: list[int], rank: int) -> list[int]:
    """Return one number for both ends of each axis."""
    mode = request.attributes.get("auto_pad", "NOTSET")
    if mode not in ("NOTSET", "VALID"):
        raise CannotExpressError(f"auto_pad {mode}")
    if mode == "VALID" or not pads:
        return [0] * rank
    if pads[:rank] != pads[rank:]:
        raise CannotExpressError("pads that differ at the two ends of an axis")
    return pads[:rank]


def _function(name: str, rank: int) -> Callable[..., Any]:
    """Return the function of torch.nn.functional for a number of spatial axes."""
    if not hasattr(functional, name.format(rank)):
        raise CannotExpressError(f"{rank} spatial axes")
    return getattr(functional, name.format(rank))


Torch.makers = {
    "Abs": plain(torch.abs), "Add": plain(torch.add), "ArgMax": _argmax, "AveragePool": _pool("avg"), "Clip": _clip,
    "Concat": plain(lambda *parts, dim: torch.cat(parts, dim), dim=("axis", 1)), "Conv": _conv,
    "Div": plain(_quotient), "Exp": plain(torch.exp), "Flatten": by_functions.flatten(torch.flatten), "Gemm": _gemm,
    "GlobalAveragePool": _global("adaptive_avg_pool{}d"), "GlobalMaxPool": _global("adaptive_max_pool{}d"),
    "LeakyRelu": plain(functional.leaky_relu, negative_slope=("alpha", 0.01)), "Less": plain(torch.lt),
    "Log": plain(torch.log), "MatMul": plain(torch.matmul), "Max": plain(torch.maximum, 2), "MaxPool": _pool("max"),
    "Min": plain(torch.minimum, 2), "Mul": plain(torch.mul), "Pow": _pow, "Relu": plain(torch.relu),
    "Reshape": by_functions.reshape(torch.reshape), "Sigmoid": plain(torch.sigmoid),
    "Softmax": plain(torch.softmax, since=13, dim=("axis", -1)),
    "Sqrt": plain(torch.sqrt), "Sub": plain(torch.sub), "Tanh": plain(torch.tanh), "Unsqueeze": _unsqueeze,
    "Where": plain(torch.where),
}
