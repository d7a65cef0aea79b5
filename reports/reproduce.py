"""A finding as a Python script that needs onnx, numpy and the runtime alone, and as files that other tools read.

The exit status of the script is 1 where the fault shows and 0 where it does not, as `git bisect run` takes it. What the
record holds decides: a wrong element is one of those listed, with what was seen again, or off by more than rounding
allows."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from plumbline.cases.contexts import contexts
from plumbline.cases.onnx_model import to_model
from plumbline.oracle import Call, OutsideDomain, SpecError, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.trial.places import file_name
from plumbline.trial.record import CaseLine
from plumbline.trial.record_header import Backend, Specification, Tensor
from plumbline.trial.recording import Record
from plumbline.trial.tensors import from_values, to_array

SCRIPT = '''# {title}
# {needs}
# {seen}
# Exit status: 1 where that shows, 0 where it does not, 125 where a package is missing, which `git bisect run` skips.
import sys


def say(kind, error, trace, show=sys.excepthook):
    show(kind, error, trace)
    if issubclass(kind, ImportError):
        raise SystemExit(125)


sys.excepthook = say
{guard}import numpy as np
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
{verdict}'''

GUARD = '''import subprocess

if len(sys.argv) == 1:  # the call may end its process, or never end: it has one of its own
    try:
        status = subprocess.run([sys.executable, __file__, "call"], timeout=60).returncode
    except subprocess.TimeoutExpired:
        status = -1
    raise SystemExit(status if status == 125 else status {wrong})

'''

TWICE = '''before = [array.tobytes() for array in inputs.values()]
answers = []
for _ in range(2):
{run}
    answers.append((got, [np.asarray(found).tobytes() for found in got]))
'''

UNSTABLE = '''
(first, bytes_of_first), (_, bytes_of_second) = answers
raise SystemExit(bytes_of_first != bytes_of_second  # the same call was answered otherwise,
                 or bytes_of_first != [np.asarray(found).tobytes() for found in first]  # an answer was overwritten,
                 or before != [array.tobytes() for array in inputs.values()])  # or an input
'''

DIVERGES = '''
types = {types}
wrong = {{{wrong}}}  # place, what is right, what was seen
bounds = {bounds}


def differs(found, right, seen, bound):
    if isinstance(right, str):
        return found != right
    if found != found or right != right:
        return (found == found) != (right == right)
    if right == seen:  # zeros of two signs
        return bool(np.signbit(found) != np.signbit(right))
    return found == seen or not (found == right or abs(found - right) <= bound)


given = dict(zip(outputs, map(np.asarray, got)))
raise SystemExit(any(name not in given or (given[name].dtype.name, given[name].shape) != types[name]
                     or any(differs(given[name][place].item(), right, seen, bounds.get(name, 0))
                            for place, right, seen in wrong.get(name, ())) for name in types))
'''

REFUSAL = "a refusal: the call is outside the domain"
"""What a call that is outside the domain may come to, when it is not answered."""


def script(record: Record, line: CaseLine) -> str:
    """The script, or "" where it cannot stand alone: no runtime lines or lines for an only input `x` where there are
    several, no ONNX model of the call, an input too large for the record, names that are not valid in Python, or
    a context."""
    backend, text, call = record.header.backend, record.header.specifications[line.spec], line.call
    if not backend.reproduce or text.domain is None or line.context or call is None or not call.whole:
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
        alone=("x, = inputs.values()\n" if knows_one else "") + (
            f"specification = {line.spec!r}\n" if re.search(r"\bspecification\b", backend.reproduce) else ""),
        names=_names(text, list(call.inputs)), outputs=line.outputs, operator=call.operator,
        results=",\n     ".join(_result(line, name) for name in line.outputs),
        guard=_guard(line), verdict=_verdict(line),
        imports=", ".join(f'helper.make_opsetid("{name}", {line.opset})' for name in dict.fromkeys(["", text.domain])),
        ir_version=onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True),
        run=TWICE.format(run=indent(backend.reproduce, "    ")) if line.verdict == "unstable" else backend.reproduce,
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


def _guard(line: CaseLine) -> str:
    """What puts the call in a process of its own. Outside the domain it may be refused there."""
    if line.verdict not in ("crashes", "hangs"):
        return ""
    return GUARD.format(wrong="!= 0" if line.expected else "not in (0, 1)")


def _verdict(line: CaseLine) -> str:
    """What decides the exit status; "" where an answer, whatever it holds, is what was missing."""
    if line.verdict == "unstable":
        return UNSTABLE
    return "" if line.verdict != "diverges" else DIVERGES.format(
        types=_types(line), bounds=line.bounds,
        wrong=",\n         ".join(f"{name!r}: {list(places)}" for name, places in _wrong(line).items()))


def _types(line: CaseLine) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Element type and shape of the outputs that are wrong."""
    wrong = {entry.output for entry in line.divergences}
    return {name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in (line.expected or {}).items()
            if name in wrong}


def _wrong(line: CaseLine) -> dict[str, dict[Any, None]]:
    """By output (place, what is right, what was seen) of the wrong elements that the record lists, each once."""
    found: dict[str, dict[Any, None]] = {}
    for entry in line.divergences:
        if entry.where:
            right, seen = (_exactly(values, (tensors or {})[entry.output].dtype) for values, tensors in
                           ((entry.expected, line.expected), (entry.got, line.got)))
            found.setdefault(entry.output, {}).update(dict.fromkeys(
                zip(map(tuple, entry.where), right, seen, strict=True)))
    return found


