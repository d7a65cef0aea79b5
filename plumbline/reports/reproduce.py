"""Reproduce a finding: a standalone script, files for other tools.

The script needs onnx, numpy and the runtime alone. It exits with 1 if the fault shows and with 0 otherwise, as
`git bisect run` expects. The record decides: the fault shows if a listed element has its wrong value again, or differs
by more than rounding allows.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from plumbline.backends.environments import NPM, pip_words
from plumbline.cases.onnx.contexts import contexts
from plumbline.cases.onnx.frame import Frame, with_constants
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, OutsideDomain, SpecError, load_spec
from plumbline.oracle.call import is_of
from plumbline.oracle.choosing import element_type
from plumbline.oracle.files import write_file
from plumbline.oracle.graphs import is_graph
from plumbline.reports.rendering import environment
from plumbline.trial.record.header import Backend, Specification
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.record.tensors import are_strings, from_values, strings, to_array, to_tensor, values_of
from plumbline.trial.run.paths import file_name

LINE_LENGTH = 100
"""Characters of a model in one line of a script."""

REFUSAL = "a refusal: the call is outside the domain"
"""The result expected of a call outside the domain, besides an answer."""


def script(record: Record, line: CaseLine) -> str:
    """The reproducer script, "" if the record is insufficient.

    It does not if the backend declares no lines for it, or lines for one input `x` while the call has several; if the
    call has no ONNX model; if an input is too large for the record; if names are not valid in Python; or if the
    backend's lines cannot apply the settings of the context."""
    backend, specification, call = record.header.backend, record.header.specifications[line.spec], line.call
    if not backend.reproduce or specification.domain is None or call is None or not call.whole:
        return ""
    dtypes = {tensor.dtype for tensor in call.inputs.values()}
    if not all(name.isidentifier() for name in [*call.attributes, *dtypes]):
        return ""
    inputs, model, settings = {name: _array(tensor) for name, tensor in call.inputs.items()}, None, dict[str, Any]()
    if line.context or line.constants:
        frame = _framed(line, {name: to_array(tensor) for name, tensor in call.inputs.items()})
        if frame is None:
            return ""
        model, settings = frame.model, dict(contexts()[line.context].settings if line.context else {})
        inputs = {name: _array(to_tensor(array)) for name, array in frame.inputs.items()}
    elif any(isinstance(value, str) and is_graph(value) for value in call.attributes.values()):
        model = _model(line, {name: to_array(tensor) for name, tensor in call.inputs.items()}, specification)
        if not model:
            return ""
    run = backend.reproduce_as_set if settings.keys() - {"layout"} else backend.reproduce
    takes_x = re.search(r"\bx\b", run) is not None
    if not run or takes_x and len(inputs) != 1:
        return ""
    imports = [onnx.helper.make_opsetid("", line.opset)]
    return environment(autoescape=False).get_template("reproduce.py.j2").render(
        title=" ".join(f"{line.spec} {line.id} [{line.form}] on {record.who}: {line.verdict}".split()),
        needs=_needs(backend), seen=_seen(line), line=line, inputs=inputs, run=run, settings=settings,
        guard=_guard(line), takes_x=takes_x, takes_specification=re.search(r"\bspecification\b", run) is not None,
        names=_in_place(specification.inputs, list(call.inputs)), operator=call.operator,
        places=_in_place(specification.outputs, list(line.outputs)),
        domains=dict.fromkeys(["", specification.domain]), results=[_result(line, name) for name in line.outputs],
        empty={name: _list_type(line, name) for name, value in call.attributes.items() if _is_empty(value)},
        attributes={**({"domain": repr(specification.domain)} if specification.domain else {}),
                    **{name: _argument(name, value) for name, value in call.attributes.items()
                       if not _is_empty(value)}},
        before=_replayed(line),
        ir_version=onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True),
        model=model and wrap(base64.b64encode(model).decode(), LINE_LENGTH),
        read=model and onnx.printer.to_text(onnx.load_model_from_string(model)),
        expected={name: values_of(tensor) if tensor.offset is None else "see the report"
                  for name, tensor in (line.expected or {}).items()} or dict.fromkeys(line.outputs, REFUSAL),
        holds_strings=any(are_strings(tensor.dtype) for tensors in (call.inputs, line.expected or {})
                          for tensor in tensors.values()),
        types=_types(line), wrong={name: list(places) for name, places in _wrong(line).items()})


def _replayed(line: CaseLine) -> dict[str, Any]:
    """The call before an unstable one: model, inputs, outputs, specification; {} if the record does not have it."""
    if line.verdict != "unstable" or line.before is None or not all(
            tensor.offset is None and tensor.dtype.isidentifier() for tensor in line.before.inputs.values()):
        return {}
    return {"model": wrap(line.before.model, LINE_LENGTH), "outputs": list(line.before.outputs),
            "specification": line.before.specification,
            "inputs": {name: _array(tensor) for name, tensor in line.before.inputs.items()}}


