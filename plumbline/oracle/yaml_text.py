"""Read and write plain data as YAML 1.2, by libyaml.

PyYAML resolves plain scalars by YAML 1.1, where `on` is true, 010 is 8 and 1e3 is a string; here the core schema of
YAML 1.2 applies. Duplicate keys, numbers beyond float64, deep nesting, aliases that expand to too many values and
invisible characters are errors with a line and a column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

import yaml
from yaml import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode, YAMLError

from plumbline.oracle.safe_text import UNSAFE, safe

__all__ = ["CollectionNode", "MappingNode", "Node", "OneLine", "ScalarNode", "SequenceNode", "YAMLError", "compose",
           "constructed", "dump", "load"]

DEEPEST = 100
"""Levels of nesting: many overflow the stack of older versions of libyaml; newer ones refuse more than 1,000."""

LARGEST = 1_000_000
"""Values in a document, aliases expanded."""

FEW = 500
"""Levels of nesting that any libyaml composes."""

TO_NEST = "[{:-?"
"""Characters of which each list or mapping has one of its own."""

_WORDS = {
    "null": ("~|null|Null|NULL|", "~nN\0"),
    "bool": ("true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": ("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
              "-+.0123456789"),
}
"""By type of the core schema: the pattern of its plain scalars (YAML 1.2.2, 10.3.2) and their first characters."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader of plain data by the core schema."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping, or refuse a duplicate key."""
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            seen = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, True)
                if key in seen:
                    raise _at(key_node, f"duplicate key {key!r}; remove one")
                seen.add(key)
        return mapping

    def number(self, node: Any) -> int:
        """Return an integer of the core schema."""
        text = self.construct_scalar(node)
        try:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        except ValueError as error:  # too many digits for Python
            raise _at(node, str(error)) from None

    def real(self, node: Any) -> float:
        """Return a float of the core schema; refuse a finite number that overflows."""
        text = self.construct_scalar(node).lower()
        number = float(text.replace(".inf", "inf").replace(".nan", "nan"))
        if math.isinf(number) and "inf" not in text:
            raise _at(node, f"{text} is beyond float64; write .inf if infinity is meant")
        return number


class _Dumper(yaml.SafeDumper):
    """A dumper that quotes strings which YAML 1.1 or 1.2 would misread."""

    yaml_implicit_resolvers = {first: list(resolvers)
                               for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()}

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything in full, without anchors."""
        return True


class OneLine:
    """A list or mapping in flow style: on one line if it fits."""

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


def load(text: str, tensors: Collection[str] = ()) -> Any:
    """Return the data of a document. Raises YAMLError, whose message says where."""
    root = compose(text, tensors)
    return None if root is None else constructed(root)


def compose(text: str, tensors: Collection[str] = ()) -> Node | None:
    """Return the root node of a document, None if it is empty. Raises YAMLError.

    tensors: the keys of tensors, whose strings may have escapes of invisible characters."""
    is_plain = _is_plain(text)
    if not is_plain:
        _check_depth(text)
    root: Node | None = yaml.compose(text, Loader=_Loader)
    if root is not None and not is_plain:
        _check_visible(root, text, tensors)
    values = 0 if root is None else _values(root, {})
    if values > LARGEST:
        raise _at(root, f"its aliases expand to {values:,} values; at most {LARGEST:,} are read")
    return root


def _is_plain(text: str) -> bool:
    """Return True if a text has too few marks for deep nesting, and no invisible character, escaped or not."""
    return (sum(map(text.count, TO_NEST)) <= FEW and "\\" not in text
            and not UNSAFE.search(text.translate({9: None, 10: None})))


def _check_depth(text: str) -> None:
    """Raise YAMLError for deep nesting, before anything is composed."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise _at(event, f"nested more than {DEEPEST} levels deep")


def _check_visible(root: Node, text: str, tensors: Collection[str]) -> None:
    """Raise YAMLError for the first invisible character, escaped or not, but for escapes in tensors."""
    pending, seen = [(root, False)], set[tuple[int, bool]]()
    while pending:
        node, is_tensor = pending.pop()
        if (id(node), is_tensor) in seen:
            continue
        seen.add((id(node), is_tensor))
        if isinstance(node, MappingNode):
            pending += [part for key, value in reversed(node.value)
                        for part in ((value, is_tensor or key.value in tensors), (key, False))]
        elif isinstance(node, SequenceNode):
            pending += [(child, is_tensor) for child in reversed(node.value)]
        elif unsafe := UNSAFE.search(_visible(text[node.start_mark.index:node.end_mark.index] if is_tensor
                                              else node.value)):
            raise _at(node, f"contains the invisible character {safe(unsafe[0])}; remove it"
                      + (", or write its escape" if is_tensor else ""))


def _visible(text: str) -> str:
    """Return a text without line breaks and tabs."""
    return text.replace("\n", "").replace("\t", "")


def _values(node: Node, counted: dict[int, int], depth: int = 0) -> int:
    """Count the values of a node, aliases expanded; `counted` holds earlier counts by id of the node.

    Raises YAMLError for deep nesting."""
    if isinstance(node, ScalarNode):
        return 1
    if depth >= DEEPEST:
        raise _at(node, f"nested more than {DEEPEST} levels deep")
    if id(node) not in counted:
        counted[id(node)] = 0  # a node that contains itself must not recurse for ever; it is refused when built
        children = (child for pair in node.value for child in pair) if isinstance(node, MappingNode) else node.value
        counted[id(node)] = 1 + sum([1 if isinstance(child, ScalarNode) else _values(child, counted, depth + 1)
                                     for child in children])
    return counted[id(node)]


def constructed(root: Node) -> Any:
    """Return the data of a root node. Raises YAMLError."""
    loader = _Loader("")
    try:
        return loader.construct_document(root)
    except (AttributeError, TypeError, ValueError) as error:  # an explicit tag that its value does not fit
        raise _at(root, str(error)) from None
    finally:
        loader.dispose()


def dump(data: Any, width: int) -> str:
    """Return data as YAML, keys in their order, lines wrapped at `width` columns."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)
    if UNSAFE.search(_visible(text)):  # which PyYAML takes for visible
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=width)
    return text


def _at(node: Any, problem: str) -> YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
