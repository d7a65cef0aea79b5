"""Who is tried? Adapters, one file for each implementation, and the hosts that run them.

An adapter is one class. It needs `name`, `version()` and `run(request)`; the rest has defaults:

    class MyRuntime:
        name = "my-runtime"
        requirements = ("my-runtime",)      # packages of a private environment; the first takes the ==VERSION
        specifications = ("sonnx/*", "onnx/*")                                  # what it can be asked about
        capabilities = [{"operators": ["MaxPool"], "dtypes": ["float32"]}]      # and which calls; by default all
        def version(self): return "1.0"
        def run(self, request): return {"Y": ..., "Indices": ...}

`request` has `model` (bytes of an ONNX model of one node), `operator`, `attributes`, `opset`, `inputs` (name to array),
`outputs` (the names asked for), `time_limit` (seconds) and `specification`; see `Request`. An adapter refuses a call by
raising; where it knows that it refused while checking or loading the model, it sets `phase` ("check" or "load") on the
exception.

What it declares is data, `capabilities` (see `backends.capabilities`), and what data cannot say: `gap(request) -> str |
None`. A refusal of what it does not declare is `unsupported` instead of `rejects-valid`; such calls are tried all the
same, and answers to them judged as any other and reported. `requirements`, `specifications` and `capabilities` are
literals, in which lists that the file names above may stand, so that they can be read without the runtime.

`contexts` names the contexts that it takes (`cases.contexts`); `request.settings` says how to work in some of them.

`run_many(requests)` may take up to `batch` calls of one opset at once; it returns a list with the outputs of each, or
the exception instead. A batch that fails is split until the call that fails is found, which `run` is given.

`prepare(model)` may load a model for several inputs: it returns a function from the names of outputs and the inputs by
name to the list of outputs. Campaigns inside one process use it.

`about()` may add what else describes it (name to text), with the provider that it asks for as "provider";
`provider(request)`, called after the run, says which one computed. `reproduce` holds the Python lines that run a
`model` (an onnx.ModelProto) on `inputs` (arrays by name; `x` is the only one of a single input) and set `got`, the list
of `outputs`: reports offer them to copy. `reproduce_as_set` holds those that heed `settings`, a dict as
`request.settings` is, of which "before" holds other inputs that the model is given first.

Other ways in: a module or class that follows onnx.backend.base.Backend (`backends.onnx_backend`), and a command line
program, started for each call (`backends.program`) or once (`backends.stdio`).
"""

from plumbline.backends.capabilities import CapabilityError, is_asked
from plumbline.backends.declared_limits import Asking
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.in_process import InProcess
from plumbline.backends.outcomes import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.process import MEMORY_LIMIT, Worker
from plumbline.backends.registry import Backend, BackendError, adapter_names, find_backend
from plumbline.backends.request import Request, to_request

__all__ = ["MEMORY_LIMIT", "Answered", "Asking", "Backend", "BackendError", "CapabilityError", "Crashed", "Failed",
           "Host", "Hung", "InProcess", "Outcome", "Raised", "Request", "StartError", "Worker", "adapter_names",
           "find_backend", "is_asked", "to_request"]
