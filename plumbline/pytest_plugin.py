"""The pytest plugin of the package: it brings the options of a conformance run to the runs that ask for one.

A run asks by naming `plumbline.conformance`, as in `pytest --pyargs plumbline.conformance --backend my:Backend`.
All other runs of the environment are left as they are: no option, no fixture, nothing imported.
"""

from __future__ import annotations

import re

import pytest

ASKED = re.compile(r"plumbline\.conformance\b")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Load the plugin proper while options can still be added."""
    if any(ASKED.match(argument) for argument in args):
        early_config.pluginmanager.import_plugin("plumbline.conformance_plugin")
