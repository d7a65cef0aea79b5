"""Clauses of recurrent layers, and generation of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.activations import ACTIVATIONS
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.recurrent import Recurrence
from plumbline.oracle.families.recurrent_calls import DIRECTIONS
from plumbline.oracle.families.recurrent_symptoms import SHAPE_SYMPTOMS, SYMPTOMS
from plumbline.oracle.operator import UNBOUND, Choose, Predicate, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import BATCHES, DTYPE, ROWS, Named, SizeClass

HIDDEN = Named("hidden", (2, 1, 3, 4, 5, 8, 9, 16, 17))
"""Neurons, around the blocks of kernels."""

CLIPS: Named[dict[str, float]] = Named("clip", ({}, {"clip": 0.5}, {"clip": 1.1}, {"clip": 0.0}, {"clip": -1.0}))
CHANGED = Named("changed", (False, True))
"""True if other functions than the default are named."""

SMALL = Named("small", (True, False))
"""True if finite numbers are at most 2."""

PLAIN: Mapping[str, Any] = {"clip": {}, "changed": False, "small": True}
"""Choices by which most of a long sequence is decided."""


def shape_of_input(clause: str, name: str) -> Predicate:
    """An input, where it is given, has the shape that the text gives it."""
    def other(self: Any) -> str | None:
        if name not in self.inputs:
            return None
        shape, wanted = tuple(self.inputs[name].shape), self.shape_of_input(name)
        return None if shape == wanted else f"{name} has shape {list(shape)}, not {list(wanted)}"
    return Predicate("call", clause, other, ("axes_of_x", "direction_domain", "layout_domain"))


def _small(x: np.ndarray, is_small: bool) -> np.ndarray:
    """Finite numbers up to 2, in the proportions of those drawn, where they are to be small."""
    finite = np.where(np.isfinite(x), x, 1).astype(Wide)
    power = np.frexp(np.max(np.abs(finite), initial=1))[1] - 1
    return np.asarray(np.ldexp(finite, -power).astype(x.dtype)) if is_small else x


class Recurrent(Recurrence):
    """A call of a recurrent layer."""

    symptoms, shape_symptoms = SYMPTOMS, SHAPE_SYMPTOMS

    flag_notes = {"backward": "A direction runs from the end of the sequences to their beginning.",
                  "two-directions": "direction is bidirectional.", "clipped": "clip is set.",
                  "other-functions": "activations names other functions than the default.",
                  "shorter": "sequence_lens is given, and some sequence is shorter than X.",
                  "longer": "sequence_lens is given, and some sequence is longer than X, which is not allowed.",
                  "too-few-weights": "W has weights for fewer features than X has, which is not allowed.",
                  "batch-first": "layout is 1.", "scaled": "activation_alpha or activation_beta is set.",
                  "without-hidden-size": "hidden_size is not set.",
                  "default-threshold": "activations names ThresholdedRelu, and fewer alphas are given than functions "
                                       "have one."}

    # Clauses

    shape_of_w, shape_of_r, shape_of_b, shape_of_initial_h, shape_of_lengths = (
        shape_of_input(UNBOUND, name) for name in ("W", "R", "B", "initial_h", "sequence_lens"))
    shape_of_y = shape_of_output(UNBOUND, "Y")
    value_of_y = elements_of(UNBOUND, "Y", "not the state after that step")
    shape_of_y_h = shape_of_output(UNBOUND, "Y_h")
    value_of_y_h = elements_of(UNBOUND, "Y_h", "not the state after the last step")

    @on_call(UNBOUND)
    def direction_domain(self) -> str | None:
        value = self.attributes.get("direction", "forward")
        return None if value in DIRECTIONS else f"direction is {value!r}"

    @on_call(UNBOUND)
    def layout_domain(self) -> str | None:
        value = self.attributes.get("layout", 0)
        return None if value in (0, 1) else f"layout is {value}"

    @on_call(UNBOUND)
    def known_functions(self) -> str | None:
        names = [name for name in self.names if name not in ACTIVATIONS]
        return f"activations names {', '.join(map(str, names))}" if names else None

    @on_call(UNBOUND, needs=("direction_domain",))
    def number_of_functions(self) -> str | None:
        wanted = len(self.activations) * self.directions
        return None if len(self.names) == wanted else f"activations has {len(self.names)} names, not {wanted}"

    @on_call(UNBOUND)
    def axes_of_x(self) -> str | None:
        return None if self.x.ndim == 3 else f"X has {self.x.ndim} axes"

    @on_call(UNBOUND)
    def neurons(self) -> str | None:
        of_r = self.inputs["R"].shape[-1:]
        value = self.attributes.get("hidden_size")
        return None if value is None or (value,) == of_r else f"hidden_size is {value}, and R has shape " \
            f"{list(self.inputs['R'].shape)}"

    @on_call(UNBOUND)
    def lengths_domain(self) -> str | None:
        steps = self.x.shape[1 if self.batch_first else 0] if self.x.ndim == 3 else None
        wrong = [] if steps is None else [int(length) for length in np.ravel(self.inputs.get("sequence_lens", ()))
                                          if not 0 <= length <= steps]
        return f"sequence_lens has {wrong[0]}, and X {steps} steps" if wrong else None

    @unspecified(UNBOUND)
    def after_the_end(self) -> Unspecified | None:
        return Unspecified.of(np.isinf(self.outcome["Y"].low), "Y")

    @unspecified(UNBOUND, refusal=True)
    def no_step(self) -> Unspecified | None:
        masks = {name: np.isinf(self.outcome[name].low) for name in self.last}
        entries = [Unspecified.of(mask, name) for name, mask in masks.items()]
        outputs = {name: allowance for each in entries if each for name, allowance in each.outputs.items()}
        return Unspecified(outputs) if outputs or not self.lengths.all() else None

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return self._open(lambda name: np.isnan(self.outcome[name].low))

    @unspecified(UNBOUND)
    def says_nothing(self) -> Unspecified | None:
        return self._open(self.vague)

    def _open(self, mask: Callable[[str], np.ndarray]) -> Unspecified | None:
        entries = [Unspecified.of(mask(name), name) for name in self.outcome]
        outputs = {name: allowance for each in entries if each for name, allowance in each.outputs.items()}
        return Unspecified(outputs) if outputs else None

    @unspecified(UNBOUND, refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if 0 in self.sizes else None

    @unspecified(UNBOUND, refusal=True)
    def no_hidden_size(self) -> Unspecified | None:
        return None if "hidden_size" in self.attributes else Unspecified.refusal()

    @unspecified(UNBOUND, refusal=True)
    def no_range(self) -> Unspecified | None:
        return None if self.threshold > 0 else Unspecified.everything("Y", *self.last)

    @unspecified(UNBOUND, refusal=True)
    def consumed(self) -> Unspecified | None:
        counts = {sum(ACTIVATIONS[name].default[which] is not None for name in self.names) for which in (0, 1)}
        lists = [len(self.attributes[name]) for name in ("activation_alpha", "activation_beta")
                 if name in self.attributes]
        readings = self.other_readings("scalings")
        return readings or (Unspecified.refusal() if any(size not in counts for size in lists) else None)

    @unspecified(UNBOUND, refusal=True)
    def no_default(self) -> Unspecified | None:
        unknown = [np.isnan(scaling) for name, scalings in zip(self.names, self.scalings(self.read("scalings")),
                   strict=True) for default, scaling in zip(ACTIVATIONS[name].default, scalings, strict=True)
                   if default is not None]
        return (self.not_finite() or Unspecified.refusal()) if any(unknown) else None

    @unspecified(UNBOUND)
    def order_of_y(self) -> Unspecified | None:
        return self.other_readings("order")

    @evidence(UNBOUND)
    @staticmethod
    def untransposed_r() -> str:
        r, h = np.array([[1, 2], [3, 4]]), np.array([1, 0])
        assert (h @ r != h @ r.T).any()
        return f"H {h.tolist()} and R {r.tolist()}: H*R is {(h @ r).tolist()}, H*(R^T) {(h @ r.T).tolist()}"

    @unspecified(UNBOUND)
    def transposition(self) -> Unspecified | None:
        return self.other_readings("transposed")

    # How it is tried

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        given, direction = self.attributes, self.attributes.get("direction")
        steps = self.x.shape[1 if self.batch_first else 0] if self.x.ndim == 3 else 0
        lengths = np.ravel(self.inputs.get("sequence_lens", steps))
        return {"backward": direction in DIRECTIONS[1:], "two-directions": direction == "bidirectional",
                "clipped": "clip" in given, "other-functions": self.names != self.activations * self.directions,
                "shorter": bool((lengths < steps).any()), "longer": self.x.ndim == 3 and bool((lengths > steps).any()),
                "too-few-weights": np.shape(self.inputs.get("W", 0))[-1:] < self.x.shape[-1:],
                "batch-first": self.batch_first,
                "scaled": bool({"activation_alpha", "activation_beta"} & set(given)),
                "without-hidden-size": "hidden_size" not in given,
                "default-threshold": "ThresholdedRelu" in self.names and set(self.names) <= set(ACTIVATIONS)
                and sum(ACTIVATIONS[name].default[0] is not None for name in self.names) > len(
                    given.get("activation_alpha", ()))}

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Neurons with elements of X, the most of one with the fewest of the other, in longer sequences and batches."""
        return (SizeClass({"hidden": ROWS, "inputs": ROWS[::-1], "steps": (9, 33), "batch": BATCHES[:4]}, PLAIN),)

    def named_sizes(self) -> Mapping[str, Any]:
        """Steps, sequences, elements of X and neurons, and the element type."""
        return {DTYPE: self.x.dtype.name, **dict(zip(("steps", "batch", "inputs", "hidden"), self.sizes,
                                                     strict=True))}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield the output without one of the attributes or optional inputs."""
        call = self.call
        for key in (*call.attributes, *call.inputs):
            if key not in ("X", "W", "R", "direction", "layout", "activations"):
                less = Call(call.operator, {name: value for name, value in call.attributes.items() if name != key},
                            {name: value for name, value in call.inputs.items() if name != key})
                yield type(self)(less, self.version).canonical[output]

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: a few steps of a small layer, with optional inputs and attributes or without."""
        steps, batch, inputs = (choose(Named(name, sizes)) for name, sizes in (
            ("steps", (3, 1, 2, 5)), ("batch", (2, 1, 3)), ("inputs", (2, 1, 3, 5))))
        hidden = choose(HIDDEN, (6, 3, 4, 2, 1, 1, 1, 0.5, 0.5))
        if choose((False, True), (29, 1)):
            steps, batch, inputs, hidden = choose(((steps, batch, 0, hidden), (0, batch, inputs, hidden),
                                                   (steps, 0, inputs, hidden), (steps, batch, inputs, 0)))
        attributes: dict[str, Any] = {"hidden_size": hidden} if choose((True, False), (9, 1)) else {}
        attributes |= choose(({}, {"direction": "reverse"}, {"direction": "bidirectional"}, {"direction": "forward"}),
                             (4, 3, 3, 1))
        attributes |= choose(({}, {"layout": 1}), (3, 1)) if version >= 14 else {}
        attributes |= choose(CLIPS, (24, 7, 7, 1, 1))
        attributes |= cls.a_choice(choose, version)
        count = 2 if attributes.get("direction") == "bidirectional" else 1
        if choose(CHANGED, (3, 2)):
            attributes["activations"] = [choose(tuple(ACTIVATIONS)) for _ in cls.activations * count]
            for which, name in enumerate(("activation_alpha", "activation_beta")):
                users = sum(ACTIVATIONS[function].default[which] is not None for function in attributes["activations"])
                if choose((True, False), (3, 1)):
                    attributes[name] = [choose((0.5, 0.3, -0.25, 1.5)) for _ in range(choose(
                        (users, len(cls.activations) * count, 1), (6, 1, 1)))]
        blank = {"X": np.zeros((batch, steps, inputs) if attributes.get("layout") else (steps, batch, inputs)),
                 "R": np.zeros((count, 0, hidden))}
        shapes = cls(Call(cls.__name__, attributes, blank), version)
        dtype, kind = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (9, 1))
        is_small, given = choose(SMALL, (4, 1)), {}
        for name in ("X", "W", "R", "B", "sequence_lens", *cls.states, *cls.more):
            if name == "sequence_lens":
                if choose((False, True), (2, 1)):
                    given[name] = np.array([choose((steps, *range(steps - 1, -1, -1))) for _ in range(batch)], np.int32)
            elif name in ("X", "W", "R") or choose((True, False)):
                shape = blank["X"].shape if name == "X" else shapes.shape_of_input(name)
                given[name] = _small(choose.tensor(shape, dtype, kind), is_small)
        return Call(cls.__name__, attributes, given)

    more: ClassVar[tuple[str, ...]] = ()
    """Optional inputs behind the states."""

    @classmethod
    def a_choice(cls, choose: Choose, version: int) -> dict[str, Any]:
        """Attributes of the operator alone."""
        return {}
