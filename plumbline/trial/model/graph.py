"""The graph of a model: nodes, tensors, parts as models.

The onnx package does the work, so that no runtime under test is involved: `onnx.utils.Extractor` cuts (in memory, with
initialisers, types and operator sets), `onnx.inliner` inlines, `onnx.shape_inference` infers shapes,
`onnx.external_data_helper` loads. onnx-ir could replace this and the walk through inner graphs in `oracle.check.graph`,
but it needs sympy, and holds every model in memory a second time.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import onnx
from onnx import (
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
    external_data_helper,
    helper,
    numpy_helper,
)
from onnx.utils import Extractor

from plumbline.oracle.check.graph import (
    Constant,
    Values,
    attributes_once,
    constant_of,
    is_branch,
    is_loop,
    name_of,
    node_of,
    read_around,
    scanned,
    subgraphs,
    text_of,
)
from plumbline.oracle.check.model_file import ModelError, read_model
from plumbline.oracle.check.shape_inference import ERRORS, SMALL, add_inferred, without_values
from plumbline.oracle.node import Node
from plumbline.oracle.safe_text import safe
from plumbline.oracle.tensor_protos import to_array

PORTION = 128 * 2**20
"""Most bytes of inner tensors that are fetched at once, apart from those of a single node."""

LARGEST = 2**31
"""Bytes above which protobuf cannot hold a model."""

WIDEST = 16
"""Most bytes of an element of unknown type."""

@dataclass(frozen=True, eq=False)
class Step:
    """A node of the graph.

    around: the number of the step in whose graphs it is, None for one of the graph itself.
    """

    proto: NodeProto
    node: Node
    around: int | None = None

    @property
    def reads(self) -> list[str]:
        """The tensors that it reads, those that its inner graphs read from around it included, each once."""
        return list(dict.fromkeys(filter(None, (*self.proto.input, *read_around(self.proto)))))

    @property
    def gives(self) -> list[str]:
        """The tensors that the node gives."""
        return [name for name in self.proto.output if name]

    @property
    def operator(self) -> str:
        """The operator, with its domain unless that is ONNX's own."""
        return ".".join(filter(None, (self.node.domain, self.node.operator)))


LETTERS = 500
"""Of an error of the reader of external data, which repeats names."""


