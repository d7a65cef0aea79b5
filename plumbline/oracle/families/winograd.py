"""Bound the error of Winograd's algorithms for convolutions.

For tiles of m by m outputs and kernels of 3 by 3, with n = m + 2, they compute, channel by channel, ``A' (sum over c of
(G w G') * (B' x B)) A``, where w is a kernel (3, 3), x a tile (n, n), A' (m, n), G (n, 3), B' (n, n), ``'`` transposes
and ``*`` multiplies element by element (A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, CVPR
2016, section 4.1). This is no summation of the terms of an output: parts of others enter it and cancel.

Each output is a sum of products of five entries (two of A', one of G twice, one of B' twice) and of one w and one x.
Each of these carries a factor (1 + d), |d| <= u, for each rounding on its way. Hence the error is at most ``(1 +
u)**K - 1`` times the sum of their absolute values, which is ``|A'| (sum over c of (|G| |w| |G'|) * (|B'| |x| |B|))
|A|``, for K roundings on the longest way (the same argument as for sums, Higham, section 3.1). With |w| <= v and |x|
<= t everywhere, the entry (k, l) of the two inner matrices is at most ``g[k]*g[l]*v`` and ``b[k]*b[l]*t``, where g
and b are the sums of each row of |G| and |B'|. So an output (i, j) has at most ``f[i]*f[j]`` times the sum over c of
v*t, where ``f[i] = sum over k of |A'[i, k]|*g[k]*b[k]``; its largest is 8 for m = 2, 48 for m = 4 and 67.67 for m =
6, with the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity, as many as are needed. It is a bound in the maximum norm,
with the three matrices taken together. Their norms one by one would give 19*1*10 = 190 for m = 4 (compare B. Barabasz
et al., Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks, ACM TOMS 46(4),
2020). Other scalings of the same points cancel in f.

Roundings, at most, for m up to 6, with each matrix product as n plain sums: a row of G has entries that are rounded
themselves, three products and two sums, 4 for each side; a row of B' at most six entries other than zero, of which no
term is rounded more than once before five sums, 6 for each side; the product of the two 1; the sum over C channels C
- 1; a row of A' seven powers of two, 6 for each side; adding B 1. Together C + 33. Two more are allowed, for a row of
A' that is scaled. B itself carries one of them.

Below the normal range a product errs by eta/2 = u*t0 instead, where t0 is the smallest normal number. Six products of
the transform of w do, which the rest amplifies to less than ``2e6*u*t0*t``; twelve of that of x, to less than
``6e3*u*t0*v``; the product of the two, and those by powers of two behind it, to less than ``5e3*u*t0`` for each
channel. Each is less than the bound of the same algorithm for v + 16*t0 and t + 16*t0, with t0 added to each of their
products, has for it.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.rounding import PRECISION, Wide, growth

AMPLIFICATION = 68
"""Of the terms, on each axis: the largest f of any of these tiles, rounded up."""

ROUNDINGS = 35
"""On the longest way, beside one for each channel."""


def winograd_error(x: np.ndarray, w: np.ndarray, b: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return the error bound, and where parts may overflow, both of shape (N, groups, maps).

    `x` has the largest magnitude of each plane of X, (N, groups, 1, channels), `w` that of each kernel, (groups, maps,
    channels), and `b` the magnitude of what is added, (groups, maps), in extended precision; `dtype` is that of X."""
    u, eta, largest = PRECISION[dtype.name]
    least, above = Wide(float(eta / (2 * u))), AMPLIFICATION**2
    most = above * ((x + 16 * least) * (w + 16 * least) + least).sum(axis=3) + b
    bound = growth(w.shape[2] + ROUNDINGS, dtype) * most
    return bound, np.maximum(most, above * max(x.max(initial=0), w.max(initial=0))) > float(largest)
