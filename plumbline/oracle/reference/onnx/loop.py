"""Reference oracle of ONNX Loop: the nodes of its body, iteration after iteration."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._bodies import graph_in, looped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator."""
    carried = [array for name, array in call.inputs.items() if name.startswith("v_initial_")]
    given = looped(graph_in(call.attributes["body"]), version, call.inputs.get("M"), call.inputs.get("cond"), carried,
                   {})
    return {f"v_final_and_scan_outputs_{number}": array for number, array in enumerate(given)}
