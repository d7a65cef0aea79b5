"""The pytest entry point: load the plugin for conformance runs only.

A conformance run names `plumbline.conformance`, as in `pytest --pyargs plumbline.conformance --backend my:Backend`.
All other runs of the environment are unaffected: no option, no fixture, nothing imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

ASKED = re.compile(r"plumbline\.conformance\b")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser,
                                  args: list[str]) -> Iterator[None]:
    """Load the plugin in time to add options; reject unknown options. `args` are pytest's arguments."""
    # pytest would rewrite the assertions of the whole package, as of any that brings a plugin: seconds, for nothing.
    getattr(early_config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("plumbline")
    asked = any(ASKED.match(argument) for argument in args)
    if asked:
        early_config.pluginmanager.import_plugin("plumbline.conformance.plugin")
    yield  # a conftest adds its own
    unknown = parser.parse_known_and_unknown_args(args)[1] if asked else []
    if unknown:
        from plumbline.oracle.did_you_mean import near
        from plumbline.trial.run.options import RunOptions, flag

        word = unknown[0].partition("=")[0]
        close = near(word, map(flag, RunOptions.model_fields))
        raise pytest.UsageError(f"no such option: {word}" + (f"; did you mean {close[0]}?" if close else ""))
