"""Adapter for emx-onnx-cgen: ONNX to C, compiled and called here.

The C compiler is `cc`, or what CC names.
The generated function takes the inputs and then the outputs of the graph, as arrays of fixed shape.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from emx_onnx_cgen import Compiler
from emx_onnx_cgen.compiler import CompilerOptions
from emx_onnx_cgen.errors import CompilerError

if TYPE_CHECKING:
    from plumbline.backends.request import Request

FLOATS = ["float16", "float32", "float64"]
NUMBERS = [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

Sizes = list[int | None]

Tensors = dict[str, tuple[Sizes, np.dtype[Any]]]
"""Shape and type of each input and output."""


class EmxOnnxCgen:
    """One C file and one shared library for each call."""

    name = "emx-onnx-cgen"
    requirements = ("emx-onnx-cgen",)
    address_limit = True
    megabytes = 125
    specifications = ("sonnx/*", "onnx/*")
    # What the generator says that it refuses is left out: its errors name the types. Before opset 7 the attributes of
    # broadcasting are not read. Sizes that ONNX's inference does not find it wants in the model ("Models that require
    # extra representative inputs to resolve dynamic shapes are not supported", README): those of Clip, LpPool, Max and
    # Min of version 1, and those that follow from the values of inputs, of Reshape, of Slice from opset 10 on, of
    # Unsqueeze from opset 13 on. Not every C compiler has bfloat16: gcc 12 does not know __bf16.
    capabilities = [
        {"operators": ["AveragePool", "MaxPool"], "dtypes": NUMBERS},
        {"operators": ["Conv", "Exp", "Log", "Relu", "Sigmoid", "Softmax", "Sqrt", "Tanh"], "dtypes": FLOATS},
        {"operators": ["LeakyRelu"], "dtypes": FLOATS, "attributes": {"consumed_inputs": []}},
        {"operators": ["Abs"], "dtypes": [*FLOATS, "int8", "int16", "int32", "int64"]},
        {"operators": ["Add", "Sub", "Mul", "Div", "Less", "Pow"], "opsets": [7, None], "dtypes": NUMBERS,
         "inputs": {"B": {"dtypes": NUMBERS}}},
        {"operators": ["Clip", "Max", "Min"], "opsets": [6, None], "dtypes": NUMBERS},
        {"operators": ["ArgMax", "MatMul"], "dtypes": NUMBERS},
        {"operators": ["Gemm"], "dtypes": FLOATS, "attributes": {"transA": [0, 1], "transB": [0, 1]}},
        {"operators": ["Gemm"], "dtypes": ["int32", "int64", "uint32", "uint64"],  # "alpha and beta must be integers"
         "attributes": {"transA": [0, 1], "transB": [0, 1], "alpha": [-1, 0, 1, 2], "beta": [-1, 0, 1, 2]}},
        {"operators": ["GlobalMaxPool"], "dtypes": FLOATS},
        {"operators": ["GlobalAveragePool"], "dtypes": FLOATS, "ranks": [1, 2, 3]},
        {"operators": ["LpPool"], "opsets": [2, None], "dtypes": FLOATS},
        {"operators": ["Concat", "Flatten", "Shape"], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Slice"], "opsets": [1, 9], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Unsqueeze"], "opsets": [1, 12], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": [*NUMBERS, "bool"]}}},
    ]
    contexts = ("constants", "weights", "transposed", "cast", "neighbours")
    batch = 64
    reproduce = """from emx_onnx_cgen.onnx_backend import prepare

