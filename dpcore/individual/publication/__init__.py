"""What may be published about the exposure of all rows: a differentially private release of its distribution."""
