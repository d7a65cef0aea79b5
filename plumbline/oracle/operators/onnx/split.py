"""Judge and generate calls of ONNX Split, by `spec/onnx/split.md`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.axes import along, axis_of, axis_within, either_end
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import DTYPE, LARGE, TALL, WIDE_ROWS, Named, is_large, is_tall
from plumbline.oracle.type_names import name_of


class Split(Movement):
    """A call of Split under one version of its specification."""

    output = "outputs"
    wide = {**WIDE_ROWS, "axis": 1}
    flag_notes = {"negative-axis": "axis counts from the back.",
                  "default-axis": "axis is not set.",
                  "one-output": "there is one output, a copy of the input, which many runtimes pass on as it is.",
                  "empty-part": "an output has no elements.",
                  "fewer-parts": "num_outputs is below the number of outputs.",
                  "sizes": "the sizes of the outputs are given.",
                  "uneven": "num_outputs does not divide the size, so that the last output is smaller."}

    shape = shape_of_output("outputs.C1", "outputs")
    value = elements_of("outputs.F2", "outputs", "not the element of input at that place")
    nan = bits_of_nan("outputs.U1")

    @property
    def count(self) -> int:
        """The number of outputs."""
        return len(self.call.outputs or ("outputs_0",))

    @property
    def axis(self) -> int:
        """The axis, counted from the front; where version 1 has none, the first."""
        axis = int(axis_of(self, 0))
        return axis + self.source.ndim if axis < 0 else axis

    @property
    def size(self) -> int:
        """The size of the input on the axis."""
        return int(self.source.shape[self.axis])

    @cached_property
    def given(self) -> list[Any] | None:
        """The sizes that the call gives, by the input before the attribute; None where it gives none."""
        tensor = self.inputs.get("split")
        if tensor is not None:
            return list(np.asarray(tensor).reshape(-1).tolist())
        listed = integers(self.attributes.get("split"))
        return None if listed is None else list(listed)

    @property
    def part(self) -> int:
        """The size of all outputs but the last, where the call gives none."""
        return -(-self.size // self.count)

    @property
    def sizes(self) -> list[int]:
        """The sizes of the outputs on the axis."""
        if self.given is not None:
            return [int(size) for size in self.given]
        return [min(self.part, max(self.size - self.part * number, 0)) for number in range(self.count)]

    @on_call("axis.C3")
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, 0, 0, self.source.ndim - 1)

    axis_from_either_end = along("axis.C4", "input")

    @on_call("num_outputs.C2")
    def sizes_or_their_number(self) -> str | None:
        given = ("num_outputs" in self.attributes) + ("split" in self.inputs)
        return None if given == 1 else f"{('neither', '', 'both')[given]} of num_outputs and split given"

    @on_call("num_outputs.C3")
    def number_of_outputs(self) -> str | None:
        number = self.attributes.get("num_outputs", self.count)
        return None if number == self.count else f"num_outputs is {number}, and there are {self.count} outputs"

    @on_call("input.C4", needs=("axis.C3", "axis.C4"))
    def equal_parts(self) -> str | None:
        return None if self.given is not None or self.size % self.count == 0 else \
            f"{self.size} elements have no {self.count} equal parts"

    @on_call("split.C4")
    def one_list(self) -> str | None:
        tensor = self.inputs.get("split")
        return None if tensor is None or tensor.ndim == 1 else f"split has {tensor.ndim} axes"

    @on_call("split.C5")
    def whole_sizes(self) -> str | None:
        wrong = [size for size in self.given or () if not (size >= 0 and size == size // 1)]
        return f"split has {wrong[0]}" if wrong else None

    @on_call("split.C6")
    def number_of_sizes(self) -> str | None:
        return None if self.given is None or len(self.given) == self.count else \
            f"split has {len(self.given)} sizes, and there are {self.count} outputs"

    @on_call("split.C7", needs=("axis.C3", "axis.C4", "split.C5"))
    def sum_of_sizes(self) -> str | None:
        return None if self.given is None or sum(self.given) == self.size else \
            f"the sizes add up to {sum(self.given)}, and input has {self.size}"

    @unspecified("axis.U1", refusal=True)
    def no_axis(self) -> Unspecified | None:
        return None if "axis" in self.attributes else self._everything

    @unspecified("split.U1", refusal=True)
    def given_twice(self) -> Unspecified | None:
        other = integers(self.attributes.get("split")) if "split" in self.inputs else None
        return None if other is None or list(other) == self.sizes else self._everything

    @unspecified("outputs.U2", refusal=True)
    def no_such_parts(self) -> Unspecified | None:
        return None if self.given is not None or self.part * (self.count - 1) <= self.size else self._everything

    @property
    def _everything(self) -> Unspecified:
        return Unspecified.everything(*self.canonical)

    def expected(self) -> dict[str, np.ndarray]:
        """The parts, as copies."""
        cuts = np.cumsum(self.sizes)[:-1]
        parts = np.split(self.source, cuts, self.axis)
        return {f"outputs_{number}": part.copy() for number, part in enumerate(parts)}

    def shape_of(self, output: str) -> tuple[int, ...]:
        """The size on the axis that belongs to the output."""
        size = self.sizes[int(output.rpartition("_")[2])]
        return (*self.source.shape[:self.axis], size, *self.source.shape[self.axis + 1:])

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element that is copied."""
        before = sum(self.sizes[:int(output.rpartition("_")[2])])
        place = [at + before * (axis == self.axis) for axis, at in enumerate(where)]
        return {"input": np.array([place], np.int64)}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with up to nine outputs, some of them empty; sizes are listed or not."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        size, dtype = shape[axis], a_type(choose, cls.types_of("input", version))
        attributes: dict[str, Any] = {} if axis == 0 and version > 1 and choose((True, False)) else {
            "axis": either_end(choose, axis, len(shape), version >= 11)}
        inputs = {"input": choose.tensor(shape, dtype, "bits")}
        count, listed = choose((2, 1, 3, 4, 9), (4, 1, 3, 1, 0.3)), choose((False, True))
        if listed:
            cuts = sorted(choose(range(size + 1)) for _ in range(count - 1))
            sizes = [end - start for start, end in zip([0, *cuts], [*cuts, size], strict=True)]
            if version >= 13 or version == 1 and choose((False, True)):
                inputs["split"] = np.array(sizes, dtype if version == 1 else np.int64)
            else:
                attributes["split"] = sizes
        elif version >= 18:
            attributes["num_outputs"] = count
        else:
            count = choose([number for number in (2, 1, 3, 4, 5, 7, 9) if size % number == 0])
        return Call("Split", attributes, inputs, tuple(f"outputs_{number}" for number in range(count)))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes as of other movements, by the size of the input."""
        return {DTYPE: name_of(self.source.dtype), "columns": (0, *self.source.shape)[-1],
                LARGE: is_large(self.source.shape), TALL: is_tall(self.source.shape)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"negative-axis": (axis_of(self, 0) or 0) < 0, "default-axis": "axis" not in self.attributes,
                "one-output": self.count == 1, "sizes": self.given is not None,
                "fewer-parts": self.attributes.get("num_outputs", self.count) < self.count}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"empty-part": 0 in self.sizes or not self.source.size,
                "uneven": self.given is None and self.size % self.count != 0}
