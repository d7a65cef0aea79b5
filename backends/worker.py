"""The process that an adapter lives in. Started by its path, in any environment that has numpy and the runtime.

It imports nothing of the suite but the adapter. Messages are lines of JSON over the pipes it is started with; arrays
travel as type, shape and base64 of their bytes. What the adapter prints goes to stderr, never between the messages.

    start:   {"ready": {"name", "version", "about", "reproduce", "python", "numpy"}}
    request: {"number", "model", "operator", "attributes", "opset", "inputs", "outputs", "time_limit"}
    answer:  {"number", "outputs": {...}, "gap"}, {"error": {"phase", "type", "message"}, "gap"} for a refusal,
             {"failed": why} when the adapter answered something that is not outputs

Usage: python worker.py ADAPTER, where ADAPTER is path/to/file.py:Class or package.module:Class.
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


def encode(array):
    """An array as JSON. Raises TypeError for what is not an array of real numbers."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        raise TypeError("an array of " + array.dtype.name)
    array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).reshape(array.shape)
    return {"dtype": array.dtype.name, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}


def decode(message):
    """An array from JSON, writable."""
    data = base64.b64decode(message["data"])
    return np.frombuffer(data, dtype=np.dtype(message["dtype"])).reshape(message["shape"]).copy()


def load_adapter(reference):
    """An instance of path/to/file.py:Class or package.module:Class."""
    place, _, name = reference.rpartition(":")
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location("adapter_" + os.path.basename(place)[:-3], place)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(place)
    return getattr(module, name)()


def describe(adapter):
    """What an adapter says of itself."""
    about = adapter.about() if hasattr(adapter, "about") else {}
    return {"name": str(adapter.name), "version": str(adapter.version()),
            "about": {str(key): str(value) for key, value in about.items()},
            "reproduce": str(getattr(adapter, "reproduce", "")), "python": sys.version.split()[0],
            "numpy": np.__version__}


def answer(adapter, message):
    """Runs one request; the answer as JSON text. An exception of `run` is a refusal, and anything else that goes wrong
    with the adapter or with what it gives is told as such."""
    try:
        return json.dumps({"number": message["number"], **run(adapter, message)})
    except Exception as error:
        return json.dumps({"number": message["number"], "failed": "the adapter gave what cannot be sent: "
                           + type(error).__name__ + ": " + str(error)})


def run(adapter, message):
    """The body of an answer."""
    request = types.SimpleNamespace(**{
        **message, "model": base64.b64decode(message["model"]), "outputs": tuple(message["outputs"]),
        "inputs": {name: decode(array) for name, array in message["inputs"].items()}})
    gap = adapter.gap(request) if hasattr(adapter, "gap") else None
    gap = str(gap) if gap else None
    try:
        outputs = adapter.run(request)
    except Exception as error:  # a refusal is data: whatever the adapter raises is reported
        phase = getattr(error, "phase", "run")
        return {"error": {"phase": phase if phase in ("check", "load", "run") else "run",
                          "type": type(error).__name__, "message": str(error)}, "gap": gap}
    if not isinstance(outputs, dict):
        return {"failed": "the adapter answered a " + type(outputs).__name__ + ", not outputs by name"}
    return {"outputs": {str(name): encode(array) for name, array in outputs.items()}, "gap": gap}


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
    send(json.dumps({"ready": describe(adapter)}))
    for line in incoming:
        send(answer(adapter, json.loads(line)))


if __name__ == "__main__":
    main()
