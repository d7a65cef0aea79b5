"""The door of `backends/`.

    python -m backends list           the adapters of the clone, what each needs, where it would run
    python -m backends doctor NAME    set one up, put three calls to it, and say what is wrong if it fails
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from onnx import helper

from backends.hosts import Answered
from backends.registry import EMBEDDED, BackendError, adapter_names, find_backend
from backends.request import Request

ATTRIBUTES = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [2, 2], "pads": [0, 0, 0, 0],
              "storage_order": 0, "strides": [1, 1]}


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 1 when the backend examined is not well."""
    parser = argparse.ArgumentParser(prog="python -m backends", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    doors.add_parser("list")
    doors.add_parser("doctor").add_argument("name")
    options = parser.parse_args(arguments)
    if options.door == "list":
        for name in adapter_names():
            place = "the suite's own environment" if name == EMBEDDED else "a private environment"
            print(f"{name:20} runs in {place}; {name}==VERSION in a private one")
        return 0
    return _doctor(options.name)


def _doctor(name: str) -> int:
    try:
        host = find_backend(name).start()
    except BackendError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{host.identity['name']} {host.identity['version']} is ready (Python {host.identity['python']}, "
          f"numpy {host.identity['numpy']})")
    well = True
    for dtype in ("float32", "float64", "int8"):
        outcome = host.run(_request(np.arange(9).reshape(1, 1, 3, 3).astype(dtype)))
        right = isinstance(outcome, Answered) and outcome.outputs["Y"].tolist() == [[[[4, 5], [7, 8]]]]
        well &= right
        print(f"  MaxPool 2x2 of {dtype}: {'right' if right else outcome}")
    host.close()
    return 0 if well else 1


def _request(x: np.ndarray) -> Request:
    """Nine rising values under a 2x2 kernel, whose maxima anyone can check: 4, 5, 7, 8."""
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph([helper.make_node("MaxPool", ["X"], ["Y"], **ATTRIBUTES)], "doctor",
                              [helper.make_tensor_value_info("X", element, x.shape)],
                              [helper.make_tensor_value_info("Y", element, None)])
    imports = [helper.make_opsetid("", 12)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=helper.find_min_ir_version_for(imports))
    return Request(model.SerializeToString(), "MaxPool", ATTRIBUTES, 12, {"X": x}, ("Y",))


if __name__ == "__main__":
    sys.exit(main())
