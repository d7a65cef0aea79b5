"""Bound the error of a convolution by fast Fourier transforms.

Each plane of X and each kernel is transformed alone, with zeros behind it up to the lengths L of the axes; products are
summed over the channels, and the sum, or each product, is transformed back. N is the product of the lengths, S the sum
of their binary logarithms, C the number of channels, u the unit roundoff of the type that this is computed in, and g(k)
= (1 + u)**k - 1. Factors of the transforms depend on no data: each part of one is within a unit in the last place.

* A fast transform in stages is off by at most ``(1 + h)**S - 1`` times its exact result in the Euclidean norm, where h
  is ``2*u + g(4)*(sqrt(2) + 2*u)`` (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2). The exact
  one has sqrt(N) times the norm of the plane. A transform of real numbers in half the length has a last stage instead,
  of two additions and one product, which is off by no more; one in more axes has the stages of all of them.
* A product of two complex numbers is off by a factor of at most 1 + sqrt(2)*g(2) (Higham, lemma 3.5), a sum over
  channels by C - 1 more, before or after the transform back, and scaling by one. By the inequality of Cauchy and
  Schwarz, the products of one channel sum up to at most N times the norm of the plane, ``|x|``, and of the kernel,
  ``|w|``.
* An element of the transform back is a sum of the products, divided by N, each with a factor of at most 1 + h for each
  stage: a product, a rounded factor and a sum. So it is off by at most ``((1 + h)**(3*S) * (1 + g(C + 3)) - 1)`` times
  the sum over the channels of ``|x|*|w|``.
* Adding B, in the type of the transforms, and rounding to the element type are roundings of the result. A plane or a
  kernel of nothing but zeros adds no error.

Shorter transforms have smaller bounds, and so have tiles of X and phases of a stride, whose norms are parts of ``|x|``
and ``|w|``. What is computed on the way is at most N times the sum of ``|x|*|w|``, or sqrt(N) times a norm.

Planes and kernels that hold a number that is not finite count with their other elements: an algorithm that spreads NaN
to elements without such a term is wrong.

Below the normal range each product errs by at most a, half of the smallest subnormal number: each cell of a stage by
2*sqrt(2)*a, four products, and the last stage of real numbers by half as much again. Later stages make the norm of that
at most ``sqrt(2)**k`` times as large, k of them, so that a transform is off by as much as ``10*a*sqrt(N)`` more in the
norm of its plane makes it. Behind it the products of a channel are off by 2*sqrt(2)*a, the transform back, of sums, by
as much, and scaling that comes before it by N*a: together no more than 4*N*a for each channel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plumbline.oracle.families.fourier import stage_error
from plumbline.oracle.rounding import PRECISION, Wide, growth

FLOAT32 = np.dtype(np.float32)


@dataclass(frozen=True, eq=False)
class ByTransforms:
    """Convolutions by transforms of so many stages in all.

    off: how far an element may be from the exact one, before B is added.
    most: the largest magnitude on the way.
    dtype: the type that they are computed in."""

    off: np.ndarray
    most: np.ndarray
    dtype: np.dtype

    @classmethod
    def of(cls, x: np.ndarray, w: np.ndarray, stages: int, dtype: np.dtype) -> ByTransforms:
        """Return the bounds, of shape (N, groups, maps), for an element type.

        `x` are the norms of planes, (N, groups, 1, channels); `w` those of kernels, (groups, maps, channels)."""
        computed = dtype if dtype.name == "float64" else FLOAT32
        half, cells = Wide(float(PRECISION[computed.name][1])) / 2, Wide(2) ** stages
        lost = 10 * half * np.sqrt(cells)
        norms = (x * w).sum(axis=3)
        below = np.where((x > 0) & (w > 0), lost * (x + w + lost) + 4 * cells * half, 0).sum(axis=3)
        unit = 2 * Wide(float(PRECISION[computed.name][0]))
        step = stage_error(unit, computed)
        more = (1 + step) ** (3 * stages) * (1 + growth(w.shape[2] + 3, computed))
        largest = np.sqrt(cells) * max(x.max(initial=0), w.max(initial=0))
        return cls((more - 1) * norms + more * below, more * np.maximum(cells * (norms + below), largest), computed)
