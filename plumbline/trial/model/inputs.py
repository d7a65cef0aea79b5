"""Read or draw the inputs of a model trial."""

from __future__ import annotations

import shlex
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.lib.format as npy
from google.protobuf.message import DecodeError
from onnx import TensorProto, ValueInfoProto, helper

from plumbline.backends.foreign_text import one_line
from plumbline.cases.generate.choices import filled
from plumbline.cases.generate.value_recipes import strange
from plumbline.oracle.check.model_file import open_size
from plumbline.oracle.files import open_file, read_bytes
from plumbline.oracle.limits import holdable
from plumbline.oracle.response import is_float
from plumbline.oracle.tensor_protos import to_array
from plumbline.oracle.type_names import as_objects, is_of_strings, name_of
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.input_ranges import TRUTH, Range, likely_ranges

RARE = 64
"""One in so many drawn floats is a special value, where these are asked for."""

EMPTY: Mapping[str, Range] = {}

MOST = 1 << 36
"""Most bytes of a .npz file."""

LARGEST = 1 << 31
"""Most bytes of one input."""

NAMED, LETTERS = 20, 200
"""Names that a message lists, and letters of each."""


class InputError(ValueError):
    """Inputs that do not fit the model; the text is one line."""


def read_inputs(path: Path, wanted: Sequence[ValueInfoProto]) -> dict[str, np.ndarray]:
    """Read inputs by name from a file or folder. Raises InputError."""
    if not path.is_dir():
        return _of_file(path, wanted)
    arrays = _of_folder(path, wanted)
    for value in wanted:
        _check(path, value, arrays[value.name].shape, arrays[value.name].dtype)
    return arrays


def _of_folder(path: Path, wanted: Sequence[ValueInfoProto]) -> dict[str, np.ndarray]:
    """Read input_0.pb and so on, the layout of ONNX's own test data."""
    arrays = {}
    for number, value in enumerate(wanted):
        file = path / f"input_{number}.pb"
        try:
            tensor = TensorProto.FromString(read_bytes(file))
            if tensor.data_location == TensorProto.EXTERNAL:
                raise OSError("its elements are kept in another file")
            arrays[value.name] = to_array(tensor)
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror or error}; it is for the input {value.name}"
                             ) from None
        except (DecodeError, TypeError, ValueError, KeyError):
            raise InputError(f"{file}: not a tensor") from None
    if (file := path / f"input_{len(wanted)}.pb").exists():
        raise InputError(f"{file}: the model has no such input; its inputs are "
                         f"{', '.join(value.name for value in wanted) or 'none'}")
    return arrays


def _of_file(path: Path, wanted: Sequence[ValueInfoProto]) -> dict[str, np.ndarray]:
    """Read the members of an archive: names, then headers, and what fits the model alone."""
    try:
        with open_file(path, MOST) as file, zipfile.ZipFile(file) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            _check_names(path, wanted, members)
            return {value.name: _member(path, archive, members[value.name], value) for value in wanted}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(f"{path}: larger than the memory") from None
    except InputError:
        raise
    except (ValueError, TypeError, EOFError, AttributeError, NotImplementedError, RuntimeError, SyntaxError,
            zipfile.BadZipFile, zlib.error):
        raise InputError(f"{path}: not a .npz file of arrays") from None


def _member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, value: ValueInfoProto) -> np.ndarray:
    """Read an array whose header fits the model; one in another byte order is turned. Raises InputError."""
    with archive.open(info) as member:
        version = npy.read_magic(member)
        header = npy.read_array_header_1_0(member) if version == (1, 0) else npy.read_array_header_2_0(member)
        shape, dtype = header[0], header[2]
        _check(path, value, shape, dtype)
        if prod(shape) * dtype.itemsize > min(LARGEST, info.file_size):
            raise InputError(f"{path}: {value.name} claims {prod(shape) * dtype.itemsize:,} bytes; it has "
                             f"{info.file_size:,}, and at most {LARGEST:,} are read")
    with archive.open(info) as member:
        array: np.ndarray = npy.read_array(member, allow_pickle=False)
    return as_objects(array.astype(dtype.newbyteorder("="), copy=False))


