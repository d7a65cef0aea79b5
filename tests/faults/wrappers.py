"""Faults that no syntax tree holds, as wrappers of a right implementation: one shelf for every operator.

A wrapper spoils what an implementation reads (`of_inputs`, `of_attributes`), gives (`of_outputs`), refuses or
remembers. Which operators can have a fault is computed from their calls (`Facts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from plumbline.backends import Request
from tests.faults.calls import Item, Outputs

Run = Callable[[Request], Outputs]
Spoil = Callable[[np.ndarray], np.ndarray]

BLOCKS = (4, 8, 16)
CHUNKS = (64, 1024, 4096, 65_536)
"""Elements that the first thread, or a first buffer, takes."""

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class Wrapper:
    """A fault of any implementation.

    spoils: the outputs of a request, from those of the right implementation, which also may be run on another request.
    needed: whether each operator that can have it must have a call in the default run that shows it; of others it is
            enough that no drawn call shows it either.
    """

    name: str
    kind: str
    spoils: Callable[[Run, Request, Outputs], Outputs]
    needed: bool = False


@dataclass
class Facts:
    """What calls of an operator have: element types of inputs and outputs, the largest output and its rank, attributes
    with the values seen, and contexts."""

    inputs: dict[str, set[np.dtype]] = field(default_factory=dict)
    outputs: set[np.dtype] = field(default_factory=set)
    size: int = 0
    rank: int = 0
    attributes: dict[str, list[Any]] = field(default_factory=dict)
    contexts: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, items: Iterable[Item], contexts: Iterable[str] = ()) -> Facts:
        """Of some calls."""
        found = cls(contexts=set(contexts))
        for item in items:
            for name, array in item.request.inputs.items():
                found.inputs.setdefault(name, set()).add(array.dtype)
            for array in (item.case.expectation.outputs or {}).values():
                found.outputs.add(array.dtype)
                found.size, found.rank = max(found.size, array.size), max(found.rank, array.ndim)
            for name, value in item.request.attributes.items():
                values = found.attributes.setdefault(name, [])
                if value not in values:
                    values.append(value)
        return found

    @property
    def types(self) -> set[np.dtype]:
        """Of inputs and outputs."""
        return set().union(self.outputs, *self.inputs.values())


def shelf(facts: Facts) -> Iterator[Wrapper]:
    """Every fault that an operator with such calls can have."""
    yield from _places(facts)
    yield from _values(facts)
    yield from _layouts(facts)
    yield from _attributes(facts)
    yield from _refusals(facts)
    yield from _contexts(facts)


# Places: what is left out, by blocks of vectors, threads and buffers

def _places(facts: Facts) -> Iterator[Wrapper]:
    for block in BLOCKS if facts.size > BLOCKS[0] else ():
        for name, axis in (("elements", None), ("columns", -1), ("rows", -2), ("channels", 1), ("batches", 0)):
            if facts.rank > {None: 0, -1: 0, -2: 1, 1: 2, 0: 1}[axis]:
                needed = block == 4 or axis != 0
                for what, fill in (("stay zero", _zero), ("repeat what was there", _repeat)):
                    yield _of_outputs(f"{name} behind the last block of {block} {what}", "tail",
                                      partial(_tail, block=block, axis=axis, fill=fill), needed)
    for chunk in CHUNKS if facts.size > CHUNKS[0] // 4 else ():
        for what, fill in (("stay zero", _zero), ("repeat the first ones", _repeat)):
            yield _of_outputs(f"elements behind the first {chunk} {what}", "chunk",
                              partial(_behind, chunk=chunk, fill=fill), True)
    for parts in (2, 4) if facts.size > CHUNKS[0] // 4 else ():
        yield _of_outputs(f"the first element of the last of {parts} threads is zero", "thread",
                          partial(_seam, parts=parts), True)
    for name, axis in (("batch", 0), ("channel", 1), ("row", -2), ("column", -1)):
        if facts.rank > {0: 1, 1: 2, -2: 1, -1: 0}[axis]:
            for place in (0, -1):
                end = "first" if place == 0 else "last"
                yield _of_outputs(f"the {end} {name} is not written", "place", partial(_one, axis=axis, place=place))
                yield _of_outputs(f"the {end} {name} stands for all", "place", partial(_all, axis=axis, place=place))


def _tail(array: np.ndarray, block: int, axis: int | None, fill: Spoil) -> np.ndarray:
    flat = array.reshape(-1) if axis is None else array
    axis = 0 if axis is None else axis
    if flat.ndim <= max(axis, -axis - 1) or flat.shape[axis] <= block or not flat.shape[axis] % block:
        return array
    made = np.moveaxis(flat.copy(), axis, 0)
    start = len(made) // block * block
    made[start:] = fill(made)[start:]
    return np.moveaxis(made, 0, axis).reshape(array.shape)


def _zero(array: np.ndarray) -> np.ndarray:
    return np.zeros_like(array)


def _repeat(array: np.ndarray) -> np.ndarray:
    return np.broadcast_to(array[:1], array.shape)


def _behind(array: np.ndarray, chunk: int, fill: Spoil) -> np.ndarray:
    flat = array.reshape(-1).copy()
    flat[chunk:] = fill(flat)[chunk:]
    return flat.reshape(array.shape)


def _seam(array: np.ndarray, parts: int) -> np.ndarray:
    flat = array.reshape(-1).copy()
    if flat.size >= CHUNKS[0] // 2:
        flat[flat.size - flat.size // parts] = 0
    return flat.reshape(array.shape)


def _one(array: np.ndarray, axis: int, place: int) -> np.ndarray:
    if array.ndim <= max(axis, -axis - 1) or array.shape[axis] < 2:
        return array
    made = array.copy()
    np.moveaxis(made, axis, 0)[place] = 0
    return made


def _all(array: np.ndarray, axis: int, place: int) -> np.ndarray:
    if array.ndim <= max(axis, -axis - 1) or array.shape[axis] < 2:
        return array
    made = array.copy()
    np.moveaxis(made, axis, 0)[:] = np.moveaxis(array, axis, 0)[place]
    return made


# Values: what is lost of them on the way in or out

def _values(facts: Facts) -> Iterator[Wrapper]:
    of_every: dict[str, Spoil] = {"negated": _negated, "one more": lambda x: x + x.dtype.type(1), "absolute": np.abs,
                                  "without what is negative": lambda x: np.where(x < 0, x.dtype.type(0), x),
                                  "without its last place": lambda x: x - x % x.dtype.type(2), "zero": np.zeros_like}
    of_floats = {"NaN is zero": _nan_as(0), "NaN is infinite": _nan_as(np.inf), "NaN is one": _nan_as(1),
                 "a first NaN is lost": _nan_at(0), "a last NaN is lost": _nan_at(-1),
                 "a NaN at an odd place is lost": _nan_at(slice(1, None, 2)),
                 "a NaN behind eight elements is lost": _nan_at(slice(8, None)),
                 "NaN spreads to the next element": _nan_spreads, "-0 is lost": lambda x: x + x.dtype.type(0),
                 "zeros change their sign": lambda x: np.where(x == 0, -x, x),
                 "subnormals are flushed": _flushed, "infinities are the largest number": _finite,
                 "infinities are NaN": lambda x: np.where(np.isinf(x), x.dtype.type(np.nan), x),
                 "infinities are positive": lambda x: np.where(np.isinf(x), np.abs(x), x),
                 "rounded to whole numbers": np.rint, "rounded towards zero": _last_bit_cleared}
    narrower = [(wide, short) for wide, short in (
        ("float64", "float32"), ("float32", "float16"), ("float32", "bfloat16"), ("float16", "bfloat16"),
        ("bfloat16", "float16"), ("int64", "float64"), ("uint64", "float64"), ("int64", "int32"), ("int32", "float32"),
        ("uint32", "float32"), ("int32", "int16"), ("int16", "int8"), ("uint8", "int8"), ("uint16", "int16"),
        ("uint32", "int32"), ("uint64", "int64"), ("int8", "uint8"))]
    for name, types in (*facts.inputs.items(), ("", facts.outputs)):
        of = partial(_of_input, name) if name else _of_outputs
        where = f"{name}: " if name else "output: "
        for what, spoil in of_every.items():
            if types - {np.dtype(bool)}:
                yield of(where + what, "value", _numbers(spoil))
        for what, spoil in of_floats.items() if any(map(is_float, types)) else ():
            yield of(where + what, "special value", _floats(spoil))
        for wide, short in narrower:
            if np.dtype(getattr(ml_dtypes, wide, wide)) in types:
                yield of(f"{where}{wide} goes through {short}", "type",
                         partial(_through, wide=np.dtype(getattr(ml_dtypes, wide, wide)),
                                 short=np.dtype(getattr(ml_dtypes, short, short))))
        for wide in types if name == "" else ():
            for other in ("float32", "float64", "int32", "int64", "uint8"):
                if wide.name != other:
                    yield of(f"{where}{wide.name} is given as {other}", "type of output",
                             partial(_given_as, wide=wide, other=np.dtype(other)))


def is_float(dtype: np.dtype) -> bool:
    """Whether elements are floating-point numbers."""
    return dtype.kind == "f" or dtype == BFLOAT16


def _numbers(spoil: Spoil) -> Spoil:
    return lambda array: array if array.dtype.kind in "bSUO" else np.asarray(spoil(array)).astype(array.dtype)


def _floats(spoil: Spoil) -> Spoil:
    return lambda array: np.asarray(spoil(array)).astype(array.dtype) if is_float(array.dtype) else array


def _negated(x: np.ndarray) -> np.ndarray:
    return -x


def _nan_as(value: float) -> Spoil:
    return lambda x: np.where(x != x, x.dtype.type(value), x)


def _nan_at(place: int | slice) -> Spoil:
    def spoil(x: np.ndarray) -> np.ndarray:
        flat = x.reshape(-1).copy()
        part = flat[place] if isinstance(place, slice) or flat.size else flat
        if flat.size:
            flat[place] = np.where(part != part, x.dtype.type(0), part)
        return flat.reshape(x.shape)
    return spoil


def _nan_spreads(x: np.ndarray) -> np.ndarray:
    flat = x.reshape(-1)
    before = np.concatenate([flat[:0], flat[:1] * 0 + 0, flat[:-1]])[:flat.size] if flat.size else flat
    return np.where(before != before, x.dtype.type(np.nan), flat).reshape(x.shape)


def _smallest_normal(dtype: np.dtype) -> np.generic:
    return dtype.type(ml_dtypes.finfo(dtype).smallest_normal)


def _flushed(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < _smallest_normal(x.dtype), np.copysign(x.dtype.type(0), x), x)


def _finite(x: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(x), np.copysign(x.dtype.type(ml_dtypes.finfo(x.dtype).max), x), x)


def _last_bit_cleared(x: np.ndarray) -> np.ndarray:
    """The two last bits of the significand, which is more than any one rounding."""
    kind = np.dtype(f"u{x.dtype.itemsize}")
    cleared = (np.ascontiguousarray(x).view(kind) & ~kind.type(3)).view(x.dtype).reshape(x.shape)
    return np.where(np.isfinite(x), cleared, x)


def _through(array: np.ndarray, wide: np.dtype, short: np.dtype) -> np.ndarray:
    if array.dtype != wide:
        return array
    there = array.astype(short)
    if wide.kind == "u" and short.kind == "i":  # as a signed number, which is negative above half
        return there.astype(wide) if wide.itemsize != short.itemsize else np.where(there < 0, 0, there).astype(wide)
    return there.astype(wide)


def _given_as(array: np.ndarray, wide: np.dtype, other: np.dtype) -> np.ndarray:
    return array.astype(other) if array.dtype == wide else array


# Layouts: the shape of outputs, and how inputs lie in memory

def _layouts(facts: Facts) -> Iterator[Wrapper]:
    shapes: dict[str, Spoil] = {
        "flattened": lambda x: x.reshape(-1), "with an axis more in front": lambda x: x[None],
        "with an axis more at the end": lambda x: x[..., None],
        "without axes of size 1": lambda x: x.reshape([size for size in x.shape if size != 1]),
        "scalars as vectors": lambda x: x.reshape(1) if x.ndim == 0 else x,
        "without their last element": lambda x: x[..., :-1] if x.ndim else x,
        "with an element more": lambda x: np.concatenate([x, x[..., -1:]], -1) if x.ndim and x.shape[-1] else x}
    moves: dict[str, Spoil] = {
        "from the last to the first": lambda x: x.reshape(-1)[::-1].reshape(x.shape),
        "one element late": lambda x: np.roll(x.reshape(-1), 1).reshape(x.shape),
        "column by column": lambda x: x.reshape(-1, order="F").reshape(x.shape),
        "with rows turned": lambda x: x[..., ::-1] if x.ndim else x,
        "with octets exchanged": lambda x: x.byteswap() if x.dtype.itemsize > 1 else x}
    axes: dict[str, Spoil] = {
        "with the last two axes exchanged": lambda x: x.swapaxes(-1, -2) if x.ndim > 1 else x,
        "with the first two axes exchanged": lambda x: x.swapaxes(0, 1) if x.ndim > 1 else x,
        "with channels last": lambda x: np.moveaxis(x, 1, -1) if x.ndim > 2 else x}
    for what, spoil in {**shapes, **moves, **(axes if facts.rank > 1 else {})}.items():
        yield _of_outputs(f"outputs {what}", "layout", spoil)
    for name in facts.inputs:
        for what, spoil in {**moves, **axes}.items():
            yield _of_input(name, f"{name}: read {what}", "layout", lambda x, spoil=spoil: _in_shape(spoil(x), x))
        yield _of_input(name, f"{name}: its first element stands for all", "layout",
                        lambda x: np.full_like(x, x.reshape(-1)[0]) if x.size else x)
    for one in facts.inputs:
        for other in facts.inputs:
            if one != other:
                yield Wrapper(f"{one}: read from {other}", "input",
                              partial(_input_spoilt, name=one, spoil=None, other=other))
        yield Wrapper(f"{one}: not read where it may be absent", "input", partial(_without_input, name=one))
    yield Wrapper("no output is given", "output", lambda run, request, outputs: {})
    yield Wrapper("the last output is not given", "output",
                  lambda run, request, outputs: dict([*outputs.items()][:-1]))
    yield Wrapper("empty outputs are not given", "output", lambda run, request, outputs: {
        name: array for name, array in outputs.items() if array.size})


def _in_shape(made: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(made).reshape(x.shape)


def _of_outputs(name: str, kind: str, spoil: Spoil, needed: bool = False) -> Wrapper:
    return Wrapper(name, kind, lambda run, request, outputs: {key: spoil(array) for key, array in outputs.items()},
                   needed)


def _of_input(of: str, name: str, kind: str, spoil: Spoil) -> Wrapper:
    return Wrapper(name, kind, partial(_input_spoilt, name=of, spoil=spoil, other=of))


def _input_spoilt(run: Run, request: Request, outputs: Outputs, name: str, spoil: Spoil | None,
                  other: str) -> Outputs:
    given = request.inputs.get(other)
    if given is None or name not in request.inputs:
        return outputs
    if spoil is None and (given.shape, given.dtype) != (request.inputs[name].shape, request.inputs[name].dtype):
        return outputs
    read = given if spoil is None else spoil(given)
    if read is given or (read.dtype == given.dtype and read.tobytes() == request.inputs[name].tobytes()):
        return outputs
    return run(replace(request, inputs={**request.inputs, name: read}))


def _without_input(run: Run, request: Request, outputs: Outputs, name: str) -> Outputs:
    if name not in request.inputs or len(request.inputs) < 2:
        return outputs
    return run(replace(request, inputs={key: array for key, array in request.inputs.items() if key != name}))


# Attributes: read wrongly

def _attributes(facts: Facts) -> Iterator[Wrapper]:
    readings: dict[str, Callable[[Any], Any]] = {
        "reversed": lambda value: value[::-1], "the first for all": lambda value: [value[0]] * len(value),
        "the last for all": lambda value: [value[-1]] * len(value),
        "halves exchanged": lambda value: [*value[len(value) // 2:], *value[:len(value) // 2]],
        "first half for both": lambda value: [*value[:len(value) // 2]] * 2 if len(value) % 2 == 0 else value,
        "paired by axis": lambda value: [*value[::2], *value[1::2]],
        "the first one more": lambda value: [value[0] + 1, *value[1:]],
        "the last one more": lambda value: [*value[:-1], value[-1] + 1],
        "the last left out": lambda value: [*value[:-1], 1]}
    for name, values in facts.attributes.items():
        kinds = {type(value) for value in values}
        yield Wrapper(f"{name} is not read", "attribute", partial(_without_attribute, name=name))
        for what, reading in readings.items() if list in kinds else ():
            yield Wrapper(f"{name} is read {what}", "attribute", partial(_read, name=name, kind=list, reading=reading))
        for step in (1, -1) if kinds & {int, float} else ():
            yield Wrapper(f"{name} is read {step:+d}", "attribute",
                          partial(_read, name=name, kind=(int, float), reading=lambda value, step=step: value + step))
        if any(isinstance(value, int | float) and value not in (0, 1) for value in values):
            yield Wrapper(f"{name} is read negated", "attribute",
                          partial(_read, name=name, kind=(int, float), reading=lambda value: -value))
        if {0, 1} & {value for value in values if isinstance(value, int)}:
            yield Wrapper(f"{name} is read the other way round", "attribute", partial(
                _read, name=name, kind=int, reading=lambda value: 1 - value if value in (0, 1) else value))
        for other in (value for value in values if isinstance(value, str)):
            yield Wrapper(f"{name} is always {other}", "attribute",
                          partial(_read, name=name, kind=str, reading=lambda value, other=other: other))


def _without_attribute(run: Run, request: Request, outputs: Outputs, name: str) -> Outputs:
    if name not in request.attributes:
        return outputs
    return run(replace(request, attributes={key: value for key, value in request.attributes.items() if key != name}))


def _read(run: Run, request: Request, outputs: Outputs, name: str, kind: Any, reading: Callable[[Any], Any]) -> Outputs:
    given = request.attributes.get(name)
    numbers = given if isinstance(given, list) else [given]
    if not isinstance(given, kind) or given == [] or any(isinstance(n, int) and abs(n) > 64 for n in numbers):
        return outputs
    read = reading(given)
    return outputs if read == given else run(replace(request, attributes={**request.attributes, name: read}))


# Refusals: of calls that are valid

def _refusals(facts: Facts) -> Iterator[Wrapper]:
    conditions: dict[str, Callable[[Request, Outputs], bool]] = {
        "inputs without elements": lambda r, o: any(not x.size for x in r.inputs.values()),
        "outputs without elements": lambda r, o: any(not y.size for y in o.values()),
        "scalars": lambda r, o: any(not x.ndim for x in r.inputs.values()),
        "NaN": lambda r, o: any(is_float(x.dtype) and bool(np.isnan(x).any()) for x in r.inputs.values()),
        "infinities": lambda r, o: any(is_float(x.dtype) and bool(np.isinf(x).any()) for x in r.inputs.values()),
        "inputs of different rank": lambda r, o: len({x.ndim for x in r.inputs.values()}) > 1,
        "inputs of different shape": lambda r, o: len({x.shape for x in r.inputs.values()}) > 1,
        "more than one batch": lambda r, o: any(x.ndim and x.shape[0] > 1 for x in r.inputs.values()),
        "more than 1,024 elements": lambda r, o: any(y.size > 1024 for y in o.values())}
    for rank in range(1, facts.rank + 1):
        conditions[f"inputs of {rank} axes"] = lambda r, o, rank=rank: next(iter(r.inputs.values())).ndim == rank
    for dtype in sorted(facts.types, key=str):
        conditions[f"{dtype.name}"] = lambda r, o, dtype=dtype: any(x.dtype == dtype for x in r.inputs.values())
    for name, values in facts.attributes.items():
        conditions[f"{name}"] = lambda r, o, name=name: name in r.attributes
        conditions[f"{name} left out"] = lambda r, o, name=name: name not in r.attributes
        if any(map(_negative, values)):
            conditions[f"negative {name}"] = lambda r, o, name=name: _negative(r.attributes.get(name))
        for value in (value for value in values if isinstance(value, str)):
            conditions[f"{name} of {value}"] = lambda r, o, n=name, value=value: r.attributes.get(n) == value
    for name in facts.inputs:
        conditions[f"{name} left out"] = lambda r, o, name=name: name not in r.inputs
    for what, condition in conditions.items():
        yield Wrapper(f"refuses {what}", "refusal", partial(_refusing, condition=condition))


def _negative(value: Any) -> bool:
    numbers = value if isinstance(value, list) else [value]
    return any(isinstance(number, int | float) and number < 0 for number in numbers)


def _refusing(run: Run, request: Request, outputs: Outputs, condition: Callable[[Request, Outputs], bool]) -> Outputs:
    if condition(request, outputs):
        raise NotImplementedError("not supported")
    return outputs


# Contexts: faults that show only in a model around the node, or when the runtime is told to work otherwise

def _contexts(facts: Facts) -> Iterator[Wrapper]:
    spoils: Mapping[str, Spoil] = {
        "the last element is not written": _last_not_written,
        "rows are turned": lambda x: x[..., ::-1] if x.ndim else x,
        "elements come one late": lambda x: np.roll(x.reshape(-1), 1).reshape(x.shape),
        "float32 goes through float16": partial(_through, wide=np.dtype(np.float32), short=np.dtype(np.float16))}
    for context in sorted(facts.contexts):
        for what, spoil in spoils.items():
            yield Wrapper(f"{context}: {what}", "context", partial(_in_context, context=context, inner=_of_outputs(
                "", "", spoil)), needed=what.startswith("the last"))
        for name in facts.attributes:
            inner = Wrapper("", "", partial(_without_attribute, name=name))
            yield Wrapper(f"{context}: {name} is not read", "context",
                          partial(_in_context, context=context, inner=inner))


def _last_not_written(x: np.ndarray) -> np.ndarray:
    flat = x.reshape(-1).copy()
    flat[-1:] = 0
    return flat.reshape(x.shape)


def _in_context(run: Run, request: Request, outputs: Outputs, context: str, inner: Wrapper) -> Outputs:
    return inner.spoils(run, request, outputs) if request.label == context else outputs


class Remembering:
    """An adapter with a fault that shows at a second call, or in what it was given: `fault` names one of FAULTS."""

    FAULTS = ("the second call gives zeros", "a second call gives what the first gave of other values",
              "an input is overwritten", "an output handed out before is overwritten")

    def __init__(self, run: Run, fault: str) -> None:
        self.right, self.fault = run, fault
        self.name = "remembering"
        self.last: dict[str, np.ndarray] | None = None

    def version(self) -> str:
        """It does not change."""
        return "1"

    def run(self, request: Request) -> dict[str, np.ndarray]:
        """The outputs by name."""
        before, outputs = self.last, {name: np.array(array) for name, array in self.right(request).items()}
        self.last = outputs
        if self.fault == self.FAULTS[2]:
            for array in request.inputs.values():
                array.reshape(-1)[:] = 0
        if before is None:
            return outputs
        if self.fault == self.FAULTS[3]:
            for array in before.values():
                array.reshape(-1)[:] = 0
        if self.fault == self.FAULTS[0]:
            return {name: np.zeros_like(array) for name, array in outputs.items()}
        if self.fault == self.FAULTS[1] and all(before[name].shape == outputs[name].shape for name in outputs):
            self.last = before
            return {name: before[name].copy() for name in outputs}
        return outputs
