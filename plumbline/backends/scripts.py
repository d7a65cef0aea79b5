"""Reproducer lines for programs and the user's own classes.

They are `reproduce` of `exec:`, `stdio:` and MODULE:CLASS. They read `model`, `inputs`, `outputs` and `specification`,
and set `got`; the names `before` and `answers` are used by the script around them. A refusal ends the script with
status 1, a signal or a timeout with 2, a missing program with 125, which `git bisect run` skips.
"""

from __future__ import annotations

EXEC = """import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import onnx

words = shlex.split({command})  # from the folder that it was tried from
if shutil.which(words[0]) is None:
    print(words[0], "is not there; run this in the folder that it was tried from")
    raise SystemExit(125)
with tempfile.TemporaryDirectory() as folder:
    places = {{"{{model}}": Path(folder, "model.onnx"), "{{inputs}}": Path(folder, "inputs"),
              "{{outputs}}": Path(folder, "outputs")}}
    places["{{inputs}}"].mkdir()
    places["{{outputs}}"].mkdir()
    onnx.save(model, places["{{model}}"])
    for number, (name, array) in enumerate(inputs.items()):
        tensor = onnx.numpy_helper.from_array(array, name)
        (places["{{inputs}}"] / f"input_{{number}}.pb").write_bytes(tensor.SerializeToString())
    for place, path in places.items():
        words = [word.replace(place, str(path)) for word in words]
    try:
        status = subprocess.run(words, stdin=subprocess.DEVNULL, timeout=30).returncode
    except subprocess.TimeoutExpired:
        status = -1
    if status:
        raise SystemExit(1 if 0 < status < 128 else 2)
    got = [onnx.numpy_helper.to_array(onnx.load_tensor(places["{{outputs}}"] / f"output_{{number}}.pb"))
           for number in range(len(outputs))]"""

STDIO = """import base64
import json
import shlex
import shutil
import subprocess

words = shlex.split({command})  # from the folder that it was tried from
if shutil.which(words[0]) is None:
    print(words[0], "is not there; run this in the folder that it was tried from")
    raise SystemExit(125)
{carried}attributes = {{entry.name: helper.get_attribute_value(entry) for entry in node.attribute}}
call = {{"do": "run", "number": 0, "specification": specification, "operator": node.op_type,
        "opset": model.opset_import[-1].version, "time_limit": 30, "outputs": outputs,
        "attributes": {{name: {value} for name, value in attributes.items()}},
        "inputs": {{name: {{"dtype": array.dtype.name, "shape": array.shape,
                          "data": base64.b64encode(array.tobytes()).decode()}} for name, array in inputs.items()}}}}
{wanted}lines = [json.dumps(message, separators=(",", ":"))
         for message in ({{"do": "start", "plumbline": 1, "versions": [{version}]}}, call, {{"do": "stop"}})]
try:
    done = subprocess.run(words, input="\\n".join([*lines, ""]), capture_output=True, text=True, timeout=30)
except subprocess.TimeoutExpired:
    raise SystemExit(2)
said = [json.loads(line) for line in done.stdout.splitlines()]
if len(said) < 2:
    raise SystemExit(1 if 0 < done.returncode < 128 else 2)
if "refused" in said[1]:
    raise SystemExit(said[1]["refused"]["message"])
given = [said[1]["outputs"][name] for name in outputs]
got = [np.frombuffer(base64.b64decode(tensor["data"]), tensor["dtype"]).reshape(tensor["shape"]) for tensor in given]"""

MODEL = """call["model"] = base64.b64encode(model.SerializeToString()).decode()
"""

CARRIED = """

def carried(value):  # what strict JSON has no number for, as docs/protocol.md says
    if isinstance(value, list):
        return [carried(item) for item in value]
    if isinstance(value, float) and (not np.isfinite(value) or str(value) == "-0.0"):
        return {"float": {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(str(value), "-0.0")}
    if isinstance(value, int) and abs(value) > 2**53:
        return {"int": str(value)}
    return value.decode() if isinstance(value, bytes) else value


"""

CLASS = """from types import SimpleNamespace

sys.path.insert(0, "")  # the folder that it was tried from
from {module} import {name}

attributes = {{entry.name: helper.get_attribute_value(entry) for entry in node.attribute}}
answer = {name}().run(SimpleNamespace(
    model=model.SerializeToString(), operator=node.op_type, opset=model.opset_import[-1].version, inputs=inputs,
    attributes={{name: value.decode() if isinstance(value, bytes) else value for name, value in attributes.items()}},
    outputs=tuple(outputs), time_limit=30.0, specification=specification))
got = [answer[name] for name in outputs]"""


def of_class(reference: str) -> str:
    """Return the lines for an adapter MODULE:CLASS without `reproduce`."""
    module, _, name = reference.partition(":")
    return CLASS.format(module=module, name=name)


def of_program(command: str) -> str:
    """Return the lines for a program that is started for each call.

    Its command holds `{model}`, `{inputs}` and `{outputs}`."""
    return EXEC.format(command=ascii(command))


def of_conversation(command: str, wants_model: bool, version: int = 1) -> str:
    """Return the lines for a program with a version of docs/protocol.md."""
    carried, value = (CARRIED, "carried(value)") if version > 1 else (
        "", "value.decode() if isinstance(value, bytes) else value")
    return STDIO.format(command=ascii(command), wanted=MODEL if wants_model else "", version=version, carried=carried,
                        value=value)
