"""The catalogue of mutants: one entry for each fault and each operator that has it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import ModuleType

from tests.power.implementation import Pooling
from tests.power.mutant import Fault
from tests.power.mutants import (
    attributes,
    automatic,
    blocks,
    borders,
    contexts,
    indices,
    kernels,
    limits,
    maxima,
    means,
    memory,
    modes,
    origins,
    paths,
    precision,
    refusals,
    sizes,
    storage,
    sums,
    tails,
    widths,
)

MODULES: tuple[ModuleType, ...] = (attributes, modes, sizes, automatic, origins, borders, memory, widths, maxima,
                                   precision, indices, storage, means, sums, refusals, limits, kernels,
                                   paths, blocks, tails, contexts)


@dataclass(frozen=True)
class Mutant:
    """A faulty implementation of one operator."""

    pooling: type[Pooling]
    fault: Fault
    operator: str

    @property
    def name(self) -> str:
        """``MaxPool PadsSymmetric``."""
        return f"{self.operator} {self.pooling.__name__}"

    @property
    def description(self) -> str:
        """The fault in a sentence."""
        return inspect.cleandoc(self.pooling.__doc__)


def faults() -> list[type[Pooling]]:
    """Every class with a fault, in the order of the modules."""
    return [found for module in MODULES for found in vars(module).values()
            if isinstance(found, type) and "faults" in vars(found)]


def catalogue() -> list[Mutant]:
    """Every mutant."""
    return [Mutant(pooling, fault, operator) for pooling in faults() for fault in pooling.faults
            for operator in fault.operators]