class Graph:
    """A model from a file. Raises ModelError.

    Nodes `Constant` are data, not steps; those of an operator set that the model does not import have the version 0.

    digest:    SHA-256 of the model, with its external data.
    too_large: why no request can hold the whole model, "" if one can; large tensors are then not loaded.
    remaining: the outputs of loops of iterations that are not unrolled.
    sizes:     elements of tensors whose shapes are not inferred, as far as a run told them.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.remaining, self.sizes = path, set[str](), dict[str, int]()
        self._arrays = WeakValueDictionary[str, np.ndarray]()
        model = read_model(path)
        self.opsets, self.notes, self.plain = model.opsets, model.notes, model.plain
        external = [tensor for tensor in self.plain.graph.initializer if tensor.data_location == TensorProto.EXTERNAL]
        sizes = list(map(_bytes_of, external))
        size = self.plain.ByteSize() + sum(sizes)
        self.too_large = f"it has {size:,} bytes, and a request holds less than {LARGEST:,}" if size >= LARGEST else ""
        try:
            if not self.too_large:
                external_data_helper.load_external_data_for_model(self.plain, str(path.parent))
            for tensor, bytes_ in zip(external, sizes, strict=True):
                if self.too_large and bytes_ <= SMALL:
                    self._load(tensor)
        except (OSError, RuntimeError, ValueError, onnx.checker.ValidationError) as error:
            raise ModelError(path, f"its external data cannot be read: {safe(str(error))[:LETTERS]}") from None
        self.full = without_values(model.proto)
        self.digest = hashlib.sha256(self.plain.SerializeToString(deterministic=True)).hexdigest()
        self._check_names()

    def _check_names(self) -> None:
        """Raise ModelError for a tensor name that no request can hold."""
        for node in self.plain.graph.node:
            for name in (*node.input, *node.output):
                if not isinstance(name, str):
                    raise ModelError(self.path, f"the name of a tensor is not UTF-8: {text_of(name)}")

    def _load(self, tensor: TensorProto) -> None:
        external_data_helper.load_external_data_for_tensor(tensor, str(self.path.parent))
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]

    @property
    def inputs(self) -> list[ValueInfoProto]:
        """The inputs that a caller has to give."""
        constant = {tensor.name for tensor in self.plain.graph.initializer}
        return [value for value in self.plain.graph.input if value.name not in constant]

    @property
    def outputs(self) -> list[str]:
        """The outputs of the model."""
        return [value.name for value in self.plain.graph.output]

    def bind(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Infer shapes again, from those of the inputs."""
        bound = without_values(self.plain)
        del bound.graph.value_info[:], bound.graph.sparse_initializer[:]
        bound.graph.initializer.extend(self._dense)
        for value in bound.graph.input:
            if value.name in inputs:
                array = inputs[value.name]
                value.type.CopyFrom(helper.make_tensor_type_proto(value.type.tensor_type.elem_type, array.shape))
        self.full = bound
        try:
            add_inferred(bound)
        except ERRORS as error:
            note = f"shapes could not be inferred: {' '.join(str(error).split())[:200]}"
            self.notes += [note] * (note not in self.notes)
        self._arrays.clear()
        for name in ("steps", "conditions", "loops", "constants", "_dense", "_types", "_extractor"):
            vars(self).pop(name, None)

    @cached_property
    def steps(self) -> list[Step]:
        """The nodes of the graph. Raises ModelError."""
        values, steps = self._values(), []
        for proto in self.full.graph.node:
            try:
                attributes_once(proto, "graph")
            except ValueError as error:
                raise ModelError(self.path, str(error)) from None
            values.add(proto)
            if constant_of(proto) is None:
                steps.append(Step(proto, node_of(proto, "graph", self.opsets, values)))
        return steps

    @property
    def inner(self) -> list[Step]:
        """The nodes in graphs of other nodes (If, Loop, ...). Raises ModelError.

        Their tensors cannot be fetched. Those of remaining loops are left out: other iterations have them."""
        numbers = {step.gives[0]: number for number, step in enumerate(self.steps) if step.gives}

        def steps(nodes: Iterable[NodeProto], values: Values, place: str, outer: int | None) -> Iterator[Step]:
            for node in nodes:
                around = outer if place else numbers.get(next(filter(None, node.output), ""))
                for name, graph in () if {*node.output} & self.remaining else subgraphs(node):
                    inside, there = values.inside(graph), f"{place}{node.op_type} {name_of(node)} > {name}"
                    for proto in graph.node:
                        attributes_once(proto, there)
                        inside.add(proto)
                        if constant_of(proto) is None:
                            yield Step(proto, node_of(proto, there, self.opsets, inside), around)
                    yield from steps(graph.node, inside, f"{there} > ", around)
        try:
            return list(steps(self.full.graph.node, self._values(), "", None))
        except ValueError as error:
            raise ModelError(self.path, str(error)) from None

    def _values(self) -> Values:
        """The values that the nodes of the graph see."""
        values = Values().inside(self.full.graph)
        values.constants.update((name, Constant(self.constants[name])) for name in values.constants.keys()
                                & self.constants)
        return values

    @cached_property
    def conditions(self) -> list[str]:
        """The tensors that decide between branches of nodes `If`, each once."""
        return list(dict.fromkeys(node.input[0] for node in self.plain.graph.node if is_branch(node)))

    @cached_property
    def loops(self) -> list[int]:
        """The numbers of nodes `Loop` and `Scan` that can be unrolled."""
        return [place for place, node in enumerate(self.plain.graph.node)
                if (is_loop(node) or scanned(node)) and not {*node.output} & self.remaining]

    @property
    def operators(self) -> set[str]:
        """The operators of its nodes, those in inner graphs included, whatever their domains."""
        def names(nodes: Iterable[NodeProto]) -> Iterator[str]:
            for node in nodes:
                yield node.op_type
                for _, graph in subgraphs(node):
                    yield from names(graph.node)
        return set(names(self.plain.graph.node))

    @property
    def data(self) -> int:
        """The number of nodes `Constant`, those in inner graphs included."""
        def count(nodes: Iterable[NodeProto]) -> int:
            return sum((constant_of(node) is not None) + sum(count(graph.node) for _, graph in subgraphs(node))
                       for node in nodes)
        return count(self.full.graph.node)

    @cached_property
    def constants(self) -> dict[str, TensorProto]:
        """The initialisers and constants by name, the sparse initialisers as dense tensors."""
        given = ((proto.output[0], constant_of(proto)) for proto in self.plain.graph.node if proto.output)
        return {**{name: tensor for name, tensor in given if tensor is not None},
                **{tensor.name: tensor for tensor in (*self.plain.graph.initializer, *self._dense)}}

    @cached_property
    def _dense(self) -> list[TensorProto]:
        """The sparse initialisers as dense tensors. Raises ModelError."""
        try:
            return list(map(_dense, self.plain.graph.sparse_initializer))
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise ModelError(self.path, f"a sparse initialiser cannot be read: {error}") from None

    @cached_property
    def _types(self) -> dict[str, ValueInfoProto]:
        graph = self.full.graph
        return {value.name: value for value in (*graph.value_info, *graph.output, *graph.input)}

    def value(self, name: str) -> np.ndarray:
        """Return the value of a constant, which is in memory once. Raises ModelError if it cannot be read."""
        array = self._arrays.get(name)
        if array is None:
            try:
                array = self._arrays[name] = to_array(self.constants[name], str(self.path.parent))
            except (KeyError, TypeError, ValueError) as error:
                raise ModelError(self.path, f"the constant {name} cannot be read: {error}") from None
        return array

    def portions(self, steps: Sequence[Step]) -> Iterator[list[Step]]:
        """Yield consecutive steps that together use at most `PORTION` bytes."""
        chosen: list[Step] = []
        names: set[str] = set()
        size = 0
        for step in steps:
            more = {*step.reads, *step.gives} - names
            added = sum(map(self._bytes, more))
            if chosen and size + added > PORTION:
                yield chosen
                chosen, names, more, size = [], set(), {*step.reads, *step.gives}, 0
                added = sum(map(self._bytes, more))
            chosen.append(step)
            names |= more
            size += added
        if chosen:
            yield chosen

    def shape(self, name: str) -> list[int | None] | None:
        """Return the shape of a tensor, with None for unknown sizes or rank."""
        if name in self.constants:
            return list(self.constants[name].dims)
        tensor = self._types[name].type.tensor_type if name in self._types else None
        if tensor is None or not tensor.HasField("shape"):
            return None
        return [size.dim_value if size.HasField("dim_value") and size.dim_value >= 0 else None
                for size in tensor.shape.dim]

    def _bytes(self, name: str, unknown: int = PORTION) -> int:
        """Return the bytes of a tensor, 0 for a constant."""
        if name in self.constants:
            return 0
        element = self._types[name].type.tensor_type.elem_type if name in self._types else TensorProto.UNDEFINED
        is_known = element not in (TensorProto.UNDEFINED, TensorProto.STRING)
        if name in self.sizes:
            return self.sizes[name] * (helper.tensor_dtype_to_np_dtype(element).itemsize if is_known else WIDEST)
        sizes = self.shape(name)
        if sizes is None or not is_known:
            return unknown
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes):
            return unknown
        return math.prod(known) * helper.tensor_dtype_to_np_dtype(element).itemsize

    def size(self, step: Step) -> int:
        """Return the known bytes of the tensors of a node, constants included."""
        return sum(_bytes_of(self.constants[name]) if name in self.constants else self._bytes(name, 0)
                   for name in {*step.reads, *step.gives})

    def unknown(self, steps: Iterable[Step]) -> list[str]:
        """Return the tensors of some nodes whose sizes are not known."""
        names = dict.fromkeys(name for step in steps for name in (*step.reads, *step.gives))
        return [name for name in names if self._bytes(name, -1) == -1]

    def giving_shapes(self, names: Sequence[str]) -> tuple[bytes, list[str]]:
        """Return the whole model with the shapes of these tensors among its outputs, and the names of these."""
        taken = {name for step in self.steps for name in (*step.reads, *step.gives)}
        nodes, added = [], []
        for number, name in enumerate(names):
            output = next(each for each in (f"shape {number} of {name}", f"the shape {number} of {name}")
                          if each not in taken)
            nodes.append(helper.make_node("Shape", [name], [output]))
            added.append(helper.make_tensor_value_info(output, TensorProto.INT64, None))
        return self._with(nodes, added), [value.name for value in added]

    def giving(self, names: Iterable[str]) -> bytes:
        """Return the whole model with these tensors among its outputs.

        Their shapes are left out: a runtime refuses what inference found wrongly."""
        outputs = set(self.outputs)
        return self._with([], [self._typed(name) for name in names if name not in outputs])

    def _with(self, nodes: Sequence[NodeProto], outputs: Sequence[ValueInfoProto]) -> bytes:
        """Return the model with more nodes and outputs, which it has for the time of this call: it may be large."""
        graph = self.plain.graph
        counts = len(graph.node), len(graph.output)
        graph.node.extend(nodes)
        graph.output.extend(outputs)
        try:
            serialised: bytes = self.plain.SerializeToString()
        finally:
            del graph.node[counts[0]:], graph.output[counts[1]:]
        return serialised

    def _typed(self, name: str) -> ValueInfoProto:
        """Return a tensor with the type of its elements, if it is known, and no shape."""
        value = ValueInfoProto(name=name)
        if name in self._types:
            value.CopyFrom(self._types[name])
            if value.type.HasField("tensor_type"):
                value.type.tensor_type.ClearField("shape")
        return value

    @cached_property
    def _extractor(self) -> Extractor:
        return Extractor(self.full)

    def _extracted(self, inputs: Sequence[str], outputs: Sequence[str]) -> ModelProto:
        """Return the nodes between some tensors. Raises ValueError.

        The extractor looks at the inputs of nodes alone, so that for its time these hold what inner graphs read."""
        _add_read_around(self.full.graph.node)
        try:
            part = self._extractor.extract_model(list(inputs), list(outputs))
        finally:
            _drop_read_around(self.full.graph.node)
        _drop_read_around(part.graph.node)
        return part

    def part(self, tensors: Mapping[str, np.ndarray], inputs: Iterable[str], outputs: Sequence[str]) -> bytes:
        """Return the nodes between `inputs` and `outputs` as a serialised model.

        tensors: values of the inputs by name, whose types and shapes the model's inputs get.
        inputs:  names of tensors where the part begins; `outputs` are those that it gives.

        Raises ValueError if it cannot be cut out."""
        known = self._extractor.value_infos
        for name in (inputs := list(inputs)):
            element = helper.np_dtype_to_tensor_dtype(tensors[name].dtype)
            known[name] = helper.make_tensor_value_info(name, element, tensors[name].shape)
        untyped = [name for name in outputs if name not in known]
        known.update((name, ValueInfoProto(name=name)) for name in untyped)
        part = self._extracted(inputs, outputs)
        for name in untyped:
            del known[name]
        typed = [value for value in part.graph.value_info if value.HasField("type")]
        del part.graph.value_info[:]
        part.graph.value_info.extend(typed)
        for tensor in part.graph.initializer:
            tensor.CopyFrom(self.constants[tensor.name])
            if tensor.data_location == TensorProto.EXTERNAL:
                self._load(tensor)
        serialised: bytes = part.SerializeToString()
        return serialised


