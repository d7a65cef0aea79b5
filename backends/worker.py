"""The process that an adapter lives in. Started by its path, in any environment that has numpy and the runtime.

It imports nothing of the suite but the adapter. Messages are lines of JSON over the pipes it is started with; arrays
travel as type, shape and base64 of their bytes. What the adapter prints goes to stderr, never between the messages.

    start:   {"ready": {"name", "version", "about", "reproduce", "specifications", "capabilities", "batch", "python",
             "numpy", "memory_limit"}}
    request: {"number", "requests": [{"model", "operator", "attributes", "opset", "inputs", "outputs", "time_limit",
             "specification"}, ...]}
    when it was read: {"reading": number}
    answer:  {"number", "answers": [...]}, one for each request, or one of the following three for all of them
    each is  {"outputs": {...}, "gap", "provider"}, {"error": {"phase", "type", "message"}, "gap"} for a refusal,
             {"memory": why} when there was not enough, {"failed": why} when the adapter gave what is not outputs

Usage: python worker.py ADAPTER MEBIBYTES, where ADAPTER is path/to/file.py:Class, package.module:Class, or a module or
class that follows onnx.backend.base.Backend, and MEBIBYTES limits what is used beyond what it needs to get ready.
"""

import base64
import importlib
import importlib.util
import json
import os
import sys
import threading
import time
import types

import numpy as np

SPECIFICATIONS = ("sonnx/*", "onnx/*")
"""What an adapter can be asked about when it does not say."""

BATCH = 64
"""How many calls an adapter with `run_many` takes at once when it does not say."""


def encode(array):
    """An array as JSON. Raises TypeError for what is not an array of real numbers."""
    array = np.asarray(array)
    if not is_real(array):
        raise TypeError("an array of " + array.dtype.name)
    array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).reshape(array.shape)
    return {"dtype": array.dtype.name, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}


def decode(message):
    """An array from JSON, writable."""
    data = base64.b64decode(message["data"])
    return np.frombuffer(data, dtype=element_type(message["dtype"])).reshape(message["shape"]).copy()


def is_real(array):
    """Whether elements are real numbers; bfloat16, for which numpy has no kind, is known by its name."""
    return array.dtype.kind in "fiub" or array.dtype.name == "bfloat16"


def element_type(name):
    """The numpy type of that name. Raises ImportError for bfloat16 where ml_dtypes is not installed."""
    if name == "bfloat16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


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
            "specifications": list(getattr(adapter, "specifications", SPECIFICATIONS)),
            "capabilities": getattr(adapter, "capabilities", None),
            "batch": int(getattr(adapter, "batch", BATCH)) if hasattr(adapter, "run_many") else 1,
            "python": sys.version.split()[0], "numpy": np.__version__}


def answer(adapter, message):
    """Runs what is requested; the answer as JSON text. An exception of `run` is a refusal, and anything else that goes
    wrong with the adapter or with what it gives is told as such."""
    try:
        requests = [types.SimpleNamespace(**{
            **body, "model": base64.b64decode(body["model"]), "outputs": tuple(body["outputs"]),
            "inputs": {name: decode(array) for name, array in body["inputs"].items()}})
            for body in message["requests"]]
        body = {"answers": [run(adapter, requests[0])]} if len(requests) == 1 else run_many(adapter, requests)
        return json.dumps({"number": message["number"], **body})
    except MemoryError as error:
        return json.dumps({"number": message["number"], "memory": str(error)})
    except Exception as error:
        return json.dumps({"number": message["number"], "failed": "the adapter gave what cannot be sent: "
                           + type(error).__name__ + ": " + str(error)})


def run(adapter, request):
    """The answer to one request."""
    gap = gap_of(adapter, request)
    try:
        given = adapter.run(request)
    except MemoryError:
        raise
    except Exception as error:  # a refusal is data: whatever the adapter raises is reported
        given = error
    return told(adapter, request, gap, given)


def run_many(adapter, requests):
    """The answers to a batch, or what became of it as a whole."""
    gaps = [gap_of(adapter, request) for request in requests]
    try:
        given = adapter.run_many(requests)
    except MemoryError:
        raise
    except Exception as error:
        return refusal(error, None)
    if not isinstance(given, (list, tuple)) or len(given) != len(requests):
        count = len(given) if isinstance(given, (list, tuple)) else "a " + type(given).__name__
        return {"failed": f"the adapter answered {count} to a batch of {len(requests)} calls"}
    return {"answers": list(map(told, [adapter] * len(given), requests, gaps, given))}


def gap_of(adapter, request):
    """The gap that the adapter declares for a request, None when it declares none."""
    gap = adapter.gap(request) if hasattr(adapter, "gap") else None
    return str(gap) if gap else None


def told(adapter, request, gap, given):
    """What `run` gave or raised, as a message."""
    if isinstance(given, Exception):
        return refusal(given, gap)
    if not isinstance(given, dict):
        return {"failed": "the adapter answered a " + type(given).__name__ + ", not outputs by name"}
    provider = str(adapter.provider(request)) if hasattr(adapter, "provider") else None
    try:
        outputs = {str(name): encode(array) for name, array in given.items()}
    except TypeError as error:
        return {"failed": "the adapter gave what cannot be sent: TypeError: " + str(error)}
    return {"outputs": outputs, "gap": gap, "provider": provider}


def refusal(error, gap):
    """An exception as a message."""
    phase = getattr(error, "phase", "run")
    return {"error": {"phase": phase if phase in ("check", "load", "run") else "run",
                      "type": type(error).__name__, "message": str(error)}, "gap": gap}


def limit_memory(mebibytes):
    """Lets the process map no more than so much beyond what it has; the limit, None where the system has none."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (mebibytes << 20), hard))
    except (ImportError, OSError, ValueError):
        return None
    return mebibytes


def end_with(parent):
    """Ends this process when the one that started it is gone, also while the adapter is busy."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main():
    """Serve requests until the pipe is closed."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path.pop(0)  # the folder of this file; a runtime must not find the suite's modules under its own name

    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

    def send(text):
        outgoing.write(text.encode() + b"\n")
        outgoing.flush()

    adapter = load_adapter(sys.argv[1])
    identity = describe(adapter)
    send(json.dumps({"ready": {**identity, "memory_limit": limit_memory(int(sys.argv[2]))}}))
    for line in incoming:
        message = json.loads(line)
        send(json.dumps({"reading": message["number"]}))
        send(answer(adapter, message))


if __name__ == "__main__":
    main()
