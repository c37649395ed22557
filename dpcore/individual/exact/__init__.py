"""The laws of a release of any smooth model with and without one row, along that row, by expansion and exactly."""
