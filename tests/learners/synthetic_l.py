"""Accuracy of the one rule on Synthetic-L over random 80/20 splits: `python -m tests.learners.synthetic_l [splits] [releases]`."""

import sys

import numpy as np

import dpcore as dp
from dpcore.data.samples.published import synthetic_l
from dpcore.exhibits import training

TARGETS = {0.1: 93.5, 1.0: 95.0, 8.0: 95.2}


def accuracy(epsilon: float, splits: int, releases: int, seed: int = 0) -> np.ndarray:
    """Test accuracy in per cent, array (splits, releases), each a release of its own under (ε, 1e-5)."""
    data, learner = synthetic_l(), dp.AMP("logistic", epsilon=epsilon, delta=1e-5)
    found = np.empty((splits, releases))
    for repeat in range(splits):
        parts = training.split(data, 0.2, repeat, seed)
        for release in range(releases):
            theta = learner.fit(parts.train, np.random.default_rng([seed, repeat, release])).theta
            found[repeat, release] = 100 * np.mean((parts.X_test @ theta > 0) == (parts.y_test > 0))
    return found


def main(splits: int = 50, releases: int = 5) -> int:
    failed = False
    for epsilon, target in TARGETS.items():
        each = accuracy(epsilon, splits, releases)
        error = each.mean(axis=1).std(ddof=1) / np.sqrt(splits)
        by_release = ", ".join(f"{value:.2f}" for value in each.mean(axis=0))
        print(
            f"ε = {epsilon:g}: {each.mean():.3f} ± {error:.3f} % (target {target}); each series of releases: {by_release}"
        )
        failed |= each.mean() < target
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
