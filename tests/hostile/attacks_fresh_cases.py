"""Attacks on files of cases thought of from README, docs and `--help` alone: graphs as attributes, compact forms."""

from __future__ import annotations

import base64
import json

from onnx import TensorProto, helper

from tests.hostile.door import Attack


def loop(body: object, trips: object = 3, *, cond: str = "true", gives: str = "[5]", spec: str = "onnx/loop@25") -> str:
    """A file with one Loop."""
    return f"""spec: {spec.partition("@")[0]}
defaults: {{dtypes: {{M: int64, cond: bool}}, dtype: float32}}
cases:
- id: one
  title: A body that somebody else wrote
  versions: 25-
  clauses: [v_final_and_scan_outputs.F1]
  attributes: {{body: {json.dumps(body)}}}
  inputs: {{M: {trips}, cond: {cond}, v_initial_0: [5]}}
  outputs: {{v_final_and_scan_outputs_0: {gives}}}
"""


def body(*lines: str, before: str = "") -> str:
    """A body that keeps its condition, and gives y."""
    return (
        f"body (int64 i, bool c, float[n] x) => (bool o, float[m] y) {before} {{ o = Identity (c) {' '.join(lines)} }}"
    )


def graph(*nodes: object, initializers: tuple[object, ...] = ()) -> str:
    """A body of other nodes, as base64."""
    value = helper.make_tensor_value_info
    made = helper.make_graph(
        nodes,
        "b",
        [value("i", TensorProto.INT64, []), value("c", TensorProto.BOOL, []), value("x", TensorProto.FLOAT, [1])],
        [value("c", TensorProto.BOOL, []), value("y", TensorProto.FLOAT, [1])],
        initializer=initializers,
    )
    return "base64:" + base64.b64encode(made.SerializeToString()).decode()


def tensor(**fields: object) -> TensorProto:
    """An initialiser with these fields."""
    made = TensorProto(name="k", data_type=1, dims=[1])
    for name, field in fields.items():
        if name == "location":
            made.data_location = TensorProto.EXTERNAL
            made.external_data.add(key="location", value=field)
        elif isinstance(field, list):
            del made.dims[:]
            getattr(made, name).extend(field)
        else:
            setattr(made, name, field)
    return made


def nested(depth: int) -> str:
    """If in If."""
    start = "If <then_branch = a () => (float[1] r) { r = "
    return body(
        f"y = {start * depth} Identity (x) {'}, else_branch = b () => (float[1] r) { r = Identity (x) }> (c)' * depth}"
    )


