"""Judge and generate calls of ONNX Pad, by `spec/onnx/pad.md`."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end, list_of, within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type, same_bits
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape
from plumbline.oracle.families.narrower_types import gives_where
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Predicate, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.size_classes import Named
from plumbline.oracle.type_names import blank, name_of

FILL = -1
"""The index of a cell that holds the constant."""


def mapped(indices: np.ndarray, size: int, mode: str) -> np.ndarray:
    """Return the index in an axis of `size` elements that each index, which may lie outside, is filled from."""
    inside = (indices >= 0) & (indices < size)
    if not size or mode == "constant":
        return np.asarray(np.where(inside, indices, FILL))
    if mode == "edge":
        return np.asarray(indices.clip(0, size - 1))
    if mode == "wrap":
        return np.asarray(indices % size)
    period = max(2 * size - 2, 1)
    return np.asarray((size - 1) - abs(indices % period - (size - 1)))


def allowed_modes(clause: str, *modes: str) -> Predicate:
    """The mode is one of some."""
    def other(self: Pad) -> str | None:
        return None if self.mode in modes else f"mode is {self.mode!r}, not one of {', '.join(modes)}"
    return Predicate("call", clause, other)


def _constant_in_other_modes(definition: Any, entry: Any) -> bool:
    """Elements are constant_value, in a mode that copies elements."""
    given = definition.inputs.get("constant_value")
    return (given is not None and definition.mode != "constant" and entry.got.dtype == given.dtype
            and bool(same_bits(entry.got, given).all()))


def constant_in_single(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives with a constant that is rounded to float32."""
    inputs = dict(definition.inputs)
    if "constant_value" not in inputs:
        return False
    constant = inputs["constant_value"]
    with np.errstate(invalid="ignore"):
        rounded = constant.astype(np.float32).astype(constant.dtype)
    return gives_where(definition, entry, {**inputs, "constant_value": rounded})


def _paddings_in_pairs(definition: Any, entry: Any) -> bool:
    """The output has the shape that paddings give as two ends of each axis in turn."""
    pads = definition.attributes.get("paddings", [])
    sizes = zip(definition.inputs["data"].shape, pads[::2], pads[1::2], strict=False)
    return isinstance(entry.got, str) and entry.got == str([sum(each) for each in sizes])


