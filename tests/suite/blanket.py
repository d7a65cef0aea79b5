"""How much the lists of known divergences explain of what they should not: crude answers that no backend gives.

    python -m tests.suite.blanket COUNT [GLOB ...]      generated calls of each specification

Generated calls of every text are answered with zeros, with what is right and one more, and with the right elements in
another order. Such an answer is new on every backend. An entry that explains it would explain other faults too: it
needs a symptom, or flags that fewer calls have.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch

import numpy as np

from plumbline.backends import Answered
from plumbline.cases import Case, generate_cases
from plumbline.cases.onnx.contexts import in_context
from plumbline.commands.base import leave
from plumbline.oracle import OutsideDomain, load_spec, spec_names
from plumbline.trial.known.register import FOLDER, KnownDivergences, KnownEntry
from plumbline.trial.known.register_file import read_known
from plumbline.trial.record.judge import ACCUSES, judge_inside

SEED = 5
"""Of the calls: not the seed of the default suite, by which the lists were made."""

MOST = 500
"""Crude answers to which an entry is asked; the share that it explains is told from fewer."""

WHOLE = {
    "argmax-nan-passed-over-sonnx": "a line of nothing but NaN gives 0, which the symptom does not tell from another "
                                    "line that gives 0",
    "clip-crossed-bounds-of-float64": "for bounds whose first halves are 0 zeros are the fault itself",
    "conv-dilation-beyond-32-bits": "two groups, and a dilation of which the lower 32 bits are read: each window reads "
                                    "other cells",
    "conv2-padding-not-multiplied": "the sum without padding may be any number, or infinite, where it should be NaN",
    "lp-ceil-overhang": "64 roundings, within which another count is told, are 3 % in float16",
    "gather-first-string-of-each-slice": "strings that are never written are empty, whichever they are",
    "onnx-average-same-negative-padding-zero": "the mean of an empty window is 0 there, whatever X holds",
    "relu-minus-zero-sonnx": "where X has no number above 0, zeros are the fault itself",
    **dict.fromkeys(("same-ignores-dilation", "same-ignores-dilation-and-nan", "same-ignores-dilation-and-overflows"),
                    "behind the last window zeros are the fault itself, and 64 roundings are 3 % in float16"),
    **dict.fromkeys(("matmul-integers-through-float32", "gemm-integers-through-float32",
                     "einsum-integers-through-float32"),
                    "a sum in float32 of terms beyond 24 bits is off by more than the crude 1")}
"""Entries that may explain more than a tenth of crude answers, with the reasons."""


@dataclass
class Blankets:
    """How many crude answers each list met, and how many each of its entries explains."""

    submitted: Counter[str] = field(default_factory=Counter)
    explained: Counter[tuple[str, str]] = field(default_factory=Counter)

    def share(self, backend: str) -> float:
        """The share of the crude answers that a list explains."""
        explained = sum(count for (name, _), count in self.explained.items() if name == backend)
        return explained / max(self.submitted[backend], 1)


def lists() -> dict[str, KnownDivergences]:
    """Those of the suite by their backends, each as it is at the last version tried, or with all entries of its own if
    it is complete for none."""
    found = {path.stem: read_known(path) for path in sorted(FOLDER.glob("*.yaml"))}
    return {name: (KnownDivergences.load(name, known.tried[-1]) if known.tried else
                   KnownDivergences.of_all_versions(name))
            for name, known in found.items() if known.tried or known.divergences}


def crude(right: np.ndarray) -> Iterator[np.ndarray]:
    """Answers of the right shape and type."""
    with np.errstate(all="ignore"):
        if right.dtype.hasobject:
            yield np.full_like(right, "")
            yield np.asarray(right + "!", object)
            yield np.roll(right.ravel(), 1).reshape(right.shape)
            return
        yield np.zeros_like(right)
        yield ~right if right.dtype.kind == "b" else (right + right.dtype.type(1)).astype(right.dtype)
        yield np.roll(right.ravel(), 1).reshape(right.shape)


def cruder(right: np.ndarray) -> Iterator[np.ndarray]:
    """Those and ones, and what is right but for the middle element."""
    yield from crude(right)
    if not right.dtype.hasobject and right.dtype.kind != "b":
        yield np.ones_like(right)
        middle = np.arange(right.size).reshape(right.shape) == right.size // 2
        with np.errstate(all="ignore"):
            yield np.where(middle, right + right.dtype.type(3), right).astype(right.dtype)


def other_shapes(right: np.ndarray) -> Iterator[np.ndarray]:
    """Answers of other shapes: an axis more or less, the last or the first one longer or shorter, or in reverse; of a
    scalar lists of one number, of several or none, and one more axis."""
    sizes = right.shape
    shapes = [(1, *sizes), (*sizes, 1), sizes[1:], (*sizes[:-1], sizes[-1] + 1), (*sizes[:-1], max(sizes[-1] - 1, 0)),
              (sizes[0] + 1, *sizes[1:]), sizes[::-1], (right.size,)] if sizes else [(1,), (2,), (3,), (0,), (1, 1)]
    for shape in shapes:
        yield np.resize(right, shape) if right.size else np.zeros(shape, right.dtype)


def blankets(known: dict[str, KnownDivergences], count: int, *globs: str) -> Blankets:
    """Of so many generated calls of each text with one of these names, in every form."""
    found = Blankets()
    for name in spec_names():
        about = {backend: each for backend, each in known.items() if any(name in entry.specs for entry in each.entries)}
        if not about or not any(fnmatch(name, glob) for glob in globs):
            continue
        spec = load_spec(name)
        for case in generate_cases(name, seed=SEED, count=count):
            for form in spec.forms:
                judged = spec.judged(case.call.asking_for(*form))
                try:
                    answers = {output: list(crude(judged.expected[output])) for output in judged.asked}
                except OutsideDomain:
                    continue
                for number in range(3):
                    verdict = judge_inside(judged, Answered({output: one[number] for output, one in answers.items()}))
                    for backend in about if verdict.verdict in ACCUSES else ():
                        found.submitted[backend] += 1
                        entry = about[backend].explain(spec, case, "+".join(form), verdict)
                        if entry is not None:
                            found.explained[backend, entry.id] += 1
    return found


def by_entry(known: KnownDivergences, count: int, shapes: bool = False) -> dict[str, tuple[int, int]]:
    """By id of an entry how many crude answers it alone explains, and how many it was asked about, some `MOST`.

    They are answers to those of `count` generated calls that meet its conditions, of one specification. What the memory
    held may be anything: entries on unstable results are left out, but of `shapes`, where answers have others."""
    counts_of: dict[str, Counter[bool]] = defaultdict(Counter)
    about = defaultdict(list)
    for entry in known.entries:
        if (entry.verdict == "diverges" or shapes and entry.verdict == "unstable") and entry.generated is not None:
            about[entry.specs[-1]].append(entry)
    for name, entries in about.items():
        for case in generate_cases(name, seed=SEED, count=count):
            for entry in entries:
                if counts_of[entry.id].total() < MOST and set(entry.generated or ()) <= set(case.flags) and (
                        not entry.dtypes or case.dtype in entry.dtypes):
                    placed = [in_context(case, context) for context in entry.contexts[:1]] or [case]
                    counts_of[entry.id] += Counter(list(_explains(entry, placed[0], shapes)) if placed[0] else ())
    return {name: (counts[True], counts.total()) for name, counts in counts_of.items()}


def _explains(entry: KnownEntry, case: Case, shapes: bool) -> Iterator[bool]:
    """Yield, for each crude answer to a call that is wrong, whether an entry explains it."""
    spec, known = load_spec(case.spec), KnownDivergences([entry])
    form = tuple((entry.forms or ["+".join(spec.forms[-1])])[-1].split("+"))
    judged = spec.judged(case.call.asking_for(*form))
    try:
        answers = {output: list((other_shapes if shapes else cruder)(judged.expected[output]))
                   for output in judged.asked}
    except (OutsideDomain, OverflowError):  # the types of four bits have no 3
        return
    if not shapes and max(each[0].size for each in answers.values()) < 2:
        return  # of one element a crude answer may be the fault itself
    for number in range(min(map(len, answers.values()))):
        verdict = judge_inside(judged, Answered({output: each[number] for output, each in answers.items()}))
        if verdict.verdict in ACCUSES:
            yield known.explain(spec, case, "+".join(form), verdict) is not None


def main(arguments: list[str] | None = None) -> int:
    """Print every entry that explains some; the exit status is 1 where there is one."""
    count, *globs = sys.argv[1:] if arguments is None else arguments
    known = lists()
    found = blankets(known, int(count), *globs or "*")
    for (backend, entry), number in sorted(found.explained.items(), key=lambda item: -item[1]):
        print(f"{backend}: {entry} explains {number}")
    for backend in known:
        print(f"{backend}: {found.share(backend):.2%} of {found.submitted[backend]} crude answers are explained")
    return 1 if found.explained else 0


if __name__ == "__main__":
    leave(main)
