"""What all lines of a record are made of: safe text, tensors."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, NonNegativeInt, model_validator

from plumbline.oracle.safe_text import safe, safe_values

Text = Annotated[str, AfterValidator(safe)]
Code = Annotated[str, AfterValidator(lambda text: safe(text, lines=True))]
"""Text of several lines."""

Values = Annotated[dict[Text, Any], AfterValidator(safe_values)]
"""Plain JSON by name."""

Address = Text
Place = list[int]
Count = NonNegativeInt


class Part(BaseModel):
    """Types are taken at their word. Keys that this version does not know are left alone."""

    model_config = ConfigDict(strict=True)


class Tensor(Part):
    """An array: `values` nested as deep as `shape` is long; `offset`, where it is cropped, is the first value kept."""

    dtype: Text
    shape: list[Count]
    values: Any
    offset: list[Count] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Tensor:
        offset = self.offset or [0] * len(self.shape)
        if len(offset) != len(self.shape):
            raise ValueError("shape and offset differ in length")
        kept = np.array(self.values, dtype=object)
        if 0 not in self.shape and (kept.ndim != len(self.shape) or any(
                start + size > whole for start, size, whole in zip(offset, kept.shape, self.shape, strict=True))):
            raise ValueError("the values do not have the shape")
        kinds = set(map(type, kept.flat))
        if not kinds <= {int, float, bool, str}:
            raise ValueError("a value is neither a number nor text")
        if str in kinds:
            self.values = safe_values(self.values)
        return self

    @property
    def size(self) -> int:
        """How many elements the whole array has."""
        return math.prod(self.shape)
