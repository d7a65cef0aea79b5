"""The command `plumbline`: all that the package does, each part imported when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click
from click.shell_completion import shell_complete

from plumbline.commands.base import Commands, leave, run

NAME = "plumbline"
COMPLETE = "_PLUMBLINE_COMPLETE"
"""Set by the shell that asks how a word goes on."""

WHERE = {
    "conformance": "plumbline.commands.conformance",
    "matrix": "plumbline.commands.matrix",
    "model": "plumbline.commands.model",
    **dict.fromkeys(("campaign", "bisect", "promote", "known"), "plumbline.commands.trial"),
    **dict.fromkeys(("list", "check", "diff", "errata", "examples", "explain"), "plumbline.commands.specifications"),
    "cases": "plumbline.commands.cases",
    "corpus": "plumbline.commands.cases",
    "backends": "plumbline.commands.backends",
    "schema": "plumbline.commands.schema",
    "editions": "plumbline.commands.editions",
    "report": "plumbline.commands.reports",
    **dict.fromkeys(("compare", "site"), "plumbline.commands.reports"),
}
"""The module of each command. Its `commands` are the group itself, or hold the command by its name."""

EPILOG = """\b
Begin with
  plumbline conformance                      try ONNX Runtime on every case
  plumbline conformance --backend my_package:MyBackend
  plumbline explain 'sonnx/maxpool#Y.F1'     what a clause says
Completion in bash (or zsh, fish): eval "$(_PLUMBLINE_COMPLETE=bash_source plumbline)"
"""


class Everything(Commands):
    """The commands of `WHERE`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, the main one first."""
        return list(WHERE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, by its name."""
        if cmd_name not in WHERE:
            return None
        commands = import_module(WHERE[cmd_name]).commands
        found: click.Command = commands.commands.get(cmd_name, commands)
        return found


commands = Everything(NAME, epilog=EPILOG, help="A formal specification conformance test suite for ONNX operators: "
                      "what an implementation does against what a specification says, clause by clause.")
click.version_option(package_name=NAME, message="%(version)s")(commands)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, and end the process with its exit status."""
    if COMPLETE in os.environ:
        sys.exit(shell_complete(commands, {}, NAME, COMPLETE, os.environ[COMPLETE]))
    leave(lambda: run(commands, arguments, NAME))
