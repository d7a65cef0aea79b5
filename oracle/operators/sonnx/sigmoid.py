"""SONNX Sigmoid: the home of `spec/sonnx/sigmoid.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximated import SonnxApproximated
from plumbline.oracle.families.exponentials import Logistic


class Sigmoid(Logistic, SonnxApproximated):
    """A call of Sigmoid."""

    zeros = SonnxApproximated.zero_is_open("Y.U3")
