"""What the homes of several operators share."""