SAME = helper.make_node("Identity", ["x"], ["y"])
BODIES: dict[str, object] = {
    "empty": "",
    "space": " \n",
    "number": 3,
    "null": None,
    "list": [["body"]],
    "mapping": {"value": "x"},
    "no-base64": "base64:",
    "odd-base64": "base64:\u202e%%",
    "not-a-graph": "base64:AAAA",
    "zip": "base64:UEsDBBQ",
    "nul": "body \0 () => () {}",
    "escape": "\x1b[2J\u202e" * 9,
    "unfinished": "body (int64 i",
    "two": body("y = Identity (x)") * 2,
    "long": "(" * 1_000_000,
    "long-name": body(f"y = {'I' * 100_000} (x)"),
    "long-type": "body (" + "float[" * 9000,
    "digits": body("y = Identity (k)", before=f"<float[1] k = {{{'9' * 5000}}}>"),
    "huge-constant": body("y = Identity (k)", before="<float[4000000000000] k = {1}>"),
    "negative-constant": body("y = Identity (k)", before="<float[-1] k = {1}>"),
    "strings": body("y = Identity (k)", before='<string[2] k = {"a", "\\x1b"}>'),
    "unknown-operator": body("y = Zzz (x)"),
    "unknown-domain": body("y = my.own.Zzz (x)"),
    "itself": body("y = Identity (y)"),
    "no-output": body(),
    "written-twice": body("y = Identity (x) y = Abs (x)"),
    "no-input": body("y = Add (x)"),
    "outer": body("y = Add (x, v_initial_0)"),
    "unused": body("y = Abs (x) z = Zzz (x)"),
    "random": body("y = RandomNormalLike (x)"),
    "nothing": "body () => () {}",
    "less": "body (int64 i, bool c) => (bool c) {}",
    "types": body("y = Cast <to = 99> (x)"),
    "attribute": body("y = Concat <axis = 99999999999999999999> (x, x)"),
    "reference": body("y = Elu <alpha : float = @alpha> (x)"),
    "nested-60": nested(60),
    "nested-quoted": nested(20_000).replace("= a ()", '= "}" a ()'),
    "nested-20": nested(20),
    "nested-20000": nested(20_000),
    "inner-loop": body("y = Loop (i, c, x)"),
    "no-branches": body("y = If (c)"),
    "outside-file": graph(SAME, initializers=(tensor(location="/etc/passwd"),)),
    "device": graph(helper.make_node("Identity", ["k"], ["y"]), initializers=(tensor(location="/dev/zero"),)),
    "four-terabytes": graph(SAME, initializers=(tensor(dims=[2**40]),)),
    "negative-sizes": graph(SAME, initializers=(tensor(dims=[-1, -1], raw_data=b"1234"),)),
    "type-99": graph(SAME, initializers=(tensor(data_type=99),)),
    "half-a-number": graph(helper.make_node("Identity", ["k"], ["y"]), initializers=(tensor(raw_data=b"12"),)),
    "names": graph(helper.make_node("Identity", ["\x1b[2J\n"], ["y"])),
    "empty-names": graph(helper.make_node("", [""], [""])),
    "many-nodes": graph(*[helper.make_node("Identity", ["x"], ["y" if not at else f"t{at}"]) for at in range(30_000)]),
}
TIMES = ("v_final_and_scan_outputs", "seconds|too|large|limit|steps|iterations")
HUGE = {
    "for-ever": (body("y = Identity (x)"), 2**63 - 1),
    "many-trips": (body("y = Identity (x)"), 10**9),
    "doubles": (body("y = Concat <axis = 0> (x, x)"), 60),
    "zeros": (body("y = Expand (x, k)", before="<int64[1] k = {1000000000000}>"), 1),
    "tiles": (body("y = Tile (x, k)", before="<int64[1] k = {30000}>"), 3),
    "range": (
        body(
            "a = Range (z, e, d) y = Cast <to = 1> (a)",
            before="<int64 z = {0}, int64 e = {9000000000000}, int64 d = {1}>",
        ),
        1,
    ),
    "pads": (body("y = Pad (x, k)", before="<int64[2] k = {9000000000000, 0}>"), 1),
    "shape": (body("y = ConstantOfShape (k)", before="<int64[3] k = {3000000000, 3000000000, 3000000000}>"), 1),
    "inner": (
        body(
            "y = Loop <body = q (int64 j, bool d, float[a] u) => (bool d, float[a] u) {}> (k, c, x)",
            before="<int64 k = {1000000000}>",
        ),
        1000,
    ),
    "inner-999": (
        body(
            "y = Loop <body = q (int64 j, bool d, float[a] u) => (bool d, float[a] v) { v = Loop <body = "
            "r (int64 l, bool e, float[b] w) => (bool e, float[b] z) { z = Identity (w) }> (h, d, u) }> (k, c, x)",
            before="<int64 k = {999}, int64 h = {999}>",
        ),
        999,
    ),
    "trips-string": (body("y = Identity (x)"), "max"),
    "trips-1e999": (body("y = Identity (x)"), "1e999"),
}
ATTACKS = [
    Attack(
        "fresh-body", name, ("cases", "lint", "a.yaml"), {"a.yaml": loop(text)}, (1,), lines=3, says=["a.yaml:[0-9]+"]
    )
    for name, text in BODIES.items()
]
ATTACKS += [
    Attack("fresh-loop", name, ("cases", "lint", "a.yaml"), {"a.yaml": loop(text, trips)}, (1, 2), lines=3)
    for name, (text, trips) in HUGE.items()
]

