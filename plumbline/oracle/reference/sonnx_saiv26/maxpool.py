"""Reference oracle of SONNX MaxPool of March 2026: one choice of equal maxima, and of NaN."""

from plumbline.oracle.reference.sonnx.maxpool import expected

__all__ = ["expected"]
