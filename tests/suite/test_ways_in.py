"""Implementations that are not adapters of ours: ONNX's own interface, and command line programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import numpy_helper

from plumbline.backends import (
    Answered,
    BackendError,
    Crashed,
    Failed,
    Hung,
    InProcess,
    Raised,
    Request,
    find_backend,
    to_request,
    worker,
)
from plumbline.cases import Case
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, load_spec
from plumbline.trial import read_record
from tests.suite.commands import plumbline
from tests.suite.runs import only

PLACES = "{model} {inputs} {outputs}"


def request_of(x: np.ndarray, **more: object) -> Request:
    """A call of MaxPool with a kernel of 2x2."""
    attributes = {"kernel_shape": [2, 2], **more}
    call = Call("MaxPool", attributes, {"X": x}, ("Y",))
    return Request(to_model(call, ("Y",), 12), "MaxPool", attributes, 12, call.inputs, ("Y",), time_limit=20)


NINE = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
RIGHT = [[[[4, 5], [7, 8]]]]


@pytest.mark.parametrize("named", ["onnxruntime.backend", "onnxruntime.backend.backend:OnnxRuntimeBackend",
                                   "onnx.reference.op_run:OpRun", "onnx.nothing"])
def test_what_follows_the_interface_of_onnx_is_a_backend(named: str) -> None:
    """A module or a class; what follows neither interface is told."""
    if named.startswith("onnx."):
        with pytest.raises(BackendError, match="did not start"):
            find_backend(named).start()
        return
    host = find_backend(named).start()
    outcomes = [host.run(request_of(NINE)), host.run(request_of(NINE.astype(np.int64))),
                host.run(request_of(np.ones((1, 1, 1, 1), np.float32)))]
    host.close()
    assert host.identity.about["interface"] == "onnx.backend.base.Backend"
    assert host.identity.version[0].isdigit()
    assert isinstance(outcomes[0], Answered) and outcomes[0].outputs["Y"].tolist() == RIGHT
    assert isinstance(outcomes[1], Raised) and outcomes[1].phase == "load"
    assert isinstance(outcomes[2], (Answered, Raised))


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in C, compiled."""
    program = tmp_path_factory.mktemp("runner") / "runner"
    source = Path(__file__).with_name("runner.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lm"], check=True)
    return program


def test_a_program_in_c_is_put_on_trial(runner: Path, sonnx_cases: list[Case], run_trial) -> None:
    """It conforms on what it can do, and refuses the rest with its own reason; nothing is skipped."""
    chosen = [case for case in sonnx_cases if case.id in ("one-by-one", "int-example-1")]
    record = run_trial(find_backend(f"exec:{runner} {PLACES}").start(), chosen)
    assert record.header.backend.name == "runner"
    done = {(line.id, line.form): line for line in record.cases}
    assert done["one-by-one", "Y"].verdict == "conforms"
    refused = done["one-by-one", "Y+Indices"]
    assert refused.did == "exit status 1: runner: only Y is supported" and refused.phase == "run"
    assert refused.verdict == "rejects-valid"
    assert done["int-example-1", "Y"].did == "exit status 1: runner: only float32 is supported"


@pytest.mark.parametrize("attributes", [{}, {"strides": [2, 1]}, {"pads": [1, 0, 1, 1]},
                                        {"dilations": [2, 1], "kernel_shape": [3, 2]}, {"kernel_shape": [1, 1]}])
def test_the_program_in_c_computes(attributes: dict[str, list[int]], runner: Path) -> None:
    """Several planes, strides, pads and dilations, as the specification says."""
    spec = load_spec("onnx/maxpool@12")
    x = np.random.default_rng(7).normal(size=(2, 3, 6, 5)).astype(np.float32)
    request = request_of(x, **attributes)
    outcome = find_backend(f"exec:{runner} {PLACES}").start().run(request)
    assert isinstance(outcome, Answered)
    assert not spec.divergences(Call("MaxPool", request.attributes, request.inputs, ("Y",)), outcome.outputs)


@pytest.mark.parametrize(("script", "outcome"), [
    ("exit 0", Failed("output_0.pb, which is to hold Y, was not written, though the exit status was 0")),
    ("echo first >&2; echo 'no such kernel' >&2; exit 3", Raised("run", "exit status 3", "no such kernel")),
    ("exit 3", Raised("run", "exit status 3", "")),
    ("exit 255", Raised("run", "exit status 255", "")),
    ("printf 'a\\033[2Jb' >&2; exit 2", Raised("run", "exit status 2", "a\\x1b[2Jb")),
    ("kill -SEGV $$", Crashed("SIGSEGV", "")),
    ("exit 134", Crashed("SIGABRT", "")),
    ("echo std::bad_alloc >&2; kill -ABRT $$", Crashed("out of memory (SIGABRT)", "std::bad_alloc")),
    ("sleep 600 & sleep 600", Hung(0.5)),
])
def test_what_a_program_does_is_one_outcome(script: str, outcome: object, tmp_path: Path) -> None:
    """By exit status, signal and time; output on stdout says nothing."""
    path = tmp_path / "script.sh"
    path.write_text(f"echo noise\n{script}\n", encoding="utf-8")
    asked = request_of(NINE)
    limit = outcome.limit if isinstance(outcome, Hung) else 20
    asked = Request(asked.model, "MaxPool", asked.attributes, 12, asked.inputs, ("Y",), limit)
    assert find_backend(f"exec:sh {path} {PLACES}").start().run(asked) == outcome


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    """A child in the background does not live on."""
    path = tmp_path / "script.sh"
    path.write_text("sleep 600 &\necho $! > $1\nwait\n", encoding="utf-8")
    asked = request_of(NINE)
    asked = Request(asked.model, "MaxPool", asked.attributes, 12, asked.inputs, ("Y",), 0.5)
    assert isinstance(find_backend(f"exec:sh {path} {tmp_path / 'child'} {PLACES}").start().run(asked), Hung)
    stat = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(("content", "says"), [
    (b"\xff\xff\xff", "output_0.pb holds no tensor: DecodeError"),
    (b"", "output_0.pb holds no tensor: "),
    (numpy_helper.from_array(np.zeros(4, np.float32)).SerializeToString()[:-3], "output_0.pb holds no tensor: "),
])
def test_an_output_file_that_holds_no_tensor_is_told(content: bytes, says: str, tmp_path: Path) -> None:
    """Garbled, empty, or cut off."""
    (tmp_path / "bad.pb").write_bytes(content)
    path = tmp_path / "script.sh"
    path.write_text(f"cp {tmp_path / 'bad.pb'} $3/output_0.pb\n", encoding="utf-8")
    outcome = find_backend(f"exec:sh {path} {PLACES}").start().run(request_of(NINE))
    assert isinstance(outcome, Failed) and outcome.why.startswith(says) and "\n" not in outcome.why


