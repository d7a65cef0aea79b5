"""Find the smallest calls on which specifications of one operator disagree.

Every call that either definition makes with choices of so many bits is tried. Compared are the domain (which clauses on
calls are broken), the canonical outputs, each judged by the clauses of the other, and what is unspecified. A difference
only in allowed alternatives, such as which of several maxima gives the index, is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from plumbline.oracle.answers import OutsideDomain, UnspecifiedOutput
from plumbline.oracle.call import Call
from plumbline.oracle.choosing import every
from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Choose
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.specification import Spec
from plumbline.oracle.type_names import bytes_of

BITS = 6
"""What the choices of a call may cost together (`oracle.choosing.cost`)."""


class NothingTried(SpecError):
    """No call that both take was inside the domain of either, so that nothing can be said of their differences."""


@dataclass(frozen=True, eq=False)
class Difference:
    """The smallest call that shows one difference.

    kind:    ``"domain"``, ``"silence"`` or ``"outputs"``.
    clauses: addresses of the clauses that tell the specifications apart on this call.
    why:     one line for each of them."""

    kind: str
    call: Call
    clauses: tuple[str, ...]
    why: tuple[str, ...]


Pair = tuple[str, str]


def differences(one: Spec, other: Spec, bits: int = BITS) -> list[Difference]:
    """The smallest call for each set of clauses that tells the two apart, with choices of so many bits. Raises
    OutsideDomain for two operators, and NothingTried."""
    found = all_differences([one, other], bits)[one.name, other.name]
    if found is None:
        raise NothingTried(f"{nothing_line(bits)} {one.name} or {other.name}: nothing compared")
    return found


def nothing_line(bits: int) -> str:
    """The beginning of what is said where nothing was compared."""
    return f"no call within {bound_line(bits)} that both take is inside"


def all_differences(specs: Sequence[Spec], bits: int = BITS) -> dict[Pair, list[Difference] | None]:
    """Return the `differences` of every pair of specifications of one operator, by their names.

    Calls have choices of at most `bits` bits; None for a pair of which nothing was compared. Raises OutsideDomain."""
    first = specs[0]
    for spec in specs:
        if spec.operator != first.operator:
            raise OutsideDomain(f"{first.name} is about {first.operator}, {spec.name} about {spec.operator}")
    found: dict[Pair, list[Difference]] = {(one.name, other.name): [] for one, other in combinations(specs, 2)}
    tried: set[Pair] = set()
    for call in small_calls(specs, bits):
        judged = {spec.name: spec.judged(call) for spec in specs if spec.takes(tuple(call.inputs))}
        gives = {name: _gives(reading) for name, reading in judged.items()}
        for pair in found:
            if pair[0] not in judged or pair[1] not in judged:
                continue  # an input of a later version
            mine, theirs = gives[pair[0]], gives[pair[1]]
            if mine is None and theirs is None:
                continue
            tried.add(pair)
            if mine is not None and theirs is not None and all(
                    mine[name] == theirs[name] for name in mine.keys() & theirs.keys()):
                continue  # most calls, and nothing to find
            difference = _difference(judged[pair[0]], judged[pair[1]])
            if difference is not None and _is_news(difference, found[pair]):
                found[pair].append(difference)
    return {pair: entries if pair in tried else None for pair, entries in found.items()}


def stated_by_one(one: Spec, other: Spec) -> Iterator[str]:
    """Yield outputs and clauses that only one specification has, whether or not a call shows it."""
    for mine, yours in ((one, other), (other, one)):
        outputs = [name for name in mine.outputs if name not in yours.outputs]
        if outputs:
            yield f"{mine.name} alone has the output {', '.join(outputs)}"
        theirs = {clause.local for clause in yours.clauses.values()}
        alone = [clause.local for clause in mine.clauses.values() if clause.local not in theirs]
        if alone:
            yield f"{mine.name} alone states {', '.join(alone)}"


def bound_line(bits: int = BITS) -> str:
    """Describe the bound of a search."""
    return f"{bits} bits of choices"


def small_calls(specs: Sequence[Spec], bits: int) -> Iterator[Call]:
    """Every call within the bound that the definitions of some specifications make, each once, the plainest of each
    definition first."""
    seen: set[object] = set()
    for spec in specs:
        for _, call in every(partial(_made, spec), bits):
            key = (repr(sorted(call.attributes.items())), call.outputs,
                   *((name, array.dtype.str, array.shape, bytes_of(array)) for name, array in call.inputs.items()))
            if key not in seen:
                seen.add(key)
                yield call


def _made(spec: Spec, choose: Choose) -> Call | None:
    return spec.make(choose)


def _is_news(difference: Difference, found: list[Difference]) -> bool:
    """Return True unless an earlier, smaller call has the same clauses or some of them."""
    return not any(earlier.kind == difference.kind and _local(earlier) <= _local(difference) for earlier in found)


def _local(difference: Difference) -> frozenset[str]:
    return frozenset(address.partition("#")[2] for address in difference.clauses)


def _gives(reading: JudgedCall) -> dict[str, object] | None:
    """Return by output the canonical values and the unspecified elements, as bytes; None outside the domain."""
    if reading.violations:
        return None
    return {name: (array.dtype, array.shape, bytes_of(array), _mask(reading.unspecified.get(name)))
            for name, array in reading.expected.items()}


def _mask(entry: UnspecifiedOutput | None) -> bytes | str | None:
    """Return the mask of unspecified elements of an output, None if there are none."""
    if entry is None:
        return None
    if isinstance(entry.mask, str):
        return entry.mask
    return entry.mask.tobytes() if entry.mask.any() else None


def _difference(one: JudgedCall, other: JudgedCall) -> Difference | None:
    call = one.call
    if bool(one.violations) != bool(other.violations):
        broken = one.violations or other.violations
        why = tuple(entry.why for entry in broken)
        return Difference("domain", call, tuple(entry.clause for entry in broken), why)
    if one.violations:
        return None
    if not _is_open(one) and not _is_open(other) and not _equal(one, other):
        entries = [*one.divergences(other.expected), *other.divergences(one.expected)]
        if entries:
            why = tuple(entry.why for entry in entries)
            return Difference("outputs", call, tuple(entry.clause for entry in entries), why)
    undefined = sorted({clause for name in one.spec.outputs_of(call) if name in other.spec.outputs_of(call)
                        for clause in _telling(one.unspecified.get(name), other.unspecified.get(name))})
    return Difference("silence", call, tuple(undefined), ("leaves undefined",) * len(undefined)) if undefined else None


def _is_open(reading: JudgedCall) -> bool:
    """Return True if even the shape of an output is unspecified."""
    return any(isinstance(entry.mask, str) for entry in reading.unspecified.values())


def _equal(one: JudgedCall, other: JudgedCall) -> bool:
    """Return True if both have the same canonical outputs, so that neither can find the other's wrong."""
    return all(np.array_equal(array, other.expected[name]) for name, array in one.expected.items()
               if name in other.expected)


def _telling(one: UnspecifiedOutput | None, other: UnspecifiedOutput | None) -> tuple[str, ...]:
    """The clauses by which either leaves elements open, when the two do not leave the same open."""
    masks = [entry.mask if entry is not None and (isinstance(entry.mask, str) or entry.mask.any()) else None
             for entry in (one, other)]
    same = masks[0] is masks[1] if masks[0] is None or masks[1] is None else np.array_equal(masks[0], masks[1])
    return () if same else tuple(clause for entry, mask in zip((one, other), masks, strict=True)
                                 if entry is not None and mask is not None for clause in entry.clauses)
