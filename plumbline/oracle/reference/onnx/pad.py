"""Reference oracle of ONNX Pad: each place of the output looked up, one axis after another.

Cells are added first, as the whole of data gives them; then others are removed. Reflections repeat.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    x, mode = call.inputs["data"], call.attributes.get("mode", "constant")
    listed = call.attributes["paddings"] if version == 1 else call.attributes["pads"] if version == 2 \
        else call.inputs["pads"]
    axes = call.inputs["axes"] if "axes" in call.inputs else range(x.ndim)
    before, after = [0] * x.ndim, [0] * x.ndim
    for number, axis in enumerate(axes):
        before[int(axis)], after[int(axis)] = int(listed[number]), int(listed[number + len(axes)])
    zero = "" if x.dtype.hasobject else 0
    constant = call.attributes.get("value", 0) if version < 11 else np.asarray(
        call.inputs.get("constant_value", zero), x.dtype)[()]
    y = np.empty([size + before[axis] + after[axis] for axis, size in enumerate(x.shape)], dtype=x.dtype)
    for place in places(y.shape):
        source: list[int] = []
        for axis, size in enumerate(x.shape):
            index = place[axis] - before[axis]
            while not 0 <= index < size and mode != "constant" and size > 0:
                index = _inward(index, size, mode)
            source.append(index)
        inside = all(0 <= index < size for index, size in zip(source, x.shape, strict=True))
        y[place] = x[tuple(source)] if inside else constant
    return {"output": y}


def _inward(index: int, size: int, mode: str) -> int:
    """The index of an element that one outside the axis copies, or of one that is nearer."""
    if mode == "edge":
        return 0 if index < 0 else size - 1
    if mode == "wrap":
        return index + size if index < 0 else index - size
    if size == 1:
        return 0
    return -index if index < 0 else 2 * (size - 1) - index
