"""Attacks on models thought of from README, docs and `--help` alone: loops, functions, tensors, types, options."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnx.parser
from onnx import AttributeProto, TensorProto, TypeProto, helper, numpy_helper

from tests.hostile.attacks_models import saved
from tests.hostile.door import Attack

RUN = ("model", "m.onnx", "--time-limit", "2", "--report-dir", "out")
IMPORT = '<ir_version: 10, opset_import: ["": 21, "my.own": 1]>'


def text(nodes: str, given: str = "float[1] X", gives: str = "float[n] Y", before: str = "") -> Callable[[], bytes]:
    """A model in text form."""
    return lambda: bytes(
        onnx.parser.parse_model(f"{IMPORT} g ({given}) => ({gives}) {before} {{ {nodes} }}").SerializeToString()
    )


def loop(body: str, trips: str = "m", cond: str = "t", given: str = "bool c") -> Callable[[], bytes]:
    """A model of one Loop that carries X."""
    return text(
        f"Y = Loop <body = b (int64 i, {given}, float[k] x) => (bool o, float[l] y) {{ {body} }}> ({trips}, {cond}, X)",
        before="<int64 m = {9223372036854775807}, bool t = {1}, int64 few = {3}, int64 trips = {20000}, "
        "int64 big = {1000000000000}>",
    )


def scan(attributes: str, body: str = "s = Identity (e)", given: str = "X") -> Callable[[], bytes]:
    """A model of one Scan."""
    return text(f"Y = Scan <{attributes} body = b (float e) => (float s) {{ {body} }}> ({given})")


def changed(change: Callable[[Any], object], *nodes: Any, **options: Any) -> Callable[[], bytes]:
    """A model with one change."""
    return lambda: saved(*nodes, change=change, **options)


def functions(*bodies: tuple[str, str]) -> Callable[[], bytes]:
    """A model that calls the first of these functions, each with its name and what it calls."""
    return lambda: bytes(
        onnx.parser.parse_model(
            f"{IMPORT} g (float[1] X) => (float[1] Y) {{ Y = my.own.{bodies[0][0]} (X) }}"
            + "".join(
                f'<opset_import: ["": 21, "my.own": 1], domain: "my.own"> {name} (x) => (y) {{ {calls} }}'
                for name, calls in bodies
            )
        ).SerializeToString()
    )


def constant(**fields: Any) -> Callable[[], bytes]:
    """A model that adds an initialiser with these fields to X."""

    def made() -> bytes:
        tensor = TensorProto(name="k", data_type=1, dims=[1])
        for name, value in fields.items():
            if name == "external":
                tensor.data_location = TensorProto.EXTERNAL
                for key, word in value.items():
                    tensor.external_data.add(key=key, value=str(word))
            elif isinstance(value, list):
                del getattr(tensor, name)[:]
                getattr(tensor, name).extend(value)
            else:
                setattr(tensor, name, value)
        return saved(helper.make_node("Add", ["X", "k"], ["Y"]), initializers=[tensor])

    return made


def sparse(values: int, indices: list[int], dims: list[int], *, shape: list[int] | None = None) -> Callable[[], bytes]:
    """A model with a sparse initialiser."""

    def add(model: Any) -> None:
        entry = model.graph.sparse_initializer.add(dims=dims)
        entry.values.CopyFrom(numpy_helper.from_array(np.ones(values, np.float32), "k"))
        entry.indices.CopyFrom(numpy_helper.from_array(np.array(indices, np.int64).reshape(shape or [-1]), "i"))

    return changed(add, helper.make_node("Add", ["X", "k"], ["Y"]))


def attribute(**fields: Any) -> Callable[[], bytes]:
    """A Relu with an attribute that has these fields."""

    def add(model: Any) -> None:
        made = model.graph.node[0].attribute.add()
        for name, value in fields.items():
            getattr(made, name).extend(value) if isinstance(value, list) else setattr(made, name, value)

    return changed(add, helper.make_node("Concat", ["X", "X"], ["Y"]))


def many(count: int, make: Callable[[int], Any]) -> Callable[[], bytes]:
    """A model of so many nodes."""
    return lambda: saved(*[make(at) for at in range(count)])


KEEPS = "o = Identity (c)"
MODELS: dict[str, Callable[[], bytes]] = {
    "loop-for-ever": loop(f"{KEEPS} y = Identity (x)"),
    "loop-no-end": loop(f"{KEEPS} y = Identity (x)", '""', "t"),
    "loop-nothing-given": loop(f"{KEEPS} y = Identity (x)", '""', '""'),
    "loop-doubles": loop(f"{KEEPS} y = Concat <axis = 0> (x, x)"),
    "loop-expands": loop(f"{KEEPS} y = Expand (x, big)", "few"),
    "loop-shape-changes": loop(f"{KEEPS} y = Unsqueeze (x, few)", "few"),
    "loop-condition-float": loop("o = Cast <to = 1> (c) y = Identity (x)", "few"),
    "loop-no-body": text("Y = Loop (X, X, X)"),
    "loop-body-empty": text("Y = Loop <body = b () => () {}> (X, X, X)"),
    "loop-body-number": text("Y = Loop <body = 3> (X, X, X)"),
    "loop-same-names": loop("c = Identity (c) x = Abs (x) o = Identity (c) y = Identity (x)", "few"),
    "loop-reads-later": loop(f"y = Abs (z) z = Abs (x) {KEEPS}", "few"),
    "loop-reads-itself": loop(f"{KEEPS} y = Add (x, Y)", "few"),
    "loop-unknown": loop(f"{KEEPS} y = my.own.Zzz (x)", "few"),
    "loop-many": loop(f"{KEEPS} y = Identity (x)", "trips"),
    "loop-many-outputs": text(
        "Y, "
        + ", ".join(f"s{at}" for at in range(200))
        + " = Loop <body = b (int64 i, bool c, float[k] x) => (bool c, "
        "float[k] x" + ", float[k] x" * 200 + ") {}> (m, t, X)",
        before="<int64 m = {2}, bool t = {1}>",
    ),
    "if-no-else": text("Y = If <then_branch = a () => (float[1] r) { r = Identity (X) }> (t)", before="<bool t = {1}>"),
    "if-counts": text(
        "Y = If <then_branch = a () => () {}, else_branch = b () => (float r, float q) "
        "{ r = Identity (X) q = Abs (X) }> (t)",
        before="<bool t = {1}>",
    ),
    "if-many-conditions": text(
        "Y = If <then_branch = a () => (float[1] X) {}, else_branch = b () => (float[1] X) {}> (t)",
        before="<bool[2] t = {1, 0}>",
    ),
    "if-60-deep": text(
        "Y = "
        + "If <then_branch = a () => (float[1] r) { r = " * 20
        + "Identity (X)"
        + " }, else_branch = b () => (float[1] r) "
        "{ r = Identity (X) }> (t)" * 20,
        before="<bool t = {1}>",
    ),
    "scan-negative": scan("num_scan_inputs = -1,"),
    "scan-huge": scan("num_scan_inputs = 9223372036854775807,"),
    "scan-none": scan(""),
    "scan-zero": scan("num_scan_inputs = 0,"),
    "scan-axes": scan("num_scan_inputs = 1, scan_input_axes = [9223372036854775807],"),
    "scan-directions": scan("num_scan_inputs = 1, scan_input_directions = [7, -1],"),
    "scan-no-inputs": scan("num_scan_inputs = 1,", given=""),
    "scan-output-axes": scan("num_scan_inputs = 1, scan_output_axes = [-9223372036854775808],"),
    "scan-unknown": scan("num_scan_inputs = 1,", "s = Zzz (e)"),
    "function-itself": functions(("F", "y = my.own.F (x)")),
    "function-circle": functions(("F", "y = my.own.G (x)"), ("G", "y = my.own.F (x)")),
    "function-laughs": functions(
        *[(f"F{at}", f"a = my.own.F{at + 1} (x) y = my.own.F{at + 1} (a)") for at in range(40)], ("F40", "y = Abs (x)")
    ),
    "function-twice": functions(("F", "y = Abs (x)"), ("F", "y = Neg (x)")),
    "function-no-output": functions(("F", "z = Abs (x)")),
    "function-1000-deep": functions(
        *[(f"F{at}", f"y = my.own.F{at + 1} (x)") for at in range(1000)], ("F1000", "y = Abs (x)")
    ),
    "function-attribute": functions(("F", "y = Elu <alpha : float = @zzz> (x)")),
    "function-relu": functions(("Relu", "y = Relu (x)")),
    "function-loop": functions(
        (
            "F",
            "y = If <then_branch = a () => (r) { r = my.own.F (x) }, "
            "else_branch = b () => (r) { r = my.own.F (x) }> (x)",
        )
    ),
    "sparse-beyond": sparse(1, [99], [4]),
    "sparse-negative": sparse(1, [-5], [4]),
    "sparse-count": sparse(3, [0], [4]),
    "sparse-huge": sparse(1, [2**40], [2**41]),
    "sparse-rank": sparse(1, [0, 0, 0], [4], shape=[1, 3]),
    "sparse-unsorted": sparse(2, [3, 1], [4]),
    "constant-int4-short": constant(data_type=22, dims=[9], raw_data=b"1"),
    "constant-strings": constant(data_type=8, string_data=[b"\xff\x1b[2J"]),
    "constant-both": constant(raw_data=b"1234", float_data=[1.0]),
    "constant-segment": constant(raw_data=b"1234", name="k"),
    "constant-float8": constant(data_type=17, raw_data=b"\xff"),
    "constant-type-0": constant(data_type=0),
    "constant-type-big": constant(data_type=2**31 - 1),
    "constant-dims-overflow": constant(dims=[2**62, 2**62], raw_data=b""),
    "constant-dims-many": constant(dims=[1] * 100_000, raw_data=b"1234"),
    "external-fifo": constant(external={"location": "fifo"}),
    "external-itself": constant(external={"location": "m.onnx"}),
    "external-offset": constant(external={"location": "m.onnx", "offset": -5}),
    "external-long": constant(external={"location": "m.onnx", "length": 2**62}),
    "external-digits": constant(external={"location": "m.onnx", "offset": "9" * 5000}),
    "external-word": constant(external={"location": "m.onnx", "offset": "x"}),
    "external-up": constant(external={"location": "../../../../etc/passwd"}),
    "external-link": constant(external={"location": "link"}),
    "external-empty": constant(external={"location": ""}),
    "external-nul": constant(external={"location": "a\0b"}),
    "external-none": constant(external={}),
    "external-checksum": constant(external={"location": "m.onnx", "checksum": "\x1b[2J"}),
    "external-folder": constant(external={"location": "."}),
    "attribute-type": attribute(name="axis", type=AttributeProto.FLOAT, i=3),
    "attribute-none": attribute(name="axis"),
    "attribute-type-99": attribute(name="axis", type=AttributeProto.INTS, i=1, f=2.0),
    "attribute-nan": attribute(name="axis", type=1, f=float("nan")),
    "attribute-huge": attribute(name="axis", type=2, i=-(2**63)),
    "attribute-reference": attribute(name="axis", type=2, ref_attr_name="zzz"),
    "attribute-text": attribute(name="axis", type=3, s=b"\xff\xfe"),
    "attribute-no-name": attribute(name="", type=2, i=1),
    "attribute-floats": attribute(name="axis", type=6, floats=[float("inf")] * 100_000),
    "attribute-graph": attribute(name="axis", type=5),
    "opset-0": changed(lambda model: setattr(model.opset_import[0], "version", 0)),
    "opset-negative": changed(lambda model: setattr(model.opset_import[0], "version", -(2**63))),
    "opset-huge": changed(lambda model: setattr(model.opset_import[0], "version", 2**63 - 1)),
    "opset-none": changed(lambda model: model.ClearField("opset_import")),
    "opset-two": changed(lambda model: model.opset_import.add(domain="", version=1)),
    "opset-alias": changed(lambda model: model.opset_import.add(domain="ai.onnx", version=7)),
    "ir-0": changed(lambda model: setattr(model, "ir_version", 0)),
    "ir-huge": changed(lambda model: setattr(model, "ir_version", 2**62)),
    "metadata": changed(lambda model: model.metadata_props.add(key="\x1b[2J", value="\u202e" * 10**6)),
    "no-graph": changed(lambda model: model.ClearField("graph")),
    "producer": changed(
        lambda model: (
            setattr(model, "producer_name", "\x1b[2J\n"),
            setattr(model.graph, "name", "<script>\u202e"),
            setattr(model, "domain", "\n"),
        )
    ),
    "training": changed(lambda model: model.training_info.add()),
    "no-outputs": changed(lambda model: model.graph.ClearField("output")),
    "output-is-input": changed(lambda model: setattr(model.graph.output[0], "name", "X")),
    "output-unnamed": changed(lambda model: setattr(model.graph.output[0], "name", "")),
    "input-twice": changed(lambda model: model.graph.input.append(model.graph.input[0])),
    "inputs-many": changed(
        lambda model: [
            model.graph.input.append(helper.make_tensor_value_info(f"x{at}", 1, [1])) for at in range(20_000)
        ]
    ),
    "input-sequence": changed(
        lambda model: model.graph.input[0].type.CopyFrom(
            helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, [1]))
        )
    ),
    "input-optional": changed(
        lambda model: model.graph.input[0].type.CopyFrom(
            helper.make_optional_type_proto(helper.make_tensor_type_proto(1, [1]))
        )
    ),
    "input-map": changed(
        lambda model: model.graph.input[0].type.CopyFrom(TypeProto(map_type=TypeProto.Map(key_type=8)))
    ),
    "input-sparse": changed(
        lambda model: model.graph.input[0].type.CopyFrom(helper.make_sparse_tensor_type_proto(1, [4]))
    ),
    "input-untyped": changed(lambda model: model.graph.input[0].ClearField("type")),
    "input-string": changed(lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", 8)),
    "symbol-odd": changed(lambda model: None, given=("\x1b[2J\n%s", "{N}", "", "N" * 100_000)),
    "symbol-formula": changed(lambda model: None, given=("9**9**9", 1, 1, 1)),
    "value-info": changed(lambda model: model.graph.value_info.append(helper.make_tensor_value_info("Y", 7, [9] * 40))),
    "names-paths": changed(lambda model: setattr(model.graph.node[0], "name", "../../../../tmp/x")),
    "operator-odd": changed(lambda model: setattr(model.graph.node[0], "op_type", "\x1b[2J\n" * 9)),
    "operator-long": changed(lambda model: setattr(model.graph.node[0], "op_type", "R" * 10**6)),
    "domain-odd": changed(lambda model: setattr(model.graph.node[0], "domain", "\u202e\n")),
    "inputs-many-of-one": lambda: saved(helper.make_node("Max", ["X"] * 10_000, ["Y"])),
    "outputs-many-of-one": lambda: saved(helper.make_node("Split", ["X"], ["Y"] + [f"s{at}" for at in range(5000)])),
    "nodes-same-name": many(
        300,
        lambda at: helper.make_node("Relu", ["X" if not at else f"t{at - 1}"], [f"t{at}" if at < 299 else "Y"], "n"),
    ),
    "diamonds": many(
        100,
        lambda at: helper.make_node(
            "Concat", ["X" if not at else f"t{at - 1}"] * 2, [f"t{at}" if at < 99 else "Y"], axis=0
        ),
    ),
    "nodes-circle": lambda: saved(
        helper.make_node("Abs", ["b"], ["a"]),
        helper.make_node("Abs", ["a"], ["b"]),
        helper.make_node("Add", ["a", "X"], ["Y"]),
    ),
    "expand-huge": text("Y = Expand (X, k)", before="<int64[2] k = {9000000000000, 9000000}>"),
    "pad-huge": text("Y = Pad (X, k)", before="<int64[2] k = {9000000000000, 0}>"),
    "tile-overflow": text("Y = Tile (X, k)", before="<int64[1] k = {9223372036854775807}>"),
    "range-huge": text("Y = Range (a, b, c)", before="<float a = {0}, float b = {1000000000000}, float c = {1}>"),
    "range-nothing": text("Y = Range (a, b, a)", before="<float a = {0}, float b = {1000000000000}>"),
    "onehot-huge": text("Y = OneHot (X, k, v)", before="<int64 k = {9000000000000}, float[2] v = {0, 1}>"),
    "resize-huge": text("Y = Resize (X, , k)", before="<float[1] k = {3e38}>"),
    "reshape-overflow": text("Y = Reshape (X, k)", before="<int64[3] k = {0, 4611686018427387904, 4}>"),
    "pool-huge": text(
        "Y = MaxPool <kernel_shape = [1000000000, 1000000000], "
        "pads = [999999999, 999999999, 999999999, 999999999]> (X)",
        "float[1, 1, 1, 1] X",
        "float Y",
    ),
    "pool-zero": text(
        "Y = MaxPool <kernel_shape = [0, 0], strides = [0, 0], dilations = [0, -1]> (X)",
        "float[1, 1, 4, 4] X",
        "float Y",
    ),
    "conv-group": text("Y = Conv <group = 0> (X, X)", "float[1, 1, 4, 4] X", "float Y"),
    "einsum-long": text(f'Y = Einsum <equation = "{"a" * 5000}"> (X)'),
    "einsum-odd": text('Y = Einsum <equation = "...->->,,é"> (X)'),
    "gru-odd": text("Y = GRU <hidden_size = 9223372036854775807> (X, X, X)"),
    "dequantize-axis": text("Y = DequantizeLinear <axis = 9223372036854775807> (k, X)", before="<int8[2] k = {1, 2}>"),
    "sequence": text("s = SequenceConstruct (X, X) Y = ConcatFromSequence <axis = 0> (s)"),
    "quantize-block": text("Y = QuantizeLinear <block_size = -3, output_dtype = 99> (X, X)"),
    "strings": text("Y = Identity (k)", gives="string[1] Y", before='<string[1] k = {"a"}>'),
}


def given(model: Callable[[], bytes]) -> Any:
    """The files beside a model."""

    def written(folder: Any) -> None:
        (folder / "m.onnx").write_bytes(model())
        os.mkfifo(folder / "fifo")
        (folder / "link").symlink_to("/dev/zero")

    return written


ATTACKS = [
    Attack("fresh-model", name, RUN, given(model), (0, 1, 2), leaves=["out/*"], lines=3)
    for name, model in MODELS.items()
]
ATTACKS += [
    Attack("fresh-check", name, ("check", "m.onnx"), given(model), (0, 1, 2, 3), lines=3)
    for name, model in MODELS.items()
]
ATTACKS += [
    Attack("fresh-census", name, ("census", "m.onnx"), given(model), (0, 2), lines=3) for name, model in MODELS.items()
]
