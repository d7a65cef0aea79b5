"""The groups of `plumbline` as functions from arguments to an exit status."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.commands.base import run
from plumbline.commands.main import commands


def plumbline(arguments: Sequence[str]) -> int:
    """Run `plumbline ARGUMENTS`."""
    return run(commands, arguments, "plumbline")


def cases(arguments: Sequence[str]) -> int:
    """Run `plumbline cases ARGUMENTS`."""
    return plumbline(["cases", *arguments])


def backends(arguments: Sequence[str]) -> int:
    """Run `plumbline backends ARGUMENTS`."""
    return plumbline(["backends", *arguments])


def report(arguments: Sequence[str]) -> int:
    """Run `plumbline report ARGUMENTS`."""
    return plumbline(["report", *arguments])