def _exactly(values: Any, dtype: str) -> list[Any]:
    """The values of a type: a record has the shortest digits that tell them apart, which are not all of them."""
    if dtype.startswith("str"):
        return list(values)
    found = from_values(values)
    with np.errstate(all="ignore"), suppress(OverflowError, TypeError, ValueError):  # a record may hold anything
        return [element_type(dtype).type(value).item() for value in found]
    return found


def _seen(line: CaseLine) -> str:
    """What the call should come to and what it came to; on one line, whatever the record holds."""
    expected = "the outputs below" if line.expected else REFUSAL
    seen = {"crashes": f"the process ends ({line.did})", "hangs": f"no end ({line.did})", "rejects-valid": "a refusal",
            "unstable": f"answers that change ({line.did})"}.get(line.verdict, "other outputs")
    return " ".join(f"expected: {expected}; seen: {seen}".split())


def _needs(backend: Backend) -> str:
    """How to get what the script needs, as far as the record says; on one line, whatever the record holds."""
    packages = dict.fromkeys(["numpy", "onnx", *backend.requirements])
    needs = f"pip install {' '.join(packages)}" if backend.requirements else "needs numpy, onnx and the runtime"
    return " ".join(f"{needs}; found with {backend.name} {backend.version}, numpy {backend.numpy}, "
                    f"Python {backend.python}".split())


LEAST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a ZIP archive, so that the same record gives the same bytes."""


class FilesError(ValueError):
    """Files that cannot be written; the text is one line."""


def contents(record: Record, line: CaseLine) -> dict[str, bytes]:
    """By name: `model.onnx`, `input_N.pb`, `expected_N.pb`, `got_N.pb` and `reproduce.py`, without those that the
    record does not hold whole or that cannot be made: no model where the text has no ONNX operator, no script in a
    context, or for a backend that gives no lines for one. {} where the inputs are not whole."""
    call, text = line.call, record.header.specifications[line.spec]
    if call is None or not call.whole:
        return {}
    arrays = {name: to_array(tensor) for name, tensor in call.inputs.items()}
    model, arrays = _in_context(line, arrays) if line.context else (
        b"" if text.domain is None else _model(line, arrays, text.domain, tuple(text.inputs)), arrays)
    found = {"model.onnx": model}
    found |= {f"input_{number}.pb": _serialised(name, array) for number, (name, array) in enumerate(arrays.items())}
    for prefix, tensors in (("expected", line.expected), ("got", line.got)):
        for number, name in enumerate(line.outputs):
            if tensors and name in tensors and tensors[name].offset is None:
                found[f"{prefix}_{number}.pb"] = _serialised(name, to_array(tensors[name]))
    found["reproduce.py"] = script(record, line).encode()
    return {name: content for name, content in found.items() if content}


def archive(record: Record, line: CaseLine) -> bytes:
    """The same as a ZIP archive; b"" where there is nothing."""
    files = contents(record, line)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(zipfile.ZipInfo(name, LEAST_DATE), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue() if files else b""


def folder_name(line: CaseLine) -> str:
    """The name of the folder of a result."""
    return file_name(f"{line.spec}-{line.id}-{line.form}")


def write_files(record: Record, ids: Iterable[str], folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a folder for each result that accuses the backend, or for each of these cases that the record holds with
    its call; (folder, names of the files), without names where the input is too large for the record.

    Raises FilesError where the folder holds something, or there is nothing to write, LookupError for an unknown id."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FilesError(f"{folder}: is not an empty folder; name a new one")
    chosen = list(_chosen(record, list(ids)))
    if not chosen:
        raise FilesError(f"{record.path}: no result accuses {record.who}; name the cases to write")
    return _written(record, chosen, folder)


def _written(record: Record, chosen: list[CaseLine], folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    for line in chosen:
        place, files = folder / folder_name(line), contents(record, line)
        for name, content in files.items():
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
        yield place, tuple(files)


def _chosen(record: Record, ids: list[str]) -> Iterator[CaseLine]:
    if not ids:
        yield from (line for line in record.cases if line.accuses)
    for name in ids:
        lines = [line for line in record.cases if line.id == name and line.call]
        if not lines:
            raise LookupError(f"{record.path}: no line {name!r} with its call; conforming lines keep none")
        yield from lines


def _model(line: CaseLine, arrays: dict[str, np.ndarray], domain: str, inputs: tuple[str, ...]) -> bytes:
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()} if line.call else {}
    operator = line.call.operator if line.call else ""
    named = inputs if set(arrays) <= set(inputs) else None
    try:
        return to_model(Call(operator, attributes, arrays), tuple(line.outputs), line.opset, domain, named)
    except (TypeError, ValueError):  # attributes that no model holds: lists of mixed types
        return b""


def _in_context(line: CaseLine, arrays: dict[str, np.ndarray]) -> tuple[bytes, dict[str, np.ndarray]]:
    """The model with what the context puts around the node, and its inputs; b"" where it is not there to be made."""
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()} if line.call else {}
    operator = line.call.operator if line.call else ""
    with suppress(SpecError, OutsideDomain, KeyError, TypeError, ValueError):  # a record may hold anything
        frame = contexts()[line.context].frame(load_spec(line.spec), Call(operator, attributes, arrays,
                                                                          tuple(line.outputs)), line.opset)
        if frame is not None:
            return frame.model, frame.inputs
    return b"", arrays


def _serialised(name: str, array: np.ndarray) -> bytes:
    plain = array.astype(object) if array.dtype.kind == "U" else np.ascontiguousarray(array).reshape(array.shape)
    return bytes(numpy_helper.from_array(plain, name).SerializeToString())
