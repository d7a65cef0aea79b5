"""Describe how an operator adds the elements of a tensor, for drawing values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    """The sums that elements of a tensor, or their products with those of another, take part in.

    count:   how many are added at most.
    axes:    of the tensor, along which it may have zeros: every sum takes all of its cells along these, or no more than
             `count` that follow one another; () where another tensor has the zeros.
    divisor: of the sum. Where it is no power of two, an implementation may round every term.
    """

    count: int
    axes: tuple[int, ...] = ()
    divisor: int = 1
