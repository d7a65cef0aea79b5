"""What implementations of operators that move elements share: faults in the copy itself, whatever is moved where."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ml_dtypes
import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs

Finish = Callable[["Mover", np.ndarray], np.ndarray]


class Mover(Implementation):
    """Moves elements, and then does with the result what a fault does."""

    output = "output"

    def move(self, request: Request) -> np.ndarray:
        """The output."""
        raise NotImplementedError

    def finish(self, moved: np.ndarray) -> np.ndarray:
        """What is made of it."""
        return moved

    def run(self, request: Request) -> Outputs:
        """The output, or nothing where `finish` makes nothing of it."""
        found = self.finish(self.move(request))
        return {} if found is None else {self.output: found}


WRONG: dict[str, tuple[str, Finish]] = {}
"""By name of a fault, the kind of clause that it breaks and what it does."""


def wrong(kind: str) -> Callable[[Finish], Finish]:
    """Register a fault in the copy; its docstring says what is wrong."""
    def register(function: Finish) -> Finish:
        WRONG["".join(part.title() for part in function.__name__.split("_"))] = kind, function
        return function
    return register


def is_float(moved: np.ndarray) -> bool:
    """Of numpy's floating-point types."""
    return moved.dtype in (np.float16, np.float32, np.float64)


def changed(moved: np.ndarray, where: np.ndarray, value: object) -> np.ndarray:
    """A copy with another value at some places."""
    found = moved.copy()
    found[where] = value
    return found


