"""Count accusations of honest implementations.

    python -m tests.honest [OPERATOR...] --calls 20000 --seed 1

The calls of an operator's newest version, those of a campaign, are shared out among its implementations. A line for
each: calls, accusations, other verdicts, calls a second. The exit status is 1 if anything was accused.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Protocol

from plumbline.backends import Answered, Outcome, Raised, Request, to_request
from plumbline.cases.generate.blocks import INPUTS, block
from plumbline.oracle import Call, load_spec
from plumbline.trial.record.judge import ACCUSES, Verdict, judge_inside
from tests.faults.calls import operators
from tests.honest.backend import VARIANTS, Plain
from tests.operators.contract import Outputs
from tests.operators.discovery import implementations

STEMS = sorted(name.removeprefix("onnx/") for name in operators() if name.startswith("onnx/"))
"""The operators of ONNX, by the names of their files."""


class Runs(Protocol):
    """An implementation."""

    def run(self, request: Request) -> Outputs:
        """The outputs asked for."""


class Count:
    """The verdicts on an implementation, on calls of a specification by number.

    verdicts: number of calls by verdict.
    accused:  by the broken clauses, number of calls, number of the first, what it did, and the call."""

    def __init__(self, name: str, implementation: Runs, seed: int, numbers: range) -> None:
        self.verdicts: Counter[str] = Counter()
        self.accused: dict[tuple[str, ...], tuple[int, int, str, Call]] = {}
        spec, built = load_spec(name), None if spec_has_graphs(name) else b""
        for number in range(numbers.start // INPUTS, numbers.stop // INPUTS):
            drawn = block(name, seed=seed, number=number)
            for place in range(INPUTS):
                call = drawn.call_at(place).asking_for(*spec.forms[-1])
                request = to_request(spec, call, spec.opset, built=built)
                verdict = judge_inside(spec.judged(call), outcome(implementation, request))
                self.verdicts[verdict.verdict] += 1
                if verdict.verdict not in ("conforms", "observed"):
                    self._accuse(verdict, number * INPUTS + place, call)

    def _accuse(self, verdict: Verdict, number: int, call: Call) -> None:
        calls, *first = self.accused.get(verdict.clauses, (0, number, verdict.did, call))
        self.accused[verdict.clauses] = (calls + 1, *first)

    def report(self, name: str, kind: str, seconds: float) -> None:
        """Print a line, and one for each cause of accusations."""
        calls, accused = self.verdicts.total(), sum(self.verdicts[verdict] for verdict in ACCUSES)
        rest = {verdict: count for verdict, count in self.verdicts.items() if verdict not in ("conforms", *ACCUSES)}
        print(f"{name:28} {kind:20} {calls:6} calls {accused:5} accused  {rest}  {calls / seconds:.0f}/s", flush=True)
        for clauses, (count, number, did, call) in self.accused.items():
            print(f"    {count} calls, first {number}:", *clauses, did, str(call)[:500], flush=True)


def spec_has_graphs(name: str) -> bool:
    """Whether calls hold graphs, which implementations read in the model."""
    return name.partition("@")[0] in ("onnx/if", "onnx/loop", "onnx/scan")


def outcome(implementation: Runs, request: Request) -> Outcome:
    """What an implementation does with a call."""
    try:
        return Answered(dict(implementation.run(request)))
    except Exception as error:
        return Raised("run", type(error).__name__, str(error))


def newest(stem: str) -> str:
    """The newest version of an operator of ONNX."""
    return max(operators()[f"onnx/{stem}"], key=lambda name: int(name.partition("@")[2]))


def honest(stem: str) -> list[Runs]:
    """The honest implementations of an operator: those that faults are planted in, if there are some."""
    known = implementations().get(f"onnx/{stem}")
    return [kind() for kind in known] if known else [
        Plain(), *(kind() for kind in VARIANTS.values() if stem in kind.operators)]


def main() -> int:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    status = 0
    for stem in [name.lower() for name in options.operators] or STEMS:
        kinds = honest(stem)
        share = -(-options.calls // len(kinds))
        share += -share % INPUTS
        for turn, kind in enumerate(kinds):
            began = time.perf_counter()
            counted = Count(newest(stem), kind, options.seed, range(turn * share, turn * share + share))
            counted.report(newest(stem), type(kind).__name__, time.perf_counter() - began)
            status |= bool(counted.accused)
    return status


if __name__ == "__main__":
    sys.exit(main())
