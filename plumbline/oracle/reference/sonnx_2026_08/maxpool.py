"""SONNX MaxPool of August 2026 transcribed: the formulas are the draft's as read; of NaN one choice."""

from plumbline.oracle.reference.sonnx.maxpool import expected

__all__ = ["expected"]
