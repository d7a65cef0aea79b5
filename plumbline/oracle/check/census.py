"""Count the operators that models use, and those with a specification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import onnx.defs
from onnx import NodeProto

from plumbline.oracle.check.graph import domain_of, subgraphs
from plumbline.oracle.check.model_file import Model, ModelError, read_model
from plumbline.oracle.check.selection import Text, texts

DATA = ("", "Constant")
"""The operator whose nodes are data of the model, as initialisers are: nothing is computed."""


class Used(NamedTuple):
    """An operator as models use it: its domain, its name, and the version in force (0 where ONNX has no schema)."""

    domain: str
    name: str
    version: int

    @property
    def operator(self) -> str:
        """The name, behind its domain where that is not ONNX's own."""
        return f"{self.domain}.{self.name}" if self.domain else self.name


@dataclass(frozen=True, eq=False)
class Census:
    """The nodes of some models, Constant apart, by operator and version; `errors` says which could not be read."""

    models: dict[str, Counter[Used]] = field(default_factory=dict)
    data: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> Counter[Used]:
        """The nodes of all models."""
        return sum(self.models.values(), Counter[Used]())

    @property
    def specified(self) -> frozenset[str]:
        """The operators all of whose nodes have a specification."""
        without = {used.operator for used in self.nodes if specification(used) is None}
        return frozenset(used.operator for used in self.nodes) - without

    def covered(self, operators: Iterable[str]) -> tuple[int, int]:
        """The nodes of some operators, and the models that have no other."""
        known = frozenset(operators)
        whole = sum({used.operator for used in nodes} <= known for nodes in self.models.values())
        return sum(count for used, count in self.nodes.items() if used.operator in known), whole

    def next_operators(self) -> Iterator[tuple[str, int]]:
        """The operators without a specification, those with the most nodes first, with their nodes."""
        counts = Counter[str]()
        for used, count in self.nodes.items():
            if used.operator not in self.specified:
                counts[used.operator] += count
        yield from sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def census(paths: Sequence[Path]) -> Census:
    """Count the nodes of models: of subgraphs and of functions that a model brings, too."""
    models: dict[str, Counter[Used]] = {}
    data, errors = 0, list[str]()
    for path in paths:
        try:
            model = read_model(path, infer=False)
        except ModelError as error:
            errors.append(str(error))
            continue
        models[str(path)] = used_by(model)
        data += sum(_is_data(node) for node in _nodes(model.proto.graph.node))
    return Census(models, data, errors)


def used_by(model: Model) -> Counter[Used]:
    """Return the nodes of a model by operator and version, those that are data apart."""
    return Counter(Used(domain := domain_of(node), node.op_type,
                        _version(domain, node.op_type, model.opsets.get(domain, 0)))
                   for node in _nodes(model.proto.graph.node) if not _is_data(node))


def _is_data(node: NodeProto) -> bool:
    return (domain_of(node), node.op_type) == DATA


def _nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    for node in nodes:
        yield node
        for _, graph in subgraphs(node):
            yield from _nodes(graph.node)


def _version(domain: str, name: str, opset: int) -> int:
    try:
        return int(onnx.defs.get_schema(name, opset, domain).since_version)
    except onnx.defs.SchemaError:
        return 0


@cache
def _texts() -> dict[tuple[str, str], Text]:
    return {text.about: text for text in texts(["onnx/*"])}


def specification(used: Used) -> str | None:
    """The name of ONNX's specification of an operator at a version; None where the suite has none."""
    text = _texts().get((used.domain, used.name))
    spec = text.spec(used.version) if text is not None and used.version else None
    return spec.name if spec is not None else None


def as_object(counted: Census) -> dict[str, Any]:
    """The census as JSON data."""
    nodes, whole = counted.covered(counted.specified)
    return {
        "models": len(counted.models), "errors": counted.errors, "nodes": counted.nodes.total(), "data": counted.data,
        "nodes with a specification": nodes, "models with a specification for every node": whole,
        "operators": [{"operator": used.operator, "version": used.version, "nodes": count,
                       "models": sum(used in nodes for nodes in counted.models.values()),
                       "specification": specification(used)}
                      for used, count in sorted(counted.nodes.items(), key=lambda entry: (-entry[1], entry[0]))],
        "would add most": [{"operator": operator, "nodes": count, "nodes after": after, "models after": models}
                           for operator, count, after, models in _steps(counted)]}


def as_lines(counted: Census) -> Iterator[str]:
    """Yield the census as lines: totals, operators with versions, specifications that would add most."""
    nodes, whole = counted.covered(counted.specified)
    total, models = counted.nodes.total(), len(counted.models)
    yield (f"{_count(models, 'model')}, {_count(total, 'node')}, {_count(counted.data, 'Constant node')} (data)")
    yield (f"with a specification: {nodes:,} of {total:,} nodes{_share(nodes, total)}; every node of {whole:,} of "
           f"{_count(models, 'model')}")
    yield ""
    yield f"{'nodes':>9} {'models':>7}  operator"
    for used, count in sorted(counted.nodes.items(), key=lambda entry: (-entry[1], entry[0])):
        present = sum(used in nodes for nodes in counted.models.values())
        version = f"-{used.version}" if used.version else ""
        yield f"{count:9,} {present:7,}  {used.operator}{version}  {specification(used) or 'no specification'}"
    steps = list(_steps(counted))
    if steps:
        yield ""
        yield "specifications that would add most, in this order, with the nodes and models then covered"
    for operator, count, after, covered in steps:
        yield f"{count:9,}  {operator}: {_count(after, 'node')}{_share(after, total)}, {_count(covered, 'model')}"


def _steps(counted: Census) -> Iterator[tuple[str, int, int, int]]:
    operators = set(counted.specified)
    for operator, count in counted.next_operators():
        operators.add(operator)
        yield operator, count, *counted.covered(operators)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _share(part: int, whole: int) -> str:
    return f" ({100 * part / whole:.1f} %)" if whole else ""
