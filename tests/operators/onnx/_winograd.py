"""Winograd's minimal filtering algorithms for kernels of 3 by 3, with tiles of 2, 4 and 6 outputs on an axis.

Source of the matrices: A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, for tiles of 2 and 4;
for 6 the same construction with the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity.
"""

from __future__ import annotations

import numpy as np

HALF, QUARTER = 1 / 2, 1 / 4

TILES = {
    # m: A', G, B'; the points are 0, 1, -1, 2, -2, 1/2, -1/2 and infinity, as many as are needed
    2: ([[1, 1, 1, 0],
         [0, 1, -1, -1]],
        [[1, 0, 0], [HALF, HALF, HALF], [HALF, -HALF, HALF], [0, 0, 1]],
        [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
    4: ([[1, 1, 1, 1, 1, 0],
         [0, 1, -1, 2, -2, 0],
         [0, 1, 1, 4, 4, 0],
         [0, 1, -1, 8, -8, 1]],
        [[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6], [1 / 24, 1 / 12, 1 / 6],
         [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]],
        [[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0], [0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0],
         [0, 4, 0, -5, 0, 1]]),
    6: ([[1, 1, 1, 1, 1, 1, 1, 0],
         [0, 1, -1, 2, -2, 1 / 2, -1 / 2, 0],
         [0, 1, 1, 4, 4, 1 / 4, 1 / 4, 0],
         [0, 1, -1, 8, -8, 1 / 8, -1 / 8, 0],
         [0, 1, 1, 16, 16, 1 / 16, 1 / 16, 0],
         [0, 1, -1, 32, -32, 1 / 32, -1 / 32, 1]],
        [[1, 0, 0], [-2 / 9, -2 / 9, -2 / 9], [-2 / 9, 2 / 9, -2 / 9], [1 / 90, 1 / 45, 2 / 45],
         [1 / 90, -1 / 45, 2 / 45], [32 / 45, 16 / 45, 8 / 45], [32 / 45, -16 / 45, 8 / 45], [0, 0, 1]],
        [[1, 0, -21 / 4, 0, 21 / 4, 0, -1, 0], [0, 1, 1, -17 / 4, -17 / 4, 1, 1, 0],
         [0, -1, 1, 17 / 4, -17 / 4, -1, 1, 0], [0, HALF, QUARTER, -5 / 2, -5 / 4, 2, 1, 0],
         [0, -HALF, QUARTER, 5 / 2, -5 / 4, -2, 1, 0], [0, 2, 4, -5 / 2, -5, HALF, 1, 0],
         [0, -2, 4, 5 / 2, -5, -HALF, 1, 0], [0, -1, 0, 21 / 4, 0, -21 / 4, 0, 1]]),
}
"""By the outputs of a tile on an axis, the matrices that transform products back, kernels, and tiles of the input."""


def convolve(x: np.ndarray, w: np.ndarray, tile: int) -> np.ndarray:
    """The sums of products of windows of 3 by 3 of `x` (batches, channels, height, width), padding included, by `w`
    (maps, channels, 3, 3), in the type of both and in steps of that type."""
    back, of_kernel, of_input = (np.array(matrix, dtype=np.float64).astype(x.dtype) for matrix in TILES[tile])
    batches, _, height, width = x.shape
    rows, columns = -(-(height - 2) // tile), -(-(width - 2) // tile)
    padded = np.zeros((*x.shape[:2], rows * tile + 2, columns * tile + 2), x.dtype)
    padded[:, :, :height, :width] = x
    kernels = of_kernel @ w @ of_kernel.T
    y = np.empty((batches, w.shape[0], rows * tile, columns * tile), x.dtype)
    for row in range(rows):
        for column in range(columns):
            top, left = row * tile, column * tile
            part = of_input @ padded[:, :, top:top + tile + 2, left:left + tile + 2] @ of_input.T
            summed = np.zeros((batches, w.shape[0], tile + 2, tile + 2), x.dtype)
            for channel in range(x.shape[1]):
                summed += part[:, None, channel] * kernels[None, :, channel]
            y[:, :, top:top + tile, left:left + tile] = back @ summed @ back.T
    return y[:, :, :height - 2, :width - 2]
