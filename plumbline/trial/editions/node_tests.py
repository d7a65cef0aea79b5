"""Read the official node tests of an ONNX release.

A test is a model of one node, with inputs and the outputs that the release publishes."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from plumbline.cases.onnx.models import to_call
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.specification import operators
from plumbline.oracle.tensor_protos import to_array
from plumbline.oracle.type_names import as_objects
from plumbline.trial.editions.wheels import Wheel

DATA = "onnx/backend/test/data/"
Tensors = dict[str, np.ndarray]


@dataclass(frozen=True)
class NodeTest:
    """A test of one node; `sets` holds pairs of inputs and outputs by the names that the model has for them."""

    release: str
    name: str
    model: onnx.ModelProto
    sets: tuple[tuple[Tensors, Tensors], ...]

    @property
    def node(self) -> onnx.NodeProto:
        """The node under test."""
        node: onnx.NodeProto = self.model.graph.node[0]
        return node

    @cached_property
    def opset(self) -> int:
        """The version of ONNX's own operator set."""
        return next(int(entry.version) for entry in self.model.opset_import if entry.domain in ("", "ai.onnx"))

    @cached_property
    def spec(self) -> Spec | None:
        """The specification in force; None where the suite has none."""
        known = [load_spec(name) for name in operators().get(self.node.op_type, ()) if name.startswith("onnx/")]
        return max((spec for spec in known if spec.opset <= self.opset), key=lambda spec: spec.opset, default=None)

    def calls(self) -> Iterator[tuple[Call, Tensors]]:
        """Yield each call in the specification's names, with the outputs published for it."""
        spec, node = self.spec, self.node
        assert spec is not None
        constants = {entry.name: to_array(entry) for entry in self.model.graph.initializer}
        names = spec.input_names(len(node.input))
        for given, published in self.sets:
            arrays = constants | given
            if not arrays.keys() >= {value for value in node.input if value} or not published.keys() >= {
                    value for value in node.output if value}:
                continue  # a sequence or an optional, which no call takes
            if not spec.definition.takes_strings and any(
                    array.dtype.hasobject for array in (*arrays.values(), *published.values())):
                continue  # which the definition is not tried with
            call, _ = to_call(self.model.SerializeToString(), {name: arrays[value] for name, value
                                                               in zip(names, node.input, strict=True) if value})
            outputs = {name: published[value] for name, value in zip(
                spec.output_names(len(node.output)), node.output, strict=False) if value}
            yield Call(call.operator, call.attributes, call.inputs, tuple(outputs)), outputs


def node_tests(wheel: Wheel) -> Iterator[NodeTest]:
    """Yield the tests of one node whose operator has a specification: those whose data the wheel holds, by name, and
    of a release without data of `node/` those that it makes, where that release is the one installed here."""
    for path in wheel.names(DATA, "/model.onnx"):
        folder = path.removesuffix("model.onnx")
        model = onnx.load_model_from_string(wheel.archive.read(path))
        if _is_specified(model):
            yield NodeTest(wheel.release, folder.removeprefix(DATA).split("/")[1].removeprefix("test_"), model,
                           tuple(_sets(wheel, folder, model)))
    if not has_data(wheel) and wheel.release == onnx.__version__:
        yield from made_tests(wheel.release)


def has_data(wheel: Wheel) -> bool:
    """Return whether the wheel holds the data of its node tests; from 1.23.0 on they are made when they are run."""
    return bool(wheel.names(f"{DATA}node/", "/model.onnx"))


def _is_specified(model: onnx.ModelProto) -> bool:
    nodes = model.graph.node
    return len(nodes) == 1 and nodes[0].domain in ("", "ai.onnx") and nodes[0].op_type in operators()


def made_tests(release: str) -> Iterator[NodeTest]:
    """Yield the tests that the installed onnx makes, under the name of a release."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases
        tests = list(collect_testcases(None))
    for test in tests:
        if test.model is not None and test.data_sets is not None and _is_specified(test.model):
            graph = test.model.graph
            yield NodeTest(release, test.name.removeprefix("test_"), test.model, tuple(
                (_arrays(graph.input, inputs), _arrays(graph.output, outputs)) for inputs, outputs in test.data_sets))


def _arrays(values: Any, arrays: Any) -> Tensors:
    read = [to_array(array) if isinstance(array, onnx.TensorProto) else array for array in arrays]
    return {value.name: as_objects(np.asarray(array)) for value, array in zip(values, read, strict=True)
            if isinstance(array, np.ndarray | np.generic)}


def _sets(wheel: Wheel, folder: str, model: onnx.ModelProto) -> Iterator[tuple[Tensors, Tensors]]:
    constants = {entry.name for entry in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    outputs = list(model.graph.output)
    folders = sorted({name.rpartition("/")[0] for name in wheel.names(f"{folder}test_data_set_", ".pb")})
    for place in folders:
        yield (_tensors(wheel, f"{place}/input_", inputs), _tensors(wheel, f"{place}/output_", outputs))


def _tensors(wheel: Wheel, prefix: str, values: list[onnx.ValueInfoProto]) -> Tensors:
    """The tensors of one set by name; a sequence or an optional, which no call takes, is left out."""
    found: Tensors = {}
    for number, value in enumerate(values):
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(wheel.archive.read(f"{prefix}{number}.pb"))
            array = _as_stated(to_array(tensor), value.type.tensor_type.elem_type)
            found[value.name] = array
        except (DecodeError, KeyError, ValueError, TypeError):
            continue
    return found


def _as_stated(array: np.ndarray, element: int) -> np.ndarray:
    """Return a tensor in the element type that its model states: older releases stored bfloat16 and float8 as bits, and
    integers below eight bits as those of eight."""
    stated = helper.tensor_dtype_to_np_dtype(element)
    if array.dtype == stated or array.dtype.kind not in "iu" or array.dtype.itemsize != stated.itemsize:
        return array
    return array.astype(stated) if stated.name in ("int4", "uint4", "int2", "uint2") else array.view(stated)
