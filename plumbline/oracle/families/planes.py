"""Operators that reduce each plane of X (a batch and channel) to an element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence, type_of_output
from plumbline.oracle.families.surroundings import OF_ANY, OF_IMAGES, OF_PLANES
from plumbline.oracle.operator import Allowance, Choose, Operator, Unspecified, Wrong, on_call, on_outputs, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.response import Response, other_shape
from plumbline.oracle.size_classes import BATCHES, DTYPE, LARGE, LINES, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

FLOATS = ("float32", "float16", "float64")

PLANES: Mapping[int, Sequence[tuple[int, ...]]] = {
    1: ((1,), (2,), (3,), (4,), (5,), (7,), (8,), (9,), (15,), (16,), (17,), (33,), (64,), (65,), (128,), (1000,)),
    2: ((1, 1), (2, 2), (2, 3), (3, 1), (1, 4), (4, 4), (5, 3), (7, 7), (8, 8), (9, 17), (13, 13)),
    3: ((1, 1, 1), (2, 2, 2), (1, 2, 3), (3, 1, 2), (2, 3, 4), (4, 4, 4)),
    4: ((1, 2, 1, 3), (2, 2, 2, 2)),
}
"""Spatial sizes by their number, around the blocks in which kernels work, with the last layers of known networks."""

BLOCKS = (1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 128)
"""Numbers of channels, at and around the blocks of kernels."""


class Planes(Operator):
    """A call whose output Y has, for each batch and channel, one element computed from that plane of X."""

    family = "Pooling and convolution"
    operator: ClassVar[str]
    """The ONNX operator."""

    values: ClassVar[str]
    """Which group of values X has; see `Choose.tensor`."""

    surroundings = OF_IMAGES + OF_PLANES + OF_ANY

    no_attribute = attributes_of(UNBOUND, {})
    types_1 = element_type(UNBOUND, "X", FLOATS)
    types_22 = element_type(UNBOUND, "X", ("bfloat16", *FLOATS))
    missing = presence(UNBOUND)
    y_type = type_of_output(UNBOUND, "Y", lambda self: self.inputs["X"].dtype)

    @cached_property
    def planes(self) -> np.ndarray:
        """X with one axis for all spatial axes: (batch, channel, elements of the plane). An axis that X lacks, outside
        the domain, counts as 1."""
        x = self.inputs["X"]
        return x.reshape(*(*x.shape, 1, 1)[:2], prod(x.shape[2:]))

    flag_notes = {"not-two-spatial-axes": "X has one spatial axis, or more than two: many kernels are made for images."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether X is not a batch of images."""
        return {"not-two-spatial-axes": self.inputs["X"].ndim != 4}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along batch and channel."""
        return {0: {"X": 0}, 1: {"X": 1}}

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape: batch, channel, and 1 for each spatial axis."""
        x = self.inputs["X"]
        return (*x.shape[:2], *(1,) * (x.ndim - 2))

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The plane of the batch and the channel."""
        cells = np.argwhere(np.ones(self.inputs["X"].shape[2:], bool))
        return {"X": np.hstack([np.tile(where[:2], (len(cells), 1)), cells])}

    @on_call(UNBOUND)
    def spatial_axes(self) -> str | None:
        x = self.inputs["X"]
        return None if x.ndim >= 3 else f"X has shape {list(x.shape)}: no spatial axis"

    @on_outputs(UNBOUND)
    def batch_and_channel(self, response: Response) -> Wrong | None:
        got, wanted = response.given.get("Y"), self.shape_of("Y")
        return None if got is None or got.shape[:2] == wanted[:2] else other_shape("Y", got.shape, wanted)

    @on_outputs(UNBOUND)
    def spatial_sizes(self, response: Response) -> Wrong | None:
        got, wanted = response.given.get("Y"), self.shape_of("Y")
        return None if got is None or got.shape[2:] == wanted[2:] else other_shape("Y", got.shape, wanted)

    @unspecified(UNBOUND, refusal=True)
    def empty_axes(self) -> Unspecified | None:
        x = self.inputs["X"]
        if 0 not in x.shape:
            return None
        return Unspecified({} if self.planes.shape[2] else {"Y": Allowance()})

    y_value = elements_of(UNBOUND, "Y", "not what its plane gives")

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Channels, and planes of one axis and of two; batches; so many planes that the output is large."""
        return (SizeClass({"channels": BLOCKS, "plane": [(size,) for size in LINES]}),
                SizeClass({"batches": BATCHES}),
                a_large_output({"batches": 2, "channels": 35_000, "plane": (2,)}),
                SizeClass({"plane": ((7, 7), (8, 8), (13, 13), (32, 32), (33, 31))}))

    def named_sizes(self) -> Mapping[str, Any]:
        """Batches, channels and spatial sizes; whether the output is large."""
        x = self.inputs["X"]
        return {DTYPE: x.dtype.name, "batches": x.shape[0], "channels": x.shape[1], "plane": x.shape[2:],
                LARGE: is_large(self.shape_of("Y"))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with one to four spatial axes; sometimes with many channels, or an empty axis."""
        plane = choose(Named("plane", PLANES[choose((1, 2, 3, 4), (0.3, 0.5, 0.15, 0.05))]))
        channels = choose(Named("channels", (1, 2, 3, 5, 8, 16, 17, 33)), (6, 6, 6, 1, 1, 1, 1, 1))
        sizes = [choose(Named("batches", (1, 2, 3))), channels, *plane]
        if choose((False, True), (29, 1)):
            sizes[choose(range(len(sizes)))] = 0
        dtype = choose(Named(DTYPE, (*FLOATS, "bfloat16") if version >= 22 else FLOATS))
        cells = prod(plane)
        terms = Terms(cells, tuple(range(2, len(sizes))), cells)
        return Call(cls.operator, {}, {"X": choose.tensor(sizes, dtype, cls.values, terms)})
