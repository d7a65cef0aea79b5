"""The process that an adapter runs in, started by its path.

It runs in any environment that has numpy and the runtime, and imports nothing of the suite but the adapter. Messages
travel over the pipes that it is started with: a line of JSON, and behind it the bytes of its arrays and models, as they
are in memory. "data" of the line lists how many bytes each has. In place of an array the line has {"dtype", "shape",
"data"}, where "data" is its number in that list; "model" is such a number too. What the adapter prints goes to stderr,
never between the messages.

    start:   {"ready": {"name", "version", "about", "reproduce", "specifications", "capabilities", "contexts", "batch",
             "python", "numpy", "address_limit", "not_implemented"}}
    request: {"number", "requests": [{"model", "operator", "attributes", "opset", "inputs", "outputs", "time_limit",
             "specification", "settings"}, ...], "data"}; settings are left out where there are none
    when it was read: {"reading": number, "data"}
    answer:  {"number", "answers": [...], "data"} with one answer for each request, or one answer for all of them
    an answer is {"outputs": {...}, "gap", "provider", "harm"}, {"error": {"phase", "type", "message"}, "gap", "harm"}
             for a refusal, whose error has "own" if the adapter's own code failed by mistake, {"memory": why} if
             memory ran out, {"failed": why} if the adapter did not give outputs.
             "harm" says what the call overwrote: an input, or an earlier output.

Usage: python worker.py ADAPTER [PROVIDER], where ADAPTER is path/to/file.py:Class, package.module:Class, or a module or
class that follows onnx.backend.base.Backend. Of PROVIDER, which is NAME[:OPTION=VALUE,...], the class is given the name
as `provider`, and the options by name.
"""

from __future__ import annotations

import dis
import hashlib
import importlib
import importlib.util
import json
import linecache
import os
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from plumbline.backends.request import Request

SPECIFICATIONS = ("sonnx/*", "onnx/*")
"""The specifications of an adapter that names none."""

BATCH = 64
"""Calls in a batch for an adapter with `run_many` that does not say how many it takes."""

MESSAGE = 3400
"""Characters of an exception's message that are sent."""

WATCHED = 1 << 22
"""Bytes up to which an output is watched until the next call, to see whether that overwrites it."""

STRING = "string"
"""The element type of tensors of texts; numpy has several names for it."""

AXES = 32
"""Axes that every version of numpy supports; no output has so many."""

WRONG_CALL = re.compile(r"missing \d+ required|unexpected keyword argument|takes .*\d+ .*argument|is not callable")
"""Messages of Python about a call with the wrong arguments."""

Arrays = Mapping[str, np.ndarray]
Prepared = Callable[[Sequence[str], Arrays], Iterable[np.ndarray]]
"""A loaded model: from the names of outputs and the inputs by name to the outputs."""

Digests = list[tuple[str, np.ndarray, bytes]]
"""Names and arrays, with the digests that their bytes had."""


def check(array: np.ndarray) -> np.ndarray:
    """Return the array. Raises TypeError if it holds no numbers or has more than AXES axes."""
    if not holds_numbers(array.dtype):
        raise TypeError("an array of " + array.dtype.name)
    if array.ndim > AXES:
        raise TypeError(f"an array of {array.ndim} axes, more than {AXES}")
    return array


def holds_numbers(dtype: np.dtype[Any]) -> bool:
    """Return True for the number types of numpy and ml_dtypes; numpy has no kind for most of the latter."""
    return dtype.kind in "fiubc" or dtype.kind == "V" and not dtype.name.startswith("void")


