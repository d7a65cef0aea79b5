"""Give freed memory back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """Give freed memory back, that of frozen garbage too.

    The C library of GNU keeps what lies between two blocks in use, which after a run is a gigabyte."""
    gc.unfreeze()
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
