"""SONNX Log: the home of `spec/sonnx/log.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximated import SonnxApproximated
from plumbline.oracle.families.exponentials import Logarithm


class Log(Logarithm, SonnxApproximated):
    """A call of Log."""

    zeros = SonnxApproximated.zero_is_open("Y.U3")
