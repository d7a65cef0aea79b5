"""Where the system lacks what Linux has, what needs it says so in one line, and everything else works."""

from __future__ import annotations

import subprocess
import sys

LACKING = """
import os, select, signal, sys
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
for module, names in ((os, ("fork", "killpg", "memfd_create", "getpgid", "setsid")), (select, ("poll", "epoll")),
                      (signal, ("pthread_sigmask", "setitimer", "SIGKILL", "SIGHUP"))):
    for name in names:
        delattr(module, name)
"""
"""What Windows has not."""


def run(script: str) -> str:
    """What a script prints that begins by forgetting all that."""
    done = subprocess.run([sys.executable, "-c", LACKING + script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_trial_in_the_process_of_the_suite_needs_none_of_it() -> None:
    """Everything can be imported, and calls be put and judged."""
    assert run("""
import numpy as np
import plumbline.trial.run.host_cache, plumbline.trial.campaign.campaign, plumbline.trial.run.session
from plumbline.backends import find_backend, to_request
from plumbline.oracle import Call, load_spec
from plumbline.trial.run.host_cache import Watched
spec = load_spec("onnx/maxpool@12")
call = Call("MaxPool", {"kernel_shape": [1, 1]}, {"X": np.ones((1, 1, 2, 2), np.float32)}, ("Y",))
host = Watched(find_backend("onnxruntime").load())
found = host.run(to_request(spec, call, 12))
host.close()
print(spec.divergences(call, found.outputs))
""") == "[]"


def test_a_process_of_its_own_is_refused_in_one_line() -> None:
    """Since a pipe cannot be waited for."""
    assert run("""
from plumbline.backends import BackendError, find_backend
try:
    find_backend("onnxruntime").start()
except BackendError as error:
    print(error)
""").endswith("a backend in a process of its own needs a system with poll(2); in-process trials do not")
