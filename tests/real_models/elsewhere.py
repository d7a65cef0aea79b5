"""Plant faults in a model on other backends than ONNX Runtime in Python, and count those named as first wrong node.

    python -m tests.real_models.elsewhere BACKEND ... [--only TEXT] [--faults N] [--seed N]

The backend computes the whole model but one node, which a faulty kernel computes in its place.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from plumbline.backends import Answered, Host, Request
from plumbline.backends.outcomes import Outcome
from plumbline.backends.registry import find_backend
from plumbline.trial.model.graph import Step
from plumbline.trial.model.trial import ModelTrial
from tests.real_models import faults
from tests.real_models.packages import fetched
from tests.suite.model_fakes import Runs

SECONDS = 240.0
"""For a whole model."""

Draw = Callable[[ModelTrial, random.Random, int], Iterator[tuple[Step, str, Runs]]]


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


def planted(trial: ModelTrial, rng: random.Random, count: int) -> Iterator[tuple[Step, str, Runs]]:
    """Draw nodes, each with a fault, and the backend with it."""
    for step, fault in faults._drawn(trial, rng, count):
        yield step, fault, Planted(step.gives[0], fault)


def count_named(description: str | None, draw: Draw, count: int) -> int:
    """Print each fault, and what was named; return the exit status: 1 if more than one in ten was not.

    draw:  draws nodes of the model of a trial, each with a fault in words, and the backend with it.
    count: the faults on each backend in each model, unless --faults says otherwise."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backends", nargs="+")
    parser.add_argument("--only", default="hey_jarvis", metavar="TEXT", help="models whose names contain it")
    parser.add_argument("--folder", type=Path, default=Path("reports/out/models"), help="for downloads")
    parser.add_argument("--faults", type=int, default=count, metavar="N", help="on each backend, in each model")
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
            for step, fault, faulty in draw(faults._trial(path, shipped.options, Elsewhere()), rng, arguments.faults):
                first = first_wrong(faults._trial(path, shipped.options, faulty), already)
                total, named = total + 1, named + (first == step.node.name)
                print(f"{backend}: {shipped.name}: {step.node.name} ({step.node.operator}): {fault}: " +
                      ("named" if first == step.node.name else f"first wrong node: {first}"), flush=True)
            Elsewhere.host.close()
    print(f"{named} of {total} are named as the first wrong node")
    return int(not total or named < total * 9 / 10)


if __name__ == "__main__":
    raise SystemExit(count_named(__doc__, planted, 5))
