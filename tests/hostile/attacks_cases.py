"""Attacks on files of cases, and what reads them."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.door import Attack

GOOD = """spec: sonnx/maxpool
defaults:
  dtype: float32
  attributes: {auto_pad: NOTSET, ceil_mode: 0, dilations: [1, 1], kernel_shape: [2, 2], pads: [0, 0, 0, 0],
               storage_order: 0, strides: [1, 1]}
cases:
- id: first
  title: The first of two
  clauses: [Y.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 4]]]]}
  expect: {outputs: {Y: [[[[4]]]], Indices: [[[[3]]]]}}
- id: second
  title: The second of two
  clauses: [Y.F1]
  source: a test
  inputs: {X: [[[[1, 2], [3, 5]]]]}
  expect: {outputs: {Y: [[[[5]]]]}}
"""
LINT = ("cases", "lint", "a.yaml")
RUN = ("conformance", "--cases", "a.yaml", "--spec", "sonnx/maxpool", "--report-dir", "out")
RECORDS = ("out/*",)


def changed(name: str, old: str, new: str, *says: str) -> Attack:
    """A file with one change, which lint reports with status 1."""
    assert old in GOOD, name
    return Attack("case", name, LINT, {"a.yaml": GOOD.replace(old, new, 1)}, (1,), (r"a\.yaml:\d+:", *says), lines=0)


def whole(name: str, content: str | bytes, *says: str) -> list[Attack]:
    """A file of which nothing is a case: lint reports it with status 1, a run with status 2."""
    return [Attack("case-file", f"{name}-lint", LINT, {"a.yaml": content}, (1,), (r"a\.yaml:", *says), lines=0),
            Attack("case-file", f"{name}-run", RUN, {"a.yaml": content}, (2,), (r"a\.yaml:", *says), lines=1)]


X = "[[[[1, 2], [3, 4]]]]"

ATTACKS = [
    Attack("layout", "blank-last-line", LINT, {"a.yaml": GOOD + "\n"}, (0, 1), lines=0),
    Attack("layout", "no-last-line", LINT, {"a.yaml": GOOD.rstrip("\n")}, (0, 1), lines=0),
    Attack("layout", "blank-lines", LINT, {"a.yaml": GOOD + "\n\n\n"}, (0, 1), lines=0),
    Attack("layout", "crlf", LINT, {"a.yaml": GOOD.replace("\n", "\r\n")}, (0, 1), lines=0),
    Attack("layout", "bom", LINT, {"a.yaml": "\ufeff" + GOOD}, (0, 1), lines=0),
    *(Attack("layout", f"notes-{name}", LINT,
             {"a.yaml": GOOD.replace("  source: a test", "  source: a test\n" + notes, 1)}, (0, 1), lines=0)
      for name, notes in [("space", "  notes: |\n    one \n    two"), ("keep", "  notes: |+\n    one \n\n"),
                          ("fold", "  notes: >-\n    one  \n\n    two"), ("quoted", "  notes: 'a: \"b\" #c'"),
                          ("empty", "  notes: ''"), ("tabs", '  notes: "a\\tb\\n\\n"')]),
    Attack("layout", "comment-only", LINT, {"a.yaml": "# nothing\n"}, (1,), lines=0),
    Attack("layout", "fix", ("cases", "lint", "--fix", "a.yaml"), {"a.yaml": GOOD + "\n"}, (0, 1), lines=0,
           leaves=["a.yaml"]),
    Attack("layout", "fix-full-disk", ("cases", "lint", "--fix", "a.yaml"),
           {"a.yaml": GOOD.replace("[1, 1], kernel", "[1,   1],   kernel")}, (1, 2), disk=200),
    Attack("layout", "fix-broken", ("cases", "lint", "--fix", "a.yaml"), {"a.yaml": GOOD[:300]}, (1, 2)),
    Attack("layout", "fix-read-only", ("cases", "lint", "--fix", "/proc/version"), {}, (1, 2), lines=1),
    changed("negative-shape", X, "{generator: ramp, shape: [1, 1, -1, 2]}", "greater than or equal to 0, not -1"),
    changed("fraction-shape", X, "{generator: ramp, shape: [1, 1, 1.5, 2]}"),
    changed("text-shape", X, "{generator: ramp, shape: 'abc'}"),
    changed("merge-key", X, "{<<: {generator: ramp}, shape: [1, 1, 2, 2]}", "unknown key '<<'"),
    changed("unknown-generator", X, "{generator: rampp, shape: [1, 1, 2, 2]}", "rampp"),
    changed("misspelt", X, "{generator: ramp, shpe: [1, 1, 2, 2]}", "did you mean 'shape'"),
    changed("seed", X, "{generator: random, seed: -1, shape: [1, 1, 2, 2]}"),
    changed("large-seed", X, "{generator: normal, seed: 99999999999999999999999999, shape: [1, 1, 2, 2]}"),
    changed("large-shape", X, "{generator: ramp, shape: [1, 1, 32768, 32768]}", "bytes"),
    changed("larger-shape", X, "{generator: ramp, shape: [9999999999, 9999999999, 9999999999]}", "at most"),
    changed("just-below", X, "{generator: ramp, shape: [1, 1, 8192, 8192]}", "at most"),
    changed("axes", X, "{generator: ramp, shape: [" + "1, " * 70 + "1]}"),
    changed("empty-large", X, "{empty: [0, 99999999999999999999]}"),
    changed("empty-wrong", X, "{empty: [1, 2]}"),
    changed("deep-list", X, "[" * 200 + "]" * 200),
    changed("deeper-list", X, "[" * 5000 + "]" * 5000),
    changed("ragged", X, "[[[[1, 2], [3]]]]"),
    changed("text-in-list", X, "[[[[1, 2], [3, four]]]]"),
    changed("long-number", X, "[[[[1, 2], [3, " + "9" * 5000 + "]]]]"),
    changed("hex-float", X, "[[[[1, 2], [3, '0x1.8p99999']]]]"),
    changed("date", X, "[[[[1, 2], [3, 2001-01-01]]]]"),
    changed("binary", X, "!!binary aGVsbG8="),
    changed("set", X, "!!set {a, b}"),
    changed("python-tag", X, "!!python/object/apply:os.system ['echo acted']"),
    changed("own-tag", X, "!foo [1]"),
    changed("null", X, "null"),
    changed("bool", X, "true"),
    changed("mapping-key", X, "{? [1, 2] : 3}"),
    changed("alias-loop", X, "&a [*a]"),
    changed("unknown-alias", X, "*nowhere"),
    changed("dtype", "dtype: float32", "dtype: float31"),
    changed("dtype-list", "dtype: float32", "dtype: [float32]"),
    changed("dtype-huge", "dtype: float32", f"dtype: {'f' * 3000}"),
    changed("dtype-string", "dtype: float32", "dtype: string"),
    changed("opset", "dtype: float32", "dtype: float32\n  opset: -5"),
    changed("opset-large", "dtype: float32", "dtype: float32\n  opset: 99999999999999999999"),
    changed("id-slash", "id: first", "id: ../first"),
    changed("id-long", "id: first", f"id: {'a' * 3000}"),
    changed("id-number", "id: first", "id: 1"),
    changed("id-twice", "id: first", "id: second", "taken"),
    changed("title-long", "The first of two", "T" * 4000),
    changed("title-escape", "title: The first of two", 'title: "\\e[2JThe first"', r"\\x1b"),
    changed("title-bidi", "title: The first of two", 'title: "\\u202eThe first"', r"\\u202e"),
    changed("title-mark", "title: The first of two", 'title: "\\u061cThe first"', r"\\u061c"),
    changed("title-tags", "title: The first of two", 'title: "\\U000e0041The first"', r"\\U000e0041"),
    changed("title-list", "title: The first of two", "title: [a]"),
    changed("clause", "[Y.F1]", "[Y.F9]", "no clause 'Y.F9'"),
    changed("clause-text", "[Y.F1]", "Y.F1"),
    changed("clause-many", "[Y.F1]", "[" + "Y.F9, " * 3000 + "]"),
    changed("attribute-nest", "auto_pad: NOTSET", "auto_pad: {a: b}"),
    changed("attribute-long", "auto_pad: NOTSET", f"auto_pad: {'N' * 100_000}"),
    changed("attribute-unknown", "auto_pad: NOTSET", "aut_pad: NOTSET"),
    changed("attribute-int", "strides: [1, 1]", "strides: [1, 99999999999999999999999]"),
    changed("expect-both", "expect: {outputs", "expect: {observe: x, outputs"),
    changed("expect-nothing", "expect: {outputs: {Y: [[[[4]]]], Indices: [[[[3]]]]}}", "expect: {}"),
    changed("expect-generated", "Y: [[[[4]]]]", "Y: {generator: ramp, shape: [1, 1, 1, 1]}"),
    changed("expect-shape", "Y: [[[[4]]]]", "Y: [[[[4, 4]]]]"),
    changed("expect-other", "Y: [[[[4]]]]", "Z: [[[[4]]]]"),
    changed("spec-mistyped", "sonnx/maxpool", "sonnx/maxpol", "sonnx/maxpol"),
    changed("spec-list", "spec: sonnx/maxpool", "spec: [sonnx/maxpool, sonnx/maxpol]", "sonnx/maxpol"),
    changed("spec-path", "sonnx/maxpool", "../../etc/passwd"),
    changed("spec-absent", "spec: sonnx/maxpool\n", ""),
    changed("spec-number", "sonnx/maxpool", "3"),
    changed("spec-mapping", "spec: sonnx/maxpool", "spec: {a: b}"),
    changed("spec-twice", "spec: sonnx/maxpool", "spec: sonnx/maxpool\nspec: sonnx/maxpool"),
    *whole("empty", ""),
    *whole("null", "null\n"),
    *whole("text", "hello\n"),
    *whole("list", "- 1\n- 2\n"),
    *whole("two-documents", GOOD + "---\n" + GOOD),
    *whole("nul", b"spec: a\x00b\n"),
    *whole("binary", bytes(range(256)) * 10),
    *whole("latin-1", "spec: sonnx/maxpool # \xe9\n".encode("latin-1")),
    *whole("utf-16", GOOD.encode("utf-16")),
    *whole("surrogate", b"spec: \xed\xa0\x80\n"),
    *whole("tabs", GOOD.replace("  ", "\t")),
    *whole("open-quote", GOOD + "- 'id"),
    *whole("open-brace", GOOD + "- {id"),
    *whole("deep-mapping", "{a: " * 3000 + "1" + "}" * 3000),
    *whole("deep-list", "[" * 100_000),
    *whole("bomb", "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 10))),
    *whole("many-keys", "".join(f"k{number}: 1\n" for number in range(100_000)) + "k99999: 2\n", "duplicate key"),
    *whole("long-line", "spec: " + "a" * 3_000_000 + "\n"),
    *whole("large", b" " * (1 << 22) + b" \n", "at most"),
    *whole("anchor-many", "".join(f"k{number}: &a{number} 1\n" for number in range(50_000))),
    *whole("json", '{"spec": "sonnx/maxpool"}'),
    *whole("cases-mapping", GOOD[:GOOD.index("- id")] + "  a: b\n"),
    *whole("cases-null", GOOD[:GOOD.index("cases:")] + "cases:\n"),
    *whole("cases-twice", GOOD + "cases: []\n"),
    *whole("directive", "%YAML 9.9\n---\n" + GOOD),
    *whole("tag-directive", "%TAG ! tag:x,2000:\n---\n!a\n"),
]


def link_loop(folder: Path) -> None:
    """A link to itself."""
    (folder / "a.yaml").symlink_to("a.yaml")


def pipe(folder: Path) -> None:
    """A pipe into which nobody writes."""
    import os
    os.mkfifo(folder / "a.yaml")


def sparse(folder: Path) -> None:
    """A file of eight gigabytes, none of them on the disk."""
    with (folder / "a.yaml").open("wb") as file:
        file.truncate(8 << 30)


def beside(folder: Path) -> None:
    """A right file in upper case beside one whose specification is mistyped."""
    (folder / "set").mkdir()
    (folder / "set" / "A.YAML").write_text(GOOD)
    (folder / "set" / "b.yaml").write_text(GOOD.replace("sonnx/maxpool", "sonnx/maxpol"))


SET = ("conformance", "--cases", "set", "--spec", "sonnx/maxpool", "--report-dir", "out")
ATTACKS += [
    *(Attack("place", f"{make.__name__}-{command[0]}", command, make, (1, 2), ["a.yaml:"])
      for make in (link_loop, pipe, sparse) for command in (LINT, RUN)),
    Attack("place", "absent-lint", LINT, {}, (1, 2), ["a.yaml"]),
    Attack("place", "absent-run", RUN, {}, (2,), ["a.yaml"]),
    Attack("place", "device", ("cases", "lint", "/dev/zero"), {}, (1, 2), ["not a regular file"]),
    Attack("place", "device-examples", ("examples", "sonnx/maxpool", "--cases", "/dev/null"), {}, (2,), ["/dev/null"]),
    Attack("place", "long", ("cases", "lint", "a" * 5000 + ".yaml"), {}, (1, 2)),
    Attack("place", "nul", ("cases", "lint", "a\nb.yaml"), {}, (1, 2)),
    Attack("place", "escape", ("cases", "lint", "a\x1b[2J.yaml"), {}, (1, 2)),
    Attack("place", "escape-file", ("cases", "lint", "a\x1b[2J.yaml"), {"a\x1b[2J.yaml": "1"}, (1, 2)),
    Attack("dropped", "mistyped", SET, beside, (2,), ["b.yaml", "sonnx/maxpol"], RECORDS),
    Attack("dropped", "mistyped-list", SET, {"set/b.yaml": GOOD.replace("sonnx/maxpool", "[sonnx/maxpool, zzz]")}, (2,),
           ["b.yaml"]),
    Attack("dropped", "only-mistyped", SET, {"set/b.yaml": GOOD.replace("sonnx/maxpool", "zzz")}, (2,), ["b.yaml"]),
    Attack("dropped", "upper-case", SET, {"set/A.YAML": GOOD}, (0,), ["4 passed"], leaves=RECORDS, lines=0),
    Attack("dropped", "empty-folder", SET, lambda folder: (folder / "set").mkdir(), (2,)),
    Attack("dropped", "other-suffix", SET, {"set/a.yml": GOOD, "set/notes.txt": "x"}, (0,), leaves=RECORDS, lines=0),
]

POINT = """spec: onnx/einsum
defaults: {dtype: float32}
cases:
- id: lone-point
  title: A point that is no ellipsis, on which inference of the onnx package never returns
  clauses: [equation.C3]
  source: a test
  attributes: {equation: "i.,j->ij"}
  inputs: {Inputs_0: [1, 2], Inputs_1: [1, 2]}
  expect: {outside: [equation.C3]}
"""

ATTACKS.append(Attack("hangs", "lone-point", (
    "conformance", "--cases", "a.yaml", "--spec", "onnx/einsum@28", "--backend",
    "tests.suite.fakes:honest", "--report-dir", "out"), {"a.yaml": POINT}, (0, 1, 2), leaves=RECORDS, lines=2))
