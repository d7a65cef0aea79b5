"""The first pages followed literally: a copy of the clone, a new virtual environment, an empty HOME.

Each page is typed into one shell, block by block, so that `cd`, `export` and `source` last as they do for a reader.
README comes first and makes `.venv`; each further page begins at the root of the clone in a new shell, with `.venv`
activated, as docs/README.md says. Only the cache of downloads is shared with this machine.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import uv

from tests.suite.documents import LEFT_BEHIND, NOT_RUN, Block, blocks, matches, typed

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/quick-start.md", "docs/plug-in-an-implementation.md", "docs/check-a-model.md",
         "docs/write-a-specification.md")
KEPT = (".venv", ".backends")
"""What a page leaves for the next one."""

PASSED_ON = re.compile(r"(PIP|UV|SSL|REQUESTS)_\w+|\w+_(PROXY|proxy)|OPENBLAS_\w+|LANG")
"""Variables about the registries and the machine, which a reader has set as well."""


def environment(home: Path) -> dict[str, str]:
    """A reader's environment: no settings but those of the machine, no program but those of the system and Python."""
    passed_on = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    cache = subprocess.run([uv.find_uv_bin(), "cache", "dir"], capture_output=True, text=True, check=True).stdout
    return passed_on | {"HOME": str(home), "UV_CACHE_DIR": cache.strip(), "TERM": "dumb",
                    "PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/local/bin:/usr/bin:/bin"}


def script(page: list[Block], out: Path, activated: bool) -> str:
    """The commands that a reader types, with the output and the status of each command in files of their own."""
    lines, number = ["source .venv/bin/activate"] * activated, 0
    for block in page:
        if block.purpose == "file":
            lines.append(f"cat > {shlex.quote(block.says)} <<'END-OF-BLOCK'\n{block.text}END-OF-BLOCK")
        elif block.language == "console" and block.purpose != NOT_RUN:
            for entry in typed(block):
                place = shlex.quote(f"{out}/{number}")
                lines.append(f"{{ {entry.command}\n}} > {place}.out 2> {place}.err; echo $? > {place}.status")
                number += 1
    return "\n".join(lines) + "\n"


def follow(text: str, out: Path, place: Path, variables: dict[str, str]) -> None:
    """Run a script in a new shell."""
    path = out / "typed.sh"
    path.write_text(text, encoding="utf-8")
    subprocess.run(["bash", "--noprofile", "--norc", path], cwd=place, env=variables, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=False)


def problems(page: list[Block], out: Path) -> Iterator[str]:
    """Commands whose output or status is not as shown."""
    number = 0
    for block in page:
        if block.language != "console" or block.purpose == NOT_RUN:
            continue
        entries = typed(block)
        for entry in entries:
            output, error, status = (path.read_text(encoding="utf-8") if (path := out / f"{number}.{kind}").exists()
                                     else "not run" for kind in ("out", "err", "status"))
            number += 1
            got = [line.rstrip() for line in (output + error).splitlines()]
            wanted = block.says if block.purpose == "status" and entry is entries[-1] else None
            failed = status.strip() != wanted if wanted else not entry.shown and status.strip() != "0"
            if failed or entry.shown and not matches(entry.shown, got):
                yield "\n".join([f"{block.place}: $ {entry.command}", f"exit status {status.strip()}", "shown:",
                                 *entry.shown, "got:", *got])


def size_of(folder: Path) -> int:
    """Megabytes on disk; a file with several names counts once."""
    sizes = {(stat.st_dev, stat.st_ino): stat.st_blocks * 512 for place, _, names in os.walk(folder) for name in names
             if (stat := os.lstat(os.path.join(place, name)))}
    return sum(sizes.values()) // 10**6


@pytest.mark.gate(one_in=60)
def test_the_first_pages_are_followed_to_the_letter(tmp_path: Path) -> None:
    """Each command as written, in the order of the pages; README's size of the environment is right."""
    place, home = tmp_path / "clone", tmp_path / "home"
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
    home.mkdir()
    original = set(os.listdir(place))
    wrong: list[str] = []
    for name in PAGES:
        out = tmp_path / Path(name).stem
        out.mkdir()
        page = blocks(ROOT / name)
        follow(script(page, out, activated=(place / ".venv").exists()), out, place, environment(home))
        wrong += problems(page, out)
        for left in set(os.listdir(place)) - original - set(KEPT):
            path = place / left
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    assert not wrong, "\n\n".join(wrong)
    said = re.search(r"`\.venv` \(about (\d+) MB\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert said and abs(size_of(place / ".venv") - int(said[1])) < int(said[1]) / 10, size_of(place / ".venv")
    assert not [path for path in home.iterdir() if path.name not in (".cache", ".config", ".local")]


def test_a_cd_lasts(tmp_path: Path) -> None:
    """As for a reader; a command that fails is named, and so is another output than the one shown."""
    text = ("$ mkdir a && cd a\n$ touch b\n$ ls\nb\n$ false\n$ echo one\ntwo\n$ export X=3\n$ echo $X\n3\n"
            "$ echo late >&2\nlate\n")
    page = [Block("page:1", "console", text), Block("page:9", "python", "1 + 1\n", "file", "c.py"),
            Block("page:12", "console", "$ cat c.py\n1 + 1\n"),
            Block("page:14", "console", "$ exit 4\n", "status", "4")]
    out = tmp_path / "out"
    out.mkdir()
    follow(script(page, out, False), out, tmp_path, dict(os.environ))
    messages = list(problems(page, out))
    assert [text.splitlines()[0] for text in messages] == ["page:1: $ false", "page:1: $ echo one", "page:14: $ exit 4"]
