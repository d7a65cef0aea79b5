"""Each case in each form conforms to its specification, or fails as its known divergences say."""

import pytest

from plumbline.conformance_plugin import stop
from plumbline.trial.run import Item, RunError, Trials


def test_conformance(item: Item, trials: Trials, request: pytest.FixtureRequest) -> None:
    """The verdict accuses nobody, or it is known."""
    try:
        result = trials.put(item)
    except RunError as error:
        stop(error)
    request.node.user_properties += trials.properties(result)
    fault = trials.fault(item, result)
    if fault is not None:
        pytest.fail(fault, pytrace=False)
    if result.accuses:
        pytest.xfail(f"known: {result.known.id}" if result.known else "no baseline for this version yet")
