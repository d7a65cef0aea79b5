"""A runtime of somebody else: MaxPool of float32 in two dimensions, without indices, in which NaN wins."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


class Acme:
    """What `--backend acme_runtime:Acme` names."""

    name = "acme"
    specifications = ("sonnx/*",)
    capabilities = [{"operators": ["MaxPool"], "dtypes": ["float32"], "ranks": [2], "outputs": ["Y"]}]

    def version(self):
        """Not a version that PEP 440 knows."""
        return "main-4f2a"

    def run(self, request):
        """Pad, slide, take the maximum."""
        if request.outputs != ("Y",) or request.inputs["X"].dtype != np.float32 or request.inputs["X"].ndim != 4:
            raise NotImplementedError("float32, two axes, no indices")
        given = request.attributes
        top, left, bottom, right = given["pads"]
        x = np.pad(request.inputs["X"], ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=-np.inf)
        (down, across), (high, wide) = given["dilations"], given["kernel_shape"]
        windows = sliding_window_view(x, (down * (high - 1) + 1, across * (wide - 1) + 1), axis=(2, 3))
        windows = windows[:, :, ::given["strides"][0], ::given["strides"][1], ::down, ::across]
        return {"Y": windows.max(axis=(-2, -1))}
