"""Answers of many kinds to a call, right and wrong, and as `corpus/answers.c` reads them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

import numpy as np

from plumbline.cases.generate.value_order import Row
from plumbline.oracle import JudgedCall

Answer = Mapping[str, np.ndarray] | None
"""Outputs, or a refusal."""


def canonical(judged: JudgedCall) -> Answer:
    """What is right."""
    return judged.expected


def refused(judged: JudgedCall) -> Answer:
    """Nothing."""
    return None


def cut(judged: JudgedCall) -> Answer:
    """Outputs of another shape."""
    return {name: array.reshape(-1)[1:] for name, array in judged.expected.items()}


def other_type(judged: JudgedCall) -> Answer:
    """Outputs of another type."""
    return {name: array.astype("f8" if array.dtype.name == "float32" else "f4")
            for name, array in judged.expected.items() if array.dtype.kind != "c"} or None


def moved(count: int) -> Callable[[JudgedCall], Answer]:
    """Each element so many places further, where there is such a place."""
    def answer(judged: JudgedCall) -> Answer:
        found = {}
        for name, array in judged.expected.items():
            row = Row(array.dtype)
            places = row.places(array).astype(object) + count
            kept = np.array([min(max(place, row.ends[0]), row.ends[1]) for place in places], np.uint64)
            found[name] = row.elements(row.values(kept)).reshape(array.shape)
        return found
    return answer


def filled(value: float) -> Callable[[JudgedCall], Answer]:
    """One value everywhere."""
    def answer(judged: JudgedCall) -> Answer:
        with np.errstate(invalid="ignore", over="ignore"):
            return {name: np.full(array.shape, value).astype(array.dtype)
                    for name, array in judged.expected.items()}
    return answer


def spoilt(judged: JudgedCall) -> Answer:
    """What a faulty implementation gives."""
    return {name: next((array for array in judged.definition.wrong_outputs(name)), expected)
            for name, expected in judged.expected.items()}


def first_elements(judged: JudgedCall) -> Answer:
    """The first element of the first input everywhere."""
    first = next(iter(judged.call.inputs.values())).reshape(-1)[:1]
    with np.errstate(invalid="ignore", over="ignore"):
        return {name: np.resize(first, array.shape).astype(array.dtype) if first.size else array
                for name, array in judged.expected.items()}


ANSWERS = [canonical, refused, cut, other_type, spoilt, first_elements, moved(1), moved(-1), moved(40), moved(-3),
           moved(1 << 20), filled(0), filled(1), filled(-1), filled(np.nan), filled(np.inf), filled(-np.inf)]


def as_bytes(answer: Answer) -> bytes:
    """An answer as `answers.c` reads it."""
    if answer is None:
        return b"\1"
    parts = [b"\0"]
    for array in answer.values():
        data = Row(array.dtype).bytes_of(array)
        parts += [array.dtype.name.encode().ljust(32, b"\0"),
                  struct.pack(f"<{array.ndim + 2}q", array.ndim, *array.shape, len(data)), data]
    return b"".join(parts)
