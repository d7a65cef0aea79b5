"""Judge and generate calls of ONNX Sum, by `spec/onnx/sum.md`."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.enclosures import enclosure
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.extrema import OnnxOverInputs
from plumbline.oracle.families.reductions import OUTPUT
from plumbline.oracle.families.totals import Total
from plumbline.oracle.operator import UNBOUND, Operator, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import EXTREMA, OF_SUM
from plumbline.oracle.operators.onnx.reductions import ReduceSum


class _OfInputs(OnnxOverInputs):
    """A call that reduces what its inputs hold at each place."""

    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}
    exact, values = False, "sum"
    reduction: ClassVar[type[Total]]

    any_other = elements_of(UNBOUND, "", "not within the rounding error of the terms at its place")

    @cached_property
    def reduced(self) -> Total:
        """The reduction of the inputs, laid on a new axis."""
        call = Call(self.reduction.__name__, {"axes": [0], "keepdims": 0}, {"data": np.stack(self.operands)})
        return self.reduction(call, 11)

    @property
    def as_sums(self) -> Any:
        """The sums of the reduction."""
        return self.reduced.as_sums

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The reduction."""
        return self.reduced.canonical[OUTPUT]

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of what the reduction allows."""
        return self.reduced.conforms(OUTPUT, got)

    def tolerance(self) -> dict[str, float]:
        """Return that of the reduction."""
        return dict.fromkeys((self.output,), self.reduced.tolerance().get(OUTPUT, 0.0))

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Return that of the reduction."""
        return self.reduced.measure(OUTPUT, got, judged)

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return that of the reduction."""
        assert isinstance(low, _OfInputs) and isinstance(high, _OfInputs)
        ends = enclosure(self.reduced, low.reduced.inputs, high.reduced.inputs)
        return None if ends is None else {self.output: ends[OUTPUT]}

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return self._renamed(self.reduced.not_finite())

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        return self._renamed(self.reduced.overflow())

    def _renamed(self, effect: Unspecified | None) -> Unspecified | None:
        """Return the effect of a clause on the reduction as one on the output."""
        return None if effect is None else Unspecified({self.output: effect.outputs[OUTPUT]})


class Sum(_OfInputs):
    """A call of Sum under one version of its specification."""

    clauses = EXTREMA | {f"sum.{local}": name for local, name in OF_SUM.items()}
    operator, output, reduction = "Sum", "sum", ReduceSum
