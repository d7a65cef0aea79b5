"""A model that meets what is known of a backend: for each known divergence a node, with the inputs of a written case
that shows it, all side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import onnx.compose
from onnx import helper

from plumbline.cases import Case, load_cases
from plumbline.cases.flags import flags_of
from plumbline.cases.onnx_model import to_model
from plumbline.oracle import Call, load_spec
from plumbline.oracle.check.selection import in_force
from plumbline.trial.known import KnownDivergences, KnownEntry

OPSET = 21


def meeting(known: KnownDivergences) -> tuple[onnx.ModelProto, dict[str, np.ndarray], set[str]]:
    """The model, its inputs, and the ids of the entries that it meets."""
    parts, inputs, met = [], dict[str, np.ndarray](), set[str]()
    cases = load_cases()
    for entry in known.entries:
        for call, form in _calls(entry, cases):
            number = f"n{len(parts)}_"
            spec = _spec(call)
            model = onnx.load_model_from_string(to_model(call, tuple(form.split("+")), OPSET, "", None))
            parts.append(onnx.compose.add_prefix(model, number).graph)
            inputs |= {f"{number}{name}": array for name, array in zip(
                (value.name for value in model.graph.input), call.inputs.values(), strict=True)}
            met.add(entry.id)
            assert not spec.violations(call)
            break
    graph = helper.make_graph([node for part in parts for node in part.node], "meeting",
                              [value for part in parts for value in part.input],
                              [value for part in parts for value in part.output],
                              [tensor for part in parts for tensor in part.initializer])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10), inputs, met


def _spec(call: Call) -> object:
    return in_force(f"onnx/{call.operator.lower()}", OPSET)


def _calls(entry: KnownEntry, cases: list[Case]) -> Iterator[tuple[Call, str]]:
    """Calls that an entry is about under ONNX's text at the opset, with the form; the written ones."""
    for case in cases:
        spec = load_spec(case.spec)
        if (case.id in entry.cases and case.spec in entry.specs and case.spec.startswith("onnx/")
                and in_force(case.spec.partition("@")[0], OPSET) is spec and not spec.violations(case.call)
                and set(entry.generated or ["never"]) <= set(flags_of(spec, case.call))):
            yield case.call, entry.cases[case.id][0]
