"""Turn facts of ONNX's operator schemas into clauses and predicates.

Under the key `schema` the front matter maps local addresses to facts, as `plumbline specs sync` writes them from
`onnx.defs`. Each becomes a clause with its statement and its predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from plumbline.oracle.answers import Wrong
from plumbline.oracle.call import is_of
from plumbline.oracle.clause import Clause, Versions
from plumbline.oracle.definition import Operator
from plumbline.oracle.graphs import is_graph
from plumbline.oracle.predicates import Predicate
from plumbline.oracle.response import Response, missing_output, wrong_type
from plumbline.oracle.type_names import name_of

LARGEST_INT = 2**63 - 1

_TYPES: dict[str, Callable[[Any], bool]] = {
    "int": lambda value: isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    and -LARGEST_INT - 1 <= int(value) <= LARGEST_INT,
    "float": lambda value: isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, (str, bytes)),
    "tensor": lambda value: isinstance(value, np.ndarray),
    "graph": is_graph,
}
"""By the name of an attribute type of ONNX: whether a value is of it. Others are not judged."""


@dataclass(frozen=True)
class Fact:
    """One fact of a schema, which holds for some versions.

    kind:   ``outputs``, ``attributes``, ``attribute`` (its type), ``required``, ``types``, ``one type`` or ``type``.
    values: what it says, by kind: the attributes with their versions; the type and the default of an attribute; element
            types; inputs of one type; the input whose type the output has, the attribute that names it, or the type.
    """

    section: str
    kind: str
    values: Mapping[str, Any]
    versions: str = ""

    @classmethod
    def read(cls, address: str, entry: Mapping[str, Any]) -> Fact:
        """Read an entry of the front matter, under its local address. Raises ValueError."""
        values = dict(entry)
        kind, versions = values.pop("fact", None), str(values.pop("versions", ""))
        if kind not in _KINDS or set(values) - _KINDS[kind].keys:
            raise ValueError(f"{address}: a fact has the key `fact` with {', '.join(_KINDS)}, and keys of its own")
        if versions:
            Versions.parse(versions)
        return cls(address.split(".")[-2], kind, values, versions)

    @property
    def entry(self) -> dict[str, Any]:
        """The entry of the front matter."""
        return {"fact": self.kind, **self.values, **({"versions": self.versions} if self.versions else {})}

    def holds_for(self, version: int) -> bool:
        """Return True if the fact holds for a version of the specification."""
        return not self.versions or version in Versions.parse(self.versions)

    @cached_property
    def names_at(self) -> dict[int, frozenset[str]]:
        """The attributes that are named, by version, of the versions that were asked about."""
        return {}

    @property
    def letter(self) -> str:
        """The letter of its tag: F of what outputs are, C of what a call must be."""
        return "F" if self.kind in ("outputs", "type") else "C"

    def clause(self, specification: str, address: str, line: int) -> Clause:
        """The clause that states the fact."""
        kind = _KINDS[self.kind]
        section, _, tag = address.rpartition(".")
        return Clause(specification, section, tag, kind.title, kind.statement(self),
                      kind.source, line, judges="outputs" if self.letter == "F" else "call",
                      versions=Versions.parse(self.versions) if self.versions else None)

    def predicate(self, address: str) -> Predicate:
        """The predicate that decides the clause, bound to its local address."""
        if self.kind == "outputs":
            return Predicate("outputs", address, lambda definition, response: missing_output(response))
        if self.kind == "type":
            return Predicate("outputs", address, self._wrong_type)
        return Predicate("call", address, partial(_KINDS[self.kind].broken, self))

    def _wrong_type(self, definition: Operator, response: Response) -> Wrong | None:
        """None too where the input whose type the output has is not given."""
        like = tensors_of(definition.inputs, self.values["like"]) if "like" in self.values else \
            tensors_of(definition.canonical, self.section)
        names = [name for name, _ in tensors_of(response.given, self.section)] if like else []
        return next(filter(None, (wrong_type(response, name, like[0][1].dtype) for name in names)), None)


def tensors_of(given: Mapping[str, np.ndarray], name: str) -> list[tuple[str, np.ndarray]]:
    """The given tensors of an input or output with their names: of a variadic one all, of an optional one none or
    one."""
    if name in given:
        return [(name, given[name])]
    return [(key, given[key]) for key in given if is_of(key, name)]


@dataclass(frozen=True)
class _Kind:
    """The statement of facts of one kind. broken: why a call breaks one, or None."""

    title: str
    source: str
    keys: frozenset[str]
    statement: Callable[[Fact], str]
    broken: Callable[[Fact, Operator], str | None] = lambda fact, definition: None


def _set_attributes(fact: Fact) -> str:
    names = fact.values["names"]
    listed = ", ".join(f"`{name}`" + (f" (versions {versions})" if versions else "")
                       for name, versions in names.items())
    return f"No attribute is set but {listed}." if names else "No attribute is set."


def _foreign_attributes(fact: Fact, definition: Operator) -> str | None:
    known = fact.names_at.get(definition.version)
    if known is None:
        known = fact.names_at[definition.version] = frozenset(
            name for name, versions in fact.values["names"].items()
            if not versions or definition.version in Versions.parse(str(versions)))
    foreign = [name for name in definition.attributes if name not in known]
    return f"version {definition.version} has no attribute {', '.join(foreign)}" if foreign else None


def _attribute(fact: Fact) -> str:
    default = f" The default is {fact.values['default']!r}." if "default" in fact.values else ""
    name, plural = fact.values["type"], fact.values["type"].endswith("s")
    article = "a list of" if plural else "an" if name[0] in "aeiou" else "a"
    return f"`{fact.section}` is {article} {name}.{default}"


def _other_attribute(fact: Fact, definition: Operator) -> str | None:
    """Return why an attribute of a call (`definition`) is not of the type that a fact states, or None."""
    if fact.section not in definition.attributes:
        return None
    value, name = definition.attributes[fact.section], fact.values["type"]
    if name.endswith("s"):
        values = value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else value
        is_list = isinstance(values, (list, tuple)) and all(map(_TYPES.get(name[:-1], lambda _: True), values))
        return None if is_list else f"{fact.section} is {value!r}, not a list of {name}"
    return None if _TYPES.get(name, lambda _: True)(value) else f"{fact.section} is {value!r}, not of type {name}"


def _not_set(fact: Fact, definition: Operator) -> str | None:
    return None if fact.section in definition.attributes else f"{fact.section} is not set"


def _other_type(fact: Fact, definition: Operator) -> str | None:
    allowed = fact.values["types"]
    return next((f"{name} is {name_of(tensor.dtype)}" for name, tensor in tensors_of(definition.inputs, fact.section)
                 if name_of(tensor.dtype) not in allowed), None)


def _types_differ(fact: Fact, definition: Operator) -> str | None:
    given = {name: name_of(tensor.dtype) for entry in fact.values["inputs"]
             for name, tensor in tensors_of(definition.inputs, entry)}
    return ", ".join(f"{name} is {dtype}" for name, dtype in given.items()) if len(set(given.values())) > 1 else None


def _type_of(fact: Fact) -> str:
    return f"{fact.section} has the element type of {fact.values['like']}." if "like" in fact.values else \
        f"{fact.section} has the element type that `{fact.values['named']}` names." if "named" in fact.values else \
        f"The elements of {fact.section} are {fact.values['type']}."


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " or " + names[-1] if len(names) > 1 else names[0]


_KINDS = {
    "outputs": _Kind("Outputs", "Outputs", frozenset(), lambda fact: "Every output that is asked for is given."),
    "attributes": _Kind("Attributes", "Attributes", frozenset({"names"}), _set_attributes, _foreign_attributes),
    "attribute": _Kind("Type", "Attributes", frozenset({"type", "default"}), _attribute, _other_attribute),
    "required": _Kind("Required", "Attributes", frozenset(), lambda fact: f"`{fact.section}` is set.", _not_set),
    "types": _Kind("Element type", "Type Constraints", frozenset({"types"}), lambda fact:
                   f"The elements of {fact.section} are {_listed(fact.values['types'])}.", _other_type),
    "one type": _Kind("One element type", "Type Constraints", frozenset({"inputs"}), lambda fact:
                      f"The elements of {' and '.join(fact.values['inputs'])} are of one type.", _types_differ),
    "type": _Kind("Element type", "Type Constraints", frozenset({"like", "named", "type"}), _type_of),
}


def facts(schema: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Fact]]:
    """Yield the facts of a front matter with their addresses. Raises ValueError."""
    for address, entry in schema.items():
        yield address, Fact.read(address, entry)
