"""The process that an adapter lives in. Started by its path, in any environment that has numpy and the runtime.

It imports nothing of the suite but the adapter. Messages travel over the pipes it is started with: a line of JSON, and
behind it the bytes of its arrays and models, as they are in memory. "data" of the line says how many each has; where an
array stands, the line has {"dtype", "shape", "data"}, and "data" is its place among them, as "model" is. What the
adapter prints goes to stderr, never between the messages.

    start:   {"ready": {"name", "version", "about", "reproduce", "specifications", "capabilities", "contexts", "batch",
             "python", "numpy", "address_limit", "not_implemented"}}
    request: {"number", "requests": [{"model", "operator", "attributes", "opset", "inputs", "outputs", "time_limit",
             "specification", "settings"}, ...], "data"}; the settings only where there are some
    when it was read: {"reading": number, "data"}
    answer:  {"number", "answers": [...], "data"}, one for each request, or one of the following three for all of them
    each is  {"outputs": {...}, "gap", "provider", "harm"}, {"error": {"phase", "type", "message"}, "gap", "harm"} for a
             refusal, {"memory": why} when there was not enough, {"failed": why} when the adapter gave what is not
             outputs. "harm" says what the call overwrote: an input, or an output that was handed out before.

Usage: python worker.py ADAPTER, where ADAPTER is path/to/file.py:Class, package.module:Class, or a module or class that
follows onnx.backend.base.Backend.
"""

import hashlib
import importlib
import importlib.util
import json
import os
import sys
import types

import numpy as np

SPECIFICATIONS = ("sonnx/*", "onnx/*")
"""What an adapter can be asked about when it does not say."""

BATCH = 64
"""How many calls an adapter with `run_many` takes at once when it does not say."""

MESSAGE = 3400
"""Characters of a message of an exception that are sent."""

HELD = 1 << 22
"""Bytes of an output that is held until the next call, to see whether that overwrites it."""

AXES = 32
"""As many as every version of numpy can look at; no output has so many."""


def check(array):
    """The same array. Raises TypeError for what is not one of numbers with at most AXES axes."""
    if not holds_numbers(array.dtype):
        raise TypeError("an array of " + array.dtype.name)
    if array.ndim > AXES:
        raise TypeError(f"an array of {array.ndim} axes, more than {AXES}")
    return array


def holds_numbers(dtype):
    """Whether a type is one of numbers: of numpy, or of ml_dtypes, most of whose types numpy knows no kind for."""
    return dtype.kind in "fiubc" or dtype.kind == "V" and not dtype.name.startswith("void")


