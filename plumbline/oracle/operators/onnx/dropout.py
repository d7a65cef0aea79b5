"""Judge and generate calls of ONNX Dropout, by `spec/onnx/dropout.md`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Wrong
from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import FLOAT8, a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, row_by_row
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Unspecified,
    evidence,
    on_call,
    on_outputs,
    unspecified,
)
from plumbline.oracle.response import Response, wrong_type
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal

RATIOS = (0.5, 0.25, 0.0, 0.1, 0.75, 0.9)
"""Ratios that are drawn."""


def _scale_in_single_precision(definition: Any, entry: Any) -> bool:
    """Elements are off by no more than a scale that is formed in float32 explains.

    Roundings: of the ratio r, `r / (1 - r)` in 1 - r; of that difference; of its reciprocal."""
    if not definition.trains:
        return False
    unit, left = Wide(2) ** -24, 1 - Wide(definition.ratio or 0.5)
    with np.errstate(invalid="ignore"):
        off = np.abs(entry.got.astype(Wide) - entry.expected.astype(Wide))
        return bool(np.all(off <= unit * (1 + 1 / left) * np.abs(entry.expected.astype(Wide))))


def _data_kept(definition: Any, entry: Any) -> bool:
    """Elements are those of data, where the call is in training."""
    if entry.where is None or not definition.trains or entry.output != "output":
        return False
    kept = definition.inputs["data"][tuple(entry.where.T)].reshape(-1).astype(entry.got.dtype)
    return bool(np.all((entry.got == kept) | (entry.got != entry.got) & (kept != kept)))


class Dropout(Movement):
    """A call of Dropout under one version of its specification."""

    exact = False
    flag_notes = {**Movement.flag_notes, "training": "Elements are dropped at random.",
                  "ratio-zero": "ratio is 0, which drops nothing."}

    monotone_in = ("data",)

    @property
    def turns(self) -> tuple[float, ...] | None:  # type: ignore[override]
        """() of a copy."""
        return () if self.is_copy else None

    symptoms = {**Movement.symptoms, "scale-in-single-precision": _scale_in_single_precision,
                "data-kept": _data_kept}

    shape = shape_of_output("output.C1", "output")
    copies = elements_of("output.F2", "output", "not the element of data", lambda self: self.is_copy)
    dropout = elements_of("output.F3", "output", "neither zero nor the scaled element of data",
                          lambda self: self.trains)
    shape_of_mask = shape_of_output("mask.C1", "mask")
    ones = elements_of("mask.F5", "mask", "not true", lambda self: self.is_copy)

    @property
    def ratio(self) -> float | None:
        """The input, of older versions the attribute; None where it is not given, or the attribute no number."""
        if self.version < 12:
            value = self.attribute("ratio")
            return float(value) if isinstance(value, int | float | np.number) else None  # breaks a fact
        given = self.inputs.get("ratio")
        return None if given is None or not given.size else float(given.reshape(-1)[0])

    @property
    def mode(self) -> bool:
        """True if training_mode is true."""
        given = self.inputs.get("training_mode")
        return given is not None and given.size > 0 and bool(given.reshape(-1)[0])

    @property
    def is_copy(self) -> bool:
        """True if the text says that output is a copy."""
        if self.version < 12:
            return bool(self.attribute("is_test"))
        return not self.mode or self.ratio == 0

    @property
    def is_random(self) -> bool:
        """True if elements may be dropped."""
        return not self.is_copy

    @property
    def trains(self) -> bool:
        """True if the text says that elements are dropped and scaled by a factor."""
        return self.version >= 12 and not self.is_copy

    @property
    def is_narrow(self) -> bool:
        """True if a number has eight bits."""
        types = [self.inputs[name].dtype.name for name in ("data", "ratio") if name in self.inputs]
        return self.trains and not set(types).isdisjoint(FLOAT8)

    @cached_property
    def scaled(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each difference that an implementation may compute with, the exact elements and their bounds."""
        data, ratio = self.source, self.inputs.get("ratio", np.array(0.5, self.source.dtype)).reshape(-1)[0]
        coarse = max((data.dtype, ratio.dtype), key=lambda dtype: PRECISION[dtype.name][0])
        _, eta, _ = PRECISION[data.dtype.name]
        readings = []
        for left in dict.fromkeys((1 - Wide(ratio), 1 - Wide(data.dtype.type(ratio)))):
            with np.errstate(all="ignore"):
                exact = data.astype(Wide) / left
                inexact = [number for number in (left, 1 / left) if Wide(coarse.type(number)) != number]
                relative = (growth(len(inexact), coarse) + 1) * (growth(1, data.dtype) + 1) - 1
                is_shift = (np.frexp(left)[0] == 0.5) & (np.abs(exact) >= smallest_normal(data.dtype))
                readings.append((exact, np.where(is_shift, 0, relative * np.abs(exact) + Wide(float(eta)))))
        return readings

    def is_scaled(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are scaled, within the bounds."""
        right = np.zeros(got.shape, bool)
        largest, wide = Wide(float(PRECISION[self.source.dtype.name][2])), got.astype(Wide)
        with np.errstate(all="ignore"):
            for exact, bound in self.scaled:
                over = (np.abs(exact) + bound >= largest) & (wide == np.copysign(np.inf, exact))
                right |= (np.abs(wide - exact) <= bound) | (wide == exact) | over
        return right | np.isnan(wide) & np.isnan(self.source.astype(Wide))

    def is_dropped(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are zero, or NaN where data is not finite."""
        with np.errstate(all="ignore"):
            return np.asarray((got == 0) | (got != got) & ~np.isfinite(self.source.astype(Wide)))

    def places(self) -> np.ndarray:
        """Return the position of each element itself."""
        return row_by_row(self.source.shape)

    def expected(self) -> dict[str, np.ndarray]:
        """A copy; in training as where nothing is dropped."""
        output = self.source.copy()
        if self.trains and not self.is_narrow:
            with np.errstate(all="ignore"):
                output = self.scaled[0][0].astype(self.source.dtype)
        kind = np.dtype(bool) if self.version >= 10 else self.source.dtype
        return {"output": output, "mask": np.ones(self.source.shape, kind)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of what conforms: in training zeros and scaled elements, and any mask."""
        if not self.trains:
            return super().conforms(output, got)
        if output == "mask" or self.is_narrow:
            return np.ones(got.shape, bool)
        return np.asarray(self.is_scaled(got) | self.is_dropped(got))

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """A mask that says the opposite."""
        if output == "mask" and self.trains:
            yield ~self.canonical["mask"]

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return masks of alternatives: in training all elements."""
        return dict.fromkeys(("output", "mask"), np.ones(self.source.shape, bool)) if self.trains else {}

    def tolerance(self) -> dict[str, float]:
        """Return in training the largest scaled element, which may be dropped."""
        if not self.trains or self.is_narrow:
            return {}
        sizes = [np.abs(exact) + bound for exact, bound in self.scaled]
        return {"output": float(max(np.max(size[np.isfinite(size)], initial=0) for size in sizes)), "mask": 1.0}

    @on_call("ratio.C4")
    def ratio_is_scalar(self) -> str | None:
        return self._axes_of("ratio")

    @on_call("training_mode.C2")
    def mode_is_scalar(self) -> str | None:
        return self._axes_of("training_mode")

    def _axes_of(self, name: str) -> str | None:
        rank = self.inputs[name].ndim if name in self.inputs else 0
        return f"{name} has {rank} axes" if rank else None

    @on_call("ratio.C5", needs=("ratio.C4", "training_mode.C2"))
    def ratio_below_one(self) -> str | None:
        return f"ratio is {self.ratio}" if self.mode and self._is_beyond else None

    @property
    def _is_beyond(self) -> bool:
        return self.ratio is not None and not 0 <= self.ratio < 1

    @unspecified("ratio.U1", refusal=True)
    def ignored(self) -> Unspecified | None:
        return Unspecified.refusal() if not self.mode and self._is_beyond else None

    @unspecified("ratio.U2")
    def not_given(self) -> Unspecified | None:
        if not self.trains or self.ratio is not None:
            return None
        return Unspecified({"output": Allowance(admits=lambda got: np.asarray(
            got == self.source) | self.conforms("output", got))})

    @evidence("ratio.E1")
    @staticmethod
    def two_defaults() -> str:
        call = Call("Dropout", {}, {"data": np.ones(1, np.float32), "training_mode": np.array(True)})
        one, = Dropout(call, 12).expected()["output"].tolist()
        copy, = call.inputs["data"].tolist()
        assert one == 2 and copy != one
        return f"of 1, without ratio in training, one sentence gives {copy:g}, the other 0 or {one:g}"

    @unspecified("output.U1")
    def bits(self) -> Unspecified | None:
        is_nan = np.isnan(self.source.astype(Wide))
        return Unspecified.of(is_nan, "output", admits=lambda got: np.isnan(got.astype(Wide)))

    @unspecified("output.U2")
    def random(self) -> Unspecified | None:
        if self.is_copy:
            return None
        x = self.source.astype(Wide)

        def admits(got: np.ndarray) -> np.ndarray:
            given = got.astype(Wide)
            return np.asarray((given == 0) | (np.sign(given) == np.sign(x)) | ~np.isfinite(x))
        return Unspecified({"output": Allowance(admits=admits, observed=True)})

    @unspecified("output.U3")
    def eight_bits(self) -> Unspecified | None:
        return Unspecified({"output": Allowance()}) if self.is_narrow else None

    @unspecified("mask.U1")
    def mask_not_said(self) -> Unspecified | None:
        return Unspecified.everything("mask")

    @unspecified("mask.U2")
    def two_types(self) -> Unspecified | None:
        return Unspecified({"mask": Allowance(shape=True, dtype=(np.dtype(bool), self.source.dtype))})

    @on_outputs("mask.F4")
    def type_of_mask(self, response: Response) -> Wrong | None:
        return None if "training_mode" in self.inputs else wrong_type(response, "mask", np.dtype(bool))

    @on_outputs("mask.F6", needs=("output.C1", "output.F1", "mask.C1", "mask.F3", "mask.F4"))
    def together(self, response: Response) -> Wrong | None:
        given = response.given
        if self.ratio is None and self.version < 22:
            return None  # whether output is a copy is not said
        if not self.trains or self.is_narrow or not {"output", "mask"} <= set(given):
            return None
        output, kept = given["output"], given["mask"].astype(bool)
        wrong = self.conforms("output", output) & ~np.where(kept, self.is_scaled(output), self.is_dropped(output))
        return response.at("output", wrong, "not what mask says") if wrong.any() else None

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, mostly not in training."""
        attributes: dict[str, Any] = {}
        dtype = a_type(choose, cls.types_of("data", version))
        inputs = {"data": choose.tensor(a_shape(choose), dtype, "bits")}
        if version < 12:
            if choose((False, True)):
                attributes["ratio"] = choose(RATIOS)
            if version < 7 and choose((True, False), (3, 1)):
                attributes["is_test"] = 1
            return Call("Dropout", attributes, inputs)
        trains = choose((False, True), (2, 1)) and dtype not in FLOAT8
        if choose((True, False)):
            types = [name for name in cls.types_of("ratio", version) if name not in FLOAT8]
            inputs["ratio"] = np.array(choose(RATIOS)).astype(choose.tensor((), choose(types), "bits").dtype)
        if trains or choose((True, False)):
            inputs["training_mode"] = np.array(trains)
        if choose((False, True), (3, 1)):
            attributes["seed"] = 7
        return Call("Dropout", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "training": self.trains, "ratio-zero": self.ratio == 0}
