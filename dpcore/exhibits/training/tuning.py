"""The cost of tuning the learning rate of DP-SGD honestly, and what reporting the best of a grid adds to a score."""

from dataclasses import dataclass, replace

import numpy as np

from dpcore.accountants import compose
from dpcore.data import Dataset
from dpcore.exhibits.training.noise_draws import live
from dpcore.learners import DPSGD, ObjectivePerturbationLearner, PublicFacts
from dpcore.learners.dp_sgd import training_profile


@dataclass(frozen=True)
class TuningCost:
    """One training run compared with the best of a random number of runs, at the same (ε, δ).

    Parameters
    ----------
    mean_runs : mean number of learning rates tried
    noise_one_run, noise_honest : noise multipliers that meet the target without and with tuning
    epsilon_one_run : ε of a single run with the honest noise, at the same δ
    epsilon_all_runs : ε of `candidates` runs with the noise of one run, if all of them count
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


@dataclass(frozen=True)
class BestOfGrid:
    """The same release repeated: its accuracy, and the accuracy reported if the best of a grid without effect is taken.

    Parameters
    ----------
    mean, deviation : mean and standard deviation over all trials and candidates
    best_average : the largest average over the trials of any candidate
    average_best : the average over the trials of the largest score among the candidates
    """

    mean: float
    deviation: float
    best_average: float
    average_best: float


def best_of_grid(
    dataset: Dataset, learner: ObjectivePerturbationLearner, *, trials: int = 10, candidates: int = 10
) -> BestOfGrid:
    """Accuracy of a release whose optimiser has a grid of learning rates, all of which end at the same gradient norm.

    A rate then changes nothing, so the candidates differ only in their noise draws. The result is computed from the
    data and is not private.

    Parameters
    ----------
    dataset : Dataset with a public domain and labels
    learner : `AMP` or `ObjectivePerturbationLearner`
    trials, candidates : random splits, and releases on each, ≥ 1

    Raises
    ------
    ParameterError, DataError, CalibrationError, ConvergenceError

    References: redberg-koskela-wang-2023 (Figure 2).
    """
    found = np.array(
        [live(dataset, learner, draws=candidates, repeat=trial).scores["accuracy"] for trial in range(trials)]
    )
    return BestOfGrid(
        mean=float(found.mean()),
        deviation=float(found.std()),
        best_average=float(found.mean(axis=0).max()),
        average_best=float(found.max(axis=1).mean()),
    )
