"""Save process state, and restore what a backend changed.

The state is the floating-point mode, the locale, numpy's error settings, and the public names of `_WATCHED`. Changed
state leads to wrong verdicts: with subnormals flushed to zero, wrong outputs look right. ONNX Runtime's
`session.set_denormal_as_zero` is the best-known case; it changes the mode of the thread for good.
"""

from __future__ import annotations

import builtins
import ctypes
import locale
import math
import operator

import numpy as np

_SMALL = np.array([1e-40], np.float32), np.array([1e-310], np.float64)
_ONE, _THIRD = np.array([1.0, -1.0]), np.array([3.0, 3.0])
_WATCHED = (np, np.linalg, np.random, math, builtins)
_FENV_SIZE = 256
"""Bytes, more than any fenv_t has."""


class Surroundings:
    """The shared state at the time of construction."""

    def __init__(self) -> None:
        self._computed, self._locale, self._errors = _computed(), locale.setlocale(locale.LC_ALL), np.geterr()
        self._names = [(vars(module), [name for name in vars(module) if not name.startswith("_")])
                       for module in _WATCHED]
        self._values = [list(map(space.get, names)) for space, names in self._names]
        self._library = _fenv()
        self._environment = ctypes.create_string_buffer(_FENV_SIZE)
        if self._library is not None:
            self._library.fegetenv(self._environment)

    def restored(self) -> list[str]:
        """Restore the state; return descriptions of what had changed.

        The floating-point mode is restored for this thread alone, and where a C library is found."""
        changed = []
        if _computed() != self._computed:
            changed.append("how the processor treats subnormals, or rounds")
            if self._library is not None:
                self._library.fesetenv(self._environment)
        if locale.setlocale(locale.LC_ALL) != self._locale:
            changed.append("the locale")
            locale.setlocale(locale.LC_ALL, self._locale)
        if np.geterr() != self._errors:
            changed.append("what numpy does about errors of floating point")
            np.seterr(**self._errors)
        for (space, names), values in zip(self._names, self._values, strict=True):
            if not all(map(operator.is_, map(space.get, names), values)):
                replaced = [name for name, value in zip(names, values, strict=True) if space.get(name) is not value]
                changed.append(f"{space['__name__']}.{', '.join(replaced[:3])}")
                space.update(zip(names, values, strict=True))
        return changed


def _computed() -> bytes:
    """Return results that depend on the modes for subnormals and rounding."""
    with np.errstate(all="ignore"):
        return b"".join([*((small * 1).tobytes() for small in _SMALL), (_ONE / _THIRD).tobytes(),
                         *((np.sqrt(small) * np.sqrt(small)).tobytes() for small in _SMALL)])


def _fenv() -> ctypes.CDLL | None:
    """Return the loaded C library, which restores the mode."""
    try:
        library = ctypes.CDLL(None)
        library.fegetenv, library.fesetenv  # noqa: B018
    except (OSError, AttributeError, TypeError):
        try:
            library = ctypes.CDLL("libm.so.6")
        except OSError:
            return None
    return library