def element_type(name: str) -> np.dtype[Any]:
    """Return the type of a name. Raises ImportError for one of ml_dtypes where that is not installed."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return dtype


def encode(array: Any, data: list[np.ndarray]) -> dict[str, Any]:
    """Return an array as JSON; append its bytes, little-endian, to `data`. Texts stand in the JSON itself.

    The bytes are copied only where they must be. Raises TypeError as `check` does, UnicodeError for texts in bytes
    that are not UTF-8."""
    array = np.asarray(array)
    if array.dtype.kind in "OSUT" and array.ndim <= AXES:
        return {"dtype": STRING, "shape": array.shape, "data": texts_of(array)}
    array = check(array)
    if array.dtype.kind != "V":
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    data.append(bytes_of(array))
    return {"dtype": array.dtype.name, "shape": array.shape, "data": len(data) - 1}


def decode(message: Mapping[str, Any], data: Sequence[np.ndarray]) -> np.ndarray:
    """Return an array from JSON, in the memory of its bytes; texts as an array of objects."""
    if message["dtype"] == STRING:
        return np.array(message["data"], object).reshape(message["shape"])
    return check(data[message["data"]].view(element_type(message["dtype"])).reshape(message["shape"]))


def texts_of(array: np.ndarray) -> list[str]:
    """Return the elements of an array of texts. Raises TypeError if one is no text, UnicodeError."""
    texts = [item.decode() if isinstance(item, bytes) else item for item in array.reshape(-1).tolist()]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("an array of " + array.dtype.name)
    return texts


def bytes_of(array: np.ndarray) -> np.ndarray:
    """Return the bytes of an array, without a copy if possible."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def load_adapter(reference: str, provider: str = "") -> Any:
    """Return an instance of the adapter, wrapped if it follows onnx.backend.base.Backend.

    Raises SystemExit where there is no such module or class, and what these raise."""
    place, colon, name = reference.rpartition(":")
    place = place if colon else name
    if place.endswith(".py"):
        module = load_file(place)
    else:
        sys.path.insert(0, os.getcwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if error.name and (place + ".").startswith(error.name + "."):
                raise SystemExit("No module named '" + error.name + "' is installed here or in PYTHONPATH") from None
            raise
    if colon and not hasattr(module, name):
        raise SystemExit(place + " has no class " + name)
    adapter = getattr(module, name) if colon else module
    if hasattr(adapter, "prepare") and not hasattr(adapter, "version"):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_backend.py")
        return load_file(path).OnnxBackend(adapter, reference)
    if not colon:
        raise TypeError(reference + " has no prepare() as onnx.backend.base.Backend has; name a class as MODULE:CLASS")
    if not provider:
        return adapter()
    provider_name, _, options = provider.partition(":")
    return adapter(provider=provider_name, **dict(option.split("=", 1) for option in options.split(",") if option))


def load_file(path: str) -> Any:
    """Return the module in a file."""
    spec = importlib.util.spec_from_file_location("adapter_" + os.path.basename(path)[:-3], path)
    assert spec is not None and spec.loader is not None, path  # every path ends with .py
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def describe(adapter: Any) -> dict[str, Any]:
    """Return the adapter's description of itself. Raises SystemExit if it lacks what every adapter has."""
    for name in ("name", "version", "run"):
        if not hasattr(adapter, name):
            raise SystemExit("the class " + type(adapter).__name__ + " has no `" + name + "`; see "
                             "docs/plug-in-an-implementation.md")
    about = adapter.about() if hasattr(adapter, "about") else {}
    version = adapter.version() if callable(adapter.version) else adapter.version
    return {"name": str(adapter.name), "version": str(version),
            "about": {str(key): str(value) for key, value in about.items()},
            "reproduce": str(getattr(adapter, "reproduce", "")),
            "reproduce_as_set": str(getattr(adapter, "reproduce_as_set", "")),
            "specifications": list(getattr(adapter, "specifications", SPECIFICATIONS)),
            "capabilities": getattr(adapter, "capabilities", None),
            "contexts": [str(name) for name in getattr(adapter, "contexts", ())],
            "batch": int(getattr(adapter, "batch", BATCH)) if hasattr(adapter, "run_many") else 1,
            "not_implemented": [str(mark) for mark in getattr(adapter, "not_implemented", ())],
            "address_limit": bool(getattr(adapter, "address_limit", False)),
            "python": sys.version.split()[0], "numpy": np.__version__}


class Served:
    """An adapter with its last outputs, which no later call may overwrite."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.last_outputs: Digests = []

    def answer(self, message: Mapping[str, Any], data: list[np.ndarray]) -> tuple[str, list[np.ndarray]]:
        """Run a message; return the answer and its arrays' bytes.

        An exception of `run` is a refusal. Anything else that goes wrong with the adapter, or with what it gives, is
        reported as such."""
        sent: list[np.ndarray] = []
        body: Mapping[str, Any]
        try:
            requests = [types.SimpleNamespace(**{
                "settings": {}, "names": {}, **body, "model": data[body["model"]].tobytes(),
                "outputs": tuple(body["outputs"]),
                "inputs": Named({name: decode(array, data) for name, array in body["inputs"].items()},
                                body.get("names", {})),
                "attributes": {name: decode(value, data) if isinstance(value, dict) else value
                               for name, value in body["attributes"].items()}})
                for body in message["requests"]]
            data.clear()  # frees memory before the run
            body = {"answers": [self.run(requests[0], sent)]} if len(requests) == 1 else self.run_many(requests, sent)
            return json.dumps({"number": message["number"], "data": list(map(len, sent)), **body}), sent
        except MemoryError as error:
            body = {"memory": str(error)[:MESSAGE]}
        except ImportError as error:  # of the element type of an input
            body = {"answers": [refusal(error, None, None)] * len(message["requests"])}
        except Exception as error:
            body = {"failed": "the adapter gave what cannot be sent: " + type(error).__name__ + ": "
                    + str(error)[:MESSAGE]}
        return json.dumps({"number": message["number"], "data": [], **body}), []

    def run(self, request: Any, data: list[np.ndarray]) -> dict[str, Any]:
        """Run one request; append the bytes of arrays to `data`."""
        gap, before = gap_of(self.adapter, request), digests_of(request.inputs)
        try:
            outputs = run_with_settings(self.adapter, request)
        except MemoryError:
            raise
        except Exception as error:  # whatever the adapter raises is a refusal
            outputs = error
        return self.described(request, gap, outputs, self.harm(before, [outputs]), data)

    def run_many(self, requests: Sequence[Any], data: list[np.ndarray]) -> dict[str, Any]:
        """Run a batch; return the answers, or one for all."""
        gaps = [gap_of(self.adapter, request) for request in requests]
        digests = [digests_of(request.inputs) for request in requests]
        try:
            answers = self.adapter.run_many(requests)
        except MemoryError:
            raise
        except Exception as error:
            return refusal(error, None, None)
        if not isinstance(answers, (list, tuple)) or len(answers) != len(requests):
            count = len(answers) if isinstance(answers, (list, tuple)) else "a " + type(answers).__name__
            return {"failed": f"the adapter answered {count} to a batch of {len(requests)} calls"}
        earlier = self.harm([], answers)
        harms = [self.harm(before, None) or earlier for before in digests]
        return {"answers": [self.described(*each, data) for each in zip(requests, gaps, answers, harms, strict=True)]}

    def harm(self, inputs: Digests, answers: Sequence[Any] | None) -> str | None:
        """Describe overwritten inputs and earlier outputs, if any.

        Earlier outputs are checked, and replaced by those of `answers`, unless that is None."""
        damage = ["the input " + name + " was overwritten" for name, array, digest in inputs
                  if digest_of(array) != digest]
        if answers is not None:
            damage += ["the output " + name + " of the call before was overwritten"
                       for name, array, digest in self.last_outputs if digest_of(array) != digest]
            self.last_outputs = [entry for outputs in answers if isinstance(outputs, dict)
                                 for entry in digests_of(outputs) if entry[1].nbytes <= WATCHED]
        return "; ".join(damage) or None

    def described(self, request: Any, gap: str | None, outputs: Any, harm: str | None, data: list[np.ndarray]
                  ) -> dict[str, Any]:
        """Return what `run` gave or raised as an answer."""
        if isinstance(outputs, Exception):
            return refusal(outputs, gap, harm, self.adapter)
        if not isinstance(outputs, dict):
            return {"failed": "the adapter answered a " + type(outputs).__name__ + ", not outputs by name"}
        provider = str(self.adapter.provider(request)) if hasattr(self.adapter, "provider") else None
        try:
            encoded = {name: encode(array, data) for name, array in by_own_names(outputs, request).items()}
        except (TypeError, UnicodeError) as error:
            return {"failed": "the adapter gave what cannot be sent: " + type(error).__name__ + ": " + str(error)}
        return {"outputs": encoded, "gap": gap, "provider": provider, "harm": harm}


class Named(dict):  # type: ignore[type-arg]  # this file runs alone, in old versions of Python too
    """Arrays by the names of a specification, which are found by those of ONNX's schema too."""

    def __init__(self, arrays: Mapping[str, Any], names: Mapping[str, str]) -> None:
        super().__init__(arrays)
        self.names = names

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or dict.__contains__(self, self.names.get(name))  # type: ignore[call-overload]

    def __missing__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self[self.names[name]]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the array of that name, or the default."""
        return self[name] if name in self else default


def by_own_names(outputs: Mapping[str, Any], request: Any) -> dict[str, Any]:
    """Return outputs by the names of the specification, if they have those of ONNX's schema."""
    return {str(name if name in request.outputs else request.names.get(name, name)): array
            for name, array in outputs.items()}


def run_with_settings(adapter: Any, request: Any) -> Any:
    """Run a request with the settings "layout" and "before".

    "before" runs other inputs first, through one loaded model where the adapter has `prepare`."""
    if "layout" in request.settings:
        lay_out = {"strided": strided, "channels-last": channels_last}[request.settings["layout"]]
        request.inputs = Named({name: lay_out(array) for name, array in request.inputs.items()}, request.names)
    before = request.settings.get("before")
    if not before:
        return adapter.run(request)
    others = Named({name: other_values(array, before == "larger") for name, array in request.inputs.items()},
                   request.names)
    if not hasattr(adapter, "prepare"):
        try:
            adapter.run(types.SimpleNamespace(**{**vars(request), "inputs": others}))
        except Exception:  # the other call may be outside the domain
            pass
        return adapter.run(request)
    run = adapter.prepare(request.model)
    try:
        run(list(request.outputs), others)
    except Exception:  # likewise
        pass
    return dict(zip(request.outputs, run(list(request.outputs), dict(request.inputs)), strict=True))


def strided(array: np.ndarray) -> np.ndarray:
    """Return the same values with a gap after each in memory."""
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    return wide[..., 0]


def channels_last(array: np.ndarray) -> np.ndarray:
    """Return the same values with the second axis last in memory."""
    if array.ndim < 2:
        return array
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)


