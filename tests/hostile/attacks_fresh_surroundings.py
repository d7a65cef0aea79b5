"""Attacks on programs, commands and profiles thought of from README, docs and `--help` alone."""

from __future__ import annotations

import signal
from importlib.metadata import version
from typing import Any

from tests.hostile.attacks_cases import RUN
from tests.hostile.attacks_fresh import PROGRAM, program
from tests.hostile.attacks_fresh_cases import body, loop
from tests.hostile.attacks_fresh_options import FILES, odd
from tests.hostile.attacks_models import SPEC
from tests.hostile.door import Attack

ATTACKS: list[Attack] = []
BUILT_IN = ("--backend", "onnxruntime", "--dtype", "float16")
ACCURACY: dict[str, tuple[str, ...]] = {
    "unknown": ("zzz", *BUILT_IN),
    "escape": ("\x1b[2J", *BUILT_IN),
    "path": ("../../etc/passwd", *BUILT_IN),
    "long": ("A" * 9000, *BUILT_IN),
    "loop": ("Loop", *BUILT_IN),
    "type": ("Sqrt", "--dtype", "string"),
    "type-escape": ("Sqrt", "--dtype", "\x1b[2J"),
    "inputs-one": ("Sqrt", "--inputs", "1"),
    "inputs-huge": ("Sqrt", "--inputs", "9" * 40),
    "inputs-word": ("Sqrt", "--inputs", "nan"),
    "seed-minus": ("Sqrt", "--seed", "-1"),
    "seed-huge": ("Sqrt", "--seed", "9" * 4000, *BUILT_IN, "--output", "out"),
    "shards-alone": ("Sqrt", "--shards", "0..1"),
    "shards-back": ("Sqrt", "--every-float32", "--shards", "9..1"),
    "shards-huge": ("Sqrt", "--every-float32", "--shards", f"0..{'9' * 5000}"),
    "shards-same": ("Sqrt", "--every-float32", "--shards", "3..3"),
    "shards-minus": ("Sqrt", "--every-float32", "--shards", "-3..3"),
    "shards-word": ("Sqrt", "--every-float32", "--shards", "\u00b2..\u00b3"),
    "every-many": ("Sqrt", "Sqrt", "--every-float32", "--shards", "0..1", "--output", "out"),
    "every-pow": ("Pow", "--every-float32", "--shards", "0..1"),
    "every-type": ("Sqrt", "--every-float32", "--dtype", "float16"),
    "output-file": ("Sqrt", *BUILT_IN, "--output", "a.yaml"),
    "output-fifo": ("Sqrt", *BUILT_IN, "--output", "fifo"),
    "output-link": ("Sqrt", *BUILT_IN, "--output", "link"),
    "output-null": ("Sqrt", *BUILT_IN, "--output", "/dev/null/x"),
    "output-long": ("Sqrt", *BUILT_IN, "--output", "d" * 300),
    "backend-twice": ("Sqrt", *BUILT_IN, *BUILT_IN, "--output", "out"),
    "backend-none": ("Sqrt", "--backend", "stdio:"),
    "backend-false": ("Sqrt", "--backend", "stdio:false", "--dtype", "float16"),
    "backend-odd": ("Sqrt", "--backend", "\x1b[2J"),
    "function-twice": ("Sqrt", "Sqrt", *BUILT_IN, "--output", "out"),
}
ATTACKS += [
    Attack(
        "fresh-accuracy",
        name,
        ("accuracy", *words),
        odd,
        (0, 2),
        leaves=["out/*"] if "--output" in words else [],
        lines=4,
    )
    for name, words in ACCURACY.items()
]

SQRT = PROGRAM.replace('"outputs": {"Y"', '"outputs": {"Z"').replace(
    "START", '{"name": NAME, "specifications": ["onnx/*"]}'
)


def measured(name: str, change: str, said: str = "a") -> Attack:
    """A program whose errors are measured."""
    text = SQRT.replace("NAME", repr(said)).replace(
        "CHANGE", repr(f"answer['outputs'] = {{'Y': call['inputs']['X']}}; {change}")
    )
    return Attack(
        "fresh-measured",
        name,
        ("accuracy", "Sqrt", "--dtype", "float16", "--backend", "stdio:python3 p.py", "--output", "out"),
        {"p.py": text},
        (0, 2),
        leaves=["out/*"],
        lines=4,
    )


