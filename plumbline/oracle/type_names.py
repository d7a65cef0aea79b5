"""Return names of element types, from a cache.

numpy composes the name of a type anew each time it is asked, and the suite asks many times a call.
"""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def name_of(dtype: np.dtype) -> str:
    """Return what numpy and ml_dtypes call an element type.

    >>> name_of(np.dtype(np.float32))
    'float32'
    """
    return dtype.name
