"""Code that the definitions of several operators share."""
