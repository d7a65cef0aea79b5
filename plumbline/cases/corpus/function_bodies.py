"""Compare specifications with the function bodies of ONNX's schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.cases.corpus.function_values import ANY, Intervals, Values, allowed_by, computed
from plumbline.cases.format.loader import load_cases
from plumbline.cases.generate.choices import Draw, drawn
from plumbline.oracle import Spec
from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.families.functions import InvalidBody, bodies_of
from plumbline.oracle.judgement import JudgedCall

LARGEST = 60
"""Elements of the largest tensor of a call that is compared."""

NAMED = {"NaN": np.nan, "+0": 0.0, "-0": -0.0, "inf": np.inf, "-inf": -np.inf}
"""Values that a specification may admit besides those around the canonical one."""


@dataclass(frozen=True)
class Finding:
    """A difference between a specification and a body, on one call.

    kind:    ``invalid``: a node breaks a clause of its operator; ``contradicted``: what the body gives does not
             conform; ``decided``: what it cannot give conforms.
    what:    the clause that the node breaks; the clause that the output breaks; or the output and the value that
             conforms (accuracy apart), "any value" where all do.
    clauses: of what is decided, the U clauses that admit it."""

    kind: str
    what: str
    clauses: tuple[str, ...] = ()

    def is_stated(self, spec: Spec) -> bool:
        """True if the specification names the function body as a source where it differs."""
        named = [clause for clause in spec.clauses.values() if "function body" in (clause.source or "").lower()]
        if self.kind == "decided":
            return any(clause.address in self.clauses for clause in named)
        return any(clause.kind == "erratum" for clause in named)


def findings(spec: Spec, calls: Iterable[Call]) -> tuple[int, dict[Finding, Call]]:
    """Return how many calls were compared, and the smallest that shows each finding."""
    count, smallest = 0, dict[Finding, Call]()
    for call in sorted(calls, key=lambda call: sum(array.size for array in call.inputs.values())):
        judged = spec.judged(call)
        try:
            if judged.violations:
                continue
            tensors = [*call.inputs.values(), *judged.expected.values()]
            if any(array.dtype.hasobject or array.size > LARGEST for array in tensors):  # strings have no order
                continue
            for finding in list(compared(judged)):
                smallest.setdefault(finding, call)
        except OutsideDomain:  # a shape is open, or a node has no specification
            continue
        count += 1
    return count, smallest


def compared(judged: JudgedCall) -> Iterator[Finding]:
    """Compare what the bodies of a call give with what conforms. Raises OutsideDomain where that is not known."""
    admitted = {name: allowed_by(judged, name) for name in judged.asked}
    for body in bodies_of(judged.spec, judged.call):
        try:
            results = computed(body)
        except InvalidBody as error:
            yield Finding("invalid", str(error).partition(":")[0])
            continue
        given = {name: values.canonical for name, values in results.items()}
        wrong = judged.divergences(given)
        yield from (Finding("contradicted", entry.clause) for entry in wrong)
        for name, values in results.items() if not wrong else ():
            for word, mask in _decided(judged, name, values, admitted[name]).items():
                if mask.any():
                    yield Finding("decided", f"{name}: {word}", _freeing(judged, name, word, mask))


def _freeing(judged: JudgedCall, name: str, word: str, mask: np.ndarray) -> tuple[str, ...]:
    """Return the U clauses that admit a value at some element of a mask."""
    got = _full(judged.expected[name], NAMED.get(word, 0.0))
    addresses = []
    for address, effect in judged.unspecified_by_clause.items():
        allowance = effect.outputs.get(name)
        if allowance is None or allowance.observed or word not in NAMED and allowance.admits is not None:
            continue
        if np.any(mask & allowance.allows(got)):
            addresses.append(address)
    return tuple(addresses)


def _full(like: np.ndarray, value: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.full(like.shape, value).astype(like.dtype)


def _decided(judged: JudgedCall, name: str, values: Values, admitted: Sequence[Intervals]) -> Mapping[str, np.ndarray]:
    """Return by value the mask of elements where it conforms and the body cannot give it.

    `name` is the output, `values` what the body gives, and `admitted` the conforming intervals of each element."""
    canonical, row = judged.expected[name], values.row
    pairs = list(zip(values.elements, admitted, row.places(canonical).tolist(), strict=True))

    def mask_of(holds: Iterable[bool]) -> np.ndarray:
        return np.array(list(holds), bool).reshape(canonical.shape)

    masks = {"any value": mask_of(mine == ANY != body for body, mine, _ in pairs)}
    for word, value in NAMED.items() if row.is_float else ():
        got = _full(canonical, value)
        place = int(row.places(_full(canonical.reshape(-1)[:1], value))[0]) if canonical.size else 0
        mask = mask_of(mine != ANY and _holds(mine, place) and not _holds(body, place)
                       and not _is_around(mine, start, place) for body, mine, start in pairs)
        for allowance in judged.allowances.get(name, ()):
            mask &= ~(allowance.observed & allowance.allows(got))  # accuracy
        masks[word] = mask
    return masks


def _holds(intervals: Intervals, place: int) -> bool:
    return intervals == ANY or any(low <= place <= high for low, high in intervals)


def _is_around(intervals: Intervals, canonical: int, place: int) -> bool:
    """True if a value is in the interval around the canonical one, of which more than two zeros are."""
    return any(low <= canonical <= high and low <= place <= high and high - low > 1 for low, high in intervals)


def calls_of(spec: Spec, count: int) -> list[Call]:
    """Return the calls of the cases of a specification, and so many drawn ones."""
    return [*(case.call for case in load_cases(None, [spec.name])),
            *(drawn(spec, Draw((33, number))) for number in range(count))]
