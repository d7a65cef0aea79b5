"""Execution providers of ONNX Runtime: names, environments, options, and no answer of another provider."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
import pytest

from plumbline.backends import Answered, BackendError, environments, find_backend, to_request, worker
from plumbline.backends.declarations import adapter_file, declared_by
from plumbline.backends.in_process import InProcess
from plumbline.oracle import Call, load_spec
from plumbline.trial.run.options import RunOptions

CLASS = f"{adapter_file('onnxruntime')}:OnnxRuntime"
ALONE = ("session.disable_cpu_ep_fallback", "optimization.disable_specified_optimizers")
RELU = to_request(load_spec("onnx/relu@14"), Call("Relu", {}, {"X": np.array([-1, 2], np.float32)}, ("Y",)), 14)


def test_a_provider_is_part_of_the_name() -> None:
    """It has an environment of its own, and a version is that of the package which has the provider."""
    backend = find_backend("onnxruntime==1.24.1@OpenVINOExecutionProvider:device_type=CPU")
    assert backend.requirements[0] == "onnxruntime-openvino==1.24.1"
    assert backend.adapter == "onnxruntime-OpenVINOExecutionProvider"
    assert backend.provider == "OpenVINOExecutionProvider:device_type=CPU"
    assert find_backend("onnxruntime@CPUExecutionProvider").adapter == "onnxruntime"


def test_the_option_is_the_same_as_the_name() -> None:
    """For each backend of the run."""
    options = RunOptions(backend=("onnxruntime", "onnxruntime==1.30.0"), provider="CUDAExecutionProvider:use_tf32=0")
    assert options.backends == ("onnxruntime@CUDAExecutionProvider:use_tf32=0",
                                "onnxruntime==1.30.0@CUDAExecutionProvider:use_tf32=0")


@pytest.mark.parametrize(("named", "says"), [
    ("onnxruntime@CudaProvider", "there is no provider or configuration 'CudaProvider'; it has CPUExecutionProvider, "),
    ("onnx-reference@CUDAExecutionProvider", "onnx-reference@CUDAExecutionProvider: there is no provider or "),
    ("onnxruntime@threads:4", "onnxruntime@threads:4: the configuration 'threads' takes no options"),
    ("onnxruntime@CUDAExecutionProvider:use_tf32", "'use_tf32' is not of the form option=value"),
])
def test_a_wrong_provider_is_said(named: str, says: str) -> None:
    """In one line, before anything is installed."""
    with pytest.raises(BackendError) as caught:
        find_backend(named)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_configuration_is_a_backend_of_its_own() -> None:
    """In the same environment; what it configures itself no context changes."""
    backend, plain = find_backend("onnxruntime@unoptimized"), find_backend("onnxruntime")
    assert (backend.adapter, backend.requirements) == ("onnxruntime-unoptimized", plain.requirements)
    assert set(plain.contexts or ()) - set(backend.contexts or ()) == {"threads", "unoptimized", "basic"}
    assert find_backend("onnxruntime==1.30.0@basic").requirements[0] == "onnxruntime==1.30.0"


@pytest.mark.parametrize("name", declared_by("onnxruntime").configurations)
def test_a_configuration_is_what_its_reproducer_sets(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it sets something; here a fake takes the place of the session."""
    sets: list[dict[str, Any]] = []

    def session(model: bytes, options: Any, providers: Any) -> SimpleNamespace:
        entries = ("session.set_denormal_as_zero", "session.disable_prepacking")
        sets.append({**{key: getattr(options, key) for key in ("graph_optimization_level", "intra_op_num_threads",
                                                               "use_deterministic_compute")},
                     **{entry: "0" for entry in entries}})
        for entry in entries:
            with contextlib.suppress(Exception):  # it is not set
                sets[-1][entry] = options.get_session_config_entry(entry)
        return SimpleNamespace(get_providers=lambda: providers, get_inputs=list, get_outputs=list,
                               run=lambda outputs, inputs: [np.zeros(2, np.float32)])

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    plain, adapter = worker.load_adapter(CLASS), worker.load_adapter(CLASS, name)
    plain.run(RELU)
    adapter.run(RELU)
    exec(adapter.reproduce, {"model": SimpleNamespace(SerializeToString=bytes), "outputs": [], "inputs": {}})
    by_default, chosen, reproduced = sets
    assert adapter.name == f"onnxruntime@{name}" and by_default != chosen
    assert {**chosen, "intra_op_num_threads": 0} == {**reproduced, "intra_op_num_threads": 0}


def test_a_configuration_changes_answers() -> None:
    """Subnormal results, in a process of its own, whose arithmetic it changes."""
    inputs = {name: np.array([value], np.float32) for name, value in (("A", 1e-38), ("B", 0.5))}
    request = to_request(load_spec("onnx/mul@14"), Call("Mul", {}, inputs, ("C",)), 14)
    answers = []
    for name in ("onnxruntime", "onnxruntime@denormals-as-zero"):
        host = find_backend(name).start()
        outcome = host.run(request)
        host.close()
        assert isinstance(outcome, Answered)
        answers.append(outcome.outputs["C"].tolist())
    assert answers == [[np.float32(1e-38) * np.float32(0.5)], [0]]


