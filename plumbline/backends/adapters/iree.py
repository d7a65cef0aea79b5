"""Adapter for IREE: its ONNX importer, CPU compiler (LLVM) and runtime.

Models are imported as by the tool iree-import-onnx: ONNX's checker, ONNX's shape inference, then one function for the
graph. The functions of a batch are compiled as one module; those that the compiler refuses are compiled again, each by
itself. IREE returns integers as signless: their bits are read as the type that the model declares.
"""

from __future__ import annotations

import os
import re
import tempfile
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import iree.runtime
import numpy as np
import onnx
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras.onnx_importer import ModelInfo, NodeImporter
from iree.compiler.ir import Context

if TYPE_CHECKING:
    from plumbline.backends.request import Request

FLAGS = ("--iree-input-type=onnx", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic")
DOUBLE = "--iree-input-demote-f64-to-f32=false"
"""Keeps float64, which the compiler demotes to float32 by default; it breaks other calls."""

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

CONSTANT = re.compile(r'^ +(\S+: "0x[0-9A-F]+")', re.M)
"""A constant in the text of a module, after its functions."""

Function = tuple[str, list[str]]
"""The text of a function, and the lines of its constants."""

COMPLAINT = re.compile(r"^[^\s:]+:(\d+):\d+: error:", re.M)
"""An error message on a line of the module."""


class CompileError(RuntimeError):
    """The compiler's first message, and the `lines` that it refuses."""

    phase = "load"

    def __init__(self, messages: str) -> None:
        super().__init__(messages.strip().partition("\n")[0])
        self.lines = [int(number) for number in COMPLAINT.findall(messages)]


class Iree:
    """One function for each call."""

    name = "iree"
    requirements = ("iree-base-compiler[onnx]", "iree-base-runtime")
    address_limit = True
    megabytes = 500
    # The operators that are declared below. Of the others it has Gemm, ArgMax, Reshape, Slice, Unsqueeze and functions,
    # whose faults nobody has listed; Softmax may take minutes.
    specifications = ("*onnx/a[bdv]*", "*onnx/c*", "*onnx/div*", "*onnx/flatten*", "*onnx/less*", "*onnx/m*",
                      "*onnx/relu*", "*onnx/shape*", "*onnx/sub*", "*onnx/where*")
    capabilities = [
        # torch-mlir, which lowers ONNX for IREE, registers each operator from one version on (TorchOnnxToTorch). IREE's
        # guide to ONNX has older models upgraded before. It registers those of the 34 that are left out here as well.
        {"operators": ["MaxPool"], "opsets": [12, None]},
        {"operators": ["AveragePool"]},
        {"operators": ["Conv"], "dtypes": [*FLOATS, "bfloat16"]},
        {"operators": ["MatMul"], "dtypes": [*FLOATS, "int32", "int64", "uint32", "uint64"]},
        {"operators": ["Add", "Div", "Mul", "Sub"], "opsets": [7, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Abs", "Relu"], "opsets": [6, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Max", "Min"], "opsets": [8, None], "dtypes": [*FLOATS, *INTEGERS]},
        # Of opset 6 with max and no min the compiler ends the process.
        {"operators": ["Clip"], "opsets": [11, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Less"], "opsets": [13, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": [*FLOATS, *INTEGERS, "bool"]}}},
        {"operators": ["Flatten"], "opsets": [11, None], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Shape"], "opsets": [13, None], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Concat"], "opsets": [11, None], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
    ]
    contexts = ("open-sizes", "constants", "weights", "transposed", "cast", "neighbours")
    batch = 8  # a batch that crashes is split, and each half compiled again
    reproduce = """import iree.compiler
import iree.runtime
import onnx
from iree.compiler.extras.onnx_importer import ModelInfo, NodeImporter
from iree.compiler.ir import Context

info = ModelInfo(onnx.shape_inference.infer_shapes(model, data_prop=True))
module = info.create_module(context=Context()).operation
NodeImporter.define_function(info.main_graph, module).import_all()
flags = ["--iree-llvmcpu-target-cpu=generic"]
if "f64" in str(module):
    flags.append("--iree-input-demote-f64-to-f32=false")
compiled = iree.compiler.compile_str(str(module), input_type="onnx", target_backends=["llvm-cpu"], extra_args=flags)
loaded = iree.runtime.load_vm_flatbuffer(compiled, driver="local-sync")
found = loaded[model.graph.name](*inputs.values())
got = [array.to_host() for array in (found if len(outputs) > 1 else [found])]  # integers without their sign"""

    def __init__(self) -> None:
        self.sessions = {False: Session(), True: Session()}
        self.sessions[False].set_flags(*FLAGS)
        self.sessions[True].set_flags(*FLAGS, DOUBLE)

    def version(self) -> str:
        """Return the version of the runtime's package, and so of the compiler."""
        return version("iree-base-runtime")

    def about(self) -> dict[str, str]:
        """Return flags and driver."""
        return {"flags": " ".join(FLAGS), "flag for float64": DOUBLE, "driver": "local-sync"}

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name. Raises what the importer raises, or what the compiler says, with the phase."""
        outcome, = self.run_many([request])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run_many(self, requests: list[Request]) -> list[dict[str, Any] | Exception]:
        """Return the outputs of each request, or its exception.

        Raises CompileError if the compiler refuses several at once and does not say which."""
        outcomes: dict[int, dict[str, Any] | Exception] = {}
        texts: dict[bool, dict[int, Function]] = {False: {}, True: {}}
        context = Context()  # one for all: it gives each constant a name of its own
        for number, request in enumerate(requests):
            try:
                function = _function(request, number, context)
                texts["f64" in function[0]][number] = function
            except Exception as error:
                error.phase = "load"
                outcomes[number] = error
        for double, functions in texts.items():
            for number, function in self._functions(functions, self.sessions[double]).items():
                outcomes[number] = (function if isinstance(function, Exception)
                                    else _call(function, requests[number]))
        return [outcomes[number] for number in range(len(requests))]

    def _functions(self, texts: dict[int, Function], session: Any) -> dict[int, Any]:
        """Return for each text its loaded function, or the compiler's exception."""
        if not texts:
            return {}
        try:
            constants = ",\n".join(line for _, lines in texts.values() for line in lines)
            loaded = self._load("\n".join([
                "module @all {", *(text for text, _ in texts.values()), "}",
                "{-# dialect_resources: { builtin: {", constants, "} } #-}"]), session)
            return {number: loaded[f"call_{number}"] for number in texts}
        except CompileError as error:
            if len(texts) == 1:
                return dict.fromkeys(texts, error)
            blamed = _blamed(texts, error.lines)
            if not blamed:
                raise
        functions = self._functions({number: text for number, text in texts.items() if number not in blamed}, session)
        for number in blamed:
            functions |= self._functions({number: texts[number]}, session)
        return functions

    def _load(self, text: str, session: Any) -> Any:
        """Compile and load a module; return its functions.

        text:    the module in MLIR; `session` is of the compiler. Raises CompileError."""
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        with tempfile.TemporaryFile() as messages:
            stderr = os.dup(2)
            os.dup2(messages.fileno(), 2)  # the compiler writes its messages to stderr alone
            try:
                compiled = (invocation.parse_source(Source.wrap_buffer(session, text.encode() + b"\0"))
                            and invocation.execute())
            finally:
                os.dup2(stderr, 2)
                os.close(stderr)
            if not compiled:
                messages.seek(0)
                raise CompileError(messages.read().decode(errors="replace"))
        output = Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        system = iree.runtime.SystemContext(config=iree.runtime.Config("local-sync"))
        system.add_vm_module(iree.runtime.VmModule.copy_buffer(system.instance, bytes(output.map_memory())))
        return system.modules["all"]


