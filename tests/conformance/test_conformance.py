"""Each case in each form conforms to its specification, or does what is known of the backend."""

import pytest

from tests.conformance.trials import Item, Trials


def test_conformance(item: Item, trials: Trials) -> None:
    """The verdict accuses nobody, or it is known."""
    result = trials.put(item)
    fault = trials.fault(item, result)
    if fault is not None:
        pytest.fail(fault, pytrace=False)
    if result.accuses:
        pytest.xfail(f"known: {result.known.id}" if result.known else "news: no one has tried this version yet")
