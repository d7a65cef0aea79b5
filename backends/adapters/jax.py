"""JAX on the CPU: `jax.lax.reduce_window` with `jax.lax.max`, called with the very window, strides and pads.

JAX names the modes of padding "SAME", "SAME_LOWER" and "VALID"; it pads at each axis's two ends in pairs, where ONNX
lists all beginnings first. Nothing else is translated.
"""

import jax
import numpy as np

PADDING = {"SAME_UPPER": "SAME", "SAME_LOWER": "SAME_LOWER", "VALID": "VALID"}


class Jax:
    """One call of `reduce_window`, compiled for its shapes."""

    name = "jax"
    requirements = ("jax",)
    megabytes = 530
    specifications = ("sonnx/*", "onnx/*")
    capabilities = [
        # jax.lax.reduce_window: window_dimensions, window_strides, padding, window_dilation; one output, no rounding up
        # and no mean, whose divisor would have to be computed beside it.
        {"operators": ["MaxPool"], "outputs": ["Y"], "attributes": {"ceil_mode": [0]}},
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

    def run(self, request):
        """Y. Raises what JAX raises; for what `reduce_window` has no word for, NotImplementedError."""
        given = request.attributes
        if request.operator != "MaxPool" or given.get("ceil_mode", 0) or request.outputs != ("Y",):
            error = NotImplementedError("reduce_window has no word for this call")
            error.phase = "check"
            raise error
        x, kernel = request.inputs["X"], given["kernel_shape"]
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        pads = given.get("pads", [0] * 2 * len(kernel))
        mode = given.get("auto_pad", "NOTSET")
        padding = [(0, 0), (0, 0), *zip(pads[:len(kernel)], pads[len(kernel):], strict=True)]
        y = jax.lax.reduce_window(
            x, np.array(lowest, x.dtype)[()], jax.lax.max, (1, 1, *kernel),
            (1, 1, *given.get("strides", [1] * len(kernel))), padding if mode == "NOTSET" else PADDING[mode],
            window_dilation=(1, 1, *given.get("dilations", [1] * len(kernel))))
        return {"Y": np.asarray(y)}
