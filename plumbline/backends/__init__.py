"""Backends: adapters, one file for each implementation, and hosts that run them.

An adapter is one class. It needs `name`, `version()` and `run(request)`; the rest has defaults:

    class MyRuntime:
        name = "my-runtime"
        requirements = ("my-runtime",)      # packages of a private environment; ==VERSION applies to the first
        specifications = ("sonnx/*", "onnx/*")                                  # the specifications it supports
        capabilities = [{"operators": ["MaxPool"], "dtypes": ["float32"]}]      # the calls it supports; default all
        def version(self): return "1.0"
        def run(self, request): return {"Y": ..., "Indices": ...}

`request` has `model` (bytes of an ONNX model of one node), `operator`, `attributes`, `opset`, `inputs` (name to array),
`outputs` (the names asked for), `time_limit` (seconds) and `specification`; see `Request`. An adapter refuses a call by
raising an exception. If it refuses while checking or loading the model, it sets `phase` ("check" or "load") on the
exception. If it learns only then that the call is beyond what the runtime declares, it sets `gap`, a text, on it.

It declares its limits as data, `capabilities` (see `backends.capabilities`), or, where data do not suffice, by
`gap(request) -> str | None`. A refusal outside the declared capabilities is `unsupported` instead of `rejects-valid`.
Such calls run all the same; answers to them are judged and reported. `requirements`, `specifications` and
`capabilities` are literals, which may use lists that the file names before them: they are read without the runtime.

`contexts` names the contexts that it takes (`cases.onnx.contexts`); `request.settings` has the settings of some.

`run_many(requests)` may take up to `batch` calls of one opset at once; it returns a list with the outputs of each, or
its exception. A batch that fails is split until the failing call is alone, which goes to `run`.

`prepare(model)` may load a model for several inputs: it returns a function from the names of outputs and the inputs by
name to the list of outputs. Campaigns inside one process use it.

`about()` may add other descriptions (name to text), with the requested provider as "provider"; `provider(request)`,
called after the run, returns the one that computed. `reproduce` holds Python lines that run a `model` (an
onnx.ModelProto) on `inputs` (arrays by name; `x` is a single input) and set `got`, the list of `outputs`; reports offer
them to copy. `reproduce_as_set` holds lines that also apply `settings`, a dict such as `request.settings`, in which
"before" has other inputs that run first.

A backend can also be a module or class that follows onnx.backend.base.Backend (`backends.onnx_backend`), or a
command-line program, started for each call (`backends.program`) or once (`backends.stdio`).
"""

from plumbline.backends.capabilities import CapabilityError, is_asked
from plumbline.backends.declarations import BackendError, adapter_names
from plumbline.backends.declared_limits import Asking
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.in_process import InProcess
from plumbline.backends.outcomes import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.process import MEMORY_LIMIT, Worker
from plumbline.backends.registry import Backend, find_backend
from plumbline.backends.request import Request, to_request

__all__ = ["MEMORY_LIMIT", "Answered", "Asking", "Backend", "BackendError", "CapabilityError", "Crashed", "Failed",
           "Host", "Hung", "InProcess", "Outcome", "Raised", "Request", "StartError", "Worker", "adapter_names",
           "find_backend", "is_asked", "to_request"]
