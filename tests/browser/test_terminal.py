"""The terminal that the documentation shows: the width is the command's, and replaced lines are gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.terminal import as_html, type_command


def test_a_command_runs_in_a_terminal_of_that_width(tmp_path: Path) -> None:
    """In its folder, with programs of this interpreter's environment; a failure is an error."""
    output = type_command("python -c 'import os, sys; print(os.get_terminal_size().columns, sys.prefix, os.getcwd())'",
                          tmp_path, 50)
    assert output.split() == ["50", sys.prefix, str(tmp_path)]
    with pytest.raises(subprocess.CalledProcessError):
        type_command("exit 3", tmp_path, 50)


def test_colours_become_elements_and_replaced_lines_go() -> None:
    """Commands and output are text, not markup."""
    page = as_html("try <x>", "10%\r20%\r    \rdone\r\n\x1b[31m\x1b[1m1 & 2\x1b[0m\r\n", 80)
    assert page.endswith('<b>$</b> try &lt;x&gt;\ndone\n<span style="color:#ff7b72"></span>'
                         '<span style="font-weight:bold">1 &amp; 2</span></pre></html>')
    assert "10%" not in page and "width:80ch" in page
