"""Flags: features of a call that tell causes apart. Each is defined once; all are computed, none is declared.

Some are asked of every input of any call; those of the first input have the bare name, such as `nan`, those of another
one its name too, such as `nan-in-W`. The definition of each operator adds its own. A known divergence names a flag to
say which generated cases it explains. One is of what a call gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.operator import Operator
from plumbline.oracle.response import is_float
from plumbline.oracle.specification import definitions


def _lowest(x: np.ndarray) -> np.ndarray:
    if is_float(x.dtype):
        return np.asarray(x <= finfo(x.dtype).min)
    return np.asarray(x == np.iinfo(x.dtype).min) if x.dtype.kind in "iu" else np.zeros(x.shape, bool)


def _of_floats(holds: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.asarray(holds(x)) if is_float(x.dtype) else np.zeros(x.shape, bool)


OF_VALUES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "nan": (
        "holds a NaN. Runtimes pass it over, spread it, or let the order of comparisons decide.",
        _of_floats(lambda x: x != x)),
    "lowest": (
        "holds -inf, the lowest finite value or the lowest integer, from which a search for a maximum often starts. "
        "A search that starts too high, or sets the index only for a larger value, then answers something else.",
        _lowest),
    "largest": (
        "holds the largest finite number. A sum or a product with it overflows, and so may an intermediate result.",
        _of_floats(lambda x: x == finfo(x.dtype).max)),
    "infinite": (
        "holds an infinity. Kernels that clamp what they give, or start at a finite value, give the finite end.",
        _of_floats(np.isinf)),
    "subnormal": (
        "holds a subnormal number. A processor set to flush them, or a library built so, reads and writes zero.",
        _of_floats(lambda x: (x != 0) & (np.abs(x) < finfo(x.dtype).smallest_normal))),
}
"""What can be true of a value in any input of any operator: the note without the name of the input, and of which
elements it is true."""

EMPTY = "has no elements. Many kernels were never run on none."

OF_ANSWERS = {"overflow": "An element of an output is infinite, and is computed from finite numbers other than zero "
                          "alone: something is too large for its type."}
"""What can be true of what a call gives. Records have it, where the answer is at hand; entries cannot name it."""

LOOKED_AT = 16
"""Infinite elements of an output that are looked at."""


def flags_of_answer(spec: Spec, call: Call) -> tuple[str, ...]:
    """Those of `OF_ANSWERS` that hold for a call inside the domain. One that is judged in slices is not asked. Raises
    OutsideDomain."""
    judged = spec.judged(call)
    infinite = [(name, tuple(where)) for name, array in ({} if judged.slices else judged.expected).items()
                if is_float(array.dtype) for where in np.argwhere(np.isinf(array))[:LOOKED_AT].tolist()]
    return ("overflow",) if any(_overflows(judged, name, where) for name, where in infinite) else ()


def _overflows(judged: JudgedCall, name: str, where: tuple[int, ...]) -> bool:
    """Whether an element is computed from finite numbers other than zero alone; that of no number is not."""
    reads = judged.receptive_field(name, where)
    read = [x[tuple(inside(x, reads[source]).T)] if reads else x.ravel() for source, x in judged.call.inputs.items()
            if is_float(x.dtype) and (not reads or source in reads)]
    return any(values.size for values in read) and all(bool((np.isfinite(values) & (values != 0)).all())
                                                       for values in read)


def inside(x: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """int64: those of some cells, integers of shape [cells, axes], that are of a tensor: not padding."""
    return cells[((cells >= 0) & (cells < np.array(x.shape, dtype=np.int64))).all(axis=1)].astype(np.int64)


def flags_of(spec: Spec, call: Call) -> tuple[str, ...]:
    """The flags that hold for a call, those of its inputs first, each in the order of their definition."""
    with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
        found = dict.fromkeys(
            flag if number == 0 else f"{flag}-in-{spec.variadic_input or name}"
            for number, (name, x) in enumerate(call.inputs.items())
            for flag in _of_input(_once(x)))
        try:
            of_home = spec.judged(call).flags
        except OutsideDomain:
            return tuple(found)
    return (*found, *(flag for flag, holds in of_home.items() if holds))


def _of_input(x: np.ndarray) -> Iterator[str]:
    yield from (flag for flag, (_, holds) in OF_VALUES.items() if holds(x).any())
    if not x.size:
        yield "empty"


def reads_values(spec: Spec, call: Call, flags: Iterable[str], output: str, where: tuple[int, ...]) -> bool:
    """Whether an element of an output is computed from values that flags of `OF_VALUES` are about, one of each, from
    whatever input; of other flags nothing is asked. Raises OutsideDomain."""
    asked = {holds for flag in flags for value, (_, holds) in OF_VALUES.items() if flag.partition("-in-")[0] == value}
    reads = spec.receptive_field(call, output, where) if asked else {}
    read = [x[tuple(inside(x, reads[name]).T)] if reads else x for name, x in call.inputs.items()
            if not reads or name in reads]
    return all(any(bool(holds(x).any()) for x in read) for holds in asked)


def _once(x: np.ndarray) -> np.ndarray:
    """The elements of a tensor; one row of them where all rows are that one in memory."""
    row = x.base
    if isinstance(row, np.ndarray) and row.size < x.size and row.shape == x.shape[max(x.ndim - row.ndim, 0):]:
        first = x[(0,) * (x.ndim - row.ndim)]
        return row if first.tobytes() == row.tobytes() else x
    return x


def notes(specs: Iterable[Spec]) -> dict[str, str]:
    """What each flag of the calls of some specifications is, and of their answers, and why it tells causes apart."""
    return _notes((spec.inputs, spec.variadic_input, spec.definition) for spec in specs) | OF_ANSWERS


@cache
def all_notes() -> dict[str, str]:
    """Those of the calls of every specification."""
    return _notes((text.inputs, text.front.get("variadic_input"), definition) for text, definition in definitions())


def _notes(of: Iterable[tuple[tuple[str, ...], str | None, type[Operator]]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for inputs, variadic, definition in of:
        named = [("", f"{variadic}_0"), (f"-in-{variadic}", f"An input after {variadic}_0")] if variadic else [
            (f"-in-{name}" if number else "", name) for number, name in enumerate(inputs)]
        for suffix, what in named:
            for flag, note in [*((flag, note) for flag, (note, _) in OF_VALUES.items()), ("empty", EMPTY)]:
                found.setdefault(flag + suffix, f"{what} {note}")
        found |= {flag: note for flag, note in definition.flag_notes.items() if flag not in found}
    return found
