"""Reference oracle of ONNX Einsum: every place of every index, exact numbers, rounded once.

It shares nothing with the definition.
"""

from __future__ import annotations

from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, product, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Output of a valid call in a version of the operator.

    Sizes of 1 are broadcast, and an ellipsis that the output-term lacks is summed."""
    operands = list(call.inputs.values())
    left, arrow, right = call.attributes["equation"].replace(" ", "").partition("->")
    terms = left.split(",")
    dots = max((x.ndim + 3 - len(term) for term, x in zip(terms, operands, strict=True) if "..." in term), default=0)
    marks = "".join(chr(0x2460 + at) for at in range(dots))
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = "..." + "".join(sorted(letter for letter in letters if letters.count(letter) == 1))
    terms, right = [term.replace("...", marks) for term in terms], right.replace("...", marks)
    sizes: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for name, size in zip(term, x.shape, strict=True):
            sizes[name] = size if sizes.get(name, 1) == 1 else sizes[name]
    summed = [name for name in sizes if name not in right]
    dtype = operands[0].dtype
    y = np.empty([sizes[name] for name in right], dtype)
    for place in each(*(range(sizes[name]) for name in right)):
        factors = []
        for more in each(*(range(sizes[name]) for name in summed)):
            at = dict(zip([*right, *summed], [*place, *more], strict=True))
            factors.append([x[tuple(at[name] if size > 1 else 0 for name, size in zip(term, x.shape, strict=True))]
                          for term, x in zip(terms, operands, strict=True)])
        y[place] = _sum(factors, dtype)
    return {"Output": y}


def _sum(products: list[list[np.generic]], dtype: np.dtype) -> np.generic:
    """Return the sum of products in a type: modulo 2 to its bits, or rounded."""
    if dtype.kind in "iu":
        whole = 0
        for factors in products:
            term = 1
            for factor in factors:
                term *= int(factor)
            whole += term
        return wrapped(whole, dtype)  # type: ignore[no-any-return]
    terms = []
    for first, *others in products:
        exact = number(first)
        for factor in others:
            exact = product(exact, number(factor))
        terms.append(exact)
    return rounded(total(terms), dtype)  # type: ignore[no-any-return]
