"""Judge and generate calls of ONNX Scan, by `spec/onnx/scan.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from onnx import GraphProto, ValueInfoProto, helper, parser, shape_inference

from plumbline.oracle.answers import Divergence, OutsideDomain
from plumbline.oracle.call import Call, is_of
from plumbline.oracle.families.bodies import Tensor, allowed
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.expressions import SHAPES, Expressions, Kind, described_as
from plumbline.oracle.families.graph_values import declared, shape, types, types_of_outputs
from plumbline.oracle.families.iterations import (
    Iterated,
    Iterations,
    allowed_in,
    is_sized,
    laid,
    nothing_gathered,
    open_part,
)
from plumbline.oracle.graphs import graph_text
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Operator,
    Predicate,
    Unspecified,
    Wrong,
    evidence,
    on_call,
    on_outputs,
    unspecified,
)
from plumbline.oracle.partial import Undecided
from plumbline.oracle.response import Response, wrong_shape

INPUTS, OUTPUT = "initial_state_and_scan_inputs", "final_state_and_scan_outputs"

BATCHED = 8
"""The version that scans batches of sequences."""


def flags_of_list(clause: str, name: str, of_inputs: bool, needs: tuple[str, ...]) -> Predicate:
    """An attribute has a zero or a one for each tensor that is scanned, or gathered."""
    def other(self: Scan) -> str | None:
        values, count = self.attributes.get(name), self.scanned if of_inputs else self.gathered
        if values is None or len(values) == count and set(values) <= {0, 1}:
            return None
        return f"{name} is {list(values)}, not {count} numbers 0 or 1"
    return Predicate("call", clause, other, needs)


def gathered_once(definition: Operator, entry: Divergence) -> bool:
    """A tensor is gathered once, whatever the number of iterations; of one without elements a number."""
    assert isinstance(definition, Scan)  # it is a symptom of that alone
    (is_state, number), sizes = definition.place(entry.output), list(definition.canonical[entry.output].shape)
    if is_state or definition.batched or not isinstance(entry.got, str):
        return False
    axis = definition._out(number)[0] % len(sizes)
    once = [*sizes[:axis], 1, *sizes[axis + 1:]]
    return entry.got in (str(once), "[1]" if 0 in once else "")


def _batch_axis_lost(definition: Operator, entry: Divergence) -> bool:
    """A state comes without its axis for the batch, which version 8 has."""
    assert isinstance(definition, Scan)
    is_state, _ = definition.place(entry.output)
    shape = definition.canonical[entry.output].shape
    return bool(definition.batched and is_state and isinstance(entry.got, str) and entry.got == str(list(shape[1:])))


class Scan(Iterated):
    """A call of Scan under one version of its specification."""

    output = OUTPUT
    clauses = {f"{OUTPUT}.F1": "element_type", f"{OUTPUT}.U6": "one_tensor_twice"}
    shape_symptoms = {**Iterated.shape_symptoms, "gathered-once": gathered_once, "batch-axis-lost": _batch_axis_lost}
    symptoms = {**Iterated.symptoms, **shape_symptoms}
    flag_notes = {**Iterated.flag_notes, "nothing-carried": "there is no state.",
                  "several-scanned": "several tensors are scanned.",
                  "backward": "a tensor is scanned from its end.",
                  "prepends": "a tensor is gathered from its end.",
                  "other-axis": "a tensor is scanned or gathered along another axis than the first.",
                  "negative-axis": "an axis is counted from the back.",
                  "empty-along-other-axis": "a tensor without elements is scanned or gathered along another axis than "
                                            "the first.",
                  "shorter-sequences": "a sequence of the batch is shorter than others may be."}

    value = elements_of(f"{OUTPUT}.F2", OUTPUT, "not what the iterations give")
    type_1, type_16, type_19, type_21, type_23, type_24 = types_of_outputs("body", 6, lambda self: (
        ("the body", value) for value in (self.graph.output if self.has_graph else ())))
    directions_8 = flags_of_list("directions.C2", "directions", True, ("num_scan_inputs.C3",))
    directions_in = flags_of_list("scan_input_directions.C2", "scan_input_directions", True, ("num_scan_inputs.C3",))
    directions_out = flags_of_list("scan_output_directions.C2", "scan_output_directions", False, ("body.C4",))

    @cached_property
    def tensors(self) -> list[np.ndarray]:
        """State and tensors to scan."""
        return [tensor for name, tensor in self.inputs.items() if is_of(name, INPUTS)]

    @property
    def scanned(self) -> int:
        """The number of tensors that are scanned."""
        return int(self.attributes["num_scan_inputs"])

    @property
    def carries(self) -> int:
        """The number of tensors of the state."""
        return len(self.tensors) - self.scanned

    @property
    def gathered(self) -> int:
        """The number of tensors that are gathered."""
        return len(self.graph.output) - self.carries

    @property
    def batched(self) -> bool:
        """True if the first axis of all is that of a batch."""
        return self.version == BATCHED

    @on_call("num_scan_inputs.C3")
    def one_to_scan(self) -> str | None:
        count = len(self.tensors)
        return None if 1 <= self.scanned <= count else f"{self.scanned} of {count} tensors are to be scanned"

    @on_call("body.C3", needs=("num_scan_inputs.C3",))
    def number_of_inputs(self) -> str | None:
        given, wanted = len(self.graph.input), len(self.tensors)
        return None if given == wanted else f"the body has {given} inputs, not {wanted}"

    @on_call("body.C4", needs=("num_scan_inputs.C3",))
    def number_of_outputs(self) -> str | None:
        given = len(self.graph.output)
        if given != self.count:
            return f"the body has {given} outputs, not {self.count}"
        return None if self.gathered >= 0 else f"the node has {given} outputs, fewer than it carries"

    @on_call("body.C5", needs=("body.C3", "body.C4"))
    def types_of_inputs(self) -> str | None:
        values = [*self.graph.input, *self.graph.output[:self.carries]]
        tensors = [*self.tensors, *self.tensors[:self.carries]]
        return next((f"{value.name} of the body is {dtype.name}, and what it is given {tensor.dtype.name}"
                     for value, tensor in zip(values, tensors, strict=True)
                     if (dtype := declared(value)) is not None and dtype != tensor.dtype), None)

    @on_call("scan_input_axes.C2", needs=("num_scan_inputs.C3",))
    def axes_of_inputs(self) -> str | None:
        axes = self.attributes.get("scan_input_axes", self._zeros)
        if len(axes) != self.scanned:
            return f"scan_input_axes has {len(axes)} numbers, not {self.scanned}"
        return next((f"axis {axis} of a tensor with {tensor.ndim} axes" for axis, tensor in zip(
            axes, self.tensors[self.carries:], strict=True) if not self._lowest(tensor.ndim) <= axis < tensor.ndim),
            None)

    def _lowest(self, rank: int) -> int:
        return -rank if self.version > 9 else 0

    @on_call("scan_output_axes.C2", needs=("body.C4",))
    def axes_of_outputs(self) -> str | None:
        axes = self.attributes.get("scan_output_axes")
        if axes is None:
            return None
        if len(axes) != self.gathered:
            return f"scan_output_axes has {len(axes)} numbers, not {self.gathered}"
        for axis, value in zip(axes, self.graph.output[self.carries:], strict=True):
            sizes = shape(value)
            if sizes is not None and not self._lowest(len(sizes) + 1) <= axis <= len(sizes):
                return f"axis {axis} of a tensor with {len(sizes) + 1} axes"
        return None

    @on_call(f"{INPUTS}.C8")
    def axes_of_batches(self) -> str | None:
        ranks = [(tensor.ndim, 1 + (number >= self.carries)) for number, tensor in enumerate(self.tensors)]
        return next((f"a tensor has {rank} axes, and needs {least}" for rank, least in ranks if rank < least), None)

    @on_call(f"{INPUTS}.C9", needs=(f"{INPUTS}.C8",))
    def one_batch_size(self) -> str | None:
        sizes = {tensor.shape[0] for tensor in self.tensors}
        return f"batches have {', '.join(map(str, sorted(sizes)))} elements" if len(sizes) > 1 else None

    @on_call(f"{INPUTS}.C10", needs=("num_scan_inputs.C3", "scan_input_axes.C2", f"{INPUTS}.C8"))
    def one_length(self) -> str | None:
        lengths = {tensor.shape[axis] for tensor, axis in zip(self.tensors[self.carries:], self._axes_in, strict=True)}
        return f"sequences have {', '.join(map(str, sorted(lengths)))} elements" if len(lengths) > 1 else None

    @on_call("sequence_lens.C2", needs=(f"{INPUTS}.C9",))
    def one_length_each(self) -> str | None:
        lengths, batch = self.inputs.get("sequence_lens"), self.tensors[0].shape[0]
        return None if lengths is None or lengths.shape == (batch,) else (
            f"sequence_lens has shape {list(lengths.shape)}, and batches {batch} elements")

    @on_call("sequence_lens.C3", needs=("sequence_lens.C2", f"{INPUTS}.C10"))
    def within_length(self) -> str | None:
        lengths = self.inputs.get("sequence_lens")
        if lengths is None or bool(((lengths >= 0) & (lengths <= self.length)).all()):
            return None
        return f"sequence_lens is {lengths.tolist()}, and sequences have {self.length} elements"

    @on_call("body.C12", needs=("body.C5", f"{INPUTS}.C10", "sequence_lens.C3", "scan_output_axes.C2",
                                "directions.C2", "scan_input_directions.C2", "scan_output_directions.C2"))
    def one_shape(self) -> str | None:
        if not all(isinstance(tensor, np.ndarray) for tensor in self.inputs.values()):
            raise Undecided("what the body gives in each iteration")
        try:
            return next((why for run in self.runs if (why := self._changed(run) or run.unequal())), None)
        except OutsideDomain:  # it is not tried
            return None

    def _changed(self, run: Iterations) -> str:
        """Return why the state has not one shape."""
        for number, tensors in enumerate(run.states):
            shapes = [tensor.array.shape for tensor in tensors[0 if self.batched else 1:]]
            if len(set(shapes)) > 1:
                return f"tensor {number} of the state has shape {list(shapes[0])}, and later another"
        return ""

    @evidence("body.E1")
    @staticmethod
    def concatenated() -> str:
        model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]> g (float[3, 2] x) => (S) {
            S = Scan <num_scan_inputs = 1, body = b (float[2] e) => (float[2] e) { }> (x) }""")
        rank = len(shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim)
        rows = [np.zeros(2)] * 3
        joined, one_more = np.concatenate(rows).shape, np.stack(rows).shape
        assert rank == len(one_more) != len(joined)
        return (f"three tensors of shape [2] concatenated along axis 0 have shape {list(joined)}, as elements of their "
                f"own {list(one_more)}; shape inference says {rank} axes")

    # Iterations

    @property
    def _axes_in(self) -> Sequence[int]:
        """The axis of each tensor that is scanned."""
        if self.batched:
            return [1] * len(self._zeros)
        return list(self.attributes.get("scan_input_axes", self._zeros))

    @property
    def _zeros(self) -> Sequence[int]:
        """A zero for each tensor that is scanned, of a call inside the domain."""
        return [0] * min(self.scanned, len(self.tensors))

    @property
    def _backward(self) -> Sequence[int]:
        """For each tensor that is scanned, whether from its end."""
        return list(self.attributes.get("directions" if self.batched else "scan_input_directions", self._zeros))

    def _out(self, number: int) -> tuple[int, bool]:
        """Axis and direction of a tensor that is gathered."""
        axes, ways = (self.attributes.get(f"scan_output_{name}", [0] * self.gathered)
                      for name in ("axes", "directions"))
        return int(axes[number]), bool(ways[number])

    @property
    def length(self) -> int:
        """The number of elements to scan."""
        return int(self.tensors[self.carries].shape[self._axes_in[0]])

    def with_an_iteration(self) -> Iterator[Scan]:
        """Yield the call with one element to scan, a zero, where it has none or several."""
        if not self.batched and self.length != 1:
            single = [np.zeros([1 if at == axis % x.ndim else size for at, size in enumerate(x.shape)], x.dtype)
                      for x, axis in zip(self.tensors[self.carries:], self._axes_in, strict=True)]
            inputs = dict(zip(self.inputs, [*self.tensors[:self.carries], *single], strict=True))
            yield Scan(replace(self.call, inputs=inputs), self.version)

    @cached_property
    def runs(self) -> list[Iterations]:
        """The iterations, of each sequence of a batch. Raises OutsideDomain for a body that is not tried."""
        if not self.batched:
            return [self._run(self.tensors, self._axes_in, self.length)]
        lengths = self.inputs.get("sequence_lens", np.full(self.tensors[0].shape[0], self.length))
        return [self._run([tensor[place, ...] for tensor in self.tensors], [0] * self.scanned, int(length))
                for place, length in enumerate(lengths)]

    def _run(self, tensors: Sequence[np.ndarray], axes: Sequence[int], length: int) -> Iterations:
        run = Iterations(self.graph, self.call.opset or self.version, tensors[:self.carries], self.gathered)
        for number in range(length):
            elements = [Tensor(np.moveaxis(tensor, axis, 0)[length - 1 - number if backward else number, ...])
                        for tensor, axis, backward in zip(tensors[self.carries:], axes, self._backward, strict=True)]
            run.run((), elements)
            if run.invalid:
                break
        return run

    def _rows(self, run: Iterations, number: int) -> np.ndarray:
        """Return the elements that a sequence gathers; of a batch with zeros up to the longest length."""
        value: ValueInfoProto = self.graph.output[self.carries + number]
        axis, reverse = self._out(number) if not self.batched else (0, False)
        tensors = run.gathered[number]
        if not tensors:
            rows = nothing_gathered(value, axis)
        else:
            axis += (tensors[0].array.ndim + 1) * (axis < 0)
            rows = laid(tensors, axis, reverse)
        missing = self.length - rows.shape[0]
        return rows if not self.batched or not missing else np.concatenate(
            [rows, np.zeros((missing, *rows.shape[1:]), rows.dtype)])

    def expected(self) -> dict[str, np.ndarray]:
        """The outputs; of a body that cannot be computed, what there was before."""
        self.check_stated()
        arrays = [self._whole([run.state[number].array for run in self.runs], tensor)
                  for number, tensor in enumerate(self.tensors[:self.carries])]
        arrays += [self._whole([self._rows(run, number) for run in self.runs], self._no_batch(number))
                   for number in range(self.gathered)]
        return {f"{OUTPUT}_{number}": array for number, array in enumerate(arrays)}

    def _no_batch(self, number: int) -> np.ndarray:
        rows = nothing_gathered(self.graph.output[self.carries + number]) if self.batched and not self.runs else \
            np.zeros(0)
        return np.zeros((0, self.length, *rows.shape[1:]), rows.dtype)

    def _whole(self, parts: Sequence[np.ndarray], nothing: np.ndarray) -> np.ndarray:
        """Lay together what the sequences of a batch give."""
        if not self.batched:
            return parts[0]
        shapes = {part.shape for part in parts}
        if len(shapes) > 1:  # those of sequences without elements are not known
            known = next(part for run, part in zip(self.runs, parts, strict=True) if run.count)
            parts = [part if part.shape == known.shape else np.zeros_like(known) for part in parts]
        return np.stack(parts) if parts else nothing

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of what the nodes that give an output allow; what none gives is copied bit by bit."""
        if not self.batched:
            return self._conforms(self.runs[0], output, got)
        masks = [self._conforms(run, output, part) for run, part in zip(self.runs, got, strict=True)]
        return np.stack(masks) if masks else np.ones(got.shape, bool)

    def _conforms(self, run: Iterations, output: str, got: np.ndarray) -> np.ndarray:
        is_state, number = self.place(output)
        if is_state:
            return allowed(run.state[number], got)
        axis, reverse = self._out(number) if not self.batched else (0, False)
        if self.batched:
            mask = np.zeros(got.shape, bool)
            mask[:run.count] = allowed_in(run.gathered[number], got[:run.count])
            return mask
        return allowed_in(run.gathered[number], got, axis, reverse)

    @on_outputs(f"{OUTPUT}.C1")
    def shape_of_state(self, response: Response) -> Wrong | None:
        return self._wrong_shape(response, True)

    @on_outputs(f"{OUTPUT}.C2")
    def shape_of_gathered(self, response: Response) -> Wrong | None:
        return self._wrong_shape(response, False)

    def _wrong_shape(self, response: Response, state: bool) -> Wrong | None:
        if any(run.invalid or run.misstated for run in self.runs):
            return None
        names = [name for name in response.asked if self.place(name)[0] is state]
        return next(filter(None, (wrong_shape(response, name) for name in names)), None)

    @unspecified(f"{OUTPUT}.U1")
    def behind_open_values(self) -> Unspecified | None:
        if any(run.invalid or run.misstated for run in self.runs):
            return None
        found = {name: allowance for name in self.canonical if (allowance := self._open(name)) is not None}
        return Unspecified(found) if found else None

    def _open(self, name: str) -> Allowance | None:
        is_state, number = self.place(name)
        if is_state:
            return Allowance(shape=True) if any(run.state[number].is_open for run in self.runs) else None
        if self.batched:
            is_open = any(tensor.is_open for run in self.runs for tensor in run.gathered[number])
            return Allowance(shape=True) if is_open else None
        axis, reverse = self._out(number)
        return open_part(self.runs[0].gathered[number], axis, reverse)

    @unspecified(f"{OUTPUT}.U2", refusal=True)
    def invalid_node(self) -> Unspecified | None:
        return self.anything() if any(run.invalid for run in self.runs) else None

    @unspecified(f"{OUTPUT}.U3")
    def behind_sequences(self) -> Unspecified | None:
        names = [name for name in self.canonical if not self.place(name)[0]]
        mask = np.arange(self.length) >= np.array([run.count for run in self.runs], int)[:, None]
        if not mask.any() or any(run.invalid for run in self.runs):
            return None
        return Unspecified({name: Allowance(np.broadcast_to(mask.reshape(mask.shape + (1,) * (
            self.canonical[name].ndim - 2)), self.canonical[name].shape)) for name in names}) if names else None

    @unspecified(f"{OUTPUT}.U4", refusal=True)
    def otherwise_than_stated(self) -> Unspecified | None:
        return self.anything() if any(run.misstated for run in self.runs) else None

    @unspecified(f"{OUTPUT}.U5")
    def no_iterations(self) -> Unspecified | None:
        if any(run.count or run.invalid for run in self.runs):
            return None
        names = [name for name in self.canonical if not self.place(name)[0]
                 and not is_sized(self.graph.output[int(name.rpartition("_")[2])])]
        return Unspecified.everything(*names) if names else None

    # How it is tried

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: bodies of copies, constants, sums and nodes If."""
        state = [(a_type(choose, types(version)), choose(SHAPES)) for _ in range(choose((1, 0, 2)))]
        elements = [(a_type(choose, types(version)), choose(SHAPES)) for _ in range(choose((1, 2)))]
        length, batch = choose((3, 1, 2, 0, 5)), choose((2, 1, 3)) if version == BATCHED else 0
        graph, kinds = _body(choose, version, state, elements, choose((1, 0, 2)))
        if not graph.output:
            return None
        attributes = {"body": graph_text(graph), "num_scan_inputs": len(elements)}
        inputs: dict[str, np.ndarray] = {}
        sizes, axes = [(*((batch,) if batch else ()), *size) for _, size in state], [0] * len(elements)
        if version == BATCHED:
            if choose((False, True)):
                inputs["sequence_lens"] = np.array([choose(range(length + 1)) for _ in range(batch)], np.int64)
            sizes += [(batch, length, *size) for _, size in elements]
            ways = {"directions": len(elements)}
        else:
            axes = [choose(range(0 if version == 9 else -len(size) - 1, len(size) + 1)) for _, size in elements]
            if choose((False, True)):
                attributes["scan_input_axes"] = axes
            else:
                axes = [0] * len(elements)
            for axis, (_, size) in zip(axes, elements, strict=True):
                place = axis + (len(size) + 1) * (axis < 0)
                sizes.append((*size[:place], length, *size[place:]))
            if bool(kinds) and choose((False, True)):
                attributes["scan_output_axes"] = [choose(range(
                    0 if version == 9 else -len(size) - 1, len(size) + 1)) for _, size in kinds]
            ways = {"scan_input_directions": len(elements), **({"scan_output_directions": len(kinds)} if kinds else {})}
        attributes |= {name: [choose((1, 0)) for _ in range(number)] for name, number in ways.items()
                       if choose((False, True))}
        inputs |= {f"{INPUTS}_{number}": choose.tensor(size, dtype, "bits") for number, ((dtype, _), size) in enumerate(
            zip([*state, *elements], sizes, strict=True))}
        return Call("Scan", attributes, inputs, tuple(f"{OUTPUT}_{number}" for number in range(len(graph.output))))

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if not self.has_graph or not isinstance(self.attributes.get("num_scan_inputs"), int):
            return {}
        axes = [*self.attributes.get("scan_input_axes", ()), *self.attributes.get("scan_output_axes", ())]
        return {"nothing-carried": not self.carries, "several-scanned": self.scanned > 1, **self.body_flags(),
                "backward": any(self._backward), "other-axis": any(axes),
                "prepends": any(self.attributes.get("scan_output_directions", ())),
                "negative-axis": any(axis < 0 for axis in axes)}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        counts = [run.count for run in self.runs]
        return {"no-iterations": not any(counts), "gathers-nothing": not any(counts) and bool(self.gathered),
                "empty-along-other-axis": self._is_empty_along_other_axis,
                "shorter-sequences": self.batched and any(count < self.length for count in counts)}

    @property
    def _is_empty_along_other_axis(self) -> bool:
        if self.batched:
            return False
        axes = [*self._axes_in, *(self._out(number)[0] for number in range(self.gathered))]
        arrays = [*self.tensors[self.carries:], *(self.canonical[f"{OUTPUT}_{self.carries + number}"]
                                                  for number in range(self.gathered))]
        return any(not array.size and axis not in (0, -array.ndim) for axis, array in zip(axes, arrays, strict=True))


