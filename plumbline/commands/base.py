"""Run commands: exit statuses, one-line errors, closed pipes."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.safe_text import safe
from plumbline.processes.signals import interrupt_on_signals
from plumbline.processes.watch import watched

FAILED = 2
"""The exit status of a command that failed."""

DIGITS = 18
"""Most digits of a size."""

TRACEBACK = "PLUMBLINE_TRACEBACK"
"""The variable that asks for the traceback of an error."""

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


FILES = (("latest", "a record", "plumbline report html"), (".jsonl", "a record", "plumbline report html"),
         (".onnx", "a model", "plumbline model"))
"""Arguments given in place of a command, by their ends: what they are, and a command that takes them."""


class Number(click.FloatRange):
    """A number in a range, which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a number.", param, ctx) if number != number else number


class Command(click.Command):
    """A command whose function returns the exit status, None for 0."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; errors name this command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class Commands(click.Group):
    """A group of commands."""

    command_class = Command

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"context_settings": SETTINGS, **settings})

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the first argument names; an unknown name is a usage error."""
        if self.get_command(ctx, args[0]) is None:
            for ending, kind, command in FILES:
                if args[0].endswith(ending):
                    ctx.fail(f"{args[0]!r} is {kind}; a command comes first, as in "
                             f"'{command} {args[0]}'.")
            ctx.fail(f"no command is called {args[0]!r}{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentence of their help."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=200)) for name, command in commands
                if command and not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def size_of(text: str) -> tuple[str, int]:
    """Read SYMBOL=N. Raises ClickException."""
    name, equals, number = text.rpartition("=")
    if not equals or not number.isdecimal() or len(number) > DIGITS:
        raise click.ClickException(f"--size {text[:DIGITS + 80]}: write SYMBOL=N")
    return name, int(number)


def message(error: BaseException) -> str:
    """Describe an exception in one line.

    An exception that the suite defines says what is wrong, one of the system with the file; all others say where they
    were raised as well.
    """
    if isinstance(error, RecursionError):
        return "a file is nested too deeply"
    if isinstance(error, MemoryError):
        return safe(f"not enough memory{f': {error}' if str(error) else ''}")
    if isinstance(error, OSError) and error.strerror:
        return safe(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if type(error).__module__.startswith("plumbline.") or type(error) is LookupError:
        return safe(" ".join(str(error).split()))
    from plumbline.oracle.foreign_code import error_line  # on demand: it needs numpy
    return error_line(error)


def run(command: click.Command, arguments: Sequence[str] | None = None, name: str | None = None) -> int:
    """Run a command; return its exit status.

    By default with the arguments of the process. `name` stands for the command in messages.
    """
    name = name or command.name or "plumbline"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # records contain any letters, terminals may not
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not {"PLUMBLINE_CODE_LIMIT", "PLUMBLINE_EDITION"}.isdisjoint(os.environ):
            from plumbline.trial.run.options import check_variables  # on demand: it needs numpy
            check_variables()
        with command.make_context(name, given) as context:
            return int(command.invoke(context) or 0)
    except BrokenPipeError:
        raise  # handled in leave
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        said = error.format_message()
        said += "" if said.endswith((".", "?", ")")) else "."
        click.echo(safe(f"{path}: {said} See '{path} --help'."), err=True)
    except click.ClickException as error:
        click.echo(safe(error.format_message()), err=True)
    except SystemExit as ending:  # raised by code of an adapter or a backend, never by the suite
        click.echo(who_ends(ending), err=True)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
    except BaseException as error:  # the code of others raises anything
        if TRACEBACK in os.environ:
            raise
        click.echo(message(error), err=True)
    return FAILED


def who_ends(ending: SystemExit) -> str:
    """Name the line of code that tried to end the process."""
    place = traceback.extract_tb(ending.__traceback__)[-1]
    return f"{place.filename}:{place.lineno}: called sys.exit; code that the suite calls must not end the process"


def leave(main: Callable[[], int]) -> NoReturn:
    """End the process with the status of `main`, which runs in a watched copy of it.

    If the pipe of stdout is closed, as by `head`, the status is the one a shell reports for SIGPIPE.
    """
    _open_streams()
    sys.exit(watched(lambda: _status(main)))


def _open_streams() -> None:
    """Open streams that are closed, or files opened later would take their place; what is printed is lost."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the smallest free number
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))


def _status(main: Callable[[], int]) -> int:
    interrupt_on_signals()
    if os.environ.get("PLUMBLINE_SPECS"):
        from plumbline.oracle.foreign_code import limit_code  # on demand: it needs numpy
        limit_code()
    try:
        try:
            return main()
        except SystemExit as ending:  # as of argparse, after --help and for wrong options
            if not isinstance(ending.code, int | None):
                raise
            return ending.code or 0
        finally:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else flushing at exit would fail
        if isinstance(error, BrokenPipeError):
            return 128 + getattr(signal, "SIGPIPE", 13)
        click.echo(f"standard output: {error.strerror}", err=True)
        return FAILED
