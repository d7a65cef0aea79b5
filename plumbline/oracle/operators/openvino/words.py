"""Translate attributes of ONNX's pooling operators to those of OpenVINO."""

from __future__ import annotations

from typing import Any

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import integer_list, integers, pads

AUTO_PAD = {"NOTSET": "explicit", "VALID": "valid", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower"}
ROUNDING = {0: "floor", 1: "ceil"}
SHARED = ("auto_pad", "ceil_mode", "kernel_shape", "pads", "rounding_type", "strides")


def pooling_words(call: Call) -> dict[str, Any]:
    """Return OpenVINO's attributes that MaxPool and AvgPool share, from a call as ONNX names them.

    A value is None if it cannot be translated. Of an odd number of pads the larger half is at the beginning."""
    given, padding = call.attributes, pads(call)
    half = None if padding is None else (len(padding) + 1) // 2
    auto_pad, ceil = given.get("auto_pad", "NOTSET"), given.get("ceil_mode", 0)
    return {
        "auto_pad": AUTO_PAD.get(auto_pad) if isinstance(auto_pad, str) else None,
        "kernel": integers(given.get("kernel_shape")),
        "pads_begin": None if padding is None else padding[:half],
        "pads_end": None if padding is None else padding[half:],
        "rounding_type": given.get("rounding_type", ROUNDING.get(ceil) if type(ceil) is int else None),
        "strides": integer_list(call, "strides", 1)}