def other_values(array: np.ndarray, larger: bool) -> np.ndarray:
    """Return the values in reverse; if `larger`, followed by the originals."""
    reverse = np.ascontiguousarray(array.reshape(-1)[::-1].reshape(array.shape))
    return np.concatenate([reverse, array]) if larger and array.ndim else reverse


def digests_of(arrays: Mapping[str, Any]) -> Digests:
    """Return arrays by name, each with a digest of its bytes."""
    return [(name, array, digest_of(array)) for name, array in arrays.items()
            if isinstance(array, np.ndarray) and not array.dtype.hasobject]


def digest_of(array: np.ndarray) -> bytes:
    """Return a digest of the bytes; smaller than a copy."""
    return hashlib.blake2b(bytes_of(array).data).digest()


def gap_of(adapter: Any, request: Request) -> str | None:
    """Return the gap that the adapter declares for a request."""
    gap = adapter.gap(request) if hasattr(adapter, "gap") else None
    return str(gap) if gap else None


def refusal(error: Exception, gap: str | None, harm: str | None, adapter: Any = None) -> dict[str, Any]:
    """Return an exception as an answer.

    Its `gap`, where it has one, says which declared limit the call exceeds."""
    phase, own_gap = getattr(error, "phase", "run"), getattr(error, "gap", None)
    return {"error": {"phase": phase if phase in ("check", "load", "run") else "run", "type": type(error).__name__,
                      "message": cut(str(error)), "own": mistake_in(adapter, error)},
            "gap": own_gap if isinstance(own_gap, str) else gap, "harm": harm}


