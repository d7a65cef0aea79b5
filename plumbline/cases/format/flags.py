"""Compute flags: features of a call that distinguish root causes.

Flags about values exist for every input: `nan` for the first input, `nan-in-W` for an input W. Operator definitions add
flags of their own, and `overflow` is about outputs. A known divergence names flags to say which generated cases it
explains.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.call import is_of
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.operator import Operator
from plumbline.oracle.response import is_any_float, is_float
from plumbline.oracle.specification import definitions
from plumbline.oracle.type_names import bytes_of


def _lowest(x: np.ndarray) -> np.ndarray:
    if is_any_float(x.dtype):
        return np.asarray(x <= finfo(x.dtype).min)
    return np.asarray(x == np.iinfo(x.dtype).min) if x.dtype.kind in "iu" else np.zeros(x.shape, bool)


def _floats_only(holds: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.asarray(holds(x)) if is_any_float(x.dtype) else np.zeros(x.shape, bool)


OF_VALUES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "nan": (
        "holds a NaN. Runtimes pass it over, spread it, or let the order of comparisons decide.",
        _floats_only(lambda x: x != x)),
    "lowest": (
        "holds -inf, the lowest finite value or the lowest integer. Nothing finite of the type is less, and the "
        "negated integer is not in it.",
        _lowest),
    "largest": (
        "holds the largest finite number. A sum or a product with it overflows, and so may an intermediate result.",
        _floats_only(lambda x: x == finfo(x.dtype).max)),
    "infinite": (
        "holds an infinity. Kernels that clamp what they give, or start at a finite value, give the finite end.",
        _floats_only(np.isinf)),
    "subnormal": (
        "holds a subnormal number. A processor set to flush them, or a library built so, reads and writes zero.",
        _floats_only(lambda x: (x != 0) & (np.abs(x) < finfo(x.dtype).smallest_normal))),
}
"""By flag about values of an input: its note without the name of the input, and a function to the mask of elements."""

EMPTY = "has no elements. Many kernels were never run on none."

OF_ANSWERS = {"overflow": "An element of an output is infinite, and is computed from finite numbers other than zero "
                          "alone: something is too large for its type."}
"""Flags about outputs, with their notes. Records have them; known divergences cannot name them."""

BLOCK = 1 << 15
"""Elements of a tensor that are looked at together: what is computed of them stays in the processor's cache."""

LOOKED_AT = 16
"""Infinite elements of an output that are examined."""


def flags_of_answer(spec: Spec, call: Call) -> tuple[str, ...]:
    """Return the flags of `OF_ANSWERS` that hold for a call.

    A call that is judged in slices has none. Raises OutsideDomain."""
    judged = spec.judged(call)
    infinite = [(name, tuple(where)) for name, array in ({} if judged.slices else judged.expected).items()
                if is_float(array.dtype) for where in np.argwhere(np.isinf(array))[:LOOKED_AT].tolist()]
    return ("overflow",) if any(_overflows(judged, name, where) for name, where in infinite) else ()


def _overflows(judged: JudgedCall, name: str, where: tuple[int, ...]) -> bool:
    """Return whether an element is computed from finite nonzero numbers only, and from at least one."""
    reads = judged.receptive_field(name, where)
    read = [x[tuple(inside(x, reads[source]).T)] if reads else x.ravel() for source, x in judged.call.inputs.items()
            if is_float(x.dtype) and (not reads or source in reads)]
    return any(values.size for values in read) and all(bool((np.isfinite(values) & (values != 0)).all())
                                                       for values in read)


