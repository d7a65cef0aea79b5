"""Reference oracle of ONNX If: the nodes of one branch, one after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._bodies import graph_in, results


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator."""
    branch = "then_branch" if call.inputs["cond"].reshape(-1)[0] else "else_branch"
    given = results(graph_in(call.attributes[branch]), version, {})
    return {f"outputs_{number}": array for number, array in enumerate(given)}
