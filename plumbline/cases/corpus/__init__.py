"""The corpus: cases frozen as files that need no Python, with every value that conforms."""