def _array(tensor: Tensor) -> str:
    dtype = "object" if are_strings(tensor.dtype) else f"np.{tensor.dtype}"
    return f"np.array({values_of(tensor)}, dtype={dtype}).reshape({tuple(tensor.shape)})"


def _argument(name: str, value: Any) -> str:
    """The value of an attribute in Python."""
    if not isinstance(value, dict):
        return repr(from_values(value))
    array = to_array(Tensor(**value))
    element = onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
    flat = np.array(values_of(array), object).reshape(-1).tolist()
    if are_strings(value["dtype"]):  # of which make_tensor drops NULs at the end
        return f"onnx.numpy_helper.from_array(np.array({flat}, object).reshape({array.shape}), {name!r})"
    return f"helper.make_tensor({name!r}, helper.TensorProto.{element}, {list(array.shape)}, {flat})"


def _in_place(names: list[str], given: list[str]) -> list[str]:
    """The inputs or outputs of the node, "" for an absent one."""
    if not set(given) <= set(names):
        return given
    last = max((names.index(name) for name in given), default=-1)
    return [name if name in given else "" for name in names[:last + 1]]


def _result(line: CaseLine, name: str) -> str:
    """The declaration of an output, typed if possible."""
    tensor = next((tensors[name] for tensors in (line.expected, line.got) if tensors and name in tensors), None)
    if tensor is None or not tensor.dtype.isidentifier():
        return f"helper.make_empty_tensor_value_info({name!r})"
    dtype = "object" if are_strings(tensor.dtype) else tensor.dtype
    return f"helper.make_tensor_value_info({name!r}, element(np.dtype({dtype!r})), None)"


def _guard(line: CaseLine) -> str:
    """The condition on the exit status that shows the fault.

    "" if the call needs no process of its own, since it neither crashes nor hangs. A call outside the domain may be
    refused there."""
    if line.verdict not in ("crashes", "hangs"):
        return ""
    return "!= 0" if line.expected else "not in (0, 1)"


def _types(line: CaseLine) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Element type and shape of each wrong output."""
    wrong = {entry.output for entry in line.divergences}
    return {name: ("object" if are_strings(tensor.dtype) else tensor.dtype, tuple(tensor.shape))
            for name, tensor in (line.expected or {}).items() if name in wrong}


Element = tuple[tuple[int, ...], int | float | str, int | float | str]
"""A wrong element: its place, the right value, the wrong value."""


def _wrong(line: CaseLine) -> dict[str, dict[Element, None]]:
    """The listed wrong elements of each output, each once."""
    elements: dict[str, dict[Element, None]] = {}
    for entry in line.divergences:
        if entry.where:
            right, wrong = (_exactly(values, (tensors or {})[entry.output].dtype) for values, tensors in
                            ((entry.expected, line.expected), (entry.got, line.got)))
            elements.setdefault(entry.output, {}).update(dict.fromkeys(
                zip(map(tuple, entry.where), right, wrong, strict=True)))
    return elements


def _exactly(values: list[int | float | str], dtype: str) -> list[int | float | str]:
    """The exact values of a type.

    A record has the shortest digits that tell values apart, which may round to another number in a wider type.
    """
    if are_strings(dtype):
        return list(strings(values, dtype))
    parsed: list[int | float | str] = from_values(values)
    with np.errstate(all="ignore"), suppress(OverflowError, TypeError, ValueError):  # a record may contain anything
        return [element_type(dtype).type(value).item() for value in parsed]
    return parsed


def _seen(line: CaseLine) -> str:
    """Expected and seen result on one line."""
    expected = "the outputs below" if line.expected else REFUSAL
    seen = {"crashes": f"the process ends ({line.did})", "hangs": f"no end ({line.did})", "rejects-valid": "a refusal",
            "unstable": f"answers that change ({line.did})"}.get(line.verdict, "other outputs")
    return " ".join(f"expected: {expected}; seen: {seen}".split())


def _needs(backend: Backend) -> str:
    """The required packages on one line, whatever the record contains."""
    of_npm = [name.removeprefix(NPM).replace("==", "@") for name in backend.requirements if name.startswith(NPM)]
    packages = dict.fromkeys(["numpy", "onnx", *(name for name in backend.requirements if not name.startswith(NPM))])
    commands = "; ".join(f"pip install {' '.join(words)}" for words in pip_words(list(packages)))
    needs = commands if backend.requirements else "needs numpy, onnx and the runtime"
    needs += f"; npm install --ignore-scripts {' '.join(of_npm)}" if of_npm else ""
    return " ".join(f"{needs}; found with {backend.name} {backend.version}, numpy {backend.numpy}, "
                    f"Python {backend.python}".split())


LEAST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a ZIP archive, so that equal records give equal bytes."""


class FilesError(ValueError):
    """Files that cannot be written; the message is one line."""


