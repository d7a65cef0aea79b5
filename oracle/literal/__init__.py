"""The slow oracles: formulas transcribed literally, with plain loops over Python numbers.

They share nothing with the fast ones but the call, so that a mistake in either shows as a disagreement.
"""

from __future__ import annotations

import importlib

import numpy as np

from oracle.call import Call


def literal_expected(specification: str, call: Call) -> dict[str, np.ndarray]:
    """All outputs of a call inside the domain, by the slow method; where the text leaves an element open, one choice.

    specification: a name that `load_spec` takes."""
    name, at, version = specification.partition("@")
    module = importlib.import_module("oracle.literal." + name.replace(".", "_").replace("/", "."))
    return module.expected(call, int(version)) if at else module.expected(call)
