"""Name the forms of a call: the outputs that are asked for."""

from __future__ import annotations

import zlib

from plumbline.cases import Case
from plumbline.oracle import Spec, load_spec

MANY = 3
"""Forms of a specification, from which on generated cases are put in two of them."""


def forms(spec: Spec) -> list[str]:
    """Return the forms of a specification by name: ``["Y", "Y+Indices"]``."""
    return ["+".join(outputs) for outputs in spec.forms]


def forms_of(case: Case) -> list[str]:
    """Return the forms that a case runs in.

    They are all forms; of a generated case with many, the last and one that its id decides."""
    every = forms(load_spec(case.spec))
    if len(every) < MANY or not case.generated:
        return every
    *others, last = every
    return [others[zlib.crc32(case.base_id.encode()) % len(others)], last]
