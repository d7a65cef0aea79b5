"""Faults of places: what blocks of vectors, threads and buffers leave out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tests.faults.wrapper import Facts, Spoil, Wrapper, of_outputs

BLOCKS = (4, 8, 16)
CHUNKS = (64, 1024, 4096, 65_536)
"""Elements that the first thread, or a first buffer, takes."""


def of_places(facts: Facts) -> Iterator[Wrapper]:
    """Those that outputs of such sizes can have."""
    for block in BLOCKS if facts.size > BLOCKS[0] else ():
        for name, axis in (("elements", None), ("columns", -1), ("rows", -2), ("channels", 1), ("batches", 0)):
            if facts.rank > {None: 0, -1: 0, -2: 1, 1: 2, 0: 1}[axis]:
                needed = axis is None or (axis == -1 and facts.columns > 1) or (
                    axis == 1 and "kernel_shape" in facts.attributes)
                for what, fill in (("stay zero", _zero), ("repeat what was there", _repeat)):
                    yield of_outputs(f"{name} behind the last block of {block} {what}", "tail",
                                      partial(_tail, block=block, axis=axis, fill=fill), needed)
    for chunk in CHUNKS if facts.size > CHUNKS[0] // 4 else ():
        for what, fill in (("stay zero", _zero), ("repeat the first ones", _repeat)):
            yield of_outputs(f"elements behind the first {chunk} {what}", "chunk",
                              partial(_behind, chunk=chunk, fill=fill), True)
    for parts in (2, 4) if facts.size > CHUNKS[0] // 4 else ():
        yield of_outputs(f"the first element of the last of {parts} threads is zero", "thread",
                          partial(_seam, parts=parts), True)
    for name, axis in (("batch", 0), ("channel", 1), ("row", -2), ("column", -1)):
        if facts.rank > {0: 1, 1: 2, -2: 1, -1: 0}[axis]:
            for place in (0, -1):
                end = "first" if place == 0 else "last"
                yield of_outputs(f"the {end} {name} is not written", "place", partial(_one, axis=axis, place=place))
                yield of_outputs(f"the {end} {name} stands for all", "place", partial(_all, axis=axis, place=place))


def _tail(array: np.ndarray, block: int, axis: int | None, fill: Spoil) -> np.ndarray:
    flat = array.reshape(-1) if axis is None else array
    axis = 0 if axis is None else axis
    if flat.ndim <= max(axis, -axis - 1) or flat.shape[axis] <= block or not flat.shape[axis] % block:
        return array
    made = np.moveaxis(flat.copy(), axis, 0)
    start = len(made) // block * block
    made[start:] = fill(made)[start:]
    return np.moveaxis(made, 0, axis).reshape(array.shape)


def _zero(array: np.ndarray) -> np.ndarray:
    return np.zeros_like(array)


def _repeat(array: np.ndarray) -> np.ndarray:
    return np.broadcast_to(array[:1], array.shape)


def _behind(array: np.ndarray, chunk: int, fill: Spoil) -> np.ndarray:
    flat = array.reshape(-1).copy()
    flat[chunk:] = fill(flat)[chunk:]
    return flat.reshape(array.shape)


def _seam(array: np.ndarray, parts: int) -> np.ndarray:
    flat = array.reshape(-1).copy()
    if flat.size >= CHUNKS[0] // 2:
        flat[flat.size - flat.size // parts] = 0
    return flat.reshape(array.shape)


def _one(array: np.ndarray, axis: int, place: int) -> np.ndarray:
    if array.ndim <= max(axis, -axis - 1) or array.shape[axis] < 2:
        return array
    made = array.copy()
    np.moveaxis(made, axis, 0)[place] = 0
    return made


def _all(array: np.ndarray, axis: int, place: int) -> np.ndarray:
    if array.ndim <= max(axis, -axis - 1) or array.shape[axis] < 2:
        return array
    made = array.copy()
    np.moveaxis(made, axis, 0)[:] = np.moveaxis(array, axis, 0)[place]
    return made