def _function(request: Request, number: int, context: Any) -> Function:
    """Import a request as the function call_NUMBER. Raises what the checker or the importer raises."""
    model = onnx.load_model_from_string(request.model)
    model.graph.name = f"call_{number}"
    onnx.checker.check_model(model)
    info = ModelInfo(onnx.shape_inference.infer_shapes(model, data_prop=True))
    module = info.create_module(context=context).operation
    NodeImporter.define_function(info.main_graph, module).import_all()
    return "\n".join(map(str, module.regions[0].blocks[0].operations)), CONSTANT.findall(str(module))


def _blamed(texts: dict[int, Function], lines: list[int]) -> set[int]:
    """Return the numbers of the texts that contain these lines of the module.

    The module has one line before the first text."""
    owners = [number for number, (text, _) in texts.items() for _ in text.split("\n")]
    return {owners[line - 2] for line in lines if 1 < line <= len(owners) + 1}


def _call(function: Any, request: Request) -> dict[str, Any] | Exception:
    """Return the outputs by name, or the exception of the function."""
    try:
        results = function(*request.inputs.values())
        declared = onnx.load_model_from_string(request.model).graph.output
        return {name: _array(array, onnx.helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type))
                for name, array, output in zip(request.outputs, [results] if len(request.outputs) == 1 else results,
                                               declared, strict=True)}
    except Exception as error:
        return error


def _array(array: Any, declared: np.dtype[Any]) -> np.ndarray:
    """Return a copy with its sign, independent of the runtime's memory."""
    copied = np.array(array.to_host())
    both = copied.dtype.kind in "iu" and declared.kind in "iu" and copied.itemsize == declared.itemsize
    return copied.view(declared) if both else copied
