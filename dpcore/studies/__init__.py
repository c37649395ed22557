"""What a page simulates, sweeps or compares: one module or folder a page."""
