"""Faults of convolutions that show only at numbers of channels, feature maps, batches and groups, as in kernels that
compute several of them at once."""

from __future__ import annotations


# Channels and feature maps that fill blocks


# Tails of many channels and feature maps


# Batches


# Groups
