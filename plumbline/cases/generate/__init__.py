"""Generators of calls: seeded, boundary, exhaustive, special values."""
