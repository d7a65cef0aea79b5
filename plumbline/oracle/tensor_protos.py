"""Arrays from tensors of ONNX."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, numpy_helper


def to_array(tensor: TensorProto, folder: str = "") -> np.ndarray:
    """Return the array of a tensor; `folder` is that of its external data.

    Strings are decoded here, since onnx drops NULs at their ends. Raises what `numpy_helper.to_array` raises, and
    UnicodeDecodeError."""
    if tensor.data_type != TensorProto.STRING or tensor.data_location == TensorProto.EXTERNAL:
        return np.asarray(numpy_helper.to_array(tensor, folder))
    return np.array([text.decode() for text in tensor.string_data], object).reshape(tuple(tensor.dims))
