"""If, Loop and Scan by Python's own, and the nodes of their bodies by the functions here."""

from __future__ import annotations

import numpy as np
from onnx import helper, load_from_string, numpy_helper

OPERATORS = {"Identity", "Constant", "Not", "Concat", "Less", "Add"}
"""The operators of the bodies that calls have."""


class ControlFlow:
    """Runs the graphs of a node."""

    def control(self, stem, model, inputs):
        graph = load_from_string(model).graph
        (node,) = graph.node
        values = {entry.name: inputs[entry.name] for entry in graph.input}
        return self.node(node, values)

    def node(self, node, values):
        """The outputs of a node, where tensors have names."""
        inputs = [values[name] if name else None for name in node.input]
        given = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        if node.op_type == "If":
            return self.graph(given["then_branch" if inputs[0].reshape(()) else "else_branch"], [], values)
        if node.op_type == "Loop":
            return self.loop(given["body"], inputs, values)
        if node.op_type == "Scan":
            return self.scan(inputs, values, **given)
        assert node.op_type in OPERATORS, node.op_type
        if node.op_type == "Constant":
            given = {name: numpy_helper.to_array(value) if name == "value" else value for name, value in given.items()}
        if node.op_type == "Concat":
            return [self.concat(given["axis"], *inputs)]
        return [self.computed(node.op_type.lower(), dict(zip("AB", inputs, strict=False)), given)]

    def graph(self, graph, arguments, outer):
        """The outputs of a graph, which sees the tensors around it."""
        values = {**outer, **{entry.name: numpy_helper.to_array(entry) for entry in graph.initializer},
                  **{entry.name: value for entry, value in zip(graph.input, arguments, strict=True)}}
        for node in graph.node:
            values.update(zip(node.output, self.node(node, values), strict=False))
        return [values[entry.name] for entry in graph.output]

    def loop(self, body, inputs, values):
        trips, go_on, *state = [*inputs, None][:2] + inputs[2:]
        asked, count, rows = go_on is not None, 0, []  # without an initial condition, that of the body is ignored
        go_on = bool(go_on.reshape(())) if asked else True
        while go_on and (trips is None or count < int(trips.reshape(()))):
            condition, *outputs = self.graph(body, [np.array(count), np.array(go_on), *state], values)
            go_on, state = bool(condition.reshape(())) or not asked, outputs[:len(state)]
            rows.append(outputs[len(state):])
            count += 1
        return state + self.stacked(rows, body.output[1 + len(state):])

    def scan(self, inputs, values, body, num_scan_inputs, scan_input_axes=(), scan_input_directions=(),
             scan_output_axes=(), scan_output_directions=()):
        state, scanned = inputs[:-num_scan_inputs], inputs[-num_scan_inputs:]
        scanned = [np.moveaxis(array, axis, 0) for array, axis in
                   zip(scanned, scan_input_axes or [0] * len(scanned), strict=True)]
        scanned = [array[::-1] if back else array for array, back in
                   zip(scanned, scan_input_directions or [0] * len(scanned), strict=True)]
        rows = []
        for entries in zip(*scanned, strict=True):
            outputs = self.graph(body, [*state, *entries], values)
            state = outputs[:len(state)]
            rows.append(outputs[len(state):])
        outputs = self.stacked(rows, body.output[len(state):])
        outputs = [array[::-1] if back else array for array, back in
                   zip(outputs, scan_output_directions or [0] * len(outputs), strict=True)]
        return state + [np.moveaxis(array, 0, axis) for array, axis in
                        zip(outputs, scan_output_axes or [0] * len(outputs), strict=True)]

    def stacked(self, rows, declared):
        """The outputs of all iterations, in a new first axis; without any, as declared."""
        if rows:
            return [np.stack(each) for each in zip(*rows, strict=True)]
        shapes = [[dim.dim_value for dim in entry.type.tensor_type.shape.dim] for entry in declared]
        kinds = [helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type) for entry in declared]
        return [np.zeros((0, *shape), kind) for shape, kind in zip(shapes, kinds, strict=True)]
