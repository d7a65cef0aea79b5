"""Judge and generate calls of ONNX GlobalMaxPool, by `spec/onnx/globalmaxpool.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.maxima import lowest_finite
from plumbline.oracle.families.planes import Planes
from plumbline.oracle.operator import Operator, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import PLANES
from plumbline.oracle.response import is_float


def _search_begun(definition: Operator, entry: Divergence) -> bool:
    """Elements are -inf or the lowest finite value of their type or of float32, with which searches begin."""
    begins = [-np.inf, float(lowest_finite(definition.inputs["X"].dtype)), float(np.finfo(np.float32).min)]
    return bool(np.isin(np.asarray(entry.got).astype(float), begins).all())


class GlobalMaxPool(Planes):
    """A call of GlobalMaxPool under one version of its specification."""

    clauses = PLANES
    symptoms = {**Planes.symptoms, "search-begun": _search_begun}
    turns, rises = (), True
    flag_notes = {**Planes.flag_notes,
                  "nothing-above-lowest": "A plane has nothing above the lowest finite value."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether a search from the lowest finite value finds nothing above it in some plane."""
        found = self.planes.size > 0 and is_float(self.planes.dtype) and not (
            self.planes > lowest_finite(self.planes.dtype)).any(axis=2).all()
        return {**super().flags(), "nothing-above-lowest": bool(found)}

    operator = "GlobalMaxPool"
    values = "order"

    @cached_property
    def _with_nan(self) -> np.ndarray:
        """The mask, in the shape of Y, of planes with a NaN."""
        return np.asarray(np.isnan(self.planes).any(axis=2).reshape(self.shape_of("Y")))

    def expected(self) -> dict[str, np.ndarray]:
        """The maxima; NaN where there is one, and of an empty plane -inf."""
        lowest = self.planes.dtype.type(-np.inf)
        return {"Y": self.planes.max(axis=2, initial=lowest).reshape(self.shape_of("Y"))}

    @unspecified("Y.U1")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self._with_nan, "Y", admits=self._admitted)

    def _admitted(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, of Y's shape, that a plane with NaN may give."""
        found = got.reshape(*got.shape[:2], 1)
        start = np.isnan(self.planes).all(axis=2, keepdims=True) & (
            (found == -np.inf) | (found == lowest_finite(self.planes.dtype)))
        admitted = np.isnan(found) | start | (found == self.planes).any(axis=2, keepdims=True)
        return np.asarray(admitted.reshape(got.shape))
