"""Judge and generate calls of ONNX's ten reductions, by `spec/onnx/reducesum.md` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.functions import body_for_fewer_calls, canonical_by_body
from plumbline.oracle.families.logarithms_of_sums import LogarithmOfExponentials, LogarithmOfSum
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.families.set_extrema import Product, SetExtremum
from plumbline.oracle.families.totals import Absolute, EuclideanNorm, Mean, SetSums, Squares, Total
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import (
    COMPOSITE,
    EXTREMUM,
    LOG_SUM,
    LOG_SUM_EXP,
    MEAN,
    NORM,
    PRODUCT,
    TOTAL,
)


class ReduceSum(Total):
    """A call of ReduceSum under one version of its specification."""

    clauses = TOTAL
    multiplied = ("data",)

    @property
    def as_sums(self) -> SetSums | None:
        """The `products`, for sets that have elements."""
        return None if self.is_integer or not self.sets.size else self.products


def _mean_of_signed(definition: Any, entry: Any) -> bool:
    """Elements are the mean of 32 bits read as signed numbers, in float32, cut off."""
    data = definition.data
    if entry.where is None or data.dtype != np.uint32:
        return False
    signed = definition.sets.view(np.int32).astype(np.int64)
    mean, size = (definition.shaped(numbers.sum(axis=1) / definition.size)[tuple(entry.where.T)]
                  for numbers in (signed, np.abs(signed)))
    return bool(np.all(np.abs(entry.got.view(np.int32) - np.trunc(mean)) <= 1 + size * 2.0**-20))


def _mean_of_lower_bits(definition: Any, entry: Any) -> bool:
    """Elements are the mean by the lower 32 bits of int64 and of their sum, as signed numbers, cut off."""
    if entry.where is None or definition.data.dtype != np.int64:
        return False
    sums = definition.shaped(lower_bits(lower_bits(definition.sets).sum(axis=1)))[tuple(entry.where.T)]
    return bool(np.all(entry.got == np.sign(sums) * (np.abs(sums) // definition.size)))


class ReduceMean(Mean):
    """A call of ReduceMean under one version of its specification."""

    clauses = MEAN
    symptoms = {"mean-of-signed": _mean_of_signed, "mean-of-lower-bits": _mean_of_lower_bits}


class ReduceL1(Absolute):
    """A call of ReduceL1 under one version of its specification."""

    clauses = COMPOSITE


class ReduceSumSquare(Squares):
    """A call of ReduceSumSquare under one version of its specification."""

    clauses = COMPOSITE


class ReduceL2(EuclideanNorm):
    """A call of ReduceL2 under one version of its specification."""

    clauses = NORM

    @evidence("reduced.E2")
    @staticmethod
    def root_in_float32() -> str:
        data = np.array([1 + 2.0**-40])
        body = canonical_by_body("onnx/reducel2@18", Call("ReduceL2", {}, {"data": data}))["reduced"].item()
        assert body == 1 != data[0]
        return f"of {data[0]!r} in float64, whose norm it is, the function body gives {body!r}"


class ReduceProd(Product):
    """A call of ReduceProd under one version of its specification."""

    clauses = PRODUCT


class ReduceMax(SetExtremum):
    """A call of ReduceMax under one version of its specification."""

    clauses = EXTREMUM
    pick = np.maximum
    sign = -1


class ReduceMin(SetExtremum):
    """A call of ReduceMin under one version of its specification."""

    clauses = EXTREMUM
    pick = np.minimum
    sign = 1


class ReduceLogSum(LogarithmOfSum):
    """A call of ReduceLogSum under one version of its specification."""

    clauses = LOG_SUM
    without_integers = body_for_fewer_calls("reduced.E2", "onnx/reducelogsum@18", lambda: Call(
        "ReduceLogSum", {}, {"data": np.ones(1, np.int32)}))


class ReduceLogSumExp(LogarithmOfExponentials):
    """A call of ReduceLogSumExp under one version of its specification."""

    clauses = LOG_SUM_EXP
