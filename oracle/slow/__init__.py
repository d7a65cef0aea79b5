"""The formulas of the texts by the letter: plain loops and exact arithmetic, one element after another."""
