"""Fakes for OpenVINO's texts: each tells one lie, its docstring, and breaks exactly the clauses named.

A request comes in OpenVINO's words. The truth is that of the third implementation, which speaks ONNX, and what
OpenVINO has besides: padding of -inf, a first axis of indices, their type.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from tests.suite.naive import average, first_maximum, pool
from tests.suite.onnx_fakes import Fake

MAXPOOL: dict[str, tuple[Fake, frozenset[str]]] = {}
AVGPOOL: dict[str, tuple[Fake, frozenset[str]]] = {}
BOTH = (MAXPOOL, AVGPOOL)
LAST_WINDOW = {"ceil": 12, "ceil_torch": 22, "floor": 22}
"""Opsets of ONNX whose treatment of the last window is that of a rounding."""


def lies(*clauses: str, about: tuple[dict[str, tuple[Fake, frozenset[str]]], ...] = BOTH):
    """Lists a fake under the operations that it is about."""
    def add(fake: Fake) -> Fake:
        for table in about:
            table[fake.__name__] = fake, frozenset(clauses)
        return fake
    return add


def in_onnx(request: SimpleNamespace, **changed: object) -> SimpleNamespace:
    """The same request in ONNX's words, with OpenVINO's words changed before."""
    said = {**request.attributes, **changed}
    rank = request.inputs["X"].ndim - 2
    attributes = {"kernel_shape": list(said["kernel"]), "strides": list(said["strides"]),
                  "dilations": list(said.get("dilations", [1] * rank)),
                  "ceil_mode": int(said["rounding_type"] != "floor"),
                  "count_include_pad": int(not said.get("exclude-pad", True))}
    if said["auto_pad"].startswith("same"):
        attributes["auto_pad"] = said["auto_pad"].upper()
    elif said["auto_pad"] == "explicit":
        attributes["pads"] = [*said["pads_begin"], *said["pads_end"]]
    return SimpleNamespace(**{**vars(request), "attributes": attributes, "opset": LAST_WINDOW[said["rounding_type"]]})


def truth(request: SimpleNamespace, choose=None, changed: dict[str, object] | None = None,
          **wrong: bool) -> dict[str, np.ndarray]:
    """What the operation of the request gives, with words of it changed and lies of the third implementation."""
    asked = in_onnx(request, **changed or {})
    if request.operator == "AveragePool":
        return average(asked, **wrong)
    x = request.inputs["X"]
    nothing = -np.inf if x.dtype.kind == "f" else 0
    pick = choose or (lambda window, padded: first_maximum(window) if window else (nothing, 0))
    outputs = pool(asked, pick, **wrong)
    axis = request.attributes["axis"]
    counted = x.shape[axis:] if axis >= 0 else x.shape[x.ndim + axis:]
    kind = np.int32 if request.attributes["index_element_type"] == "i32" else np.int64
    return {**outputs, "Indices": (outputs["Indices"] % max(int(np.prod(counted)), 1)).astype(kind)}


def says(request: SimpleNamespace, **words: str) -> bool:
    """Whether the request says so."""
    return all(request.attributes[name] == value for name, value in words.items())


def shorter(outputs: dict[str, np.ndarray], where: bool) -> dict[str, np.ndarray]:
    """One window less on the last axis, where there are several."""
    return {name: array[..., :-1] if where and array.shape[-1] > 1 else array for name, array in outputs.items()}


@lies()
def honest(request):
    """Tells the truth."""
    return truth(request)


@lies("signature.F1")
def drops_the_outputs(request):
    """Never gives any output."""
    return {}


@lies("Y.C1")
def drops_the_last_window(request):
    """With explicit padding and floor there is one window less."""
    return shorter(truth(request), says(request, auto_pad="explicit", rounding_type="floor"))


@lies("Y.C2")
def ceil_as_ceil_torch(request):
    """With ceil a last window that starts behind X is dropped."""
    explicit_ceil = says(request, auto_pad="explicit", rounding_type="ceil")
    return truth(request, changed={"rounding_type": "ceil_torch"} if explicit_ceil else {})


@lies("Y.C3")
def ceil_torch_as_ceil(request):
    """With ceil_torch such a window is kept."""
    return truth(request, changed={"rounding_type": "ceil"} if says(request, rounding_type="ceil_torch") else {})


@lies("Y.C4")
def valid_takes_the_floor(request):
    """With valid the size is always rounded down."""
    return truth(request, changed={"rounding_type": "floor"} if says(request, auto_pad="valid") else {})


@lies("Y.C5")
def same_drops_the_last_window(request):
    """With automatic padding there is one window less."""
    return shorter(truth(request), request.attributes["auto_pad"].startswith("same"))


@lies("auto_pad.F1")
def lower_as_upper(request):
    """same_lower adds the odd cell at the end; Indices are right."""
    return {**truth(request), "Y": truth(request, lower_as_upper=True)["Y"]}


@lies("Y.F2")
def answers_in_double(request):
    """Y is float64."""
    return {**truth(request), "Y": truth(request)["Y"].astype(np.float64)}


@lies("Y.F3")
def folds_the_batch(request):
    """The batch is folded into the channels."""
    return {name: array.reshape(1, -1, *array.shape[2:]) if array.size else array
            for name, array in truth(request).items()}


@lies("pads_begin.F1", about=(MAXPOOL,))
def pads_with_zero(request):
    """Padding counts as 0; Indices are right."""
    zero = truth(request, lambda window, padded: (max(first_maximum(window)[0] if window else 0, 0) if padded else
                                                  first_maximum(window)[0], 0))
    return {**truth(request), "Y": zero["Y"]}


@lies("Y.F1", about=(MAXPOOL,))
def flushes_subnormals(request):
    """Subnormal values of Y become 0."""
    outputs = truth(request)
    if outputs["Y"].dtype.kind == "f":
        outputs["Y"][np.abs(outputs["Y"]) < np.finfo(outputs["Y"].dtype).smallest_normal] = 0
    return outputs


@lies("Indices.C1", about=(MAXPOOL,))
def flat_indices(request):
    """Indices are a list."""
    return {**truth(request), "Indices": truth(request)["Indices"].ravel()}


@lies("Indices.F1", about=(MAXPOOL,))
def ignores_the_axis(request):
    """Indices count over the whole X, whatever axis says."""
    request = SimpleNamespace(**{**vars(request), "attributes": {**request.attributes, "axis": 0}})
    return truth(request)


@lies("Indices.F2", about=(MAXPOOL,))
def always_64_bits(request):
    """Indices are int64 whatever index_element_type says."""
    return {**truth(request), "Indices": truth(request)["Indices"].astype(np.int64)}


@lies("exclude-pad.F1", about=(AVGPOOL,))
def always_counts_padding(request):
    """Padding is counted whatever exclude-pad says."""
    return truth(request, always_counts=True)


@lies("Y.F1", about=(AVGPOOL,))
def computes_in_half(request):
    """Without automatic padding, Y passes through float16."""
    y = truth(request)["Y"]
    with np.errstate(over="ignore"):
        half = y.astype(np.float16).astype(y.dtype)
    return {"Y": y if request.attributes["auto_pad"].startswith("same") else half}
