"""Fakes for ONNX's texts: each tells one lie, its docstring, and breaks exactly the clauses named."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from tests.suite.naive import average, first_maximum, pool

Fake = Callable[[SimpleNamespace], dict[str, np.ndarray]]
MAXPOOL: dict[str, tuple[Fake, frozenset[str]]] = {}
AVERAGEPOOL: dict[str, tuple[Fake, frozenset[str]]] = {}


def lies(*clauses: str, about: tuple[dict[str, tuple[Fake, frozenset[str]]], ...] = (MAXPOOL, AVERAGEPOOL)):
    """Lists a fake under the operators that it is about."""
    def add(fake: Fake) -> Fake:
        for table in about:
            table[fake.__name__] = fake, frozenset(clauses)
        return fake
    return add


def compute(request: SimpleNamespace, **wrong: bool) -> dict[str, np.ndarray]:
    """The operator of the request."""
    return pool(request, **wrong) if request.operator == "MaxPool" else average(request, **wrong)


def mode(request: SimpleNamespace) -> str:
    """How it pads."""
    return request.attributes.get("auto_pad", "NOTSET")


@lies()
def honest(request):
    """Tells the truth."""
    return compute(request)


@lies("signature.F1")
def drops_the_outputs(request):
    """Never gives any output."""
    return {}


@lies("Y.C1")
def drops_the_last_window(request):
    """With explicit padding and ceil_mode 0 there is one window less, where there are several."""
    plain = mode(request) == "NOTSET" and not request.attributes.get("ceil_mode", 0)
    return {name: array[..., :-1] if plain and array.shape[-1] > 1 else array
            for name, array in compute(request).items()}


@lies("Y.C2")
def ignores_windows_in_the_padding(request):
    """Drops a last window that starts behind X, at any opset."""
    return compute(request, drops_windows=True)


@lies("Y.C3")
def keeps_windows_in_the_padding(request):
    """Keeps a last window that starts behind X, at any opset."""
    return compute(request, drops_windows=False)


@lies("Y.C4")
def valid_drops_the_last_window(request):
    """With VALID there is one window less, where there are several."""
    return {name: array[..., :-1] if mode(request) == "VALID" and array.shape[-1] > 1 else array
            for name, array in compute(request).items()}


@lies("Y.C5")
def same_takes_the_floor(request):
    """With SAME the size is floor(in / s)."""
    return compute(request, same_takes_floor=True)


@lies("auto_pad.F1")
def lower_as_upper(request):
    """SAME_LOWER adds the odd cell at the end; Indices are right."""
    return {**compute(request), "Y": compute(request, lower_as_upper=True)["Y"]}


@lies("Y.F2")
def answers_in_double(request):
    """Y is float64."""
    return {**compute(request), "Y": compute(request)["Y"].astype(np.float64)}


@lies("Y.F3")
def folds_the_batch(request):
    """The batch is folded into the channels."""
    return {name: array.reshape(1, -1, *array.shape[2:]) if array.size else array
            for name, array in compute(request).items()}


@lies("pads.F1", about=(MAXPOOL,))
def pads_with_zero(request):
    """Padding counts as 0; Indices are right."""
    zero = pool(request, lambda window, padded: (max(first_maximum(window)[0], 0) if padded else
                                                 first_maximum(window)[0], 0))
    return {**pool(request), "Y": zero["Y"]}


@lies("Y.F1", about=(MAXPOOL,))
def flushes_subnormals(request):
    """Subnormal values of Y become 0."""
    outputs = pool(request)
    if outputs["Y"].dtype.kind == "f":
        outputs["Y"][np.abs(outputs["Y"]) < np.finfo(outputs["Y"].dtype).smallest_normal] = 0
    return outputs


@lies("Indices.C1", about=(MAXPOOL,))
def flat_indices(request):
    """Indices are a list."""
    return {**pool(request), "Indices": pool(request)["Indices"].ravel()}


@lies("Indices.F1", about=(MAXPOOL,))
def index_within_the_plane(request):
    """Indices leave out batch and channel."""
    return {**pool(request), "Indices": pool(request)["Indices"] % max(int(np.prod(request.inputs["X"].shape[2:])), 1)}


@lies("Indices.F2", about=(MAXPOOL,))
def always_row_major(request):
    """storage_order is ignored."""
    plain = SimpleNamespace(**{**vars(request), "attributes": {**request.attributes, "storage_order": 0}})
    return pool(plain)


@lies("Indices.F4", about=(MAXPOOL,))
def no_index_for_nothing(request):
    """The index of a window that selects no element is -4."""
    return pool(request, lambda window, padded: first_maximum(window) if window else (0, -4))


@lies("Indices.F3", about=(MAXPOOL,))
def indices_of_32_bits(request):
    """Indices are int32."""
    return {**pool(request), "Indices": pool(request)["Indices"].astype(np.int32)}


@lies("Indices.F3", about=(MAXPOOL,))
def indices_as_numbers(request):
    """Indices are float64."""
    return {**pool(request), "Indices": pool(request)["Indices"].astype(np.float64)}


@lies("pads.F1", about=(AVERAGEPOOL,))
def always_counts_padding(request):
    """Padding is counted whatever count_include_pad says."""
    return average(request, always_counts=True)


@lies("count_include_pad.F1", about=(AVERAGEPOOL,))
def counts_what_is_not_there(request):
    """With count_include_pad every cell of a window counts, also beyond the padded input."""
    return average(request, counts_beyond=True)


@lies("Y.F1", about=(AVERAGEPOOL,))
def computes_in_half(request):
    """With explicit padding or none, Y passes through float16."""
    outputs = average(request)
    with np.errstate(over="ignore"):
        half = outputs["Y"].astype(np.float16).astype(outputs["Y"].dtype)
    return outputs if mode(request).startswith("SAME") else {"Y": half}


NHWC = {name: fake for name, fake in MAXPOOL.items() if name != "indices_of_32_bits"}
"""For the text of the NHWC domain, which says of the type of Indices no more than that they are integers."""
