"""Documents made from cases: examples and issues of specifications."""
