"""An answer under judgement: a call with the outputs given for it, and the findings that many specifications share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from plumbline.oracle.binding import Wrong


class Answer:
    """What the predicates on outputs read.

    call:   what the predicates on calls read, of an answer that keeps it.
    x:      the input X.
    given:  the outputs that were given, of those asked for and not open as a whole.
    asked:  their names. opened: what U clauses leave open of them, bool arrays. Both are set by Spec.
    shape:  the shape that the outputs have by the specification.
    expected: the canonical outputs by name, computed when first asked for.
    """

    call: Any

    def __init__(self, x: np.ndarray, given: Mapping[str, np.ndarray], shape: tuple[int, ...],
                 expected: Callable[[str], np.ndarray]) -> None:
        self.x = x
        self.given = given
        self.shape = shape
        self.expected = expected
        self.asked: tuple[str, ...] = ()
        self.opened: Mapping[str, np.ndarray] = {}

    def comparable(self, name: str) -> np.ndarray | None:
        """The output as numbers of the right shape; None when it cannot be compared element by element."""
        got = self.given.get(name)
        return got if got is not None and got.shape == self.shape and is_real(got.dtype) else None

    def judged(self, name: str, wrong: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Where `wrong(got)` holds of the output and no U clause leaves it open; nowhere when it is not comparable."""
        got = self.comparable(name)
        if got is None:
            return np.zeros(self.shape, dtype=bool)
        return wrong(got) & ~self.opened.get(name, np.False_)

    def at(self, name: str, mask: np.ndarray, why: str) -> Wrong | None:
        """The finding at the elements of `mask`, with the first of them as an example."""
        if not mask.any():
            return None
        expected, got = self.expected(name), self.given[name]
        where = tuple(int(place) for place in np.argwhere(mask)[0])
        return Wrong(name, f"{why}: {name}{list(where)} is {got[where]}, not {expected[where]}", mask, expected, got)


def is_real(dtype: np.dtype) -> bool:
    """Whether elements are real numbers; bfloat16, which numpy has no kind for, is told by its name."""
    return dtype.kind in "fiub" or dtype.name == "bfloat16"


def is_float(dtype: np.dtype) -> bool:
    """Whether elements are floating-point numbers."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def missing_output(answer: Answer) -> Wrong | None:
    """An output that was asked for and not given."""
    for name in answer.asked:
        if name not in answer.given:
            return Wrong(name, f"{name} was asked for and not given", None, name, "nothing")
    return None


def wrong_spatial_shape(answer: Answer) -> Wrong | None:
    """Y has other sizes on the spatial axes, or another rank."""
    got = answer.given.get("Y")
    if got is None or (got.ndim == len(answer.shape) and got.shape[2:] == answer.shape[2:]):
        return None
    return _other_shape("Y", got.shape, answer.shape)


def wrong_batch_or_channel(answer: Answer) -> Wrong | None:
    """Y has another number of batches or channels than X."""
    got = answer.given.get("Y")
    return None if got is None or got.shape[:2] == answer.x.shape[:2] else _other_shape("Y", got.shape, answer.shape)


def wrong_shape_of_indices(answer: Answer) -> Wrong | None:
    """Indices has another shape than Y (the Y given, if it was)."""
    got = answer.given.get("Indices")
    wanted = answer.given["Y"].shape if "Y" in answer.given else answer.shape
    return None if got is None or got.shape == wanted else _other_shape("Indices", got.shape, wanted)


def wrong_dtype(answer: Answer, name: str, wanted: np.dtype) -> Wrong | None:
    """The output has another element type."""
    got = answer.given.get(name)
    if got is None or got.dtype.newbyteorder("=") == wanted.newbyteorder("="):
        return None
    return Wrong(name, f"{name} is {got.dtype.name}, not {wanted.name}", None, wanted.name, got.dtype.name)


def wrong_tensor(answer: Answer, name: str, wanted: np.dtype) -> Wrong | None:
    """The output is not there, or has another shape or element type: for an operator whose text says all of it in one
    clause."""
    got = answer.given.get(name)
    if got is None:
        return missing_output(answer)
    if got.shape != answer.shape:
        return _other_shape(name, got.shape, answer.shape)
    return wrong_dtype(answer, name, wanted)


def _other_shape(name: str, got: tuple[int, ...], wanted: tuple[int, ...]) -> Wrong:
    return Wrong(name, f"{name} has shape {list(got)}, not {list(wanted)}", None, str(list(wanted)), str(list(got)))
