"""SONNX MaxPool of March 2026 transcribed: the formulas are the draft's; of equal maxima, and of NaN, one choice."""

from plumbline.oracle.reference.sonnx.maxpool import expected

__all__ = ["expected"]