def mistake_in(adapter: Any, error: Exception) -> str:
    """Return file, line and source where the adapter's own code failed by mistake, or "".

    What a `raise` raises is a refusal, and so is what comes from below the adapter's file, or from compiled code that
    it calls."""
    trace = error.__traceback__
    # a module whose functions come from its __getattr__, such as numpy, raises there for a mistyped name
    while (trace is not None and trace.tb_next is not None
           and trace.tb_next.tb_frame.f_code is not Named.__missing__.__code__
           and not (trace.tb_next.tb_frame.f_code.co_name == "__getattr__" and trace.tb_next.tb_next is None)):
        trace = trace.tb_next
    own = getattr(getattr(type(adapter), "run", None), "__code__", None)
    if trace is None or own is None or trace.tb_frame.f_code.co_filename != own.co_filename:
        return ""
    code, number = trace.tb_frame.f_code, trace.tb_lineno
    operation = dis.opname[code.co_code[trace.tb_lasti]]
    kinds = (KeyError, NameError) if "CALL" in operation else (AttributeError, LookupError, NameError, TypeError)
    is_mistake = isinstance(error, kinds) or isinstance(error, TypeError) and WRONG_CALL.search(str(error))
    if operation == "RAISE_VARARGS" or not is_mistake:
        return ""
    source = linecache.getline(code.co_filename, number).strip()
    return f"{os.path.basename(code.co_filename)}:{number}: {source}"


