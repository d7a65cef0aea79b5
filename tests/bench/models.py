"""What a trial of a large model takes: the command from start to end, page included, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

from tests.suite.architectures import Graph

SIZES = (1_000, 10_000)
"""Nodes."""


def deep(nodes: int) -> onnx.ModelProto:
    """A chain of residual blocks of four nodes, each on 256 numbers."""
    graph, x = Graph("deep", ["N", 4, 8, 8]), "image"
    weight, bias, scale = graph.constant(graph.weight(4, 4, 1, 1)), graph.constant(graph.weight(4)), graph.constant(
        np.float32(0.7))
    for number in range(nodes // 4):
        y = graph.Relu(graph.Conv(x, weight, bias, name=f"conv{number}"), name=f"relu{number}")
        x = graph.Mul(graph.Add(x, y, name=f"add{number}"), scale, name=f"mul{number}")
    return graph.model(x)


def trial(nodes: int) -> tuple[float, float]:
    """Seconds, and megabytes of the largest process."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(deep(nodes), Path(folder, "deep.onnx"))
        command = [sys.executable, "-m", "plumbline", "model", str(Path(folder, "deep.onnx")), "--report-dir", folder]
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_maxrss / 1024
