"""Records: the typed lines of a run, read and written."""
