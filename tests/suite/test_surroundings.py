"""A backend in the process of the suite cannot change how the suite judges."""

from __future__ import annotations

import locale
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from plumbline.backends import Answered, InProcess, find_backend, to_request
from plumbline.oracle import Call, load_spec
from tests.suite.meddling import MEDDLING
from tests.suite.test_supervision import ASKED

CHANGES = {"rounds_upwards": "how the processor treats subnormals, or rounds", "changes_the_locale": "the locale",
           "replaces_a_function": "numpy.maximum",
           "raises_for_underflow": "what numpy does about errors of floating point"}


@pytest.mark.parametrize("fake", MEDDLING)
def test_what_is_changed_is_put_right_and_told(fake: str) -> None:
    """Where there is no process to go on in; what is put right is as it was."""
    before = np.maximum, locale.setlocale(locale.LC_ALL), np.geterr(), (np.array([1.0]) / 3).tobytes()
    host = InProcess(MEDDLING[fake]())
    assert isinstance(host.run(ASKED), Answered)
    assert before == (np.maximum, locale.setlocale(locale.LC_ALL), np.geterr(), (np.array([1.0]) / 3).tobytes())
    assert host.notes == [f"in the process of the suite a call changed {CHANGES[fake]}, which was put right"]


def flushed() -> tuple[list[bool], list[str]]:
    """Whether each of two answers of the backend that flushes subnormals diverges, and what is told of it."""
    spec, x = load_spec("onnx/averagepool@22"), np.full((1, 1, 2, 2), 1e-40, np.float32)
    call = Call("AveragePool", {"kernel_shape": [2, 2]}, {"X": x}, ("Y",))
    request = to_request(spec, call, 22)
    host = find_backend("tests.suite.meddling:FlushesSubnormals").load()
    found = [*host.run_inputs(request, [{"X": x}]), host.run(request)]
    host.close()
    assert (np.array([1e-40], np.float32) * 1)[0] != 0
    return [bool(spec.divergences(call, outcome.outputs)) for outcome in found], host.notes


def test_calls_go_on_in_a_process_of_their_own() -> None:
    """From the call that changed something on; and it is judged by a process that knows subnormals.

    ONNX Runtime takes this option from the first session of a thread, so that no other test may have come before."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        diverges, notes = fresh.submit(flushed).result()
    assert diverges == [True, True]
    assert notes == ["in the process of the suite a call changed how the processor treats subnormals, or rounds, "
                     "which was put right; it and all later calls were run in a process of their own"]


def test_an_honest_backend_stays() -> None:
    """In the process, without a note."""
    host = find_backend("onnxruntime").load()
    spec = load_spec("onnx/maxpool@22")
    call = Call("MaxPool", {"kernel_shape": [1, 1]}, {"X": ASKED.inputs["X"]}, ("Y",))
    assert isinstance(host.run(to_request(spec, call, 22)), Answered)
    assert not host.is_outside and not host.notes
    host.close()
