"""All attacks."""

from __future__ import annotations

from tests.hostile import (
    attacks_cases,
    attacks_fresh,
    attacks_fresh_cases,
    attacks_fresh_models,
    attacks_fresh_options,
    attacks_fresh_surroundings,
    attacks_models,
    attacks_specifications,
    attacks_surroundings,
)
from tests.hostile.door import Attack

ATTACKS: list[Attack] = [*attacks_cases.ATTACKS, *attacks_specifications.ATTACKS, *attacks_models.ATTACKS,
                         *attacks_surroundings.ATTACKS, *attacks_fresh.ATTACKS, *attacks_fresh_cases.ATTACKS,
                         *attacks_fresh_models.ATTACKS, *attacks_fresh_options.ATTACKS,
                         *attacks_fresh_surroundings.ATTACKS]
