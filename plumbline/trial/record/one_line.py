"""Describe calls and tensors in one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.type_names import name_of
from plumbline.trial.record.lines import CallData
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.tensors import nested

BRIEF = 9
"""Most elements of a tensor whose values are written out."""

Arrays = Mapping[str, np.ndarray]


def call_text(call: CallData) -> str:
    """Describe a call, with the values of small inputs.

    Several inputs have their names.

    >>> x = {"dtype": "float32", "shape": [1, 1, 2], "values": [[[1.0, "-inf"]]]}
    >>> call_text(CallData(operator="Op", attributes={"size": [2]}, inputs={"X": x}))
    'Op(size=[2]) of float32 [[[1, -inf]]]'
    """
    return _line(call.operator, call.attributes,
                 {name: f"{tensor.dtype} {brief_values(tensor)}" for name, tensor in call.inputs.items()})


def answered_text(operator: str, attributes: Mapping[str, Any], inputs: Arrays, outputs: Arrays | None) -> str:
    """Describe a call and its outputs, if it gave any, large tensors by their shapes.

    >>> answered_text("Op", {}, {"X": np.zeros(2)}, {"Y": np.ones((4, 4))})
    'Op() of float64 [0, 0] gave float64 of shape [4, 4]'
    """
    before, after = ({name: _array(array) for name, array in (arrays or {}).items()} for arrays in (inputs, outputs))
    given = "" if outputs is None else f" gave {_named(after) or 'nothing'}"
    return _line(operator, attributes, before) + given


def _line(operator: str, attributes: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    written = ", ".join(f"{name}={value}" for name, value in attributes.items())
    return f"{operator}({written})" + (f" of {_named(inputs)}" if inputs else "")


def _named(tensors: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {text}" if len(tensors) > 1 else text for name, text in tensors.items())


def _array(array: np.ndarray) -> str:
    small = 0 < array.size <= BRIEF
    return f"{name_of(array.dtype)} {_nested(nested(array)) if small else f'of shape {list(array.shape)}'}"


def brief_values(tensor: Tensor) -> str:
    """Describe a tensor by its values, a large one by its shape.

    If all values of a large one are equal, the value is given too.

    >>> brief_values(Tensor(dtype="float32", shape=[1, 1, 10], values=[[["-inf"] * 10]]))
    'of shape [1, 1, 10], all -inf'
    """
    if tensor.size <= BRIEF and tensor.offset is None:
        return _nested(tensor.values) if tensor.size else f"of shape {tensor.shape}"
    texts = _texts(tensor.values) if tensor.offset is None else set()
    return f"of shape {tensor.shape}" + (f", all {texts.pop()}" if len(texts) == 1 else "")


def text_of(value: object) -> str:
    """Return the text of a value of a record."""
    if isinstance(value, str):
        return {"nan": "NaN"}.get(value, value)
    return repr(value).removesuffix(".0")


def _texts(values: object) -> set[str]:
    return set().union(*map(_texts, values)) if isinstance(values, list) else {text_of(values)}


def _nested(values: object) -> str:
    return f"[{', '.join(map(_nested, values))}]" if isinstance(values, list) else text_of(values)
