"""Random comparison of the tight profile with the unstructured search and with the theorem in 20-digit arithmetic.

Run as ``python -m tests.mechanisms.objective_perturbation.sweep [settings]``: a few seconds per setting.
"""

from __future__ import annotations

import sys

import mpmath as mp
import numpy as np

from dpcore.mechanisms.objective_perturbation.tight import log_tight
from tests.mechanisms.objective_perturbation.tight_oracles import Theorem, dynamic_program


def extreme(rng: np.random.Generator) -> tuple[float, float, float, bool]:
    """Δ from 1e-4 to 10, κ from 1e-6 to 100, ε from 0 to 50 or close to log(1+κ), log δ down to −2000."""
    while True:
        shift, kappa, monotone = 10 ** rng.uniform(-4, 1), 10 ** rng.uniform(-6, 2), bool(rng.random() < 0.7)
        jump = np.log1p(kappa)
        near = jump * (1 + 10 ** rng.uniform(-8, 0))
        epsilon = float(rng.choice([0.0, jump * rng.uniform(), near, rng.uniform(0, 50)]))
        if log_tight(epsilon, shift, kappa, "remove", monotone) > -2000:
            return shift, kappa, epsilon, monotone


def main(settings: int = 40, seed: int = 0) -> int:
    rng = np.random.default_rng(seed)
    failures, worst_search, worst_theorem = 0, 0.0, 0.0
    for _ in range(settings):
        shift, kappa = np.exp(rng.uniform(np.log(0.25), np.log(3))), np.exp(rng.uniform(np.log(0.1), np.log(6)))
        epsilon = rng.uniform(0, 1.5 * (np.log1p(kappa) + shift))
        for direction in ("add", "remove"):
            for monotone in (True, False):
                claimed = float(np.exp(log_tight(epsilon, shift, kappa, direction, monotone)))
                gap = dynamic_program(epsilon, shift, kappa, direction, monotone) / claimed - 1
                worst_search = max(worst_search, abs(gap))
                if not -1e-4 < gap < 1e-5:
                    failures += 1
                    print(f"search: Δ={shift:.6g} κ={kappa:.6g} ε={epsilon:.6g} {direction} {monotone}: {gap:.2e}")
        shift, kappa, epsilon, monotone = extreme(rng)
        exact = Theorem(epsilon, shift, kappa, monotone).log_value()
        excess = float(mp.expm1(float(log_tight(epsilon, shift, kappa, "remove", monotone)) - exact))
        worst_theorem = max(worst_theorem, excess)
        if not 0 < excess < 1e-9:
            failures += 1
            print(f"theorem: Δ={shift:.6g} κ={kappa:.6g} ε={epsilon:.6g}: {excess:.2e}")
    print(
        f"{settings} settings, {failures} failures; search within {worst_search:.1e}, theorem within {worst_theorem:.1e}"
    )
    return failures


if __name__ == "__main__":
    sys.exit(bool(main(*(int(value) for value in sys.argv[1:]))))
