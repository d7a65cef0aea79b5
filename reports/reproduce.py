"""A finding as a Python script that needs onnx, numpy and the runtime alone, for calls with any inputs."""

from __future__ import annotations

import re

import onnx

from plumbline.trial.record import CaseLine
from plumbline.trial.record_header import Backend, Specification, Tensor
from plumbline.trial.recording import Record
from plumbline.trial.tensors import from_values

SCRIPT = '''# {title}
# {needs}
# {seen}
import numpy as np
from onnx import helper
from numpy import inf, nan

inputs = {{{inputs}}}
{alone}outputs = {outputs}
node = helper.make_node({operator!r}, {names}, outputs, {attributes})
element = helper.np_dtype_to_tensor_dtype
graph = helper.make_graph(
    [node], "reproduce",
    [helper.make_tensor_value_info(name, element(array.dtype), array.shape) for name, array in inputs.items()],
    [{results}])
model = helper.make_model(graph, opset_imports=[{imports}], ir_version={ir_version})

{run}
expected = {expected}
for name, found in zip(outputs, got):
    print(name, "expected", expected[name])
    print(name, "got     ", found.tolist())
'''

REFUSAL = "a refusal: the call is outside the domain"
"""What a call that is outside the domain may come to, when it is not answered."""


def script(record: Record, line: CaseLine) -> str:
    """The script, or "" where it cannot stand alone: no runtime lines or lines for an only input `x` where there are
    several, no ONNX model of the call, an input too large for the record, or names that are not names in Python."""
    backend, text, call = record.header.backend, record.header.specifications[line.spec], line.call
    if not backend.reproduce or text.domain is None or call is None or not call.whole:
        return ""
    dtypes = {tensor.dtype for tensor in call.inputs.values()}
    if not all(name.isidentifier() for name in [*call.attributes, *dtypes]):
        return ""
    expected = {name: from_values(tensor.values) if tensor.offset is None else "see the report"
                for name, tensor in (line.expected or {}).items()} or dict.fromkeys(line.outputs, REFUSAL)
    imports = [onnx.helper.make_opsetid("", line.opset)]
    knows_one = re.search(r"\bx\b", backend.reproduce) is not None
    if knows_one and len(call.inputs) != 1:
        return ""
    attributes = {**({"domain": text.domain} if text.domain else {}),
                  **{name: from_values(value) for name, value in call.attributes.items()}}
    return SCRIPT.format(
        title=" ".join(f"{line.spec} {line.id} [{line.form}] on {record.who}: {line.verdict}".split()),
        needs=_needs(backend), seen=_seen(line),
        inputs=",\n          ".join(f"{name!r}: {_array(tensor)}" for name, tensor in call.inputs.items()),
        alone="x, = inputs.values()\n" if knows_one else "",
        names=_names(text, list(call.inputs)), outputs=line.outputs, operator=call.operator,
        results=",\n     ".join(_result(line, name) for name in line.outputs),
        imports=", ".join(f'helper.make_opsetid("{name}", {line.opset})' for name in dict.fromkeys(["", text.domain])),
        ir_version=onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True), run=backend.reproduce,
        expected=expected,
        attributes=",\n                        ".join(f"{name}={value!r}" for name, value in attributes.items()))


def _array(tensor: Tensor) -> str:
    values = tensor.values if tensor.dtype.startswith("str") else from_values(tensor.values)
    return f"np.array({values}, dtype=np.{tensor.dtype}).reshape({tuple(tensor.shape)})"


def _names(text: Specification, given: list[str]) -> list[str]:
    """The inputs of the node: those that are given, and "" for an optional one left out before the last of them."""
    if not set(given) <= set(text.inputs):
        return given
    last = max((text.inputs.index(name) for name in given), default=-1)
    return [name if name in given else "" for name in text.inputs[:last + 1]]


def _result(line: CaseLine, name: str) -> str:
    """The declaration of an output: with its type where the record holds one of it, else for the runtime to infer."""
    held = next((tensors[name] for tensors in (line.expected, line.got) if tensors and name in tensors), None)
    if held is None or not held.dtype.isidentifier():
        return f"helper.make_empty_tensor_value_info({name!r})"
    return f"helper.make_tensor_value_info({name!r}, element(np.dtype({held.dtype!r})), None)"


def _seen(line: CaseLine) -> str:
    """What the call should come to and what it came to; on one line, whatever the record holds."""
    expected = "the outputs below" if line.expected else REFUSAL
    seen = {"crashes": f"the process ends ({line.did})", "hangs": f"no end ({line.did})", "rejects-valid": "a refusal",
            "unstable": f"answers that change ({line.did})"}.get(line.verdict, "other outputs")
    return " ".join(f"expected: {expected}; seen: {seen}".split())


def _needs(backend: Backend) -> str:
    """How to get what the script needs, as far as the record tells; on one line, whatever the record holds."""
    packages = dict.fromkeys(["numpy", "onnx", *backend.requirements])
    needs = f"pip install {' '.join(packages)}" if backend.requirements else "needs numpy, onnx and the runtime"
    return " ".join(f"{needs}; found with {backend.name} {backend.version}, numpy {backend.numpy}, "
                    f"Python {backend.python}".split())