ATTACKS += [
    measured("identity", ""),
    measured("script", "", "<script>alert(1)</script>"),
    measured("path", "", "../../../x"),
    measured("escape", "", "\x1b[2J\u202e"),
    measured("long", "", "n" * 4000),
    measured("table", "", "a|b`\n# c"),
    measured("other-shape", "answer['outputs']['Y']['shape'] = [1]"),
    measured("other-type", "answer['outputs']['Y']['dtype'] = 'float32'"),
    measured("nothing", "answer['outputs'] = {}"),
    measured("crash", "sys.exit(3)"),
    measured("refused", "answer = {'number': call['number'], 'refused': {'phase': 'load', 'message': chr(27)}}"),
    measured("half", "print(json.dumps(answer)[:9], flush=True); sys.exit()"),
    measured("dots", "", ".."),
    measured("nul", "", "a\0b"),
    measured("slashes", "", "/etc/passwd"),
]

PROGRESS = {
    "empty": b"",
    "text": b"zzz",
    "digits": b"9" * 9000,
    "deep": b"[" * 50_000,
    "bytes": bytes(range(256)) * 9,
    "json": b'{"shards": {"0": 1e999}}',
    "list": b"[]",
    "null": b"null",
}
ATTACKS += [
    Attack(
        "fresh-progress",
        name,
        ("accuracy", "Sqrt", "--backend", "onnxruntime", "--every-float32", "--shards", "0..1", "--output", "out"),
        {f"out/sqrt-onnxruntime-{version('onnxruntime')}.progress": content},
        (2,),
        leaves=["out/*"],
        lines=4,
    )
    for name, content in PROGRESS.items()
]

ANSWERS = {
    "other-number-type": "answer['number'] = float(answer['number'])",
    "number-text": "answer['number'] = str(answer['number'])",
    "dtype-list": "answer['outputs']['Y']['dtype'] = []",
    "dtype-void": "answer['outputs']['Y']['dtype'] = 'V4'",
    "dtype-object": "answer['outputs']['Y']['dtype'] = 'object'",
    "data-object": "answer['outputs']['Y']['data'] = {}",
    "data-spaces": "answer['outputs']['Y']['data'] = ' AACAQA=='",
    "data-url": "answer['outputs']['Y']['data'] = 'AACAQA_-'",
    "shape-true": "answer['outputs']['Y']['shape'] = [True, 1, 1, 1]",
    "shape-float": "answer['outputs']['Y']['shape'] = [1.0, 1, 1, 1]",
    "shape-minus": "answer['outputs']['Y']['shape'] = [-1, -1, 1, 1]",
    "shape-deep": "answer['outputs']['Y']['shape'] = [[1, 1, 1, 1]]",
    "string-type": "answer['outputs']['Y'] = {'dtype': 'string', 'shape': [1, 1, 1, 1], 'data': ['4']}",
    "more-outputs": "answer['outputs']['\\x1b[2J'] = answer['outputs']['Y']",
    "both": "answer['refused'] = {'phase': 'run', 'message': 'no'}",
    "phase-odd": "answer = {'number': call['number'], 'refused': {'phase': chr(27), 'message': 'x'}}",
    "refused-text": "answer = {'number': call['number'], 'refused': 'no'}",
    "crashed-long": "answer = {'number': call['number'], 'crashed': 'x' * 3000000}",
    "gap-list": "answer['gap'] = [[]]",
    "provider-list": "answer['provider'] = [1]",
    "nan": "print('NaN', flush=True)",
    "blank-lines": "print('\\n' * 50000, flush=True)",
    "chatter": "print('hello', flush=True)",
    "keys-twice": 'print(\'{"number":1,"number":2}\', flush=True)',
    "closes-stdout": "import os, time; os.close(1); time.sleep(300)",
    "stderr-flood": "sys.stderr.write('e' * 50000000); answer = {'number': -1}",
    "stderr-escape": "sys.stderr.write(chr(27) + '[2J'); sys.exit(3)",
    "daemon": "import os, time\nif not os.fork():\n  os.setsid(); time.sleep(300)\nsys.exit(3)",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "kills-parent": "import os; os.kill(os.getppid(), 15)",
    "bit-of-bool": "answer['outputs']['Y'] = {'dtype': 'bool', 'shape': [1, 1, 1, 1], 'data': 'Ag=='}",
}
IGNORED = ("more-outputs", "gap-list", "provider-list")
"""What a right answer may have besides."""
ATTACKS += [program(f"says-{name}", change, right=name in IGNORED) for name, change in ANSWERS.items()]
STARTS: dict[str, dict[str, Any]] = {
    "version-3": {"plumbline": 3},
    "version-true": {"plumbline": True},
    "name-list": {"name": ["a"]},
    "capabilities-deep": {"capabilities": [[[[[]]]]]},
    "capabilities-nan": {"capabilities": [{"accuracy": -1}]},
    "capabilities-versions": {"capabilities": [{"versions": ">>1"}]},
    "missing-empty": {"not_implemented": [3]},
    "address-word": {"address_limit": "yes"},
    "about-list": {"about": ["x"]},
    "specifications-odd": {"specifications": ["[" * 900]},
    "specifications-none": {"specifications": []},
}
ATTACKS += [program(f"starts-{name}", start=start) for name, start in STARTS.items()]