def test_a_build_without_the_provider_is_refused() -> None:
    """ONNX Runtime itself would run on the CPU, with a warning."""
    with pytest.raises(ValueError, match="this build of ONNX Runtime has no CUDAExecutionProvider; it has .*CPU"):
        worker.load_adapter(CLASS, "CUDAExecutionProvider")


def test_options_reach_the_provider_and_nothing_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a build that offers it: here a fake, which takes the place of the session."""
    sessions: list[tuple[Any, Any]] = []

    def session(model: bytes, options: Any, providers: Any) -> SimpleNamespace:
        sessions.append((*map(options.get_session_config_entry, ALONE), providers))
        return SimpleNamespace(get_providers=lambda: [providers[0][0]], get_inputs=list, get_outputs=list,
                               run=lambda outputs, inputs: [np.zeros(2, np.float32)])

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    adapter = worker.load_adapter(CLASS, "CUDAExecutionProvider:use_tf32=0,device_id=1")
    assert adapter.run(RELU)["Y"].tolist() == [0, 0] and adapter.provider(RELU) == "CUDAExecutionProvider"
    assert sessions == [("1", "ConstantFolding", [("CUDAExecutionProvider", {"use_tf32": "0", "device_id": "1"})])]
    assert adapter.name == "onnxruntime@CUDAExecutionProvider:use_tf32=0,device_id=1"
    assert adapter.about() == {"provider": "CUDAExecutionProvider", "provider use_tf32": "0", "provider device_id": "1"}
    scope: dict[str, Any] = {"model": SimpleNamespace(SerializeToString=bytes), "outputs": [], "inputs": {}}
    exec(adapter.reproduce, scope)
    assert sessions[1] == sessions[0]


def test_a_node_that_a_provider_leaves_to_the_cpu_is_a_declared_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its type or shape; any other refusal counts."""
    said = iter(["graph nodes that are assigned to the default CPU EP, but fallback to CPU EP has been explicitly "
                 "disabled by the user.", "no space is left"])

    def session(model: bytes, options: Any, providers: Any) -> SimpleNamespace:
        raise RuntimeError(next(said))

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    host = InProcess(worker.load_adapter(CLASS, "CUDAExecutionProvider"))
    left, failed = host.run(RELU), host.run(RELU)
    assert left.gap == "CUDAExecutionProvider leaves a node to the CPU" and left.phase == "load"
    assert failed.gap is None and failed.phase == "load"


def test_a_plugin_is_registered_and_its_first_device_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider in a package of its own: here a fake plugin, whose devices are those of the CPU provider."""
    registered: list[tuple[str, str]] = []
    plugin = SimpleNamespace(get_library_path=lambda: "library.so", get_ep_name=lambda: "CPUExecutionProvider")
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime_ep_webgpu", plugin)
    monkeypatch.setattr(onnxruntime, "register_execution_provider_library", lambda *given: registered.append(given))
    adapter = worker.load_adapter(CLASS, "WebGpuExecutionProvider")
    assert registered == [("WebGpuExecutionProvider", "library.so")]
    assert [device.ep_name for device in adapter._devices] == ["CPUExecutionProvider"]
    plugin.get_ep_name = lambda: "OtherExecutionProvider"
    with pytest.raises(ValueError, match="no device of this machine is one of WebGpuExecutionProvider"):
        worker.load_adapter(CLASS, "WebGpuExecutionProvider")


needs_openvino = pytest.mark.skipif(
    not environments.is_made("onnxruntime-OpenVINOExecutionProvider",
                             find_backend("onnxruntime@OpenVINOExecutionProvider").requirements),
    reason="onnxruntime-openvino is not installed: OpenVINO was not run")


@needs_openvino
def test_openvino_takes_a_call_or_refuses_it() -> None:
    """Float64 it does not take: then nothing answers in its place."""
    host = find_backend("onnxruntime@OpenVINOExecutionProvider").start()
    answered = host.run(RELU)
    double = Call("Relu", {}, {"X": np.array([-1, 2], np.float64)}, ("Y",))
    refused = host.run(to_request(load_spec("onnx/relu@14"), double, 14))
    host.close()
    assert answered.provider == "OpenVINOExecutionProvider" and answered.outputs["Y"].tolist() == [0, 2]
    assert refused.gap == "OpenVINOExecutionProvider leaves a node to the CPU"
    assert refused.phase == "load" and "fallback to CPU EP has been explicitly disabled" in refused.message


@needs_openvino
def test_the_cpu_computes_no_node_of_constants_for_openvino() -> None:
    """It would while the model is loaded, and its answer would count as that of the provider."""
    call = Call("Relu", {}, {"X": np.array([-1, 2], np.float32)}, ("Y",))
    host = find_backend("onnxruntime@OpenVINOExecutionProvider").start()
    folded = host.run(to_request(load_spec("onnx/relu@14"), call, 14, context="constants"))
    host.close()
    assert folded.gap == "OpenVINOExecutionProvider leaves a node to the CPU"
