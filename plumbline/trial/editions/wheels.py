"""Download and read the wheels of ONNX releases listed in `wheels.yaml`.

A wheel is read as an archive and never imported: its C++ sources and test data are the same for every platform.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zipfile import ZipFile

import platformdirs
from packaging.version import Version

from plumbline.oracle.yaml_text import load

LIST = Path(__file__).with_name("wheels.yaml")
FOLDER = platformdirs.user_cache_path("plumbline") / "wheels"


class EditionsError(ValueError):
    """A release that cannot be looked at; the message says which and why."""


@dataclass(frozen=True)
class Wheel:
    """The wheel of a release. `python` and `platforms` are those that it was built for, `sha256` is its digest."""

    release: str
    python: str
    platforms: tuple[str, ...]
    sha256: str

    @property
    def path(self) -> Path:
        """The path of the downloaded file."""
        return FOLDER / f"onnx-{self.release}.whl"

    def fetch(self) -> None:
        """Download the wheel to `path` unless it is there. Raises EditionsError."""
        if self.path.is_file():
            return
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps",
                       "--only-binary", ":all:", "--python-version", self.python, "--dest", folder,
                       *(part for platform in self.platforms for part in ("--platform", platform)),
                       f"onnx=={self.release}"]
            done = subprocess.run(command, capture_output=True, text=True)
            files = list(Path(folder).iterdir())
            if done.returncode or len(files) != 1:
                lines = done.stderr.strip().splitlines() or ["pip gave no file"]
                raise EditionsError(f"cannot download onnx {self.release}: {lines[-1]}")
            digest = hashlib.sha256(files[0].read_bytes()).hexdigest()
            if digest != self.sha256:
                raise EditionsError(f"the wheel of onnx {self.release} has the digest {digest}, and {LIST.name} has "
                                    f"{self.sha256}")
            files[0].replace(self.path)

    @cached_property
    def archive(self) -> ZipFile:
        """The wheel as an archive. Raises EditionsError if it is not downloaded."""
        if not self.path.is_file():
            raise EditionsError(f"the wheel of onnx {self.release} is not in {FOLDER}; run "
                                "`plumbline editions --fetch`")
        return ZipFile(self.path)

    def names(self, folder: str, suffix: str) -> list[str]:
        """The files below a folder that end so, in order."""
        return sorted(name for name in self.archive.namelist() if name.startswith(folder) and name.endswith(suffix))

    def sources(self) -> Iterator[str]:
        """The C++ files that define operators."""
        for name in self.names("onnx/defs/", ".cc"):
            yield self.archive.read(name).decode("utf-8", "replace")


def wheels(releases: Sequence[str] = ()) -> list[Wheel]:
    """Return the wheels of these releases, all by default, oldest first. Raises EditionsError for one not listed."""
    listed = load(LIST.read_text(encoding="utf-8"))["wheels"]
    found = {release: Wheel(release, entry["python"], tuple(entry["platforms"]), entry["sha256"])
             for release, entry in listed.items()}
    if unknown := [release for release in releases if release not in found]:
        raise EditionsError(f"{LIST.name} has no wheel of onnx {', '.join(unknown)}; it has {', '.join(found)}")
    return sorted((found[release] for release in releases or found), key=lambda wheel: Version(wheel.release))


def known_releases() -> list[str]:
    """Return every release of the list, oldest first."""
    return sorted([*unpublished(), *(wheel.release for wheel in wheels())], key=Version)


def unpublished() -> dict[str, str]:
    """Return the releases that have no wheel to read, each with the reason."""
    found: dict[str, str] = load(LIST.read_text(encoding="utf-8"))["not looked at"]
    return found
