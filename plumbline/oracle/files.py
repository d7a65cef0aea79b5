"""Read files safely, and write files completely or not at all.

A pipe may never end and a device never does; a link may lead to itself, and a text may be larger than the memory.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

TEXT = 1 << 22
"""Bytes of a file that is written by hand; the largest of the suite has some 60,000."""

RECORD = 1 << 31
"""Bytes of a record or a model."""


def open_file(path: Path, largest: int = RECORD) -> BinaryIO:
    """Open a regular file of at most `largest` bytes. Raises OSError, whose `strerror` says why in a few words."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as error:  # a name that no file can have
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    file = open(number, "rb")
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            raise OSError(errno.EISDIR if is_folder else errno.EINVAL,
                          os.strerror(errno.EISDIR) if is_folder else "not a regular file", str(path))
        if status.st_size > largest:
            raise OSError(errno.EFBIG, f"{status.st_size:,} bytes; at most {largest:,} are read", str(path))
    except OSError:
        file.close()
        raise
    return file


def read_bytes(path: Path, largest: int = RECORD) -> bytes:
    """Return the bytes of a file. Raises OSError as `open_file` does."""
    with open_file(path, largest) as file:
        return file.read(min(max(os.fstat(file.fileno()).st_size, UNSIZED), largest))  # as much memory is set aside


UNSIZED = 1 << 16
"""Bytes read of a file that the system makes as it is read, whose size is 0."""


def read_text(path: Path, largest: int = TEXT) -> str:
    """Return the text of a UTF-8 file, with line ends as one character. Raises OSError as `open_file` does."""
    data = read_bytes(path, largest)
    try:
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"not UTF-8 at byte {error.start}", str(path)) from None


def write_file(path: Path, content: bytes | str) -> Path:
    """Write a file under a temporary name, then rename it.

    So nobody reads half of it, and a full disk leaves what was there. A link is followed. A pipe that a process reads
    and a character device are written to; nothing else that is not a regular file is touched. Raises OSError, whose
    `filename` is the path."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            _write_through(path, mode, data)
        else:
            _write_whole(Path(os.path.realpath(path)), mode, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    return path


def rename_file(part: Path, path: Path) -> None:
    """Give a finished file its place, on the same terms as `write_file`. Raises OSError."""
    mode = _mode(path)
    if path.is_symlink() or mode is not None and not stat.S_ISREG(mode):
        write_file(path, part.read_bytes())
        part.unlink()
    else:
        os.replace(part, path)


def _mode(path: Path) -> int | None:
    """The type and rights of what is there, a link followed; None where there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _write_through(path: Path, mode: int, data: bytes) -> None:
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        is_folder = stat.S_ISDIR(mode)
        raise OSError(errno.EISDIR if is_folder else errno.EINVAL,
                      os.strerror(errno.EISDIR) if is_folder else "not a regular file")
    try:
        target = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
                         | getattr(os, "O_NONBLOCK", 0))  # without a reader, opening a pipe would wait
    except OSError as error:
        raise OSError(error.errno, "a pipe that no process reads") if error.errno == errno.ENXIO else error from None
    with open(target, "wb") as file:
        os.set_blocking(target, True)
        file.write(data)


def _write_whole(path: Path, mode: int | None, data: bytes) -> None:
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