OBSERVED = loop(body("y = Identity (x)"), 2**63 - 1).replace(
    "outputs: {v_final_and_scan_outputs_0: [5]}", "observe: nobody knows"
)
BACK = ("conformance", "--cases", "a.yaml", "--spec", "onnx/loop@25", "--report-dir", "out", "--time-limit", "2")
ATTACKS += [
    Attack(
        "fresh-endless", "runtime", BACK, {"a.yaml": OBSERVED}, (0, 1, 2), leaves=["out/*"], lines=3, memory=6 << 30
    ),
    Attack(
        "fresh-endless",
        "doubling",
        BACK,
        {"a.yaml": OBSERVED.replace("Identity (x)", "Concat <axis = 0> (x, x)")},
        (0, 1, 2),
        leaves=["out/*"],
        lines=3,
        memory=6 << 30,
    ),
    Attack(
        "fresh-endless",
        "interrupted",
        BACK,
        {"a.yaml": OBSERVED},
        (2,),
        leaves=["out/*"],
        lines=3,
        signals=[(6.0, signal.SIGINT)],
    ),
    Attack(
        "fresh-endless",
        "closed",
        BACK,
        {"a.yaml": OBSERVED},
        (2,),
        leaves=["out/*"],
        lines=3,
        signals=[(6.0, signal.SIGHUP)],
        quiet=True,
    ),
]

