"""Speed as ratios against named peers, measured in one run: `python -m benchmarks [name …]`."""
