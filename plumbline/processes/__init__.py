"""Processes that the suite starts: copies of itself, workers, and programs, each of which ends when its owner does."""
