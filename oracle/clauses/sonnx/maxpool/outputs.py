"""The clauses that judge outputs, what U clauses leave open, and the canonical outputs.

Each wrong element is charged to one clause, the most particular that its window depends on: to the clause on NaN when
the window selects a NaN, to the padding constant when it selects padding and the value is none of X's, else to the
value itself. An index is charged to the tie rule when it points at a maximum of its window that is not the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

import numpy as np

from oracle.binding import Wrong
from oracle.call import Call
from oracle.clauses.sonnx.maxpool.bindings import bindings, maxima


class Answer:
    """A call with the outputs given for it: what the predicates below read. `asked` and `opened` are set by Spec."""

    def __init__(self, call: Call, outputs: Mapping[str, np.ndarray]) -> None:
        self.x = call.inputs["X"]
        self.given = outputs
        self.asked: tuple[str, ...] = ()
        self.opened: Mapping[str, np.ndarray] = {}
        self.maxima = maxima(call)

    def comparable(self, name: str) -> np.ndarray | None:
        """The output as numbers of the right shape; None when it cannot be compared element by element."""
        got = self.given.get(name)
        return got if got is not None and got.shape == self.maxima.shape and got.dtype.kind in "fiub" else None

    def wrong_dtype(self, name: str, wanted: np.dtype) -> Wrong | None:
        got = self.given.get(name)
        if got is None or got.dtype == wanted:
            return None
        return Wrong(name, f"{name} is {got.dtype.name}, not {wanted.name}", None, wanted.name, got.dtype.name)

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not the maximum; NaN is never right."""
        got = self.comparable("Y")
        if got is None:
            return np.zeros(self.maxima.shape, dtype=bool)
        return (got != self.maxima.values) & ~self.opened.get("Y", np.False_)

    @cached_property
    def foreign_values(self) -> np.ndarray:
        """Where Y is wrong and, its window reaching into the padding, is no element of X in it."""
        return self.wrong_values & self.maxima.has_padding & ~self.maxima.selects_value(self.given["Y"])

    @cached_property
    def wrong_indices(self) -> np.ndarray:
        """Where Indices is not the lowest index of the maximum."""
        got = self.comparable("Indices")
        if got is None:
            return np.zeros(self.maxima.shape, dtype=bool)
        return (got != self.maxima.indices) & ~self.opened.get("Indices", np.False_)

    def wrong(self, name: str, mask: np.ndarray, why: str) -> Wrong | None:
        if not mask.any():
            return None
        expected = {"Y": self.maxima.values, "Indices": self.maxima.indices}[name]
        where = tuple(int(place) for place in np.argwhere(mask)[0])
        example = f"{name}{list(where)} is {self.given[name][where]}, not {expected[where]}"
        return Wrong(name, f"{why}: {example}", mask, expected, self.given[name])


bindings.answer = Answer


@bindings.on_outputs("signature.F1")
def every_output_given(answer: Answer) -> Wrong | None:
    for name in answer.asked:
        if name not in answer.given:
            return Wrong(name, f"{name} was asked for and not given", None, name, "nothing")
    return None


@bindings.on_outputs("Y.C1")
def spatial_shape(answer: Answer) -> Wrong | None:
    got = answer.given.get("Y")
    wanted = answer.maxima.shape
    if got is None or (got.ndim == len(wanted) and got.shape[2:] == wanted[2:]):
        return None
    return Wrong("Y", f"Y has shape {list(got.shape)}, not {list(wanted)}", None, str(list(wanted)),
                 str(list(got.shape)))


@bindings.on_outputs("Y.F3", needs=("Y.C1",))
def batch_and_channel(answer: Answer) -> Wrong | None:
    got = answer.given.get("Y")
    if got is None or got.shape[:2] == answer.x.shape[:2]:
        return None
    return Wrong("Y", f"Y has {got.shape[0]} batches and {got.shape[1]} channels, X {answer.x.shape[0]} and "
                 f"{answer.x.shape[1]}", None, str(list(answer.maxima.shape)), str(list(got.shape)))


@bindings.on_outputs("Y.F2")
def type_of_y(answer: Answer) -> Wrong | None:
    return answer.wrong_dtype("Y", answer.x.dtype)


@bindings.on_outputs("float.Y.F1")
def nan_counts_as_minus_infinity(answer: Answer) -> Wrong | None:
    return answer.wrong("Y", answer.wrong_values & answer.maxima.has_nan, "a NaN in the window is not taken as -inf")


