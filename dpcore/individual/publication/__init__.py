"""What may be said in public about the exposure of all rows: a differentially private release of its distribution."""
