"""`python -m tests.audit.sweep [REPEATS]`: false alarms of every learner, and refutations of every broken one, over many seeds."""

import sys
import time

import numpy as np

from dpcore.audit import Claim, judge, learner_game
from dpcore.audit.attacks import available
from dpcore.learners import LEARNERS
from tests.audit.test_self_audit import BROKEN, learner, one_record

RUNS_CORRECT, ALPHA = 100, 0.05
RUNS_BROKEN = {  # enough that each p-value falls far below α: objective noise hides in one number, a missing clip does not
    "half the noise, objective": 1000,
    "half the noise, output": 300,
    "too small λ, output": 300,
    "too small λ, objective": 1000,
    "unclipped, objective": 100,
    "unclipped, output": 100,
}


def refuted(game, runs: int, repeats: int, attack: str) -> int:
    """How many of the repetitions refute the claim at level ALPHA."""
    claim = Claim.of(game.claim)
    count = 0
    for seed in range(repeats):
        outputs = [game.play(present, runs, np.random.default_rng([seed, present])) for present in (False, True)]
        count += judge(game, *outputs, attack, alpha=ALPHA, claim=claim).refuted
    return count


def main(repeats: int) -> int:
    """Print one line per learner; 1 if a correct one is refuted too often or a broken one ever survives."""
    failed = 0
    for key in LEARNERS:
        game = learner_game(learner(key), one_record(), 0)
        started = time.perf_counter()
        count = refuted(game, RUNS_CORRECT, repeats, available(game)[0])
        failed += count > ALPHA * repeats
        print(
            f"correct  {key:26s} refuted {count:3d} of {repeats}  ({time.perf_counter() - started:.0f} s)", flush=True
        )
    for name, (kind, target, options) in BROKEN.items():
        game = learner_game(kind("squared", **options), one_record(target), 0)
        started = time.perf_counter()
        count = refuted(game, RUNS_BROKEN[name], repeats, "likelihood_ratio")
        failed += count < repeats
        print(
            f"broken   {name:26s} refuted {count:3d} of {repeats}  ({time.perf_counter() - started:.0f} s)", flush=True
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
