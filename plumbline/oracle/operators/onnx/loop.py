"""Judge and generate calls of ONNX Loop, by `spec/onnx/loop.md`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np
from onnx import GraphProto, ValueInfoProto, helper, numpy_helper, parser, shape_inference

from plumbline.oracle.answers import Divergence, OutsideDomain
from plumbline.oracle.call import Call, is_of
from plumbline.oracle.families.bodies import Tensor, allowed, reads
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.expressions import SHAPES, Expressions, Kind, described_as
from plumbline.oracle.families.graph_values import as_in, declared, shape, types, types_of_outputs
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
    Unspecified,
    Wrong,
    evidence,
    on_call,
    on_outputs,
    unspecified,
)
from plumbline.oracle.partial import Undecided
from plumbline.oracle.response import Response, other_shape, wrong_shape

OUTPUT = "v_final_and_scan_outputs"


class Runs:
    """The iterations of a loop, and what their number depends on.

    done:    its iterations.
    read_as: whether the body is given a condition that the text does not fix.
    axes:    why something that should be a scalar is none, "" if all are.
    unsure:  whether the number of iterations depends on values that are not fixed.
    ignored: whether a condition of the body is false before an iteration that runs all the same."""

    def __init__(self, loop: Loop) -> None:
        """Run the iterations of a valid call, `loop`."""
        given, graph = loop.inputs.get("cond"), loop.graph
        most, carried = loop.most, loop.initial
        self.done = Iterations(graph, loop.call.opset or loop.version, carried, len(graph.output) - 1 - len(carried))
        self.unsure = self.ignored = False
        condition = Tensor(np.array(True) if given is None else given, given is not None)
        self.axes = next((f"{name} has {loop.inputs[name].ndim} axes" for name in ("M", "cond")
                          if name in loop.inputs and loop.inputs[name].ndim), "")
        self.axes = self.axes or next((f"the body states {len(sizes)} axes for {value.name}" for value in (
            *graph.input[:2], graph.output[0]) if (sizes := shape(value))), "")
        while (most is None or self.done.count < most) and (given is None or bool(condition.array.reshape(-1)[0])):
            self.unsure = self.unsure or given is not None and not condition.settled
            self.ignored = self.ignored or not condition.array.reshape(-1)[0]
            number = Tensor(np.array(self.done.count, np.int64))
            first = self.done.run([_as_stated(number, graph.input[0]), _as_stated(condition, graph.input[1])], ())
            if self.done.invalid:
                return
            condition, = first
            if condition.array.size != 1 or condition.array.dtype != np.bool_:
                self.done.invalid = (f"the condition after iteration {self.done.count} is "
                                     f"{condition.array.dtype.name}{list(condition.array.shape)}")
                return
            if given is None:
                condition = Tensor(condition.array, False)
            if condition.array.ndim:
                self.axes = self.axes or f"the condition of the body has {condition.array.ndim} axes"
        self.unsure = self.unsure or given is not None and not condition.settled and (
            most is None or self.done.count < most)


def _as_stated(tensor: Tensor, value: ValueInfoProto) -> Tensor:
    """Return a tensor of one element on as many axes as a graph states."""
    sizes = shape(value)
    return tensor if sizes is None else Tensor(tensor.array.reshape((1,) * len(sizes)), tensor.settled)


def _with(definition: Operator, **inputs: np.ndarray) -> Loop:
    """Return the same call with other scalars."""
    given = {**definition.inputs, **inputs}
    names = ("M", "cond", *(name for name in given if name not in ("M", "cond")))
    return Loop(replace(definition.call, inputs={name: given[name] for name in names if name in given}),
                definition.version)


def ended_by_body(definition: Operator, entry: Divergence) -> bool:
    """The output is that of a loop whose condition is true at first."""
    return as_in(entry, _with(definition, cond=np.array(True)).canonical[entry.output])


def not_run(definition: Operator, entry: Divergence) -> bool:
    """The output is that of a loop of which no iteration runs."""
    return as_in(entry, _with(definition, M=np.array(0)).canonical[entry.output])


def along_first_axis(definition: Operator, entry: Divergence) -> bool:
    """The output is joined along the first axis of what iterations give; scalars are lists of one."""
    whole = definition.canonical[entry.output]
    return as_in(entry, whole.reshape(prod(whole.shape[:2]), *(whole.shape[2:] if whole.ndim > 1 else (1,))))


def _scalars_in_rows_of_one(definition: Operator, entry: Divergence) -> bool:
    """Each number that is gathered has two axes of size 1."""
    whole = definition.canonical[entry.output]
    return entry.where is None and whole.ndim == 1 and as_in(entry, whole.reshape(-1, 1, 1))


def last_number(definition: Operator, entry: Divergence) -> bool:
    """Elements are the number of iterations, one more than that of the last, for the numbers of all."""
    assert isinstance(definition, Loop) and isinstance(entry.got, np.ndarray)  # it is about elements
    count = definition.runs.done.count
    numbers = np.array_equal(np.ravel(definition.canonical[entry.output]), np.arange(count))
    return numbers and bool(np.all(entry.got == count))


class Loop(Iterated):
    """A call of Loop under one version of its specification."""

    output, before_carried = OUTPUT, 1
    clauses = {f"{OUTPUT}.F1": "element_type", f"{OUTPUT}.U7": "one_tensor_twice"}
    shape_symptoms = {**Iterated.shape_symptoms, "ended-by-body": ended_by_body, "not-run": not_run,
                      "along-first-axis": along_first_axis,
                      "scalars-in-rows-of-one": _scalars_in_rows_of_one}
    symptoms = {**Iterated.symptoms, **shape_symptoms, "last-number": last_number}
    flag_notes = {**Iterated.flag_notes, "no-trip-count": "there is no trip count.",
                  "no-condition": "there is no condition.",
                  "condition-ignored": "there is no condition, and the body gives a false one before the last.",
                  "negative-trip-count": "the trip count is negative.",
                  "condition-ends": "the condition of the body ends the loop before its trip count.",
                  "nothing-carried": "nothing is carried from one iteration to the next.",
                  "several-carried": "several tensors are carried from one iteration to the next.",
                  "grows": "a tensor that is carried changes its shape.",
                  "gathers-matrices": "tensors of two axes or more are gathered.",
                  "number-given-back": "the body names the number of the iteration as an output.",
                  "axes": "a trip count, condition or number of the iteration has axes."}

    value = elements_of(f"{OUTPUT}.F2", OUTPUT, "not what the iterations give")
    type_1, type_16, type_19, type_21, type_23, type_24 = types_of_outputs("body", 7, lambda self: (
        ("the body", value) for value in (self.graph.output[1:] if self.has_graph else ())))

    @cached_property
    def initial(self) -> list[np.ndarray]:
        """The tensors that are carried, before the first iteration."""
        return [tensor for name, tensor in self.inputs.items() if is_of(name, "v_initial")]

    @property
    def carries(self) -> int:
        """The number of tensors that are carried."""
        return len(self.initial)

    @property
    def most(self) -> int | None:
        """The trip count, None where there is none."""
        return int(self.inputs["M"].reshape(-1)[0]) if "M" in self.inputs else None

    def with_an_iteration(self) -> Iterator[Loop]:
        """Yield the call with one iteration where it has none, and without a trip count below 0."""
        if not self.runs.done.count:
            yield _with(self, M=np.array(1), cond=np.array(True))
            if (self.most or 0) < 0 and "cond" in self.inputs:
                others = {name: x for name, x in self.inputs.items() if name != "M"}
                yield Loop(replace(self.call, inputs=others), self.version)

    @on_call("M.C2")
    def one_trip_count(self) -> str | None:
        return self._one_element("M")

    @on_call("cond.C2")
    def one_condition(self) -> str | None:
        return self._one_element("cond")

    def _one_element(self, name: str) -> str | None:
        size = self.inputs[name].size if name in self.inputs else 1
        return None if size == 1 else f"{name} has {size} elements"

    @on_call("v_initial.C8")
    def carried(self) -> str | None:
        return None if self.initial else "nothing is carried"

    @on_call("body.C3")
    def number_of_inputs(self) -> str | None:
        given = len(self.graph.input)
        return None if given == 2 + len(self.initial) else f"the body has {given} inputs, not {2 + len(self.initial)}"

    @on_call("body.C4")
    def number_of_outputs(self) -> str | None:
        given = len(self.graph.output)
        if given != self.count + 1:
            return f"the body has {given} outputs, not {self.count + 1}"
        return None if self.count >= len(self.initial) else f"the node has {self.count} outputs, fewer than it carries"

    @on_call("body.C5", needs=("body.C3", "body.C4"))
    def type_of_condition(self) -> str | None:
        conditions = self.graph.input[1], self.graph.output[0]
        return next((f"{value.name} of the body is {dtype.name}" for value in conditions
                     if (dtype := declared(value)) is not None and dtype != np.bool_), None)

    @on_call("body.C6", needs=("body.C3", "body.C4"))
    def types_of_carried(self) -> str | None:
        for number, tensor in enumerate(self.initial):
            for value in (self.graph.input[2 + number], self.graph.output[1 + number]):
                dtype = declared(value)
                if dtype is not None and dtype != tensor.dtype:
                    return f"{value.name} of the body is {dtype.name}, and v_initial_{number} {tensor.dtype.name}"
        return None

    @on_call("body.C13", needs=("M.C2", "cond.C2", "body.C3", "body.C4", "body.C5", "body.C6"))
    def gathered_alike(self) -> str | None:
        if len(self.graph.output) == 1 + len(self.initial):
            return None
        if not all(isinstance(tensor, np.ndarray) for tensor in self.inputs.values()):
            raise Undecided("what the body gives in each iteration")
        try:
            return self.runs.done.unequal() or None
        except OutsideDomain:  # it is not tried
            return None

    @evidence("body.E3")
    @staticmethod
    def concatenated() -> str:
        model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]> g (int64 M, bool c) => (S) {
            S = Loop (M, c) <body = b (int64 i, bool d) => (bool d, float[1, 2] s) <float[1, 2] s = {1, 2}> { }> }""")
        rank = len(shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim)
        rows = [np.zeros((1, 2))] * 3
        joined, one_more = np.concatenate(rows).shape, np.stack(rows).shape
        assert rank == len(one_more) != len(joined)
        return (f"three tensors of shape [1, 2] concatenated have shape {list(joined)}, as elements of their own "
                f"{list(one_more)}; shape inference says {rank} axes")

    @cached_property
    def runs(self) -> Runs:
        """The iterations. Raises OutsideDomain for a body that is not tried."""
        return Runs(self)

    def expected(self) -> dict[str, np.ndarray]:
        """The outputs; of a body that cannot be computed, what there was before."""
        self.check_stated()
        done, names = self.runs.done, [f"{OUTPUT}_{number}" for number in range(self.count)]
        arrays = [tensor.array for tensor in done.state]
        for value, tensors in zip(self.to_gather, done.gathered, strict=True):
            arrays.append(laid(tensors) if tensors else nothing_gathered(value))
        return dict(zip(names, arrays, strict=True))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of what the nodes that give an output allow; what none gives is copied bit by bit."""
        is_carried, number = self.place(output)
        return allowed(self.runs.done.state[number], got) if is_carried else allowed_in(
            self.runs.done.gathered[number], got)

    def _tensors(self, response: Response, carried: bool) -> list[str]:
        return [name for name in response.asked if self.place(name)[0] is carried]

    @on_outputs(f"{OUTPUT}.C1")
    def shape_of_carried(self, response: Response) -> Wrong | None:
        names = [] if self._is_free else self._tensors(response, True)
        return next(filter(None, (wrong_shape(response, name) for name in names)), None)

    @on_outputs(f"{OUTPUT}.C2")
    def shape_of_gathered(self, response: Response) -> Wrong | None:
        names = [] if self._is_free else self._tensors(response, False)
        if not (self.runs.done.count or self.runs.unsure or self._is_free):  # of sizes that are open, this is not
            names = [name for name in names if response.shape_is_open(name) and name in response.given]
            got = {name: response.given[name].shape for name in names}
            wrong = next((name for name in names if got[name][:1] not in ((0,), ())), None)
            if wrong is not None:
                return other_shape(wrong, got[wrong], self.shape_of(wrong))
        names = [] if self._is_free else self._tensors(response, False)
        return next(filter(None, (wrong_shape(response, name) for name in names)), None)

    @property
    def _is_free(self) -> bool:
        """True if a clause opens all outputs."""
        return bool(self.runs.done.invalid or self.runs.done.misstated)

    @cached_property
    def _open(self) -> dict[str, Allowance]:
        """Return by output the elements that values which are not fixed leave open."""
        if self._is_free:
            return {}
        if self.runs.unsure:
            return dict.fromkeys(self.canonical, Allowance(shape=True))
        found = {}
        for name in self.canonical:
            is_carried, number = self.place(name)
            allowance = open_part(self.runs.done.gathered[number]) if not is_carried else Allowance(
                shape=True) if self.runs.done.state[number].is_open else None
            if allowance is not None:
                found[name] = allowance
        return found

    @property
    def _reads_condition(self) -> bool:
        return self._is_read(self.graph.input[1].name)

    def _is_read(self, name: str) -> bool:
        """Return True if a node of the body, or an output but the condition, is or reads an input."""
        inner = GraphProto()
        inner.CopyFrom(self.graph)
        del inner.input[:], inner.output[0]
        return name in reads(inner)

    @unspecified(f"{OUTPUT}.U1")
    def behind_open_values(self) -> Unspecified | None:
        return Unspecified(self._open) if self._open and ("cond" in self.inputs or not self._reads_condition) else None

    @unspecified(f"{OUTPUT}.U2", refusal=True)
    def invalid_node(self) -> Unspecified | None:
        return self.anything() if self.runs.done.invalid else None

    @unspecified(f"{OUTPUT}.U3")
    def condition_left_out(self) -> Unspecified | None:
        return Unspecified(self._open) if "cond" not in self.inputs and self._reads_condition and self._open else None

    @unspecified(f"{OUTPUT}.U4", refusal=True)
    def with_axes(self) -> Unspecified | None:
        if not self.runs.axes:
            return None
        is_read = self._reads_condition or self._is_read(self.graph.input[0].name)
        return Unspecified.everything(*self.canonical) if is_read else Unspecified.refusal()

    @unspecified(f"{OUTPUT}.U5", refusal=True)
    def otherwise_than_stated(self) -> Unspecified | None:
        return self.anything() if self.runs.done.misstated else None

    @unspecified(f"{OUTPUT}.U6")
    def no_iterations(self) -> Unspecified | None:
        if self.runs.done.count or self.runs.done.invalid:
            return None
        names = [name for name in self.canonical if not self.place(name)[0]]
        gathered = dict(zip(names, self.to_gather, strict=True))
        names = [name for name in names if not is_sized(gathered[name])]
        return Unspecified.everything(*names) if names else None

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: bodies of copies, constants, sums, growing tensors and nodes If, that end."""
        fewest = 1 if version == 1 else 0
        carried = [(a_type(choose, types(version)), choose(SHAPES)) for _ in range(choose((1, 2, fewest, 3)))]
        most = choose((2, 0, 1, 3, 4, -1, None), (4, 1, 2, 4, 2, 1, 3))
        condition = choose((True, None, False), (4, 4, 1)) if most is not None else choose((True, False), (4, 1))
        maker = _Bodies(choose, version, carried)
        graph = maker.body(choose((1, 0, 2)), most is None)
        if len(graph.output) == 1:
            return None
        inputs = {"M": most if most is None else np.array(most, np.int64),
                  "cond": condition if condition is None else np.array(condition)}
        return Call("Loop", {"body": graph_text(graph)}, {
            **{name: array for name, array in inputs.items() if array is not None},
            **{f"v_initial_{number}": choose.tensor(size, dtype, "bits")
               for number, (dtype, size) in enumerate(carried)}},
            tuple(f"{OUTPUT}_{number}" for number in range(len(graph.output) - 1)))

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if not self.has_graph:
            return {}
        graph, most = self.graph, self.inputs.get("M")
        return {"no-trip-count": most is None, "no-condition": "cond" not in self.inputs,
                "negative-trip-count": most is not None and bool((most < 0).any()),
                "nothing-carried": not self.carries, "several-carried": self.carries > 1, **self.body_flags(),
                "gathers-matrices": any(len(shape(value) or ()) > 1 for value in self.to_gather),
                "number-given-back": any(value.name == graph.input[0].name for value in graph.output[1:])}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        done, gathers = self.runs.done, bool(self.to_gather)
        return {"no-iterations": not done.count, "gathers-nothing": not done.count and gathers,
                "condition-ignored": "cond" not in self.inputs and self.runs.ignored,
                "condition-ends": "cond" in self.inputs and done.count != max(self.most or 0, 0),
                "grows": any(tensor.array.shape != before.shape
                             for tensor, before in zip(done.state, self.initial, strict=True)),
                "axes": bool(self.runs.axes)}


