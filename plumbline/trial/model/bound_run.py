"""Enclose what all conforming implementations of a model can give, node by node.

A tensor is its canonical value and two ends, between which every implementation is whose nodes each conform, on what
the nodes before them gave so. Ends of a node come from its definition (`oracle.enclosures`), are rounded outward, and
are NaN where nothing bounds an element. A node without a specification, or without a rule, bounds nothing.

The error of a final output is split as in error analysis: introduced by the last node that is not a copy, on canonical
inputs, and propagated, which is the rest. Results that are merely observed, of algorithms that add other terms
(Winograd's, variances from squares), are not enclosed; nor is what an implementation gives that replaces nodes by
others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from plumbline.oracle.enclosures import enclosure, with_inputs
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.movement import Movement
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide
from plumbline.trial.model.graph import Step
from plumbline.trial.model.independent_run import on_backend, reading_of
from plumbline.trial.model.node_judging import AT_ONCE
from plumbline.trial.model.parts_of_trial import Subject
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.record.model_part import BoundOfModel, EnclosedOutput


@dataclass(frozen=True, eq=False)
class Enclosed:
    """A tensor.

    low, high:  its ends, in its element type.
    introduced: how far an element may be off where the node that gives it has canonical inputs; copies keep it.
    node:       the node that gives it, or what it is a copy of.
    is_open:    of another type than floating point: whether some element may be another one.
    lost:       the node from which on its ends say nothing, and why; "" where they do.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    introduced: np.ndarray | float = 0.0
    node: str = ""
    is_open: bool = False
    lost: tuple[str, str] = ("", "")

    @property
    def distance(self) -> np.ndarray:
        """The largest distance of a conforming element from the canonical one; NaN where nothing is known."""
        value, low, high = (part.astype(Wide) for part in (self.value, self.low, self.high))
        with np.errstate(all="ignore"):
            return np.where((low == value) & (high == value), 0, np.maximum(high - value, value - low))

    def emptiness(self) -> str:
        """The reason why the ends say nothing, "" where they do."""
        if not is_float(self.value.dtype):
            return "decisions may fall otherwise" if self.is_open else ""
        distance = self.distance
        if unbounded := int((~np.isfinite(distance)).sum()):
            return f"nothing bounds {unbounded:,} of {distance.size:,} elements"
        finite = np.where(np.isfinite(self.value.astype(Wide)), np.abs(self.value.astype(Wide)), 0)
        widest = distance.max(initial=0)
        return "the enclosure is wider than the largest value" if widest > finite.max(initial=0) else ""


