"""Faults of layout: the shape of outputs, how inputs lie in memory, and which are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from plumbline.backends import Request
from tests.faults.calls import Outputs
from tests.faults.wrapper import Facts, Run, Spoil, Wrapper, input_spoilt, of_input, of_outputs


def of_layouts(facts: Facts) -> Iterator[Wrapper]:
    """Those that outputs of such ranks, and inputs of such names, can have."""
    shapes: dict[str, Spoil] = {
        "flattened": lambda x: x.reshape(-1), "with an axis more in front": lambda x: x[None],
        "with an axis more at the end": lambda x: x[..., None],
        "without axes of size 1": lambda x: x.reshape([size for size in x.shape if size != 1]),
        "scalars as vectors": lambda x: x.reshape(1) if x.ndim == 0 else x,
        "without their last element": lambda x: x[..., :-1] if x.ndim else x,
        "with an element more": lambda x: np.concatenate([x, x[..., -1:]], -1) if x.ndim and x.shape[-1] else x}
    moves: dict[str, Spoil] = {
        "from the last to the first": lambda x: x.reshape(-1)[::-1].reshape(x.shape),
        "one element late": lambda x: np.roll(x.reshape(-1), 1).reshape(x.shape),
        "column by column": lambda x: x.reshape(-1, order="F").reshape(x.shape),
        "with rows turned": lambda x: x[..., ::-1] if x.ndim else x,
        "with octets exchanged": lambda x: x.byteswap() if x.dtype.itemsize > 1 else x}
    axes: dict[str, Spoil] = {
        "with the last two axes exchanged": lambda x: x.swapaxes(-1, -2) if x.ndim > 1 else x,
        "with the first two axes exchanged": lambda x: x.swapaxes(0, 1) if x.ndim > 1 else x,
        "with channels last": lambda x: np.moveaxis(x, 1, -1) if x.ndim > 2 else x}
    for what, spoil in {**shapes, **moves, **(axes if facts.rank > 1 else {})}.items():
        yield of_outputs(f"outputs {what}", "layout", spoil)
    for name in facts.inputs:
        for what, spoil in {**moves, **axes}.items():
            yield of_input(name, f"{name}: read {what}", "layout", lambda x, spoil=spoil: _in_shape(spoil(x), x))
        yield of_input(name, f"{name}: its first element stands for all", "layout",
                        lambda x: np.full_like(x, x.reshape(-1)[0]) if x.size else x)
    for one in facts.inputs:
        for other in facts.inputs:
            if one != other:
                yield Wrapper(f"{one}: read from {other}", "input",
                              partial(input_spoilt, name=one, spoil=None, other=other))
    for name in facts.inputs:
        if name in facts.optional:
            yield Wrapper(f"{name}: not read where it may be absent", "input", partial(_without_input, name=name))
    yield Wrapper("no output is given", "output", lambda run, request, outputs: {})
    yield Wrapper("the last output is not given", "output",
                  lambda run, request, outputs: dict([*outputs.items()][:-1]))
    yield Wrapper("empty outputs are not given", "output", lambda run, request, outputs: {
        name: array for name, array in outputs.items() if array.size})


def _in_shape(made: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(made).reshape(x.shape)


def _without_input(run: Run, request: Request, outputs: Outputs, name: str) -> Outputs:
    if name not in request.inputs or len(request.inputs) < 2:
        return outputs
    return run(replace(request, inputs={key: array for key, array in request.inputs.items() if key != name}))
