"""Which known divergences of a backend a node of a model can meet, whether that depends on values, and what the others
need that the node does not have.

The flags by which known divergences are told apart are computed of calls that the node could make: every input that is
no constant is filled with each of the values that betray faults, in turn. A flag that holds for all of these calls
follows from attributes, types and shapes; one that holds for some depends on values.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np

from plumbline.cases.format.flags import flags_of, notes
from plumbline.cases.format.tensors import finfo
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.response import is_float
from plumbline.trial.known.register import KnownDivergences, KnownEntry

LARGE = 1 << 20
"""Elements of a tensor beyond which memory is spared."""


@dataclass(frozen=True, eq=False)
class PossibleDivergence:
    """A known divergence about the operator of a node. lacks: what the entry needs and the node cannot have, in words;
    () where the node can meet it. values: what that takes of the values of inputs; () where it takes nothing."""

    entry: KnownEntry
    values: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def when(self) -> str:
        """``"always"``, or ``"only where X holds a NaN"``."""
        return f"only where {' and '.join(self.values)}" if self.values else "always"


def possible_divergences(spec: Spec, call: Call, constant: set[str], form: str, known: KnownDivergences,
                         deadline: float) -> list[PossibleDivergence]:
    """The entries about calls like this one, which a node makes; inputs of `constant` keep their values. None of a call
    outside the domain. Raises TimeoutError after the deadline, of `time.monotonic`."""
    what = notes([spec])
    entries = [entry for entry in known.entries if spec.name in entry.specs and set(entry.generated or ()) <= set(what)]
    try:
        if not entries or spec.violations(call):
            return []
    except OutsideDomain:
        return []
    seen = []
    for tried in betraying_calls(call, constant):
        if time.monotonic() > deadline:
            raise TimeoutError
        seen.append(set(flags_of(spec, tried)))
    always, ever = set.intersection(*seen), set.union(*seen)
    words = {flag: _phrase(text, spec) for flag, text in what.items()}
    dtype = next(iter(call.inputs.values())).dtype.name
    found = []
    for entry in entries:
        lacks = [words[flag] for flag in entry.generated or () if flag not in ever]
        lacks += [f"{' or '.join(entry.forms)} alone is asked for"] * bool(entry.forms and form not in entry.forms)
        lacks += [f"the type is {' or '.join(entry.dtypes)}"] * bool(entry.dtypes and dtype not in entry.dtypes)
        lacks += [f"the call is that of {' or '.join(entry.cases)}"] * (entry.generated is None)
        values = [words[flag] for flag in entry.generated or () if flag not in always]
        values += [_phrase(contexts()[name].note, spec) for name in entry.contexts]
        found.append(PossibleDivergence(entry, () if lacks else tuple(values), tuple(lacks)))
    return found


def _phrase(note: str, spec: Spec) -> str:
    """The first sentence of a note as a clause; the name of an input keeps its capital."""
    first = note.partition(". ")[0].rstrip(".")
    word, _, rest = first.partition(" ")
    is_name = word in spec.inputs and rest.startswith(("is ", "has ", "holds ")) or word[1:] != word[1:].lower()
    return first if is_name else first[:1].lower() + first[1:]


def betraying_calls(call: Call, constant: set[str]) -> Iterator[Call]:
    """A call with ones for every input that is not a constant; then with one of these filled with each value that
    betrays faults, and with all of them in turn; then with two of integers filled with each pair of such values."""
    plain = {name: array if name in constant else spread(np.ones(1, array.dtype), array.shape)
             for name, array in call.inputs.items()}

    def filled(**values: Sequence[float | int]) -> Call:
        arrays = {name: spread(np.array(some, plain[name].dtype), plain[name].shape) for name, some in values.items()}
        return Call(call.operator, call.attributes, {**plain, **arrays}, call.outputs)

    yield Call(call.operator, call.attributes, plain, call.outputs)
    free = {name: _fault_revealing(array.dtype) for name, array in call.inputs.items() if name not in constant}
    for name, values in free.items():
        for some in [[value] for value in values] + [values] * (len(values) > 1):
            yield filled(**{name: some})
    whole = [name for name in free if call.inputs[name].dtype.kind in "iu"]
    for one, other in combinations(whole, 2):
        yield from (filled(**{one: [first], other: [second]}) for first, second in product(free[one], free[other]))


def spread(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor of these values in turn; a large one in rows that are alike, without memory of their own."""
    if values.size > 1 and (prod(shape) <= LARGE or shape[-1] < values.size):
        return np.resize(values, shape)
    return np.broadcast_to(np.resize(values, shape[-1:]), shape)


def _fault_revealing(dtype: np.dtype) -> list[float | int]:
    """Fault-revealing values of a type."""
    if is_float(dtype):
        info = finfo(dtype)
        return [0, -0.0, np.nan, np.inf, -np.inf, *map(float, (info.max, info.min, info.smallest_subnormal))]
    if dtype.kind in "iu":
        return [0, *([-1] if dtype.kind == "i" else []), np.iinfo(dtype).max, np.iinfo(dtype).min]
    return [0]