@dataclass(eq=False)
class BoundRun:
    """The run. tensors: those that later nodes read."""

    trial: ModelTrial
    tensors: dict[str, Enclosed] = field(default_factory=dict)

    def run(self) -> BoundOfModel:
        """Return the enclosures of the final outputs."""
        trial = self.trial
        if not trial.final:
            return BoundOfModel(why="the backend does not run the model")
        self.tensors |= {name: Enclosed(array, array, array) for name, array in trial.inputs.items()}
        left = Counter(name for subject in trial.subjects for name in subject.step.reads)
        for subject in trial.subjects:
            try:
                self._add(subject)
            except ValueError as error:
                return BoundOfModel(why=str(error))
            for name in subject.step.reads:
                left[name] -= 1
                if not left[name] and name not in trial.graph.outputs:
                    self.tensors.pop(name, None)
        return BoundOfModel(outputs={name: _described(self.tensors[name], trial.final[name])
                                     for name in trial.graph.outputs if name in self.tensors})

    def _add(self, subject: Subject) -> None:
        """Enclose the outputs of a node. Raises ValueError for one that has none."""
        step, values = subject.step, {name: tensor.value for name, tensor in self.tensors.items()}
        reading = reading_of(self.trial, subject, values)
        if reading is None:
            for name, array in on_backend(self.trial, step, values).items():
                self._keep(step, name, array, None, None, f"no specification covers {step.operator}")
            return
        judged, names = reading
        found, point, why = self._ends(judged, step)
        copied = self._copied(judged, step)
        for output, tensor in names.items():
            ends = found[output].where(_is_closed(judged, output)) if found else None
            self._keep(step, tensor, judged.expected[output], ends, point.get(output), why)
            if output in copied:
                introduced, node = copied[output]
                self.tensors[tensor] = replace(self.tensors[tensor], introduced=introduced, node=node)

    def _copied(self, judged: JudgedCall, step: Step) -> Mapping[str, tuple[np.ndarray, str]]:
        """Return the errors introduced into the elements of copies, and where."""
        sources = [self.tensors[name] for name in step.proto.input if name in self.tensors]
        definition = judged.definition
        if not isinstance(definition, Movement) or len(definition.sources) != 1 or len(sources) != 1 or not is_float(
                definition.source.dtype) or definition.turns is None:
            return {}
        source, = sources
        size = np.broadcast_to(source.introduced, source.value.shape).astype(source.value.dtype)
        name, = definition.sources
        return {output: (array.astype(Wide), source.node)
                for output, array in with_inputs(definition, {name: size}).canonical.items()}

    def _ends(self, judged: JudgedCall, step: Step) -> tuple[Mapping[str, Ends] | None, Mapping[str, Ends], str]:
        """Return the ends of each output, those on canonical inputs, and a reason.

        The first are None if nothing bounds the outputs, and the reason says why; else it is ""."""
        names = dict(zip(judged.spec.input_names(len(step.proto.input)), step.proto.input, strict=True))
        read = {name: self.tensors[tensor] for name, tensor in names.items() if tensor in self.tensors}
        around = [self.tensors[name] for name in step.reads if name in self.tensors and name not in names.values()]
        largest = max(array.size for array in (*judged.call.inputs.values(), *judged.expected.values()))
        if largest > AT_ONCE:
            return None, {}, f"a tensor has {largest:,} elements, and at most {AT_ONCE:,} are enclosed"
        if any(tensor.is_open for tensor in (*read.values(), *around)):
            return None, {}, "it reads decisions that may fall otherwise"
        if any(tensor.distance.any() for tensor in around):
            return None, {}, "its graphs read tensors that are not exact"
        lows, highs = ({name: getattr(read[name], end) if name in read else array
                        for name, array in judged.call.inputs.items()} for end in ("low", "high"))
        effects = judged.unspecified_by_clause.values()
        if judged.disputes or judged.decided or any(effect.readings for effect in effects):
            return None, {}, f"{judged.spec.name} leaves the whole result undefined, or an edition decides it"
        with np.errstate(all="ignore"):
            found = enclosure(judged.definition, lows, highs)
            return found, judged.definition.enclosure(), "" if found else (
                f"no rule encloses {step.operator} on inputs that are not exact")

    def _keep(self, step: Step, name: str, value: np.ndarray, ends: Ends | None, point: Ends | None, why: str) -> None:
        """Keep a tensor, and find out from which node on its ends say nothing."""
        ends = ends or Ends(*(np.full(value.shape, np.nan, Wide),) * 2)
        if is_float(value.dtype):
            low, high = ends.outward(value.dtype)
            tensor = Enclosed(value, low, high, node=step.node.name)
            if point is not None:
                tensor = replace(tensor, introduced=Enclosed(value, *point.outward(value.dtype)).distance)
        else:
            exact = (ends.low == value) & (ends.high == value) if value.dtype.kind in "iub" else ends.low == ends.low
            tensor = Enclosed(value, value, value, node=step.node.name, is_open=not np.all(exact))
        if empty := tensor.emptiness():
            before = [self.tensors[read].lost for read in step.reads if read in self.tensors]
            tensor = replace(tensor, lost=next(filter(any, before), (step.node.name, why or empty)))
        self.tensors[name] = tensor


def _is_closed(judged: JudgedCall, output: str) -> np.ndarray:
    """bool: which elements no unspecified clause frees, those on accuracy and on the sign of zero aside."""
    canonical = judged.expected[output]
    mask = np.ones(canonical.shape, bool)
    for allowance in judged.allowances.get(output, ()):
        if not allowance.observed:
            mask &= np.logical_not(allowance.where) | (canonical == 0) & (allowance.admits is not None)
        if allowance.shape or allowance.dtype:
            mask[...] = False
    return mask


def _described(tensor: Enclosed, given: np.ndarray) -> EnclosedOutput:
    """Return what is stated of a final output, at the element that may be farthest off."""
    distance, value = tensor.distance.reshape(-1), np.abs(tensor.value.astype(Wide)).reshape(-1)
    bounded = np.isfinite(distance) & np.isfinite(value)
    found = EnclosedOutput(of=distance.size, bounded=int(bounded.sum()), node=tensor.node, lost=tensor.lost[0],
                           why=tensor.lost[1], is_open=tensor.is_open)
    if not bounded.any() or not is_float(tensor.value.dtype):
        return found
    place = int(np.argmax(np.where(bounded, distance, -1)))
    introduced = np.broadcast_to(tensor.introduced, tensor.value.shape).reshape(-1)
    got, low, high = (part.astype(Wide).reshape(-1) for part in (given, tensor.low, tensor.high))
    return found.model_copy(update={
        "distance": float(distance[place]), "introduced": float(min(introduced[place], distance[place])),
        "magnitude": float(value[bounded].max()), "wider": int((bounded & (distance > value)).sum()),
        "outside": int((bounded & ~((got >= low) & (got <= high))).sum()) if got.shape == low.shape else got.size})
