"""Command-line options of a campaign."""

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
from plumbline.trial.run.forms import forms

MOST = 10**15
"""Calls of a campaign, far more than any has the time for."""

OPTIONS = (
    click.option("--spec", required=True, metavar="NAME", help="One specification, such as onnx/maxpool@12."),
    click.option("--backend", required=True, metavar="NAME", help="The backend, named as in a conformance run."),
    click.option("--form", help="Y or Y+Indices; by default every output."),
    click.option("--seed", type=int, default=0, metavar="N", help="Seed of the calls; default 0."),
    click.option("--calls", type=click.IntRange(max=MOST), metavar="COUNT",
                 help="The first so many calls of the seed."),
    click.option("--range", "span", metavar="A..B", help="Instead of --calls: calls A to B - 1 of the seed."),
    click.option("--every", default="", metavar="TYPE", help="Instead of generated calls: every value of a type of 16 "
                 "or 32 bits, 65,536 in each call, for an operator that computes each element from one."),
    click.option("--workers", type=int, metavar="N",
                 help="Processes of this machine; default 1, and 2 for a Dask cluster that is started."),
    click.option("--shard", type=int, metavar="COUNT", help="Calls that a worker runs at once; default "
                 + ", ".join(f"{size} with --host {host}" for host, size in SHARD.items()) + "."),
    click.option("--engine", type=click.Choice(["local", "dask"]), default="local",
                 help="What runs the shards; default local."),
    click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask cluster, such as tcp://10.0.0.1:8786; by "
                 "default one is started on this machine."),
    click.option("--context", multiple=True, metavar="NAME", help="Run each call in one of these contexts, or "
                 "alone (repeatable; 'all' for those that the backend declares), and draw rare features more often."),
    click.option("--host", type=click.Choice(list(SHARD)), default=next(iter(SHARD)), help="Where the backend runs: in "
                 "a process of its own (the default), or in that of the worker: faster, but ended by a crash."),
    click.option("--python", metavar="PATH", help="Interpreter of the backend's environment."),
    click.option("--time-limit", type=float, default=20.0, metavar="SECONDS", help="Time of one call; default 20."),
    click.option("--memory-limit", type=int, default=MEMORY_LIMIT, metavar="MIB",
                 help=f"Resident memory of a backend in a process of its own; default {MEMORY_LIMIT}."),
    click.option("--output", "--out", "output", type=click.Path(path_type=Path), metavar="RECORD",
                 help="Default reports/out/campaign-....jsonl."),
    click.option("--resume", is_flag=True, help="Continue an interrupted campaign."),
)


def campaign_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def whole_of(spec: str, backend: str, *, form: str | None, seed: int, calls: int | None, span: str | None,
             every: str, time_limit: float, memory_limit: int, host: str, python: str | None,
             context: tuple[str, ...] = ()) -> Job:
    """Return the job of the whole campaign. Raises CampaignError, SpecError.

    form:         outputs asked for, "Y+Indices"; by default all.
    span:         numbers of the calls, "START..STOP"; exactly one of it and `calls` is given, or `every`.
    every:        the element type whose values are all run, "" for drawn calls.
    time_limit:   seconds for one call.
    memory_limit: mebibytes for the backend's process.
    host:         "in-process" or "process": where the backend runs.
    python:       path of the backend's interpreter."""
    if every and context:
        raise CampaignError("--every runs each call alone: leave --context out")
    if every and calls is None and span is None:
        calls = parts_of(spec, every)
    if (calls is None) == (span is None):
        raise CampaignError("give exactly one of --calls and --range")
    if not math.isfinite(time_limit):
        raise CampaignError(f"--time-limit {time_limit:g} is not a number of seconds")
    start, stop = (0, calls or 0) if span is None else _range(span)
    if python is not None and not Path(python).exists():
        raise CampaignError(f"--python {python}: there is no such interpreter")
    return Job(spec, backend, form or forms(load_spec(spec))[-1], seed, start, stop, time_limit, memory_limit, host,
               python, every, _contexts(context, backend))


def _contexts(names: tuple[str, ...], backend: str) -> tuple[str, ...]:
    """Return the names of contexts. Raises CampaignError, BackendError."""
    if names != ("all",):
        try:
            return contexts_named(names)
        except ValueError as error:
            raise CampaignError(f"--context: {error}") from None
    declared = find_backend(backend).declared_contexts()
    if not declared:
        raise CampaignError(f"--context all: {backend} declares no context")
    return declared


def engine_of(engine: str, *, workers: int | None, shard: int | None, scheduler: str | None) -> Engine:
    """Return the engine. Raises CampaignError, and EngineError if a package is missing."""
    if scheduler is not None and engine != "dask":
        raise CampaignError("--scheduler is the address of a Dask cluster: give --engine dask with it")
    if scheduler is not None and workers is not None:
        raise CampaignError("--workers is for processes of this machine; the cluster of --scheduler has its own")
    if (shard is not None and shard < 1) or workers is not None and workers < 1:
        raise CampaignError("--workers and --shard are one or more")
    return make_engine(engine, workers, scheduler)


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,16})\.\.([0-9]{1,16})", text)
    if match is None or int(match[2]) > MOST:
        raise CampaignError(f"--range {text!r} is not of the form 0..1000000, to at most {MOST:,}")
    return int(match[1]), int(match[2])


def make_engine(name: str, workers: int | None = None, scheduler: str | None = None) -> Engine:
    """Return an engine by name. Raises EngineError."""
    if name == "local":
        from plumbline.trial.campaign.local_engine import Local

        return Local(workers or 1)
    from plumbline.trial.campaign.cluster_engine import Cluster

    return Cluster(scheduler, workers or 2)
