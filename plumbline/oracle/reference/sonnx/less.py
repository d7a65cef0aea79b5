"""Reference oracle of SONNX Less: the cases of the draft, two elements at a time."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return C, of bool, of a valid call."""
    a, b = call.inputs["A"], call.inputs["B"]
    c = np.empty(a.shape, dtype=np.bool_)
    for place in places(a.shape):
        left, right = a[place].item(), b[place].item()
        if left != left or right != right or left == right == 0:
            c[place] = False
        else:
            c[place] = left < right
    return {"C": c}
