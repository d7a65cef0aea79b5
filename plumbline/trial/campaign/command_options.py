"""The options of a campaign on the command line, and what they come to."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plumbline.backends import MEMORY_LIMIT, find_backend
from plumbline.cases.onnx.contexts import contexts_named
from plumbline.oracle import load_spec
from plumbline.trial.campaign.campaign import CampaignError, parts_of
from plumbline.trial.campaign.engine import Engine
from plumbline.trial.campaign.shards import SHARD, Job
from plumbline.trial.run.session import forms

OPTIONS = (
    click.option("--spec", required=True, metavar="NAME", help="One specification, such as onnx/maxpool@12."),
    click.option("--backend", required=True, metavar="NAME", help="Who is tried, named as in a conformance run."),
    click.option("--form", help="Y or Y+Indices; by default every output."),
    click.option("--seed", type=int, default=0, metavar="N", help="Of the calls; default 0."),
    click.option("--calls", type=int, metavar="COUNT", help="The first so many calls of the seed."),
    click.option("--range", "span", metavar="A..B", help="Instead of --calls: calls A to B - 1 of the seed."),
    click.option("--every", default="", metavar="TYPE", help="Instead of generated calls: every value of a type of 16 "
                 "or 32 bits, 65,536 in each call, put to an operator that computes each element from one."),
    click.option("--workers", type=int, metavar="N",
                 help="Processes of this machine; default 1, and 2 for a Dask cluster that is started."),
    click.option("--shard", type=int, metavar="COUNT", help="Calls that a worker is given at once; default "
                 + ", ".join(f"{size} with --host {host}" for host, size in SHARD.items()) + "."),
    click.option("--engine", type=click.Choice(["local", "dask"]), default="local",
                 help="Who works on it; default local."),
    click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, such as tcp://10.0.0.1:8786; by default "
                 "one is started on this machine."),
    click.option("--context", multiple=True, metavar="NAME", help="Put each call in one of these contexts, or "
                 "alone (repeatable; 'all' for those that the backend declares), and draw what is rare more often."),
    click.option("--host", type=click.Choice(list(SHARD)), default=next(iter(SHARD)), help="Where the backend runs: in "
                 "a process of its own (the default), or, faster, in that of the worker, which a crash then ends."),
    click.option("--python", metavar="PATH", help="Interpreter of the environment that the backend lives in."),
    click.option("--time-limit", type=float, default=20.0, metavar="SECONDS", help="For one call; default 20."),
    click.option("--memory-limit", type=int, default=MEMORY_LIMIT, metavar="MIB",
                 help=f"Of resident memory, for a backend in a process of its own; default {MEMORY_LIMIT}."),
    click.option("--out", type=click.Path(path_type=Path), metavar="RECORD",
                 help="Default reports/out/campaign-....jsonl."),
    click.option("--resume", is_flag=True, help="Go on with the campaign that was interrupted."),
)


def campaign_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def whole_of(spec: str, backend: str, *, form: str | None, seed: int, calls: int | None, span: str | None,
             every: str, time_limit: float, memory_limit: int, host: str, python: str | None,
             context: tuple[str, ...] = ()) -> Job:
    """All calls of the campaign. Raises CampaignError, SpecError."""
    if every and context:
        raise CampaignError("--every puts each call alone: leave --context out")
    if every and calls is None and span is None:
        calls = parts_of(spec, every)
    if (calls is None) == (span is None):
        raise CampaignError("one of --calls and --range says which calls: give exactly one")
    if not math.isfinite(time_limit):
        raise CampaignError(f"--time-limit {time_limit:g} is not a number of seconds")
    start, stop = (0, calls or 0) if span is None else _range(span)
    if python is not None and not Path(python).exists():
        raise CampaignError(f"--python {python}: there is no such interpreter")
    return Job(spec, backend, form or forms(load_spec(spec))[-1], seed, start, stop, time_limit, memory_limit, host,
               python, every, _contexts(context, backend))


def _contexts(names: tuple[str, ...], backend: str) -> tuple[str, ...]:
    """Raises CampaignError, and BackendError."""
    if names != ("all",):
        try:
            return contexts_named(names)
        except ValueError as error:
            raise CampaignError(f"--context: {error}") from None
    found = find_backend(backend).declared_contexts()
    if not found:
        raise CampaignError(f"--context all: {backend} declares no context")
    return found


def engine_of(engine: str, *, workers: int | None, shard: int | None, scheduler: str | None) -> Engine:
    """Who works on it. Raises CampaignError, and EngineError where a package is missing."""
    if scheduler is not None and engine != "dask":
        raise CampaignError("--scheduler is the address of a Dask cluster: give --engine dask with it")
    if scheduler is not None and workers is not None:
        raise CampaignError("--workers is for processes of this machine; the cluster of --scheduler has its own")
    if (shard is not None and shard < 1) or workers is not None and workers < 1:
        raise CampaignError("--workers and --shard are one or more")
    return make_engine(engine, workers, scheduler)


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]+)\.\.([0-9]+)", text)
    if match is None:
        raise CampaignError(f"--range {text!r} is not of the form 0..1000000")
    return int(match[1]), int(match[2])


def make_engine(name: str, workers: int | None = None, scheduler: str | None = None) -> Engine:
    """An engine by its name. Raises EngineError where its package is not installed, or its cluster not there."""
    if name == "local":
        from plumbline.trial.campaign.local_engine import Local

        return Local(workers or 1)
    from plumbline.trial.campaign.cluster_engine import Cluster

    return Cluster(scheduler, workers or 2)