class _Bodies:
    """Makes a body for tensors that are carried."""

    def __init__(self, choose: Choose, version: int, carried: list[Kind]) -> None:
        self.choose, self.version, self.carried = choose, version, carried
        self.grown = [version > 1 and bool(size) and dtype in ("float32", "int64", "bool") and choose((False, True))
                      for dtype, size in carried]
        fixed = {f"x{number}": kind for number, kind in enumerate(carried) if not self.grown[number]}
        self.maker = Expressions(choose, version, 1, {**fixed, "i": ("int64", ()), "c": ("bool", ())})

    def body(self, gathered: int, must_end: bool) -> GraphProto:
        """Return the graph, with tensors to gather; it ends by its condition if it must."""
        choose, maker, outputs = self.choose, self.maker, list[ValueInfoProto]()
        outputs.append(described_as(self._condition(must_end), "bool", ()))
        for number, (dtype, size) in enumerate(self.carried):
            name = f"y{number}"
            if self.grown[number]:
                maker.constants.append(numpy_helper.from_array(
                    choose.tensor((choose((1, 2)), *size[1:]), dtype, "bits"), f"{name}_more"))
                maker.nodes.append(helper.make_node("Concat", [f"x{number}", f"{name}_more"], [name], axis=0))
            elif choose((True, True, True, False)):
                maker.add(name, dtype, size)
            else:
                name = f"x{number}"
            outputs.append(self._stated(name, dtype, size, self.grown[number]))
        kinds = [*maker.variables.values(), *((a_type(choose, types(self.version)), choose(SHAPES)) for _ in range(2))]
        for number in range(gathered):
            dtype, size = choose(kinds)
            name = f"s{number}"
            if (dtype, size) == ("int64", ()) and choose((True, False)):
                name = "i"
            else:
                maker.add(name, dtype, size)
            outputs.append(self._stated(name, dtype, size, False))
        inputs = [described_as("i", "int64", ()), described_as("c", "bool", ()), *(
            self._stated(f"x{number}", dtype, size, self.grown[number])
            for number, (dtype, size) in enumerate(self.carried))]
        return helper.make_graph(maker.nodes, "body", inputs, outputs, maker.constants)

    def _stated(self, name: str, dtype: str, size: tuple[int, ...], grows: bool) -> ValueInfoProto:
        sizes: list[int | None] | None = [None if grows and not axis else number for axis, number in enumerate(size)]
        unknown: list[list[int | None] | None] = [[None] * len(size)]
        return described_as(name, dtype, self.choose([sizes, sizes, *unknown, *([None] * (name[0] in "xy"))]))

    def _condition(self, must_end: bool) -> str:
        forms = ["not", "false"] if must_end else ["same", "given back", "not", "false", "true"]
        if self.version > 1:
            forms += ["less"]
        form, maker = self.choose(forms), self.maker
        if form == "given back":
            return "c"
        if form in ("true", "false"):
            maker.constants.append(numpy_helper.from_array(np.array(form == "true"), "go_on"))
            maker.nodes.append(helper.make_node("Identity", ["go_on"], ["o"]))
        elif form == "less":
            maker.constants.append(numpy_helper.from_array(np.array(self.choose((1, 0, 2)), np.int64), "limit"))
            maker.nodes.append(helper.make_node("Less", ["i", "limit"], ["o"]))
        else:
            maker.nodes.append(helper.make_node("Not" if form == "not" else "Identity", ["c"], ["o"]))
        return "o"
