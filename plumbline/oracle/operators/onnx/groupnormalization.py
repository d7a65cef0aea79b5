"""Judge and generate calls of ONNX GroupNormalization, by `spec/onnx/groupnormalization.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.channels import BATCH, ByChannel
from plumbline.oracle.families.clauses import one_of_values
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import broken_body, canonical_by_body
from plumbline.oracle.families.runs import stashed
from plumbline.oracle.families.standardised_symptoms import in_float32
from plumbline.oracle.operator import Choose, evidence, on_call
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import Named

STASHED = (1, 10, 11, 16)


class GroupNormalization(ByChannel):
    """A call of GroupNormalization under one version of its specification."""

    clauses = {"X.C2": "rank", "scale.C1": "shapes", **{f"Y.{tag}": name for tag, name in STANDARDISED.items()}}
    names = ("scale", "bias")
    computed_in = property(stashed)
    symptoms = {"in-float32": in_float32}
    stash = one_of_values("stash_type.C2", "stash_type", STASHED)

    @on_call("num_groups.C3", needs=("X.C2",))
    def divides(self) -> str | None:
        groups, channels = int(self.attribute("num_groups")), self.x.shape[1]
        return None if groups > 0 and channels % groups == 0 else f"{channels} channels, and {groups} groups"

    @property
    def count(self) -> int:
        """The number of elements of a group of channels."""
        return int(np.prod(self.x.shape[1:])) // int(self.attribute("num_groups"))

    def mean_over(self, values: np.ndarray) -> np.ndarray:
        """Return the means of the groups, each once for each of its channels."""
        (batch, channels), groups = values.shape[:2], int(self.attribute("num_groups"))
        means = values.reshape(batch, groups, self.count).sum(axis=2) / Wide(self.count)
        return np.repeat(means, channels // groups, axis=1).reshape(batch, channels, *[1] * (values.ndim - 2))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of channels, and the number of groups."""
        return {**super().named_sizes(), "groups": self.attribute("num_groups")}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: groups of channels, of any number of spatial axes."""
        channels = choose(Named("channels", (4, 1, 2, 3, 6, 16)))
        shape = (choose(BATCH), channels, *(a_shape(choose) or (4,)))
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        groups = choose([size for size in range(1, channels + 1) if channels % size == 0])
        attributes: dict[str, Any] = {"num_groups": groups, **cls.an_epsilon(choose)}
        attributes |= {"stash_type": choose(STASHED)} if choose((False, True), (9, 1)) else {}
        inputs = {"X": choose.tensor(shape, dtype, values)}
        return Call("GroupNormalization", attributes, inputs | {
            name: choose.tensor(shape[1:2], dtype, values) for name in cls.names})

    @evidence("num_groups.E1")
    @staticmethod
    def divisor() -> str:
        x, one = np.array([[[1, 3]] * 4], np.float32), np.ones(4, np.float32)
        call = Call("GroupNormalization", {"num_groups": 2, "epsilon": 0.0}, {"X": x, "scale": one, "bias": 0 * one})
        y = canonical_by_body("onnx/groupnormalization@21", call)["Y"]
        assert (y == x - 2).all() and 2 % 4
        return "the function body computes 2 groups of 4 channels, and 2 is not divisible by 4"

    @evidence("Y.E1")
    @staticmethod
    def fewer_calls() -> str:
        x, one = np.ones((1, 2, 0), np.float32), np.ones(2, np.float32)
        return broken_body("onnx/groupnormalization@21", Call("GroupNormalization", {"num_groups": 1}, {
            "X": x, "scale": one, "bias": one}))
