"""The source's simulations at a chosen size, with a verdict on each statement.

Run `python -m tests.exhibits.noise_augmentation.reproduce`.
"""

import argparse
import time

import numpy as np

from dpcore.exhibits.noise_augmentation.claims import simulation_claims, theory_claims
from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from dpcore.exhibits.noise_augmentation.simulation import Simulation, summarise_simulation

WORDS = {True: "holds", False: "FAILS", None: "open"}


def main() -> None:
    """Print one line per statement and setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--strengths", type=int, default=10)
    parser.add_argument("--delta", type=float, default=1e-4, help="0 for spherical Laplace noise")
    parser.add_argument("--printed", action="store_true", help="weights of Table 2 as printed")
    chosen = parser.parse_args()
    for claim in theory_claims():
        print(f"{WORDS[claim.holds]:6} {claim.where:16} {claim.text}: {claim.evidence}")
    for name, setting in SETTINGS.items():
        strengths = tuple(float(x) for x in np.geomspace(*setting.strengths, chosen.strengths))
        for n in setting.sizes:
            study = Simulation(name, n, (0.4, 1.0), strengths, chosen.repeats, chosen.delta, chosen.printed)
            started, points = time.perf_counter(), {}
            for point in study.run(points):
                points[point.key] = point
            summary = summarise_simulation(study, points)
            seconds = (time.perf_counter() - started) / len(points)
            print(f"\n{name}, n = {n}: {len(points)} data sets, {seconds:.3f} s each, {summary.failed} fits failed")
            for claim in simulation_claims(summary):
                print(f"{WORDS[claim.holds]:6} {claim.where:10} {claim.text}: {claim.evidence}")


if __name__ == "__main__":
    main()