MADE: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "accuracy-full-disk": (("accuracy", "Sqrt", *BUILT_IN, "--output", "out"), {"disk": 4096, "status": (2,)}),
    "accuracy-closed": (
        ("accuracy", "Sqrt", *BUILT_IN, "--output", "out"),
        {"streams": {"stdout": "closed"}, "status": (0, 2)},
    ),
    "accuracy-interrupted": (("accuracy", "--output", "out"), {"signals": [(2.0, signal.SIGINT)], "status": (2,)}),
    "accuracy-ended": (("accuracy", "--output", "out"), {"signals": [(2.0, signal.SIGTERM)], "status": (2,)}),
    "accuracy-full": (
        ("accuracy", "Sqrt", *BUILT_IN, "--output", "out"),
        {"streams": {"stdout": "/dev/full"}, "status": (2,)},
    ),
    "census-full": (("census", "m.onnx"), {"streams": {"stdout": "/dev/full"}, "status": (2,)}),
    "census-json": (("census", "m.onnx", "--json"), {"streams": {"stdout": "closed"}, "status": (0, 2)}),
    "census-fifo": (("census", "fifo"), {"status": (2,)}),
    "census-zero": (("census", "zero"), {"status": (2,)}),
    "census-link": (("census", "link"), {"status": (2,)}),
    "census-many": (("census", *["m.onnx"] * 2000), {"status": (0, 2)}),
    "census-odd": (("census", "\x1b[2J"), {"status": (2,)}),
    "check-zero": (("check", "zero"), {"status": (2,)}),
    "check-fifo": (("check", "fifo"), {"status": (2,)}),
    "check-size": (("check", "m.onnx", "--size", "X.-1=3", "--size", "=5"), {"status": (0, 2)}),
    "model-size": (("model", "m.onnx", *SPEC, "--size", "X.0=0", "--report-dir", "out"), {"status": (0, 1, 2)}),
    "model-range": (("model", "m.onnx", *SPEC, "--range", "X=nan:nan", "--report-dir", "out"), {"status": (2,)}),
    "model-range-back": (("model", "m.onnx", *SPEC, "--range", "1..0", "--report-dir", "out"), {"status": (2,)}),
    "model-special": (("model", "m.onnx", *SPEC, "--special", "\x1b[2J", "--report-dir", "out"), {"status": (2,)}),
    "model-special-huge": (("model", "m.onnx", *SPEC, "--special", "1e999", "--report-dir", "out"), {"status": (0, 2)}),
    "model-against-itself": (
        ("model", "m.onnx", *SPEC, "--against", "m.onnx", "--report-dir", "out"),
        {"status": (0, 1, 2)},
    ),
    "model-against-fifo": (("model", "m.onnx", *SPEC, "--against", "fifo", "--report-dir", "out"), {"status": (2,)}),
    "model-inputs-fifo": (("model", "m.onnx", *SPEC, "--inputs", "fifo", "--report-dir", "out"), {"status": (2,)}),
    "model-inputs-folder": (("model", "m.onnx", *SPEC, "--inputs", "folder", "--report-dir", "out"), {"status": (2,)}),
    "model-write-file": (
        ("model", "m.onnx", *SPEC, "--write-models", "a.yaml", "--report-dir", "out"),
        {"status": (0, 2)},
    ),
    "model-write-link": (
        ("model", "m.onnx", *SPEC, "--write-models", "link", "--report-dir", "out"),
        {"status": (0, 2)},
    ),
    "model-seed": (("model", "m.onnx", *SPEC, "--seed", "9" * 400, "--report-dir", "out"), {"status": (0, 2)}),
    "model-format": (
        ("model", "m.onnx", *SPEC, "--format", "json", "--report-dir", "out"),
        {"streams": {"stdout": "/dev/full"}, "status": (2,)},
    ),
    "model-disk": (("model", "m.onnx", *SPEC, "--report-dir", "out"), {"disk": 2048, "status": (2,)}),
    "model-independent": (
        ("model", "m.onnx", *SPEC, "--independent", "--probe", "--spans", "--report-dir", "out"),
        {"status": (0,)},
    ),
    "lint-fix-link": (("cases", "lint", "--fix", "zero"), {"status": (1, 2)}),
    "lint-fix-fifo": (("cases", "lint", "--fix", "fifo"), {"status": (1, 2)}),
    "lint-fix-loop": (("cases", "lint", "--fix", "link"), {"status": (1, 2)}),
    "answers": (("backends", "answers", "\x1b[2J", "onnxruntime", "--spec", "sonnx/maxpool"), {"status": (2,)}),
    "answers-cases": (("backends", "answers", "first", "--cases", "fifo", "onnxruntime"), {"status": (2,)}),
    "editions-odd": (("editions", "\x1b[2J"), {"status": (2,)}),
    "editions-path": (("editions", "../../x", "--check"), {"status": (2,)}),
    "import-odd": (("cases", "import-examples", "\x1b[2J"), {"status": (2,)}),
    "export-link": (
        ("cases", "export", "link", "--format", "onnx-backend-test", "--spec", "sonnx/abs"),
        {"status": (2,)},
    ),
    "corpus-link": (("corpus", "link", "--spec", "sonnx/abs", "--generated", "0"), {"status": (2,)}),
    "corpus-fifo": (("corpus", "fifo", "--spec", "sonnx/abs"), {"status": (2,)}),
    "specs-folder": (("specs", "new", "HardSigmoid", "--folder", "fifo"), {"status": (2,)}),
    "new-backend-path": (("new-backend", "../.."), {"status": (2,)}),
    "schema-odd": (("schema", "\x1b[2J"), {"status": (2,)}),
    "list-odd": (("list", "accuracy/*\x1b"), {"status": (2,)}),
    "diff-many": (("diff", "--all", "["), {"status": (0, 2)}),
    "explain-profile": (("explain", "accuracy/opencl-full#\x1b[2J"), {"status": (2,)}),
    "explain-declared": (("explain", "accuracy/declared#zzz"), {"status": (2,)}),
    "site-link": (("site", "a.yaml", "link"), {"status": (2,)}),
    "matrix-link": (("matrix", "onnxruntime", "--spec", "sonnx/abs", "--report-dir", "link"), {"status": (2,)}),
    "matrix-accuracy": (("matrix", "onnxruntime", "--accuracy", "../x", "--report-dir", "out"), {"status": (2,)}),
}
ATTACKS += [
    Attack("fresh-command", name, words, odd, leaves=["out/*"], lines=4, **how) for name, (words, how) in MADE.items()
]

