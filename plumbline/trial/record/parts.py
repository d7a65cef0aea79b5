"""Base classes of record lines: strict parts, safe text, tensors."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, NonNegativeInt, model_validator

from plumbline.oracle.safe_text import LONGEST, safe, safe_values

Text = Annotated[str, AfterValidator(safe)]
Code = Annotated[str, AfterValidator(lambda text: safe(text, lines=True, longest=4 * LONGEST))]
"""Text of several lines; a script that was cut would not run."""

Values = Annotated[dict[Text, Any], AfterValidator(safe_values)]
"""Plain JSON by name."""

Address = Text
Place = list[int]
Count = NonNegativeInt


class Part(BaseModel):
    """A strictly typed part; unknown keys are ignored."""

    model_config = ConfigDict(strict=True, defer_build=True)


class Tensor(Part):
    """An array as JSON.

    values: nested as deep as `shape` is long.
    offset: of a cropped array, the index of the first value kept.
    """

    dtype: Text
    shape: list[Count]
    values: Any
    offset: list[Count] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Tensor:
        """Check values and offset against the shape, and make texts safe."""
        offset = self.offset or [0] * len(self.shape)
        if len(offset) != len(self.shape):
            raise ValueError("shape and offset differ in length")
        values = np.array(self.values, dtype=object)
        if 0 not in self.shape and (values.ndim != len(self.shape) or any(
                start + size > whole for start, size, whole in zip(offset, values.shape, self.shape, strict=True))):
            raise ValueError("the values do not have the shape")
        kinds = set(map(type, values.flat))
        if not kinds <= {int, float, bool, str}:
            raise ValueError("a value is neither a number nor text")
        if str in kinds:
            self.values = safe_values(self.values)
        return self

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.shape)