def test_the_memory_of_a_program_is_limited(tmp_path: Path) -> None:
    """Memory that it uses, a child of it too, and not addresses that it reserves."""
    path = tmp_path / "script.py"
    path.write_text("import mmap, subprocess, sys, time\n"
                    "reserved = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | 0x4000)  # no reserve\n"
                    "if 'child' in sys.argv: used = b'1' * (int(sys.argv[2]) << 20); time.sleep(1)\n"
                    "else: subprocess.run([sys.executable, __file__, 'child', sys.argv[1]]); sys.exit(3)\n",
                    encoding="utf-8")
    for size, says in ((16, Raised("run", "exit status 3", "")), (512, "out of memory")):
        host = find_backend(f"exec:{sys.executable} {path} {size} {PLACES}").start(memory_limit=256)
        outcome = host.run(request_of(NINE))
        assert outcome == says or isinstance(outcome, Crashed) and outcome.how == says, outcome


@pytest.mark.parametrize(("named", "says"), [
    ("exec:./runner {model} {inputs}", "the command lacks {outputs}; write exec:COMMAND {model} {inputs} {outputs}"),
    ("exec:", "the command lacks {model}, {inputs}, {outputs}"),
    ("exec:no-such-program {model} {inputs} {outputs}", "there is no program 'no-such-program'"),
    ("exec:runner '{model} {inputs} {outputs}", "not a command line: No closing quotation"),
])
def test_a_command_that_cannot_be_one_is_one_line(named: str, says: str) -> None:
    """With what would be right."""
    with pytest.raises(BackendError) as caught:
        find_backend(named).start()
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_an_interpreter_is_not_for_a_program() -> None:
    """It would be left unused in silence."""
    with pytest.raises(BackendError, match="--python is for a MODULE or MODULE:CLASS"):
        find_backend(f"exec:runner {PLACES}", Path("/usr/bin/python3"))


OF_ONNX = """import numpy as np

class Mine:
    name, version, specifications = "mine", "1", ("onnx/softmax@13",)
    times = {}

    def run(self, request):
        assert "input" in request.inputs and "X" in request.inputs and request.inputs.get("axes") is None
        x = request.inputs["input"].astype(np.float64)
        y = np.exp(x - x.max(axis=-1, keepdims=True))
        return {"output": (self.times * y / y.sum(axis=-1, keepdims=True)).astype(request.inputs["X"].dtype)}

class Lost(Mine):
    def run(self, request):
        return {"output": request.inputs["x"]}
"""


@pytest.mark.parametrize("outside", [True, False])
def test_names_of_onnx_find_inputs_and_name_outputs(outside: bool, tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own and in this one, in any layout."""
    (tmp_path / "of_onnx.py").write_text(OF_ONNX.replace("{}", "1"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)
    spec, call = load_spec("onnx/softmax@13"), Call("Softmax", {}, {"X": np.array([[1, 2, 3]], np.float32)}, ("Y",))
    host = find_backend("of_onnx:Mine").start() if outside else InProcess(worker.load_adapter("of_onnx:Mine"))
    for request in (to_request(spec, call, 13), replace(to_request(spec, call, 13), settings={"layout": "strided"}),
                    replace(to_request(spec, call, 13), settings={"before": "larger"})):
        assert (answer := host.run(request)) and not spec.divergences(call, answer.outputs)
    host.close()
    lost = find_backend("of_onnx:Lost").start() if outside else InProcess(worker.load_adapter("of_onnx:Lost"))
    answer = lost.run(to_request(spec, call, 13))
    assert answer.own.startswith("of_onnx.py:")
    assert answer.mistake(call.inputs) == "KeyError: 'x'; the inputs of this call are X"
    lost.close()


def test_a_script_finds_the_names_of_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """The script of a report shows the fault of such a class."""
    (tmp_path / "of_onnx.py").write_text(OF_ONNX.replace("{}", "2"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-m", "plumbline", "conformance", "--backend", "of_onnx:Mine", "--generated", "0",
                    "--context", "none", "-k", "example", "--report-dir", "out"], capture_output=True)
    accused = next(line for line in read_record(only(tmp_path / "out")).cases if line.verdict == "diverges")
    capsys.readouterr()
    assert plumbline(["report", "upstream", str(only(tmp_path / "out")), accused.id]) == 0
    (tmp_path / "shown.py").write_text(re.search(r"```python\n(.*?)\n```", capsys.readouterr().out, re.DOTALL)[1])
    assert subprocess.run([sys.executable, "shown.py"], cwd=tmp_path).returncode == 1
