"""The bound for Winograd's algorithms: its constants are those of the matrices, and the matrices convolve."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plumbline.oracle.families.winograd import AMPLIFICATION
from tests.operators.onnx._winograd import TILES, convolve


def amplification(tile: int) -> float:
    """The largest of the sums f that the module of the bound derives."""
    back, of_kernel, of_input = (np.abs(np.array(matrix)) for matrix in TILES[tile])
    return float((back @ (of_kernel.sum(axis=1) * of_input.sum(axis=1))).max())


def test_the_constant_is_that_of_the_matrices() -> None:
    """The largest sum of any tile, rounded up."""
    assert [round(amplification(tile), 2) for tile in TILES] == [8.0, 48.0, 67.67]
    assert math.ceil(max(map(amplification, TILES))) == AMPLIFICATION


@pytest.mark.parametrize("tile", TILES)
def test_the_matrices_convolve(tile: int) -> None:
    """In float64 each output is the sum over its window, nearly."""
    rng = np.random.default_rng(tile)
    x, w = rng.integers(-9, 10, (2, 3, 9, 8)).astype(float), rng.integers(-9, 10, (2, 3, 3, 3)).astype(float)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    assert np.allclose(convolve(x, w, tile), np.einsum("nchwij,mcij->nmhw", windows, w), atol=1e-10)
