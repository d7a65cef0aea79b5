"""Judge and generate calls of ONNX GlobalAveragePool, by `spec/onnx/globalaveragepool.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.families.averages import Averages
from plumbline.oracle.families.planes import Planes
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import PLANES
from plumbline.oracle.rounding import Sums, Wide, quantum, ulps


class GlobalAveragePool(Planes):
    """A call of GlobalAveragePool under one version of its specification."""

    clauses = PLANES
    operator = "GlobalAveragePool"
    values = "sum"
    exact = False
    multiplied = ("X",)

    def _any(self, of_cells: np.ndarray) -> np.ndarray:
        """Return the mask of planes with a marked element, in the shape of Y."""
        return np.asarray(of_cells.any(axis=2).reshape(self.shape_of("Y")))

    @cached_property
    def _special(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Masks in the shape of Y: of planes with a NaN, with +inf, with -inf."""
        return self._any(np.isnan(self.planes)), self._any(self.planes == np.inf), self._any(self.planes == -np.inf)

    @cached_property
    def _finite(self) -> np.ndarray:
        nan, plus, minus = self._special
        return np.asarray(~(nan | plus | minus))

    @cached_property
    def averages(self) -> Averages:
        """The means of the finite elements."""
        shape, count = self.shape_of("Y"), max(self.planes.shape[2], 1)
        kept = np.where(np.isfinite(self.planes), self.planes, 0).astype(Wide)
        total, size = (cells.sum(axis=2).reshape(shape) for cells in (kept, np.abs(kept)))
        least = quantum(self.planes).min(axis=2, initial=2**20).reshape(shape)
        sums = Sums(total, size, np.full(shape, count), 0, least, self.planes.dtype)
        planes = self.planes
        return Averages(sums, np.full(shape, count), lambda place: planes[place[:2]].astype(Wide),
                        self._finite)

    @property
    def as_sums(self) -> Averages | None:
        """The means, where planes have elements."""
        return self.averages if self.planes.size else None

    def expected(self) -> dict[str, np.ndarray]:
        """The means; where an element is not finite, NaN for a NaN and for both infinities, else the infinity."""
        nan, plus, minus = self._special
        infinity = np.where(nan | plus & minus, np.nan, np.where(minus, -np.inf, np.inf)).astype(self.planes.dtype)
        return {"Y": np.where(self._finite, self.averages.values, infinity)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the rounding error; what is not finite must be canonical."""
        return np.where(self._finite, ~self.averages.wrong(got), super().conforms(output, got))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all planes."""
        return {"Y": self.averages.tolerance if self.planes.size else 0.0}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of the judged elements, in ulp."""
        where = judged & self._finite
        found = self.averages
        return {"largest error in ulp": ulps(np.asarray(got)[where], found.values[where], found.wide[where])}

    @unspecified("Y.U1")
    def not_finite(self) -> Unspecified | None:
        nan, plus, minus = self._special
        return Unspecified.of(~self._finite, "Y", admits=lambda got: np.isnan(got) | ~nan & (
            (got == np.inf) & plus & ~minus | (got == -np.inf) & minus & ~plus))

    @unspecified("Y.U2")
    def overflow(self) -> Unspecified | None:
        up, down = self.averages.sums.overflow()
        return Unspecified.of(self._finite & (up | down), "Y", admits=lambda got: (
            (got == np.inf) & up | (got == -np.inf) & down | np.isnan(got) & up & down))
