"""PyTorch on the CPU: for each call one function of `torch` or `torch.nn.functional` of the same meaning.

The functions are called with the words of the call, and nothing is computed beside them. What they cannot express
is refused here, and declared. The `ceil_mode` of pooling drops windows starting in the padding at the end, as ONNX does
from opset 22 on. PyTorch counts an index within its plane, as `max_unpool` takes it; ONNX counts over the whole tensor,
so the plane's beginning is added.
"""

from functools import partial
from math import inf, prod

import numpy as np
import torch
from torch.nn import functional

FLOATS = ["float16", "float32", "float64"]
NUMBERS = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]
ANY = [*NUMBERS, "bool", "complex64", "complex128"]


class Torch:
    """One call of the function, on one thread."""

    name = "torch"
    requirements = ("torch",)
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

    def __init__(self):
        torch.set_num_threads(1)

    def version(self):
        """The version of the package, without the build's label."""
        return torch.__version__.partition("+")[0]

    def about(self):
        """The build."""
        return {"build": torch.__version__, "device": "cpu"}

    def gap(self, request):
        """What PyTorch cannot express, the documented limit of the padding of pooling, and numbers that its C++ does
        not hold ("value cannot be converted to type int without overflow")."""
        if request.operator in ("MaxPool", "AveragePool"):
            lists = [request.attributes.get(name, []) for name in ("kernel_shape", "pads", "strides", "dilations")]
            if any(number >= 2**31 for numbers in lists for number in numbers):
                return "a number above 32 bits"
            if any(2 * pad > size for pad, size in zip(lists[1], lists[0] * 2, strict=False)):
                return "padding above half the kernel"
        try:
            _call(request)
        except Exception as error:  # `run` will say what is wrong with the call
            return str(error) if isinstance(error, NotImplementedError) else None
        return None

    def run(self, request):
        """The outputs by name. Raises NotImplementedError for what it cannot express, with the phase "check", and what
        PyTorch raises."""
        found = _call(request)()
        tensors = zip(request.outputs, found if isinstance(found, tuple) else (found,), strict=True)
        return {name: tensor.numpy() for name, tensor in tensors}


def _call(request):
    """The function with all its words; called without more, it gives the output, or a tuple of them."""
    if request.operator not in CALLS:
        raise _no_word(request.operator)
    return CALLS[request.operator](request, **{name: torch.from_numpy(x) for name, x in request.inputs.items()})


def _no_word(what):
    error = NotImplementedError(f"PyTorch cannot express {what}")
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
    def call(request, **tensors):
        if count not in (None, len(tensors)) or request.opset < since:
            raise _no_word(f"{request.operator} of {len(tensors)} at opset {request.opset}")
        values = _words(request, **dict(words.values()))
        return partial(function, *tensors.values(), **dict(zip(words, values, strict=True)))
    return call


def _quotient(A, B):
    return torch.div(A, B, rounding_mode=None if A.is_floating_point() else "trunc")


def _argmax(request, data):
    axis, keepdims, last = _words(request, axis=0, keepdims=1, select_last_index=0)
    if last or keepdims not in (0, 1):
        raise _no_word(f"select_last_index {last} and keepdims {keepdims}")
    return partial(torch.argmax, data, dim=axis, keepdim=bool(keepdims))


def _clip(request, input, **bounds):
    words = dict(zip(("min", "max"), _words(request, min=None, max=None), strict=True)) | bounds
    if words == {"min": None, "max": None}:
        raise _no_word("Clip without bounds")
    if any(isinstance(bound, float) and torch.finfo(input.dtype).max < abs(bound) < inf for bound in words.values()):
        raise _no_word(f"a bound that {input.dtype} does not have")
    return partial(torch.clamp, input, **words)


def _conv(request, X, W, B=None):
    _, pads, strides, dilations, group, _ = _words(request, auto_pad="", pads=None, strides=1, dilations=1, group=1,
                                                   kernel_shape=None)
    rank = X.ndim - 2
    return partial(_function("conv{}d", rank), X, W, B, strides, _padding(request, pads, rank), dilations, group)


def _flatten(request, input):
    axis, = _words(request, axis=1)
    if input.ndim < 2 or axis not in (1, 1 - input.ndim):
        raise _no_word("Flatten that joins other axes than all but the first")
    return partial(torch.flatten, input, start_dim=axis)


def _gemm(request, A, B, C=None):
    alpha, beta, *turned = _words(request, alpha=1.0, beta=1.0, transA=0, transB=0)
    if any(turned) or C is None:
        raise _no_word("a transposed factor, or C left out")
    if not A.is_floating_point():  # integers want integers
        if not (alpha.is_integer() and beta.is_integer()):
            raise _no_word("factors of integers that are not whole numbers")
        alpha, beta = int(alpha), int(beta)
    return partial(torch.addmm, C, A, B, beta=beta, alpha=alpha)


