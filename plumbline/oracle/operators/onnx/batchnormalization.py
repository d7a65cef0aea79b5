"""Judge and generate calls of ONNX BatchNormalization, by `spec/onnx/batchnormalization.md`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.channels import BATCH, CHANNELS, ByChannel
from plumbline.oracle.families.clauses import shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.standardisation import Moments, Standardised, per_channel
from plumbline.oracle.families.standardised_symptoms import is_given_by
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.rounding import PRECISION, Wide, growth

STATISTICS = ("mean", "var", "input_mean", "input_var")


class _Channelwise(ByChannel):
    """A call of BatchNormalization: the numbers of each channel."""

    monotone_in = ("X",)
    names = ("scale", "B", *STATISTICS)
    shape = shape_of_output(UNBOUND, "Y")

    @property
    def turns(self) -> tuple[float, ...] | None:  # type: ignore[override]
        """() where an element depends on no other one; the bound is convex in it."""
        return None if self.trains else ()

    @property
    def axes(self) -> tuple[int, ...]:
        """All but that of the channels."""
        return tuple(axis for axis in range(self.x.ndim) if axis != 1)

    @property
    def trains(self) -> bool:
        """True if the moments are those of X."""
        return bool(self.attribute("training_mode"))

    @property
    def moments(self) -> Moments:
        """The moments of the inputs, or of each channel of X."""
        if self.trains:
            return Moments.of(self, self.x.dtype)
        mean, variance = (per_channel(self.inputs[name].astype(Wide), self.x.ndim)
                          for name in STATISTICS if name in self.inputs)
        return Moments(mean, variance)

    @property
    def computed_in(self) -> np.dtype:
        """The coarsest type of an input."""
        return max((tensor.dtype for tensor in self.inputs.values()), key=lambda dtype: PRECISION[dtype.name][0])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: batches of any rank that the version has; mostly positive variances."""
        shape = (choose(BATCH), choose(CHANNELS), *a_shape(choose))
        shape = (*shape, 1, 1)[:4] if version == 1 else shape[:choose((5, 4, 3, 2, 1 if version > 7 else 2))]
        data = a_type(choose, cls.types_of("X", version))
        channels: tuple[int, ...] = shape[1:2] or (1,)
        attributes: dict[str, object] = {"consumed_inputs": [0]} if version == 1 else {}
        if version < 7:
            attributes["is_test"] = choose((1, 0), (9, 1))
        elif version > 9 and choose((False, True), (3, 1)):
            attributes["training_mode"] = choose((1, 0))
        elif version == 7 and choose((False, True), (3, 1)):
            attributes["spatial"] = choose((0, 1))
            channels = channels if attributes["spatial"] else shape[1:]
        attributes |= cls.an_epsilon(choose)
        names = ("scale", "B", *(STATISTICS[2:] if version > 9 else STATISTICS[:2]))
        values = choose(("sum", "any"), (3, 1))
        inputs = {"X": choose.tensor(shape, data, values)}
        for name in names:
            types = cls.types_of(name, version)
            dtype = data if version < 15 or choose((True, True, False)) else choose(types)
            dtype = inputs[names[2]].dtype.name if name == names[3] else \
                inputs["scale"].dtype.name if name == "B" else dtype
            drawn = choose.tensor(channels, dtype, values)
            inputs[name] = np.abs(drawn) if name == names[3] and choose((True, False), (9, 1)) else drawn
        return Call("BatchNormalization", attributes, inputs)


def _statistics_given(definition: Any, entry: Divergence) -> bool:
    """Elements are what the statistics of the inputs give, as without `training_mode`."""
    attributes = {**definition.call.attributes, "training_mode": 0}
    return bool(definition.trains) and is_given_by(
        type(definition)(replace(definition.call, attributes=attributes), definition.version), entry)


def _running_statistics(definition: Any, entry: Divergence) -> bool:
    """Elements are what running statistics give, which `momentum` mixes from those of the inputs and of X."""
    return not definition.trains and is_given_by(_Running(definition.call, definition.version), entry)


class BatchNormalization(_Channelwise):
    """A call of BatchNormalization under one version of its specification."""

    clauses = {"X.C1": "rank", "scale.C1": "shapes", **{f"Y.{tag}": name for tag, name in STANDARDISED.items()}}
    symptoms = {"statistics-given": _statistics_given, "running-statistics": _running_statistics}
    flag_notes = {**Standardised.flag_notes, "training": "Means and variances are those of X, not the inputs'.",
                  "one-axis": "X has one axis, and so a single channel, or none."}

    @property
    def channels(self) -> tuple[int, ...]:
        """In version 7 all but the batch, where `spatial` is 0."""
        whole = self.version == 7 and self.attribute("spatial") == 0
        return tuple(self.x.shape[1:]) if whole else super().channels

    @property
    def ranks(self) -> tuple[int, int | None]:
        """4 in version 1, then at least 2, then 1."""
        return (4, 4) if self.version == 1 else (2 if self.version < 9 else 1, None)

    @unspecified("is_test.U1")
    def unclear_training(self) -> Unspecified | None:
        unclear = self.version < 7 and (not self.attribute("is_test") or not self.attribute("spatial"))
        return Unspecified.of(np.full(self.x.shape, unclear), "Y")

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"training": bool(self.attributes.get("training_mode")), "one-axis": self.x.ndim < 2}


class _Running(BatchNormalization):
    """A call whose statistics are running ones."""

    @property
    def moments(self) -> Moments:
        """`momentum` times what is given, and the rest times what X has."""
        own, given = Moments.of(self, self.x.dtype), super().moments
        kept, rounded = Wide(np.float32(self.attribute("momentum"))), growth(6, self.x.dtype)
        mean, variance = (kept * old + (1 - kept) * new for old, new in (
            (given.mean, own.mean), (given.variance, own.variance)))
        return Moments(mean, variance, own.mean_error + rounded * np.abs(mean),
                       own.variance_error + rounded * np.abs(variance), largest=own.largest)
