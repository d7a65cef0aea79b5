"""Find known divergences that can affect a node of a model.

The conditions of known divergences are flags. They are computed for calls that the node could make: each input that is
no constant is filled with each of the fault-revealing values. A flag of all these calls follows from attributes, types
and shapes; a flag of some depends on values.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np

from plumbline.cases.format.flags import flags_of, notes
from plumbline.cases.format.tensors import finfo
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.response import is_float
from plumbline.oracle.type_names import name_of
from plumbline.trial.known.register import KnownDivergences, KnownEntry

LARGE = 1 << 15
"""Elements of a tensor above which rows share memory."""


@dataclass(frozen=True, eq=False)
class PossibleDivergence:
    """A known divergence on the operator of a node.

    values: conditions on the values of inputs, in words.
    lacks:  conditions that the node cannot have, in words; () if the divergence can affect it.
    """

    entry: KnownEntry
    values: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def when(self) -> str:
        """The condition on values: ``"always"``, or ``"only where X holds a NaN"``."""
        return f"only where {' and '.join(self.values)}" if self.values else "always"


def possible_divergences(spec: Spec, call: Call, constant: set[str], form: str, known: KnownDivergences,
                         deadline: float) -> list[PossibleDivergence]:
    """Return the known divergences that calls like `call` can meet.

    constant: names of the inputs that keep their values.
    form:     the outputs asked for, "Y+Indices".
    deadline: by `time.monotonic`; then TimeoutError is raised."""
    descriptions = notes([spec])
    entries = [entry for entry in known.entries
               if spec.name in entry.specs and set(entry.generated or ()) <= set(descriptions)]
    try:
        if not entries or spec.violations(call):
            return []
    except OutsideDomain:
        return []
    flags, wanted = [], {flag for entry in entries for flag in entry.generated or ()}
    for variant in revealing_calls(call, constant):
        if time.monotonic() > deadline:
            raise TimeoutError
        flags.append(set(flags_of(spec, variant, wanted)))
    always, ever = set.intersection(*flags), set.union(*flags)
    phrases = {flag: _phrase(text, spec) for flag, text in descriptions.items()}
    dtype = name_of(next(iter(call.inputs.values())).dtype)
    possible = []
    for entry in entries:
        lacks = [phrases[flag] for flag in entry.generated or () if flag not in ever]
        lacks += [f"{' or '.join(entry.forms)} alone is asked for"] * bool(entry.forms and form not in entry.forms)
        lacks += [f"the type is {' or '.join(entry.dtypes)}"] * bool(entry.dtypes and dtype not in entry.dtypes)
        if entry.generated is None:
            lacks.append(f"the call is that of {' or '.join(dict.fromkeys(case for _, case, _ in entry.named))}")
        values = [phrases[flag] for flag in entry.generated or () if flag not in always]
        values += [_phrase(contexts()[name].note, spec) for name in entry.contexts]
        possible.append(PossibleDivergence(entry, () if lacks else tuple(values), tuple(lacks)))
    return possible


def _phrase(note: str, spec: Spec) -> str:
    """Return the first sentence of a note as a clause. The name of an input keeps its capital."""
    first = note.partition(". ")[0].rstrip(".")
    word, _, rest = first.partition(" ")
    is_name = word in spec.inputs and rest.startswith(("is ", "has ", "holds ")) or word[1:] != word[1:].lower()
    return first if is_name else first[:1].lower() + first[1:]


def revealing_calls(call: Call, constant: set[str]) -> Iterator[Call]:
    """Yield variants of a call with fault-revealing values.

    Inputs that are not constant have ones. Then one of them is filled with each fault-revealing value, and with all of
    them in turn. Then two integer inputs are filled with each pair of such values."""
    plain = {name: array if name in constant else spread(np.ones(1, array.dtype), array.shape)
             for name, array in call.inputs.items()}

    def filled(**values: Sequence[float | int]) -> Call:
        arrays = {name: spread(np.array(fill, plain[name].dtype), plain[name].shape) for name, fill in values.items()}
        return Call(call.operator, call.attributes, {**plain, **arrays}, call.outputs)

    yield Call(call.operator, call.attributes, plain, call.outputs)
    free = {name: _revealing(array.dtype) for name, array in call.inputs.items() if name not in constant}
    for name, values in free.items():
        for fill in [[value] for value in values] + [values] * (len(values) > 1):
            yield filled(**{name: fill})
    integers = [name for name in free if call.inputs[name].dtype.kind in "iu"]
    for left, right in combinations(integers, 2):
        yield from (filled(**{left: [a], right: [b]}) for a, b in product(free[left], free[right]))


def spread(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a tensor of these values in turn."""
    if values.size == 1:
        return np.broadcast_to(values.reshape(()), shape)
    if prod(shape) <= LARGE or shape[-1] < values.size:
        return np.resize(values, shape)
    return np.broadcast_to(np.resize(values, shape[-1:]), shape)


def _revealing(dtype: np.dtype[Any]) -> list[float | int]:
    """Return the fault-revealing values of a type."""
    if is_float(dtype):
        info = finfo(dtype)
        return [0, -0.0, np.nan, np.inf, -np.inf, *map(float, (info.max, info.min, info.smallest_subnormal))]
    if dtype.kind in "iu":
        return [0, *([-1] if dtype.kind == "i" else []), np.iinfo(dtype).max, np.iinfo(dtype).min]
    return [0]
