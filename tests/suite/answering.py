"""Fake implementations that compute the truth and answer something else on the third call: what is their docstring.

They are put to the trial as ``tests.suite.answering:NAME``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.suite.conduct import Counting


class AnswersTooMuch(Counting):
    """Answers with two million zeros."""

    def third(self) -> dict[str, np.ndarray]:
        """More than anyone asked for."""
        return {"Y": np.zeros(2_000_000, np.int8)}


class AnswersObjects(Counting):
    """Answers with an array of Python objects."""

    def third(self) -> dict[str, np.ndarray]:
        """Of None, here."""
        return {"Y": np.array([None])}


class AnswersComplexNumbers(Counting):
    """Answers with numbers of a kind that no output has."""

    def third(self) -> dict[str, np.ndarray]:
        """With an imaginary part."""
        return {"Y": np.zeros((1, 1), np.complex64)}


class AnswersAList(Counting):
    """Answers with outputs that have no names."""

    def third(self) -> list[np.ndarray]:
        """Nobody knows which is which."""
        return [np.zeros((1, 1)), np.zeros((1, 1))]


class AnswersNothing(Counting):
    """Answers, and gives no output."""

    def third(self) -> dict[str, np.ndarray]:
        """None of those asked for."""
        return {}


class Twisting(Counting):
    """Gives the outputs of the third call, which are true, to `twisted`."""

    def run(self, request: SimpleNamespace) -> Any:
        """The truth, twisted on the third call."""
        outputs = super().run(request)
        return self.twisted(outputs) if self.calls == 3 else outputs

    def twisted(self, outputs: dict[str, np.ndarray]) -> Any:
        """What is answered instead."""


class NamesItsOutputs(Twisting):
    """Gives the outputs names of its own."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """By their number."""
        return {f"output_{number}": array for number, array in enumerate(outputs.values())}


class ExchangesTheNames(Twisting):
    """Calls Y what is Indices, and the other way round."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Both arrays, each under the name of the other."""
        return {"Y": outputs["Indices"], "Indices": outputs["Y"]}


class TurnsTheBytes(Twisting):
    """Gives numbers in the other byte order, and says that they are in this one."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Bytes turned, type kept."""
        return {name: array.byteswap() for name, array in outputs.items()}


class AnswersInLongDouble(Twisting):
    """Gives floating-point numbers of a type that ONNX has not."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The same values."""
        return {name: array.astype(np.longdouble) for name, array in outputs.items()}


class AnswersTimes(Twisting):
    """Gives points in time."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Seconds since 1970."""
        return {name: array.astype(np.int64).astype("datetime64[s]") for name, array in outputs.items()}


class AnswersRecords(Twisting):
    """Gives arrays whose elements have fields."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """One field."""
        return {name: array.astype([("value", array.dtype)]) for name, array in outputs.items()}


class AnswersAGenerator(Twisting):
    """Gives what would be outputs, if someone asked for them."""

    def twisted(self, outputs: dict[str, np.ndarray]) -> Any:
        """Nobody does."""
        return (pair for pair in outputs.items())