def cut(text: str) -> str:
    """Return a text, of a long one its beginning and end."""
    if len(text) <= MESSAGE:
        return text
    half = MESSAGE // 2
    return f"{text[:half]} ({len(text) - 2 * half} characters are left out) {text[-half:]}"


def main() -> None:
    """Serve requests until the pipe is closed."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path.pop(0)  # the folder of this file: a runtime must not import the suite's modules by their short names

    def send(text: str, data: Sequence[np.ndarray] = ()) -> None:
        outgoing.write(text.encode() + b"\n")
        for part in data:
            outgoing.write(part.data)
        outgoing.flush()

    def read(size: int) -> np.ndarray:
        part = np.empty(size, np.uint8)
        if incoming.readinto(part.data) != size:
            raise EOFError("the pipe was closed within a message")
        return part

    try:
        served = Served(load_adapter(*sys.argv[1:3]))
        ready = json.dumps({"ready": describe(served.adapter), "data": []})
    except Exception as error:  # of the adapter's own code: the last lines of stderr are shown to its author
        frame = [frame for frame in traceback.extract_tb(error.__traceback__)
                 if not frame.filename.startswith("<frozen")][-1]
        try:
            said = str(error)
        except Exception:  # of the exception's own code
            said = "its text cannot be made"
        print(frame.filename + ":" + str(frame.lineno) + ": " + type(error).__name__ + ": " + said, file=sys.stderr)
        raise SystemExit(1) from None
    send(ready)
    for line in incoming:
        message = json.loads(line)
        data = [read(size) for size in message["data"]]
        send(json.dumps({"reading": message["number"], "data": []}))
        send(*served.answer(message, data))


if __name__ == "__main__":
    main()
