"""Tools on findings: bisection, minimisation, promotion, the matrix."""
