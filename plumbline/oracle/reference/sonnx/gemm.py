"""Reference oracle of SONNX Gemm: exact fractions, rounded once."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, product, rounded, total


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, of the type of A, of a valid call."""
    a, b, c = call.inputs["A"], call.inputs["B"], call.inputs["C"]
    y = np.empty(c.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            terms = [number(c[i, j])]
            for k in range(a.shape[1]):
                terms.append(product(number(a[i, k]), number(b[k, j])))
            y[i, j] = rounded(total(terms), a.dtype)
    return {"Y": y}
