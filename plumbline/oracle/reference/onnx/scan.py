"""Reference oracle of ONNX Scan: the nodes of its body, element after element."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._bodies import graph_in, scanned


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator; elements that are open are zeros."""
    attributes = {**call.attributes, "body": graph_in(call.attributes["body"])}
    inputs = [array for name, array in call.inputs.items() if name != "sequence_lens"]
    outputs = scanned(attributes, version, inputs, {}) if version > 8 else _batches(call, attributes, inputs)
    return {f"final_state_and_scan_outputs_{number}": array for number, array in enumerate(outputs)}


def _batches(call: Call, attributes: dict[str, object], inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Return the outputs of version 8, which runs each sequence of a batch; `inputs` are without sequence_lens."""
    carried = len(inputs) - call.attributes["num_scan_inputs"]
    batch, longest = inputs[carried].shape[:2]
    lengths = call.inputs.get("sequence_lens", np.full(batch, longest)).tolist()
    attributes["scan_input_directions"] = attributes.get("directions", [0] * (len(inputs) - carried))
    wholes: list[np.ndarray | None] = [None] * len(call.outputs or ("",))
    for place, length in sorted(enumerate(lengths), key=lambda entry: -entry[1]):
        parts = [tensor[place] if number < carried else tensor[place, :length] for number, tensor in enumerate(inputs)]
        for number, array in enumerate(scanned(attributes, 8, parts, {})):
            whole = wholes[number]
            if whole is None:
                shape = array.shape if number < carried else (longest, *array.shape[1:])
                whole = wholes[number] = np.zeros((batch, *shape), array.dtype)
            if number < carried:
                whole[place] = array
            elif length:
                whole[place, :length] = array
    return [whole for whole in wholes if whole is not None]