@wrong("value")
def zero_loses_its_sign(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Elements are added to zero, which makes -0 of none."""
    return moved + moved.dtype.type(0) if is_float(moved) else moved


@wrong("value")
def nan_is_zeroed(self: Mover, moved: np.ndarray) -> np.ndarray:
    """A NaN is cleared to zero."""
    return changed(moved, np.isnan(moved), 0) if is_float(moved) else moved


@wrong("value")
def nan_is_infinite(self: Mover, moved: np.ndarray) -> np.ndarray:
    """A NaN is taken for an infinity, which has the same exponent."""
    return changed(moved, np.isnan(moved), np.inf) if is_float(moved) else moved


@wrong("value")
def subnormal_is_flushed(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Subnormal numbers are flushed to zero."""
    if not is_float(moved):
        return moved
    return changed(moved, np.abs(moved) < ml_dtypes.finfo(moved.dtype).smallest_normal, 0)


@wrong("value")
def infinity_is_clamped(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Infinities are clamped to the finite range."""
    if not is_float(moved):
        return moved
    return np.clip(moved, ml_dtypes.finfo(moved.dtype).min, ml_dtypes.finfo(moved.dtype).max)


@wrong("value")
def double_goes_through_single(self: Mover, moved: np.ndarray) -> np.ndarray:
    """float64 is copied in float32."""
    with np.errstate(over="ignore"):
        return moved.astype(np.float32).astype(np.float64) if moved.dtype == np.float64 else moved


@wrong("value")
def single_goes_through_half(self: Mover, moved: np.ndarray) -> np.ndarray:
    """float32 is copied in float16."""
    with np.errstate(over="ignore"):
        return moved.astype(np.float16).astype(np.float32) if moved.dtype == np.float32 else moved


@wrong("value")
def long_goes_through_double(self: Mover, moved: np.ndarray) -> np.ndarray:
    """int64 is copied in float64, which has 53 digits."""
    if moved.dtype != np.int64:
        return moved
    found = moved.astype(np.float64)
    return np.where(found >= 2.0**63, np.int64(2**63 - 1), np.where(found < 2.0**63, found, 0).astype(np.int64)) \
        - (np.abs(moved) > 2**53)


@wrong("value")
def unsigned_saturates(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Unsigned integers stop at the largest signed one."""
    if moved.dtype.kind != "u":
        return moved
    return np.minimum(moved, np.iinfo(moved.dtype).max // 2)


@wrong("value")
def sign_bit_is_dropped(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Signed integers of eight and sixteen bits come without their sign."""
    return moved & np.iinfo(moved.dtype).max if moved.dtype in (np.int8, np.int16) else moved


@wrong("value")
def sixteen_bits_swapped(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Integers of sixteen bits are written in the other order of octets."""
    return moved.byteswap() if moved.dtype in (np.int16, np.uint16) else moved


@wrong("value")
def imaginary_part_is_lost(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Complex numbers are copied as real ones."""
    return moved.real.astype(moved.dtype) if moved.dtype.kind == "c" else moved


@wrong("value")
def complex_is_conjugated(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Complex numbers come conjugated, as after a Hermitian transpose."""
    return moved.conj() if moved.dtype.kind == "c" else moved


@wrong("value")
def truth_is_always_true(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Every truth value comes out true."""
    return np.ones_like(moved) if moved.dtype == bool else moved


@wrong("value")
def nibble_loses_its_sign(self: Mover, moved: np.ndarray) -> np.ndarray:
    """int4 is unpacked without extending its sign, and saturates."""
    return np.abs(moved.astype(np.int8)).clip(0, 7).astype(moved.dtype) if moved.dtype.name == "int4" else moved


@wrong("value")
def octet_is_rounded(self: Mover, moved: np.ndarray) -> np.ndarray:
    """The last digit of float8 is dropped."""
    if not moved.dtype.name.startswith("float8_e4"):
        return moved
    return (np.ascontiguousarray(moved).view(np.uint8) & 0xFE).view(moved.dtype)


@wrong("value")
def tail_of_the_block(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Of more than 16 elements those after the last full block of eight stay zero."""
    if moved.size <= 16 or moved.size % 8 == 0 or moved.dtype.kind not in "iuf":
        return moved
    found = moved.copy().reshape(-1)
    found[moved.size // 8 * 8:] = 0
    return found.reshape(moved.shape)


@wrong("value")
def second_block_repeats_the_first(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Of more than 64 elements the second 32 are the first once more."""
    if moved.size <= 64:
        return moved
    found = moved.copy().reshape(-1)
    found[32:64] = found[:32]
    return found.reshape(moved.shape)


@wrong("value")
def column_by_column(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Elements are laid out with the first axis fastest."""
    return moved.reshape(-1).reshape(moved.shape, order="F")


@wrong("value")
def backward_copy(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Elements are copied from the end to the beginning."""
    return moved.reshape(-1)[::-1].reshape(moved.shape)


@wrong("value")
def off_by_one(self: Mover, moved: np.ndarray) -> np.ndarray:
    """The copy starts one element late, and its last element stays zero."""
    if not moved.size or moved.dtype.kind not in "iuf":
        return moved
    return np.append(moved.reshape(-1)[1:], moved.dtype.type(0)).reshape(moved.shape)


@wrong("value")
def nothing_is_copied(self: Mover, moved: np.ndarray) -> np.ndarray:
    """The output is allocated, cleared, and left so."""
    return np.zeros_like(moved)


@wrong("type")
def half_comes_out_single(self: Mover, moved: np.ndarray) -> np.ndarray:
    """float16 is answered in float32."""
    return moved.astype(np.float32) if moved.dtype == np.float16 else moved


@wrong("type")
def truth_comes_out_as_octets(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Truth values are answered in uint8."""
    return moved.view(np.uint8) if moved.dtype == bool else moved


@wrong("type")
def unsigned_comes_out_signed(self: Mover, moved: np.ndarray) -> np.ndarray:
    """uint16 is answered in int16, bit by bit."""
    return moved.view(np.int16) if moved.dtype == np.uint16 else moved


@wrong("shape")
def ones_are_dropped(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Axes of size 1 are dropped."""
    return moved.reshape([size for size in moved.shape if size != 1])


@wrong("shape")
def empty_loses_its_shape(self: Mover, moved: np.ndarray) -> np.ndarray:
    """An empty output has a single axis of size 0."""
    return moved if moved.size else np.zeros(0, moved.dtype)


@wrong("given")
def empty_is_not_given(self: Mover, moved: np.ndarray) -> np.ndarray | None:
    """An empty output is not given."""
    return moved if moved.size else None


@wrong("refusal")
def empty_is_refused(self: Mover, moved: np.ndarray) -> np.ndarray:
    """An empty output is refused."""
    if not moved.size:
        raise ValueError("no elements")
    return moved


def payload_is_lost(self: Mover, moved: np.ndarray) -> np.ndarray:
    """Every NaN is made the negative quiet one, which the texts allow."""
    return changed(moved, np.isnan(moved), -np.float64(np.nan)) if is_float(moved) else moved


def strided_answer(self: Mover, moved: np.ndarray) -> np.ndarray:
    """The output is a view into a wider array, which an answer may be."""
    wide = np.repeat(moved.reshape(*moved.shape, 1), 2, axis=-1)
    return wide[..., 0]


def copies(base: type[Mover], clauses: Mapping[str, str], without: tuple[str, ...] = ()) -> dict[str, type]:
    """The faults of `WRONG` in an implementation, and two honest variants, as classes of its module; `clauses` has the
    local address for each kind."""
    own = {"__module__": base.__module__}
    found = {"PayloadIsLost": type("PayloadIsLost", (base,), {**own, "finish": payload_is_lost,
                                                              "__doc__": payload_is_lost.__doc__}),
             "StridedAnswer": type("StridedAnswer", (base,), {**own, "finish": strided_answer,
                                                              "__doc__": strided_answer.__doc__})}
    for name, (kind, function) in WRONG.items():
        if name not in without:
            found[name] = type(name, (base,), {**own, "finish": function, "__doc__": function.__doc__,
                                               "breaks": (clauses.get(kind, kind),)})
    return found
