"""Attacks by models and their inputs."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.hostile.door import GIGABYTE, SPECIFICATIONS, Attack

F = TensorProto.FLOAT
SPEC = tuple(word for name in SPECIFICATIONS for word in ("--spec", name))
CHECK = ("check", "m.onnx", *SPEC)
CENSUS = ("census", "m.onnx")
MODEL = ("model", "m.onnx", "--report-dir", "out", *SPEC)
node = helper.make_node


def saved(*nodes: onnx.NodeProto, given: Sequence[Any] = (1, 1, 4, 4), name: str = "X", output: str = "Y",
          kind: int = F, opset: int = 17, change: Callable[[onnx.ModelProto], object] = lambda _: None,
          initializers: Sequence[onnx.TensorProto] = (), out_shape: Sequence[Any] | None = None) -> bytes:
    """A model that no checker has seen."""
    graph = helper.make_graph(nodes or [node("Relu", ["X"], ["Y"])], "g",
                              [helper.make_tensor_value_info(name, kind, list(given))],
                              [helper.make_tensor_value_info(output, F, out_shape)], initializer=list(initializers))
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("my.own", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    change(model)
    return model.SerializeToString()


def raw(name: str, kind: int, dims: Sequence[int], data: bytes) -> onnx.TensorProto:
    """A tensor whose shape and bytes need not fit."""
    return TensorProto(name=name, data_type=kind, dims=list(dims), raw_data=data)


def external(location: str, **more: str) -> onnx.TensorProto:
    """A tensor in another file."""
    tensor = TensorProto(name="W", data_type=F, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **more}.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return tensor


def nested(depth: int) -> bytes:
    """If in If in If."""
    graph = helper.make_graph([node("Relu", ["X"], ["r"])], "g", [], [helper.make_tensor_value_info("r", F, None)])
    for number in range(depth):
        name = f"r{number}"
        outer = node("If", ["c"], [name], then_branch=graph, else_branch=graph) if number < 2 else node(
            "If", ["c"], [name], then_branch=graph)
        graph = helper.make_graph([outer], "g", [], [helper.make_tensor_value_info(name, F, None)])
    return saved(node("Constant", [], ["c"], value=raw("c", TensorProto.BOOL, [], b"\1")), *graph.node,
                 output=graph.output[0].name)


def add(tensor: onnx.TensorProto, **more: Any) -> bytes:
    """X + W."""
    return saved(node("Add", ["X", "W"], ["Y"]), initializers=[tensor], given=[4], **more)


def field(model: onnx.ModelProto, **values: Any) -> None:
    """Set fields of the first input's type."""
    for name, value in values.items():
        setattr(model.graph.input[0].type.tensor_type, name, value)


def twice(model: onnx.ModelProto) -> None:
    """The same input again."""
    model.graph.input.append(model.graph.input[0])


def filled(op: str, size: Sequence[int]) -> bytes:
    """A tensor of that size, by an operator."""
    sizes = numpy_helper.from_array(np.array(size, np.int64), "s")
    one = raw("W", F, [1] * len(size), b"\0" * 4)
    made = {"ConstantOfShape": node("ConstantOfShape", ["s"], ["a"]), "Tile": node("Tile", ["W", "s"], ["a"]),
            "Expand": node("Expand", ["W", "s"], ["a"])}[op]
    return saved(made, node("Relu", ["a"], ["b"]), node("Relu", ["X"], ["Y"]), initializers=[sizes, one])


def ranged() -> bytes:
    """Range to 10^15."""
    ends = [numpy_helper.from_array(np.array(number, np.int64), name)
            for name, number in (("a", 0), ("b", 10**15), ("c", 1))]
    return saved(node("Range", ["a", "b", "c"], ["r"]), node("Relu", ["X"], ["Y"]), initializers=ends)


def chain(count: int) -> bytes:
    """Very many nodes."""
    return saved(*(node("Relu", [f"t{number}" if number else "X"], [f"t{number + 1}"]) for number in range(count)),
                 output=f"t{count}")


