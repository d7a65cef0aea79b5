"""Reference oracles of ONNX Cast and CastLike: each number converted by itself, exactly."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import DATA_TYPES, converted


def cast(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the elements in the type of a number, in version 1 of a name."""
    to = call.attributes["to"]
    name = (to if version < 6 else DATA_TYPES[to]).lower()
    name = {"float": "float32", "double": "float64"}.get(name, name)
    return _converted(call, np.dtype(getattr(ml_dtypes, name, name)), version)


def castlike(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the elements in the type of target_type."""
    return _converted(call, call.inputs["target_type"].dtype, version)


def _converted(call: Call, dtype: np.dtype, version: int) -> dict[str, np.ndarray]:
    return {"output": converted(call.inputs["input"], dtype, version, bool(call.attributes.get("saturate", 1)),
                                call.attributes.get("round_mode", "up"))}
