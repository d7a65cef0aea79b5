"""Compute what a specification requires of NaN, infinities, zeros and others.

All is computed by the oracle. A special value goes into one cell of a small call, and the oracle judges candidate
answers for an output element that reads the cell. An answer that breaks no clause is allowed; the clauses that other
answers break decide, and U clauses apply if they leave the element unspecified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from plumbline.cases.format.flags import inside
from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.choosing import every
from plumbline.oracle.response import is_float

IN_ONE = {"NaN": np.nan, "+inf": np.inf, "-inf": -np.inf, "+0": 0.0, "-0": -0.0, "subnormal": None}
"""By name the value of one cell; None stands for the smallest subnormal number."""

IN_ALL = {"all largest": None, "both infinities": np.inf, "both zeros": 0.0}
"""By name the value of every cell of every input, its opposite in the cell of the last input that is read.

None stands for the largest finite number, without its opposite, so that a sum or a product overflows."""

BUDGET = 6
"""Bits of choices of the small calls that are searched."""

CALLS = 400
"""Small calls that are searched."""

OTHER = 12345.0
"""A number that no small call gives."""

Place = tuple[int, ...]


@dataclass(frozen=True)
class Requirement:
    """The requirement of a specification on one output element.

    allowed:             the allowed answers, in words; "outside" for a call outside the domain.
    clauses:             local addresses of the clauses that decide, or that a call outside the domain breaks.
    unspecified_clauses: local addresses of the U clauses that leave the element unspecified."""

    allowed: str
    clauses: tuple[str, ...]
    unspecified_clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """A small call, and the output element that is judged. `cells`: by input a cell that the element reads."""

    call: Call
    output: str
    where: Place
    cells: Mapping[str, Place]


def probe_of(spec: Spec) -> Probe | None:
    """Return the smallest valid call with an element that reads several cells of one input.

    Without such a call, return the smallest valid call. None if no call takes floating-point numbers."""
    first = None
    for _, candidate in islice(every(spec.make, BUDGET), CALLS):
        call = _with_ones(spec, candidate)
        widest = None if call is None else _widest_probe(spec, call)
        if widest is not None:
            probe, cells = widest
            if cells > 1:
                return probe
            first = first or probe
    return first


def requirements(spec: Spec, probe: Probe) -> Iterator[tuple[str, dict[str, Requirement]]]:
    """Yield, by input, the requirement for each value in its cell; the first input has those of `IN_ALL` too."""
    for number, name in enumerate(probe.cells):
        values = (*IN_ONE, *IN_ALL) if number == 0 else IN_ONE
        yield name, {value: _requirement(spec, probe, _filled(probe, value) if value in IN_ALL else
                                         _planted(probe, name, value)) for value in values}


def _with_ones(spec: Spec, call: Call) -> Call | None:
    """Return the call with 1 for each floating-point number, None if it is invalid or has no float32."""
    ones = {name: np.ones_like(array) if is_float(array.dtype) else array for name, array in call.inputs.items()}
    if not any(array.size and array.dtype == np.float32 for array in ones.values()):
        return None
    call = replace(call, inputs=ones)
    try:
        return None if spec.violations(call) else call
    except OutsideDomain:
        return None


def _widest_probe(spec: Spec, call: Call) -> tuple[Probe, int] | None:
    """Return the element that reads most cells of an input, and their number."""
    judged, best, most = spec.judged(call), None, 0
    for output, array in judged.expected.items():
        for where in np.ndindex(array.shape):
            read = judged.receptive_field(output, where)
            cells = {name: inside(x, read[name] if read else np.zeros((1, x.ndim), dtype=np.int64))
                     for name, x in call.inputs.items() if is_float(x.dtype) and x.size and (not read or name in read)}
            cells = {name: rows for name, rows in cells.items() if len(rows)}
            if cells and max(map(len, cells.values())) > most:
                most = max(map(len, cells.values()))
                best = Probe(call, output, where, {name: tuple(rows[0].tolist()) for name, rows in cells.items()})
    return None if best is None else (best, most)


def _planted(probe: Probe, name: str, value: str) -> Call:
    array = probe.call.inputs[name].copy()
    number = IN_ONE[value]
    array[probe.cells[name]] = finfo(array.dtype).smallest_subnormal if number is None else number
    return replace(probe.call, inputs={**probe.call.inputs, name: array})


def _filled(probe: Probe, value: str) -> Call:
    number = IN_ALL[value]
    inputs = {name: np.full_like(array, finfo(array.dtype).max if number is None else number)
              if is_float(array.dtype) else array for name, array in probe.call.inputs.items()}
    name, cell = list(probe.cells.items())[-1]
    if number is not None:
        inputs[name][cell] = -number
    return replace(probe.call, inputs=inputs)


def _requirement(spec: Spec, probe: Probe, call: Call) -> Requirement:
    """Return what is required of the probe's output element, for a call with other values than the probe."""
    violations = spec.violations(call)
    if violations:
        return Requirement("outside", tuple(dict.fromkeys(_local(entry.clause) for entry in violations
                                                          if not spec.clauses[entry.clause].restates)))
    judged = spec.judged(call.asking_for(probe.output))
    right = judged.expected[probe.output]
    allowed, deciding = dict[str, None](), set[str]()
    answers = _answers(right, probe.where)
    for word, answer in answers.items():
        outputs = {probe.output: answer}
        broken = [entry.clause for entry in judged.divergences(outputs) if not spec.clauses[entry.clause].restates]
        if broken:
            deciding.update(broken)
        else:
            allowed[word] = None
    entry = judged.unspecified.get(probe.output)
    undefined = entry is not None and (isinstance(entry.mask, str) or bool(entry.mask[probe.where]))
    unspecified_clauses = (*(entry.clauses if entry is not None and undefined else ()), *judged.may_refuse)
    words = "anything" if len(allowed) == len(answers) else " or ".join(allowed)
    return Requirement(words + ", or a refusal" * bool(judged.may_refuse),
                       tuple(_local(address) for address in spec.clauses if address in deciding),
                       tuple(dict.fromkeys(map(_local, unspecified_clauses))))


def _answers(right: np.ndarray, where: Place) -> dict[str, np.ndarray]:
    """Return outputs that differ in one element, by a word for it, the canonical output first."""
    others = [np.nan, np.inf, -np.inf, 0.0, -0.0, OTHER] if is_float(right.dtype) else \
        [False, True] if right.dtype == bool else [0, 1, 2, 99]
    numbers = [right[where], *others]
    answers: dict[str, np.ndarray] = {}
    for number in numbers:
        answer = right.copy()
        answer[where] = number
        answers.setdefault(_word(answer[where]), answer)
    return answers


def _word(number: np.generic) -> str:
    if number.dtype.kind in "biu":
        return str(number.item())
    value = float(number)
    if value == OTHER:
        return "another number"
    return "NaN" if value != value else f"{value:+g}" if value == 0 or np.isinf(value) else f"{value:.6g}"


def _local(address: str) -> str:
    return address.partition("#")[2]
