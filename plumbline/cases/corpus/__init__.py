"""The corpus: cases as files that need no Python, with every conforming value."""
