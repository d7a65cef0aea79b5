"""Reading the files of others: regular ones alone, and no more of one than is sensible.

A pipe may never end and a device never does; a link may lead to itself, and a text may be larger than the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

TEXT = 1 << 22
"""Bytes of a file that is written by hand; the largest of the suite has some 60,000."""

RECORD = 1 << 31
"""Bytes of a record or a model."""


def open_file(path: Path, largest: int = RECORD) -> BinaryIO:
    """A file to read from, at its beginning. Raises OSError, whose `strerror` says why in a few words."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = open(os.open(path, flags), "rb")
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
    """What a file holds. Raises OSError likewise."""
    with open_file(path, largest) as file:
        return file.read(largest)


def read_text(path: Path, largest: int = TEXT) -> str:
    """What a file of text in UTF-8 holds, its ends of lines as one character. Raises OSError likewise."""
    data = read_bytes(path, largest)
    try:
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"not UTF-8 at byte {error.start}", str(path)) from None
