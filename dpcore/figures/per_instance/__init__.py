"""Per-instance privacy in pictures."""
