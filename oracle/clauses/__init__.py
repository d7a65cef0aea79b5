"""Predicates, in the layout of `spec/`: the clauses of `spec/FAMILY/OPERATOR.md` are bound in `FAMILY/OPERATOR`."""
