"""The command `plumbline conformance`: test backends on all cases.

It is a pytest run that no local configuration of pytest affects."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from plumbline.commands.base import Commands
from plumbline.oracle.safe_text import UNSAFE
from plumbline.trial.run.options import OptionError, RunOptions, flag, is_repeatable, is_switch, metavar, read_options

ALIASES = {"backend_name": "--name", "backend_version": "--version"}
"""Short names for options whose plain names pytest uses itself."""

PYTEST = ("--pyargs", "plumbline.conformance", "-c", os.devnull, "--rootdir", ".", "--import-mode", "importlib",
          "--noconftest", "-p", "plumbline.conformance.plugin", "-p", "no:cacheprovider", "-p", "no:xdist",
          "-p", "no:hypothesispytest", "-p", "no:unraisableexception",
          "-W", "ignore::pytest.PytestAssertRewriteWarning")

ONLY_SHOWS = ("--fixtures", "--funcargs", "--fixtures-per-test", "--markers", "--cache-show", "--version", "-V", "-h",
              "--help")
"""Options with which pytest tries nothing, and ends with status 0."""

commands = Commands("conformance")


def _options(command: Any) -> Any:
    for name, field in reversed(RunOptions.model_fields.items()):
        how: dict[str, Any] = {"is_flag": True, "default": None} if is_switch(name) else {
            "metavar": metavar(name), "multiple": is_repeatable(name)}
        command = click.option(flag(name), *filter(None, [ALIASES.get(name)]), name, help=field.description,
                               **how)(command)
    return command


@commands.command("conformance", context_settings={"ignore_unknown_options": True})
@_options
@click.option("--strict", is_flag=True, help="Known divergences fail too.")
@click.argument("pytest_options", nargs=-1, type=click.UNPROCESSED)
def conformance(strict: bool, pytest_options: tuple[str, ...], **given: Any) -> int:
    """Test backends on every case, and write a record and a page for each.

    Options can also be set in [tool.plumbline] of pyproject.toml, where --spec is called specs. All remaining options
    go to pytest: -k EXPRESSION chooses cases, -x stops at the first failure, --junitxml FILE writes JUnit XML.

    Exit status: 0 if nothing is new; 1 if a divergence, refusal, crash or hang is not known, or a known one is gone; 2
    if the run failed or was incomplete.
    """
    # `given` holds the options of `RunOptions`, by field; what they leave out is read from pyproject.toml
    read_options(given, Path.cwd())
    _check(pytest_options)
    words = [word for name, value in given.items() for word in _words(name, value)]
    status = pytest.main([*PYTEST, "-q", "--tb=short", *(["--strict"] if strict else []), *words, *pytest_options])
    return min(int(status), 2)  # pytest's own statuses above 2 all mean failure


def _check(options: Sequence[str]) -> None:
    """Raise OptionError for options of pytest that try nothing, or that it would print as they are."""
    try:
        added = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    except ValueError as error:
        raise OptionError(f"PYTEST_ADDOPTS: {error}") from None
    for word in (*options, *added):
        if word in ONLY_SHOWS:
            raise OptionError(f"{word}: a conformance run takes no option of pytest that tries nothing")
        if UNSAFE.search(word):
            raise OptionError(f"{word}: a letter in it moves a terminal")


def _words(name: str, value: Any) -> Iterator[str]:
    if is_switch(name):
        yield from [flag(name)] if value else []
        return
    for part in value if isinstance(value, tuple) else [] if value is None else [value]:
        yield f"{flag(name)}={part}"
