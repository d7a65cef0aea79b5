"""A result as files that other tools read: the model, its inputs, what was expected and what was given, the script."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from onnx import numpy_helper

from plumbline.cases.onnx_model import to_model
from plumbline.oracle import Call
from plumbline.reports.reproduce import script
from plumbline.trial.places import file_name
from plumbline.trial.record import CaseLine
from plumbline.trial.record_header import Tensor
from plumbline.trial.recording import Record
from plumbline.trial.tensors import from_values, to_array

LEAST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a ZIP archive, so that the same record gives the same bytes."""


class FilesError(ValueError):
    """Files that cannot be written; the text is one line."""


def contents(record: Record, line: CaseLine) -> dict[str, bytes]:
    """By name: `model.onnx`, `input_N.pb`, `expected_N.pb`, `got_N.pb` and `reproduce.py`, without those that the
    record does not hold whole or that cannot be made: no model where the text has no ONNX operator, no script for a
    backend that gives no lines for one. {} where the inputs are not whole."""
    call, text = line.call, record.header.specifications[line.spec]
    if call is None or not call.whole:
        return {}
    arrays = {name: to_array(tensor) for name, tensor in call.inputs.items()}
    found = {"model.onnx": b"" if text.domain is None else _model(line, arrays, text.domain, tuple(text.inputs))}
    found |= {f"input_{number}.pb": _serialised(name, array) for number, (name, array) in enumerate(arrays.items())}
    for prefix, tensors in (("expected", line.expected), ("got", line.got)):
        for number, name in enumerate(line.outputs):
            if tensors and name in tensors and tensors[name].offset is None:
                found[f"{prefix}_{number}.pb"] = _tensor(name, tensors[name])
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


def _tensor(name: str, tensor: Tensor) -> bytes:
    return _serialised(name, to_array(tensor))


def _serialised(name: str, array: np.ndarray) -> bytes:
    plain = array.astype(object) if array.dtype.kind == "U" else np.ascontiguousarray(array).reshape(array.shape)
    return bytes(numpy_helper.from_array(plain, name).SerializeToString())