PROFILE = """---
specification: accuracy/mine
edition: mine
tables:
  t: {types: [float32], source: mine}
bounds:
  sqrt.F1: {table: t, ulp: 3}
---

# Accuracy profile: mine

Text.
"""
ROOT_OF_FOUR = """spec: onnx/sqrt
defaults: {dtype: float32}
cases:
- {id: four, title: The root of four, clauses: [Y.F1], inputs: {X: [4]}, outputs: {Y: [2]}}
"""
BOUNDS: dict[str, tuple[str, str]] = {
    "right": ("ulp: 3", "ulp: 3"),
    "minus": ("ulp: 3", "ulp: -1"),
    "nan": ("ulp: 3", "ulp: .nan"),
    "inf": ("ulp: 3", "ulp: .inf"),
    "text": ("ulp: 3", "ulp: '9**9**9'"),
    "power": ("ulp: 3", "absolute: 9**9**9"),
    "power-minus": ("ulp: 3", "absolute: 2**-99999999999"),
    "power-huge": ("ulp: 3", "absolute: 2**99999999999"),
    "code": ("ulp: 3", "absolute: __import__('os')"),
    "inside": ("ulp: 3", "ulp: 3, inside: [2, 1]"),
    "inside-one": ("ulp: 3", "ulp: 3, inside: [2]"),
    "inside-word": ("ulp: 3", "ulp: 3, inside: [tau, pi]"),
    "rounded": ("ulp: 3", "rounded: sometimes"),
    "both": ("ulp: 3", "ulp: 3, absolute: 1"),
    "nothing": (", ulp: 3", ""),
    "rising": ("ulp: 3", "ulp: 3, rising: -9e99"),
    "table": ("table: t", "table: zzz"),
    "types": ("[float32]", "[zzz]"),
    "types-empty": ("[float32]", "[]"),
    "operator": ("sqrt.F1", "zzz.F1"),
    "tag": ("sqrt.F1", "sqrt.Z9"),
    "loop": ("sqrt.F1", "loop.F1"),
    "twice": ("edition: mine", "edition: mine\nedition: other"),
    "tables": ("tables:\n  t: {types: [float32], source: mine}", "tables: []"),
    "bounds": ("bounds:\n  sqrt.F1: {table: t, ulp: 3}", "bounds: 3"),
    "name": ("accuracy/mine", "accuracy/other"),
    "flushes": ("edition: mine", "edition: mine\nflushes: [zzz]"),
    "escape": ("source: mine", 'source: "\\e[2J"'),
    "key": ("edition: mine", "edition: mine\nzzz: 1"),
    "no-front": ("---\n", ""),
    "alias": ("{table: t, ulp: 3}", "&a {table: t, ulp: *a}"),
}
ATTACKS += [
    Attack(
        "fresh-profile",
        name,
        ("conformance", "--cases", "a.yaml", "--spec", "onnx/sqrt@13", "--accuracy", "mine", "--report-dir", "out"),
        {
            "specs/accuracy/mine.md": PROFILE.replace(*change),
            "a.yaml": ROOT_OF_FOUR,
        },
        (0,) if name in ("right", "loop") else (2,),
        leaves=["out/*"],
        lines=3,
        environment={"PLUMBLINE_SPECS": "FOLDER/specs"},
    )
    for name, change in BOUNDS.items()
]

LONG = """import numpy as np
class L:
    name, specifications, version = 'l', ('sonnx/maxpool',), lambda self: '1'
    def run(self, request):
        return {name: np.zeros((1, 1, 1, 1), TYPE) for name in request.outputs}
"""
ATTACKS += [
    Attack(
        "fresh-class",
        kind,
        (*RUN, "-k", "first", "--backend", "long_type:L"),
        {**FILES, "long_type.py": LONG.replace("TYPE", repr(kind))},
        (1, 2),
        leaves=["out/*", "__pycache__/*"],
        lines=3,
    )
    for kind in ("longdouble", "clongdouble", "float16", "M8[s]", "O", "S3", "V4")
]
