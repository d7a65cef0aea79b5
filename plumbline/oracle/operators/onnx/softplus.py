"""Judge and generate calls of ONNX Softplus, by `spec/onnx/softplus.md`."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import explained
from plumbline.oracle.families.special_functions import OfSchema
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.rounding import PRECISION, Wide


def _off_by_little(definition: Any, entry: Divergence) -> bool:
    """Elements are off by at most 2**-16, however small they should be."""
    if not isinstance(entry.got, np.ndarray) or not isinstance(entry.expected, np.ndarray):
        return False
    return bool(np.all(np.abs(entry.got.astype(Wide) - entry.expected.astype(Wide)) <= 2.0**-16))


class Softplus(OfSchema):
    """A call of Softplus under one version of its specification."""

    symptoms = {**OfSchema.symptoms, "off-by-little": _off_by_little}

    clauses = {"Y.F3": "at_known_numbers", "Y.F4": "in_range", "Y.F2": "any_other",
               "Y.U1": "accuracy", "Y.U2": "nan"}
    function = staticmethod(lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
    turns = ()
    known = (-np.inf, np.inf)
    range = (0, np.inf)
    of_result, of_one = 6, 12
    flag_notes = {**OfSchema.flag_notes, "exponential-overflows": "The exponential of some element is beyond the type, "
                                                                  "though its logarithm is not."}
    zeros = OfSchema.zero_is_open("Y.U3")

    def condition(self) -> np.ndarray:
        """Return |X| s, with the slope s = 1 / (1 + e**-X)."""
        x = self.x.astype(Wide)
        return np.asarray(np.abs(x) / (1 + np.exp(-x)))

    @property
    def large(self) -> np.ndarray:
        """bool: where the exponential may overflow."""
        x, largest = self.x.astype(Wide), Wide(float(PRECISION[self.x.dtype.name][2]))
        with np.errstate(all="ignore"):
            return np.asarray(np.isfinite(x) & (np.exp(x) * (1 + self.unit * (6 + 2 * np.abs(x))) + 1 > largest))

    def _enclosed(self, computed: np.ndarray) -> dict[str, Ends]:
        """Return ends, from the logarithm of the largest number where overflow is possible."""
        (name, ends), = super()._enclosed(computed).items()
        end = np.log(Wide(float(PRECISION[self.x.dtype.name][2])))
        low = np.minimum(ends.low, end - self.unit * (9 * end + 12))
        return {name: Ends(np.where(self.large, low, ends.low), np.where(self.large, Wide(np.inf), ends.high))}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().value_flags(), "exponential-overflows": bool(self.large.any())}

    @unspecified("Y.U4")
    def overflow(self) -> Unspecified | None:
        end = np.full(self.x.shape, np.log(Wide(float(PRECISION[self.x.dtype.name][2]))))
        return Unspecified.of(self.large, "Y", admits=lambda got: self.explains(got) | (got == np.inf) | explained(
            got, end, self.x.dtype, self.unit * (8 * end + 12)))