got = prepare(model).run(list(inputs.values()))"""

    def __init__(self) -> None:
        # One for all: it keeps its templates. Constants stay in the C text, however large; others are to be loaded.
        self.generator = Compiler(CompilerOptions(large_weight_threshold=2**62))
        self.cc = os.environ.get("CC", "cc")
        self.folder = tempfile.TemporaryDirectory(prefix="plumbline-emx-")
        self.numbers = count()

    def version(self) -> str:
        """Return the version of the package."""
        return version("emx-onnx-cgen")

    def about(self) -> dict[str, str]:
        """Return the C compiler."""
        text = subprocess.run([self.cc, "--version"], capture_output=True, text=True, check=True).stdout
        return {"C compiler": text.splitlines()[0]}

    def run(self, request: Request) -> dict[str, Any]:
        """Run a request. Raises what generator and compiler raise."""
        outcome, = self.run_many([request])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run_many(self, requests: list[Request]) -> list[dict[str, Any] | Exception]:
        """Return the outputs of each request, or its exception.

        As many C compilers work at once as there are processors."""
        generated = [self._generate(request) for request in requests]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = list(pool.map(self._compile, generated))
        return [function if isinstance(function, Exception) else _call(*function, request)
                for function, request in zip(compiled, requests, strict=True)]

    def _generate(self, request: Request) -> tuple[str, Tensors] | Exception:
        """Return C text and tensors, or the generator's exception.

        request: its `model` is a serialised ONNX model.

        Unknown sizes of the model would be parameters of the C function. They are set before: to those that the
        generator infers, or, where it refuses these itself, to those that ONNX's inference finds."""
        try:
            model = onnx.load_model_from_string(request.model)
            outputs = onnx.shape_inference.infer_shapes(model).graph.output
            tensors = self.generator.shape_inference_report(model)["tensors"]
            inferred = {name: tensor["inferred"]["dims"] for name, tensor in tensors.items()}
            try:
                return self._sized(model, inferred)
            except CompilerError:
                of_onnx = {output.name: [size.dim_value if size.HasField("dim_value") else None
                                         for size in output.type.tensor_type.shape.dim] for output in outputs}
                if all(of_onnx[name] == inferred[name] or None in of_onnx[name] for name in of_onnx):
                    raise
                return self._sized(model, {**inferred, **of_onnx})
        except Exception as error:
            error.phase = "load"
            return error

    def _sized(self, model: onnx.ModelProto, shapes: dict[str, Sizes]) -> tuple[str, Tensors]:
        """Return the C text with the outputs of these shapes, and the tensors.

        Raises NotImplementedError for unknown sizes, which depend on values."""
        for output in model.graph.output:
            if None in shapes[output.name]:
                raise NotImplementedError(f"the generator finds no sizes of {output.name}: {shapes[output.name]}")
            output.CopyFrom(onnx.helper.make_tensor_value_info(output.name, output.type.tensor_type.elem_type,
                                                               shapes[output.name]))
        types = {tensor.name: onnx.helper.tensor_dtype_to_np_dtype(tensor.type.tensor_type.elem_type)
                 for tensor in (*model.graph.input, *model.graph.output)}
        return self.generator.compile(model), {name: (shapes[name], types[name]) for name in types}

    def _compile(self, generated: tuple[str, Tensors] | Exception) -> tuple[Any, Tensors] | Exception:
        """Return the compiled function and its tensors, or an exception."""
        if isinstance(generated, Exception):
            return generated
        source, shapes = generated
        path = Path(self.folder.name) / f"model{next(self.numbers)}.so"  # a process loads a path only once
        done = subprocess.run([self.cc, "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", str(path), "-lm"],
                              input=source, capture_output=True, text=True)
        if done.returncode:
            error = RuntimeError(f"C compilation failed: {done.stderr.strip()}")
            error.phase = "load"
            return error
        return ctypes.CDLL(str(path)).model, shapes


def _call(function: Any, tensors: Tensors, request: Request) -> dict[str, np.ndarray]:
    """Return the outputs by name. For a tensor without elements the function gets the memory that it declares."""
    inputs = [np.ascontiguousarray(array) if array.size else _memory(*tensors[name])
              for name, array in request.inputs.items()]
    outputs = {name: _memory(*tensors[name]) for name in request.outputs}
    function.restype = None
    function(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*inputs, *outputs.values())))
    return {name: array[tuple(map(slice, tensors[name][0]))] for name, array in outputs.items()}


def _memory(shape: Sizes, dtype: np.dtype[Any]) -> np.ndarray:
    """Return zeros of the shape that the C function declares: no size is zero."""
    return np.zeros([size or 1 for size in shape], dtype)
