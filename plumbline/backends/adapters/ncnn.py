"""Adapter for ncnn on the CPU: its converter pnnx, then its network.

The package pnnx is installed without its dependencies, of which torch is 5.6 GB: the program runs alone.
"""

from __future__ import annotations

import importlib.util
import re
import signal
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ncnn
import numpy as np

if TYPE_CHECKING:
    from plumbline.backends.request import Request

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Ncnn:
    """One network for each call, with the options that it has by default.

    Weights are kept in float32 (`fp16=0`). Errors of the phase "load" are those of the converter, or of a layer that it
    wrote and the runtime does not have.
    """

    name = "ncnn"
    requirements = ("ncnn", "--no-deps pnnx")
    address_limit = True
    megabytes = 180
    specifications = ("sonnx/abs", "sonnx/add", "sonnx/concat", "sonnx/div", "sonnx/exp", "sonnx/gemm",
                      "sonnx/leakyrelu", "sonnx/log", "sonnx/matmul", "sonnx/max", "sonnx/maxpool", "sonnx/mul",
                      "sonnx/neg", "sonnx/pow", "sonnx/relu", "sonnx/sigmoid", "sonnx/softmax", "sonnx/sqrt",
                      "sonnx/sub", "sonnx/tanh")
    capabilities = [
        # A tensor has one to four axes, beside that of a batch in pooling. The converter has no layer for indices and
        # dilations.
        {"operators": ["MaxPool"], "dtypes": ["float32"], "ranks": [1, 2, 3], "outputs": ["Y"],
         "attributes": {"dilations": [1]}},
        {"operators": ["Abs", "Concat", "Exp", "LeakyRelu", "Log", "Max", "Neg", "Relu", "Sigmoid", "Softmax", "Sqrt",
                       "Tanh"], "dtypes": ["float32"], "ranks": [-1, 0, 1, 2]},
        {"operators": ["Add", "Div", "Gemm", "MatMul", "Mul", "Pow", "Sub"], "dtypes": ["float32"],
         "ranks": [-1, 0, 1, 2], "inputs": {"B": {"dtypes": ["float32"], "axes": [1, 2, 3, 4]}}},
    ]
    contexts = ()
    not_implemented = ("the converter wrote a layer that ncnn does not have",)
    reproduce = """import importlib.util
import pathlib
import re
import subprocess
import tempfile

import ncnn

with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/m.onnx", "wb").write(model.SerializeToString())
    pnnx = pathlib.Path(importlib.util.find_spec("pnnx").origin).with_name("pnnx")
    subprocess.run([pnnx, "m.onnx", "fp16=0"], cwd=folder, check=True)
    print(open(f"{folder}/m.ncnn.param").read())  # the layers that the converter wrote
    batch_of = dict(re.findall(r"\\b((?:in|out)\\d+)\\b.*batch_index=(\\d+)", open(f"{folder}/m_ncnn.py").read()))
    net = ncnn.Net()
    print("load", net.load_param(f"{folder}/m.ncnn.param"), net.load_model(f"{folder}/m.ncnn.bin"))
    extractor = net.create_extractor()
    for number, array in enumerate(inputs.values()):
        extractor.input(f"in{number}", ncnn.Mat(array, batch_index=int(batch_of[f"in{number}"])).clone())
    found = [extractor.extract(f"out{number}") for number in range(len(outputs))]
    print("run", [status for status, _ in found])
    got = [mat.numpy(batch_index=int(batch_of[f"out{number}"])) for number, (_, mat) in enumerate(found)]"""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("pnnx")
        if spec is None or spec.origin is None:
            raise ImportError("the package pnnx, which holds ncnn's converter, is not installed")
        self.converter = Path(spec.origin).with_name("pnnx")

    def version(self) -> str:
        """Return the version of the package."""
        return version("ncnn")

    def about(self) -> dict[str, str]:
        """Return the version of the converter."""
        return {"pnnx": version("pnnx")}

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name. Raises RuntimeError, NotImplementedError, with the phase.

        request: a serialised ONNX model (`model`), float32 arrays by name (`inputs`), and names of `outputs`."""
        if any(array.dtype != np.float32 or not array.ndim for array in request.inputs.values()):
            error = _refusal(NotImplementedError("this adapter passes float32 alone, of at least one axis"), "check")
            error.gap = str(error)
            raise error
        with tempfile.TemporaryDirectory(prefix="plumbline-ncnn-") as name:
            folder = Path(name)
            batch_of = self._converted(request.model, folder)
            net = ncnn.Net()
            if net.load_param(str(folder / "m.ncnn.param")) or net.load_model(str(folder / "m.ncnn.bin")):
                raise _refusal(NotImplementedError("the converter wrote a layer that ncnn does not have, or parameters "
                                                   f"that it refuses: {_layers(folder)}"), "load")
        extractor = net.create_extractor()
        for number, array in enumerate(request.inputs.values()):
            if f"in{number}" not in batch_of:
                raise _refusal(RuntimeError(f"the converter wrote no input in{number}"), "load")
            mat = ncnn.Mat(np.ascontiguousarray(array), batch_index=batch_of[f"in{number}"])
            extractor.input(f"in{number}", mat.clone())
        return {name: _array(extractor, f"out{number}", batch_of) for number, name in enumerate(request.outputs)}

    def _converted(self, model: bytes, folder: Path) -> dict[str, int]:
        """Convert a model; return by input and output which axis its script passes as that of a batch.

        Raises RuntimeError."""
        (folder / "m.onnx").write_bytes(model)
        done = subprocess.run([self.converter, "m.onnx", "fp16=0"], cwd=folder, capture_output=True, text=True)
        script = folder / "m_ncnn.py"
        if done.returncode or not script.is_file():
            lines = COLOUR.sub("", done.stdout + done.stderr).strip().splitlines()
            ended = signal.Signals(-done.returncode).name if done.returncode < 0 else f"status {done.returncode}"
            raise _refusal(RuntimeError(f"pnnx ends with {ended}: {(lines or ['no message'])[-1]}"), "load")
        return {blob: int(axis) for blob, axis in
                re.findall(r"\b((?:in|out)\d+)\b.*batch_index=(\d+)", script.read_text())}


def _array(extractor: Any, blob: str, batch_of: dict[str, int]) -> np.ndarray:
    """Return an output, whose memory is its own."""
    status, mat = extractor.extract(blob)
    if status:
        raise _refusal(RuntimeError(f"ncnn's extract of {blob} returns {status}"), "run")
    return np.array(mat.numpy(batch_index=batch_of[blob]))


def _layers(folder: Path) -> str:
    """Return the layers that the converter wrote, without the inputs."""
    lines = (folder / "m.ncnn.param").read_text().splitlines()[2:]
    return "; ".join(" ".join(line.split()) for line in lines if not line.startswith("Input "))


def _refusal(error: Exception, phase: str) -> Exception:
    error.phase = phase
    return error
