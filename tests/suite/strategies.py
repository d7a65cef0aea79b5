"""Valid calls as Hypothesis strategies."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeVar

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, from_dtype
from hypothesis.strategies import DrawFn, SearchStrategy

from plumbline.cases.generate.choices import Draw
from plumbline.oracle import Call, Spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.terms import Terms

Option = TypeVar("Option")


class _Asked:
    """Chooses what Hypothesis draws."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """Any of the options; what is found shrinks to the first."""
        return self._draw(st.sampled_from(options))

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Any values of a small array; a large one has those of a recipe."""
        element = element_type(dtype)
        if prod(shape) > LARGEST_ARRAY:
            return Draw([self._draw(st.integers(0, 999))]).tensor(shape, dtype, kind, terms)
        is_drawable = element.kind in "iub" or element in (np.float16, np.float32, np.float64)
        drawable = element if is_drawable else np.dtype(np.float32)
        return self._draw(arrays(drawable, tuple(shape), elements=from_dtype(drawable))).astype(element)


LARGEST_ARRAY = 400
"""Elements that Hypothesis draws one by one."""


def strategy(spec: Spec) -> SearchStrategy[Call]:
    """The valid calls of a specification as a Hypothesis strategy."""
    def call(draw: DrawFn) -> Call:
        found = spec.definition.make(_Asked(draw), spec.opset)
        return reject() if found is None or spec.violations(found) else found

    return st.composite(call)()
