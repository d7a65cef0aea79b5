"""Who is tried? Adapters, one file for each implementation, and the hosts that run them.

An adapter is one class. It needs `name`, `version()` and `run(request)`; the rest has defaults:

    class MyRuntime:
        name = "my-runtime"
        requirements = ("my-runtime",)      # packages of a private environment; the first takes the ==VERSION
        def version(self): return "1.0"
        def run(self, request): return {"Y": ..., "Indices": ...}

`request` has `model` (bytes of an ONNX model of one node), `operator`, `attributes`, `opset`, `inputs` (name to array),
`outputs` (the names asked for) and `time_limit` (seconds); see `Request`. An adapter refuses a call by raising; where
it knows that it refused while checking or loading the model, it sets `phase` ("check" or "load") on the exception. A
gap that it declares beforehand, `gap(request) -> str | None`, makes a refusal `unsupported` instead of `rejects-valid`.
`about()` may add what else describes it (name to text), and `reproduce` the Python lines that run a `model` (an
onnx.ModelProto) on the array `x` and set `got`, the list of `outputs`: reports offer them to copy.
"""

from backends.hosts import Answered, Crashed, Failed, Host, Hung, InProcess, Outcome, Raised, StartError, Worker
from backends.registry import Backend, BackendError, adapter_names, find_backend
from backends.request import Request

__all__ = ["Answered", "Backend", "BackendError", "Crashed", "Failed", "Host", "Hung", "InProcess", "Outcome", "Raised",
           "Request", "StartError", "Worker", "adapter_names", "find_backend"]