def _body(choose: Choose, version: int, state: list[Kind], elements: list[Kind], gathered: int
          ) -> tuple[GraphProto, list[Kind]]:
    """Return a body, and what it gives to gather."""
    variables = {**{f"x{number}": kind for number, kind in enumerate(state)},
                 **{f"e{number}": kind for number, kind in enumerate(elements)}}
    maker, outputs, kinds = Expressions(choose, version, 1, variables), list[ValueInfoProto](), list[Kind]()

    def stated(name: str, dtype: str, size: tuple[int, ...], needs_rank: bool = False) -> ValueInfoProto:
        sizes: list[list[int | None] | None] = [list(size), list(size), [None] * len(size)]
        return described_as(name, dtype, choose(sizes if needs_rank else [*sizes, None]))

    for number, (dtype, size) in enumerate(state):
        maker.add(f"y{number}", dtype, size)
        outputs.append(stated(f"y{number}", dtype, size))
    options = [*variables.values(), *variables.values(), (a_type(choose, types(version)), choose(SHAPES))]
    for number in range(gathered):
        kinds.append(choose(options))
        maker.add(f"s{number}", *kinds[-1])
        outputs.append(stated(f"s{number}", *kinds[-1], needs_rank=True))
    inputs = [stated(name, *kind) for name, kind in variables.items()]
    return helper.make_graph(maker.nodes, "body", inputs, outputs, maker.constants), kinds
