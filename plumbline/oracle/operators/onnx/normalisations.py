"""Judge and generate calls of ONNX's normalisations by moments, by `spec/onnx/layernormalization.md` and the like."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.channels import BATCH, CHANNELS, ByChannel
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import body_for_fewer_calls, canonical_by_body
from plumbline.oracle.families.narrower_types import gives_where
from plumbline.oracle.families.runs import OfRuns, stashed
from plumbline.oracle.families.standardised_symptoms import in_float32, in_type_of_x, variance_in_float32
from plumbline.oracle.operator import UNBOUND, Choose, evidence, on_call
from plumbline.oracle.operators.onnx.addresses import MOMENTS, OF_RUNS, STANDARDISED
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import Named

STASHED = (1, 10, 11, 16)
"""Types that ReduceMean has, by which function bodies compute."""


def _scale_of_the_first_line(definition: Any, entry: Any) -> bool:
    """Elements are what Scale and B give whose first elements, one for each of a line, are those of every line."""
    sizes = definition.x.shape[definition.axes[0]:]
    inputs = {name: x.reshape(-1)[:prod(sizes)].reshape(sizes) if x.size >= prod(sizes) else x
              for name, x in definition.inputs.items() if name != "X"}
    return gives_where(definition, entry, {"X": definition.x, **inputs})


class LayerNormalization(OfRuns):
    """A call of LayerNormalization under one version of its specification."""

    clauses = OF_RUNS | MOMENTS
    names, stash_types, saved = ("Scale", "B"), (1, 16), ("Mean", "InvStdDev")
    symptoms = {"in-type-of-x": in_type_of_x, "scale-of-the-first-line": _scale_of_the_first_line}
    sizes = broadcast_to("Scale.C1", "X", "Scale", "B")
    shape_of_mean, mean = shape_of_output(UNBOUND, "Mean"), elements_of(UNBOUND, "Mean", "not the mean")
    root = elements_of(UNBOUND, "InvStdDev", "not the inverse of the standard deviation")

    fewer_calls = body_for_fewer_calls(
        "Y.E1", "onnx/layernormalization@17",
        lambda: Call("LayerNormalization", {"axis": 0}, {"X": np.eye(2, 3), "Scale": np.ones(3)}),
        lambda: Call("LayerNormalization", {}, {"X": np.ones(0), "Scale": np.ones(0)}))


class RMSNormalization(OfRuns):
    """A call of RMSNormalization under one version of its specification."""

    clauses = OF_RUNS
    symptoms = {"in-type-of-x": in_type_of_x, "variance-in-float32": variance_in_float32}
    stash_types, own_types, of_run, about_zero = STASHED, True, True, True
    flag_notes = {"negative-axis": OfRuns.flag_notes["negative-axis"]}
    sizes = broadcast_to("scale.C2", "X", "scale", of_run=True)

    @property
    def result_type(self) -> np.dtype:
        """The type of scale."""
        return self.inputs["scale"].dtype

    def value_flags(self) -> dict[str, bool]:
        """Return no flags of the mean."""
        return {}

    product_of_two_types = body_for_fewer_calls("Y.E1", "onnx/rmsnormalization@23", lambda: Call(
        "RMSNormalization", {}, {"X": np.ones(2, np.float32), "scale": np.ones(2, np.float16)}))


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

    fewer_calls = body_for_fewer_calls("Y.E1", "onnx/groupnormalization@21", lambda: Call(
        "GroupNormalization", {"num_groups": 1}, {"X": np.ones((1, 2, 0)), "scale": np.ones(2), "bias": np.ones(2)}))


class InstanceNormalization(ByChannel):
    """A call of InstanceNormalization under one version of its specification."""

    clauses = {"input.C1": "rank", "scale.C1": "shapes", **{
        f"output.{tag}": name for tag, name in STANDARDISED.items()}}
    output = "output"
    symptoms = {"variance-in-float32": variance_in_float32}

    @property
    def ranks(self) -> tuple[int, int | None]:
        """4 in version 1."""
        return (4, 4) if self.version == 1 else (3, None)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: batches of any number of spatial axes that the version has."""
        shape = (choose(BATCH), choose(CHANNELS), *a_shape(choose))
        shape = (*shape, 1, 1)[:4] if version == 1 else shape if len(shape) > 2 else (*shape, 4)
        dtype, values = a_type(choose, cls.types_of("input", version)), choose(("sum", "any"), (3, 1))
        attributes: dict[str, object] = {"consumed_inputs": [0]} if version == 1 and choose((False, True)) else {}
        attributes |= cls.an_epsilon(choose)
        inputs = {"input": choose.tensor(shape, dtype, values)}
        return Call("InstanceNormalization", attributes, inputs | {
            name: choose.tensor(shape[1:2], dtype, values) for name in ("scale", "B")})
