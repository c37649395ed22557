"""Learners on random public facts and data of any scale: each states a guarantee that meets its target and releases, or refuses."""

from collections import Counter

import numpy as np
import pytest

import dpcore as dp

LOSSES = ("logistic", "squared", "poisson", "smoothed_hinge", "huber")


def _data(rng, loss):
    labels = loss in ("logistic", "smoothed_hinge")
    radius, bound = 10 ** rng.uniform(-3, 3), 1.0 if labels else 10 ** rng.uniform(-3, 3)
    n, d = int(10 ** rng.uniform(0, 3)), int(10 ** rng.uniform(0, 1.7))
    X = rng.standard_normal((n, d)) * radius * 10 ** rng.uniform(-2, 2) * (rng.random() > 0.1)
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True) / radius * (1 + 1e-12))
    y = {
        "logistic": rng.choice([-1.0, 1.0], n),
        "smoothed_hinge": np.ones(n),
        "poisson": np.floor(rng.random(n) * bound),
    }.get(loss, rng.uniform(-bound, bound, n))
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain(row_norm=radius, target_bound=bound))


def _learner(rng, name, loss, epsilon, delta):
    if name == "posterior_sampling":
        return dp.LEARNERS[name](epsilon, delta)
    options = {}
    if name in ("amp", "objective_perturbation"):
        options = {"rule": rng.choice(["best", "paper"]), "bound": rng.choice(["tight", "hockey_stick", "renyi"])}
    if name == "dp_sgd":
        options = {"epochs": 2, "batch": 10, "optimizer": rng.choice(["adam", "sgd"])}
    options = {key: str(value) if isinstance(value, np.str_) else value for key, value in options.items()}
    return dp.LEARNERS[name](loss, epsilon=epsilon, delta=delta, **options)


def run(cases: int, seed: int = 0) -> tuple[list[str], Counter]:
    """What went wrong, one sentence each, and how often each outcome came."""
    rng, wrong, outcomes = np.random.default_rng(seed), [], Counter()
    names = ("amp", "objective_perturbation", "output_perturbation", "posterior_sampling", "dp_sgd")
    for case in range(cases):
        name = names[case % len(names)]
        loss = "squared" if name == "posterior_sampling" else str(rng.choice(LOSSES))
        epsilon, delta = 10 ** rng.uniform(-3, 2), 10 ** rng.uniform(-15, -1)
        data = _data(rng, loss)
        what = f"case {case}: {name}, {loss}, ε = {epsilon:.4g}, δ = {delta:.3g}, {data.X.shape}, {data.domain}"
        try:
            learner = _learner(rng, name, loss, epsilon, delta)
            release = learner.fit(data, case)
        except dp.DPError as error:
            outcomes[name, type(error).__name__] += 1
            if isinstance(error, dp.ConvergenceError):
                wrong.append(f"{what}: {error}")
            continue
        outcomes[name, "released"] += 1
        if release.profile.delta(epsilon) > delta * (1 + 1e-9):
            wrong.append(f"{what}: states δ = {release.profile.delta(epsilon):.3g}")
    return wrong, outcomes


@pytest.mark.thorough
def test_every_learner_releases_what_it_states_or_refuses():
    wrong, outcomes = run(10, seed=3)
    assert wrong == []
    assert sum(count for (_, outcome), count in outcomes.items() if outcome == "released") >= 8