def padding_won(answer: Answer, kind: str) -> Wrong | None:
    if answer.x.dtype.kind not in kind or not answer.wrong_values.any():
        return None
    mask = answer.foreign_values & ~answer.maxima.has_nan
    return answer.wrong("Y", mask, "a window with padding gives a value that X does not hold there")


@bindings.on_outputs("float.pads.F1")
def float_padding(answer: Answer) -> Wrong | None:
    return padding_won(answer, "f")


@bindings.on_outputs("int.pads.F1")
def integer_padding(answer: Answer) -> Wrong | None:
    return padding_won(answer, "iu")


@bindings.on_outputs("Y.F1")
def value(answer: Answer) -> Wrong | None:
    if not answer.wrong_values.any():
        return None
    mask = answer.wrong_values & ~answer.maxima.has_nan & ~answer.foreign_values
    return answer.wrong("Y", mask, "not the maximum of its window")


@bindings.on_outputs("Indices.C1")
def shape_of_indices(answer: Answer) -> Wrong | None:
    got = answer.given.get("Indices")
    wanted = answer.given["Y"].shape if "Y" in answer.given else answer.maxima.shape
    if got is None or got.shape == wanted:
        return None
    return Wrong("Indices", f"Indices has shape {list(got.shape)}, Y {list(wanted)}", None, str(list(wanted)),
                 str(list(got.shape)))


@bindings.on_outputs("Indices.F3")
def type_of_indices(answer: Answer) -> Wrong | None:
    return answer.wrong_dtype("Indices", np.dtype(np.int64))


@bindings.on_outputs("float.Indices.F1")
def nan_has_no_index(answer: Answer) -> Wrong | None:
    return answer.wrong("Indices", answer.wrong_indices & answer.maxima.has_nan,
                        "with a NaN in the window, not the first maximum among the rest")


def points_at_a_maximum(answer: Answer) -> np.ndarray:
    return answer.maxima.selects_maximum_at(answer.given["Indices"])


@bindings.on_outputs("Indices.F1")
def index_of_the_maximum(answer: Answer) -> Wrong | None:
    wrong = answer.wrong_indices & ~answer.maxima.has_nan
    mask = wrong & ~points_at_a_maximum(answer) if wrong.any() else wrong
    return answer.wrong("Indices", mask, "not the index of a maximum of the window")


@bindings.on_outputs("Indices.F2")
def first_of_the_maxima(answer: Answer) -> Wrong | None:
    wrong = answer.wrong_indices & ~answer.maxima.has_nan
    mask = wrong & points_at_a_maximum(answer) if wrong.any() else wrong
    return answer.wrong("Indices", mask, "a maximum of the window, but not the first")



def expected(call: Call) -> dict[str, np.ndarray]:
    """Y (type of X) and Indices (int64), both of shape (dX0, dX1, dY2, dY3)."""
    result = maxima(call)
    return {"Y": result.values, "Indices": result.indices}


bindings.expected = expected


def reads(call: Call, where: tuple[int, ...]) -> np.ndarray:
    """The cells of the window at `where`, row by row."""
    windows = maxima(call)
    places = [place[window] for place, window in
              zip(windows.geometry.positions(windows.counts), where[2:], strict=True)]
    return np.array([(*where[:2], *cell) for cell in product(*places)])


bindings.reads = reads



@bindings.leaves_open("X.U1", refusal=True)
def no_batch_or_channel(call: Call) -> dict[str, object]:
    return {"Y": "whole", "Indices": "whole"} if 0 in call.inputs["X"].shape[:2] else {}


@bindings.leaves_open("float.Indices.U1")
def nothing_but_nan(call: Call) -> dict[str, object]:
    if call.inputs["X"].dtype.kind != "f" or not np.isnan(call.inputs["X"]).any():
        return {}
    mask = maxima(call).only_nan
    return {"Indices": mask} if mask.any() else {}


@bindings.leaves_open("pads.U1", refusal=True)
def pads_that_reach_the_kernel(call: Call) -> dict[str, object]:
    windows = maxima(call)
    axes = zip(windows.geometry.begin, windows.geometry.end, windows.geometry.kernel, strict=True)
    if all(max(begin, end) < kernel for begin, end, kernel in axes):
        return {}
    nothing = np.zeros(windows.shape, dtype=bool)
    return {"Y": nothing, "Indices": nothing}