def _add_read_around(nodes: Iterable[NodeProto]) -> None:
    """Make what the inner graphs of nodes read from around them inputs of the nodes, behind the others."""
    for node in nodes:
        node.input.extend(read_around(node))


def _drop_read_around(nodes: Iterable[NodeProto]) -> None:
    """Undo `_add_read_around`."""
    for node in nodes:
        count = len(list(read_around(node)))
        del node.input[len(node.input) - count:]


def _dense(sparse: SparseTensorProto) -> TensorProto:
    """Return a sparse tensor as a dense one. Raises what wrong data makes the readers raise."""
    values, places = to_array(sparse.values), to_array(sparse.indices)
    if (size := math.prod(sparse.dims) * values.itemsize) >= LARGEST:
        raise ValueError(f"it has {size:,} bytes, and a request holds less than {LARGEST:,}")
    dense = np.zeros(list(sparse.dims), values.dtype)
    dense[tuple(places.T) if places.ndim == 2 else np.unravel_index(places, dense.shape)] = values
    return numpy_helper.from_array(dense, sparse.values.name)


def _bytes_of(tensor: TensorProto) -> int:
    """Return the bytes of a tensor, 0 for an unknown type."""
    known = tensor.data_type in helper.get_all_tensor_dtypes()
    return math.prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize if known else 0
