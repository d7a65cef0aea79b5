"""All attacks."""

from __future__ import annotations

from tests.hostile import (
    attacks_cases,
    attacks_fresh,
    attacks_models,
    attacks_specifications,
    attacks_surroundings,
)
from tests.hostile.door import Attack

ATTACKS: list[Attack] = [*attacks_cases.ATTACKS, *attacks_specifications.ATTACKS, *attacks_models.ATTACKS,
                         *attacks_surroundings.ATTACKS, *attacks_fresh.ATTACKS]
