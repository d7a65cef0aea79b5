"""A disk cache of bounded size: JSON and a block of bytes per entry.

Entries hold what is computed from files of the suite and of the user, never what a backend answered. A name holds a
digest of all that an entry depends on, so entries are never updated. A digest of the content shows damage; it does not
protect from whoever can write to the folder, and so could change the installed package as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import mmap
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
import platformdirs

from plumbline.data import PACKAGE
from plumbline.oracle.files import read_bytes, write_file

VARIABLE = "PLUMBLINE_CACHE"
LARGEST = 1 << 30
"""Bytes of all entries together; the entries that were not read for the longest time are removed first."""

UNFINISHED = 3600.0
"""Seconds after which the temporary file of a process that was ended is removed."""

CODE = ("processes", "oracle", "cases")
"""Folders of the package whose code entries depend on."""


def cache_folder() -> Path:
    """The folder that PLUMBLINE_CACHE names, by default one in the user's cache folder."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("plumbline") / "cases"


def digest_of(*parts: object) -> str:
    """The SHA-256 of values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def digest_of_files(paths: list[Path]) -> str:
    """The SHA-256 of the names and contents of files, wherever the suite lies: two clones share their entries."""
    digest, top = hashlib.sha256(), PACKAGE.parent
    for path in sorted(paths):
        content, name = path.read_bytes(), path.relative_to(top) if path.is_relative_to(top) else path
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


@cache
def environment() -> str:
    """A digest of the code, the interpreter, the packages that compute, and the processor."""
    files = [path for folder in CODE for path in (PACKAGE / folder).rglob("*.py")]
    code = digest_of_files([PACKAGE / "data.py", *files])
    packages = {name: version(name) for name in ("numpy", "ml_dtypes", "onnx")}
    # By the processor's features, which are among the configuration, numpy chooses its kernels.
    return digest_of(code, sys.version, packages, platform.machine(), sys.byteorder, repr(np.show_config(mode="dicts")))


def _mapped(path: Path, digest: str) -> np.ndarray | None:
    """The bytes of a block, mapped: copies of this process share the pages, and `release` gives them back."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        start = file.tell()
        if dtype != np.uint8 or len(shape) != 1 or hashlib.file_digest(file, "sha256").hexdigest() != digest:
            return None
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _MAPPED.add(pages)
    return np.frombuffer(pages, np.uint8)[start:]


_MAPPED: WeakSet[mmap.mmap] = WeakSet()


def release() -> None:
    """Give back the memory that the entries take which were read so far; they are read again where they are needed."""
    for pages in _MAPPED if hasattr(mmap, "MADV_DONTNEED") else ():
        pages.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True)
class DiskCache:
    """The entries in a folder. A folder that cannot be read or written is like an empty one."""

    folder: Path

    def read(self, name: str) -> tuple[dict[str, Any], np.ndarray] | None:
        """The JSON of an entry and its bytes, uint8 in one axis; None where there is no entry, or a damaged one."""
        head, block = self._paths(name)
        try:
            digest, _, text = read_bytes(head).partition(b"\n")
            if hashlib.sha256(text).hexdigest().encode() != digest:
                return None
            content = json.loads(text)
            data = _mapped(block, content["block"])
        except (OSError, ValueError, LookupError, TypeError, EOFError):
            return None
        with contextlib.suppress(OSError):
            os.utime(head)
        return None if data is None else (content["head"], data)

    def write(self, name: str, head: dict[str, Any], data: bytes) -> bool:
        """Keep an entry; return whether that could be done."""
        path, block = self._paths(name)
        text = json.dumps({"head": head, "block": hashlib.sha256(data).hexdigest()}).encode()
        file = io.BytesIO()
        np.save(file, np.frombuffer(data, np.uint8), allow_pickle=False)
        try:
            write_file(block, file.getvalue())
            write_file(path, hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
            self._make_room()
        except OSError:
            return False
        return True

    def _paths(self, name: str) -> tuple[Path, Path]:
        return self.folder / f"{name}.json", self.folder / f"{name}.npy"

    def _make_room(self) -> None:
        """Remove the oldest entries beyond `LARGEST` bytes, and unfinished files of ended processes."""
        used: dict[str, float] = {}
        sizes: dict[str, int] = {}
        for path, status in self._files():
            if path.suffix == ".part":
                if time.time() - status.st_mtime > UNFINISHED:
                    path.unlink(missing_ok=True)
                continue
            used[path.stem] = max(used.get(path.stem, 0.0), status.st_mtime)
            sizes[path.stem] = sizes.get(path.stem, 0) + status.st_size
        total = sum(sizes.values())
        for name in sorted(used, key=lambda name: used[name]):
            if total <= LARGEST:
                break
            for path in self._paths(name):
                path.unlink(missing_ok=True)
            total -= sizes[name]

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another run removes entries too
                if path.suffix in (".json", ".npy", ".part"):
                    yield path, path.stat()
