"""Standardised elements of which the mean and the inverse of the standard deviation are outputs too."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of, shape_of_output, type_of_output
from plumbline.oracle.families.standardisation import Standardised
from plumbline.oracle.operator import UNBOUND, Unspecified, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal


class StoredMoments(Standardised):
    """A call with the outputs Y, Mean and InvStdDev."""

    shape_of_mean, shape_of_root = shape_of_output(UNBOUND, "Mean"), shape_of_output(UNBOUND, "InvStdDev")
    mean = elements_of(UNBOUND, "Mean", "not the mean")
    root = elements_of(UNBOUND, "InvStdDev", "not the inverse of the standard deviation")
    type_of_mean = type_of_output(UNBOUND, "Mean", lambda self: self.computed_in)
    type_of_root = type_of_output(UNBOUND, "InvStdDev", lambda self: self.computed_in)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of X; for the moments with size 1 on the axes that are averaged."""
        return self.x.shape if output == "Y" else (*self.x.shape[:self.axes[0]], *(1,) * len(self.axes))

    def expected(self) -> dict[str, np.ndarray]:
        """Return all three outputs."""
        with np.errstate(all="ignore"):
            return {**super().expected(), "Mean": self._moments.mean.astype(self.computed_in),
                    "InvStdDev": self.roots[1].astype(self.computed_in)}

    def bound(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return exact values, and how far off they may be."""
        (lowest, exact, highest), one = self.roots_within(error), growth(4, self.computed_in)
        with np.errstate(all="ignore"):
            if output == "InvStdDev":
                return exact, np.maximum(highest - exact, exact - lowest) + one * highest
            least = one * np.abs(self._moments.mean) + smallest_normal(self.computed_in)
            return super().bound(output, error) if output == "Y" else (
                self._moments.mean, self._moments.mean_error + least)

    @unspecified(UNBOUND)
    def open_moments(self) -> Unspecified | None:
        by_output = {name: Unspecified.of(mask, name) for name, mask in self._open_moments.items()}
        outputs = {name: allowance for each in by_output.values() if each for name, allowance in each.outputs.items()}
        return Unspecified(outputs) if outputs else None

    @unspecified(UNBOUND)
    def root_by_squares(self) -> Unspecified | None:
        return self.by_squares("InvStdDev", ~self._open_moments["InvStdDev"])

    @property
    def _open_moments(self) -> dict[str, np.ndarray]:
        """By output the mask of moments that are undefined."""
        largest, error = Wide(float(PRECISION[self.computed_in.name][2])), self._moments.variance_error
        with np.errstate(all="ignore"):
            both = ~np.isfinite(self._moments.mean + self._moments.variance) | self.sums_overflow
            return {"Mean": both, "InvStdDev": both | ~(self.lowest_square(error) > 0) | (
                self.roots[2] >= largest * Wide(0.99))}
