"""SONNX, of no operator: the errata of `spec/sonnx/general.md`, computed."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.operator import evidence


@evidence("BatchNormalization.E1")
def batch_taken_for_channels() -> str:
    """The example on three axes, by the formula, and with the first two axes exchanged."""
    x = np.arange(1.0, 9).reshape(2, 2, 2)
    numbers = (2.0, 1.0), (0.5, -0.5), (2.0, 6.0), (1.0, 1.0)
    printed = np.array([[[-1.5, 0.5], [2.5, 4.5]], [[-1.5, -0.5], [0.5, 1.5]]])
    by_formula = _normalised(x, *numbers).swapaxes(0, 1)
    assert np.allclose(printed, _normalised(x.swapaxes(0, 1), *numbers).swapaxes(0, 1), atol=1e-4)
    assert not np.allclose(printed, by_formula, atol=1)
    return "; ".join(f"channel {number} is {_short(by_formula[number])} by the formula, and printed as "
                     f"{_short(printed[number])}" for number in range(2))


@evidence("BatchNormalization.E2")
def lines_and_columns() -> str:
    """The example on two axes, whose values are printed before and after B is added."""
    x = np.array([[1.0, 2], [3, 4]])
    scale, b, mean, variance = (1.0, 2.0), (0.0, 1.0), (2.0, 3.0), (1.0, 1.0)
    before, printed = np.array([[-1.0, 1], [-3, 3]]), np.array([[-1.0, 1], [-1, 3]])
    by_formula, without_b = (_normalised(x, scale, added, mean, variance) for added in (b, (0.0, 0.0)))
    assert np.allclose(printed, by_formula.T, atol=1e-4) and not np.allclose(printed, by_formula, atol=1)
    assert not any(np.allclose(before, found, atol=0.5) for found in (without_b, without_b.T))
    return f"Y is {_short(by_formula)} by the formula, and {_short(without_b)} without B; printed are " \
           f"{_short(printed)} and {_short(before)}"


def _normalised(x: np.ndarray, *numbers: tuple[float, ...]) -> np.ndarray:
    """The formula of the draft, with an epsilon of 1e-5; `numbers` are scale, B, mean and variance, channel by channel,
    which are the second axis of x."""
    scale, b, mean, variance = (np.reshape(of, (-1, *[1] * (x.ndim - 2))) for of in numbers)
    return np.asarray(scale * (x - mean) / np.sqrt(variance + 1e-5) + b)


def _short(values: np.ndarray) -> str:
    return str(np.round(values, 1).tolist())
