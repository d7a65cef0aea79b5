"""Makers of calls: seeded, boundary, exhaustive, special values."""
