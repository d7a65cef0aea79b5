"""Judge and generate calls of ONNX DFT, by `spec/onnx/dft.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_of, either_end
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.fourier import Fourier, Lines, length_types, one_sided
from plumbline.oracle.operator import Choose, Operator, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

SIGNALS = Named("signal", (4, 3, 5, 2, 1, 8, 6, 7, *ROWS))

LONGEST = 2**12
"""The longest lines of a reading that a symptom tries: their sums take time with the square of it."""


def _single_reciprocal(definition: Operator, entry: Divergence) -> bool:
    """Elements are scaled by the reciprocal of the length in float32."""
    assert isinstance(definition, DFT)
    if entry.where is None:
        return False
    where = tuple(np.asarray(entry.where).T)
    scale = Wide(np.float32(1) / np.float32(definition.length)) * definition.length
    got, wanted = np.asarray(entry.got).astype(Wide), definition.exactly[where] * scale
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.abs(got - wanted) <= 2 * definition.rooms[0][where]))


def _along(definition: Operator, entry: Divergence, axis: int) -> bool:
    """True if another axis gives that shape and these elements."""
    assert isinstance(definition, DFT)
    if entry.where is None or axis % definition.source.ndim in (definition.axis, definition.source.ndim - 1):
        return False
    call, is_input = definition.call, definition.version >= 20
    other = DFT(Call(call.operator, {**call.attributes, **({} if is_input else {"axis": axis})},
                     {**call.inputs, **({"axis": np.array(axis)} if is_input else {})}), definition.version)
    return _given_by(other, definition, entry)


def _given_by(other: DFT, definition: DFT, entry: Divergence) -> bool:
    """True if another call gives that shape and these elements; it is not tried with lines that take minutes."""
    if other.shape_of("output") != definition.shape_of("output") or other.length > LONGEST:
        return False
    got, at = other.canonical["output"].copy(), tuple(np.asarray(entry.where).T)
    got[at] = entry.got
    return bool(other.conforms("output", got)[at].all())


def _length_left_aside(definition: Operator, entry: Divergence) -> bool:
    """Elements are those of a transform without dft_length."""
    assert isinstance(definition, DFT)
    others = {name: x for name, x in definition.inputs.items() if name != "dft_length"}
    other = DFT(replace(definition.call, inputs=others), definition.version)
    return entry.where is not None and len(others) < len(definition.inputs) and _given_by(other, definition, entry)


def _along_the_second(definition: Operator, entry: Divergence) -> bool:
    """Elements are those of a transform along axis 1."""
    return _along(definition, entry, 1)


def _along_the_one_before(definition: Operator, entry: Divergence) -> bool:
    """Elements are those of a transform along the axis before a negative one."""
    assert isinstance(definition, DFT)
    return definition.named_axis < 0 and _along(definition, entry, definition.axis - 1)


class DFT(Fourier):
    """A call of DFT under one version of the text; `read` overrides an `inverse` that is neither 0 nor 1."""

    clauses = {"output.C1": "shape", "output.F2": "value", "output.U1": "not_finite", "output.U2": "overflow",
               "output.U3": "other_algorithm"}
    flag_notes = {"inverse": "The transform is inverse.", "one-sided": "onesided is 1.",
                  "complex": "The input has imaginary parts.", "padded": "Zeros follow the signal.",
                  "cut": "The end of the signal is left out.", "negative-axis": "axis counts from the back.",
                  "default-axis": "axis is not given.", "other-axis": "The axis is not the second one.",
                  "no-power-of-two": "The length is not a power of two, for which most fast transforms are made."}

    symptoms = {"single-reciprocal": _single_reciprocal, "along-the-second-axis": _along_the_second,
                "along-the-axis-before": _along_the_one_before, "length-left-aside": _length_left_aside}

    fewer_bins = one_sided("onesided.E1")
    lengths_of_32_bits = length_types("dft_length.E1", ("int32", "int64"))

    def __init__(self, call: Call, version: int, **read: bool) -> None:
        super().__init__(call, version)
        self.inverse: bool = read.get("inverse", self.attribute("inverse") != 0)

    @property
    def named_axis(self) -> int:
        """The axis as it is given."""
        if self.version >= 20:
            return int(self.inputs["axis"].item()) if "axis" in self.inputs else -2
        return int(axis_of(self, 1))

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        return self.named_axis % self.source.ndim

    @property
    def is_one_sided(self) -> bool:
        """True if half of the bins are given, or taken."""
        return bool(self.attribute("onesided") == 1)

    @property
    def length(self) -> int:
        """N."""
        if "dft_length" in self.inputs:
            return int(self.inputs["dft_length"].item())
        size = int(self.source.shape[self.axis])
        return 2 * (size - 1) if self.inverse and self.is_one_sided else size

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of the input with the number of bins, and both parts unless these are real."""
        shape = list(self.source.shape)
        shape[self.axis] = self.length // 2 + 1 if self.is_one_sided and not self.inverse else self.length
        return (*shape[:-1], 1 if self.is_one_sided and self.inverse else 2)

    @cached_property
    def lines(self) -> Lines:
        """The transforms along the axis; of half of the bins the other half are the conjugates."""
        x, length = np.moveaxis(self.numbers, self.axis, -1), self.length
        if self.is_one_sided and self.inverse:
            half = np.zeros((*x.shape[:-1], length // 2 + 1), x.dtype)
            given = x[..., :half.shape[-1]]
            half[..., :given.shape[-1]] = given
            x = np.concatenate([half, half[..., 1:(length + 1) // 2].conj()[..., ::-1]], axis=-1)
        return Lines.of(x, length, self.shape_of("output")[self.axis], self.inverse, self.source.dtype)

    def placed(self, of_lines: np.ndarray) -> np.ndarray:
        return np.moveaxis(of_lines, -2, self.axis)

    @on_call("input.C2")
    def has_axes(self) -> str | None:
        return None if self.source.ndim >= 2 else f"input has {self.source.ndim} axes"

    @on_call("input.C3", needs=("input.C2",))
    def real_or_complex(self) -> str | None:
        return None if self.source.shape[-1] in (1, 2) else f"the last axis has size {self.source.shape[-1]}"

    @on_call("axis.C3", needs=("input.C2", "axis.C4"))
    def axis_of_signals(self) -> str | None:
        axis, rank = self.named_axis, self.source.ndim
        return None if -rank <= axis <= -2 or 0 <= axis <= rank - 2 else f"axis is {axis}, and input has {rank} axes"

    @on_call("axis.C4")
    def scalar_axis(self) -> str | None:
        rank = self.inputs["axis"].ndim if "axis" in self.inputs else 0
        return f"axis has {rank} axes" if rank else None

    @on_call("dft_length.C2")
    def scalar_length(self) -> str | None:
        rank = self.inputs["dft_length"].ndim if "dft_length" in self.inputs else 0
        return f"dft_length has {rank} axes" if rank else None

    @on_call("dft_length.C3", needs=("dft_length.C2", "axis.C3"))
    def at_least_one(self) -> str | None:
        return None if self.length >= 1 else f"the length is {self.length}"

    @on_call("onesided.C2")
    def flag(self) -> str | None:
        value = self.attribute("onesided")
        return None if value in (0, 1) else f"onesided is {value}"

    @on_call("onesided.C3", needs=("input.C3",))
    def real_forward(self) -> str | None:
        return "input is complex" if self.is_one_sided and not self.inverse and self.source.shape[-1] == 2 else None

    @on_call("onesided.C4", needs=("input.C3",))
    def complex_inverse(self) -> str | None:
        return "input is real" if self.is_one_sided and self.inverse and self.source.shape[-1] == 1 else None

    @unspecified("inverse.U1", refusal=True)
    def other_inverse(self) -> Unspecified | None:
        if self.attribute("inverse") in (0, 1) or not self.inverse:
            return None
        if self.is_one_sided:
            return Unspecified.refusal()
        return Unspecified({}, (DFT(self.call, self.version, inverse=False),))

    @unspecified("dft_length.U1")
    def bins_of_another_length(self) -> Unspecified | None:
        is_open = self.is_one_sided and self.inverse and self.source.shape[self.axis] != self.length // 2 + 1
        return Unspecified.everything("output") if is_open else None

    @unspecified("onesided.U1", refusal=True)
    def real_signals_in_editions(self) -> Unspecified | None:
        return Unspecified.refusal() if self.is_one_sided and self.inverse else None

    @evidence("output.E1")
    @staticmethod
    def counted_axis() -> str:
        shape, axis = (1, 10, 8, 1), 1
        call = Call("DFT", {"axis": axis, "onesided": 1}, {"input": np.zeros(shape, np.float32)})
        size = DFT(call, 17).shape_of("output")
        assert size == (1, 6, 8, 2) != (1, 10, 5, 2)
        return f"{list(shape)}, axis = 1: {list(size)} where axes count from that of the batch, [1, 10, 5, 2] by the " \
               "formula of these releases for axis = 1, floor(signal_dim2/2)+1"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: real or complex signals, along any axis but the last, cut off or followed by zeros."""
        size = choose(SIGNALS)
        shape = [choose(Named("batch", (1, 2, 3, 0)), (6, 6, 3, 1))]
        shape += [choose((2, 1, 3)) for _ in range(choose((0, 1, 2)))]
        axis = choose((len(shape), *range(1, len(shape)), 0))
        shape.insert(axis, size)
        one_sided, inverse = choose((0, 1)), choose((0, 1, 2), (6, 6, 1))
        parts = 1 + bool(inverse) if one_sided else choose((1, 2))
        attributes = {name: value for name, value in (("onesided", one_sided), ("inverse", inverse))
                      if value or choose((False, True), (3, 1))}
        default = 2 * (size - 1) if one_sided and inverse else size
        length = choose((None, default, default + 1, max(default - 1, 1), 2 * default + 3), (4, 1, 1, 1, 1))
        shape.append(parts)
        if default < 1 and length is None:
            return None
        dtype = a_type(choose, cls.types_of("input", version))
        inputs = {"input": choose.tensor(shape, dtype, "sum", Terms(max(size, 1), (axis,)))}
        if length is not None:
            inputs["dft_length"] = np.array(max(length, 1), choose(("int64", "int32")))
        if axis != (1 if version < 20 else len(shape) - 2) or choose((True, False), (1, 2)):
            named = either_end(choose, axis, len(shape), True)
            attributes |= {"axis": named} if version < 20 else {}
            inputs |= {"axis": np.array(named, np.int64)} if version >= 20 else {}
        return Call("DFT", attributes, inputs)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Lengths of signals, and many of them."""
        return SizeClass({"signal": ROWS}), a_large_output({"signal": 4, "batch": 9000})

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the axis, and whether the output is large."""
        return {DTYPE: self.source.dtype.name, "signal": self.source.shape[self.axis],
                LARGE: is_large(self.shape_of("output"))}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the other axes."""
        return {axis: {"input": axis} for axis in range(self.source.ndim - 1) if axis != self.axis}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The signal, as far as it is taken."""
        mask = np.zeros(self.source.shape, bool)
        places: Any = (slice(self.length), *where[:self.axis], *where[self.axis + 1:-1])
        np.moveaxis(mask, self.axis, 0)[places] = True
        return {"input": np.argwhere(mask)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axis = np.asarray(self.inputs.get("axis", axis_of(self, 0) or 0))
        return {"inverse": self.inverse, "one-sided": self.is_one_sided, "complex": self.source.shape[-1:] == (2,),
                "negative-axis": bool((axis < 0).any()),
                "default-axis": not {"axis"} & {*self.inputs, *self.attributes}}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        size, taken = self.source.shape[self.axis], self.length
        taken = taken // 2 + 1 if self.is_one_sided and self.inverse else taken
        return {"padded": taken > size, "cut": taken < size, "other-axis": self.axis != 1,
                "no-power-of-two": bool(self.length & (self.length - 1))}
