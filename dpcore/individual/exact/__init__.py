"""What one row means to a release of any smooth model: its laws along its own direction, by expansion and exactly."""
