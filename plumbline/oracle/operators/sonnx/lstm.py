"""Judge and generate calls of SONNX LSTM, by `spec/sonnx/lstm.md`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.cells import LongShortTerm
from plumbline.oracle.families.clauses import attributes_of, element_type, presence, same_type, type_of_output
from plumbline.oracle.operator import Choose, Operator, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.rounding import Wide

TYPES = ("float32", "float16", "float64", "bfloat16")
TRIPLES = (["Sigmoid", "Tanh", "Tanh"], ["Relu", "Tanh", "Tanh"])
OPTIONAL = ("B", "sequence_lens", "initial_h", "initial_c", "P")
SET = ("activations", "direction", "hidden_size", "input_forget", "layout")
ATTRIBUTES = ("activation_alpha", "activation_beta", "clip", *SET)


def _few_digits(definition: Operator, entry: Divergence) -> bool:
    """Elements are off by less than a millionth, as when functions are approximated with an absolute error."""
    with np.errstate(invalid="ignore"):
        off = np.abs(np.asarray(entry.got).astype(Wide) - np.asarray(entry.expected).astype(Wide))
        return bool(entry.where is not None and np.all(off < 1e-6))


class LSTM(LongShortTerm):
    """A call of LSTM in the profile."""

    symptoms = {**LongShortTerm.symptoms, "few-digits": _few_digits}

    clauses = {"direction.C1": "direction_domain", "hidden_size.C1": "neurons", "activations.C1": "known_functions",
               "activations.C2": "number_of_functions", "layout.C1": "layout_domain", "X.C1": "axes_of_x",
               "W.C1": "shape_of_w", "R.C1": "shape_of_r", "B.C1": "shape_of_b", "P.C1": "shape_of_p",
               "initial_h.C1": "shape_of_initial_h", "initial_c.C1": "shape_of_initial_c",
               "sequence_lens.C1": "shape_of_lengths", "sequence_lens.C2": "lengths_domain", "Y.C1": "shape_of_y",
               "Y.F1": "value_of_y", "Y.U1": "not_finite", "Y.U2": "says_nothing", "X.U1": "empty_axes",
               "clip.U1": "no_range"}
    last = ()
    untransposed = ()
    of_functions = 1

    known_attributes = attributes_of("signature.C1", dict.fromkeys(ATTRIBUTES, 1))
    given = presence("signature.F1")
    types = element_type("X.C2", "X", TYPES)
    one_type = same_type("W.C2", "X", "W", "R", "B", "initial_h", "initial_c", "P")
    type_of_lengths = element_type("sequence_lens.C3", "sequence_lens", ("int32",))
    type_of_y = type_of_output("Y.C2", "Y", lambda self: self.x.dtype)

    @classmethod
    def types_of(cls, name: str, version: int) -> tuple[str, ...]:
        """Return the element types of the draft."""
        return TYPES

    @cached_property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """True if the cell is clipped for its function; what is computed backwards is in the order of X."""
        clipped = ("clipped", "unclipped") if "clip" in self.attributes else ("clipped",)
        return {"scalings": (False,), "order": ("of X",), "transposed": (True,), "cell": clipped,
                "coupled": ("not",) if not self.attributes.get("input_forget") else ("forget",)}

    @on_call("restrictions.R1")
    def inputs_given(self) -> str | None:
        absent = [name for name in OPTIONAL if name not in self.inputs]
        return f"{', '.join(absent)} not given" if absent else None

    @on_call("restrictions.R2")
    def no_defaults(self) -> str | None:
        absent = [name for name in SET if name not in self.attributes]
        return f"{', '.join(absent)} not set" if absent else None

    @on_call("restrictions.R3", needs=("activations.C2",))
    def functions_of_the_profile(self) -> str | None:
        triples = [list(self.names[start:start + 3]) for start in range(0, len(self.names), 3)]
        return next((f"activations has {triple}" for triple in triples if triple not in TRIPLES), None)

    @on_call("clip.C1")
    def clip_type(self) -> str | None:
        value = self.attributes.get("clip", 1.0)
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        return None if is_number else f"clip is {value!r}"

    @on_call("input_forget.C1")
    def coupling_domain(self) -> str | None:
        value = self.attributes.get("input_forget", 0)
        return None if value in (0, 1) else f"input_forget is {value!r}"

    @unspecified("sequence_lens.U1")
    def shorter(self) -> Unspecified | None:
        steps, batch, *_ = self.sizes
        mask = (self.lengths < steps).reshape(batch, 1, 1, 1)
        mask = mask if self.batch_first else np.transpose(mask, (1, 2, 0, 3))
        return Unspecified.of(np.broadcast_to(mask, self.shape_of("Y")), "Y")

    @unspecified("clip.U2")
    def clipped_cell(self) -> Unspecified | None:
        return self.other_readings("cell")

    @evidence("Y.E1")
    @staticmethod
    def concatenated() -> str:
        one = np.zeros((3, 1, 2, 4))
        shape = np.concatenate([one, one], axis=0).shape
        assert shape != (3, 2, 2, 4)
        return f"two Y of shape {one.shape} side by side along seq_length have {shape}; the shape of Y is (3, 2, 2, 4)"

    @evidence("sequence_lens.E1")
    @staticmethod
    def lengths_of_a_batch() -> str:
        steps, batch = 2, 3
        lengths = np.full(batch, batch)
        assert (lengths > steps).all()
        return f"seq_length {steps}, batch_size {batch}: lengths {lengths.tolist()}, and X has {steps} steps"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call as of ONNX, with what the profile wants set."""
        call = super().make(choose, version)
        if call is None:
            return None
        count = 2 if call.attributes.get("direction") == "bidirectional" else 1
        functions = [name for _ in range(count) for name in choose(TRIPLES)]
        attributes = {"direction": "forward", "layout": 0, "input_forget": choose((0, 1), (3, 1)),
                      "hidden_size": call.inputs["R"].shape[-1], **call.attributes, "activations": functions}
        attributes = {name: value for name, value in attributes.items() if not name.startswith("activation_")}
        attributes["input_forget"] = min(attributes["input_forget"], 1)
        definition = cls(Call("LSTM", attributes, call.inputs), version)
        zeros = {name: np.zeros(definition.shape_of_input(name), definition.x.dtype) for name in OPTIONAL}
        zeros["sequence_lens"] = definition.lengths.astype(np.int32)
        every = {**zeros, **call.inputs}
        return Call("LSTM", attributes, {name: every[name] for name in ("X", "W", "R", *OPTIONAL)})
