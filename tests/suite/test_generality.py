"""Whatever an operator takes and gives reaches a backend and comes back: several inputs, scalars, nothing at all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from plumbline.backends import Answered, Host, InProcess, Raised, Request, Worker, find_backend
from plumbline.backends.capabilities import read_capabilities, undeclared
from plumbline.backends.doctor import supported
from tests.suite.fakes import Adapter

ARRAYS = {
    "data": np.array([[1.5, -0.0], [np.nan, np.inf]], np.float16), "scalar": np.array(3, np.int64),
    "empty": np.zeros((2, 0, 3), np.float32), "flags": np.array([True, False]),
    "order": np.asfortranarray(np.arange(6, dtype=np.uint16).reshape(2, 3)), "swapped": np.arange(3, dtype=">i4"),
    "small": np.array([5e-324, 2**-1074]), "bytes": np.array([255], np.uint8)}

ASKED = Request(b"", "Anything", {"axis": 1, "text": "a", "numbers": [1.5]}, 22, ARRAYS, tuple(ARRAYS), 60)


class Echo(Adapter):
    """Gives back what it is given."""

    name = "echo"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Every input, under its name."""
        return {name: array.copy() for name, array in request.inputs.items()}


class Counts(Adapter):
    """Gives how many inputs there are, and their names."""

    name = "counts"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Refuses with the names."""
        raise RuntimeError(f"{len(request.inputs)}: {' '.join(request.inputs)}; {request.attributes}")


ECHO = """import json, sys
for line in sys.stdin:
    call = json.loads(line)
    if call["do"] == "start":
        print('{"plumbline": 1, "name": "echo", "version": "1"}', flush=True)
    if call["do"] == "run":
        print(json.dumps({"number": call["number"], "outputs": call["inputs"]}), flush=True)
"""


@pytest.fixture(params=["in process", "worker", "stdio"])
def echo(request: pytest.FixtureRequest, tmp_path: Path) -> Host:
    """The same in each kind of host."""
    if request.param == "in process":
        return InProcess(Echo())
    if request.param == "worker":
        return Worker("tests.suite.test_generality:Echo")
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    return find_backend(f"stdio:{sys.executable} {tmp_path / 'echo.py'}").start()


def test_inputs_of_any_type_and_shape_come_back_as_they_went(echo: Host) -> None:
    """Types, shapes and every bit; a scalar stays one, an empty tensor keeps its shape."""
    found = echo.run(ASKED)
    echo.close()
    assert isinstance(found, Answered) and list(found.outputs) == list(ARRAYS)
    for name, array in ARRAYS.items():
        given = found.outputs[name]
        assert (given.dtype.name, given.shape) == (array.dtype.name, array.shape)
        assert given.tobytes() == np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).tobytes()


@pytest.mark.parametrize("inputs", [{}, {"first": ARRAYS["data"], "third": ARRAYS["scalar"]},
                                    {f"x{number}": ARRAYS["data"] for number in range(40)}])
def test_inputs_may_lack_in_the_middle_or_be_very_many(inputs: dict[str, np.ndarray]) -> None:
    """What is not given is not there; the order stays."""
    worker = Worker("tests.suite.test_generality:Counts")
    found = worker.run(Request(b"", "Anything", {"a": [1]}, 22, inputs, ("Y",), 60))
    worker.close()
    assert isinstance(found, Raised) and found.message == f"{len(inputs)}: {' '.join(inputs)}; {{'a': [1]}}"


@pytest.mark.parametrize(("entry", "says"), [
    ({"inputs": {"scalar": {"dtypes": ["int64"], "axes": [0]}}}, None),
    ({"inputs": {"absent": {"dtypes": ["int64"]}}}, None),
    ({"inputs": {"scalar": {"dtypes": ["int32"]}}}, "scalar of int64 is not declared"),
    ({"inputs": {"empty": {"axes": [1, 2]}}}, "empty of 3 axes is not declared"),
    ({"takes": [*ARRAYS]}, None),
    ({"takes": [name for name in ARRAYS if name != "scalar"]}, "input scalar is not declared"),
    ({"operators": ["Anything"], "dtypes": ["float16"]}, None),
])
def test_a_row_of_data_declares_an_operator_input_by_input(entry: dict, says: str | None) -> None:
    """Each limit alone; an input that is not given exceeds none."""
    assert undeclared(read_capabilities(json.loads(json.dumps([entry]))), "1", ASKED) == says


def test_an_operator_without_inputs_exceeds_no_limit_of_them() -> None:
    """Neither of types nor of axes."""
    read = read_capabilities([{"dtypes": ["float32"], "ranks": [2], "takes": []}])
    assert undeclared(read, "1", Request(b"", "Constant", {}, 22, {}, ("Y",))) is None


def test_an_entry_is_shown_with_its_inputs() -> None:
    """As a list of adapters shows it."""
    entry, = read_capabilities([{"operators": ["Gemm"], "inputs": {"C": {"dtypes": ["float32"], "axes": [0, 1]}},
                                 "takes": ["A", "B"]}])
    assert str(entry) == "Gemm; C float32 of 0 or 1 axes; inputs A B"


def test_support_is_found_out_by_asking() -> None:
    """Of each specification that a backend speaks of: what it answers, what of that is right, what it refuses."""
    host = Worker("tests.suite.manners:DeclaresAGap")
    found = {each.spec: each for each in supported(host, 4)}
    host.close()
    one = found["sonnx/maxpool"]
    assert (one.operator, one.submitted) == ("MaxPool", 4) and one.answered == one.right > 0
    refused = found["onnx/averagepool@22"]
    assert refused.answered <= refused.submitted == 4
    assert str(one).startswith(f"MaxPool (sonnx/maxpool): answers {one.answered} of 4 calls, {one.right} of them right")
