"""The command line: exit statuses, errors in one line, and no traceback when whoever reads stdout has read enough."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from plumbline.oracle.signals import interrupt_on_signals
from plumbline.oracle.watch import watched

FAILED = 2
"""The exit status of a command that could not do what it was asked for."""

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class Command(click.Command):
    """A command that gives its exit status, None for 0. What it raises of `errors` is one line on stderr, status 2."""

    errors: tuple[type[Exception], ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said of this command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # nobody reads on: see leave
        except self.errors as error:
            raise click.ClickException(_line(error)) from None


class Commands(click.Group):
    """Commands with the same `errors`."""

    command_class = Command

    def __init__(self, *args: Any, errors: Sequence[type[Exception]] = (), **settings: Any) -> None:
        super().__init__(*args, **{"context_settings": SETTINGS, **settings})
        self.errors = tuple(errors)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Take a command into the group."""
        if isinstance(cmd, Command):
            cmd.errors = self.errors
        super().add_command(cmd, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with the whole first sentence of their help."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=200)) for name, command in commands if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _line(error: Exception) -> str:
    """What is wrong, and with which file where the system says so."""
    if isinstance(error, RecursionError):
        return "something in a file is nested too deeply"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error.args[0] if error.args else error).split())


def run(command: click.Command, arguments: Sequence[str] | None = None, name: str | None = None) -> int:
    """The exit status of a command with these arguments, by default those of the process."""
    name = name or command.name or "plumbline"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # records hold any letters, terminals do not
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with command.make_context(name, given) as context:
            return int(command.invoke(context) or 0)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        click.echo(f"{path}: {error.format_message()} See '{path} --help'.", err=True)
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
    except SystemExit as ending:  # no command of the suite says so: the code of others does
        click.echo(who_ends(ending), err=True)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
    return FAILED


def who_ends(ending: SystemExit) -> str:
    """Which line of code asked the process to end, and that it may not."""
    place = traceback.extract_tb(ending.__traceback__)[-1]
    return f"{place.filename}:{place.lineno}: asked the process to end, which nothing that is asked may do"


def leave(main: Callable[[], int]) -> NoReturn:
    """End the process with the status that `main` gives, in a copy that is `watched`. When the pipe of stdout is
    closed, as by `head`, the status is the one that a shell gives to a process which that signal ended."""
    sys.exit(watched(lambda: _status(main)))


def _status(main: Callable[[], int]) -> int:
    interrupt_on_signals()
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten would fail at exit
        return 128 + getattr(signal, "SIGPIPE", 13)
