"""Faults of convolutions that show only in a context: in several threads, with open sizes, with constants, between
nodes that are merged with the node."""

from __future__ import annotations


# Threads and sizes


# Constants


# Nodes beside it