def _check_names(path: Path, wanted: Sequence[ValueInfoProto], given: Mapping[str, object]) -> None:
    names = [value.name for value in wanted]
    for missing in set(names) - set(given):
        raise InputError(f"{path}: lacks the input {missing!r}; it has {_listed(sorted(given))}")
    for unknown in sorted(set(given) - set(names)):
        raise InputError(f"{path}: the model has no input {unknown[:LETTERS]!r}; its inputs are {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f", and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(one_line(name, LETTERS) for name in names[:NAMED]) + more or "nothing"


def _check(path: Path, value: ValueInfoProto, shape: Sequence[int], given: np.dtype[Any]) -> None:
    dtype, sizes = _wanted(value)
    if given.newbyteorder("=") != dtype and not (is_of_strings(given) and is_of_strings(dtype)):
        raise InputError(f"{path}: {value.name} is {given.name}, and the model takes {name_of(dtype)}")
    if sizes is None:
        return
    fits = len(sizes) == len(shape) and all(
        isinstance(size, str) or size == actual for size, actual in zip(sizes, shape, strict=True))
    if not fits:
        shown = ", ".join(map(str, sizes))
        raise InputError(f"{path}: {value.name} has shape {list(shape)}, and the model takes [{shown}]")


def drawn_inputs(graph: Graph, seed: int, sizes: Mapping[str, int], between: Range | None = None,
                 specials: Sequence[float] = (), ranges: Mapping[str, Range] = EMPTY) -> dict[str, np.ndarray]:
    """Draw inputs by a seed. Raises InputError.

    sizes:    of symbols, or by place as ``ids.1``; a first axis of unknown size has one element.
    between:  bounds of floats; without them they are normally distributed.
    specials: special values, about one in `RARE` floats, each at least once where there is room.
    ranges:   bounds by input. Other integers have likely ranges (`input_ranges`), or 0 to 9."""
    rng, wanted = np.random.default_rng(seed), graph.inputs
    symbols = {size for value in wanted for size in _wanted(value)[1] or () if isinstance(size, str)}
    for name in set(sizes) - symbols:
        raise InputError(f"--size {name}: the model's inputs have no such size; they have "
                         f"{', '.join(sorted(symbols)) or 'none that is open'}")
    for name in set(ranges) - {value.name for value in wanted}:
        raise InputError(f"--range {name}: the model has no such input; its inputs are "
                         f"{', '.join(value.name for value in wanted) or 'none'}")
    shapes = _shapes(wanted, sizes)
    likely = likely_ranges(graph, shapes)
    drawn = {}
    for value in wanted:
        name, (dtype, _) = value.name, _wanted(value)
        if is_of_strings(dtype):
            if name in ranges:
                raise InputError(f"--range {name}: the input holds strings, which have no range")
            drawn[name] = filled(strange, rng, shapes[name], dtype)
        elif dtype.kind not in "iub":
            array = _floats(rng, name, shapes[name], dtype, ranges.get(name, between))
            drawn[name] = _with(specials, array, rng) if is_float(dtype) and name not in ranges else array
        else:
            drawn[name] = _integers(rng, name, shapes[name], dtype, ranges.get(name, likely.get(name)))
            if name not in ranges and likely.get(name) == TRUTH and shapes[name] and drawn[name].size:
                drawn[name][..., 0] = 1  # a mask of zeros alone gives NaN
    return drawn


def _with(specials: Sequence[float], array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if specials:
        count = min(array.size, max(len(specials), array.size // RARE))
        with np.errstate(over="ignore"):  # beyond its type it is infinite
            array.reshape(-1)[rng.choice(array.size, count, replace=False)] = np.resize(specials, count)
    return array


def _floats(rng: np.random.Generator, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], between: Range | None
            ) -> np.ndarray:
    """Draw numbers. Raises InputError for bounds beyond the type."""
    if between is None:
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    with np.errstate(all="ignore"):
        ends = np.array(between).astype(dtype).astype(complex)
    if not np.isfinite(ends).all() or between[1] - between[0] == float("inf"):
        raise InputError(f"--range {between[0]:g}..{between[1]:g}: beyond {dtype.name}, the type of the input {name}")
    return np.asarray(rng.uniform(*between, shape)).astype(dtype)


def _integers(rng: np.random.Generator, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], between: Range | None
              ) -> np.ndarray:
    """Draw integers or truth values. Raises InputError for bounds that do not fit the type."""
    if dtype.kind == "b" and between is None:
        return np.asarray(rng.random(shape) < 0.5)
    low, high = between or (0, 9)
    ends = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if low != int(low) or high != int(high) or not ends[0] <= low <= high <= ends[1]:
        raise InputError(f"--range {name}={low:g}:{high:g}: the input is {dtype.name}; give two integers from "
                         f"{ends[0]} to {ends[1]}")
    return np.asarray(rng.integers(int(low), int(high), shape, endpoint=True)).astype(dtype)


def _shapes(wanted: Sequence[ValueInfoProto], known: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of inputs. Raises InputError that proposes all sizes that are not known, and TooLarge."""
    lacking = [size for size in open_sizes(wanted) if size not in known]
    if lacking:
        options = options_of(dict.fromkeys(lacking, "N"))
        raise InputError(f"sizes of inputs are not known; give {options}, or --inputs")
    shapes = {}
    for value in wanted:
        sizes = _wanted(value)[1] or []
        shapes[value.name] = tuple(_number(size, known) if isinstance(size, str) else size for size in sizes)
        holdable(f"the input {value.name}", shapes[value.name])
    return shapes


def open_sizes(wanted: Sequence[ValueInfoProto]) -> dict[str, list[tuple[int, list[int | str]]]]:
    """Return open sizes by symbol, or by place as ``ids.1``: their axes, each with the sizes of the input.

    Sums of others, as ``past + length``, and what are first axes alone are left out. Raises InputError."""
    places: dict[str, list[tuple[int, list[int | str]]]] = {}
    for value in wanted:
        _, sizes = _wanted(value)
        if sizes is None:
            raise InputError(f"the rank of the input {value.name} is not known; give it with --inputs")
        for axis, size in enumerate(sizes):
            if isinstance(size, str):
                places.setdefault(size, []).append((axis, sizes))
    return {size: axes for size, axes in places.items()
            if any(axis for axis, _ in axes) and not {size} < {size, *_terms(size)} <= set(places)}


def options_of(sizes: Mapping[str, object]) -> str:
    """Return the options that give sizes: ``--size N=16``."""
    return shlex.join(word for symbol, size in sizes.items() for word in ("--size", f"{symbol}={size}"))


def _number(symbol: str, known: Mapping[str, int]) -> int:
    """Return a size: as known, or that of a sum of known ones, or 1."""
    if symbol not in known and len(terms := _terms(symbol)) > 1:
        return sum(known.get(term, 1) for term in terms)
    return known.get(symbol, 1)


def _terms(symbol: str) -> list[str]:
    """Return the terms of a sum, as ``past + length``."""
    return [term.strip() for term in symbol.split("+")]


def _wanted(value: ValueInfoProto) -> tuple[np.dtype[Any], list[int | str] | None]:
    """Return type and sizes of an input, symbols for unknowns.

    A size without a symbol, or of -1, has that of its place: ``ids.1`` is axis 1 of the input ids. Raises
    InputError for an input that is no tensor."""
    tensor = value.type.tensor_type
    if not value.type.HasField("tensor_type") or tensor.elem_type == TensorProto.UNDEFINED:
        raise InputError(f"the input {value.name} is not a tensor")
    try:
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    except KeyError:
        raise InputError(f"the input {value.name} has the element type {tensor.elem_type}, which ONNX lacks") from None
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, [open_size(value, axis) or size.dim_value for axis, size in enumerate(tensor.shape.dim)]
