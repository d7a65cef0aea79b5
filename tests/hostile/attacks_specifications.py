"""Attacks by specifications of others, with code of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.hostile.door import ROOT, Attack

EXAMPLE = ROOT / "docs" / "worked-example" / "example"
TEXTS = {f"specs/example/leakyrelu.{kind}": (EXAMPLE / f"leakyrelu.{kind}").read_text(encoding="utf-8")
         for kind in ("md", "py", "yaml")}
OWN = {"PLUMBLINE_SPECS": "FOLDER/specs", "PLUMBLINE_CODE_LIMIT": "2"}
PLACE = r"example/leakyrelu\.py:\d+: "

LINT = ("cases", "lint", "specs/example/leakyrelu.yaml")
RUN = ("conformance", "--spec", "example/leakyrelu", "--generated", "2", "--report-dir", "out")
SWEEP = ("cases", "sweep", "example/leakyrelu", "--bound", "3")
EXPLAIN = ("explain", "example/leakyrelu#Y.F1")
COVERAGE = ("cases", "coverage", "example/leakyrelu")
CAMPAIGN = ("campaign", "--spec", "example/leakyrelu", "--backend", "onnxruntime", "--calls", "8",
            "--out", "out/c.jsonl")


def own(name: str, old: str, new: str, *says: str, command: Sequence[str] = LINT, kind: str = "py",
        status: Sequence[int] = (1, 2), cause: str = "code", **more: Any) -> Attack:
    """The worked example with one change."""
    file = f"specs/example/leakyrelu.{kind}"
    assert old in TEXTS[file], name
    files = {**TEXTS, file: TEXTS[file].replace(old, new, 1)}
    return Attack(cause, f"{name}-{'-'.join(command[:2])}".replace("/", "-"), command, files, status, says,
                  ["out/*", "specs/example/__pycache__/*"], environment=OWN, **more)


VALUE = "        return np.where(x < 0,"
MAKE = "        alpha = choose(("
NAN = "        return Unspecified.of(np.isnan"
CONFORMS = '        x = self.inputs["X"]\n'
REFERENCE = '    x, alpha = call.inputs["X"]'
RAISES = ("raise ValueError('no\\x1b[2J')", "raise KeyError(1)", "raise Exception", "raise AssertionError('a\\nb')",
          "1 / 0", "raise MemoryError", "raise RecursionError('deep')", "raise SystemExit(0)",
          "raise KeyboardInterrupt", "raise BaseException('x')", "raise GeneratorExit", "raise StopIteration",
          "import os; os._exit(0)",
          "import os; os.kill(os.getpid(), 9)", "raise OSError(5, 'own')",
          "raise UnicodeDecodeError('a', b'', 0, 1, 'x')")


def raising(number: int, old: str, where: str, command: Sequence[str]) -> Attack:
    """Code that raises when it is asked."""
    indent = old[:len(old) - len(old.lstrip())]
    return own(f"{where}-{number}", old, f"{indent}{RAISES[number]}\n{old}", command=command, status=(1, 2))


ATTACKS = [
    Attack("code", "right", LINT, TEXTS, (0,), environment=OWN, leaves=["specs/example/__pycache__/*"], lines=0),
    Attack("code", "right-run", RUN, TEXTS, (0, 1), environment=OWN, leaves=["specs/example/__pycache__/*", "out/*"],
           lines=0),
    *(raising(number, VALUE, "value", LINT) for number in range(len(RAISES))),
    *(raising(number, NAN, "open", LINT) for number in range(len(RAISES))),
    *(raising(number, MAKE, "make", SWEEP) for number in range(len(RAISES))),
    *(raising(number, REFERENCE, "reference", LINT) for number in (0, 3, 4, 9, 12)),
    *(raising(number, CONFORMS, "conforms", LINT) for number in (0, 3, 4, 9, 12)),
    *(raising(number, VALUE, "value", RUN) for number in (0, 7, 9, 12)),
    *(raising(number, NAN, "open", RUN) for number in (0, 3, 4, 9)),
    *(raising(number, MAKE, "make", RUN) for number in (0, 3, 7, 9, 12)),
    *(raising(number, MAKE, "make", COVERAGE) for number in (0, 4)),
    raising(0, VALUE, "value", CAMPAIGN),
    raising(4, MAKE, "make", CAMPAIGN),
    *(own(f"make-{name}", MAKE, f"        return {text}\n{MAKE}", command=command)
      for name, text in [("none", "None"), ("text", "'a'"), ("other", "Call('Relu', {}, {'X': np.zeros(3)})"),
                         ("absent", "Call('Nothing', {}, {'X': np.zeros(3)})"),
                         ("list", "Call('LeakyRelu', {}, {'X': [1]})"),
                         ("inputs", "Call('LeakyRelu', {}, {'Z': np.zeros(3)})"),
                         ("null", "Call('LeakyRelu', None, None)"),
                         ("object", "Call('LeakyRelu', {}, {'X': np.array([{}])})")]
      for command in (SWEEP, RUN)),
    *(own(f"value-{name}", VALUE, f"        return {text}\n{VALUE}")
      for name, text in [("none", "None"), ("text", "'a'"), ("shape", "x[:1]"), ("type", "x.astype(np.int8)"),
                         ("object", "np.array([{}])"), ("list", "[1, 2]"), ("wrong", "x + 1"), ("self", "self"),
                         ("large", "np.zeros(1 << 34)"), ("nan", "x * np.nan"), ("generator", "(i for i in x)")]),
    *(own(f"open-{name}", NAN, f"        return {text}\n{NAN}", status=(0, 1, 2))
      for name, text in [("text", "'a'"), ("mask", "np.isnan(self.inputs['X'])"), ("number", "3"),
                         ("shape", "Unspecified.of(np.ones(77, bool), 'Y')"),
                         ("output", "Unspecified.of(np.isnan(self.inputs['X']), 'Z')"),
                         ("float", "Unspecified.of(self.inputs['X'], 'Y')")]),
    *(own(f"conforms-{name}", CONFORMS, f"        return {text}\n{CONFORMS}", status=(0, 1, 2))
      for name, text in [("none", "None"), ("text", "'a'"), ("shape", "np.ones(77, bool)"), ("float", "got * 1.5"),
                         ("false", "got != got"), ("list", "[1]")]),
    *(own(f"reference-{name}", REFERENCE, f"    return {text}\n{REFERENCE}")
      for name, text in [("none", "None"), ("text", "'a'"), ("empty", "{}"), ("list", "{'Y': [1]}"),
                         ("other", "{'Z': call.inputs['X']}"), ("shape", "{'Y': call.inputs['X'][:0]}")]),
    own("value-hangs", VALUE, f"        while True: pass\n{VALUE}", PLACE, "no answer within"),
    own("open-hangs", NAN, f"        while True: pass\n{NAN}", PLACE, "Y.U1", command=RUN),
    own("make-hangs", MAKE, f"        import time; time.sleep(1000)\n{MAKE}", PLACE, command=SWEEP),
    own("make-hangs", MAKE, f"        while True: pass\n{MAKE}", PLACE, command=RUN),
    own("import-raises", '"""LeakyRelu', '1 / 0\n"""LeakyRelu', "cannot be imported"),
    own("import-exits", '"""LeakyRelu', 'import sys; sys.exit(0)\n"""LeakyRelu', "cannot be imported"),
    own("import-base", '"""LeakyRelu', 'raise BaseException\n"""LeakyRelu'),
    own("import-ends", '"""LeakyRelu', 'import os; os._exit(0)\n"""LeakyRelu'),
    own("import-syntax", '"""LeakyRelu', '(\n"""LeakyRelu', "cannot be imported"),
    own("import-nul", '"""LeakyRelu', '\x00"""LeakyRelu', "cannot be imported"),
    own("import-absent", "import numpy", "import nump as numpy", "cannot be imported"),
    own("no-class", "class LeakyRelu(Elementwise):", "class _LeakyRelu(Elementwise):", "no public subclasses"),
    own("two-classes", "TYPES = ", "class Other(Elementwise): pass\nTYPES = ", "2 public subclasses"),
    own("no-reference", "def reference(", "def referenc(", "reference"),
    own("reference-number", "def reference(call):", "reference = 3\ndef other(call):"),
    own("clauses-table", "    y_value = ", "    clauses = {'Y.F1': 'nothing'}\n    y_value = ", "nothing"),
    own("clauses-number", "    y_value = ", "    clauses = 3\n    y_value = "),
    own("predicate-twice", '"Y.F1", "Y"', '"Y.C1", "Y"'),
    own("predicate-absent", '"Y.F1", "Y"', '"Y.F9", "Y"', "Y.F9"),
    own("import-raises", '"""LeakyRelu', '1 / 0\n"""LeakyRelu', command=EXPLAIN),
    own("import-base", '"""LeakyRelu', 'raise BaseException\n"""LeakyRelu', command=EXPLAIN),
    own("value-raises", VALUE, f"        1 / 0\n{VALUE}", command=("diff", "example/leakyrelu", "onnx/leakyrelu@16")),
    *(own(f"text-{number}", old, new, r"leakyrelu\.md:\d+: ", kind="md", cause="text", command=EXPLAIN)
      for number, (old, new) in enumerate([
          ("opset: 16", "opset: null"), ("opset: 16", "opset: true"), ("opset: 16", "opset: -1"),
          ("opset: 16", "opset: [16]"),
          ("operator: LeakyRelu", "operator: [LeakyRelu]"), ("operator: LeakyRelu", "operator: ''"),
          ("specification: example/leakyrelu", "specification: example/other"),
          ("specification: example/leakyrelu", "specification: ../leakyrelu"),
          ("---\n", "--\n"), ("---\n", ""), ("outputs: [Y]", "outputs: []"), ("outputs: [Y]", "outputs: {Y: 1}"),
          ("inputs: [X]", "inputs: 3")])
      if old in TEXTS["specs/example/leakyrelu.md"]),
]


def folder_absent(folder: Path) -> None:
    """Nothing."""


ATTACKS += [
    Attack("folder", "absent", ("list",), {}, environment={"PLUMBLINE_SPECS": "FOLDER/nowhere"}, says=["nowhere"]),
    Attack("folder", "file", ("list",), {"a": ""}, environment={"PLUMBLINE_SPECS": "FOLDER/a"}),
    Attack("folder", "empty-text", ("list",), {"specs/a/b.md": ""}, environment=OWN),
    Attack("folder", "binary-text", ("list",), {"specs/a/b.md": bytes(range(256))}, environment=OWN),
    Attack("folder", "no-code", EXPLAIN, {"specs/example/leakyrelu.md": TEXTS["specs/example/leakyrelu.md"]},
           environment=OWN),
    Attack("folder", "loop", ("list",), lambda folder: (
        (folder / "specs" / "a").mkdir(parents=True), (folder / "specs" / "a" / "b.md").symlink_to("b.md")),
        environment=OWN),
    Attack("folder", "name", ("list",), {"specs/a/b c\x1b.md": ""}, environment=OWN),
    Attack("folder", "same-name", ("list",), {"specs/onnx/relu.md": TEXTS["specs/example/leakyrelu.md"]},
           environment=OWN),
]
