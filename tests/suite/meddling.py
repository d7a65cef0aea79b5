"""Fake implementations that compute the truth and change what all of their process share: how is their docstring.

They are put to the trial as ``tests.suite.meddling:NAME``.
"""

from __future__ import annotations

import ctypes
import locale
import platform
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime

from plumbline.backends.adapters.onnxruntime import OnnxRuntime
from tests.suite.fakes import Adapter
from tests.suite.naive import pool

MEDDLING: dict[str, type[Adapter]] = {}
"""Those that `meddling` made, by name."""


def meddling(function: Any) -> type[Adapter]:
    """An adapter that does something before it answers."""
    def run(self: Any, request: SimpleNamespace) -> Any:
        function()
        return pool(request)
    MEDDLING[function.__name__] = type(function.__name__, (Adapter,), {
        "name": function.__name__.replace("_", "-"), "__doc__": function.__doc__, "run": run})
    return MEDDLING[function.__name__]


@meddling
def rounds_upwards():
    """Has the processor round upwards (FE_UPWARD of the C library, on x86-64 and elsewhere)."""
    upwards = {"x86_64": 0x800}.get(platform.machine(), 0x400000)
    ctypes.CDLL("libm.so.6").fesetround(upwards)


@meddling
def changes_the_locale():
    """Sets another locale."""
    locale.setlocale(locale.LC_ALL, "C.UTF-8" if locale.setlocale(locale.LC_ALL) == "C" else "C")


@meddling
def replaces_a_function():
    """Puts a function of its own in the place of one of numpy's."""
    np.maximum = lambda *arguments: 0


@meddling
def raises_for_underflow():
    """Has numpy raise where it warns."""
    np.seterr(all="raise")


class FlushesSubnormals(OnnxRuntime):
    """ONNX Runtime with its own option to take subnormals for zero, which leaves the thread so."""

    name = "flushes-subnormals"
    requirements = ()

    def options(self) -> Any:
        """That option."""
        options = super().options()
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
        assert isinstance(options, onnxruntime.SessionOptions)
        return options
