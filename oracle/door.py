"""How a door ends: its exit status, and no traceback when whoever reads its output has read enough."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn


def leave(main: Callable[[], int]) -> NoReturn:
    """End the process with the status that `main` gives. When the pipe of stdout is closed, as by `head`, the status is
    the one that a shell gives to a process which that signal ended."""
    try:
        try:
            status = main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten would fail at exit
        status = 128 + signal.SIGPIPE
    sys.exit(status)
