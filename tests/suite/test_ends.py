"""Sizes at the ends of 64 bits: the oracle answers by arithmetic, or refuses in one line, and holds nothing of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plumbline.oracle import Call, TooLarge, load_spec

IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)


def pool(name: str, x: np.ndarray = IMAGE, **attributes: Any) -> tuple[Any, Call]:
    """A specification, and a call of its operator."""
    spec = load_spec(name)
    return spec, Call(spec.operator, attributes, {"X": x})


@pytest.mark.parametrize("name", ["onnx/averagepool@7", "onnx/averagepool@11", "onnx/averagepool@22"])
@pytest.mark.parametrize("kernel", [[2**26, 2], [2**40, 2], [2**62, 2], [2**63 - 1, 2**63 - 1]])
def test_a_mean_counts_padding_without_walking_the_kernel(name: str, kernel: list[int]) -> None:
    """The divisor has every padding cell, also where it is beyond 64 bits."""
    spec, call = pool(name, kernel_shape=kernel, auto_pad="SAME_UPPER", count_include_pad=1)
    wanted = Fraction(int(IMAGE[..., :2].sum() if kernel[1] == 2 else IMAGE.sum()), kernel[0] * kernel[1])
    got = spec.expected(call)["Y"]
    assert got[0, 0, 0, 0] == np.float32(float(wanted)) != 0
    assert not spec.divergences(call, {"Y": got})
    assert spec.divergences(call, {"Y": got * np.float32(1.001)})


@pytest.mark.parametrize("size", [2**62, 2**63 - 1])
def test_an_index_does_not_overflow(size: int) -> None:
    """A window may begin farther before X than an index reaches."""
    spec, call = pool("onnx/maxpool@22", kernel_shape=[size, size], auto_pad="SAME_UPPER")
    indices = spec.expected(call)["Indices"]
    assert indices.dtype == np.int64 and (indices == 15).all()


@pytest.mark.parametrize("name", ["onnx/lppool@2", "onnx/lppool@22"])
@pytest.mark.parametrize("p", [20_000, 2**31, 2**62, 2**63 - 1])
def test_a_norm_of_any_power_is_told_from_zero(name: str, p: int) -> None:
    """However large p is, the norm is near the largest element, and nothing far from it conforms."""
    spec, call = pool(name, np.float32([[[9, 8, 8]]]), kernel_shape=[2], p=p)
    right = np.float32([[[9, 8]]])
    assert not spec.divergences(call, {"Y": right})
    for factor in (0, 0.999, 1.001):
        assert spec.divergences(call, {"Y": right * np.float32(factor)})


def test_a_window_of_many_cells_is_not_listed() -> None:
    """Pictures do without the cells of such a window."""
    spec, call = pool("onnx/maxpool@22", kernel_shape=[2**62, 1], auto_pad="SAME_UPPER")
    assert spec.receptive_field(call, "Y", (0, 0, 0, 0)) == {}


def test_a_gap_of_a_far_dilation_is_not_laid_out() -> None:
    """What lies under the gap of a dilation is found without an array of its size."""
    spec = load_spec("onnx/conv@22")
    x = np.float32([[[1, np.inf, 2]]])
    attributes = {"dilations": [2**40], "pads": [0, 2**40], "kernel_shape": [2]}
    call = Call("Conv", attributes, {"X": x, "W": np.ones((1, 1, 2), np.float32)})
    assert spec.expected(call)["Y"].tolist() == [[[1, np.inf, 2]]]
    assert "pads.U1" not in spec.unspecified_clauses(call)


@pytest.mark.parametrize(("name", "attributes", "inputs"), [
    *((f"onnx/{name}@22", {"kernel_shape": [2, 2], "pads": [0, 0, 2**31, 0]}, {"X": IMAGE})
      for name in ("averagepool", "lppool", "maxpool")),
    ("onnx/conv@22", {"pads": [0, 0, 2**31, 0]}, {"X": IMAGE, "W": IMAGE[..., :2, :2]}),
    ("onnx/reshape@25", {"allowzero": 1}, {"data": IMAGE[..., :0], "shape": np.array([0, 2**62])}),
    ("onnx/reshape@25", {}, {"data": IMAGE[..., 0, 0], "shape": np.ones(65, np.int64)}),
    ("onnx/unsqueeze@25", {}, {"data": IMAGE, "axes": np.arange(61)}),
    ("onnx/argmax@13", {"axis": 0}, {"data": np.zeros((0, 2**40), np.float32)}),
    ("onnx/softmax@13", {"axis": 0}, {"X": np.zeros((0, 2**40), np.float32)}),
    ("onnx/add@14", {}, {"A": np.zeros((2**20, 1), np.float32), "B": np.zeros((1, 2**20), np.float32)}),
])
def test_what_is_too_large_is_refused_in_one_line(name: str, attributes: dict[str, Any],
                                                  inputs: dict[str, np.ndarray]) -> None:
    """An output that no memory holds, or no array, is refused before anything is allocated."""
    spec = load_spec(name)
    call = Call(spec.operator, attributes, inputs)
    assert not spec.violations(call)
    with pytest.raises(TooLarge, match=r"^\S+ has .* and at most [\d,]+ are judged$"):
        spec.expected(call)
    with pytest.raises(TooLarge):
        spec.may_refuse(call)


@pytest.mark.parametrize("value", [(2, 2), [1], b"x", "1", 0.5, True, 2**63])
@pytest.mark.parametrize(("name", "attribute"), [
    *((f"onnx/{name}@22", "ceil_mode") for name in ("averagepool", "lppool", "maxpool")),
    ("onnx/averagepool@22", "count_include_pad"), ("onnx/maxpool@22", "storage_order"),
    ("ms.nhwc/maxpool@11", "storage_order")])
def test_an_integer_that_is_none_is_refused(name: str, attribute: str, value: Any) -> None:
    """Lists, texts, fractions, truth values and numbers beyond 64 bits are no integers."""
    spec, call = pool(name, kernel_shape=[2, 2], **{attribute: value})
    assert [entry.clause for entry in spec.violations(call)] == [f"{spec.name}#{attribute}.C1"]
