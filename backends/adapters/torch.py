"""PyTorch's pooling on the CPU: `torch.nn.functional`, `max_pool1d` to `3d` and `avg_pool1d` to `3d`.

Its domain is its own: one padding for both ends of an axis, no automatic padding but none at all (VALID), and a
`ceil_mode` that drops windows starting in the padding at the end, as ONNX does from opset 22 on. What its words cannot
say is refused here, and declared. It counts an index within its plane, as `max_unpool` takes it; ONNX counts over the
whole tensor, so the plane's beginning is added.
"""

from math import prod

import torch
from torch.nn import functional


class Torch:
    """One call of the function, on one thread."""

    name = "torch"
    requirements = ("torch",)
    megabytes = 5200
    specifications = ("sonnx/*", "onnx/*")
    # Attributes from the documentation of torch.nn.functional. Types from PyTorch's own list of operators and their
    # types on the CPU, torch.testing._internal.common_methods_invocations.op_db.
    capabilities = [
        {"operators": ["MaxPool"], "ranks": [1], "dtypes": ["float16", "float32", "float64"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1]}},
        {"operators": ["MaxPool"], "ranks": [2, 3], "dtypes": ["float16", "float32", "float64", "int8", "uint8"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1]}},
        {"operators": ["AveragePool"], "ranks": [1, 2], "dtypes": ["float16", "float32", "float64"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1], "dilations": [1]}},
        {"operators": ["AveragePool"], "ranks": [3], "dtypes": ["float32", "float64"],
         "attributes": {"auto_pad": ["NOTSET", "VALID"], "ceil_mode": [0, 1], "dilations": [1]}},
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
        """What PyTorch cannot express, the documented limit of the padding, and numbers that its C++ does not hold
        ("value cannot be converted to type int without overflow")."""
        kernel, pads = (request.attributes.get(name, []) for name in ("kernel_shape", "pads"))
        lists = [request.attributes.get(name, []) for name in ("kernel_shape", "pads", "strides", "dilations")]
        if any(number >= 2**31 for numbers in lists for number in numbers):
            return "a number above 32 bits"
        if any(2 * pad > size for pad, size in zip(pads, kernel * 2, strict=False)):
            return "padding above half the kernel"
        return _unsaid(request)

    def run(self, request):
        """The outputs by name. Raises NotImplementedError for what has no word, with the phase "check", and what
        PyTorch raises."""
        why = _unsaid(request)
        if why is not None:
            error = NotImplementedError(f"torch.nn.functional has no word for {why}")
            error.phase = "check"
            raise error
        given, x = request.attributes, torch.from_numpy(request.inputs["X"])
        rank = x.ndim - 2
        # A mode that PyTorch has no name for is passed on, and refused there; so is what a function does not take.
        padding = {"NOTSET": given.get("pads", [0] * rank)[:rank], "VALID": [0] * rank}
        mode = given.get("auto_pad", "NOTSET")
        words = {"stride": given.get("strides", [1] * rank), "padding": padding.get(mode, mode),
                 "ceil_mode": bool(given.get("ceil_mode", 0))}
        if any(step != 1 for step in given.get("dilations", [])):
            words["dilation"] = given["dilations"]
        kind = {"MaxPool": "max", "AveragePool": "avg"}[request.operator]
        pool = getattr(functional, f"{kind}_pool{rank}d", None)
        if pool is None:
            raise NotImplementedError(f"torch.nn.functional has no pooling over {rank} axes")
        if kind == "avg":
            return {"Y": pool(x, given["kernel_shape"], count_include_pad=bool(given.get("count_include_pad", 0)),
                              **words).numpy()}
        if request.outputs == ("Y",):
            return {"Y": pool(x, given["kernel_shape"], **words).numpy()}
        y, indices = pool(x, given["kernel_shape"], return_indices=True, **words)
        planes = torch.arange(prod(x.shape[:2])) * prod(x.shape[2:])
        return {"Y": y.numpy(), "Indices": (indices + planes.reshape(*x.shape[:2], *[1] * rank)).numpy()}


def _unsaid(request):
    """What of a call PyTorch's words cannot say, None when they can."""
    given, sizes = request.attributes, request.inputs["X"].shape[2:]
    rank = len(sizes)
    pads = given.get("pads", [0] * 2 * rank)
    if pads[:rank] != pads[rank:]:
        return "pads that differ at the two ends of an axis"
    if given.get("storage_order", 0) and "Indices" in request.outputs:
        return "indices in column-major order"
    if not given.get("ceil_mode", 0):
        return None
    if given.get("auto_pad", "NOTSET") != "NOTSET":
        return "a ceil_mode together with automatic padding"
    one = [1] * rank
    axes = zip(sizes, given.get("kernel_shape", one), given.get("strides", one), given.get("dilations", one), pads,
               strict=False)
    if request.opset < 22 and any(step > 0 and -(-(size + 2 * pad - dilation * (kernel - 1) - 1) // step) * step
                                  >= size + pad for size, kernel, step, dilation, pad in axes):
        return "a last window that starts in the padding at the end"
    return None
