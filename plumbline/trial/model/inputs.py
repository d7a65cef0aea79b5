"""Inputs of a model trial, from a file or a seed."""

from __future__ import annotations

import shlex
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

from plumbline.oracle.check.model_file import open_size
from plumbline.oracle.files import open_file, read_bytes
from plumbline.oracle.response import is_float
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.input_ranges import TRUTH, Range, likely_ranges

RARE = 64
"""One in so many drawn floats is a special value, where these are asked for."""

EMPTY: Mapping[str, Range] = {}

MOST = 1 << 36
"""Most bytes of a .npz file."""


class InputError(ValueError):
    """Inputs that do not fit the model; the text is one line."""


def read_inputs(path: Path, wanted: Sequence[ValueInfoProto]) -> dict[str, np.ndarray]:
    """Read inputs by name from a file or folder.

    Raises InputError."""
    arrays = _of_folder(path, wanted) if path.is_dir() else _of_file(path)
    names = [value.name for value in wanted]
    for missing in set(names) - set(arrays):
        raise InputError(f"{path}: lacks the input {missing!r}; it has {', '.join(sorted(arrays)) or 'nothing'}")
    for unknown in set(arrays) - set(names):
        raise InputError(f"{path}: the model has no input {unknown!r}; its inputs are {', '.join(names)}")
    for value in wanted:
        _check(path, value, arrays[value.name])
    return {name: arrays[name] for name in names}


def _of_folder(path: Path, wanted: Sequence[ValueInfoProto]) -> dict[str, np.ndarray]:
    """Read input_0.pb and so on, the layout of ONNX's own test data."""
    arrays = {}
    for number, value in enumerate(wanted):
        file = path / f"input_{number}.pb"
        try:
            tensor = TensorProto.FromString(read_bytes(file))
            if tensor.data_location == TensorProto.EXTERNAL:
                raise OSError("its elements are kept in another file")
            arrays[value.name] = numpy_helper.to_array(tensor)
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror or error}; it is for the input {value.name}"
                             ) from None
        except (DecodeError, TypeError, ValueError, KeyError):
            raise InputError(f"{file}: not a tensor") from None
    if (file := path / f"input_{len(wanted)}.pb").exists():
        raise InputError(f"{file}: the model has no such input; its inputs are "
                         f"{', '.join(value.name for value in wanted) or 'none'}")
    return arrays


def _of_file(path: Path) -> dict[str, np.ndarray]:
    try:
        with open_file(path, MOST) as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(f"{path}: larger than the memory") from None
    except (ValueError, TypeError, EOFError, AttributeError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
            zlib.error):
        raise InputError(f"{path}: not a .npz file of arrays") from None


def _check(path: Path, value: ValueInfoProto, array: np.ndarray) -> None:
    dtype, sizes = _wanted(value)
    if array.dtype != dtype:
        raise InputError(f"{path}: {value.name} is {array.dtype.name}, and the model takes {dtype.name}")
    if sizes is None:
        return
    fits = len(sizes) == array.ndim and all(
        isinstance(size, str) or size == actual for size, actual in zip(sizes, array.shape, strict=True))
    if not fits:
        shown = ", ".join(map(str, sizes))
        raise InputError(f"{path}: {value.name} has shape {list(array.shape)}, and the model takes [{shown}]")


def drawn_inputs(graph: Graph, seed: int, sizes: Mapping[str, int], between: Range | None = None,
                 specials: Sequence[float] = (), ranges: Mapping[str, Range] = EMPTY) -> dict[str, np.ndarray]:
    """Draw inputs by a seed. Raises InputError.

    sizes:    of symbols, or by place as ``ids.1``; a first axis of unknown size has one element.
    between:  bounds of floats; without them they are normally distributed.
    specials: special values, about one in `RARE` floats, each at least once where there is room.
    ranges:   bounds by input. Other integers have likely ranges (`input_ranges`), or 0 to 9.
    """
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
        if dtype.kind not in "iub":
            array = _floats(rng, shapes[name], ranges.get(name, between)).astype(dtype)
            drawn[name] = _with(specials, array, rng) if is_float(dtype) and name not in ranges else array
        else:
            drawn[name] = _integers(rng, name, shapes[name], dtype, ranges.get(name, likely.get(name)))
            if name not in ranges and likely.get(name) == TRUTH and shapes[name] and drawn[name].size:
                drawn[name][..., 0] = 1  # a mask of zeros alone gives NaN
    return drawn


def _with(specials: Sequence[float], array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if specials:
        count = min(array.size, max(len(specials), array.size // RARE))
        array.reshape(-1)[rng.choice(array.size, count, replace=False)] = np.resize(specials, count)
    return array


def _floats(rng: np.random.Generator, shape: tuple[int, ...], between: Range | None) -> np.ndarray:
    return np.asarray(rng.standard_normal(shape) if between is None else rng.uniform(*between, shape))


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
    """Return the shapes of inputs. Raises InputError that proposes all sizes that are not known."""
    shapes, lacking = {}, dict[str, None]()
    for value in wanted:
        _, sizes = _wanted(value)
        if sizes is None:
            raise InputError(f"the rank of the input {value.name} is not known; give it with --inputs")
        lacking |= dict.fromkeys(size for size in sizes[1:] if isinstance(size, str) and size not in known)
        shapes[value.name] = tuple(known.get(size, 1) if isinstance(size, str) else size for size in sizes)
    if lacking:
        raise InputError(f"sizes of inputs are not known; give {shlex.join(_options(lacking))}, or --inputs")
    return shapes


def _options(symbols: Iterable[str]) -> Iterator[str]:
    for symbol in symbols:
        yield from ("--size", f"{symbol}=N")


def _wanted(value: ValueInfoProto) -> tuple[np.dtype[Any], list[int | str] | None]:
    """Return type and sizes of an input, symbols for unknowns.

    A size without a symbol, or of -1, has that of its place: ``ids.1`` is axis 1 of the input ids. Raises
    InputError for an input that is no tensor of numbers."""
    tensor = value.type.tensor_type
    if not value.type.HasField("tensor_type") or tensor.elem_type in (TensorProto.UNDEFINED, TensorProto.STRING):
        raise InputError(f"the input {value.name} is not a tensor of numbers")
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, [open_size(value, axis) or size.dim_value for axis, size in enumerate(tensor.shape.dim)]
