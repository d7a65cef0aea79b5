"""Represent the effect of a U clause: freed elements, and values they may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.oracle.definition import Operator


@dataclass(frozen=True, eq=False)
class Allowance:
    """The part of an output that a U clause leaves open.

    where:  bool array of the output's shape, or one bool: the elements it is about.
    admits: from the output given (of the output's shape) to a bool array: the values that conform there; None where
            every value does.
    shape:  whether the spatial shape is open too: another shape then conforms, and its values are not judged.
    rank:   whether the number of axes is open besides.
    observed: whether a value that conforms by `admits` alone is recorded as observed: the text does not forbid it, and
            nothing shows that it is meant, as with the error of an algorithm that adds up other terms.
    dtype:  whether the element type is open too; or the element types that conform.
    seeds:  gives arrays of the output's shape: values around which others are admitted, where these are neither near
            the canonical ones nor near special values nor elements of an input. For the corpus, not for verdicts.
    """

    where: np.ndarray | bool = True
    admits: Callable[[np.ndarray], np.ndarray] | None = None
    shape: bool = False
    rank: bool = False
    observed: bool = False
    dtype: bool | tuple[np.dtype, ...] = False
    seeds: Callable[[], Sequence[np.ndarray]] = tuple

    def allows(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements of an output of the right shape it is about, and admits."""
        return np.asarray(self.where if self.admits is None else self.where & self.admits(got))


@dataclass(frozen=True, eq=False)
class Unspecified:
    """The effect of a U clause on a call: open elements of outputs by name, or whole answers, each as one of several
    readings (other definitions) of the call would give it."""

    outputs: Mapping[str, Allowance]
    readings: tuple[Operator, ...] = ()

    @classmethod
    def of(cls, where: np.ndarray, *outputs: str, admits: Callable[[np.ndarray], np.ndarray] | None = None,
           seeds: Callable[[], Sequence[np.ndarray]] = tuple) -> Unspecified | None:
        """Return the effect on the elements of the mask `where` in each of `outputs`; None for an empty mask.

        See `Allowance` for `admits`; `seeds` returns values near which others may conform, for a search."""
        return cls(dict.fromkeys(outputs, Allowance(where, admits, seeds=seeds))) if where.any() else None

    @classmethod
    def everything(cls, *outputs: str) -> Unspecified:
        """Leave values and spatial shape of each of `outputs` open."""
        return cls(dict.fromkeys(outputs, Allowance(shape=True)))

    @classmethod
    def refusal(cls) -> Unspecified:
        """Leave nothing open but whether the call may be refused."""
        return cls({})