class Pad(Movement):
    """A call of Pad under one version of its specification."""

    shape_symptoms = {**Movement.shape_symptoms, "paddings-in-pairs": _paddings_in_pairs}
    symptoms = {**Movement.symptoms, **shape_symptoms, "constant-in-other-modes": _constant_in_other_modes,
                "constant-in-single": constant_in_single}
    flag_notes = {**Movement.flag_notes, "removes": "A pad is negative, so that elements are left out.",
                  "not-constant": "The elements added are copies.",
                  "reflects-beyond": "A reflection is longer than an axis, without its edge, reaches.",
                  "wraps-twice": "A padding is longer than the axis whose elements it repeats.",
                  "given-axes": "axes says which axes the pads are of."}

    modes_1 = allowed_modes("mode.C2", "constant", "reflect", "edge")
    modes_19 = allowed_modes("mode.C3", "constant", "reflect", "edge", "wrap")
    shape = copied_shape("output.C1")
    value = elements_of("output.F2", "output", "not the element of data, or the constant, for that place")
    nan = bits_of_nan("output.U1")

    @property
    def mode(self) -> str:
        """The mode as a string."""
        mode = self.attribute("mode")
        return mode.decode(errors="replace") if isinstance(mode, bytes) else mode

    @property
    def name(self) -> str:
        """The name of the pads in this version."""
        return "paddings" if self.version == 1 else "pads"

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes, counted from the front."""
        given = list_of(self, "axes") if "axes" in self.inputs else tuple(range(self.source.ndim))
        return tuple(axis % self.source.ndim for axis in given or ())

    @property
    def pads(self) -> list[tuple[int, int]]:
        """Before and after, by axis of data."""
        listed, found = list_of(self, self.name) or (), [(0, 0)] * self.source.ndim
        for place, axis in enumerate(self.axes):
            found[axis] = listed[place], listed[place + len(self.axes)]
        return found

    @property
    def constant(self) -> np.ndarray:
        """The element to fill with, in an array of one axis."""
        given = self.inputs.get("constant_value", self.attribute("value") if self.version < 11 else None)
        if given is None:
            return blank((1,), self.source.dtype)
        with np.errstate(all="ignore"):
            return np.asarray(given).astype(self.source.dtype).reshape(1)

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """data, and the constant."""
        return {"data": self.source, "constant_value": self.constant}

    @property
    def adds(self) -> list[tuple[int, int, int]]:
        """Size and pads of the axes on which elements are added."""
        return [(size, *pads) for size, pads in zip(self.source.shape, self.pads, strict=True) if max(pads) > 0]

    def of_axes(self, cropped: bool) -> np.ndarray:
        """The positions; those of cells that are added as the elements that are left give them, if `cropped`."""
        found, size = np.zeros((1,) * self.source.ndim, np.int64), prod(self.source.shape)
        filled = np.zeros(found.shape, bool)
        for axis, (length, (before, after)) in enumerate(zip(self.source.shape, self.pads, strict=True)):
            indices = np.arange(-before, length + after)
            first, last = (max(-before, 0), length - max(-after, 0)) if cropped else (0, length)
            indices = mapped(indices - first, last - first, self.mode)
            along = [1] * self.source.ndim
            along[axis] = -1
            filled = filled | (indices == FILL).reshape(along)
            size //= max(length, 1)
            found = found + (np.where(indices == FILL, 0, indices + first) * size).reshape(along)
        return np.where(filled, self.source.size, found)

    def places(self) -> np.ndarray:
        """Return the positions; cells are added first, then others removed."""
        sizes = [length + sum(pads) for length, pads in zip(self.source.shape, self.pads, strict=True)]
        holdable(self.output, [max(size, 0) for size in sizes])
        return self.of_axes(cropped=False)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element of data that is copied; {} for the constant."""
        return super().receptive_field(output, where) if self.positions[where] < self.source.size else {}

    @on_call("paddings.C3")
    def counts(self) -> str | None:
        return within("paddings", list_of(self, "paddings"), 0, 2**63 - 1)

    @on_call("pads.C4")
    def one_axis(self) -> str | None:
        rank = np.ndim(self.inputs["pads"])
        return None if rank == 1 else f"pads has {rank} axes"

    @on_call("axes.C2")
    def list_of_axes(self) -> str | None:
        rank = np.ndim(self.inputs.get("axes", [0]))
        return None if rank == 1 else f"axes has {rank} axes"

    @on_call("axes.C3", needs=("axes.C2",))
    def value_domain(self) -> str | None:
        given = list_of(self, "axes") if "axes" in self.inputs else ()
        return within("axes", given, -self.source.ndim, self.source.ndim - 1)

    def wrong_length(self) -> str | None:
        """Why there are not two pads for each axis."""
        wanted = 2 * len(self.axes)
        listed = list_of(self, self.name) or ()
        return None if len(listed) == wanted else f"{self.name} has {len(listed)} entries, not {wanted}"

    length_1 = on_call("paddings.C4", needs=("paddings.C3",))(wrong_length)
    length_2 = on_call("pads.C5", needs=("pads.C4", "axes.C2", "axes.C3"))(wrong_length)

    @on_call("pads.C6", needs=("pads.C5",))
    def not_below_zero(self) -> str | None:
        return next((f"{self.name} leaves {length + before + after} of {length} elements" for length, (before, after)
                     in zip(self.source.shape, self.pads, strict=True) if length + before + after < 0), None)

    @on_call("constant_value.C2")
    def scalar(self) -> str | None:
        rank = self.inputs.get("constant_value", np.zeros(())).ndim
        return f"constant_value has {rank} axes" if rank else None

    @unspecified("axes.U1", refusal=True)
    def repeated(self) -> Unspecified | None:
        return None if len({*self.axes}) == len(self.axes) else Unspecified.everything("output")

    @unspecified("output.U2", refusal=True)
    def nothing_to_copy(self) -> Unspecified | None:
        empty = self.mode != "constant" and any(not size for size, *_ in self.adds)
        beyond = any(-min(pads) > size for size, pads in zip(self.source.shape, self.pads, strict=True))
        return Unspecified.everything("output") if empty or beyond else None

    @unspecified("output.U3", refusal=True)
    def beyond_one_reflection(self) -> Unspecified | None:
        if self.mode != "reflect" or all(max(pads) < size for size, *pads in self.adds):
            return None
        once = np.zeros((1,) * self.source.ndim, bool)
        for axis, (length, (before, after)) in enumerate(zip(self.source.shape, self.pads, strict=True)):
            indices = np.arange(-before, length + after)
            along = [1] * self.source.ndim
            along[axis] = -1
            once = once | ((indices <= -length) | (indices >= 2 * length - 1)).reshape(along)
        return Unspecified.of(np.broadcast_to(once, self.positions.shape), "output")

    @unspecified("output.U4", refusal=True)
    def removed_first(self) -> Unspecified | None:
        if self.mode == "constant" or all(min(pads) >= 0 for _, *pads in self.adds):
            return None
        return Unspecified.of(self.of_axes(cropped=True) != self.positions, "output")

    @unspecified("output.U5")
    def lacks_the_value(self) -> Unspecified | None:
        wanted = np.asarray(self.attribute("value"), np.float32)
        held = bool(same_bits(self.constant.astype(np.float32), wanted.reshape(1))[0]) or wanted != wanted
        return None if held else Unspecified.of(self.positions == self.source.size, "output")

    @unspecified("output.U6")
    def lacks_zero(self) -> Unspecified | None:
        held = "constant_value" in self.inputs or name_of(self.source.dtype) != "float8_e8m0fnu"
        return None if held else Unspecified.of(self.positions == self.source.size, "output")

    @evidence("paddings.E1")
    @staticmethod
    def other_order() -> str:
        data = np.zeros((3, 2), np.float32)
        shapes = [Pad(Call("Pad", {"paddings": paddings}, {"data": data}), 1).positions.shape
                  for paddings in ([0, 0, 2, 0], [0, 2, 0, 0])]
        assert shapes == [(5, 2), (3, 4)]
        return f"paddings [0, 0, 2, 0] of {data.shape} give {shapes[0]} by the description of paddings; the example " \
               f"prints {shapes[1]}, which [0, 2, 0, 0] give"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, pads beyond its sizes or below 0, and from version 18 on axes in any order."""
        shape = a_shape(choose)
        modes = ("constant", "reflect", "edge", "wrap")[:4 if version >= 19 else 3]
        mode = choose(modes, (4, 3, 2, 2)[:len(modes)])
        data = choose.tensor(shape, a_type(choose, cls.types_of("data", version)), "bits")
        axes = list(range(len(shape)))
        chosen = version >= 18 and choose((False, True))
        if chosen:
            axes = [axes.pop(choose(range(len(axes)))) for _ in range(choose(Named("padded", range(len(shape) + 1))))]
        lowest = 0 if version == 1 else -1
        pads = [choose((1, 0, 2, lowest, shape[axis] - 1, shape[axis] + 1), (4, 4, 2, 1, 1, 0.3)) for _ in range(2)
                for axis in axes]
        attributes: dict[str, Any] = {} if mode == "constant" and choose((True, False)) else {"mode": mode}
        filled = choose((False, True))
        if version < 11:
            if filled:
                attributes["value"] = choose((1.5, -0.0, 65504.0))
            if not pads:
                return None  # an attribute cannot hold an empty list without its type
            return Call("Pad", {**attributes, "paddings" if version == 1 else "pads": pads}, {"data": data})
        inputs = {"data": data, "pads": np.array(pads, np.int64)}
        if filled:
            inputs["constant_value"] = choose.tensor((), name_of(data.dtype), "bits")
        if chosen:
            inputs["axes"] = np.array([either_end(choose, axis, len(shape), back=True) for axis in axes],
                                      choose(("int64", "int32")))
        return Call("Pad", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"scalar": self.source.ndim == 0, "removes": min(list_of(self, self.name) or (0,)) < 0,
                "not-constant": self.mode != "constant", "given-axes": "axes" in self.inputs,
                "reflects-beyond": self.mode == "reflect" and self.wrong_length() is None and any(
                    max(pads) >= size for size, *pads in self.adds),
                "wraps-twice": self.mode == "wrap" and self.wrong_length() is None and any(
                    max(pads) > size for size, *pads in self.adds)}
