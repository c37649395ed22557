"""One data set, one (C, σ, λ), a hundred noise draws: how much the release and its accuracy depend on chance."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import excess_risk, excess_risk_glm
from dpcore.data import Dataset
from dpcore.exhibits.training.splits import scores, split
from dpcore.glm import Problem, solve, solve_batch
from dpcore.learners import NonPrivate, ObjectivePerturbationLearner, Plan, PublicFacts

_TOLERANCE = 1e-3  # tolerance of the gradient norm relative to σ; the error is far below the effect of the noise


@dataclass(frozen=True, eq=False)
class LiveResult:
    """A hundred releases from the same training rows. It is computed from the data and is not private.

    Parameters
    ----------
    plan : guarantee and parameters of one release
    scores : test score of each draw, by name; arrays (draws,)
    without_noise : test scores at the same C and λ, without noise
    non_private : test scores of the fit without privacy
    theta : array (draws, n_features)
    centre : array (n_features,), the minimiser without noise
    names : columns of X
    excess : array (draws,), Σ f_C at the draw minus Σ f_C at `centre`, per record
    predicted_excess : the bound on the mean of `excess`, per record
    noise_excess : array (draws,), the part of the regularised objective above its minimum, per record
    predicted_noise_excess : the bound on the mean of `noise_excess` from the curvature at `centre`, per record
    """

    plan: Plan
    scores: Mapping[str, np.ndarray]
    without_noise: Mapping[str, float]
    non_private: Mapping[str, float]
    theta: np.ndarray
    centre: np.ndarray
    names: tuple[str, ...]
    excess: np.ndarray
    predicted_excess: float
    noise_excess: np.ndarray
    predicted_noise_excess: float


def live(
    dataset: Dataset,
    learner: ObjectivePerturbationLearner,
    *,
    draws: int = 100,
    repeat: int = 0,
    seed: int = 0,
    rows: int | None = None,
    names: Collection[str] | None = None,
) -> LiveResult:
    r"""Distribution of test scores, coefficients and excess risk over noise draws on one split.

    The bounds that are compared with the measured excess are

    .. math:: \frac{dσ²}{2λ} + \fracλ2‖θ^*‖² + nC(τ/λ + σ_\text{out}\sqrt d), \qquad \tfrac12σ²\,\text{tr}(∇²J^{-1})

    The second one uses the curvature at the centre, so it is an approximation if the curvature varies.

    Parameters
    ----------
    dataset : Dataset with a public domain
    learner : `AMP` or `ObjectivePerturbationLearner`
    draws : number of releases ≥ 1
    repeat, seed, rows : as for `split`
    names : names of the scores wanted; by default all

    Raises
    ------
    ParameterError, DataError, CalibrationError, ConvergenceError

    References: redberg-koskela-wang-2023 (Theorem H.1, Appendix H.2).
    """
    draws = validation.at_least_one("draws", draws)
    parts = split(dataset, repeat=repeat, seed=seed, rows=rows)
    facts = PublicFacts.of(parts.train)
    plan = learner.plan(facts)
    chosen = plan.parameters
    rng = np.random.default_rng([seed, repeat, 1])
    problem = learner.problem(parts.train, plan)
    batch = solve_batch(
        problem, chosen["sigma"] * rng.standard_normal((draws, facts.n_features)), _TOLERANCE * chosen["sigma"]
    )
    theta = batch.theta + chosen.get("sigma_out", 0.0) * rng.standard_normal(batch.theta.shape)
    centre = batch.centre.theta
    free = non_private_theta(learner.loss, parts.train)
    total, penalised = _values(problem, np.vstack([theta, centre]))
    n, hessian = facts.n_samples, problem.hessian(centre)
    predicted = excess_risk(
        chosen["sigma"], chosen["lam"], dimension=facts.n_features, theta_norm=max(float(np.linalg.norm(centre)), 1e-300),
        n=n, lipschitz=chosen["clip"], tau=chosen["tau"] if "sigma_out" in chosen else 0.0,
        sigma_out=chosen.get("sigma_out", 0.0),
    )  # fmt: skip
    spectrum = np.maximum(np.linalg.eigvalsh(hessian) - chosen["lam"], 0.0)

    def measured(thetas: np.ndarray) -> dict[str, np.ndarray]:
        return scores(learner.loss, thetas, parts.X_test, parts.y_test, names)

    return LiveResult(
        plan=plan,
        scores=measured(theta),
        without_noise=_one(measured(centre)),
        non_private=_one(measured(free)),
        theta=theta,
        centre=centre,
        names=dataset.names,
        excess=(total[:-1] - total[-1]) / n,
        predicted_excess=float(predicted) / n,
        noise_excess=(penalised[:-1] - penalised[-1]) / n,
        predicted_noise_excess=excess_risk_glm(chosen["sigma"], chosen["lam"], spectrum, 1.0) / n,
    )


def non_private_theta(loss: object, train: Dataset) -> np.ndarray:
    """The fit without privacy, shape (n_features,)."""
    baseline = NonPrivate(loss)
    tol = 1e-6 * max(1.0, train.n_samples * float(np.abs(train.y).max()))
    return solve(Problem(baseline.loss, train.X, train.y, lam=baseline.lam), tol).theta


def _values(problem: Problem, thetas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ f_C and the regularised objective at each row of thetas."""
    penalty = 0.5 * (thetas**2 @ problem.penalty)
    total = problem.replace(lam=0.0, linear=None).values(thetas)
    return total, total + penalty


def _one(found: Mapping[str, np.ndarray]) -> dict[str, float]:
    return {name: float(values[0]) for name, values in found.items()}