def element_type(name):
    """The type of a name. Raises ImportError for one of ml_dtypes where that is not installed."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def encode(array, data):
    """An array as JSON; its bytes, little-endian and not copied where they need not be, join `data`. Raises TypeError
    for what is not an array as in `check`."""
    array = check(np.asarray(array))
    if array.dtype.kind != "V":
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    data.append(bytes_of(array))
    return {"dtype": array.dtype.name, "shape": array.shape, "data": len(data) - 1}


def decode(message, data):
    """An array from JSON and the bytes that came with it, whose memory it is."""
    return check(data[message["data"]].view(element_type(message["dtype"])).reshape(message["shape"]))


def bytes_of(array):
    """The bytes of an array, as an array with one axis; in the same memory where that is contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def load_adapter(reference):
    """An adapter: an instance of the class that is named, or one around what follows onnx.backend.base.Backend. Raises
    SystemExit where there is no such module or class, and what these raise."""
    place, colon, name = reference.rpartition(":")
    place = place if colon else name
    if place.endswith(".py"):
        module = load_file(place)
    else:
        sys.path.insert(0, os.getcwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if (place + ".").startswith(error.name + "."):
                raise SystemExit("No module named '" + error.name + "' is installed here or in PYTHONPATH") from None
            raise
    if colon and not hasattr(module, name):
        raise SystemExit(place + " has no class " + name)
    named = getattr(module, name) if colon else module
    if hasattr(named, "prepare") and not hasattr(named, "version"):
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_backend.py")
        return load_file(beside).OnnxBackend(named, reference)
    if not colon:
        raise TypeError(reference + " has no prepare() as onnx.backend.base.Backend has; name a class as MODULE:CLASS")
    return named()


def load_file(path):
    """The module of a file."""
    spec = importlib.util.spec_from_file_location("adapter_" + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def describe(adapter):
    """What an adapter says of itself."""
    about = adapter.about() if hasattr(adapter, "about") else {}
    return {"name": str(adapter.name), "version": str(adapter.version()),
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
    """An adapter, and what it handed out last: neither that nor an input may change behind the back of the caller."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.handed = []

    def answer(self, message, data):
        """Runs what is requested; the answer as JSON, and the bytes of its arrays. An exception of `run` is a refusal;
        anything else that goes wrong with the adapter, or with what it gives, is reported as such."""
        found = []
        try:
            requests = [types.SimpleNamespace(**{
                "settings": {}, **body, "model": data[body["model"]].tobytes(), "outputs": tuple(body["outputs"]),
                "inputs": {name: decode(array, data) for name, array in body["inputs"].items()}})
                for body in message["requests"]]
            data.clear()  # what is large is here no longer than it must be
            body = {"answers": [self.run(requests[0], found)]} if len(requests) == 1 else self.run_many(requests, found)
            text = json.dumps({"number": message["number"], "data": list(map(len, found)), **body})
            return text, found
        except MemoryError as error:
            body = {"memory": str(error)[:MESSAGE]}
        except ImportError as error:  # of the element type of an input
            body = {"answers": [refusal(error, None, None)] * len(message["requests"])}
        except Exception as error:
            body = {"failed": "the adapter gave what cannot be sent: " + type(error).__name__ + ": "
                    + str(error)[:MESSAGE]}
        return json.dumps({"number": message["number"], "data": [], **body}), []

    def run(self, request, data):
        """The answer to one request; the bytes of its arrays join `data`."""
        gap, kept = gap_of(self.adapter, request), keep(request.inputs)
        try:
            given = run_as_set(self.adapter, request)
        except MemoryError:
            raise
        except Exception as error:  # a refusal is data: whatever the adapter raises is reported
            given = error
        return self.described(request, gap, given, self.harm(kept, [given]), data)

    def run_many(self, requests, data):
        """The answers to a batch, or what became of it as a whole; the bytes of their arrays join `data`."""
        gaps, kept = [gap_of(self.adapter, request) for request in requests], [keep(each.inputs) for each in requests]
        try:
            given = self.adapter.run_many(requests)
        except MemoryError:
            raise
        except Exception as error:
            return refusal(error, None, None)
        if not isinstance(given, (list, tuple)) or len(given) != len(requests):
            count = len(given) if isinstance(given, (list, tuple)) else "a " + type(given).__name__
            return {"failed": f"the adapter answered {count} to a batch of {len(requests)} calls"}
        before = self.harm([], given)
        harms = [self.harm(inputs, None) or before for inputs in kept]
        return {"answers": [self.described(*each, data) for each in zip(requests, gaps, given, harms, strict=True)]}

    def harm(self, kept, given):
        """What was overwritten: of inputs, as `keep` kept them; and of what was handed out before. `given`, None where
        it stays as it is, is what is handed out now."""
        found = ["the input " + name + " was overwritten" for name, array, digest in kept if digest_of(array) != digest]
        if given is None:
            return "; ".join(found) or None
        found += ["the output " + name + " of the call before was overwritten" for name, array, digest in self.handed
                  if digest_of(array) != digest]
        self.handed = [entry for outputs in given if isinstance(outputs, dict) for entry in keep(outputs)
                       if entry[1].nbytes <= HELD]
        return "; ".join(found) or None

    def described(self, request, gap, given, harm, data):
        """What `run` gave or raised, as a message."""
        if isinstance(given, Exception):
            return refusal(given, gap, harm)
        if not isinstance(given, dict):
            return {"failed": "the adapter answered a " + type(given).__name__ + ", not outputs by name"}
        provider = str(self.adapter.provider(request)) if hasattr(self.adapter, "provider") else None
        try:
            outputs = {str(name): encode(array, data) for name, array in given.items()}
        except TypeError as error:
            return {"failed": "the adapter gave what cannot be sent: TypeError: " + str(error)}
        return {"outputs": outputs, "gap": gap, "provider": provider, "harm": harm}


def run_as_set(adapter, request):
    """What the adapter gives, with the settings that are kept here. An adapter without `prepare` runs a request twice
    instead of a model."""
    if "layout" in request.settings:
        lay_out = {"strided": strided, "channels-last": channels_last}[request.settings["layout"]]
        request.inputs = {name: lay_out(array) for name, array in request.inputs.items()}
    before = request.settings.get("before")
    if not before:
        return adapter.run(request)
    others = {name: other_values(array, before == "larger") for name, array in request.inputs.items()}
    if not hasattr(adapter, "prepare"):
        try:
            adapter.run(types.SimpleNamespace(**{**vars(request), "inputs": others}))
        except Exception:  # the other call may be outside the domain
            pass
        return adapter.run(request)
    run = adapter.prepare(request.model)
    try:
        run(list(request.outputs), others)
    except Exception:  # the same
        pass
    return dict(zip(request.outputs, run(list(request.outputs), dict(request.inputs)), strict=True))


def strided(array):
    """The same values, each with another between it and the next."""
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    return wide[..., 0]


def channels_last(array):
    """The same values, with the second axis last in memory."""
    if array.ndim < 2:
        return array
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)


def other_values(array, larger):
    """The values in the opposite order; twice as many along the first axis of a `larger` array."""
    found = np.ascontiguousarray(array.reshape(-1)[::-1].reshape(array.shape))
    return np.concatenate([found, array]) if larger and array.ndim else found


def keep(arrays):
    """Arrays by name, each with a digest of its bytes."""
    return [(name, array, digest_of(array)) for name, array in arrays.items()
            if isinstance(array, np.ndarray) and not array.dtype.hasobject]


def digest_of(array):
    """Tells other bytes, in less memory than a copy."""
    return hashlib.blake2b(bytes_of(array)).digest()


def gap_of(adapter, request):
    """The gap that the adapter declares for a request, None when it declares none."""
    gap = adapter.gap(request) if hasattr(adapter, "gap") else None
    return str(gap) if gap else None


def refusal(error, gap, harm):
    """An exception as a message."""
    phase = getattr(error, "phase", "run")
    return {"error": {"phase": phase if phase in ("check", "load", "run") else "run", "type": type(error).__name__,
                      "message": cut(str(error))}, "gap": gap, "harm": harm}


def cut(text):
    """A text that may be long without its middle."""
    if len(text) <= MESSAGE:
        return text
    kept = MESSAGE // 2
    return f"{text[:kept]} ({len(text) - 2 * kept} characters are left out) {text[-kept:]}"


def main():
    """Serve requests until the pipe is closed."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path.pop(0)  # the folder of this file; a runtime must not find the suite's modules under its own name

    def send(text, data=()):
        outgoing.write(text.encode() + b"\n")
        for part in data:
            outgoing.write(part)
        outgoing.flush()

    def read(size):
        part = np.empty(size, np.uint8)
        if incoming.readinto(part) != size:
            raise EOFError("the pipe was closed within a message")
        return part

    served = Served(load_adapter(sys.argv[1]))
    identity = describe(served.adapter)
    send(json.dumps({"ready": identity, "data": []}))
    for line in incoming:
        message = json.loads(line)
        data = [read(size) for size in message["data"]]
        send(json.dumps({"reading": message["number"], "data": []}))
        send(*served.answer(message, data))


if __name__ == "__main__":
    main()