RELU = [node("Relu", ["X"], ["Y"])]
MODELS: dict[str, Callable[[], bytes]] = {
    "minus-one": lambda: saved(given=[1, -1, 4]),
    "minus-many": lambda: saved(given=[-5, -2**62]),
    "huge": lambda: saved(given=[10**9, 10**9]),
    "huge-flat": lambda: saved(given=[10**10]),
    "beyond": lambda: saved(given=[2**62, 2**62, 4]),
    "empty-huge": lambda: saved(given=[0, 2**62]),
    "rank-33": lambda: saved(given=[1] * 33),
    "rank-70": lambda: saved(given=[1] * 70),
    "rank-5000": lambda: saved(given=[1] * 5000),
    "scalar": lambda: saved(given=[]),
    "element-99": lambda: saved(change=lambda model: field(model, elem_type=99)),
    "element-0": lambda: saved(change=lambda model: field(model, elem_type=0)),
    "element-minus": lambda: saved(change=lambda model: field(model, elem_type=-7)),
    "string": lambda: saved(kind=TensorProto.STRING),
    "complex": lambda: saved(kind=TensorProto.COMPLEX64),
    "int4": lambda: saved(kind=TensorProto.INT4),
    "float8": lambda: saved(kind=TensorProto.FLOAT8E4M3FN),
    "sequence": lambda: saved(change=lambda model: model.graph.input[0].type.CopyFrom(
        helper.make_sequence_type_proto(helper.make_tensor_type_proto(F, None)))),
    "no-type": lambda: saved(change=lambda model: model.graph.input[0].ClearField("type")),
    "no-shape": lambda: saved(change=lambda model: model.graph.input[0].type.tensor_type.ClearField("shape")),
    "no-name": lambda: saved(change=lambda model: model.graph.input[0].ClearField("name")),
    "no-inputs": lambda: saved(change=lambda model: model.graph.ClearField("input")),
    "no-outputs": lambda: saved(change=lambda model: model.graph.ClearField("output")),
    "no-nodes": lambda: saved(change=lambda model: model.graph.ClearField("node")),
    "no-graph": lambda: saved(change=lambda model: model.ClearField("graph")),
    "no-opset": lambda: saved(change=lambda model: model.ClearField("opset_import")),
    "opset-0": lambda: saved(opset=0),
    "opset-minus": lambda: saved(opset=-3),
    "opset-999": lambda: saved(opset=999),
    "opset-huge": lambda: saved(opset=2**62),
    "opset-twice": lambda: saved(change=lambda model: model.opset_import.extend([helper.make_opsetid("", 9)])),
    "ir-huge": lambda: saved(change=lambda model: setattr(model, "ir_version", 2**60)),
    "input-twice": lambda: saved(change=twice),
    "claims-4-tb": lambda: add(raw("W", F, [2**40], b"\0" * 4)),
    "claims-minus": lambda: add(raw("W", F, [-4], b"\0" * 16)),
    "claims-rank": lambda: add(raw("W", F, [1] * 70, b"\0" * 4)),
    "claims-overflow": lambda: add(raw("W", F, [2**32, 2**32, 2**32], b"\0" * 4)),
    "claims-empty": lambda: add(raw("W", F, [0, 2**62], b"")),
    "claims-type": lambda: add(raw("W", 99, [4], b"\0" * 16)),
    "claims-type-0": lambda: add(raw("W", 0, [4], b"\0" * 16)),
    "claims-nothing": lambda: add(TensorProto(name="W", data_type=F, dims=[4])),
    "claims-both": lambda: add(TensorProto(name="W", data_type=F, dims=[4], raw_data=b"\0" * 16, float_data=[1.0])),
    "claims-other": lambda: add(TensorProto(name="W", data_type=F, dims=[4], int64_data=[1, 2, 3, 4])),
    "claims-strings": lambda: add(TensorProto(name="W", data_type=8, dims=[4], string_data=[b"\xff", b"a", b"", b"b"])),
    "claims-odd-bytes": lambda: add(raw("W", F, [4], b"\0" * 15)),
    "claims-no-name": lambda: add(raw("", F, [4], b"\0" * 16)),
    "external-absent": lambda: add(external("nowhere.bin")),
    "external-long": lambda: add(external("a" * 5000)),
    "external-up": lambda: add(external("../../../../etc/passwd")),
    "external-absolute": lambda: add(external("/etc/passwd")),
    "external-device": lambda: add(external("/dev/zero")),
    "external-empty": lambda: add(external("")),
    "external-nul": lambda: add(external("a\0b")),
    "external-itself": lambda: add(external("m.onnx")),
    "external-offset": lambda: add(external("m.onnx", offset="-5", length="99999999999999")),
    "external-number": lambda: add(external("m.onnx", offset="x", length="1e9")),
    "constant-of-shape": lambda: filled("ConstantOfShape", [10**11]),
    "constant-of-shape-minus": lambda: filled("ConstantOfShape", [-5]),
    "constant-of-shape-rank": lambda: filled("ConstantOfShape", [1] * 70),
    "tile": lambda: filled("Tile", [10**11]),
    "tile-many": lambda: filled("Tile", [10**4, 10**4, 10**4]),
    "expand": lambda: filled("Expand", [10**6, 10**6]),
    "range": ranged,
    "if-8": lambda: nested(8),
    "if-30": lambda: nested(30),
    "max-nothing": lambda: saved(node("Max", [], ["Y"])),
    "max-empty": lambda: saved(node("Max", [""], ["Y"])),
    "max-many": lambda: saved(node("Max", ["X"] * 3000, ["Y"])),
    "twice": lambda: saved(node("MaxPool", ["X"], ["Y", "Y"], kernel_shape=[1, 1])),
    "left-out": lambda: saved(node("MaxPool", ["X"], ["", "Y"], kernel_shape=[1, 1])),
    "overwrites": lambda: saved(node("Relu", ["X"], ["X"]), node("Relu", ["X"], ["Y"])),
    "loop": lambda: saved(node("Relu", ["Y"], ["Y"])),
    "circle": lambda: saved(node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["Y"])),
    "nowhere": lambda: saved(node("Relu", ["Q"], ["Y"])),
    "output-nowhere": lambda: saved(*RELU, output="Z"),
    "no-operator": lambda: saved(node("", ["X"], ["Y"])),
    "operator-odd": lambda: saved(node("R\x1b[2J\n", ["X"], ["Y"])),
    "operator-long": lambda: saved(node("R" * 5000, ["X"], ["Y"])),
    "domain-odd": lambda: saved(node("Relu", ["X"], ["Y"], domain="a\u202eb")),
    "domain-long": lambda: saved(node("Relu", ["X"], ["Y"], domain="d" * 5000)),
    "many-inputs": lambda: saved(node("Relu", ["X"] * 50, ["Y"])),
    "many-outputs": lambda: saved(node("Relu", ["X"], ["Y", *(f"y{number}" for number in range(50))])),
    "name-long": lambda: saved(node("Relu", ["X"], ["a" * 20000]), node("Relu", ["a" * 20000], ["Y"])),
    "name-odd": lambda: saved(node("Relu", ["X"], ["\x1b[2J"]), node("Relu", ["\x1b[2J"], ["Y"])),
    "symbol-odd": lambda: saved(given=["\x1b[2J\n", 4]),
    "symbol-long": lambda: saved(given=["N" * 5000, 4]),
    "attribute-odd": lambda: saved(node("Relu", ["X"], ["Y"], **{"\x1b[2J": 1})),
    "attribute-type": lambda: saved(node("MaxPool", ["X"], ["Y"], kernel_shape="abc")),
    "attribute-huge": lambda: saved(node("MaxPool", ["X"], ["Y"], kernel_shape=[2**62, 2**62])),
    "attribute-many": lambda: saved(node("MaxPool", ["X"], ["Y"], kernel_shape=[1] * 3000)),
    "attribute-minus": lambda: saved(node("MaxPool", ["X"], ["Y"], kernel_shape=[-1, 0])),
    "attribute-pads": lambda: saved(node("MaxPool", ["X"], ["Y"], kernel_shape=[2, 2], pads=[2**40] * 4)),
    "attribute-nothing": lambda: saved(node("MaxPool", ["X"], ["Y"])),
    "attribute-twice": lambda: saved(
        node("MaxPool", ["X"], ["Y"], kernel_shape=[1, 1]),
        change=lambda model: model.graph.node[0].attribute.append(model.graph.node[0].attribute[0])),
    "attribute-empty": lambda: saved(*RELU, change=lambda model: model.graph.node[0].attribute.add()),
    "attribute-reference": lambda: saved(*RELU, change=lambda model: setattr(
        model.graph.node[0].attribute.add(name="a"), "ref_attr_name", "b")),
    "nan": lambda: add(raw("W", F, [4], struct.pack("<4f", *[float("nan")] * 4))),
    "output-shape": lambda: saved(out_shape=[2**62, -1]),
    "metadata": lambda: saved(change=lambda model: helper.set_model_props(model, {"a" * 9999: "\x1b[2J" * 999})),
    "producer": lambda: saved(change=lambda model: setattr(model, "producer_name", "\x1b[2J" * 99)),
    "doc": lambda: saved(change=lambda model: setattr(model, "doc_string", "\u202e" * 99999)),
    "function": lambda: saved(node("f", ["X"], ["Y"], domain="my.own"), change=lambda model: model.functions.append(
        helper.make_function("my.own", "f", ["a"], ["b"], [node("f", ["a"], ["b"], domain="my.own")],
                             [helper.make_opsetid("my.own", 1)]))),
    "function-deep": lambda: saved(node("f0", ["X"], ["Y"], domain="my.own"), change=lambda model: model.functions
                                   .extend(
        helper.make_function("my.own", f"f{number}", ["a"], ["b"], [
            node(f"f{number + 1}", ["a"], ["c"], domain="my.own"),
            node(f"f{number + 1}", ["c"], ["b"], domain="my.own")] if number < 30 else [node("Relu", ["a"], ["b"])],
            [helper.make_opsetid("my.own", 1), helper.make_opsetid("", 17)]) for number in range(31))),
    "function-twice": lambda: saved(change=lambda model: model.functions.extend([helper.make_function(
        "my.own", "f", ["a"], ["b"], [node("Relu", ["a"], ["b"])], [helper.make_opsetid("", 17)])] * 2)),
    "chain": lambda: chain(3000),
    "empty": lambda: b"",
    "text": lambda: b"not a model",
    "cut": lambda: saved()[:40],
    "zeros": lambda: b"\0" * 1000,
    "deep-bytes": lambda: b"\x3a" + b"\x7f" * 100,
    "zip": lambda: b"PK\3\4" + b"\0" * 100,
}
RUN = """minus-one huge-flat beyond empty-huge rank-33 rank-70 element-99 claims-4-tb claims-empty external-long
constant-of-shape tile if-30 max-nothing twice overwrites circle nan string no-inputs name-odd name-long left-out
function-deep int4 scalar attribute-huge opset-999 domain-long no-type""".split()
"""Those that are run, or nearly."""

