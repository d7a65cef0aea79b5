"""Records that were spoiled at random, always in the same way: each door makes something of them, or one line says why
not; what they hold is shown as text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.pages import SCRIPTS, Page

FOREIGN = [None, True, -1, 2**70, 1e308, "", small.HOSTILE, "\ud800", "nan", [], [[1], [2, 3]], {}, {"a": 1}, [None]]
"""Values where nobody expects them."""

ROUNDS = 50


def spoiled(lines: list[Any], chance: random.Random) -> bytes:
    """The lines with a value replaced or taken away, a line doubled or dropped, or some bytes changed."""
    way = chance.choice(["foreign", "foreign", "missing", "dropped", "doubled", "bytes", "cut"])
    if way in ("foreign", "missing"):
        *path, last = chance.choice(list(places(lines)))
        node: Any = lines
        for step in path:
            node = node[step]
        if way == "foreign":
            node[last] = chance.choice(FOREIGN)
        else:
            del node[last]
    elif way == "dropped":
        del lines[chance.randrange(len(lines))]
    elif way == "doubled":
        lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    data = bytearray("\n".join(map(json.dumps, lines)).encode())
    if way == "bytes":
        for _ in range(chance.choice([1, 5])):
            data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[:chance.randrange(len(data))] if way == "cut" else data)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything within lists and dicts."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, value in inside:
        yield (*path, step)
        yield from places(value, (*path, step))


def test_every_door_takes_what_it_can_and_refuses_the_rest_in_one_line(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, whatever is spoiled; nothing but the page's own scripts in a page."""
    chance, statuses = random.Random(6), set()
    good, *_ = map(str, small.write_all(tmp_path))
    bad, page = str(tmp_path / "bad.jsonl"), tmp_path / "bad.html"
    doors = [["html", bad, good, "--output", str(page)], ["csv", bad, "--out", str(tmp_path)], ["summary", bad],
             ["history", bad, good], ["explain", f"{small.SPEC}#Y.F1", bad], ["badge", bad, "--out", str(tmp_path)],
             ["compare", bad, good, "--intersection"]]
    for number in range(ROUNDS):
        lines = [json.loads(line) for line in Path(good).read_text(encoding="utf-8").splitlines()]
        Path(bad).write_bytes(spoiled(lines, chance))
        for door in doors:
            status = main(door)
            complaint = capsys.readouterr().err
            assert (status == 2) == bool(complaint) and complaint.count("\n") <= 1, (number, door[0], complaint)
            statuses.add(status)
            if door[0] == "html" and status == 0:
                shown = Page(page.read_text(encoding="utf-8"))
                assert shown.tags.count("script") == SCRIPTS and "img" not in shown.tags and not shown.open
    assert statuses >= {0, 2}
