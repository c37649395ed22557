"""What choosing the learning rate of DP-SGD honestly costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accountants import compose
from dpcore.learners import DPSGD, PublicFacts
from dpcore.learners.dp_sgd import training_profile


@dataclass(frozen=True)
class TuningCost:
    """One training run against the best of a random number of them, at the same (ε, δ).

    Parameters
    ----------
    mean_runs : mean number of learning rates tried
    noise_one_run, noise_honest : noise multipliers that meet the target without and with tuning
    epsilon_one_run : what a single run with the honest noise would cost, at the same δ
    epsilon_all_runs : what a grid of `candidates` runs with the noise of one run costs if all count
    """

    mean_runs: float
    noise_one_run: float
    noise_honest: float
    epsilon_one_run: float
    epsilon_all_runs: float


def tuning_cost(learner: DPSGD, facts: PublicFacts) -> TuningCost:
    """The cost of honest tuning for the steps, batch, candidates and target of a learner; Rényi divergences throughout.

    Parameters
    ----------
    learner : DPSGD; its tuning and accountant are replaced
    facts : PublicFacts

    Raises
    ------
    CalibrationError

    References: papernot-steinke-2022.
    """
    single = replace(learner, tuning="none", accountant="renyi").plan(facts)
    honest = replace(learner, tuning="honest").plan(facts).parameters
    rate, steps = honest["sampling_rate"], honest["steps"]
    quiet = training_profile(honest["noise_multiplier"], rate, steps, 0.0, 0.0, "renyi")
    every = compose([(single.profile, learner.candidates)], "renyi").upper
    return TuningCost(
        mean_runs=honest["mean_runs"],
        noise_one_run=single.parameters["noise_multiplier"],
        noise_honest=honest["noise_multiplier"],
        epsilon_one_run=float(quiet.epsilon(learner.delta)),
        epsilon_all_runs=float(every.epsilon(learner.delta)),
    )
