"""Models on trial, node by node."""
