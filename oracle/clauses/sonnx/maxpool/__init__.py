"""SONNX MaxPool: the clauses of `spec/sonnx/maxpool.md`, bound to predicates."""

from plumbline.oracle.clauses.sonnx.maxpool import call, errata, outputs  # noqa: F401  (each binds its clauses)
from plumbline.oracle.clauses.sonnx.maxpool.bindings import bindings

__all__ = ["bindings"]
