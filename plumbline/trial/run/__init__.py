"""Conformance runs: sessions, submissions, confirmation."""
