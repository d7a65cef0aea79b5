"""Compute the evidence for the erratum of SONNX Pad, which decides no result."""

from __future__ import annotations

from plumbline.oracle.operator import evidence


@evidence("signature.E1")
def inputs_of_a_convolution() -> str:
    """Return evidence: names in the formula, and those in the list under it."""
    formula, listed = ("data", "pads", "mode", "constant_value", "output"), ("data", "W", "B", "Y")
    both = [name for name in listed if name in formula]
    assert both == ["data"]
    return f"of {len(formula)} names of the formula the list has {both[0]} alone, and {', '.join(listed[1:])} besides"
