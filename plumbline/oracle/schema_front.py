"""Derive keys of a front matter from ONNX's operator schemas.

These are versions, inputs, outputs and edition; facts are derived elsewhere (`schema_sync`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
from onnx.defs import OpSchema

_OPTIONAL, _VARIADIC = OpSchema.FormalParameterOption.Optional, OpSchema.FormalParameterOption.Variadic


def front_of(operator: str, history: Mapping[int, OpSchema]) -> dict[str, Any]:
    """Return the keys of a front matter that schemas give.

    history: the schemas of the operator by version."""
    versions, newest = list(history), history[max(history)]
    inputs, outputs = newest.inputs, newest.outputs
    keys = {
        "operator": operator, "versions": versions,
        "inputs": [_name(entry) for entry in inputs],
        "optional_inputs": [entry.name for entry in inputs if entry.option == _OPTIONAL],
        "variadic_input": next((_name(entry) for entry in inputs if entry.option == _VARIADIC), None),
        "input_versions": _later(inputs, {version: schema.inputs for version, schema in history.items()}),
        "outputs": [entry.name for entry in outputs],
        "variadic_output": next((entry.name for entry in outputs if entry.option == _VARIADIC), None),
        "optional": [entry.name for entry in outputs if entry.option == _OPTIONAL],
        "output_versions": _later(outputs, {version: schema.outputs for version, schema in history.items()}),
        "edition": f"ONNX operator documentation of {operator}, version{'s' if versions[1:] else ''} "
                   f"{', '.join(map(str, versions))}, as in the onnx package {onnx.__version__}{_others(history)}"}
    return {key: value for key, value in keys.items() if value or key == "inputs"}


def _name(entry: Any) -> str:
    """Return the name of an input, of a variadic one without the number of its first tensor, as in ``data_0``."""
    return str(entry.name).removesuffix("_0") if entry.option == _VARIADIC else str(entry.name)


def _later(entries: Sequence[Any], by_version: Mapping[int, Sequence[Any]]) -> dict[str, str]:
    """Return the versions of inputs or outputs that not all versions have, by their places."""
    having = {entry.name: [version for version, others in by_version.items() if len(others) > place]
              for place, entry in enumerate(entries)}
    return {name: ranges for name, versions in having.items() if (ranges := in_ranges(versions, list(by_version)))}


def _others(history: Mapping[int, OpSchema]) -> str:
    """Return the documents that the documentation refers to, for the edition."""
    return "".join(f", {'and' if place else 'with'} {other}" for place, other in enumerate(_referred(history)))


def _referred(history: Mapping[int, OpSchema]) -> Iterator[str]:
    if any("Broadcasting.md" in (schema.doc or "") for schema in history.values()):
        yield "docs/Broadcasting.md, to which it refers"
    for version, schema in history.items():
        for name in re.findall(r"See the doc of `(\w+)`", schema.doc or ""):
            yield f"that of {name}, version {version}, to which version {version} refers"


def in_ranges(having: list[int], versions: list[int]) -> str:
    """Return versions as ranges, ``"1-11, 13-"``; "" where they are all."""
    if having == versions:
        return ""
    ranges: list[list[int]] = []
    for version in having:
        place = versions.index(version)
        if ranges and versions[place - 1] == ranges[-1][-1]:
            ranges[-1].append(version)
        else:
            ranges.append([version])
    return ", ".join(f"{part[0]}-" if part[-1] == versions[-1] else str(part[0]) if len(part) == 1
                     else f"{part[0]}-{part[-1]}" for part in ranges)
