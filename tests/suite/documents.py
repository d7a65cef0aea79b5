"""The documentation as something to run: code blocks of Markdown, each with what it is for.

A `console` block is typed in a shell that begins at the root of a clone whose `.venv` is activated; `cd` and `export`
last until the end of the page. Lines that begin with `$ ` are commands, what follows is their output, where `...` is
any text, a line of its own any lines. A command without output shown must succeed. A comment above a block says what
else it is:

    <!-- not in CI: WHY -->    the block is not run; its commands and options must exist
    <!-- status: N -->         the exit status of the last command
    <!-- file: NAME -->        the block is written to that file
    <!-- same as: PATH -->     the block is that file
    <!-- part of: PATH -->     the block stands in that file
    <!-- valid for: PATH -->   each line of the block is JSON that is valid for that JSON Schema
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import jsonschema

from plumbline.commands.main import commands as command_line

NOT_RUN = "not in CI"

BLOCK = re.compile(r"(?:^<!-- ([a-zA-Z ]+): ([^\n]*) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PURPOSES = ("", NOT_RUN, "status", "file", "same as", "part of", "valid for")
LEFT_BEHIND = (".git", ".venv", ".backends", "out", ".hypothesis", ".*_cache")
"""Not copied into a clone to run in: environments are borrowed. Compiled code is copied, and compiled again where its
text is another."""


@dataclass(frozen=True)
class Block:
    """A code block: where it stands, its language, its text, and what the comment above it says."""

    place: str
    language: str
    text: str
    purpose: str = ""
    says: str = ""


@dataclass(frozen=True)
class Typed:
    """A command with the output shown."""

    command: str
    shown: list[str] = field(default_factory=list)


def blocks(path: Path) -> list[Block]:
    """The code blocks of a page. Raises ValueError for one that is neither run nor compared."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        place = f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}"
        purpose, says, language, body = match[1] or "", match[2] or "", match[3], match[4]
        if purpose not in PURPOSES or (language == "console") != (purpose in ("", NOT_RUN, "status")):
            raise ValueError(f"{place}: a block of {language or 'nothing'} with the purpose {purpose!r} is neither run "
                             "nor compared; see tests/suite/documents.py")
        found.append(Block(place, language, body, purpose, says))
    if text.count("```") != 2 * len(found):
        raise ValueError(f"{path.name}: a code block that is not closed, or not at the margin")
    return found


def typed(block: Block) -> list[Typed]:
    """The commands of a console block."""
    found: list[Typed] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Typed(line[2:]))
        else:
            found[-1].shown.append(line)
    return found


def unknown_parts(command: str, place: Path) -> str:
    """What a command that is not run names and does not exist: a program, a command, an option, a target of make."""
    words = shlex.split(command, comments=True)
    words = words[:next((number for number, word in enumerate(words) if word in ("|", ">", ">>", "&&")), len(words))]
    if words[0] == "make":
        done = subprocess.run([*words, "--dry-run"], cwd=place, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""
    if words[0] != "plumbline":
        return "" if shutil.which(words[0], path=f"{place}/.venv/bin:{os.environ['PATH']}") or (
            place / words[0]).exists() or words[0] in ("export", "dask") else f"no program {words[0]}"
    context = command_line.make_context("plumbline", words[1:])
    group: click.Command = command_line
    try:
        while isinstance(group, click.Group):
            name, found, rest = group.resolve_command(context, [*context._protected_args, *context.args])
            assert found is not None
            group, context = found, found.make_context(name, rest, parent=context)
    except click.UsageError as error:
        return error.format_message()
    return ""


def clone(root: Path, place: Path) -> Path:
    """A copy of the working tree without what it made, to type commands in; its environment is that of `root`."""
    shutil.copytree(root, place, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
    (place / ".venv").symlink_to(root / ".venv")
    return place


def problems(page: list[Block], place: Path) -> Iterator[str]:
    """Runs the blocks of a page in order, in a clone: what is not as shown."""
    shell = Shell(place)
    for block in page:
        if block.purpose == "file":
            (shell.folder / block.says).write_text(block.text, encoding="utf-8")
        elif block.purpose in ("same as", "part of"):
            text = (place / block.says).read_text(encoding="utf-8")
            if block.text not in text or block.purpose == "same as" and block.text != text:
                yield f"{block.place}: the block is not {block.purpose} {block.says}"
        elif block.purpose == "valid for":
            schema = json.loads((place / block.says).read_text(encoding="utf-8"))
            for line in block.text.splitlines():
                if not jsonschema.Draft202012Validator(schema).is_valid(json.loads(line)):
                    yield f"{block.place}: not valid for {block.says}: {line}"
        elif block.purpose == NOT_RUN:
            if block is next(each for each in page if each.language == "console"):
                yield f"{block.place}: the first commands of a page are commands that run"
            wrong = {entry.command: unknown_parts(entry.command, place) for entry in typed(block)}
            yield from (f"{block.place}: $ {command}: {what}" for command, what in wrong.items() if what)
        else:
            yield from _run(block, place, shell)


@dataclass
class Shell:
    """A shell in which `cd` and variables last."""

    folder: Path
    exports: list[str] = field(default_factory=list)

    def run(self, command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Type a command."""
        if command.startswith("export "):
            self.exports.append(command)
        script = "\n".join([*self.exports, f"{{ {command}", "}; status=$?; pwd -P >&3; exit $status"])
        with tempfile.TemporaryFile("w+") as where:
            done = subprocess.run(["bash", "-c", f"exec 3>&{where.fileno()}; {script}"], cwd=self.folder,
                                  env=environment, capture_output=True, text=True, check=False,
                                  pass_fds=[where.fileno()])
            where.seek(0)
            self.folder = Path(where.read().strip() or self.folder)
        return done


def _run(block: Block, place: Path, shell: Shell) -> Iterator[str]:
    commands = typed(block)
    for entry in commands:
        environment = {**os.environ, "PATH": f"{place / '.venv' / 'bin'}:{os.environ['PATH']}",
                       "PYTHONPATH": str(place)}  # before what the borrowed environment names
        done = shell.run(entry.command, environment)
        output = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        wanted = int(block.says) if block.purpose == "status" and entry is commands[-1] else None
        failed = done.returncode != wanted if wanted is not None else not entry.shown and done.returncode
        if failed or entry.shown and not matches(entry.shown, output):
            yield "\n".join([f"{block.place}: $ {entry.command}", f"exit status {done.returncode}", "shown:",
                             *entry.shown, "got:", *output])


def matches(shown: list[str], output: list[str]) -> bool:
    """Whether output is as shown: `...` in a line is any text, a line of it any lines; spaces at ends do not count."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.strip().split("..."))).join((r"[ ]*", r"[ ]*\n"))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in output)) is not None
