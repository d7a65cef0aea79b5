"""Reference oracle of ONNX Gemm: exact fractions, rounded once."""

from __future__ import annotations

from fractions import Fraction
from math import trunc
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import Number, number, product, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of A) of a valid call in a version of the operator.

    A factor of 0 is multiplied like any other, and an absent C is 0; integers are exact sums, toward zero, modulo 2**n.
    """
    a, b = call.inputs["A"], call.inputs["B"]
    c = call.inputs.get("C", np.zeros((), a.dtype))
    alpha, beta = (number(np.float32(call.attributes.get(name, 1.0))) for name in ("alpha", "beta"))
    rows, inner = a.shape[::-1] if call.attributes.get("transA", 0) else a.shape
    columns = b.shape[0] if call.attributes.get("transB", 0) else b.shape[1]
    y = np.empty((rows, columns), dtype=a.dtype)
    for i in range(rows):
        for j in range(columns):
            terms = []
            for k in range(inner):
                left = a[k, i] if call.attributes.get("transA", 0) else a[i, k]
                right = b[j, k] if call.attributes.get("transB", 0) else b[k, j]
                terms.append(product(alpha, product(_exact(left), _exact(right))))
            place = [0 if size == 1 else at for size, at in zip(c.shape[::-1], (j, i), strict=False)][::-1]
            terms.append(product(beta, _exact(c[tuple(place)])))
            y[i, j] = _element(total(terms), a.dtype)
    return {"Y": y}


def _exact(element: np.generic) -> Number:
    return Fraction(int(element)) if element.dtype.kind in "iu" else number(element)


def _element(value: Number, dtype: np.dtype) -> Any:
    if dtype.kind not in "iu":
        return rounded(value, dtype)
    return wrapped(trunc(value), dtype) if isinstance(value, Fraction) else dtype.type(0)
