"""Reference oracle of ONNX MatMulInteger: integers of any size, at the end modulo 2**32."""

from __future__ import annotations

from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (int32) of a valid call in a version of the operator."""
    a, b = call.inputs["A"], call.inputs["B"]
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, columns = a.shape[-2:-1], b.shape[1:][-1:]
    y = np.empty((*stack, *rows, *columns), dtype=np.int32)
    for place in each(*map(range, y.shape)):
        above, row = place[:len(stack)], place[len(stack):len(stack) + len(rows)]
        column = place[len(stack) + len(rows):]
        total = 0
        for k in range(a.shape[-1]):
            of_a = (*_at(above, a.shape[:-2]), *row, k)
            of_b = (*_at(above, b.shape[:-2]), k, *column)
            total += (int(a[of_a]) - _point(call, "a_zero_point", of_a, -1)) * \
                     (int(b[of_b]) - _point(call, "b_zero_point", of_b, -2))
        y[place] = wrapped(total, y.dtype)
    return {"Y": y}


def _point(call: Call, name: str, place: tuple[int, ...], inner: int) -> int:
    """The zero point that goes with an element; `inner` is the axis of its tensor that is summed over."""
    if name not in call.inputs:
        return 0
    point = call.inputs[name]
    if point.size == 1:
        return int(point.reshape(-1)[0])
    if point.ndim == 1:
        return int(point[place[-3 - inner]])
    without = list(place)
    without[inner] = 0
    return int(point[tuple(without)])


def _at(place: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """A place of the stack of Y in the stack of an input."""
    return [0 if size == 1 else at for at, size in zip(place[len(place) - len(shape):], shape, strict=True)]
