"""`python -m tests.sampling.sweep`: all twenty targets with twenty times as many draws, both distances in units of their noise."""

from __future__ import annotations

import math

import numpy as np

from dpcore.sampling import certified_steps, proximal_sampler
from tests.sampling.targets import LINES, PLANES
from tests.sampling.test_samplers import distances, line_truth, marginal_truth, w1_error

CHAINS, MOST_STEPS = 20_000, 800


def run() -> list[tuple[str, float, float]]:
    """Name, √n·KS and W1 divided by its expected sampling error, of every target and coordinate."""
    rows = []
    for case in (*LINES, *PLANES):
        steps = min(certified_steps(case.target, 1e-4), MOST_STEPS)
        draws = proximal_sampler(case.target, chains=CHAINS, steps=steps, rng=np.random.default_rng(1)).last
        for axis in range(case.target.dimension):
            truth = line_truth(case) if case.target.dimension == 1 else marginal_truth(case, axis)
            ks, w1 = distances(draws[:, axis], *truth)
            rows.append((f"{case.name}, x{axis + 1}", math.sqrt(CHAINS) * ks, w1 / w1_error(*truth, CHAINS)))
    return rows


if __name__ == "__main__":
    for name, ks, w1 in run():
        print(f"{name:45s} √n·KS {ks:5.2f}   W1 ÷ its noise {w1:5.2f}")
