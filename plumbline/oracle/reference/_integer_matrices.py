"""Sums of products of matrices of integers, less their zero points: one element of Y at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.call import Call


def sums(call: Call) -> Iterator[tuple[tuple[int, ...], int, Any, Any]]:
    """Yield the place of each element of Y, its sum, and the scales of its row and column, 0 where none are given."""
    a, b = call.inputs["A"], call.inputs["B"]
    stack, rows, _ = parts(call)
    for place in product(*map(range, shape_of(call))):
        above, row = place[:len(stack)], place[len(stack):len(stack) + len(rows)]
        column = place[len(stack) + len(rows):]
        total = 0
        of_a, of_b = (*_at(above, a.shape[:-2]), *row), _at(above, b.shape[:-2])
        for k in range(a.shape[-1]):
            total += (int(a[(*of_a, k)]) - int(_parameter(call, "a_zero_point", (*of_a, k), -1))) * \
                     (int(b[(*of_b, k, *column)]) - int(_parameter(call, "b_zero_point", (*of_b, k, *column), -2)))
        yield place, total, _parameter(call, "a_scale", (*of_a, 0), -1), \
            _parameter(call, "b_scale", (*of_b, 0, *column), -2)


def parts(call: Call) -> tuple[tuple[int, ...], ...]:
    """Return the stacked sizes of Y, M and N, as far as it has them."""
    a, b = call.inputs["A"], call.inputs["B"]
    return np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2:-1], b.shape[1:][-1:]


def shape_of(call: Call) -> tuple[int, ...]:
    """Return the shape of Y."""
    return tuple(size for part in parts(call) for size in part)


def _at(place: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place in a stack that broadcasts to that of Y."""
    return tuple(0 if size == 1 else at for at, size in zip(place[len(place) - len(sizes):], sizes, strict=True))


def _parameter(call: Call, name: str, place: tuple[int, ...], inner: int) -> Any:
    """Return what goes with an element; `inner` is the axis of its tensor that is summed over."""
    if name not in call.inputs:
        return 0
    given = call.inputs[name]
    if given.size == 1:
        return given.reshape(-1)[0]
    if given.ndim == 1:
        return given[place[-3 - inner]]
    without = list(place)
    without[inner] = 0
    return given[tuple(without)]
