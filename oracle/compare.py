"""Where specifications of one operator part: the smallest calls, found by exhaustive search within a bound.

Compared are the domain (which clauses on calls are broken), the canonical values of Y, each judged by the clauses of
the other, and what is left open. A difference in freedom alone, such as which of several maxima gives the index, does
not show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.findings import Open, OutsideDomain
from plumbline.oracle.judged_call import JudgedCall
from plumbline.oracle.specification import Spec

BOUND = {"size": 4, "kernel": 3, "stride": 3, "dilation": 2, "pad": 2}
"""Of the axis that varies; a second axis, where a specification asks for two, has size and kernel 1."""

MODES: tuple[dict[str, Any], ...] = (
    {}, {"ceil_mode": 1}, {"auto_pad": "VALID"}, {"auto_pad": "VALID", "ceil_mode": 1}, {"auto_pad": "SAME_UPPER"},
    {"auto_pad": "SAME_LOWER"})
OPENVINO_MODES: tuple[dict[str, Any], ...] = ({"rounding_type": "ceil_torch"},)
MEAN_MODES: tuple[dict[str, Any], ...] = ({"count_include_pad": 1}, {"count_include_pad": 1, "ceil_mode": 1})


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


def differences(one: Spec, other: Spec) -> list[Difference]:
    """The smallest call for each set of clauses that tells the two apart. Raises OutsideDomain for two operators."""
    return all_differences([one, other])[one.name, other.name]


def all_differences(specs: Sequence[Spec]) -> dict[Pair, list[Difference]]:
    """The same of every pair of specifications, in the order given. Raises OutsideDomain for two operators."""
    first = specs[0]
    for spec in specs:
        if spec.operator != first.operator:
            raise OutsideDomain(f"{first.name} is about {first.operator}, {spec.name} about {spec.operator}")
    found: dict[Pair, list[Difference]] = {(one.name, other.name): [] for one, other in combinations(specs, 2)}
    modes = MODES + MEAN_MODES * (first.operator == "AveragePool")
    modes += OPENVINO_MODES * any(spec.name.startswith("openvino/") for spec in specs)
    for profile in (False, True):
        pairs = [pair for pair in combinations(specs, 2) if _needs_profile(*pair) == profile]
        concerned = list(dict.fromkeys(spec for pair in pairs for spec in pair))
        for call in small_calls(first.operator, profile, modes) if pairs else ():
            readings = {spec.name: spec.judged(call) for spec in concerned}
            for one, other in pairs:
                difference = _difference(readings[one.name], readings[other.name])
                if difference is not None and _is_news(difference, found[one.name, other.name]):
                    found[one.name, other.name].append(difference)
    return found


def _needs_profile(one: Spec, other: Spec) -> bool:
    """Whether one of them has no versions: it is a profile, whose calls have two spatial axes and every attribute."""
    return "@" not in one.name or "@" not in other.name


def _is_news(difference: Difference, found: list[Difference]) -> bool:
    """Whether its clauses tell more than those of an earlier, smaller call: they are not these and some more."""
    return not any(earlier.kind == difference.kind and _local(earlier) <= _local(difference) for earlier in found)


def _local(difference: Difference) -> frozenset[str]:
    return frozenset(address.partition("#")[2] for address in difference.clauses)


def small_calls(operator: str, profile: bool, modes: tuple[dict[str, Any], ...] = MODES) -> Iterator[Call]:
    """Every call within the bound, smallest first; in a profile, with two spatial axes and every attribute given."""
    ranges = [range(1, BOUND[name] + 1) for name in ("size", "kernel", "stride", "dilation")]
    pad = range(BOUND["pad"] + 1)
    axes = sorted(product(*ranges, pad, pad), key=lambda axis: (sum(axis), axis))
    for size, kernel, stride, dilation, begin, end in axes:
        for mode in modes:
            if "auto_pad" in mode and begin + end:
                continue
            attributes = {"kernel_shape": [kernel], **({"strides": [stride]} if stride > 1 else {}),
                          **({"dilations": [dilation]} if dilation > 1 else {}),
                          **({"pads": [begin, end]} if begin + end else {}), **mode}
            shape: tuple[int, ...] = (1, 1, size)
            if profile:
                shape = (1, 1, 1, size)
                attributes = {"auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0, **mode, "strides": [1, stride],
                              "dilations": [1, dilation], "kernel_shape": [1, kernel], "pads": [0, begin, 0, end]}
                if "rounding_type" in mode:
                    del attributes["ceil_mode"]
            for x in _values(shape):
                yield Call(operator, attributes, {"X": x}, ("Y",))


def _values(shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Distinct, falling and negative; with a NaN; of an integer type."""
    count = shape[-1]
    distinct = -np.arange(1, count + 1, dtype=np.float32).reshape(shape)
    yield distinct
    with_nan = distinct.copy()
    with_nan[..., 0] = np.nan
    yield with_nan
    yield distinct.astype(np.int8)


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
    silent = sorted({clause for name in one.spec.outputs if name in other.spec.outputs
                     for clause in _telling(one.unspecified.get(name), other.unspecified.get(name))})
    return Difference("silence", call, tuple(silent), ("leaves open",) * len(silent)) if silent else None


def _is_open(reading: JudgedCall) -> bool:
    """Whether even the shape of an output is open."""
    return any(isinstance(entry.mask, str) for entry in reading.unspecified.values())


def _equal(one: JudgedCall, other: JudgedCall) -> bool:
    """Whether both have the same canonical outputs, so that neither can find the other's wrong."""
    return all(np.array_equal(one.expected[name], other.expected[name]) for name in one.expected)


def _telling(one: Open | None, other: Open | None) -> tuple[str, ...]:
    """The clauses by which either leaves elements open, when the two do not leave the same open."""
    masks = [entry.mask if entry is not None and (isinstance(entry.mask, str) or entry.mask.any()) else None
             for entry in (one, other)]
    same = masks[0] is masks[1] if masks[0] is None or masks[1] is None else np.array_equal(masks[0], masks[1])
    return () if same else tuple(clause for entry, mask in zip((one, other), masks, strict=True)
                                 if entry is not None and mask is not None for clause in entry.clauses)
