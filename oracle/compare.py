"""Where two specifications of one operator part: the smallest calls, found by exhaustive search within a bound.

Compared are the domain (which clauses on calls are broken), the canonical values of Y, each judged by the clauses of
the other, and what is left open. A difference in freedom alone, such as which of several maxima gives the index, does
not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from oracle.call import Call
from oracle.findings import Open, OutsideDomain
from oracle.specification import Spec

BOUND = {"size": 4, "kernel": 3, "stride": 3, "dilation": 2, "pad": 2}
"""Of the axis that varies; a second axis, where a specification asks for two, has size and kernel 1."""

MODES: tuple[dict[str, Any], ...] = (
    {}, {"ceil_mode": 1}, {"auto_pad": "VALID"}, {"auto_pad": "VALID", "ceil_mode": 1}, {"auto_pad": "SAME_UPPER"},
    {"auto_pad": "SAME_LOWER"})


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


def differences(one: Spec, other: Spec) -> list[Difference]:
    """The smallest call for each set of clauses that tells the two apart. Raises OutsideDomain for two operators."""
    if one.operator != other.operator:
        raise OutsideDomain(f"{one.name} is about {one.operator}, {other.name} about {other.operator}")
    found: dict[tuple[str, frozenset[str]], Difference] = {}
    for call in small_calls(one.operator, profile="@" not in one.name or "@" not in other.name):
        difference = _difference(one, other, call)
        if difference is not None:
            local = frozenset(address.partition("#")[2] for address in difference.clauses)
            found.setdefault((difference.kind, local), difference)
    return list(found.values())


def small_calls(operator: str, profile: bool) -> Iterator[Call]:
    """Every call within the bound, smallest first; in a profile, with two spatial axes and every attribute given."""
    ranges = [range(1, BOUND[name] + 1) for name in ("size", "kernel", "stride", "dilation")]
    pad = range(BOUND["pad"] + 1)
    axes = sorted(product(*ranges, pad, pad), key=lambda axis: (sum(axis), axis))
    for size, kernel, stride, dilation, begin, end in axes:
        for mode in MODES:
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
            for x in _values(shape):
                yield Call(operator, attributes, {"X": x})


def _values(shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Distinct, falling and negative; with a NaN; of an integer type."""
    count = shape[-1]
    distinct = -np.arange(1, count + 1, dtype=np.float32).reshape(shape)
    yield distinct
    with_nan = distinct.copy()
    with_nan[..., 0] = np.nan
    yield with_nan
    yield distinct.astype(np.int8)


def _difference(one: Spec, other: Spec, call: Call) -> Difference | None:
    broken = [spec.violations(call) for spec in (one, other)]
    if bool(broken[0]) != bool(broken[1]):
        entries = broken[0] or broken[1]
        why = tuple(entry.why for entry in entries)
        return Difference("domain", call, tuple(entry.clause for entry in entries), why)
    if broken[0]:
        return None
    opened = [spec.unspecified(call) for spec in (one, other)]
    if not any(isinstance(entry.mask, str) for entry in (*opened[0].values(), *opened[1].values())):
        asked = call.asking_for("Y")
        entries = [entry for judge, giver in ((one, other), (other, one))
                   for entry in judge.divergences(asked, giver.expected(asked))]
        if entries:
            why = tuple(entry.why for entry in entries)
            return Difference("outputs", call, tuple(entry.clause for entry in entries), why)
    silent = sorted({clause for name in one.outputs if name in other.outputs
                     for clause in _telling(opened[0].get(name), opened[1].get(name))})
    return Difference("silence", call, tuple(silent), ("leaves open",) * len(silent)) if silent else None


def _telling(one: Open | None, other: Open | None) -> tuple[str, ...]:
    """The clauses by which either leaves elements open, when the two do not leave the same open."""
    masks = [entry.mask if entry is not None and (isinstance(entry.mask, str) or entry.mask.any()) else None
             for entry in (one, other)]
    same = masks[0] is masks[1] if masks[0] is None or masks[1] is None else np.array_equal(masks[0], masks[1])
    return () if same else tuple(clause for entry, mask in zip((one, other), masks, strict=True) if mask is not None
                                 for clause in entry.clauses)
