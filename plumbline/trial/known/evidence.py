"""Keep the conditions of a root cause that its calls are evidence of.

Calls with one root cause share many flags and traits, most of them by accident, or since they come with the one that
matters. A condition is kept only if nothing else makes it likely that all of these calls have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial

import numpy as np

from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.traits import HELD, KINDS

ACCIDENT = 0.01
"""Expected number of conditions that calls share by accident, below which these calls are evidence of one."""

EXPLAINED = 5
"""Calls that a symptom which explains wrong elements needs: half of other wrong answers may show it by accident."""

OF_ATTRIBUTE = re.compile(r"the call has (?:no |a )?(?:negative )?(\w+)(?: with different entries|=.*)?", re.DOTALL)

OF_TENSOR = re.compile(r".*-in-| (?:holds|has|is) .*", re.DOTALL)
"""All of a condition on a tensor but the name of the tensor."""


def calls_of(lines: Collection[CaseLine], condition: str = "") -> int:
    """Return the number of calls; one in several contexts or output selections counts once.

    So do calls with the same input, for a condition on it: one example tried with each attribute shows no pattern."""
    def key(line: CaseLine) -> tuple[object, ...]:
        inputs = line.call.inputs if line.call else {}
        tensor = inputs.get(OF_TENSOR.sub("", condition)) if condition else None
        return (line.spec, line.base_id) if tensor is None else (repr(tensor),)
    return len(set(map(key, lines)))


def shows_most(lines: Collection[CaseLine]) -> bool:
    """Return True if a symptom of all lines is likely to be that of most wrong answers."""
    return calls_of(lines) >= EXPLAINED


def supported(conditions: Sequence[str], shared: Collection[str], names: int, lines: Sequence[CaseLine],
              mask: Callable[[str], np.ndarray]) -> list[str]:
    """Return the conditions that have no rival.

    A condition on one tensor gives way to that on any tensor where the calls do not show which one it is, and one on
    its numbers to its presence, where most that are given hold such numbers.

    A rival is another flag or trait that all lines share, or that there is no condition at all. If it were the true
    one, each call would have the condition by accident as often as the conforming calls that have the rival.

    shared: flags and traits of all lines.
    names:  number of flags and traits that might be shared.
    mask:   the mask of the conforming calls that have a flag or trait."""
    kept = list(conditions)
    calls = cache(partial(calls_of, lines))

    def explains(rival: np.ndarray, name: str, tried: int, is_alone: bool = False) -> bool:
        """Return True if a rival makes it likely that all calls have a condition by accident, among so many tried."""
        left = np.logical_and.reduce([rival, *(mask(other) for other in kept if other != name and not is_alone)])
        return bool(((left & mask(name)).sum() + 1) / (left.sum() + 2) > (ACCIDENT / tried) ** (1 / calls(name)))

    for name in conditions:
        topic, has = topic_of(name, lines[0]), mask(name)
        for wider in shared:  # of any tensor, where which one it is may be accident
            if topic not in (name, "shape") and topic_of(wider, lines[0]) == topic and wider not in kept and (
                    mask(wider).sum() > has.sum() == (mask(wider) & has).sum()) and (
                    explains(mask(wider), name, len(lines[0].tensors))):
                kept[kept.index(name)], name, has = wider, wider, mask(wider)
                break
        tensor, _, kind = name.partition(" holds a ")
        presence = f"the call has {tensor}"
        if kind in KINDS.values() and presence in shared and not mask(presence).all() and (
                explains(mask(presence), name, names, is_alone=True)):
            # the calls that have all else and conform may be those whose tensor is nothing but zeros
            kept[kept.index(name)] = name = presence
            topic, has, kind = tensor, mask(name), ""
        others = [mask(other) for other in kept if other != name]
        if kind in KINDS.values() and (
                np.logical_and.reduce([has, *others]).sum() > len(lines)):
            kept.remove(name)  # nearly all tensors of ordinary numbers hold it
            continue
        rivals = [np.ones_like(has), *(mask(rival) for rival in shared if rival not in conditions
                                       and topic_of(rival, lines[0]) != topic)]
        if any(explains(rival, name, names) for rival in rivals):
            kept.remove(name)
    return kept


def topic_of(name: str, line: CaseLine) -> str:
    """Return what a flag or trait is about: a value, element types, an attribute or input, shapes, or itself."""
    value, _, held = name.partition("-in-")[0], *name.partition(" holds ")[1:]
    if value in HELD or held:
        return HELD.get(value, held)
    types = {line.dtype, *(tensor.partition("[")[0] for tensor in line.tensors.values())}
    if name in types or " of " in name and name.rpartition(" ")[2] in types:
        return "type"
    attribute = OF_ATTRIBUTE.fullmatch(name)
    return attribute[1] if attribute else "shape" if " " in name else name
