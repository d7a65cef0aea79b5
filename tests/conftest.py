"""The option `--sample` of the tests, and the marker of the checks that it applies to."""

from __future__ import annotations

import os

import pytest

from tests.sampling import VARIABLE, Sample, has_turn, sample


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--sample", metavar="HASH[/N]|all", help="what to take of the slow checks (tests/sampling.py)")


def pytest_configure(config: pytest.Config) -> None:
    """Pass the option on to the tests, and to the processes that they start."""
    config.addinivalue_line("markers", "gate(one_in=N): a slow check, of which `make test` runs a sample (with N, this "
                                       "test in one of N commits) and `make gates` all")
    text = config.getoption("--sample")
    if text is not None:
        try:
            os.environ[VARIABLE] = Sample.parse(text).text
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        sample.cache_clear()


def pytest_report_header() -> str:
    """Name the sample, so that a failure can be run again."""
    return f"sample: {sample().text} (to run it again: --sample {sample().text})"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `gate(one_in=N)` whose turn it is not, and have pytest count them."""
    if any("::" in argument for argument in config.args):
        return
    resting = [item for item in items if (mark := item.get_closest_marker("gate")) and mark.kwargs
               and not has_turn(item.nodeid, mark.kwargs["one_in"])]
    if resting:
        left = set(map(id, resting))
        items[:] = [item for item in items if id(item) not in left]
        config.hook.pytest_deselected(items=resting)
