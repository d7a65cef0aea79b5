"""A finding as a Python script that needs onnx, numpy and the runtime alone."""

from __future__ import annotations

from typing import Any

import onnx

from plumbline.trial.record import Record

SCRIPT = '''# {title}
# {needs}
# {seen}
import numpy as np
from onnx import TensorProto, helper
from numpy import inf, nan

x = np.array({x}, dtype=np.{dtype}).reshape({shape})
outputs = {outputs}
node = helper.make_node({operator!r}, ["X"], outputs, {attributes})
element = helper.np_dtype_to_tensor_dtype(x.dtype)
types = {{"Indices": TensorProto.INT64}}
graph = helper.make_graph(
    [node], "reproduce", [helper.make_tensor_value_info("X", element, x.shape)],
    [helper.make_tensor_value_info(name, types.get(name, element), None) for name in outputs])
model = helper.make_model(graph, opset_imports=[{imports}], ir_version={ir_version})

{run}
expected = {expected}
for name, found in zip(outputs, got):
    print(name, "expected", expected[name])
    print(name, "got     ", found.tolist())
'''

REFUSAL = "a refusal: the call is outside the domain"
"""What a call that is outside the domain may come to, when it is not answered."""


def script(record: Record, line: dict[str, Any]) -> str:
    """The script, or "" where it cannot stand alone: no runtime lines, no ONNX model of the call, an input too large
    for the record, or names in it that are none in Python."""
    run = record.header["backend"].get("reproduce", "")
    inputs = line["call"]["inputs"]
    domain = record.header["specifications"][line["spec"]].get("domain", "")
    if not run or domain is None or list(inputs) != ["X"] or "offset" in inputs["X"]:
        return ""
    call = line["call"]
    if not all(name.isidentifier() for name in [*call["attributes"], inputs["X"]["dtype"]]):
        return ""
    expected = {name: _plain(tensor["values"]) if "offset" not in tensor else "see the report"
                for name, tensor in line.get("expected", {}).items()} or {name: REFUSAL
                                                                          for name in line["form"].split("+")}
    imports = [onnx.helper.make_opsetid("", line["opset"])]
    return SCRIPT.format(
        title=" ".join(f"{line['spec']} {line['id']} [{line['form']}] on {record.header['backend']['name']} "
                       f"{record.header['backend']['version']}: {line['verdict']}".split()),
        needs=_needs(record.header["backend"]), seen=_seen(line),
        x=_plain(inputs["X"]["values"]), dtype=inputs["X"]["dtype"], shape=tuple(inputs["X"]["shape"]),
        outputs=line["form"].split("+"), operator=call["operator"],
        imports=", ".join(f'helper.make_opsetid("{name}", {line["opset"]})' for name in dict.fromkeys(["", domain])),
        ir_version=onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True), run=run,
        expected=_plain(expected),
        attributes=",\n                        ".join(f"{name}={value!r}" for name, value in
                             {**({"domain": domain} if domain else {}), **call["attributes"]}.items()))


def _seen(line: dict[str, Any]) -> str:
    """What the call should come to and what it came to; on one line, whatever the record holds."""
    expected = "the outputs below" if "expected" in line else REFUSAL
    seen = {"crashes": f"the process ends ({line['did']})", "hangs": f"no end ({line['did']})",
            "rejects-valid": "a refusal"}.get(line["verdict"], "other outputs")
    return " ".join(f"expected: {expected}; seen: {seen}".split())


def _needs(backend: dict[str, Any]) -> str:
    """How to get what the script needs, as far as the record tells; on one line, whatever the record holds."""
    packages = dict.fromkeys(["numpy", "onnx", *backend.get("requirements", [])])
    needs = f"pip install {' '.join(packages)}" if backend.get("requirements") else "needs numpy, onnx and the runtime"
    return " ".join(f"{needs}; found with {backend['name']} {backend['version']}, numpy {backend['numpy']}, "
                    f"Python {backend['python']}".split())


def _plain(value: Any) -> Any:
    """The specials of a record as Python writes them: a repr of lists of them is Python again."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return float(value) if value in ("inf", "-inf", "nan") else value
