"""The output of a command in a terminal, as a page."""

from __future__ import annotations

import fcntl
import html
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#76e3ea"}
"""Of a dark terminal, by the number of its escape sequence."""

ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
OTHER = re.compile(r"\x1b\[[\d;?]*[A-Za-ln-z]")
STYLE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>terminal</title>
<style>body{margin:0}pre{display:inline-block;margin:0;padding:14px 16px;background:#16191d;color:#d8dee4;
font:13px/1.4 "DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-all;
width:%dch}</style>"""


def type_command(command: str, place: Path, columns: int) -> str:
    """Run a command in a terminal, with this interpreter's programs first; its output with escape sequences.

    Raises CalledProcessError.
    """
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "CI")}
    variables |= {"TERM": "xterm-256color", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    running = subprocess.Popen(["bash", "-c", command], cwd=place, env=variables, stdin=its, stdout=its, stderr=its)
    os.close(its)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # on Linux the end, once the last process has closed it
            break
        parts.append(part)
    os.close(ours)
    if status := running.wait():
        raise subprocess.CalledProcessError(status, command)
    return b"".join(parts).decode("utf-8")


def as_html(command: str, output: str, columns: int) -> str:
    """The page of a terminal in which a command was typed: what it shows at the end, lines replaced."""
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in OTHER.sub("", output).split("\n")]
    return (STYLE % columns + f'<pre><b>$</b> {html.escape(command)}\n' + _coloured("\n".join(lines).rstrip())
            + "</pre></html>")


def _coloured(text: str) -> str:
    """Text with its escape sequences as elements."""
    made, is_open = "", False
    for number, part in enumerate(ESCAPE.split(text)):
        if number % 2 == 0:
            made += html.escape(part)
            continue
        styles = [f"color:{COLOURS[code]}" if code in COLOURS else "font-weight:bold" for code in part.split(";")
                  if code in COLOURS or code == "1"]
        made += "</span>" * is_open + (f'<span style="{";".join(styles)}">' if styles else "")
        is_open = bool(styles)
    return made + "</span>" * is_open
