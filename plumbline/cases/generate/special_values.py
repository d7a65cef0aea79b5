"""What a text says of special values: NaN, infinities, zeros, subnormal numbers and overflow, asked of its oracle.

Nothing is declared. A small call of the operator is made; a special value is put into one cell of one input, and the
oracle judges an element of the output that is computed from it as each of several answers in turn. What it accuses of
none is allowed; the clauses that accuse the others decide, and unspecified clauses are those that open the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from plumbline.cases.format.flags import inside
from plumbline.cases.generate.value_recipes import finfo
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.choosing import every
from plumbline.oracle.response import is_float

IN_ONE = {"NaN": np.nan, "+inf": np.inf, "-inf": -np.inf, "+0": 0.0, "-0": -0.0, "subnormal": None}
"""What is put into one cell; for None the smallest subnormal number."""

IN_ALL = {"all largest": None, "both infinities": np.inf, "both zeros": 0.0}
"""What is put into every cell of every input, with its opposite in the cell of the last input that is read; for None
the largest finite number, without its opposite, so that a sum or a product overflows."""

BUDGET = 6
CALLS = 400
"""How far small calls are looked for: those whose choices cost so many bits, and of these so many."""

OTHER = 12345.0
"""A number that no small call gives."""

Place = tuple[int, ...]


@dataclass(frozen=True)
class Said:
    """What a text says of one element: the answers that it allows, in words, and the local addresses of the clauses
    that decide and of the unspecified clauses that open it; of a call outside the domain the clauses that it breaks."""

    allowed: str
    clauses: tuple[str, ...]
    unspecified_clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A small call, and the element of an output that is judged with, by input, a cell that it is computed from."""

    call: Call
    output: str
    where: Place
    cells: Mapping[str, Place]


def asked_of(spec: Spec) -> Asked | None:
    """The smallest call on numbers that is inside the domain and has an element computed from several cells of one
    input; where there is none, the smallest of all. None where no call takes floating-point numbers."""
    first = None
    for _, made in islice(every(lambda choose: spec.definition.make(choose, spec.opset), BUDGET), CALLS):
        call = _plain(spec, made)
        found = None if call is None else _asked(spec, call)
        if found is not None:
            asked, several = found
            if several:
                return asked
            first = first or asked
    return first


def says(spec: Spec, asked: Asked) -> Iterator[tuple[str, dict[str, Said]]]:
    """By input what is said of each value in one of its cells, and with the first what is said of those in all."""
    for number, name in enumerate(asked.cells):
        values = (*IN_ONE, *IN_ALL) if number == 0 else IN_ONE
        yield name, {value: _said(spec, asked, _filled(asked, value) if value in IN_ALL else
                                  _planted(asked, name, value)) for value in values}


def _plain(spec: Spec, call: Call) -> Call | None:
    """A call with 1 in place of each floating-point number, if it is inside the domain and has one of float32."""
    ones = {name: np.ones_like(array) if is_float(array.dtype) else array for name, array in call.inputs.items()}
    found = replace(call, inputs=ones)
    if not any(array.size and array.dtype == np.float32 for array in ones.values()):
        return None
    try:
        return None if spec.violations(found) else found
    except OutsideDomain:
        return None


def _asked(spec: Spec, call: Call) -> tuple[Asked, bool] | None:
    """The element that is read from most cells of an input, and whether these are several."""
    judged, best, most = spec.judged(call), None, 0
    for output, array in judged.expected.items():
        for where in np.ndindex(array.shape):
            read = judged.receptive_field(output, where)
            cells = {name: inside(x, read[name] if read else np.zeros((1, x.ndim), dtype=np.int64))
                     for name, x in call.inputs.items() if is_float(x.dtype) and x.size and (not read or name in read)}
            cells = {name: rows for name, rows in cells.items() if len(rows)}
            if cells and max(map(len, cells.values())) > most:
                most = max(map(len, cells.values()))
                best = Asked(call, output, where, {name: tuple(rows[0].tolist()) for name, rows in cells.items()})
    return None if best is None else (best, most > 1)


def _planted(asked: Asked, name: str, value: str) -> Call:
    array = asked.call.inputs[name].copy()
    number = IN_ONE[value]
    array[asked.cells[name]] = finfo(array.dtype).smallest_subnormal if number is None else number
    return replace(asked.call, inputs={**asked.call.inputs, name: array})


def _filled(asked: Asked, value: str) -> Call:
    number = IN_ALL[value]
    found = {name: np.full_like(array, finfo(array.dtype).max if number is None else number)
             if is_float(array.dtype) else array for name, array in asked.call.inputs.items()}
    name, cell = list(asked.cells.items())[-1]
    if number is not None:
        found[name][cell] = -number
    return replace(asked.call, inputs=found)


def _said(spec: Spec, asked: Asked, call: Call) -> Said:
    broken = spec.violations(call)
    if broken:
        return Said("outside", tuple(dict.fromkeys(_local(entry.clause) for entry in broken
                                                   if not spec.clauses[entry.clause].restates)))
    judged = spec.judged(call.asking_for(asked.output))
    right = judged.expected[asked.output]
    allowed, deciding = dict[str, None](), set[str]()
    answers = _answers(right, asked.where)
    for word, answer in answers.items():
        outputs = {asked.output: answer}
        found = [entry.clause for entry in judged.divergences(outputs) if not spec.clauses[entry.clause].restates]
        if found:
            deciding.update(found)
        else:
            allowed[word] = None
    left = judged.unspecified.get(asked.output)
    undefined = left is not None and (isinstance(left.mask, str) or bool(left.mask[asked.where]))
    unspecified_clauses = (*(left.clauses if left is not None and undefined else ()), *judged.may_refuse)
    words = "anything" if len(allowed) == len(answers) else " or ".join(allowed)
    return Said(words + ", or a refusal" * bool(judged.may_refuse),
                tuple(_local(address) for address in spec.clauses if address in deciding),
                tuple(dict.fromkeys(map(_local, unspecified_clauses))))


def _answers(right: np.ndarray, where: Place) -> dict[str, np.ndarray]:
    """The output with each answer in its place, by the word for it, the canonical one first."""
    others = [np.nan, np.inf, -np.inf, 0.0, -0.0, OTHER] if is_float(right.dtype) else \
        [False, True] if right.dtype == bool else [0, 1, 2, 99]
    numbers = [right[where], *others]
    found: dict[str, np.ndarray] = {}
    for number in numbers:
        answer = right.copy()
        answer[where] = number
        found.setdefault(_word(answer[where]), answer)
    return found


def _word(number: np.generic) -> str:
    if number.dtype.kind in "biu":
        return str(number.item())
    value = float(number)
    if value == OTHER:
        return "another number"
    return "NaN" if value != value else f"{value:+g}" if value == 0 or np.isinf(value) else f"{value:.6g}"


def _local(address: str) -> str:
    return address.partition("#")[2]
