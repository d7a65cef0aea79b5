"""Judge and generate calls of ONNX NonMaxSuppression, by `spec/onnx/nonmaxsuppression.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.operator import Allowance, Choose, Operator, Predicate, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import DTYPE, ROWS, Named, SizeClass

NUMBERS = ("max_output_boxes_per_class", "iou_threshold", "score_threshold")
OUTPUT = "selected_indices"
MOST = 64
"""Most selections that an answer is compared with; where there are more, any answer conforms."""

U, TINY, HUGE = 2.0**-24, 2.0**-126, 2.0**127

Boxes = tuple[int, ...]


def one_number(clause: str, name: str) -> Predicate:
    """An input, where it is given, has one element, and at most one axis."""
    def other(self: Operator) -> str | None:
        shape = self.inputs[name].shape if name in self.inputs else ()
        return None if shape in ((), (1,)) else f"{name} has shape {list(shape)}"
    return Predicate("call", clause, other)


def _with_number(definition: Any, entry: Divergence, name: str, number: Any) -> bool:
    """The output is that of the call with another number in an optional input."""
    call = replace(definition.call, inputs={**definition.inputs, name: np.array(number)})
    rows = NonMaxSuppression(call, definition.version).canonical[OUTPUT]
    if isinstance(entry.got, str):
        return entry.got == str([*rows.shape])
    return rows.shape == definition.shape_of(OUTPUT) and entry.where is not None and bool(
        np.array_equal(rows[tuple(entry.where.T)], entry.got))


def threshold_removed(definition: Any, entry: Divergence) -> bool:
    """Boxes whose score equals score_threshold are removed."""
    least = np.float32(definition.number(NUMBERS[2], -np.inf))
    return _with_number(definition, entry, NUMBERS[2], np.nextafter(least, np.float32(np.inf)))


def most_in_32_bits(definition: Any, entry: Divergence) -> bool:
    """Of max_output_boxes_per_class the lower 32 bits count, as a signed number."""
    most = lower_bits(np.array(definition.number(NUMBERS[0], 0)))
    return _with_number(definition, entry, NUMBERS[0], most.clip(0))


def most_unlimited(definition: Any, entry: Divergence) -> bool:
    """Boxes are selected though max_output_boxes_per_class is 0, or not given."""
    return not definition.number(NUMBERS[0], 0) and str(entry.got).endswith(", 3]")


class NonMaxSuppression(Operator):
    """A call of NonMaxSuppression; `chosen` has the boxes of each class of each batch, by one reading of it."""

    shape_symptoms = {"threshold-removed": threshold_removed, "most-in-32-bits": most_in_32_bits,
                      "most-unlimited": most_unlimited}
    symptoms = {**Operator.symptoms, **shape_symptoms}
    flag_notes = {
        "centers": "boxes are given by centers and sizes.",
        "flipped": "corners of a box are not in rising order.",
        "no-area": "a box has no area.",
        "score-at-threshold": "a score equals score_threshold."}

    shape = shape_of_output(f"{OUTPUT}.C1", OUTPUT)
    value = elements_of(f"{OUTPUT}.F2", OUTPUT, "not that of a box that is selected")
    formats = one_of_values("center_point_box.C2", "center_point_box", (0, 1))
    one_most, one_limit, one_least = (one_number(f"{name}.C2", name) for name in NUMBERS)

    def __init__(self, call: Call, version: int, chosen: Sequence[Boxes] | None = None) -> None:
        super().__init__(call, version)
        self.chosen = chosen

    def number(self, name: str, default: float) -> Any:
        """The element of an optional input, or its default."""
        return self.inputs[name].item() if name in self.inputs else default

    @cached_property
    def spans(self) -> np.ndarray:
        """float64 (2, batches, boxes, 2): the lower ends of boxes, and the upper ones, along both axes."""
        first, second = np.split(self.inputs["boxes"].astype(np.float64), 2, axis=-1)
        if self.attribute("center_point_box") == 1:
            with np.errstate(invalid="ignore"):
                return np.stack([first - second / 2, first + second / 2])
        return np.stack([np.minimum(first, second), np.maximum(first, second)])

    def overlaps(self, batch: int, one: int, others: Sequence[int]) -> np.ndarray:
        """int (others): 1 where a box and another overlap too much, -1 where they do not, 0 where that is open.

        `room` bounds the rounding of ends in float32, from which bounds of lengths, areas and the quotient follow."""
        low, high = self.spans[:, batch, [one, *others]]
        sign = np.array([[-1], [1]])  # of lower and upper bounds
        grown, step = 1 + 4 * U * sign, TINY * sign
        with np.errstate(all="ignore"):
            room, sides = 8 * U * np.maximum(np.abs(low), np.abs(high)), high - low
            common = np.minimum(high[0], high[1:]) - np.maximum(low[0], low[1:])
            areas = (sides + 2 * sign[..., None] * room).clip(0).prod(-1) * grown + step
            shared = (common + sign[..., None] * (room[0] + room[1:])).clip(0).prod(-1) * grown
            shared = np.where(shared > 0, shared + step, 0).clip(0)
            unions = (areas[:, :1] + areas[:, 1:]) * grown - shared[::-1]
            bounds = np.where(unions[::-1] > 0, shared / unions[::-1], np.array([[0], [np.inf]])) * grown
            proper = (np.isfinite(sides) & (sides >= 0) & (sides < HUGE)).all(-1) & (areas[1] < HUGE)
        limit = self.number("iou_threshold", 0)
        found = np.where(bounds[0] > limit, 1, np.where(bounds[1] < limit, -1, 0))
        return np.where(proper[0] & proper[1:], found, 0)

    def groups(self, batch: int, label: int, order: bool) -> Iterator[list[int]]:
        """Yield the boxes of a class whose scores are high enough, by falling score; with `order` those together whose
        scores are equal and whose order may count."""
        scores, before = self.inputs["scores"][batch, label], 0
        kept = np.flatnonzero(~(scores < self.number(NUMBERS[2], -np.inf)))
        kept = kept[np.argsort(-scores[kept], kind="stable")]
        for group in np.split(kept, np.flatnonzero(scores[kept][1:] != scores[kept][:-1]) + 1):
            before += len(group)
            together = [box for box in group if before > self.number(NUMBERS[0], 0) or (
                self.overlaps(batch, box, group[group != box]) >= 0).any()] if order and len(group) > 1 else []
            yield from ([box] for box in group if box not in together)
            yield together

    def selections(self, batch: int, label: int, order: bool, either: bool) -> Sequence[Boxes] | None:
        """The boxes of a class that may be selected; None where there are too many ways.

        order: whether boxes of equal scores come in any order, else as in the input.
        either: whether a box whose overlap is open may be suppressed."""
        most = self.number(NUMBERS[0], 0)

        def later(chosen: Boxes, group: list[int]) -> Iterator[Boxes]:
            """Yield what may be selected once the boxes of a group are looked at."""
            worst = {box: self.overlaps(batch, box, chosen).max() if chosen else -1 for box in group}
            left = [box for box in group if worst[box] < 1]
            if not left or len(chosen) >= most:
                yield chosen
                return
            for box in left:
                rest = [other for other in left if other != box]
                yield from later((*chosen, box), rest)
                if worst[box] == 0 and either:
                    yield from later(chosen, rest)

        states: list[Boxes] = [()]
        for group in self.groups(batch, label, order):
            if group and any(len(state) < most for state in states):
                ways = list(islice((after for state in states for after in later(state, group)), 8 * MOST))
                states = list({frozenset(each): each for each in ways}.values())
                if len(group) > MOST or len(ways) == 8 * MOST or len(states) > MOST:
                    return None
        return states

    def all_selections(self, order: bool, either: bool) -> list[Sequence[Boxes]] | None:
        """By class the boxes that may be selected; None where there are too many ways."""
        found = [self.selections(*place, order, either) for place in self.classes]
        ways = [each for each in found if each is not None]
        return ways if len(ways) == len(found) and prod(map(len, ways)) <= MOST else None

    @property
    def classes(self) -> list[tuple[int, int]]:
        """The classes of all batches."""
        return list(np.ndindex(*self.inputs["scores"].shape[:2]))

    def expected(self) -> dict[str, np.ndarray]:
        """Class by class, boxes of equal scores in the order of the input, and where an overlap is open both boxes."""
        chosen = self.chosen
        if chosen is None:
            chosen = [(self.selections(*place, order=False, either=False) or [()])[0] for place in self.classes]
        rows = [(*place, box) for place, boxes in zip(self.classes, chosen, strict=True) for box in boxes]
        return {OUTPUT: np.array(rows, np.int64).reshape(-1, 3)}

    @on_call("boxes.C2")
    def four_numbers(self) -> str | None:
        shape = self.inputs["boxes"].shape
        return None if len(shape) == 3 and shape[2] == 4 else f"boxes has shape {list(shape)}"

    @on_call("scores.C2", needs=("boxes.C2",))
    def one_score_each(self) -> str | None:
        boxes, scores = (self.inputs[name].shape for name in ("boxes", "scores"))
        alike = len(scores) == 3 and (scores[0], scores[2]) == boxes[:2]
        return None if alike else f"scores has shape {list(scores)}, boxes {list(boxes)}"

    @on_call(f"{NUMBERS[0]}.C3", needs=(f"{NUMBERS[0]}.C2",))
    def not_negative(self) -> str | None:
        most = self.number(NUMBERS[0], 0)
        return None if most >= 0 else f"{NUMBERS[0]} is {most}"

    @on_call(f"{NUMBERS[1]}.C3", needs=(f"{NUMBERS[1]}.C2",))
    def a_share(self) -> str | None:
        limit = self.number(NUMBERS[1], 0)
        return None if 0 <= limit <= 1 else f"{NUMBERS[1]} is {limit}"

    @unspecified("scores.U1")
    def equal_scores(self) -> Unspecified | None:
        return self.other_choices(order=True, either=False)

    @unspecified("boxes.U1")
    def open_overlaps(self) -> Unspecified | None:
        return self.other_choices(order=True, either=True)

    def other_choices(self, order: bool, either: bool) -> Unspecified | None:
        """The selections that conform besides those of fewer choices."""
        if self.chosen is not None:
            return None
        ways, fewer = self.all_selections(order, either), self.all_selections(order and either, False)
        if ways is None:
            return Unspecified.everything(OUTPUT)
        if fewer is None or prod(map(len, ways)) == prod(map(len, fewer)):
            return None
        return Unspecified({}, tuple(NonMaxSuppression(self.call, self.version, each) for each in product(*ways)))

    @unspecified("scores.U2")
    def not_a_number(self) -> Unspecified | None:
        numbers = (self.inputs["scores"], self.number(NUMBERS[2], 0))
        return Unspecified.everything(OUTPUT) if any(np.isnan(each).any() for each in numbers) else None

    @unspecified(f"{NUMBERS[2]}.U1")
    def no_threshold(self) -> Unspecified | None:
        is_open = NUMBERS[2] not in self.inputs and (self.inputs["scores"] <= 0).any()
        return Unspecified.everything(OUTPUT) if is_open else None

    @unspecified(f"{OUTPUT}.U3")
    def no_defaults(self) -> Unspecified | None:
        return None if self.inputs.keys() >= {*NUMBERS[:2]} else Unspecified.everything(OUTPUT)

    @unspecified(f"{OUTPUT}.U1")
    def any_order(self) -> Unspecified | None:
        rows = self.canonical[OUTPUT]

        def admits(got: np.ndarray) -> np.ndarray:
            return np.full(got.shape, sorted(got.tolist()) == sorted(rows.tolist()))
        return Unspecified({OUTPUT: Allowance(True, admits)}) if len(rows) > 1 else None

    @unspecified(f"{OUTPUT}.U2", refusal=True)
    def vectors(self) -> Unspecified | None:
        axes = any(self.inputs[name].ndim for name in NUMBERS if name in self.inputs)
        return Unspecified.refusal() if axes else None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Boxes at the blocks of vector units and beyond them, and many classes."""
        decided = {"any scores": False, "scores": 10007, "least": -1, "given": True}
        return (SizeClass({"boxes": ROWS}, {**decided, "most": 65}),
                SizeClass({"classes": [480]}, {**decided, "boxes": 3, "most": 3}))

    def named_sizes(self) -> Mapping[str, Any]:
        """The numbers of boxes and of classes."""
        return {DTYPE: "float32", "boxes": self.inputs["boxes"].shape[1], "classes": self.inputs["scores"].shape[1]}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: boxes on a grid, some of them flipped, or any boxes."""
        batches, labels = choose((1, 2)), choose(Named("classes", (1, 2, 3)))
        count = choose(Named("boxes", (4, 3, 6, 2, 1, 8, 0)), (4, 4, 4, 4, 2, 4, 1))
        dtype = a_type(choose, cls.types_of("boxes", version))
        places = choose.tensor((batches, count, 4), "int64", "order").astype(np.uint64) * np.uint64(7919)
        first, sizes = (np.array(half) for half in np.split((places % 8).astype(np.float32), 2, axis=-1))
        sizes = sizes + choose((1, 0))
        attributes = choose(({}, {"center_point_box": 1}, {"center_point_box": 0}))
        boxes = np.concatenate([first, sizes if attributes.get("center_point_box") else first + sizes], axis=-1)
        if choose((False, True)) and not attributes.get("center_point_box"):
            boxes = np.where(boxes[..., :1] % 3 == 0, boxes[..., [2, 1, 0, 3]], boxes[..., [2, 3, 0, 1]])
        boxes = boxes * choose((np.float32(1), np.float32(0.125), np.float32(1000)))
        if choose((False, True), (9, 1)):
            boxes = choose.tensor(boxes.shape, dtype, "order")
        order = np.arange(batches * labels * count, dtype=np.uint64).reshape(batches, labels, count) * np.uint64(7919)
        if choose(Named("any scores", (False, True))):
            order += choose.tensor(order.shape, "int64", "order").astype(np.uint64) * np.uint64(7919)
        scores = (order % np.uint64(choose(Named("scores", (10007, 4))))).astype(dtype) / 100
        if choose((False, True), (9, 1)):
            scores = choose.tensor(scores.shape, dtype, "order")
        least = choose(Named("least", (-1, 0.3, 20, *scores.reshape(-1)[:1])), (6, 4, 1, *(1,) * min(scores.size, 1)))
        numbers = {NUMBERS[0]: np.int64(choose(Named("most", (3, count, 1, 2, 2**40, 0)), (4, 4, 4, 4, 1, 1))),
                   NUMBERS[1]: np.float32(choose((0.31, 0.47, 0.1, 0.7, 0.5, 1, 0), (4, 4, 4, 4, 2, 1, 1))),
                   NUMBERS[2]: np.float32(least)}
        given = {name: np.full(choose(((), (1,)), (3, 1)), number) for name, number in numbers.items()
                 if choose(Named("given", (True, False)), (15, 1))}
        return Call("NonMaxSuppression", attributes, {"boxes": boxes, "scores": scores, **given})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        centers, boxes = self.attribute("center_point_box") == 1, self.inputs["boxes"]
        if self.four_numbers() or self.one_score_each() or self.one_least():
            return {"centers": centers}
        return {"centers": centers, "flipped": not centers and bool((boxes[..., :2] > boxes[..., 2:]).any()),
                "no-area": bool((self.spans[0] == self.spans[1]).any()),
                "score-at-threshold": bool((self.inputs["scores"] == self.number(NUMBERS[2], np.nan)).any())}
