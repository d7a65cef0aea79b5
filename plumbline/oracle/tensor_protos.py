"""Arrays from tensors of ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onnx import TensorProto


def to_array(tensor: TensorProto, folder: str = "") -> np.ndarray:
    """Return the array of a tensor; `folder` is that of its external data.

    Strings are decoded here, since onnx drops NULs at their ends. Raises what `numpy_helper.to_array` raises, and
    UnicodeDecodeError."""
    from onnx import numpy_helper  # here, since most commands read no tensor

    if tensor.data_type != tensor.STRING or tensor.data_location == tensor.EXTERNAL:
        return np.asarray(numpy_helper.to_array(tensor, folder))
    return np.array([text.decode() for text in tensor.string_data], object).reshape(tuple(tensor.dims))
