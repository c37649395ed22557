"""What the pages of per-instance privacy simulate and sweep."""
