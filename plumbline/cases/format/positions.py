"""Locate the values of a YAML document, and explain validation errors."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from plumbline.cases.format.schema import CaseEntry, CaseFile, Defaults, EmptyTensor, ExpectationEntry, GeneratedTensor
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.yaml_text import MappingNode, Node, SequenceNode

SHOWN = 60
"""Characters of a wrong value that a message repeats."""

MODELS: tuple[type[BaseModel], ...] = (CaseFile, Defaults, CaseEntry, EmptyTensor, ExpectationEntry, GeneratedTensor)

Path = tuple[int | str, ...]
"""Keys of mappings and indexes of sequences, from the root of a document."""


class Positions:
    """Lines and columns of the values of a YAML document."""

    def __init__(self, root: Node) -> None:
        self._root = root

    def of(self, path: Path) -> tuple[int, int]:
        """Return line and column, from 1, of the deepest node of `path` that exists."""
        node = self._root
        mark = node.start_mark
        for step in path:
            if isinstance(node, MappingNode):
                pair = next((pair for pair in node.value if pair[0].value == str(step)), None)
                if pair is None:
                    continue
                mark, node = pair[0].start_mark, pair[1]
            elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                mark = node.start_mark
        return mark.line + 1, mark.column + 1


def explain(error: ErrorDetails) -> str:
    """Say in one sentence how to mend a validation error of pydantic."""
    names = [step for step in error["loc"] if isinstance(step, str) and step.isidentifier()]
    key = names[-1] if names else ""
    given = repr(error["input"])
    given = given if len(given) <= SHOWN else given[:SHOWN] + "..."
    if error["type"] == "extra_forbidden":
        return _unknown_key(str(error["loc"][-1]), error["loc"][-2:-1] == ("expect",))
    if error["type"] == "missing":
        return f"the key {key!r} is missing; add it"
    if error["type"] == "string_pattern_mismatch":
        return f"{given} is not a valid id; use lower-case words joined by hyphens, such as nan-first"
    if error["type"] == "value_error":
        return f"{key}: {error['msg'].removeprefix('Value error, ')}"
    return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}, not {given}"


def _unknown_key(key: str, is_expected: bool) -> str:
    known = sorted({name for model in MODELS for name in model.model_fields})
    if key in known:
        return f"the key {key!r} is not allowed here; remove it"
    if not (near := did_you_mean(key, known)) and is_expected:
        return f"unknown key {key!r}; the outputs of a call are written as outputs: {{{key}: ...}}"
    return f"unknown key {key!r}" + (near or f"; keys are {', '.join(known)}")
