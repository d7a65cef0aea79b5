"""Reference oracle of ONNX MatMul: exact fractions, rounded once; integers modulo 2**n."""

from __future__ import annotations

from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, product, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of A) of a valid call in a version of the operator."""
    a, b = call.inputs["A"], call.inputs["B"]
    stack = _broadcast(a.shape[:-2], b.shape[:-2])
    rows = [] if a.ndim == 1 else [a.shape[-2]]
    columns = [] if b.ndim == 1 else [b.shape[-1]]
    y = np.empty((*stack, *rows, *columns), dtype=a.dtype)
    for place in each(*map(range, y.shape)):
        above = place[:len(stack)]
        row, column = place[len(stack):len(stack) + len(rows)], place[len(stack) + len(rows):]
        lefts = [a[(*_at(above, a.shape[:-2]), *row, k)] for k in range(a.shape[-1])]
        rights = [b[(*_at(above, b.shape[:-2]), k, *column)] for k in range(a.shape[-1])]
        if a.dtype.kind in "iu":
            y[place] = wrapped(sum(int(left) * int(right) for left, right in zip(lefts, rights, strict=True)), a.dtype)
        else:
            terms = [product(number(left), number(right)) for left, right in zip(lefts, rights, strict=True)]
            y[place] = rounded(total(terms), a.dtype)
    return {"Y": y}


def _broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> list[int]:
    """The sizes of both, the shorter preceded by 1; of two sizes the one that is not 1."""
    length = max(len(one), len(other))
    pairs = zip([1] * (length - len(one)) + list(one), [1] * (length - len(other)) + list(other), strict=True)
    return [right if left == 1 else left for left, right in pairs]


def _at(place: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """A place of the stack of Y in the stack of an input."""
    return [0 if size == 1 else at for at, size in zip(place[len(place) - len(shape):], shape, strict=True)]