TYPES = """spec: SPEC
defaults: {dtype: float32, but: {bfloat16: {versions: 13-}, sonnx/abs: null}}
cases:
- {id: largest, title: The largest numbers, clauses: [Y.F1], dtype: [float16, float32],
   inputs: {X: [max, -max, tiny]}, outputs: {Y: [max, max, tiny]},
   but: {sonnx/abs: {dtype: [float16, float32]}}}
""".replace("SPEC", "[onnx/abs, sonnx/abs]")
CHANGES: dict[str, tuple[str, str]] = {
    "no-types": ("[float16, float32]", "[]"),
    "same-type": ("[float16, float32]", "[float32, float32]"),
    "type-unknown": ("[float16, float32]", "[float16, zzz]"),
    "types-nested": ("[float16, float32]", "[[float16]]"),
    "types-many": ("[float16, float32]", f"[{'float16, ' * 50_000}float32]"),
    "types-mapping": ("[float16, float32]", "{a: b}"),
    "no-specs": ("[onnx/abs, sonnx/abs]", "[]"),
    "no-specs-alone": (TYPES, "spec: []\ncases: [{id: a, title: An example, inputs: {}, observe: a}]"),
    "same-spec": ("[onnx/abs, sonnx/abs]", "[onnx/abs, onnx/abs]"),
    "specs-many": ("[onnx/abs, sonnx/abs]", f"[{'onnx/abs, ' * 50_000}sonnx/abs]"),
    "spec-mistyped": ("sonnx/abs]", "sonnx/abz]"),
    "spec-glob": ("[onnx/abs, sonnx/abs]", "'*'"),
    "spec-version": ("[onnx/abs,", "[onnx/abs@13, onnx/abs,"),
    "spec-escape": ("[onnx/abs,", '["\\x1b[2J",'),
    "but-unknown": ("{sonnx/abs: {", "{zzz: {"),
    "but-list": ("but: {sonnx/abs: {dtype: [float16, float32]}}", "but: [sonnx/abs]"),
    "but-itself": ("{sonnx/abs: {", "{sonnx/abs: {but: {sonnx/abs: {}}, "),
    "but-spec": ("{sonnx/abs: {", "{sonnx/abs: {spec: onnx/relu, "),
    "but-id": ("{sonnx/abs: {", "{sonnx/abs: {id: '../../x', "),
    "but-title": ("{sonnx/abs: {", '{sonnx/abs: {title: "\\x1b[2J", '),
    "but-null-defaults": ("bfloat16: {versions: 13-}", "float16: null, float32: null"),
    "but-alias": ("but: {sonnx/abs: {", "but: &a {float16: *a, sonnx/abs: {"),
    "but-inputs": ("{sonnx/abs: {", "{sonnx/abs: {inputs: {Zzz: [1]}, "),
    "id-format": ("id: largest", "id: 'a-{dtype.__class__.__mro__}'"),
    "title-format": ("The largest numbers", "'The largest {dtype!r:>999999999} {0}'"),
    "title-braces": ("The largest numbers", "'The largest {{dtype}} {'"),
    "id-same": ("id: largest", "id: '{dtype}', example: '{dtype}'"),
    "value-offset": ("max, -max", "max-1, -max"),
    "value-far": ("max, -max", f"max-{'9' * 5000}, -max"),
    "value-sign": ("max, -max", "--max, -max"),
    "value-unknown": ("max, -max", "maximum, -max"),
    "value-shape": ("X: [max, -max, tiny]", "X: {shape: [max]}"),
    "value-bool": ("dtype: [float16, float32],\n   inp", "dtype: [bool, string],\n   inp"),
    "value-code": ("max, -max", "'max.__class__', -max"),
    "versions-open": ("inputs: {X", f"versions: '{'9' * 5000}-', inputs: {{X"),
    "versions-odd": ("inputs: {X", "versions: \u00b2-, inputs: {X"),
    "but-null-type": ("{sonnx/abs: {", "{float16: null, sonnx/abs: {"),
    "versions-none": ("bfloat16: {versions: 13-}", "float16: {versions: 999-}, float32: {versions: 999-}"),
    "computed": ("{Y: [max, max, tiny]}", "computed"),
    "computed-wrong": ("outputs: {Y: [max, max, tiny]}", "outputs: computed, outside: [X.C1]"),
    "count-huge": ("{Y: [max, max, tiny]}", "1000000000000"),
    "count-negative": ("{Y: [max, max, tiny]}", "-1"),
    "count-true": ("{Y: [max, max, tiny]}", "true"),
    "graph": ("inputs: {X", 'attributes: {alpha: "g () => () {}"}, inputs: {X'),
    "example-path": ("id: largest, title: The largest numbers", "example: ../../../etc/passwd"),
    "example-list": ("id: largest, title: The largest numbers", "example: [a]"),
    "contexts-odd": ("inputs: {X", 'contexts: ["\\x1b[2J"], inputs: {X'),
    "contexts-number": ("inputs: {X", "contexts: 9, inputs: {X"),
    "source-odd": ("inputs: {X", "source: 'javascript:alert(1)', inputs: {X"),
    "merge": ("defaults: {", "defaults: {<<: {a: b}, "),
    "tag": ("inputs: {X", "inputs: !!python/object/apply:os.system {X"),
}
ATTACKS += [
    Attack(
        "fresh-compact",
        name,
        ("cases", "lint", "a.yaml"),
        {"a.yaml": TYPES.replace(*change)},
        (0, 1),
        lines=3,
        says=["a.yaml:[0-9]+|0 problems"],
    )
    for name, change in CHANGES.items()
]
ATTACKS += [
    Attack(
        "fresh-fix",
        name,
        ("cases", "lint", "--fix", "a.yaml"),
        {"a.yaml": TYPES.replace(*CHANGES[name])},
        (0, 1),
        lines=3,
        leaves=["a.yaml"],
    )
    for name in ("title-format", "but-alias", "graph", "value-far", "same-spec")
]
