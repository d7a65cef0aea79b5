"""What the definitions of several operators share."""
