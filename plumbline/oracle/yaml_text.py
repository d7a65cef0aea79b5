"""YAML read and written in one way: the core schema of YAML 1.2 by libyaml, and nothing but plain data.

PyYAML resolves words as YAML 1.1 did, where `on` is true, 010 is 8 and 1e3 is text; here they are what 1.2 says. A key
that stands twice, a number that no float64 holds, text nested too deep, aliases that stand for very much, and
characters that nobody sees are errors with a place.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode, YAMLError

from plumbline.oracle.safe_text import UNSAFE, safe

__all__ = ["MappingNode", "Node", "OneLine", "SequenceNode", "YAMLError", "compose", "constructed", "dump", "load"]

DEEPEST = 100
"""Levels of nesting; libyaml itself ends the process where there are very many."""

LARGEST = 1_000_000
"""Values of a text with its aliases written out."""

_WORDS = {
    "null": ("~|null|Null|NULL|", "~nN\0"),
    "bool": ("true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": ("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
              "-+.0123456789"),
}
"""Of each type of the core schema the plain words, as YAML 1.2.2, 10.3.2, has them, and how they begin."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Plain data by the core schema."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys differ."""
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            keys = [self.construct_object(key, True) for key, _ in node.value]
            again = next(number for number, key in enumerate(keys) if key in keys[:number])
            raise _at(node.value[again][0], f"the key {keys[again]!r} stands twice")
        return found

    def number(self, node: Any) -> int:
        """An integer of the core schema."""
        text = self.construct_scalar(node)
        try:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        except ValueError as error:  # too many digits for Python
            raise _at(node, str(error)) from None

    def real(self, node: Any) -> float:
        """A float of the core schema, infinite only where it says so."""
        text = self.construct_scalar(node).lower()
        found = float(text.replace(".inf", "inf").replace(".nan", "nan"))
        if math.isinf(found) and "inf" not in text:
            raise _at(node, f"{text} is beyond float64; write .inf if infinity is meant")
        return found


class _Dumper(yaml.SafeDumper):
    """Quotes what another reader, of YAML 1.1 or 1.2, would not take for text."""

    yaml_implicit_resolvers = {first: list(found) for first, found in yaml.SafeDumper.yaml_implicit_resolvers.items()}

    def ignore_aliases(self, data: Any) -> bool:
        """Everything is written where it stands."""
        return True


class OneLine:
    """A list or mapping that is written on one line, as far as it has room."""

    def __init__(self, content: list[Any] | dict[str, Any]) -> None:
        self.content = content


def _one_line(dumper: _Dumper, value: OneLine) -> Any:
    node: Any = dumper.represent_data(value.content)
    node.flow_style = True
    return node


_Dumper.add_representer(OneLine, _one_line)
for _name, (_pattern, _first) in _WORDS.items():
    for _kind in (_Loader, _Dumper):
        _kind.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"),
                                    [letter.strip("\0") for letter in _first])
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.real)


def load(text: str) -> Any:
    """The data of a YAML text. Raises YAMLError, whose text says where."""
    root = compose(text)
    return None if root is None else constructed(root)


def compose(text: str) -> Node | None:
    """The nodes of a YAML text, with their places; None of one without content. Raises YAMLError."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise _at(event, f"nested more than {DEEPEST} levels deep")
        shown = event.value.replace("\n", "").replace("\t", "") if isinstance(event, yaml.ScalarEvent) else ""
        if unsafe := UNSAFE.search(shown):
            raise _at(event, f"holds the character {safe(unsafe[0])}, which is not to be seen; leave it out")
    root: Node | None = yaml.compose(text, Loader=_Loader)
    values = 0 if root is None else _values(root, {})
    if values > LARGEST:
        raise _at(root, f"its aliases come to {values:,} values; at most {LARGEST:,} are read")
    return root


def _values(node: Node, known: dict[int, int]) -> int:
    """How many values a node comes to with its aliases written out; `known` holds those that were counted."""
    if isinstance(node, ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = 0  # of one that holds itself, which cannot be built
        inside = (part for pair in node.value for part in pair) if isinstance(node, MappingNode) else node.value
        known[id(node)] = 1 + sum(_values(part, known) for part in inside)
    return known[id(node)]


def constructed(root: Node) -> Any:
    """The data of nodes. Raises YAMLError."""
    loader = _Loader("")
    try:
        return loader.construct_document(root)
    except (AttributeError, TypeError, ValueError) as error:  # a tag whose text is not of its type
        raise _at(root, str(error)) from None
    finally:
        loader.dispose()


def dump(data: Any, width: int) -> str:
    """Data as YAML text, keys in their order, long text broken after `width` columns."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)


def _at(node: Any, problem: str) -> YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
