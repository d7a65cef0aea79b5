"""Judge and generate calls of ONNX Attention, by `spec/onnx/attention.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.functions import body_for_fewer_calls, enclose
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Operator,
    Symptom,
    Unspecified,
    disputed,
    on_call,
    unspecified,
)
from plumbline.oracle.rounding import PRECISION, Wide
from plumbline.oracle.size_classes import DTYPE, LARGE, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.type_names import name_of

Change = Callable[[Mapping[str, np.ndarray]], Mapping[str, np.ndarray]]
"""Another reading of all inputs."""

LARGEST = float(np.finfo(np.float32).max)
PASTS = {"past_key": "K", "past_value": "V"}
WINDOWS = ("left_window_size", "right_window_size")
COMPUTED, PRESENTS = ("Y", "qk_matmul_output"), ("present_key", "present_value")
PLACES = (*"QKV", "attn_mask", *PASTS, "nonpad_kv_seqlen")

EDITIONS = UNGUARDED, FROM_THE_LEFT, MASK_FIRST, CYCLIC, HEADS_FIRST = (
    "rows of minus infinity", "causal from the left", "mask before softcap", "heads in turn", "heads before positions")
"""Readings of older editions, each of which has the first ones, the oldest all."""

SMALL = 2**14
"""Most elements of a call of which other readings stay in memory."""

BROADCAST, TO_THE_LAST, FINITE = "broadcast mask", "causal to the last key", "finite masks"
"""Other readings: one that is open, and two that are wrong."""


def _in_float32(inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    with np.errstate(over="ignore"):
        return {name: x.astype(np.float32) if x.dtype == np.float64 else x for name, x in inputs.items()}


def _finite(inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.clip(x, -LARGEST, LARGEST) if x.dtype == np.float32 else x
            for name, x in _in_float32(inputs).items()}


def _gives(definition: Operator, entry: Divergence, readings: Sequence[str] = (), closed: bool = False,
           inputs: Change = dict, attributes: Mapping[str, Any] | None = None) -> bool:
    """Return True if the wrong elements are those of the call with other inputs or attributes, by some readings.

    closed: whether no element may be open."""
    assert isinstance(definition, Attention)
    return definition.other(frozenset(readings) - {""}, inputs, attributes).is_shown(entry, closed)


def _otherwise(what: str, *readings: str, **changed: Any) -> Symptom:
    """Return a symptom: elements are what the call gives without windows, with other attributes (None for none), by one
    of some readings; as it is, in float32, or in that with ends for infinities; but not as it is read in float32."""
    def shown(definition: Operator, entry: Divergence) -> bool:
        attributes = {name: value for name, value in {**definition.attributes, **changed}.items()
                      if name not in WINDOWS and value is not None}
        is_other = bool(readings) or attributes != definition.attributes
        if entry.where is None or entry.output not in COMPUTED or not is_other or (
                "scale" in changed and definition.attributes.get("scale") != 0):
            return False
        return not _gives(definition, entry, closed=True, inputs=_in_float32) and any(
            _gives(definition, entry, (reading, *more), attributes=attributes, inputs=inputs)
            for reading in readings or ("",) for inputs, *more in ((dict,), (_in_float32,), (_finite, FINITE)))
    shown.__doc__ = f"Elements are those {what}."
    return shown


def _single_precision(definition: Operator, entry: Divergence) -> bool:
    """Elements are those that float32 gives."""
    return entry.where is not None and entry.output in COMPUTED and _gives(definition, entry, inputs=_in_float32)


class Attention(Operator):
    """A call of Attention under one version of its specification, by the steps of its function body.

    reading: of the readings above those that the call is read by."""

    family = "Matrix products"
    exact = False
    flag_notes = {"three-axes": "The heads lie side by side on the last axis.", "cached": "Past keys come first.",
                  "grouped": "Several heads of Q share one of K.", "softcap": "Scores are bounded by tanh.",
                  "mask": "A mask is given.", "short-mask": "The mask is shorter than the keys.",
                  "causal": "Later keys are masked.", "windowed": "Distant keys are masked.",
                  "padded": "nonpad_kv_seqlen is given."}

    symptoms = {"single-precision": _single_precision,
                "without-windows": _otherwise("of the call without windows"),
                "scale-not-given": _otherwise("of the default scale, and without windows", "", TO_THE_LAST, scale=None),
                "after-softcap": _otherwise("after softcap, or without windows", qk_matmul_output_mode=1),
                "unmasked": _otherwise("without is_causal, and without windows", is_causal=None),
                "to-the-last-key": _otherwise("of which the last query attends to the last key", TO_THE_LAST),
                "finite-masks": _otherwise("of masks that are finite", FINITE),
                "of-an-older-edition": _otherwise("of an older reading", *EDITIONS)}

    causal = one_of_values("is_causal.C2", "is_causal", (0, 1))
    mode = one_of_values("qk_matmul_output_mode.C2", "qk_matmul_output_mode", (0, 1, 2, 3))
    y_shape, y_value = shape_of_output("Y.C1", "Y"), elements_of("Y.F2", "Y", "not what the steps give")
    key_shape = shape_of_output("present_key.C1", "present_key")
    key_value = elements_of("present_key.F2", "present_key", "not the past key, and K")
    value_shape = shape_of_output("present_value.C1", "present_value")
    value_value = elements_of("present_value.F2", "present_value", "not the past value, and V")
    qk_shape = shape_of_output("qk_matmul_output.C1", "qk_matmul_output")
    qk_value = elements_of("qk_matmul_output.F2", "qk_matmul_output", "not what the steps give")

    def __init__(self, call: Call, version: int, reading: frozenset[str] = frozenset()) -> None:
        super().__init__(call, version)
        self.reading, self._others = reading, dict[Any, Attention]()

    def other(self, reading: frozenset[str], change: Change, attributes: Mapping[str, Any] | None) -> Attention:
        """Return the call with other inputs or attributes, by a reading; of a small call computed once."""
        attributes = self.attributes if attributes is None else attributes
        if change is _in_float32 and not any(x.dtype == np.float64 for x in self.inputs.values()):
            change = dict
        if (reading, change, attributes) == (self.reading, dict, self.attributes):
            return self
        key = reading, change, tuple(sorted(attributes.items()))
        other = self._others.get(key)
        if other is None:
            call = replace(self.call, inputs=change(self.inputs), attributes=attributes)
            other = Attention(call, self.version, reading)
            if sum(x.size for x in self.inputs.values()) <= SMALL:
                self._others[key] = other
        return other

    @on_call("Q.C2")
    def ranks(self) -> str | None:
        ranks = [self.inputs[name].ndim for name in "QKV"]
        return None if ranks in ([3] * 3, [4] * 3) else f"Q, K and V have {ranks} axes"

    @on_call("q_num_heads.C2", needs=("Q.C2",))
    def heads_of_flat(self) -> str | None:
        counts = [self.attributes.get(name) for name in ("q_num_heads", "kv_num_heads", "kv_num_heads")]
        sizes = [self.inputs[name].shape[-1] for name in "QKV"]
        fits = self.inputs["Q"].ndim == 4 or all(count is not None and count > 0 and size % count == 0
                                                 for count, size in zip(counts, sizes, strict=True))
        return None if fits else f"{sizes} elements are divided into {counts} heads"

    def heads(self, name: str) -> np.ndarray:
        """Return an input with the axes batch, head, position and element."""
        x = self.inputs[name]
        if x.ndim == 4:
            return x
        (batch, length, size), count = x.shape, self.attributes["q_num_heads" if name == "Q" else "kv_num_heads"]
        if HEADS_FIRST in self.reading:
            return x.reshape(batch, count, length, size // count)
        return x.reshape(batch, length, count, size // count).transpose(0, 2, 1, 3)

    @on_call("K.C1", needs=("q_num_heads.C2",))
    def sizes(self) -> str | None:
        q, k, v = (self.heads(name).shape for name in "QKV")
        fits = q[0] == k[0] == v[0] and k[1:3] == v[1:3] and q[3] == k[3] and k[1] and q[1] % k[1] == 0
        return None if fits else f"Q, K and V have the sizes {q}, {k} and {v}"

    @on_call("past_key.C2", needs=("K.C1",))
    def pasts(self) -> str | None:
        given = [self.inputs[name].shape for name in PASTS if name in self.inputs]
        wanted = [self.heads(name).shape for name in PASTS.values()]
        fits = not given or len(given) == 2 and given[0][2:3] == given[1][2:3] and all(
            (*one[:2], *one[3:]) == (*other[:2], other[3]) and len(one) == 4
            for one, other in zip(given, wanted, strict=True))
        return None if fits else f"past keys and values have the shapes {given}"

    @on_call("nonpad_kv_seqlen.C2", needs=("K.C1",))
    def numbers_of_keys(self) -> str | None:
        counts, keys = self.inputs.get("nonpad_kv_seqlen"), self.heads("K")
        fits = counts is None or counts.shape == keys.shape[:1] and (np.clip(counts, 0, keys.shape[2]) == counts).all()
        return None if fits else f"nonpad_kv_seqlen is {counts}"

    @on_call("nonpad_kv_seqlen.C3")
    def one_cache(self) -> str | None:
        both = {"nonpad_kv_seqlen", *PASTS}.issubset(self.inputs)
        return "past keys and nonpad_kv_seqlen are given" if both else None

    @on_call("attn_mask.C2")
    def type_of_mask(self) -> str | None:
        kinds = [self.inputs[name].dtype for name in ("attn_mask", "Q") if name in self.inputs]
        return None if kinds[0] in (bool, kinds[-1]) else f"attn_mask is of {kinds[0]}"

    @on_call("attn_mask.C3", needs=("past_key.C2",))
    def shape_of_mask(self) -> str | None:
        mask = self.inputs.get("attn_mask")
        if mask is None:
            return None
        shape, whole = self.padded(mask).shape, self.shape_of("qk_matmul_output")
        fits = len(shape) in range(1, 5) and all(one in (1, other) for one, other in zip(
            shape[::-1], whole[::-1], strict=False))
        return None if fits else f"attn_mask has the shape {mask.shape}, and the scores {whole}"

    @on_call("softmax_precision.C2")
    def precision(self) -> str | None:
        value = self.attributes.get("softmax_precision", 1)
        return None if value in (1, 10, 11, 16) else f"softmax_precision is {value}"

    @on_call("left_window_size.C2")
    def windows(self) -> str | None:
        sizes = [self.attribute(name) for name in WINDOWS]
        return None if self.version < 25 or min(sizes) >= -1 else f"the windows have {sizes}"

    def padded(self, mask: np.ndarray) -> np.ndarray:
        """Return a mask whose last axis, where it is shorter than the keys, has False or -inf behind it."""
        total, least = self.shape_of("qk_matmul_output")[3], np.max(self.inputs.get("nonpad_kv_seqlen", 0), initial=0)
        missing = total - mask.shape[-1] if self.version >= 24 and mask.ndim and mask.shape[-1] >= least else 0
        if missing <= 0 or BROADCAST in self.reading and mask.shape[-1] == 1:
            return mask
        behind = np.full((*mask.shape[:-1], missing), False if mask.dtype == bool else -np.inf, mask.dtype)
        return np.concatenate([mask, behind], -1)

    @property
    def past(self) -> int:
        """The number of past keys."""
        return int(self.inputs["past_key"].shape[2]) if "past_key" in self.inputs else 0

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of an output; that of qk_matmul_output is that of all scores."""
        (batch, heads, queries, _), (_, shared, keys, size) = self.heads("Q").shape, self.heads(
            "K" if output == "present_key" else "V").shape
        if output == "Y":
            flat = self.inputs["Q"].ndim == 3
            return (batch, queries, heads * size) if flat else (batch, heads, queries, size)
        total = self.past + keys
        return (batch, heads, queries, total) if output == "qk_matmul_output" else (batch, shared, total, size)

    def present(self, past: str) -> np.ndarray:
        """Return keys or values, the past ones first."""
        parts = [self.inputs[past]] if past in self.inputs else []
        return np.concatenate([*parts, self.heads(PASTS[past])], axis=2)

    def shared(self, past: str) -> np.ndarray:
        """Return keys or values for each head of Q."""
        x = self.present(past)
        count = self.heads("Q").shape[1] // x.shape[1]
        return np.asarray(np.tile(x, (1, count, 1, 1)) if CYCLIC in self.reading else np.repeat(x, count, axis=1))

    @cached_property
    def offset(self) -> np.ndarray:
        """int64 (batch or 1, 1, 1, 1): the position of the first query among the keys."""
        counts = self.inputs.get("nonpad_kv_seqlen")
        if TO_THE_LAST in self.reading:
            return np.full((1, 1, 1, 1), self.past + self.heads("K").shape[2] - self.heads("Q").shape[2])
        if FROM_THE_LEFT in self.reading or counts is None:
            return np.full((1, 1, 1, 1), 0 if FROM_THE_LEFT in self.reading else self.past)
        return np.asarray(counts.reshape(-1, 1, 1, 1) - self.heads("Q").shape[2])

    @cached_property
    def bias(self) -> np.ndarray:
        """The number that is added to each score."""
        whole, dtype = self.shape_of("qk_matmul_output"), self.inputs["Q"].dtype
        keys = np.arange(whole[3])
        ahead = keys - (np.arange(whole[2])[:, None] + self.offset)
        left, right = (self.attribute(name) if self.version >= 25 else -1 for name in WINDOWS)
        masked = (ahead > 0) & (self.attribute("is_causal") == 1)
        masked = masked | (ahead > right) & (right >= 0) | (-ahead > left) & (left >= 0)
        if "nonpad_kv_seqlen" in self.inputs:
            masked = masked | (keys >= self.inputs["nonpad_kv_seqlen"].reshape(-1, 1, 1, 1))
        mask = self.padded(self.inputs.get("attn_mask", np.zeros(whole[3], dtype)))
        with np.errstate(invalid="ignore"):
            added = np.where(mask, 0, -np.inf).astype(dtype) if mask.dtype == bool else mask
            bias = np.asarray(added + np.where(masked, -np.inf, 0).astype(dtype) + np.zeros(whole, dtype))
        largest = float(PRECISION[name_of(dtype)][2])
        return np.clip(bias, -largest, largest).astype(dtype) if FINITE in self.reading else bias

    @cached_property
    def nothing(self) -> np.ndarray:
        """bool (batch, heads, queries, 1): which rows have no key."""
        return np.asarray(np.isneginf(self.bias.astype(Wide)).all(axis=3, keepdims=True))

    def factor(self) -> Ends:
        """Return the root of the scale between that in real numbers and that in float32."""
        size = self.inputs["Q"].shape[-1] if self.inputs["Q"].ndim == 4 else self.heads("Q").shape[3]
        with np.errstate(all="ignore"):
            scale = [kind(self.attributes["scale"]) if "scale" in self.attributes else 1 / np.sqrt(kind(size))
                     for kind in (lambda number: Wide(np.float32(number)), np.float32)]
            exact, single = (np.sqrt(one).astype(Wide) for one in scale)
        room = 0 if exact == single else abs(single) * 2.0**-22
        return Ends(np.asarray(np.minimum(exact, single - room)), np.asarray(np.maximum(exact, single + room)))

    def nodes(self) -> Iterator[NodeProto]:
        """Yield the steps from scores to Softmax."""
        for number in (1, 2):
            before, after = f"mode {number - 1}", f"mode {number}"
            if (number == 1) == (MASK_FIRST in self.reading):
                yield helper.make_node("Add", [before, "bias"], [after])
            elif self.attribute("softcap"):
                yield helper.make_node("Div", [before, "cap"], ["ratio"])
                yield helper.make_node("Tanh", ["ratio"], ["tanh"])
                yield helper.make_node("Mul", ["tanh", "cap"], [after])
            else:
                yield helper.make_node("Identity", [before], [after])

    @cached_property
    def results(self) -> dict[str, tuple[np.ndarray, Ends]]:
        """By output what is computed: the canonical elements, and the ends of what conforms; NaN where it is open."""
        dtype, cap = self.inputs["Q"].dtype, np.asarray(Wide(np.float32(self.attribute("softcap"))))
        with np.errstate(over="ignore"):
            given = {"q": self.heads("Q"), "k": self.shared("past_key").swapaxes(2, 3), "bias": self.bias,
                     "v": self.shared("past_value").astype(dtype)}
        numbers = {"factor": self.factor(), "cap": Ends(cap, cap)}
        tensors = {**given, **{name: ends.low.astype(dtype) for name, ends in numbers.items()}}
        ends = [{**given, **{name: each.outward(dtype)[end] for name, each in numbers.items()}} for end in (0, 1)]
        self._steps((helper.make_node(operator, names, [name]) for operator, names, name in (
            ("Mul", ["q", "factor"], "q_scaled"), ("Mul", ["k", "factor"], "k_scaled"),
            ("MatMul", ["q_scaled", "k_scaled"], "mode 0"))), tensors, ends)
        self._open_if_large("mode 0", [np.abs(given[name].astype(Wide)) for name in "qk"], ends)
        self._steps(self.nodes(), tensors, ends)
        precision = helper.tensor_dtype_to_np_dtype(self.attributes.get("softmax_precision", 1))
        self._cast("mode 2", "x", precision if "softmax_precision" in self.attributes else dtype, tensors, ends)
        self._steps([helper.make_node("Softmax", ["x"], ["weights"])], tensors, ends)
        self._cast("weights", "mode 3", dtype, tensors, ends)
        zero = np.isneginf(self.bias.astype(Wide)) & (ends[0]["mode 3"] == ends[0]["mode 3"]) & (
            MASK_FIRST not in self.reading or not self.attribute("softcap"))
        zero |= self.nothing & (UNGUARDED not in self.reading)
        for at in (tensors, *ends):
            at["mode 3"] = np.where(zero, dtype.type(0), at["mode 3"])
        self._steps([helper.make_node("MatMul", ["mode 3", "v"], ["y"])], tensors, ends)
        self._open_if_large("y", [~zero, np.abs(given["v"].astype(Wide))], ends)
        shape = self.shape_of("Y")
        for at in (tensors, *ends):
            at["y"] = at["y"].transpose(0, 2, 1, 3).reshape(shape) if len(shape) == 3 else at["y"]
        inner = {"Y": "y", "qk_matmul_output": f"mode {self.attribute('qk_matmul_output_mode')}"}
        return {output: (tensors[name], Ends(*(at[name].astype(Wide) for at in ends)))
                for output, name in inner.items()}

    def _steps(self, nodes: Iterable[NodeProto], tensors: dict[str, np.ndarray],
               ends: Sequence[dict[str, np.ndarray]]) -> None:
        enclose(nodes, self.version, tensors, *ends, of="onnx/attention")

    def _open_if_large(self, name: str, factors: Sequence[np.ndarray], ends: Sequence[dict[str, np.ndarray]]) -> None:
        """Open sums that are scaled, or divided, so that they may overflow before."""
        with np.errstate(all="ignore"):
            sizes = np.matmul(*factors)
        for at in ends:
            largest = Wide(float(PRECISION[name_of(at[name].dtype)][2]))
            at[name] = np.where(sizes < largest / 2, at[name], at[name].dtype.type(np.nan))

    def _cast(self, name: str, to: str, dtype: np.dtype, tensors: dict[str, np.ndarray],
              ends: Sequence[dict[str, np.ndarray]]) -> None:
        """Add a tensor in another type; its ends hold the numbers that are not rounded, too."""
        wide = Ends(*(at[name].astype(Wide) for at in ends))
        with np.errstate(all="ignore"):
            tensors[to] = tensors[name].astype(dtype)
        for at, end in zip(ends, wide.outward(dtype), strict=True):
            at[to] = end

    def expected(self) -> dict[str, np.ndarray]:
        """Return all outputs."""
        return {**{output: value for output, (value, _) in self.results.items()},
                "present_key": self.present("past_key"), "present_value": self.present("past_value")}

    def enclosure(self) -> dict[str, Ends]:
        """Return the ends of what conforms."""
        return {**{output: ends for output, (_, ends) in self.results.items()},
                **{output: Ends.around(self.canonical[output]) for output in PRESENTS}}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements between the ends."""
        if output not in self.results:
            return np.asarray(super().conforms(output, got) & (
                (got != 0) | (np.signbit(got) == np.signbit(self.canonical[output]))))
        with np.errstate(invalid="ignore"):
            ends, given = self.results[output][1], got.astype(Wide)
            return np.asarray((given >= ends.low) & (given <= ends.high))

    def is_shown(self, entry: Divergence, closed: bool) -> bool:
        """Return True if the wrong elements of another call conform, or are open unless `closed`. Finite masks, whose
        ends are far apart, show only elements that the text has as zero, in rows without a key, or as infinite."""
        expected = np.asarray(entry.expected).ravel()
        if FINITE in self.reading and not ((expected == 0) | np.isinf(expected)).all():
            return False
        found, at = self.canonical[entry.output].astype(Wide), tuple(np.asarray(entry.where).T)
        found[at] = np.asarray(entry.got).astype(Wide).reshape(found[at].shape)
        is_open = np.isnan(self.results[entry.output][1].low)[at]
        return bool(np.where(is_open, not closed, self.conforms(entry.output, found)[at]).all())

    def tolerance(self) -> dict[str, float]:
        """Return the largest distance of an end from the canonical value; 0 of what is copied."""
        with np.errstate(invalid="ignore"):
            found = {output: [np.abs(end - value.astype(Wide)) for end in ends]
                     for output, (value, ends) in self.results.items()}
        return {**dict.fromkeys(PRESENTS, 0.0), **{
            output: float(np.max([np.where(np.isfinite(each), each, 0) for each in distances], initial=0))
            for output, distances in found.items()}}

    def _open(self, masks: Mapping[str, np.ndarray]) -> Unspecified | None:
        """Leave any value of elements of outputs open."""
        allowances = {output: Allowance(mask) for output, mask in masks.items() if mask.any()}
        return Unspecified(allowances) if allowances else None

    def _all_open(self, *outputs: str) -> Unspecified | None:
        return self._open({output: np.ones(self.shape_of(output), bool) for output in outputs})

    @unspecified("Y.U1")
    def undecided(self) -> Unspecified | None:
        return self._open({output: np.isnan(ends.low) | np.isnan(ends.high)
                           for output, (_, ends) in self.results.items()})

    @unspecified("Y.U2")
    def two_types(self) -> Unspecified | None:
        return self._all_open("Y") if self.inputs["Q"].dtype != self.inputs["V"].dtype else None

    @unspecified("is_causal.U1", refusal=True)
    def both_masks(self) -> Unspecified | None:
        both = self.attribute("is_causal") and "attn_mask" in self.inputs
        return self._all_open(*COMPUTED) if both else None

    @unspecified("scale.U1")
    def odd_numbers(self) -> Unspecified | None:
        odd = self.attributes.get("scale", 0) < 0 or self.attribute("softcap") < 0
        return self._all_open(*COMPUTED) if odd else None

    @unspecified("q_num_heads.U1", refusal=True)
    def heads_of_four_axes(self) -> Unspecified | None:
        given = {"q_num_heads", "kv_num_heads"} & self.attributes.keys() and self.inputs["Q"].ndim == 4
        return Unspecified(dict.fromkeys((*COMPUTED, *PRESENTS), Allowance(shape=True, rank=True))) if given else None

    @unspecified("Q.U1", refusal=True)
    def empty(self) -> Unspecified | None:
        if all(self.inputs[name].size for name in "QKV"):
            return None
        return self._all_open(*COMPUTED if not self.heads("Q").shape[3] else ()) or Unspecified.refusal()

    @unspecified("present_key.U1", refusal=True)
    def without_past(self) -> Unspecified | None:
        return None if "past_key" in self.inputs else Unspecified(dict.fromkeys(PRESENTS, Allowance(False)))

    @unspecified("attn_mask.U1")
    def one_key(self) -> Unspecified | None:
        mask = self.inputs.get("attn_mask")
        return None if mask is None or self.padded(mask).shape == mask.shape or mask.shape[-1] != 1 else \
            self._read(BROADCAST)

    def _read(self, reading: str) -> Unspecified:
        """Return a reading alone, and with those of each edition that has it."""
        place = EDITIONS.index(reading) if reading in EDITIONS else len(EDITIONS)
        joint = [{reading}, *(set(EDITIONS[:count + 1]) for count in range(place, len(EDITIONS)))]
        return Unspecified({}, tuple(Attention(self.call, self.version, self.reading | each) for each in joint))

    @disputed("Y.E1")
    def mask_before_softcap(self) -> Unspecified | None:
        differs = self.attribute("softcap") or self.attribute("qk_matmul_output_mode") == 1
        return self._read(MASK_FIRST) if differs and self.bias.any() else None

    @disputed("is_causal.E1")
    def causal_from_the_left(self) -> Unspecified | None:
        return self._read(FROM_THE_LEFT) if self.attribute("is_causal") and self.offset.any() else None

    @disputed("Y.E2")
    def rows_of_nothing(self) -> Unspecified | None:
        return self._read(UNGUARDED) if self.nothing.any() else None

    @disputed("K.E1")
    def heads_in_turn(self) -> Unspecified | None:
        shared = self.heads("K").shape[1]
        return self._read(CYCLIC) if 1 < shared < self.heads("Q").shape[1] else None

    @disputed("Q.E1")
    def heads_before_positions(self) -> Unspecified | None:
        return self._read(HEADS_FIRST) if self.inputs["Q"].ndim == 3 and self.attributes["q_num_heads"] > 1 else None

    fewer_calls = body_for_fewer_calls(
        "Y.E3", "onnx/attention@23",
        lambda: Call("Attention", {}, {name: np.ones((1, 1, 2, 2), dtype) for name, dtype in zip(
            "QKV", (np.float32, np.float32, np.float16), strict=True)}),
        lambda: Call("Attention", {"q_num_heads": 1, "kv_num_heads": 1}, dict.fromkeys("QKV", np.ones((1, 0, 2)))))
    padding_of_one_axis = body_for_fewer_calls("Y.E4", "onnx/attention@24", lambda: Call(
        "Attention", {}, {**dict.fromkeys("QKV", np.ones((1, 1, 2, 2))), "attn_mask": np.ones((2, 2))}))

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return keys at the blocks of vector units, and a large output."""
        return SizeClass({"keys": (8, 16, 17, 33)}), a_large_output({"queries": 2, "keys": 1, "width": 35_000})

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the number of keys that K adds."""
        return {DTYPE: self.inputs["Q"].dtype.name, "keys": self.heads("K").shape[2],
                LARGE: is_large(self.shape_of("Y"))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: heads of few small elements, with a mask or a cache, or neither."""
        batch, shared, group = choose((1, 2)), choose((1, 2)), choose((1, 2, 3), (4, 2, 1))
        queries, keys = choose(Named("queries", (2, 1, 3, 0)), (8, 4, 4, 1)), choose(Named("keys", (3, 1, 2, 5)))
        size, of_value, flat = choose((2, 1, 4, 3, 16)), choose(Named("width", (2, 1, 3))), choose((False, True))
        dtype, values = a_type(choose, cls.types_of("Q", version)), choose(("sum", "any"), (5, 1))
        of_v = a_type(choose, cls.types_of("V", version)) if choose((False, True), (12, 1)) else dtype

        def tensor(count: int, length: int, elements: int, kind: str, laid_flat: bool) -> np.ndarray:
            shape = (batch, length, count * elements) if laid_flat else (batch, count, length, elements)
            return choose.tensor(shape, kind, values)
        near = np.asarray(choose((4, 1)))
        inputs = {"Q": tensor(shared * group, queries, size, dtype, flat), "K": tensor(shared, keys, size, dtype, flat),
                  "V": tensor(shared, keys, of_value, of_v, flat)}
        with np.errstate(all="ignore"):
            inputs |= {name: np.asarray(inputs[name] / near.astype(dtype)) for name in "QK"}
        cache = choose(("none", "past", "nonpad") if version >= 24 else ("none", "past"))
        total, needed = keys, 1
        if cache == "past":
            total += (past := choose((2, 1, 0), (4, 2, 1)))
            inputs |= {"past_key": tensor(shared, past, size, dtype, False),
                       "past_value": tensor(shared, past, of_value, of_v, False)}
        if cache == "nonpad":
            counts = [choose(range(keys, -1, -1)) for _ in range(batch)]
            inputs["nonpad_kv_seqlen"], needed = np.array(counts, np.int64), max(1, *counts)
        if mask := choose(("", "bool", dtype)):
            length = choose(range(total, needed - 1, -1)) if version >= 24 and choose((False, True), (3, 1)) else total
            shape = choose(((queries, length), (batch, shared * group, queries, length), (length,),
                            (batch, 1, 1, length), (1, shared * group, 1, length)))
            inputs["attn_mask"] = choose.tensor(shape, mask, "any" if mask == "bool" else values)
            if mask != "bool" and choose((False, True)):
                with np.errstate(invalid="ignore"):
                    below = inputs["attn_mask"] < 0
                inputs["attn_mask"] = np.where(below, np.array(-np.inf, dtype), inputs["attn_mask"])
        choices: dict[str, tuple[Any, ...]] = {
            "is_causal": (1, 0), "scale": (0.25, 1.0, 0.3, 3.0, 0.0), "softcap": (2.0, 0.5, 30.0, 0.0),
            "qk_matmul_output_mode": (1, 2, 3, 0), "softmax_precision": (1, 11, 10, 16),
            **(dict.fromkeys(WINDOWS, (1, 0, 2, -1)) if version >= 25 else {})}
        attributes = {name: choose(options) for name, options in choices.items() if choose((False, True), (3, 2))}
        if flat or choose((False, True), (20, 1)):
            attributes |= {"q_num_heads": shared * group, "kv_num_heads": shared}
        return Call("Attention", attributes, {name: inputs[name] for name in PLACES if name in inputs})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        q, k = self.inputs["Q"], self.inputs["K"]
        shared = q.ndim == k.ndim and q.ndim in (3, 4) and (
            self.attributes.get("q_num_heads") != self.attributes.get("kv_num_heads") if q.ndim == 3
            else q.shape[1] != k.shape[1])
        return {"three-axes": q.ndim == 3, "cached": "past_key" in self.inputs, "grouped": shared,
                "softcap": bool(self.attribute("softcap")), "mask": "attn_mask" in self.inputs,
                "causal": self.attribute("is_causal") == 1, "padded": "nonpad_kv_seqlen" in self.inputs,
                "windowed": self.version >= 25 and max(self.attribute(name) for name in WINDOWS) >= 0}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        keys = self.shape_of("qk_matmul_output")[3]
        return {"short-mask": "attn_mask" in self.inputs and self.inputs["attn_mask"].shape[-1:] < (keys,)}
