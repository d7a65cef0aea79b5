"""Compare the final outputs of a model with those of another run of it."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import in_words
from plumbline.oracle.response import is_float
from plumbline.trial.model.parts_of_trial import Tensors
from plumbline.trial.record.model_part import OtherRun, OutputDifference


def compared(outputs: Tensors, other: Outcome) -> OtherRun:
    """Return how another run differs, or why it has no outputs."""
    if not isinstance(other, Answered):
        return OtherRun(why=f"it was {in_words(other)}")
    return OtherRun(outputs={name: difference_of(array, other.outputs[name]) for name, array in outputs.items()
                             if name in other.outputs})


def difference_of(first: np.ndarray, second: np.ndarray) -> OutputDifference:
    """Return how an output differs from that of another run; zeros of either sign, and any two NaNs, are equal."""
    if (first.dtype, first.shape) != (second.dtype, second.shape):
        return OutputDifference(count=max(first.size, second.size), of=max(first.size, second.size), otherwise=(
            f"{first.dtype.name}{list(first.shape)}, not {second.dtype.name}{list(second.shape)}"))
    unequal = np.asarray(first != second)
    if not (is_float(first.dtype) or first.dtype.kind in "iu"):
        return OutputDifference(count=int(unequal.sum()), of=first.size)
    left, right = first.astype(np.float64), second.astype(np.float64)
    unequal &= ~(np.isnan(left) & np.isnan(right))
    finite = np.isfinite(left) & np.isfinite(right)
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.abs(left - right)[finite].max(initial=0.0)
    special = int((unequal & ~finite).sum())
    return OutputDifference(
        count=int(unequal.sum()), of=first.size, largest=float(min(largest, np.finfo(np.float64).max)),
        magnitude=float(np.abs(right)[finite].max(initial=0.0)),
        otherwise=f"{special:,} of them not finite in one of both" if special else "")