def inside(x: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the cells that lie in a tensor, not in its padding: int64 (cells, axes)."""
    return cells[((cells >= 0) & (cells < np.array(x.shape, dtype=np.int64))).all(axis=1)].astype(np.int64)


def flags_of(spec: Spec, call: Call, wanted: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the flags that hold for a call: those of its inputs, then those of the definition.

    wanted: the flags that matter, None for all: others, which take long to compute, may then be missing."""
    with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
        of_inputs = dict.fromkeys(
            flag + _suffix(spec, name) for name, x in call.inputs.items() for flag in _of_input(_distinct_rows(x)))
        try:
            judged = spec.judged(call)
            plain = judged.own_flags
            is_plain = wanted is not None and all(
                flag in plain or flag.partition("-in-")[0] in (*OF_VALUES, "empty") for flag in wanted)
            of_definition = plain if is_plain else judged.flags
        except OutsideDomain:
            return tuple(of_inputs)
    return (*of_inputs, *(flag for flag, holds in of_definition.items() if holds))


def _suffix(spec: Spec, name: str) -> str:
    """Return the end of flags about an input: "" for the first, one for all tensors of a variadic one."""
    variadic = spec.variadic_input
    return "" if name in spec.input_names(1) else f"-in-{variadic if variadic and is_of(name, variadic) else name}"


def _of_input(x: np.ndarray) -> Iterator[str]:
    left = list(OF_VALUES) if is_any_float(x.dtype) else ["lowest"]
    found = set[str]()
    for block in blocks(x):
        found.update(flag for flag in _possible(block, left) if OF_VALUES[flag][1](block).any())
        left = [flag for flag in left if flag not in found]
    yield from (flag for flag in OF_VALUES if flag in found)
    if not x.size:
        yield "empty"


def blocks(x: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a tensor in blocks of `BLOCK` elements, in one if its memory is not contiguous."""
    flat = x.reshape(-1) if x.flags.c_contiguous else x
    yield from (flat[start:start + BLOCK] for start in range(0, x.size, BLOCK)) if flat.ndim == 1 else [flat]


def _possible(block: np.ndarray, flags: list[str]) -> list[str]:
    """Return the flags that can hold for a block, by its largest and its smallest magnitude."""
    if block.dtype.kind != "f" or not block.size:
        return flags
    magnitudes, info = np.abs(block), finfo(block.dtype)
    inside = magnitudes.max() < info.max  # False for NaN
    normal = magnitudes.min() >= info.smallest_normal
    return [flag for flag in flags if not (normal if flag == "subnormal" else inside)]


def reads_values(spec: Spec, call: Call, flags: Iterable[str], output: str, where: tuple[int, ...]) -> bool:
    """Return whether an element of an output reads, for each given flag about values, a value with that flag.

    The value may come from any input; flags about anything else are ignored. Raises OutsideDomain."""
    asked = {holds for flag in flags for value, (_, holds) in OF_VALUES.items() if flag.partition("-in-")[0] == value}
    reads = spec.receptive_field(call, output, where) if asked else {}
    read = [x[tuple(inside(x, reads[name]).T)] if reads else x for name, x in call.inputs.items()
            if not reads or name in reads]
    return all(any(bool(holds(x).any()) for x in read) for holds in asked)


def _distinct_rows(x: np.ndarray) -> np.ndarray:
    """Return a tensor, or one row of it if it repeats that row in memory."""
    row = x.base
    if isinstance(row, np.ndarray) and row.size < x.size and row.shape == x.shape[max(x.ndim - row.ndim, 0):]:
        first = x[(0,) * (x.ndim - row.ndim)]
        return row if bytes_of(first) == bytes_of(row) else x
    return x


def notes(specs: Iterable[Spec]) -> dict[str, str]:
    """Return a note for each flag of calls under some specifications, and of their answers."""
    return _notes((spec.inputs, spec.variadic_input, spec.definition) for spec in specs) | OF_ANSWERS


@cache
def all_notes(names: frozenset[str] | None = None) -> dict[str, str]:
    """Return a note for each flag of calls under any specification, or under some, named without a version."""
    return _notes((text.inputs, text.front.get("variadic_input"), definition)
                  for text, definition in definitions(names))


def _notes(of: Iterable[tuple[tuple[str, ...], str | None, type[Operator]]]) -> dict[str, str]:
    by_flag: dict[str, str] = {}
    for inputs, variadic, definition in of:
        named = [("", f"{variadic}_0"), (f"-in-{variadic}", f"An input after {variadic}_0")] if inputs == (
            variadic,) else [(f"-in-{name}" if number else "", name) for number, name in enumerate(inputs)]
        for suffix, what in named:
            for flag, note in [*((flag, note) for flag, (note, _) in OF_VALUES.items()), ("empty", EMPTY)]:
                by_flag.setdefault(flag + suffix, f"{what} {note}")
        by_flag |= {flag: note for flag, note in definition.flag_notes.items() if flag not in by_flag}
    return by_flag
