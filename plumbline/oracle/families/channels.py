"""Standardised channels: elements that have a scale and a bias by their index on axis 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.standardisation import Standardised, per_channel
from plumbline.oracle.operator import UNBOUND, on_call
from plumbline.oracle.size_classes import BATCHES, ROWS, WIDE_ROWS, Named, SizeClass, a_large_output

BATCH, CHANNELS = Named("batch", (1, 2, 3)), Named("channels", (1, 2, 3, 5, 16))


class ByChannel(Standardised):
    """A call whose scale and bias have a number for each channel."""

    names: ClassVar[tuple[str, ...]] = ("scale", "B")
    """The scale, the bias, and other inputs of their shape."""

    @property
    def ranks(self) -> tuple[int, int | None]:
        """The least number of axes, and the largest one if there is one."""
        return 3, None

    @property
    def axes(self) -> tuple[int, ...]:
        """Those of a channel of a batch."""
        return tuple(range(2, self.x.ndim))

    @property
    def channels(self) -> tuple[int, ...]:
        """The shape of a tensor with a number for each channel."""
        return tuple(self.x.shape[1:2]) or (1,)

    @property
    def parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """Scale and bias, in shapes that broadcast to X."""
        scale, bias = (per_channel(self.inputs[name], self.x.ndim) for name in self.names[:2])
        return scale, bias

    @on_call(UNBOUND)
    def rank(self) -> str | None:
        least, most = self.ranks
        rank = self.x.ndim
        fits = least <= rank <= (rank if most is None else most)
        return None if fits else f"{next(iter(self.inputs))} has {rank} axes"

    @on_call(UNBOUND, needs=("rank",))
    def shapes(self) -> str | None:
        """Scale, bias and the like have a number for each channel."""
        given = {name: tuple(self.inputs[name].shape) for name in self.names if name in self.inputs}
        wrong = [f"{name} has shape {list(shape)}" for name, shape in given.items() if shape != self.channels]
        return f"{', '.join(wrong)}, not {list(self.channels)}" if wrong else None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output of few channels, and sizes of batches and channels."""
        return (SizeClass({"columns": ROWS}), a_large_output({**WIDE_ROWS, "batch": 1, "channels": 2}),
                SizeClass({"batch": BATCHES, "channels": ROWS}, every_type=False))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of standardised elements, and the numbers of images and of channels."""
        return {**super().named_sizes(), "batch": self.x.shape[0], "channels": self.channels[0]}
