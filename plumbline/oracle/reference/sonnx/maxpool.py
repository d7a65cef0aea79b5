"""Reference oracle of SONNX MaxPool: the draft's two formulas, read with its errata."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y (type of X) and Indices (int64) of a valid call."""
    x = call.inputs["X"]
    attributes = call.attributes
    batches, channels, height, width = x.shape
    kernel_h, kernel_w = attributes["kernel_shape"]
    stride_h, stride_w = attributes["strides"]
    dilation_h, dilation_w = attributes["dilations"]
    top, left, bottom, right = attributes["pads"]
    rows = math.floor((height + top + bottom - (dilation_h * (kernel_h - 1) + 1)) / stride_h) + 1
    columns = math.floor((width + left + right - (dilation_w * (kernel_w - 1) + 1)) / stride_w) + 1
    y = np.empty((batches, channels, rows, columns), dtype=x.dtype)
    indices = np.empty((batches, channels, rows, columns), dtype=np.int64)
    for b in range(batches):
        for c in range(channels):
            for m in range(rows):
                for n in range(columns):
                    selected = []
                    for h in range(kernel_h):
                        for w in range(kernel_w):
                            row = m * stride_h + h * dilation_h - top
                            column = n * stride_w + w * dilation_w - left
                            if 0 <= row < height and 0 <= column < width:
                                flat = b * channels * height * width + c * height * width + row * width + column
                                selected.append((x[b, c, row, column].item(), flat))
                    numbers = [(number, flat) for number, flat in selected if not math.isnan(number)]
                    if numbers:
                        largest = max(number for number, _ in numbers)
                        indices[b, c, m, n] = min(flat for number, flat in numbers if number == largest)
                        y[b, c, m, n] = largest
                    else:
                        indices[b, c, m, n] = min(flat for _, flat in selected)
                        y[b, c, m, n] = -math.inf
    return {"Y": y, "Indices": indices}