ATTACKS = [
    *(Attack("model", f"{name}-check", CHECK, {"m.onnx": make}, (0, 1, 2, 3)) for name, make in MODELS.items()),
    *(Attack("model", f"{name}-census", CENSUS, {"m.onnx": make}, (0, 2)) for name, make in MODELS.items()),
    *(Attack("model", f"{name}-model", MODEL, {"m.onnx": MODELS[name]}, (0, 1, 2), leaves=["out/*"]) for name in RUN),
]


def npz(**arrays: Any) -> bytes:
    """An archive of arrays; bytes are a member as it is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            if isinstance(array, bytes):
                archive.writestr(f"{name}.npy", array)
            else:
                member = io.BytesIO()
                np.save(member, array, allow_pickle=True)
                archive.writestr(f"{name}.npy", member.getvalue())
    return buffer.getvalue()


def header(shape: str, descr: str = "'<f4'", data: bytes = b"") -> bytes:
    """An npy with any header."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text) + 1) + text + b"\n" + data


def zeros(size: int, **more: bytes) -> bytes:
    """An archive with a member of that many zeros, which are few bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("X.npy" if not more else "Z.npy", "w", force_zip64=True) as member:
            member.write(header(f"({size // 4},)"))
            for _ in range(size >> 24):
                member.write(bytes(1 << 24))
        for name, data in more.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


GIVEN = (*MODEL, "--inputs", "in.npz")
X = np.zeros((1, 1, 4, 4), np.float32)
RIGHT = io.BytesIO()
np.save(RIGHT, X)
INPUTS: dict[str, Callable[[], bytes]] = {
    "bomb": lambda: zeros(3 * GIGABYTE // 2),
    "bomb-beside": lambda: zeros(3 * GIGABYTE // 2, X=RIGHT.getvalue()),
    "claims": lambda: npz(X=header("(1000000000000,)")),
    "claims-many": lambda: npz(X=header(f"({'1, ' * 70})")),
    "digits": lambda: npz(X=header(f"({'9' * 4000},)")),
    "minus": lambda: npz(X=header("(-4,)")),
    "float-shape": lambda: npz(X=header("(1.5,)")),
    "text-shape": lambda: npz(X=header("'abc'")),
    "long-header": lambda: npz(X=header("(4,)" + " " * 100_000)),
    "deep-header": lambda: npz(X=header("(" * 1000 + ")" * 1000)),
    "descr": lambda: npz(X=header("(4,)", "'<f99'")),
    "descr-object": lambda: npz(X=header("(4,)", "'|O'", b"cos\nsystem\n(S'echo acted'\ntR.")),
    "descr-record": lambda: npz(X=header("(4,)", "[('a', '<f4')]", b"\0" * 16)),
    "descr-void": lambda: npz(X=header("(4,)", "'|V0'")),
    "descr-empty": lambda: npz(X=header("(4,)", "''")),
    "descr-date": lambda: npz(X=header("(4,)", "'<M8[ns]'", b"\0" * 32)),
    "big-endian": lambda: npz(X=X.astype(">f4")),
    "fortran": lambda: npz(X=np.asfortranarray(np.zeros((1, 1, 4, 4), np.float32))),
    "float64": lambda: npz(X=X.astype(np.float64)),
    "object": lambda: npz(X=np.array([{}], object)),
    "text": lambda: npz(X=np.array(["a"])),
    "no-npy": lambda: npz(X=b"hello"),
    "empty-member": lambda: npz(X=b""),
    "cut": lambda: npz(X=X)[:100],
    "empty": lambda: b"",
    "npy": RIGHT.getvalue,
    "pickle": lambda: b"cos\nsystem\n(S'echo acted'\ntR.",
    "other": lambda: npz(Z=X),
    "more": lambda: npz(X=X, Z=X),
    "names": lambda: npz(**{f"n{number}": b"" for number in range(20_000)}),
    "long-name": lambda: npz(**{"n" * 60_000: b""}),
    "odd-name": lambda: npz(**{"\x1b[2J\n": b""}),
    "shape": lambda: npz(X=np.zeros((2, 2), np.float32)),
    "no-archive": lambda: zeros(0)[4:],
}
ATTACKS += [Attack("inputs", name, GIVEN, {"m.onnx": saved(), "in.npz": make},
                   (0,) if name in ("fortran", "big-endian") else (2,),
                   leaves=["out/*"] if name in ("fortran", "big-endian") else [])
            for name, make in INPUTS.items()]
ATTACKS += [Attack("inputs", f"folder-{name}", (*MODEL, "--inputs", "in"), {"m.onnx": saved(), "in/input_0.pb": data})
            for name, data in [("empty", b""), ("text", b"hello"),
                               ("claims", raw("X", F, [2**40], b"").SerializeToString()),
                               ("external", external("/etc/passwd").SerializeToString()),
                               ("type", raw("X", 99, [4], b"").SerializeToString()),
                               ("minus", raw("X", F, [-1], b"\0" * 16).SerializeToString())]]
ATTACKS += [Attack("option", name, (*MODEL, *words), {"m.onnx": model}, status, leaves=["out/*"] if 0 in status else [])
            for name, words, model, status in [
                ("size-huge", ("--size", "N=1000000000000"), saved(given=["N"]), (2,)),
                ("size-digits", ("--size", "N=" + "9" * 5000), saved(given=["N"]), (2,)),
                ("size-minus", ("--size", "N=-1"), saved(given=["N"]), (2,)),
                ("size-float", ("--size", "N=1.5"), saved(given=["N"]), (2,)),
                ("size-other", ("--size", "M=2"), saved(given=["N"]), (2,)),
                ("size-digit", ("--size", "N=²"), saved(given=["N"]), (2,)),
                ("range-wide", ("--range", "-1e39..1e39"), saved(), (0, 1, 2)),
                ("range-wider", ("--range", "-1.7e308..1.7e308"), saved(), (0, 1, 2)),
                ("range-nan", ("--range", "nan..1"), saved(), (2,)),
                ("range-turned", ("--range", "2..1"), saved(), (2,)),
                ("range-text", ("--range", "a..b"), saved(), (2,)),
                ("range-int", ("--range", "X=-1e39:1e39"), saved(kind=TensorProto.INT32), (2,)),
                ("special-wide", ("--special", "1e39"), saved(), (0, 1, 2)),
                ("seed-huge", ("--seed", "9" * 4000), saved(), (0, 2)),
                ("seed-minus", ("--seed", "-1"), saved(), (2,)),
                ("limit-huge", ("--time-limit", "1e18"), saved(), (2,)),
                ("limit-nan", ("--time-limit", "nan"), saved(), (2,)),
                ("spec-absent", ("--spec", "zzz"), saved(), (2,)),
                ("backend-absent", ("--backend", "nothing"), saved(), (2,)),
                ("backend-exits", ("--backend", "exec:false {model} {inputs} {outputs}"), saved(), (0, 1, 2)),
            ]]
NAN = add(raw("W", F, [4], struct.pack("<4f", *[float("nan")] * 4)))
PLACE = ("model", "m.onnx", *SPEC, "--report-dir")
ATTACKS += [
    Attack("undecided", "add-nan", MODEL, {"m.onnx": NAN}, (2,), ["judged 1 of 1 nodes"], ["out/*"], 0),
    Attack("report-dir", "device", (*PLACE, "/dev/null"), {"m.onnx": saved()}, (2,), ["/dev/null"]),
    Attack("report-dir", "file", (*PLACE, "m.onnx"), {"m.onnx": saved()}, (2,), ["m.onnx"]),
    Attack("report-dir", "below-file", (*PLACE, "m.onnx/out"), {"m.onnx": saved()}, (2,), ["m.onnx"]),
    Attack("report-dir", "long", (*PLACE, "a" * 300), {"m.onnx": saved()}, (2,), ["too long"]),
    Attack("report-dir", "proc", (*PLACE, "/proc/self/x"), {"m.onnx": saved()}, (2,), ["/proc"]),
    Attack("report-dir", "write-models", (*MODEL, "--write-models", "/dev/null"), {"m.onnx": saved()}, (2,),
           ["/dev/null"], ["out/*"]),
    Attack("model-file", "device", ("model", "/dev/zero"), {}, (2,), ["not a regular file"]),
    Attack("model-file", "folder", ("model", "."), {}, (2,), ["directory"]),
    Attack("model-file", "absent", ("model", "nowhere.onnx"), {}, (2,), ["nowhere.onnx"]),
    Attack("model-file", "odd-name", ("check", "a\x1b[2J\n.onnx"), {"a\x1b[2J\n.onnx": b"x"}, (2,)),
    Attack("model-file", "long-name", ("check", "a" * 5000), {}, (2,)),
    Attack("model-file", "large", ("check", "m.onnx"), lambda folder: (folder / "m.onnx").open("wb").truncate(3 << 30),
           (2,), ["at most"]),
    Attack("model-file", "pipe", ("model", "m.onnx"), lambda folder: __import__("os").mkfifo(folder / "m.onnx"), (2,)),
    Attack("model-file", "many", ("census", *(f"m{number}" for number in range(50))), {}, (2,), lines=50),
]
