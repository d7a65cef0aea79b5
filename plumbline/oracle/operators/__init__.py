"""The definition of each operator, FAMILY/OPERATOR.py: what it means and how it is tried."""
