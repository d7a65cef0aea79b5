"""Flags about values are looked for a block at a time, where they can be by the magnitudes of the block."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from plumbline.cases.format import flags
from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, load_spec

TYPES = [np.dtype(name) for name in ("float16", "float32", "float64", ml_dtypes.bfloat16)]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_blocks_show_what_the_whole_shows(dtype: np.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each special value in each block, at its ends too, in a tensor whose memory is contiguous or is not."""
    monkeypatch.setattr(flags, "BLOCK", 4)
    spec, info = load_spec("onnx/relu@14"), finfo(dtype)
    specials = [np.nan, np.inf, -np.inf, *(float(end) for end in (info.max, info.min, info.smallest_subnormal)),
                -float(info.smallest_subnormal), 0.0, float(info.smallest_normal)]
    shown = set()
    for number, special in enumerate([*specials, None]):
        for place in range(10):
            x = np.ones((10, 2), dtype)
            if special is not None:
                x[place, 0], x[(place + 5) % 10, 0] = special, specials[number - 1]
            for array in (x, np.ascontiguousarray(x[:, 0]), x[:, 0]):
                whole = [flag for flag, (_, holds) in flags.OF_VALUES.items() if holds(array).any()]
                assert [flag for flag in flags.flags_of(spec, Call("Relu", {}, {"X": array}))
                        if flag in flags.OF_VALUES] == whole
                shown.update(whole)
    assert shown == set(flags.OF_VALUES)
