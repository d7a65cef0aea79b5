"""SONNX Less: an implementation."""

from __future__ import annotations

from tests.operators._comparisons import Comparison


class Less(Comparison):
    """`a < b`."""

    def compared(self, a, b):
        """As numbers; false of NaN."""
        return a < b
