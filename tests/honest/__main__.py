"""Count accusations of honest implementations.

    python -m tests.honest [OPERATOR...] --calls 20000 --seed 1

The calls of an operator's newest version are shared out among its implementations. A line for each: calls, accusations,
calls that the specification leaves open, calls a second. The exit status is 1 if anything was accused.
"""

from __future__ import annotations

import argparse
import sys
import time

from plumbline.cases.generate.blocks import INPUTS
from plumbline.oracle import load_spec
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally
from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.run.host_cache import close_cached
from tests.faults.calls import operators
from tests.honest.backend import variants
from tests.operators.discovery import implementations

SLICE = 800
"""Calls of one piece of work, whose cases are kept no longer."""


def newest(stem: str) -> str:
    """The newest version of an operator of ONNX."""
    return max(operators()[f"onnx/{stem}"], key=lambda name: int(name.partition("@")[2]))


def backends(stem: str) -> list[str]:
    """Where the honest implementations of an operator are."""
    known = implementations().get(f"onnx/{stem}")
    return [f"tests.operators.unmutated:{kind.__name__}" for kind in known] if known else \
        [f"tests.honest.backend:{name}" for name in variants(stem)]


def count(name: str, backend: str, seed: int, numbers: range) -> Tally:
    """The verdicts on an implementation, on calls of a specification by number."""
    form = "+".join(load_spec(name).forms[-1])
    return sum((run_shard(Job(name, backend, form, seed, first, min(first + SLICE, numbers.stop), host="in-process"))
                for first in range(numbers.start, numbers.stop, SLICE)), Tally())


def main() -> int:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    stems = [name.lower() for name in options.operators] or sorted(
        (name.removeprefix("onnx/") for name in operators() if name.startswith("onnx/")),
        key=lambda stem: (f"onnx/{stem}" in implementations(), stem))
    status = 0
    for stem in stems:
        name, kinds = newest(stem), backends(stem)
        share = -(-options.calls // len(kinds))
        share += -share % INPUTS
        for turn, backend in enumerate(kinds):
            began = time.perf_counter()
            tally = count(name, backend, options.seed, range(turn * share, turn * share + share))
            status |= report(name, backend, tally, time.perf_counter() - began)
        close_cached()
    return status


def report(name: str, backend: str, tally: Tally, seconds: float) -> int:
    """Print a line for an implementation, and one for each cause of accusations. Returns 1 if there is one."""
    accused = sum(tally.verdicts[verdict] for verdict in ACCUSES)
    rest = {verdict: count for verdict, count in tally.verdicts.items() if verdict not in ("conforms", *ACCUSES)}
    print(f"{name:28} {backend.partition(':')[2]:20} {tally.calls:6} calls {accused:5} accused  {rest}  "
          f"{tally.calls / seconds:.0f}/s", *tally.notes, flush=True)
    wrong = [cause for cause in tally.lines if cause.verdict not in ("conforms", "observed")]
    for cause in wrong:
        line = CaseLine.model_validate_json(tally.lines[cause][0][1])
        call = line.call.model_dump_json() if line.call else ""
        print(f"    {tally.causes[cause]} calls, first {line.id}:", *cause.clauses, line.did, call[:400], flush=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
