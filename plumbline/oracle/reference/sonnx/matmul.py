"""Reference oracle of SONNX MatMul: exact fractions, rounded once; integers modulo 2**n."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, product, rounded, total, wrapped


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y (type of A) of a valid call."""
    a, b = call.inputs["A"], call.inputs["B"]
    y = np.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            if a.dtype.kind in "iu":
                y[i, j] = wrapped(sum(int(a[i, k]) * int(b[k, j]) for k in range(a.shape[1])), a.dtype)
            else:
                terms = [product(number(a[i, k]), number(b[k, j])) for k in range(a.shape[1])]
                y[i, j] = rounded(total(terms), a.dtype)
    return {"Y": y}
