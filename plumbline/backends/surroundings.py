"""What a backend in this process may change for everyone in it: how the processor computes, the locale, numpy itself.

A process in which these are not what they were judges nothing rightly: subnormals taken for zero make wrong outputs
look right. ONNX Runtime's `session.set_denormal_as_zero` is the best-known case; it leaves the thread so.
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
_ROOM = 256
"""Bytes, more than any fenv_t has."""


class Surroundings:
    """As they are when this is made."""

    def __init__(self) -> None:
        self._computed, self._locale, self._errors = _computed(), locale.setlocale(locale.LC_ALL), np.geterr()
        self._names = [(vars(module), [name for name in vars(module) if not name.startswith("_")])
                       for module in _WATCHED]
        self._values = [list(map(space.get, names)) for space, names in self._names]
        self._library = _fenv()
        self._environment = ctypes.create_string_buffer(_ROOM)
        if self._library is not None:
            self._library.fegetenv(self._environment)

    def restored(self) -> list[str]:
        """What is not as it was, in words; it is put right, as far as this thread and these names go."""
        found = []
        if _computed() != self._computed:
            found.append("how the processor treats subnormals, or rounds")
            if self._library is not None:
                self._library.fesetenv(self._environment)
        if locale.setlocale(locale.LC_ALL) != self._locale:
            found.append("the locale")
            locale.setlocale(locale.LC_ALL, self._locale)
        if np.geterr() != self._errors:
            found.append("what numpy does about errors of floating point")
            np.seterr(**self._errors)
        for (space, names), values in zip(self._names, self._values, strict=True):
            if not all(map(operator.is_, map(space.get, names), values)):
                others = [name for name, value in zip(names, values, strict=True) if space.get(name) is not value]
                found.append(f"{space['__name__']}.{', '.join(others[:3])}")
                space.update(zip(names, values, strict=True))
        return found


def _computed() -> bytes:
    """What the processor makes of subnormals as operands and as results, and of what must be rounded."""
    with np.errstate(all="ignore"):
        return b"".join([*((small * 1).tobytes() for small in _SMALL), (_ONE / _THIRD).tobytes(),
                         *((np.sqrt(small) * np.sqrt(small)).tobytes() for small in _SMALL)])


def _fenv() -> ctypes.CDLL | None:
    """The C library that is already here; without it what the processor does is noticed and not put right."""
    try:
        library = ctypes.CDLL(None)
        library.fegetenv, library.fesetenv  # noqa: B018
    except (OSError, AttributeError, TypeError):
        try:
            library = ctypes.CDLL("libm.so.6")
        except OSError:
            return None
    return library
