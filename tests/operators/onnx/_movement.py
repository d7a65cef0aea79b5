"""What implementations of operators that move elements share: two variants of the copy."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs


class Mover(Implementation):
    """Moves elements, and then does with the result what a fault does."""

    output = "output"

    def move(self, request: Request) -> np.ndarray:
        """The output."""
        raise NotImplementedError

    def finish(self, moved: np.ndarray) -> np.ndarray:
        """What is made of it."""
        return moved

    def run(self, request: Request) -> Outputs:
        """The output, or nothing where `finish` makes nothing of it."""
        found = self.finish(self.move(request))
        return {} if found is None else {self.output: found}


def is_float(moved: np.ndarray) -> bool:
    """Of numpy's floating-point types."""
    return moved.dtype in (np.float16, np.float32, np.float64)


def changed(moved: np.ndarray, where: np.ndarray, value: object) -> np.ndarray:
    """A copy with another value at some places."""
    found = moved.copy()
    found[where] = value
    return found


def payload_is_lost(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Every NaN is made the negative quiet one, which the texts allow."""
    return changed(moved, np.isnan(moved), -np.float64(np.nan)) if is_float(moved) else moved


def strided_answer(self: Mover, moved: np.ndarray) -> np.ndarray:
    """The output is a view into a wider array, which an answer may be."""
    wide = np.repeat(moved.reshape(*moved.shape, 1), 2, axis=-1)
    return wide[..., 0]


def copies(base: type[Mover]) -> dict[str, type]:
    """Two variants of an implementation, as classes of its module."""
    own = {"__module__": base.__module__}
    return {"PayloadIsLost": type("PayloadIsLost", (base,), {**own, "finish": payload_is_lost,
                                                             "__doc__": payload_is_lost.__doc__}),
            "StridedAnswer": type("StridedAnswer", (base,), {**own, "finish": strided_answer,
                                                             "__doc__": strided_answer.__doc__})}
