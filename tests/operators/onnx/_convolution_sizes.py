"""Faults of convolutions that show only at sizes of rows, kernels, sums and Y, in one element type, or where a number
leaves the width that it is kept in."""

from __future__ import annotations

import numpy as np


def terms(self):
    """In how many products each sum has a part."""
    return self.w.shape[1] * int(np.prod(self.kernel))


# Rows and planes


# Kernels and sums


# Vectors of a type


# Widths of numbers


# Batches
