"""Plant faults in a model on other backends than ONNX Runtime in Python, and count those named as first wrong node.

    python -m tests.real_models.elsewhere BACKEND ... [--only TEXT] [--faults N] [--seed N]

The backend computes the whole model but one node, which a faulty kernel computes in its place.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Collection, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from plumbline.backends import Answered, Host, Request
from plumbline.backends.outcomes import Outcome
from plumbline.backends.registry import find_backend
from plumbline.trial.model.trial import ModelTrial
from tests.real_models import faults
from tests.real_models.packages import fetched
from tests.suite.model_fakes import Runs

SECONDS = 240.0
"""For a whole model."""


class Elsewhere(Runs):
    """Another backend as it is."""

    name = "elsewhere"
    host: Host

    def run(self, request: SimpleNamespace) -> Mapping[str, np.ndarray]:  # type: ignore[override]
        """Return the outputs by name. Raises RuntimeError if the backend gives none."""
        return self.given(self.host.run(Request(request.model, getattr(request, "operator", ""), {}, 0, request.inputs,
                                                tuple(request.outputs), time_limit=SECONDS)))

    def given(self, outcome: Outcome) -> Mapping[str, np.ndarray]:
        """Return the outputs of an outcome. Raises RuntimeError."""
        if isinstance(outcome, Answered):
            return outcome.outputs
        error = RuntimeError(str(outcome))
        error.phase = getattr(outcome, "phase", "run")  # type: ignore[attr-defined]
        raise error


class Planted(faults.Planted, Elsewhere):
    """Another backend, with one node spoiled."""


def first_wrong(trial: ModelTrial, already: Collection[str] = ()) -> str:
    """Run a trial; return the name of the first wrong node that is not `already` wrong, or "none" and a refusal."""
    trial.run()
    return next((judged.step.node.name for judged in trial.judged if judged.way == "in-place"
                 and judged.line.accuses and judged.step.node.name not in already), f"none {trial.refused}")


def main() -> int:
    """Print each planted fault, and what was named; 1 if one in ten or more was not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("backends", nargs="+")
    parser.add_argument("--only", default="hey_jarvis", metavar="TEXT", help="models whose names contain it")
    parser.add_argument("--folder", type=Path, default=Path("reports/out/models"), help="for downloads")
    parser.add_argument("--faults", type=int, default=5, metavar="N", help="on each backend, in each model")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    named = total = 0
    for shipped, path in fetched(arguments.folder, arguments.only):
        for backend in arguments.backends:
            Elsewhere.host = find_backend(backend).start()
            rng = random.Random(f"{arguments.seed} {backend} {path.name}")
            honest = faults._trial(path, shipped.options, Elsewhere())
            honest.run()
            already = {judged.step.node.name for judged in honest.wrong}
            print(f"{backend}: {shipped.name}: {len(already)} nodes are wrong without a fault {sorted(already)}")
            for node, fault in faults._drawn(faults._trial(path, shipped.options, Elsewhere()), rng, arguments.faults):
                first = first_wrong(faults._trial(path, shipped.options, Planted(node.gives[0], fault)), already)
                total, named = total + 1, named + (first == node.node.name)
                print(f"{backend}: {shipped.name}: {node.node.name} ({node.node.operator}): {fault}: " +
                      ("named" if first == node.node.name else f"first wrong node: {first}"), flush=True)
            Elsewhere.host.close()
    print(f"{named} of {total} are named as the first wrong node")
    return int(not total or named < total * 9 / 10)


if __name__ == "__main__":
    raise SystemExit(main())
