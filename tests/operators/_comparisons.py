"""Variants of comparisons as mixins, for implementations on pairs."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import Pairs


class Comparison(Pairs):
    """A is compared with B."""

    def result(self, a, b):
        return np.asarray(self.compared(a, b))

    def compared(self, a, b):
        """bool, of each pair."""
        raise NotImplementedError


class NotGreaterOrEqual:
    """The comparison is the opposite of 'above or equal', and NaN thus below."""

    def compared(self, a, b):
        return ~(super().compared(b, a) | (a == b))


class NanIsLowest:
    """NaN is below every number."""

    def compared(self, a, b):
        return super().compared(a, b) | (a != a) & (b == b)


class NanIsHighest:
    """NaN is above every number."""

    def compared(self, a, b):
        return super().compared(a, b) | (a == a) & (b != b)
