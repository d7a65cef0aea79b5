"""Implementations of LeakyRelu, and faults in them as mixins."""

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


class AnotherDefault:
    """alpha is 0.1 where it is not set."""

    default = 0.1


class IgnoresAlpha:
    """alpha is always 0.01."""

    def slope(self, x, alpha):
        return np.float32(0.01)


class NoNegativeAlpha:
    """A negative alpha counts as 0."""

    def slope(self, x, alpha):
        return np.float32(max(alpha, np.float32(0)))


class MagnitudeOfAlpha:
    """alpha has no sign."""

    def slope(self, x, alpha):
        return np.abs(alpha)


class FiniteAlpha:
    """An infinite alpha counts as the largest float32."""

    def slope(self, x, alpha):
        return np.clip(alpha, np.finfo(np.float32).min, np.finfo(np.float32).max)


class SubnormalAlphaIsZero:
    """A subnormal alpha counts as 0."""

    def slope(self, x, alpha):
        return np.where(np.abs(alpha) < np.float32(2.0**-126), np.float32(0), alpha)[()]


class Maximum:
    """The larger of X and the product is given, which is right for an alpha between 0 and 1 alone."""

    def leaked(self, x, alpha):
        return np.maximum(x, self.product(x, alpha))


class AboveZero:
    """Positive elements are multiplied, not negative ones."""

    def leaks(self, x):
        return x > 0


class Everywhere:
    """Every element is multiplied."""

    def leaks(self, x):
        return np.ones(x.shape, bool)


class UpToZero:
    """Zeros are multiplied too."""

    def leaks(self, x):
        return x <= 0


class UpToOne:
    """Elements below one are multiplied."""

    def leaks(self, x):
        return x < 1


class Sign:
    """Elements with a minus sign are multiplied, -0 and NaN among them."""

    def leaks(self, x):
        return np.signbit(x)


class Difference:
    """Above zero X, plus alpha times what lies below: infinities spoil it, and NaN and -0."""

    def leaked(self, x, alpha):
        zero = x.dtype.type(0)
        return np.maximum(x, zero) + self.product(np.minimum(x, zero), alpha)


class ProductTowardsZero:
    """Products of float16 are rounded towards zero."""

    def product(self, x, alpha):
        found = super().product(x, alpha)
        if x.dtype != np.float16:
            return found
        exact = x.astype(np.float64) * np.float64(alpha)
        beyond = np.isfinite(found) & (np.abs(found.astype(np.float64)) > np.abs(exact))
        return np.where(beyond, np.nextafter(found, np.float16(0)), found)


class KeepsInfinity:
    """-inf stays as it is."""

    def product(self, x, alpha):
        return np.where(np.isinf(x), x, super().product(x, alpha))


class FiniteProducts:
    """An infinite product is given as the largest finite number."""

    def product(self, x, alpha):
        found = super().product(x, alpha)
        return np.where(np.isinf(found), np.copysign(largest(x.dtype), found), found).astype(x.dtype)


class AlphaInDouble:
    """float64 is multiplied by the default that is written in the text, 0.01, not by the float32 nearest to it."""

    def product(self, x, alpha):
        if x.dtype == np.float64 and alpha == np.float32(0.01):
            return x * 0.01
        return super().product(x, alpha)


