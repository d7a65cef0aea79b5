"""Implementations of LeakyRelu and variants as mixins."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import largest
from tests.operators._unary import Elements


class Leak(Elements):
    """The product is computed in float64 where X has sixteen bits, and in the type of X otherwise."""

    default = 0.01

    def of_request(self, x, request):
        return self.leaked(x, self.slope(x, np.float32(request.attributes.get("alpha", self.default))))

    def slope(self, x, alpha):
        """The factor that counts."""
        return alpha

    def leaked(self, x, alpha):
        """Each element, multiplied below zero."""
        return np.where(self.leaks(x), self.product(x, alpha), x)

    def leaks(self, x):
        """bool: which elements are multiplied."""
        return x < 0

    def product(self, x, alpha):
        """Rounded to nearest."""
        if x.dtype.name == "bfloat16":  # of the nearest float32s the one that is odd, so that no tie arises by rounding
            exact = x.astype(np.float64) * np.float64(alpha)
            single = exact.astype(np.float32)
            away = np.where(np.abs(single) < np.abs(exact), np.copysign(np.float32(np.inf), single), np.float32(0))
            odd = np.nextafter(single, away.astype(np.float32))
            inexact = (single != exact) & np.isfinite(single) & ((single.view(np.uint32) & 1) == 0)
            return np.where(inexact, odd, single).astype(x.dtype)
        wide = np.float64 if x.dtype == np.float16 else x.dtype
        return (x.astype(wide) * alpha.astype(wide)).astype(x.dtype)


class RoundsAlpha:
    """alpha is rounded to the type of X."""

    def slope(self, x, alpha):
        return super().slope(x, alpha).astype(x.dtype).astype(np.float32)


class HoldsAtTheLargest:
    """A finite product is never infinite."""

    def product(self, x, alpha):
        found = super().product(x, alpha)
        finite = np.isinf(found) & np.isfinite(x) & np.isfinite(alpha)
        return np.where(finite, np.copysign(largest(x.dtype), found), found).astype(x.dtype)
