"""Adapter for ONNX Runtime, on the CPU or another execution provider."""

from __future__ import annotations

import ctypes
import importlib
import runpy
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plumbline.backends.request import Request
    from plumbline.backends.worker import Prepared

unpacked = runpy.run_path(str(Path(__file__).with_name("_packed.py")))["unpacked"]

MAX_OPSET = (*((1, minor, 26) for minor in range(25, 32)), (1, 24, 25), (1, 23, 23), (1, 22, 22), (1, 21, 22),
             (1, 20, 21), (1, 19, 21), (1, 18, 21), (1, 17, 20), (1, 16, 19), (1, 15, 19))
"""Highest opset of ONNX's default domain by release, for those below the opset 28 that some specifications use; each
was found by loading models of opsets 18 to 29."""

LEVELS = {"none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
          "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC}

LEVEL = "graph_optimization_level"

BEYOND_NUMPY = {16: ("bfloat16", 16), 17: ("float8_e4m3fn", 8), 18: ("float8_e4m3fnuz", 8), 19: ("float8_e5m2", 8),
                20: ("float8_e5m2fnuz", 8), 21: ("uint4", 4), 22: ("int4", 4), 23: ("float4_e2m1fn", 4),
                24: ("float8_e8m0fnu", 8), 25: ("uint2", 2), 26: ("int2", 2)}
"""By number in ONNX the element types that `session.run` neither takes nor gives: names in ml_dtypes, and bits."""

FLOATS = ["float32", "float64", "float16"]
LONG = ["int32", "int64", "uint32", "uint64"]
SHORT = ["int8", "int16", "uint8", "uint16"]
MOVED = [*FLOATS, *LONG, *SHORT, "bool", "string"]


CPU = "CPUExecutionProvider"

LEFT = "fallback to CPU EP has been explicitly disabled"
"""Part of the message of a session whose provider does not take every node: the CPU would run the others."""


ALONE = {"session.disable_cpu_ep_fallback": "1", "optimization.disable_specified_optimizers": "ConstantFolding"}
"""Config of a session in which the CPU computes nothing in a provider's place: no node that the provider lacks, and no
node of constants."""


class OnnxRuntime:
    """One session for each call, with options as by default but for one thread, or in a configuration.

    On another provider than the CPU's, a node that it does not take is refused, never run on the CPU in silence."""

    name = "onnxruntime"
    # Builds with other providers install the same module; plugins are registered with it.
    providers = {
        "CPUExecutionProvider": ("onnxruntime",),
        "OpenVINOExecutionProvider": ("onnxruntime-openvino",),
        "CUDAExecutionProvider": ("onnxruntime-gpu",),
        "TensorrtExecutionProvider": ("onnxruntime-gpu",),
        "DmlExecutionProvider": ("onnxruntime-directml",),
        "QNNExecutionProvider": ("onnxruntime-qnn",),
        "MIGraphXExecutionProvider": ("onnxruntime-migraphx",),
        "CANNExecutionProvider": ("onnxruntime-cann",),
        "CoreMLExecutionProvider": ("onnxruntime",),
        "XnnpackExecutionProvider": ("onnxruntime",),
        "WebGpuExecutionProvider": ("onnxruntime", "onnxruntime-ep-webgpu"),
    }
    # By name, attributes of SessionOptions, and entries, which have a dot, of its config.
    configurations: dict[str, dict[str, Any]] = {
        "threads": {"intra_op_num_threads": 4},
        "unoptimized": {"graph_optimization_level": "ORT_DISABLE_ALL"},
        "basic": {"graph_optimization_level": "ORT_ENABLE_BASIC"},
        "denormals-as-zero": {"session.set_denormal_as_zero": "1"},
        "no-prepacking": {"session.disable_prepacking": "1"},
        "deterministic": {"use_deterministic_compute": True},
    }
    requirements = ("onnxruntime", "ml_dtypes")
    address_limit = True
    megabytes = 125
    specifications = ("sonnx/*", "onnx/*")
    # What the CPU provider runs. Source: ONNX Runtime, docs/OperatorKernels.md, CPUExecutionProvider; float16 has no
    # kernel there and is run by casts to float32 and back, except at the opset 1 of MaxPool and Conv.
    capabilities = [
        {"operators": ["AveragePool"], "opsets": [7, None], "dtypes": ["float32", "float16"], "ranks": [1, 2, 3]},
        {"operators": ["MaxPool"], "opsets": [1, 7], "dtypes": ["float32"], "ranks": [1, 2, 3]},
        {"operators": ["MaxPool"], "opsets": [8, None], "dtypes": ["float32", "float16", "float64", "int8", "uint8"],
         "ranks": [1, 2, 3]},
        {"operators": ["Relu"], "opsets": [6, None], "dtypes": ["float32", "float16", "float64"]},
        {"operators": ["Relu"], "opsets": [14, None], "dtypes": ["int8", "int32"]},
        {"operators": ["Gemm"], "opsets": [7, None], "dtypes": ["float32", "float16", "float64"]},
        {"operators": ["MatMul"], "dtypes": ["float32", "float64"]},
        {"operators": ["MatMul"], "opsets": [7, None], "dtypes": ["float16"]},
        {"operators": ["MatMul"], "opsets": [9, None], "dtypes": ["int32", "int64", "uint32", "uint64"]},
        {"operators": ["GlobalAveragePool", "GlobalMaxPool"], "dtypes": ["float32"], "ranks": [1, 2, 3]},
        {"operators": ["GlobalAveragePool", "GlobalMaxPool"], "opsets": [7, None], "dtypes": ["float16"],
         "ranks": [1, 2, 3]},
        {"operators": ["LpPool"], "opsets": [2, None], "dtypes": ["float32"], "ranks": [1, 2, 3]},
        {"operators": ["LpPool"], "opsets": [7, None], "dtypes": ["float16"], "ranks": [1, 2, 3]},
        # Of the types of their kernels those that a session takes from numpy.
        {"operators": ["Flatten", "Reshape", "Shape", "Slice", "Unsqueeze"], "opsets": [1, None], "dtypes": MOVED},
        {"operators": ["ArgMax"], "opsets": [1, None],
         "dtypes": ["float32", "float64", "int8", "uint8", "int32", "int64"]},
        {"operators": ["Concat"], "opsets": [4, None], "dtypes": MOVED},
        {"operators": ["Conv", "ConvTranspose"], "opsets": [1, 10], "dtypes": ["float32"], "ranks": [1, 2, 3]},
        {"operators": ["Conv", "ConvTranspose"], "opsets": [11, None], "dtypes": ["float32", "float16"],
         "ranks": [1, 2, 3]},
        {"operators": ["Einsum"], "opsets": [12, None], "dtypes": ["float32", "float64", "int32", "int64"]},
        {"operators": ["Add", "Sub", "Mul", "Div"], "opsets": [7, None], "dtypes": [*FLOATS, *LONG]},
        {"operators": ["Add", "Sub", "Mul", "Div"], "opsets": [14, None], "dtypes": SHORT},
        {"operators": ["Less"], "opsets": [7, None], "dtypes": FLOATS},
        {"operators": ["Less"], "opsets": [9, None], "dtypes": [*LONG, *SHORT]},
        {"operators": ["Max", "Min"], "opsets": [6, None], "dtypes": ["float32", "float16"]},
        {"operators": ["Max", "Min"], "opsets": [8, None], "dtypes": ["float64"]},
        {"operators": ["Max", "Min"], "opsets": [12, None], "dtypes": LONG},
        {"operators": ["Max", "Min"], "opsets": [12, None], "dtypes": ["int8", "uint8"], "versions": ">=1.24"},
        {"operators": ["Abs"], "opsets": [6, None], "dtypes": [*FLOATS, *LONG, *SHORT]},
        {"operators": ["Sqrt"], "opsets": [6, None], "dtypes": FLOATS},
        {"operators": ["LeakyRelu"], "opsets": [6, None], "dtypes": ["float32", "float16"]},
        {"operators": ["LeakyRelu"], "opsets": [16, None], "dtypes": ["float64"], "versions": ">=1.31"},
        {"operators": ["Clip"], "opsets": [6, None], "dtypes": ["float32", "float16"]},
        {"operators": ["Clip"], "opsets": [12, None], "dtypes": ["float64", *LONG, "int8", "uint8"]},
        {"operators": ["Where"], "opsets": [9, None],
         "inputs": {"X": {"dtypes": [*FLOATS, "int32", "int64", "uint8", "string"]}}},
        {"operators": ["Where"], "opsets": [9, None], "inputs": {"X": {"dtypes": ["int8", "uint32"]}},
         "versions": ">=1.31"},
        {"operators": ["Exp"], "opsets": [6, None], "dtypes": FLOATS},
        {"operators": ["Log"], "opsets": [6, None], "dtypes": FLOATS},
        {"operators": ["Sigmoid"], "opsets": [6, None], "dtypes": FLOATS},
        {"operators": ["Tanh"], "opsets": [6, None], "dtypes": FLOATS},
        {"operators": ["Softmax"], "opsets": [1, None], "dtypes": ["float32", "float64"]},
        {"operators": ["Softmax"], "opsets": [7, None], "dtypes": ["float16"]},
        {"operators": ["Pow"], "opsets": [7, None], "dtypes": [*FLOATS],
         "inputs": {"B": {"dtypes": [*FLOATS, "int32", "int64"]}}},
        {"operators": ["Pow"], "opsets": [12, None], "dtypes": ["int32", "int64"],
         "inputs": {"B": {"dtypes": [*FLOATS, "int32", "int64"]}}},
    ]
    contexts = ("open-sizes", "constants", "weights", "transposed", "cast", "quantized", "quantized-signed", "threads",
                "unoptimized", "basic", "strided", "again", "again-open-sizes", "neighbours")
    not_implemented = (" : NOT_IMPLEMENTED : ",)  # the code that a status of ONNX Runtime has in its text
    reproduce = """import onnxruntime

session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
got = session.run(outputs, inputs)"""
    reproduce_as_set = """import contextlib

import onnxruntime

levels = onnxruntime.GraphOptimizationLevel
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = settings.get("threads", 1)
options.graph_optimization_level = {"none": levels.ORT_DISABLE_ALL, "basic": levels.ORT_ENABLE_BASIC}.get(
    settings.get("optimization"), levels.ORT_ENABLE_ALL)
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
if "before" in settings:
    with contextlib.suppress(Exception):  # with these values the call may be invalid
        session.run(outputs, settings["before"])
got = session.run(outputs, inputs)"""

    def __init__(self, provider: str = CPU, **options: str) -> None:
        """Choose an execution provider with its options, or a configuration.

        provider: name of the provider, or a key of `configurations`. Raises ValueError for an unknown one."""
        onnxruntime.set_default_logger_severity(4)
        self._configuration = provider if provider in self.configurations else ""
        if self._configuration:
            self.name, provider = f"{self.name}@{provider}", CPU
            self.reproduce = _CONFIGURED.format(lines="\n".join(_lines(self.configurations[self._configuration])))
            self.reproduce_as_set = ""
        self._asked, self._options, self._provider = provider, options, ""
        self._devices = _plugin_devices(provider)
        if not self._devices and provider not in onnxruntime.get_available_providers():
            raise ValueError(f"this build of ONNX Runtime has no {provider}; it has "
                             f"{', '.join(onnxruntime.get_available_providers())}")
        if provider != CPU:
            self.name = f"{self.name}@{provider}" + ":"[:bool(options)] + ",".join(
                f"{key}={value}" for key, value in options.items())
            self.reproduce = _ON_PROVIDER.format(
                alone=ALONE, provider=(provider, options), register=_registered(provider))
            self.reproduce_as_set = ""

    def version(self) -> str:
        """Return the version of the package."""
        return onnxruntime.__version__

    def about(self) -> dict[str, str]:
        """Return the provider that is asked for, and the options of a configuration."""
        set_here = self.configurations.get(self._configuration, {})
        return {"provider": self._asked, **{f"provider {name}": text for name, text in self._options.items()},
                **{name: str(value) for name, value in set_here.items()}}

    def gap(self, request: Request) -> str | None:
        """Return a text for opsets above the highest of the release."""
        release = tuple(int(part) for part in self.version().split(".")[:2])
        known = next((opset for major, minor, opset in MAX_OPSET if release == (major, minor)), None)
        if known is not None and request.opset > known:
            return f"opset {request.opset} is above {known}, the highest of this release"
        return None

    def provider(self, request: Request) -> str:
        """Return the first provider of the last session."""
        return self._provider

    def options(self) -> onnxruntime.SessionOptions:
        """Return session options of one thread, or as the configuration has them."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        for name, value in self.configurations.get(self._configuration, {}).items():
            if "." in name:
                options.add_session_config_entry(name, value)
            else:
                setattr(options, name, getattr(onnxruntime.GraphOptimizationLevel, value) if name == LEVEL else value)
        return options

    def prepare(self, model: bytes, settings: Mapping[str, Any] | None = None) -> Prepared:
        """Load a model. Raises what the session raises, with the phase."""
        options, settings = self.options(), settings or {}
        if "threads" in settings:
            options.intra_op_num_threads = settings["threads"]
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # threads wait without work
        if "optimization" in settings:
            options.graph_optimization_level = LEVELS[settings["optimization"]]
        try:
            session = self._session(model, options)
        except Exception as error:
            error.phase = "load"
            if LEFT in str(error):
                error.gap = f"{self._asked} leaves a node to the CPU"
            raise
        self._provider = session.get_providers()[0]
        types = {value.type for value in (*session.get_inputs(), *session.get_outputs())}
        return partial(_run_by_bits, session) if any(map(_is_beyond_numpy, types)) else session.run

    def _session(self, model: bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
        if self._asked == CPU:
            return onnxruntime.InferenceSession(model, options, providers=[CPU])
        for entry in ALONE.items():
            options.add_session_config_entry(*entry)
        if self._devices:
            options.add_provider_for_devices(self._devices, self._options)
            return onnxruntime.InferenceSession(model, options)
        return onnxruntime.InferenceSession(model, options, providers=[(self._asked, self._options)])

    def run(self, request: Request) -> dict[str, Any]:
        """Run a request. Raises what the session raises, with the phase."""
        arrays = self.prepare(request.model, request.settings)(list(request.outputs), dict(request.inputs))
        return {name: array for name, array in zip(request.outputs, arrays, strict=True) if array is not None}


_PLUGINS = {"WebGpuExecutionProvider": "onnxruntime_ep_webgpu"}
"""By provider the module of its plugin."""

_ON_PROVIDER = """import onnxruntime

options = onnxruntime.SessionOptions()
for entry in {alone}.items():
    options.add_session_config_entry(*entry)
{register}session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=[{provider}])
got = session.run(outputs, inputs)"""


_CONFIGURED = """import onnxruntime

