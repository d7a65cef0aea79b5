"""The bound for convolutions by Fourier transforms: honest ones keep it, and it hides no plain fault."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from plumbline.backends import Request
from plumbline.oracle import Call, load_spec
from plumbline.trial.record.judge import ACCUSES
from tests.faults.calls import Item, default_items, operators
from tests.faults.trial import answer_of
from tests.operators.onnx import _convolution as convolution
from tests.operators.onnx._convolution import Convolution

BY_TRANSFORMS = [convolution.FourierInStages, convolution.FourierOfNumpy, convolution.FourierByChannel]


class Scaled(Convolution):
    """Off by a thousandth."""

    def finish(self, y):
        """Scaled sums."""
        return (y * y.dtype.type(1.001)).astype(self.dtype)


class LosesAChannel(Convolution):
    """Leaves the last of several channels out."""

    def channels(self, count):
        """All but the last, where there are several."""
        return range(max(count - 1, min(count, 1)))


class Turned(Convolution):
    """Turns kernels around."""

    def read_w(self, w):
        """The kernels, turned."""
        return np.flip(w, tuple(range(2, w.ndim)))


class PadsOneOff(Convolution):
    """Moves a cell of padding from the end to the beginning."""

    def read_pads(self):
        """Those at the beginning and at the end."""
        begin, end = super().read_pads()
        moves = [bool(one and other) for one, other in zip(begin, end, strict=True)]
        return ([one + move for one, move in zip(begin, moves, strict=True)],
                [one - move for one, move in zip(end, moves, strict=True)])


class SpreadsNan(Convolution):
    """Transforms numbers that are not finite too, which spread over a plane."""

    def summed(self, x, w):
        """NaN for a batch that has any."""
        y = super().summed(x, w)
        wild = ~np.isfinite(x).all(axis=tuple(range(1, x.ndim)))
        y[wild] = np.nan
        return y


@cache
def items() -> list[Item]:
    """The calls of the default run under the newest text."""
    return default_items(operators()["onnx/conv"][-1:])


def verdicts(kind: type[Convolution]) -> list[str]:
    """By call."""
    implementation = kind()
    return [item.verdict(answer_of(implementation.run, item.request)).verdict for item in items()]


@pytest.mark.gate(one_in=3)
@pytest.mark.parametrize("kind", BY_TRANSFORMS)
def test_transforms_are_not_accused(kind: type[Convolution]) -> None:
    """Of the default run; many elements are outside the bound of sums."""
    given = verdicts(kind)
    assert not set(ACCUSES).intersection(given) and given.count("observed") > len(given) / 5


@pytest.mark.gate(one_in=3)
@pytest.mark.parametrize(("kind", "least"), [(Scaled, 0.5), (LosesAChannel, 0.2), (Turned, 0.4), (PadsOneOff, 0.1),
                                             (SpreadsNan, 0.02)])
def test_faults_are_found(kind: type[Convolution], least: float) -> None:
    """On a share of the calls."""
    given = verdicts(kind)
    assert sum(verdict in ACCUSES for verdict in given) > least * len(given)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", BY_TRANSFORMS)
def test_errors_are_within_a_fraction_of_the_bound(dtype: str, kind: type[Convolution]) -> None:
    """On random planes, where the worst of all roundings do not come together."""
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal(shape).astype(dtype) for shape in ((1, 8, 29, 29), (3, 8, 4, 4)))
    call = Call("Conv", {}, {"X": x, "W": w})
    right = load_spec("onnx/conv@22").judged(call).definition.convolution
    y = kind().run(Request(b"", call.operator, {}, 22, call.inputs, ("Y",)))["Y"]
    assert y.dtype == dtype and right.admits_fourier(y).all()
    error = np.abs(y.astype(np.longdouble) - right.total).max()
    nearer, farther = (y + (factor * error).astype(dtype) for factor in (10, 10_000))
    assert right.admits_fourier(nearer).all() and not right.admits_fourier(farther).any()
    exact = right.values.copy()
    exact[0, 0, 0, 0] = np.inf
    assert not right.admits_fourier(exact)[0, 0, 0, 0] and right.admits_fourier(exact).sum() == exact.size - 1


def test_what_cannot_overflow_on_the_way_is_finite() -> None:
    """Products of whole planes can exceed the range where sums of windows do not; zeros give no room."""
    x, w = np.full((1, 1, 40), 1e19, np.float32), np.full((2, 1, 3), 1e19, np.float32)
    w[1] = 0
    right = load_spec("onnx/conv@22").judged(Call("Conv", {}, {"X": x, "W": w / 4})).definition.convolution
    assert np.isfinite(right.values).all()
    admitted = right.admits_fourier(np.full(right.shape, np.nan, np.float32))
    assert admitted[:, 0].all() and not admitted[:, 1].any()
    assert not right.admits_fourier(np.full(right.shape, 1e-30, np.float32))[:, 1].any()
