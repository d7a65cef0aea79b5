"""Compare the outputs given for a call with shape, type and values required."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from plumbline.oracle.answers import Wrong
from plumbline.oracle.definition import Operator
from plumbline.oracle.type_names import name_of, shown
from plumbline.oracle.unspecified import Allowance


class Response:
    """The outputs given for a call, as predicates read them.

    definition:   the call.
    given:  the outputs that were given, of those asked for.
    asked:  the names of those asked for.
    opened: by output, what U clauses leave open of it.
    origin: where in the whole output the given one begins, where that is a slice.
    conforms: `Operator.conforms`, or what remembers its answers.
    """

    def __init__(self, definition: Operator, given: Mapping[str, np.ndarray], asked: tuple[str, ...],
                 allowances: Mapping[str, tuple[Allowance, ...]], origin: tuple[int, ...] | None = None,
                 conforms: Callable[[str, np.ndarray], np.ndarray] | None = None) -> None:
        self.definition, self.given, self.asked = definition, given, asked
        self.allowances, self.origin = allowances, origin
        self._conforms = conforms or definition.conforms
        self._wrong: dict[str, np.ndarray | None] = {}

    def shape_is_open(self, name: str, other_rank: bool = False) -> bool:
        """Return True if a U clause leaves the spatial shape of an output open, or one with another number of axes."""
        return any(allowance.shape and allowance.rank >= other_rank for allowance in self.allowances.get(name, ()))

    def type_is_open(self, name: str, dtype: np.dtype) -> bool:
        """True if a U clause leaves open that an output has this element type."""
        return any(allowance.dtype if isinstance(allowance.dtype, bool) else dtype in allowance.dtype
                   for allowance in self.allowances.get(name, ()))

    def comparable(self, name: str) -> np.ndarray | None:
        """The output, of real numbers or of the right type, in the right shape; None when it cannot be compared element
        by element."""
        got = self.given.get(name)
        if got is None or got.shape != self.definition.shape_of(name):
            return None
        return got if is_real(got.dtype) or got.dtype == self.definition.canonical[name].dtype else None

    def wrong(self, name: str) -> np.ndarray | None:
        """Return the mask of wrong elements of an output, given by name.

        None where the output has another type or shape, so that it cannot be compared, or is right everywhere."""
        if name not in self._wrong:
            got = self.comparable(name)
            mask = None
            if got is not None:
                mask = ~self._conforms(name, got)
                for allowance in self.allowances.get(name, ()) if mask.any() else ():
                    mask &= ~allowance.allows(got)
            self._wrong[name] = mask if mask is not None and mask.any() else None
        return self._wrong[name]

    def at(self, name: str, mask: np.ndarray, why: str) -> Wrong:
        """The finding at the elements of `mask`, with the first of them as an example."""
        expected, got = self.definition.canonical[name], self.given[name]
        where = tuple(int(place) for place in np.argwhere(mask)[0])
        place = [sum(pair) for pair in zip(where, self.origin or (0,) * len(where), strict=True)]
        what = f"{name}{place} is {shown(got[where])}, not {shown(expected[where])}"
        return Wrong(name, f"{why}: {what}", mask, expected, got)


def is_real(dtype: np.dtype) -> bool:
    """Return True for real numbers; bfloat16, for which numpy has no kind, is known by its name."""
    return dtype.kind in "fiub" or name_of(dtype) == "bfloat16"


def is_float(dtype: np.dtype) -> bool:
    """Return True for floating-point numbers of 16 bits or more: narrower ones are moved and never computed with
    (numpy knows the kind of one of these, float8_e5m2)."""
    return dtype.kind == "f" and dtype.itemsize > 1 or name_of(dtype) == "bfloat16"


def is_any_float(dtype: np.dtype) -> bool:
    """Return True for every floating-point type, also those of 4 and 8 bits, whose elements are only moved."""
    return dtype.name.startswith(("float", "bfloat"))


def missing_output(response: Response) -> Wrong | None:
    """An output was asked for and not given."""
    for name in response.asked:
        if name not in response.given:
            return Wrong(name, f"{name} was asked for and not given", None, name, "nothing")
    return None


def other_shape(name: str, got: tuple[int, ...], wanted: tuple[int, ...]) -> Wrong:
    """The output has another shape."""
    return Wrong(name, f"{name} has shape {list(got)}, not {list(wanted)}", None, str(list(wanted)), str(list(got)))


def wrong_shape(response: Response, name: str) -> Wrong | None:
    """The output has another shape than the text gives it."""
    got, wanted = response.given.get(name), response.definition.shape_of(name)
    if got is None or got.shape == wanted or response.shape_is_open(name, got.ndim != len(wanted)):
        return None
    return other_shape(name, got.shape, wanted)


def wrong_type(response: Response, name: str, wanted: np.dtype) -> Wrong | None:
    """The output has another element type."""
    got = response.given.get(name)
    if got is None or got.dtype.newbyteorder("=") == wanted.newbyteorder("=") or response.type_is_open(name, got.dtype):
        return None
    right, other = name_of(wanted), name_of(got.dtype)
    return Wrong(name, f"{name} is {other}, not {right}", None, right, other)


def wrong_tensor(response: Response, name: str, wanted: np.dtype) -> Wrong | None:
    """The output is missing, or has another shape or element type: for a text that says all of it in one clause."""
    if name in response.asked and name not in response.given:
        return Wrong(name, f"{name} was asked for and not given", None, name, "nothing")
    return wrong_shape(response, name) or wrong_type(response, name, wanted)
