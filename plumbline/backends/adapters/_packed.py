"""Read elements of types that numpy lacks from the bytes of runtimes.

Adapters load this file by its path, since an environment does not have the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np


def unpacked(data: bytes, name: str, bits: int, shape: Sequence[int]) -> np.ndarray:
    """Return the elements of a type of ml_dtypes as an array.

    name: of the type, such as "bfloat16" or "int4".
    bits: of one element; below eight, a byte holds several, the first one lowest.

    Raises ImportError where ml_dtypes is not installed."""
    import ml_dtypes  # here, since most sessions need none of its types

    count = prod(shape)
    octets = np.frombuffer(data, np.uint8)
    if bits < 8:
        packed = octets[:, None] >> np.arange(0, 8, bits, dtype=np.uint8)
        octets = packed.reshape(-1)[:count] & np.uint8((1 << bits) - 1)
        if name.startswith("int"):  # ml_dtypes extends the sign over the octet
            octets = (octets | (octets >> (bits - 1)) * np.uint8(256 - (1 << bits))).astype(np.uint8)
    return octets.view(np.dtype(getattr(ml_dtypes, name))).reshape(tuple(shape))