def contents(record: Record, line: CaseLine) -> dict[str, bytes]:
    """The files of a result by name.

    `model.onnx`, `input_N.pb`, `expected_N.pb`, `got_N.pb` and `reproduce.py`, without those that the record contains
    in part or that cannot be made: no model if the specification has no ONNX operator, no script if the backend
    declares no lines for one. {} if an input is recorded in part, or not of numbers."""
    call, specification = line.call, record.header.specifications[line.spec]
    if call is None or not call.whole:
        return {}
    try:
        arrays = {name: to_array(tensor) for name, tensor in call.inputs.items()}
    except ValueError:
        return {}
    frame = _framed(line, arrays) if line.context or line.constants else None
    if frame is not None:
        arrays, files = frame.inputs, {"model.onnx": frame.model}
    else:
        files = {} if line.context or line.constants or specification.domain is None else {
            "model.onnx": _model(line, arrays, specification)}
    files |= {f"input_{number}.pb": _serialised(name, array) for number, (name, array) in enumerate(arrays.items())}
    for prefix, tensors in (("expected", line.expected), ("got", line.got)):
        for number, name in enumerate(line.outputs):
            if tensors and name in tensors and tensors[name].offset is None:
                with suppress(ValueError, NotImplementedError):  # elements that ONNX lacks, or that are no strings
                    files[f"{prefix}_{number}.pb"] = _serialised(name, to_array(tensors[name]))
    files["reproduce.py"] = script(record, line).encode()
    return {name: content for name, content in files.items() if content}


def archive(record: Record, line: CaseLine) -> bytes:
    """The files of a result as a ZIP archive."""
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
    """Write a folder for each accusing or named result.

    Gives pairs of folder and names of its files; no names if an input is too large for the record. Raises FilesError if
    the folder is not empty or there is nothing to write, LookupError for an unknown id."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FilesError(f"{folder}: not an empty folder; name a new one")
    chosen = list(_chosen(record, list(ids)))
    if not chosen:
        raise FilesError(f"{record.path}: no result accuses {record.who}; name the cases to write")
    return _written(record, chosen, folder)


def _written(record: Record, chosen: list[CaseLine], folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    for line in chosen:
        place, files = folder / folder_name(line), contents(record, line)
        for name, content in files.items():
            write_file(place / name, content)
        yield place, tuple(files)


def _chosen(record: Record, ids: list[str]) -> Iterator[CaseLine]:
    if not ids:
        yield from (line for line in record.cases if line.accuses)
    for name in ids:
        lines = [line for line in record.cases if line.is_of(name) and line.call]
        if not lines:
            raise LookupError(f"{record.path}: no line {name!r} with its call; lines of conforming results have none")
        yield from lines


def _model(line: CaseLine, arrays: dict[str, np.ndarray], specification: Specification) -> bytes:
    inputs, domain = tuple(specification.inputs), specification.domain or ""
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()} if line.call else {}
    operator = line.call.operator if line.call else ""
    single = tuple(name for name in inputs if not any(is_of(other, name) for other in arrays.keys() - {name}))
    named = single + tuple(name for name in arrays if name not in single)
    right, outputs = line.expected or {}, tuple(line.outputs)
    described = None
    if line.call is not None and line.call.outputs:  # see `model_of`
        first = next(iter(line.call.inputs.values()))
        tensors = {name: right.get(name, first) for name in outputs}
        described = {name: (element_type(tensor.dtype), len(tensor.shape)) for name, tensor in tensors.items()}
    try:
        return to_model(Call(operator, attributes, arrays), outputs, line.opset, domain, named, described,
                        axes=lambda name: len(right[name].shape) if name in right else None,
                        places=tuple(specification.outputs))
    except (TypeError, ValueError):  # attributes without a type in ONNX: lists of mixed types
        return b""


def _framed(line: CaseLine, arrays: dict[str, np.ndarray]) -> Frame | None:
    """The call in its context or with its constants, or None."""
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()} if line.call else {}
    operator = line.call.operator if line.call else ""
    with suppress(SpecError, OutsideDomain, KeyError, TypeError, ValueError):  # a record may contain anything
        spec, call = load_spec(line.spec), Call(operator, attributes, arrays, tuple(line.outputs))
        frame = (contexts()[line.context].frame(spec, call, line.opset) if line.context
                 else with_constants(spec, call, line.opset, line.constants))
        if frame is not None and frame.model:
            return frame
    return None


def _serialised(name: str, array: np.ndarray) -> bytes:
    plain = array.astype(object) if array.dtype.kind == "U" else np.ascontiguousarray(array).reshape(array.shape)
    return bytes(numpy_helper.from_array(plain, name).SerializeToString())


def _list_type(line: CaseLine, attribute: str) -> str:
    """The type of an attribute of ONNX that is a list, which an empty list does not show."""
    spec = load_spec(line.spec)
    known = onnx.defs.get_schema(spec.operator, line.opset).attributes if onnx.defs.has(spec.operator) else {}
    return str(known[attribute].type).rpartition(".")[2] if attribute in known else "INTS"


def _is_empty(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not value