def _pow(request, A, B):
    _words(request)
    if A.dtype != B.dtype:
        raise _no_word("a power of the type of the base alone")
    return partial(torch.pow, A, B)


def _reshape(request, data, shape=None):
    target, zero = _words(request, shape=shape, allowzero=0)
    if 0 in target and not zero:
        raise _no_word("a size of 0 that stands for that of data")
    return partial(torch.reshape, data, list(map(int, target)))


def _unsqueeze(request, data, axes=None):
    places, = _words(request, axes=axes)
    if len(places) != 1:
        raise _no_word(f"{len(places)} new axes")
    return partial(torch.unsqueeze, data, dim=int(places[0]))


def _pool(kind):
    """Of one kind of pooling, "max" or "avg"."""
    def call(request, X):
        given, rank = request.attributes, X.ndim - 2
        one, kernel, pads = [1] * rank, given["kernel_shape"], given.get("pads", [0] * 2 * rank)
        strides, dilations = given.get("strides", one), given.get("dilations", one)
        ceil, padding = bool(given.get("ceil_mode", 0)), _padding(request, pads, rank)
        if ceil and given.get("auto_pad", "NOTSET") != "NOTSET":
            raise _no_word("a ceil_mode together with automatic padding")
        axes = zip(X.shape[2:], kernel, strides, dilations, pads, strict=False)
        if ceil and request.opset < 22 and any(step > 0 and size + pad <= step * -(
                (dilation * (taps - 1) + 1 - size - 2 * pad) // step) for size, taps, step, dilation, pad in axes):
            raise _no_word("a last window that starts in the padding at the end")
        words = {"stride": strides, "padding": padding, "ceil_mode": ceil}
        if any(step != 1 for step in dilations):  # what a function does not take, it refuses
            words["dilation"] = dilations
        if kind == "avg":
            words["count_include_pad"] = bool(given.get("count_include_pad", 0))
        pool = partial(_function(kind + "_pool{}d", rank), X, kernel, **words)
        if request.outputs == ("Y",):
            return pool
        if given.get("storage_order", 0):
            raise _no_word("indices in column-major order")
        planes = (torch.arange(prod(X.shape[:2])) * prod(X.shape[2:])).reshape(*X.shape[:2], *one)

        def indexed():
            y, indices = pool(return_indices=True)
            return y, indices + planes
        return indexed
    return call


def _padding(request, pads, rank):
    """One number for both ends of each axis."""
    mode = request.attributes.get("auto_pad", "NOTSET")
    if mode not in ("NOTSET", "VALID"):
        raise _no_word(f"auto_pad {mode}")
    if mode == "VALID" or not pads:
        return [0] * rank
    if pads[:rank] != pads[rank:]:
        raise _no_word("pads that differ at the two ends of an axis")
    return pads[:rank]


def _function(name, rank):
    """The function of torch.nn.functional for so many spatial axes."""
    if not hasattr(functional, name.format(rank)):
        raise _no_word(f"{rank} spatial axes")
    return getattr(functional, name.format(rank))


CALLS = {
    "Abs": _plain(torch.abs), "Add": _plain(torch.add), "ArgMax": _argmax, "AveragePool": _pool("avg"), "Clip": _clip,
    "Concat": _plain(lambda *parts, dim: torch.cat(parts, dim), dim=("axis", 1)), "Conv": _conv,
    "Div": _plain(_quotient), "Exp": _plain(torch.exp), "Flatten": _flatten, "Gemm": _gemm,
    "GlobalAveragePool": _plain(lambda X: _function("adaptive_avg_pool{}d", X.ndim - 2)(X, 1)),
    "GlobalMaxPool": _plain(lambda X: _function("adaptive_max_pool{}d", X.ndim - 2)(X, 1)),
    "LeakyRelu": _plain(functional.leaky_relu, negative_slope=("alpha", 0.01)), "Less": _plain(torch.lt),
    "Log": _plain(torch.log), "MatMul": _plain(torch.matmul), "Max": _plain(torch.maximum, 2), "MaxPool": _pool("max"),
    "Min": _plain(torch.minimum, 2), "Mul": _plain(torch.mul), "Pow": _pow, "Relu": _plain(torch.relu),
    "Reshape": _reshape, "Sigmoid": _plain(torch.sigmoid), "Softmax": _plain(torch.softmax, since=13, dim=("axis", -1)),
    "Sqrt": _plain(torch.sqrt), "Sub": _plain(torch.sub), "Tanh": _plain(torch.tanh), "Unsqueeze": _unsqueeze,
    "Where": _plain(torch.where),
}
