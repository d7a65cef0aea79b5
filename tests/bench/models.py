"""What a trial of a large model takes: the command from start to end, page included, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx

from tests.suite.architectures import Graph


def deep(nodes: int) -> onnx.ModelProto:
    """A chain of residual blocks of four nodes, each on 256 numbers."""
    graph, x = Graph("deep", ["N", 4, 8, 8]), "image"
    weight, bias, scale = graph.constant(graph.weight(4, 4, 1, 1)), graph.constant(graph.weight(4)), graph.constant(
        np.float32(0.7))
    for number in range(nodes // 4):
        y = graph.Relu(graph.Conv(x, weight, bias, name=f"conv{number}"), name=f"relu{number}")
        x = graph.Mul(graph.Add(x, y, name=f"add{number}"), scale, name=f"mul{number}")
    return graph.model(x)


def wide(nodes: int) -> onnx.ModelProto:
    """A chain of three kinds of nodes on tensors of 4 MB."""
    graph, x = Graph("wide", ["N", 16, 256, 256]), "image"
    for _ in range(nodes // 3):
        x = graph.Add(graph.Relu(graph.Conv(x, graph.weight(16, 16, 1, 1))), np.float32(0.1))
    return graph.model(x)


def tables(folder: Path) -> onnx.ModelProto:
    """Five tables of 460 MB of zeros in a file, more than a request holds; a row of each, and a layer of neurons."""
    rows, width, number = 1_800_000, 64, 5
    graph, size = Graph("tables", ["N", width]), 4 * rows * width
    with Path(folder, "tables.data").open("wb") as file:
        file.truncate(number * size)  # which takes no room on most file systems
    parts = ["image"]
    for table in range(number):
        graph.tensors.append(onnx.TensorProto(
            name=f"table{table}", data_type=onnx.TensorProto.FLOAT, dims=[rows, width],
            data_location=onnx.TensorProto.EXTERNAL, external_data=[
                onnx.StringStringEntryProto(key=key, value=str(value)) for key, value in
                {"location": "tables.data", "offset": table * size, "length": size}.items()]))
        parts.append(graph.Gather(f"table{table}", np.array([table])))
    x = graph.Concat(*parts, axis=1)
    return graph.model(graph.Sigmoid(graph.MatMul(x, graph.weight(6 * width, 1)), name="score"))


MODELS: dict[str, Callable[[Path], onnx.ModelProto]] = {
    **{f"{nodes:,} small nodes": lambda _, nodes=nodes: deep(nodes) for nodes in (1_000, 10_000)},
    **{f"{nodes} nodes, tensors of 4 MB": lambda _, nodes=nodes: wide(nodes) for nodes in (24, 72)},
    "11 nodes, 2.3 GB of weights in a file": tables}


def trial(make: Callable[[Path], onnx.ModelProto]) -> tuple[float, float]:
    """Seconds, and megabytes of the largest process."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bench.onnx").write_bytes(make(Path(folder)).SerializeToString())
        command = [sys.executable, "-m", "plumbline", "model", str(Path(folder, "bench.onnx")), "--report-dir", folder]
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_maxrss / 1024
