"""Judge and generate calls of ONNX STFT, by `spec/onnx/stft.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.fourier import Fourier, Lines, length_types, one_sided
from plumbline.oracle.operator import Choose, Unspecified, disputed, on_call, unspecified
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

FRAMES = Named("frame", (4, 3, 5, 2, 1, 8, 6, 7, *ROWS))


class STFT(Fourier):
    """A call of STFT; `read` overrides how many frames there are, and whether output is one-sided."""

    clauses = {"output.C1": "shape", "output.F2": "value", "output.U1": "not_finite", "output.U2": "overflow",
               "output.U3": "other_algorithm"}
    flag_notes = {"two-sided": "onesided is 0.", "complex": "The signal has imaginary parts.",
                  "window": "A window is given.", "no-window": "No window is given.",
                  "no-frame-length": "frame_length is not given.", "whole": "One frame is the signal.",
                  "rest": "Some of the signal follows the last frame."}

    fewer_bins = one_sided("onesided.E1")
    lengths_of_32_bits = length_types("frame_length.E1", ("int32", "int64"))

    def __init__(self, call: Call, version: int, **read: Any) -> None:
        super().__init__(call, version)
        self.read = read

    @property
    def is_one_sided(self) -> bool:
        """True if half of the bins are given."""
        return bool(self.read.get("one_sided", self.attribute("onesided") == 1))

    @property
    def length(self) -> int:
        """N: frame_length, or that of the window, or of the signal."""
        if "frame_length" in self.inputs:
            return int(self.inputs["frame_length"].item())
        return int(self.inputs["window"].shape[0] if "window" in self.inputs else self.source.shape[1])

    @property
    def step(self) -> int:
        """frame_step."""
        return int(self.inputs["frame_step"].item())

    @property
    def bins(self) -> int:
        """The number of bins that are given."""
        return self.length // 2 + 1 if self.is_one_sided else self.length

    @property
    def frames(self) -> int:
        """The number of frames."""
        return int(self.read.get("frames", (self.source.shape[1] - self.length) // self.step + 1))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape: batch, frames, bins, and both parts."""
        return self.source.shape[0], self.frames, self.bins, 2

    @cached_property
    def lines(self) -> Lines:
        """The transforms of the frames, times the window."""
        x, length = self.numbers, self.length
        places = np.arange(self.frames)[:, None] * self.step + np.arange(length)
        framed = np.where(places < x.shape[1], x[:, places.clip(0, max(x.shape[1] - 1, 0))], 0) if x.shape[1] \
            else np.zeros((len(x), *places.shape), x.dtype)
        if "window" in self.inputs:
            window = self.inputs["window"].astype(Wide)
            with np.errstate(invalid="ignore", over="ignore"):
                framed = framed.real * window + 1j * (framed.imag * window)
        return Lines.of(framed, length, self.bins, False, self.source.dtype)

    def scalar(self, name: str) -> str | None:
        """Why an input is no scalar."""
        rank = self.inputs[name].ndim if name in self.inputs else 0
        return f"{name} has {rank} axes" if rank else None

    @on_call("signal.C2")
    def has_three_axes(self) -> str | None:
        return None if self.source.ndim == 3 else f"signal has {self.source.ndim} axes"

    @on_call("signal.C3", needs=("signal.C2",))
    def real_or_complex(self) -> str | None:
        return None if self.source.shape[-1] in (1, 2) else f"the last axis has size {self.source.shape[-1]}"

    @on_call("onesided.C2")
    def flag(self) -> str | None:
        value = self.attribute("onesided")
        return None if value in (0, 1) else f"onesided is {value}"

    @on_call("onesided.C3", needs=("signal.C3",))
    def complex_signal(self) -> str | None:
        return "signal is complex" if self.is_one_sided and self.source.shape[-1] == 2 else None

    @on_call("frame_step.C2")
    def scalar_step(self) -> str | None:
        return self.scalar("frame_step")

    @on_call("frame_step.C3", needs=("frame_step.C2",))
    def forward(self) -> str | None:
        return None if self.step >= 1 else f"frame_step is {self.step}"

    @on_call("window.C2")
    def window_of_one_axis(self) -> str | None:
        rank = self.inputs["window"].ndim if "window" in self.inputs else 1
        return None if rank == 1 else f"window has {rank} axes"

    @on_call("window.C3", needs=("window.C2", "frame_length.C2"))
    def window_of_length(self) -> str | None:
        if not {"window", "frame_length"} <= set(self.inputs):
            return None
        size = self.inputs["window"].shape[0]
        return None if size == self.length else f"window has size {size}, and frame_length is {self.length}"

    @on_call("frame_length.C2")
    def scalar_length(self) -> str | None:
        return self.scalar("frame_length")

    @on_call("frame_length.C3", needs=("frame_length.C2", "window.C2", "signal.C2"))
    def at_least_one(self) -> str | None:
        return None if self.length >= 1 else f"the length is {self.length}"

    @on_call("frame_length.C4", needs=("frame_length.C3", "frame_step.C3"))
    def frames_counted(self) -> str | None:
        return None if self.frames >= 0 else f"there are {self.frames} frames"

    @unspecified("frame_length.U1", refusal=True)
    def no_frame(self) -> Unspecified | None:
        return Unspecified.refusal() if not self.frames else None

    @unspecified("window.U1", refusal=True)
    def neither(self) -> Unspecified | None:
        return None if {"window", "frame_length"} & set(self.inputs) else Unspecified.refusal()

    @disputed("onesided.E2")
    def default_of_inference(self) -> Unspecified | None:
        if self.read or "onesided" in self.attributes or self.length // 2 + 1 == self.length:
            return None
        return Unspecified({}, (STFT(self.call, self.version, one_sided=False),))

    @disputed("output.E1")
    def frames_of_bins(self) -> Unspecified | None:
        return self._of_frames(int((self.source.shape[1] - self.bins) / self.step) + 1)

    @disputed("output.E2")
    def frame_beyond(self) -> Unspecified | None:
        return self._of_frames(int((self.source.shape[1] - self.length) / self.step) + 1)

    def _of_frames(self, frames: int) -> Unspecified | None:
        return None if self.read or frames == self.frames else Unspecified({}, (
            STFT(self.call, self.version, frames=frames),))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: frames that fit, with a window or a length or both, and a rest of the signal."""
        length, step = choose(FRAMES), choose((1, 2, 3, 5))
        size = length + choose((3, 0, 1, 6, 8, -1), (6, 2, 4, 4, 4, 1))
        batch = choose(Named("batch", (1, 2, 3, 0)), (6, 6, 3, 1))
        one_sided = choose((None, 1, 0), (2, 1, 2))
        parts = 1 if one_sided != 0 else choose((1, 2))
        dtype, kind = a_type(choose, cls.types_of("signal", version)), choose(("int64", "int32"))
        given = choose((("frame_length",), ("window",), ("window", "frame_length"), ()), (4, 4, 3, 1))
        signal = choose.tensor((batch, max(size, 0), parts), dtype, "sum", Terms(length, (1,)))
        inputs = {"signal": signal, "frame_step": np.array(step, kind)}
        if "window" in given:
            inputs["window"] = choose.tensor((length,), dtype, "sum", Terms(length))
        if "frame_length" in given:
            inputs["frame_length"] = np.array(length, kind)
        return Call("STFT", {} if one_sided is None else {"onesided": one_sided}, inputs)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without the end of the signal."""
        if self.source.shape[1] > 1:
            yield Call("STFT", self.attributes, {**self.inputs, "signal": self.source[:, :-1]})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Lengths of frames, and many of them."""
        return SizeClass({"frame": ROWS}), a_large_output({"frame": 4, "batch": 20_000})

    def named_sizes(self) -> Mapping[str, Any]:
        """The length of frames, and whether the output is large."""
        return {DTYPE: self.source.dtype.name, "frame": self.length, LARGE: is_large(self.shape_of("output"))}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the batch."""
        return {0: {"signal": 0}}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The frame."""
        batch, frame = where[:2]
        return {"signal": np.array([[batch, frame * self.step + n, part] for n in range(self.length)
                                    for part in range(self.source.shape[-1])], np.int64)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"two-sided": not self.is_one_sided, "complex": self.source.shape[-1:] == (2,),
                "window": "window" in self.inputs, "no-window": "window" not in self.inputs,
                "no-frame-length": "frame_length" not in self.inputs}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        size, length = self.source.shape[1], self.length
        return {"whole": size == length, "rest": size > length and (size - length) % self.step != 0}
