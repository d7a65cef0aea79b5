"""Reference oracle of SONNX MaxPool of August 2026: the draft's formulas; of NaN one choice."""

from plumbline.oracle.reference.sonnx.maxpool import expected

__all__ = ["expected"]
