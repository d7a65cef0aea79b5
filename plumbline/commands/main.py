"""The command `plumbline`; the modules of its subcommands are imported on demand."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import shell_complete

from plumbline.commands.base import Commands, leave, run
from plumbline.data import suite_version

NAME = "plumbline"
COMPLETE = "_PLUMBLINE_COMPLETE"
"""The variable that a shell sets to ask for completions."""

WHERE = {
    "conformance": "plumbline.commands.conformance",
    "matrix": "plumbline.commands.matrix",
    "accuracy": "plumbline.commands.accuracy",
    "model": "plumbline.commands.model",
    **dict.fromkeys(("campaign", "bisect", "promote"), "plumbline.commands.trial"),
    "known": "plumbline.commands.known",
    **dict.fromkeys(("list", "check", "census", "diff", "errata", "examples", "explain"),
                    "plumbline.commands.specifications"),
    "specs": "plumbline.commands.specs",
    **dict.fromkeys(("init", "new-backend"), "plumbline.commands.begin"),
    "cases": "plumbline.commands.cases",
    "corpus": "plumbline.commands.cases",
    "backends": "plumbline.commands.backends",
    "schema": "plumbline.commands.schema",
    "editions": "plumbline.commands.editions",
    "report": "plumbline.commands.reports",
    **dict.fromkeys(("compare", "history", "site"), "plumbline.commands.reports"),
}
"""The module of each command, whose `commands` is the group itself or contains the command."""

EPILOG = """\b
Begin with
  plumbline conformance                      test ONNX Runtime on every case
  plumbline conformance --backend my_package:MyBackend
  plumbline model model.onnx                 find the first wrong node of a model
  plumbline explain 'sonnx/maxpool#Y.F1'     explain a clause
Completion in bash (or zsh, fish): eval "$(_PLUMBLINE_COMPLETE=bash_source plumbline)"
"""


class Everything(Commands):
    """The commands of `WHERE`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, the main one first."""
        return list(WHERE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, None for an unknown one."""
        if cmd_name not in WHERE:
            return None
        commands = import_module(WHERE[cmd_name]).commands
        command: click.Command = commands.commands.get(cmd_name, commands)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return name, command and remaining arguments; commands of a group are found by their own names too."""
        if args[0] not in WHERE:
            groups = [group for group in WHERE if args[0] in _commands_of(group)]
            if groups:
                ctx.fail(f"no command is called {args[0]!r}; did you mean '{groups[0]} {args[0]}'?")
        return super().resolve_command(ctx, args)


def _commands_of(group: str) -> Collection[str]:
    """Return the commands of a group, none for a single command."""
    commands: Commands = import_module(WHERE[group]).commands
    return () if group in commands.commands else commands.commands


commands = Everything(NAME, epilog=EPILOG, help="Test whether an ONNX runtime computes what the ONNX specification "
                      "says, clause by clause.")
click.version_option(suite_version(), message="%(version)s")(commands)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; end the process with its exit status."""
    if COMPLETE in os.environ:
        sys.exit(shell_complete(commands, {}, NAME, COMPLETE, os.environ[COMPLETE]))
    leave(lambda: run(commands, arguments, NAME))
