"""A finding as a Python script that needs onnx, numpy and the runtime alone, and as files that other tools read.

The exit status of the script is 1 where the fault shows and 0 where it does not, as `git bisect run` takes it. What the
record holds decides: a wrong element is one of those listed, with what was seen again, or off by more than rounding
allows."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any

import jinja2
import numpy as np
import onnx
from onnx import numpy_helper

from plumbline.cases.onnx.contexts import contexts
from plumbline.cases.onnx.frame import Frame
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, OutsideDomain, SpecError, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.trial.record.header import Backend, Specification
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.record.tensors import from_values, to_array, to_tensor
from plumbline.trial.run.paths import file_name

TEMPLATES = Path(__file__).resolve().parent / "templates"

WIDE = 100
"""Letters of a model in one line of a script."""

REFUSAL = "a refusal: the call is outside the domain"
"""What a call that is outside the domain may come to, when it is not answered."""


def script(record: Record, line: CaseLine) -> str:
    """The script, or "" where it cannot stand alone: no runtime lines or lines for an only input `x` where there are
    several, no ONNX model of the call, an input too large for the record, names that are not valid in Python, or
    a context whose settings the runtime lines do not know."""
    backend, text, call = record.header.backend, record.header.specifications[line.spec], line.call
    if not backend.reproduce or text.domain is None or call is None or not call.whole:
        return ""
    dtypes = {tensor.dtype for tensor in call.inputs.values()}
    if not all(name.isidentifier() for name in [*call.attributes, *dtypes]):
        return ""
    inputs, model, settings = {name: _array(tensor) for name, tensor in call.inputs.items()}, None, dict[str, Any]()
    if line.context:
        frame = _framed(line, {name: to_array(tensor) for name, tensor in call.inputs.items()})
        if frame is None:
            return ""
        model, settings = frame.model, dict(contexts()[line.context].settings)
        inputs = {name: _array(to_tensor(array)) for name, array in frame.inputs.items()}
    run = backend.reproduce_as_set if settings.keys() - {"layout"} else backend.reproduce
    knows_one = re.search(r"\bx\b", run) is not None
    if not run or knows_one and len(inputs) != 1:
        return ""
    imports = [onnx.helper.make_opsetid("", line.opset)]
    return _template().render(
        title=" ".join(f"{line.spec} {line.id} [{line.form}] on {record.who}: {line.verdict}".split()),
        needs=_needs(backend), seen=_seen(line), line=line, inputs=inputs, run=run, settings=settings,
        guard=_guard(line), knows_one=knows_one, knows_specification=re.search(r"\bspecification\b", run) is not None,
        names=_names(text, list(call.inputs)), operator=call.operator,
        domains=dict.fromkeys(["", text.domain]), results=[_result(line, name) for name in line.outputs],
        attributes={**({"domain": text.domain} if text.domain else {}),
                    **{name: from_values(value) for name, value in call.attributes.items()}},
        ir_version=onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True),
        model=model and wrap(base64.b64encode(model).decode(), WIDE),
        read=model and onnx.printer.to_text(onnx.load_model_from_string(model)),
        expected={name: from_values(tensor.values) if tensor.offset is None else "see the report"
                  for name, tensor in (line.expected or {}).items()} or dict.fromkeys(line.outputs, REFUSAL),
        types=_types(line), wrong={name: list(places) for name, places in _wrong(line).items()})


@cache
def _template() -> jinja2.Template:
    """That of a script, in which nothing is escaped: it is Python."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=False, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["repr"] = repr
    return environment.get_template("reproduce.py.j2")


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
    """What is wrong with the exit status of the call in a process of its own, which it may end; "" where it need not
    have one. Outside the domain it may be refused there."""
    if line.verdict not in ("crashes", "hangs"):
        return ""
    return "!= 0" if line.expected else "not in (0, 1)"


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
    found: list[Any] = from_values(values)
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
    record does not hold whole or that cannot be made: no model where the text has no ONNX operator, no script
    for a backend that gives no lines for one. {} where the inputs are not whole, or not numbers."""
    call, text = line.call, record.header.specifications[line.spec]
    if call is None or not call.whole:
        return {}
    try:
        arrays = {name: to_array(tensor) for name, tensor in call.inputs.items()}
    except ValueError:
        return {}
    frame = _framed(line, arrays) if line.context else None
    if frame is not None:
        arrays, found = frame.inputs, {"model.onnx": frame.model}
    else:
        found = {} if line.context or text.domain is None else {
            "model.onnx": _model(line, arrays, text.domain, tuple(text.inputs))}
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
    right = line.expected or {}
    try:
        return to_model(Call(operator, attributes, arrays), tuple(line.outputs), line.opset, domain, named,
                        axes=lambda name: len(right[name].shape) if name in right else None)
    except (TypeError, ValueError):  # attributes that no model holds: lists of mixed types
        return b""


def _framed(line: CaseLine, arrays: dict[str, np.ndarray]) -> Frame | None:
    """The model with what the context puts around the node, and its inputs; None where it is not there to be made."""
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()} if line.call else {}
    operator = line.call.operator if line.call else ""
    with suppress(SpecError, OutsideDomain, KeyError, TypeError, ValueError):  # a record may hold anything
        frame = contexts()[line.context].frame(load_spec(line.spec), Call(operator, attributes, arrays,
                                                                          tuple(line.outputs)), line.opset)
        if frame is not None and frame.model:
            return frame
    return None


def _serialised(name: str, array: np.ndarray) -> bytes:
    plain = array.astype(object) if array.dtype.kind == "U" else np.ascontiguousarray(array).reshape(array.shape)
    return bytes(numpy_helper.from_array(plain, name).SerializeToString())