options = onnxruntime.SessionOptions()
{lines}
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
got = session.run(outputs, inputs)"""


def _lines(configuration: Mapping[str, Any]) -> list[str]:
    """Return the lines of a reproducer that set a configuration."""
    return [f"options.add_session_config_entry({name!r}, {value!r})" if "." in name else
            f"options.{name} = onnxruntime.GraphOptimizationLevel.{value}" if name == LEVEL else
            f"options.{name} = {value!r}" for name, value in configuration.items()]


def _registered(provider: str) -> str:
    """Return the line of a reproducer that registers the plugin of a provider, "" for one of the build itself."""
    if provider not in _PLUGINS:
        return ""
    module = _PLUGINS[provider]
    path = f"{module}.get_library_path()"
    return f"import {module}\n\nonnxruntime.register_execution_provider_library({provider!r}, {path})\n"


def _plugin_devices(provider: str) -> list[Any]:
    """Return the devices of a provider that is a plugin; register it before. Raises ImportError, ValueError."""
    if provider not in _PLUGINS:
        return []
    plugin = importlib.import_module(_PLUGINS[provider])
    onnxruntime.register_execution_provider_library(provider, plugin.get_library_path())
    devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == plugin.get_ep_name()]
    if not devices:
        raise ValueError(f"no device of this machine is one of {provider}")
    return devices[:1]


def _is_beyond_numpy(type_name: str) -> bool:
    """Return True for the name that ONNX Runtime gives a tensor type of `BEYOND_NUMPY`."""
    return type_name.startswith(("tensor(bfloat", "tensor(float8", "tensor(float4", "tensor(int4", "tensor(uint4",
                                 "tensor(int2", "tensor(uint2"))


def _run_by_bits(session: onnxruntime.InferenceSession, outputs: Sequence[str], inputs: Mapping[str, np.ndarray]
                 ) -> list[np.ndarray]:
    """Run a session with tensors that are copied bit by bit. Raises what the session raises."""
    values = session.run_with_ort_values(list(outputs), {name: _value(array) for name, array in inputs.items()})
    return [_array(value) for value in values]


def _value(array: np.ndarray) -> onnxruntime.OrtValue:
    """Return a tensor of ONNX Runtime; elements below eight bits are packed, the first one lowest."""
    number, bits = next(((number, bits) for number, (name, bits) in BEYOND_NUMPY.items() if name == array.dtype.name),
                        (0, 0))
    if not number:
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    octets = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if bits < 8:
        each = 8 // bits
        rows = np.pad(octets & ((1 << bits) - 1), (0, -octets.size % each)).reshape(-1, each)
        octets = np.bitwise_or.reduce(rows << np.arange(0, 8, bits, dtype=np.uint8), axis=1)
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), number)
    ctypes.memmove(value.data_ptr(), octets.tobytes(), octets.size)
    return value


def _array(value: onnxruntime.OrtValue) -> np.ndarray:
    """Return the elements of a tensor of ONNX Runtime. Raises ImportError where ml_dtypes is not installed."""
    if value.element_type() not in BEYOND_NUMPY:
        array: np.ndarray = value.numpy()
        return array
    name, bits = BEYOND_NUMPY[value.element_type()]
    size = -(-prod(value.shape()) * bits // 8)
    elements: np.ndarray = unpacked(ctypes.string_at(value.data_ptr(), size), name, bits, value.shape())
    return elements
