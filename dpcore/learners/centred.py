"""Centred training: private means and a private radius first, then objective perturbation of what is left."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.accountants import compose
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data import Dataset, Domain
from dpcore.data.scaling import scale_rows
from dpcore.errors import CalibrationError
from dpcore.glm.losses import NUMERIC, find
from dpcore.learners import rules
from dpcore.learners.base import Learner, Plan, PublicFacts, Release
from dpcore.learners.objective_perturbation import AMP
from dpcore.mechanisms import Gaussian, Laplace
from dpcore.references import FormulaCard, formula_card

_SHARE = 0.1  # share of 1/σ² that the means get; doubled, they are sharper and the fit is 6 % noisier
_COARSE = 0.25  # error of a mean, relative to its bound, beyond which the means are of no use
_EXPECTED = 0.5, 0.25  # size of the centre and of the mean target before anything is known, relative to their bounds
_ROOM = 1.2  # the radius is this times the root mean square distance; doubled, few rows are cut and noise counts twice
# Value of the constant column inside rows of norm 1; doubled, 8 % of the signal are lost instead of 2 %.
_INTERCEPT = 0.2
# Shares of the ε that Gaussians would leave, tried for the fit in turn; twice as many, and a plan takes twice as long.
_REMAINS = (1.0, 0.998, 0.995, 0.99, 0.98, 0.95, 0.9, 0.8, 0.5)


@dataclass(frozen=True)
class Centred(Learner):
    r"""Releases m + θᵀ(x − c)/r, where c and m are noisy means, r a noisy radius, and θ is from `AMP`.

    .. math:: (c, m, q) = \tfrac1n \sum_i (x_i, y_i, \|x_i\|²) + \tfrac{s}{n} N(0, I), \quad r = 1.2 \sqrt{(q − \|c\|²)_+ + 2s/n}

    in units of the bounds on a record; the means shrink by what is noise in them, so that rows that are centred already
    lose little. A tenth of the budget pays for the means. Where they would be off by more than a quarter of
    their bound, a numeric target gets its private mean as a constant prediction, any other the release of `AMP`. That
    depends on public facts only.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta : target, nats and probability
    clip : C > 0, bound on the gradient norm of each record, for rows of norm 1; chosen from public facts if not given
    constant : in (0, 1), value of the last column relative to the row norm R, the same in every row; by default 1/√2, as
        `load_csv` adds it with ``intercept=True``

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023 (Algorithm 1).
    """

    loss: Any = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-5
    clip: float | None = None
    constant: float = math.sqrt(0.5)

    title: ClassVar[str] = "Centred approximate minima perturbation"
    card: ClassVar[FormulaCard] = formula_card(__file__, "centred")

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", find(self.loss))
        validation.set_checked(
            self, epsilon=validation.positive, delta=validation.open_probability, clip=rules.fixed_number,
            constant=validation.open_probability,
        )  # fmt: skip

    @property
    def _numeric(self) -> bool:
        return bool(self.loss.target == NUMERIC)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, noise of the means, and C, σ, λ and τ of the fit; see `Learner.plan`."""
        sensitivity = math.sqrt(2 + self._numeric)
        noise = sensitivity * gaussian_sigma(self.epsilon, self.delta, 1.0) / math.sqrt(_SHARE)
        if noise > _COARSE * facts.n_samples and self._numeric:
            bound = facts.domain.target_bound
            scale = bound / self.epsilon
            said = f"At this budget the fit would be noise: the release is the mean target ± {scale / facts.n_samples:.3g}."
            return Plan(Laplace(scale, bound), {"scale_sum": scale}, (said,), {"scale_sum": 1})
        if noise > _COARSE * facts.n_samples:
            return AMP(self.loss, self.epsilon, self.delta, self.clip).plan(facts)
        inner = PublicFacts(facts.n_samples, facts.n_features, Domain(target_bound=facts.domain.target_bound))
        return _planned(self, inner, noise, sensitivity)

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        chosen, domain, n = plan.parameters, PublicFacts.of(dataset).domain, dataset.n_samples
        last = self.constant * domain.row_norm
        theta = np.zeros(dataset.n_features)
        if "scale_sum" in chosen:
            scale = chosen["scale_sum"] / n
            kept = (_EXPECTED[1] * domain.target_bound) ** 2
            mean = dataset.y @ (dataset.X[:, -1] != 0) / n + rng.laplace(scale=scale)
            theta[-1] = mean * kept / (kept + 2 * scale**2) / last
            return Release(theta, plan.profile, chosen, plan.notes)
        fitted = AMP(self.loss, self.epsilon, self.delta)
        if "sigma_means" not in chosen:
            return fitted._release(dataset, plan, rng)
        reach, bound = domain.row_norm * math.sqrt(1 - self.constant**2), domain.target_bound
        there = dataset.X[:, -1] != 0  # a row of zeros stands for nobody
        X, y = dataset.X[there, :-1] / reach, dataset.y[there]
        scale_rows(X, Domain())
        square, target = np.einsum("ij,ij->i", X, X)[:, None], y[:, None] / bound
        values = np.hstack([X, square, target] if self._numeric else [X, square])
        error = chosen["sigma_means"] / n
        means = values.sum(axis=0) / n + error * rng.standard_normal(values.shape[1])
        centre, level, radius = _shrunk(means, X.shape[1], error)
        X = (X - centre) / radius
        scale_rows(X, Domain())
        inside = np.column_stack([X * math.sqrt(1 - _INTERCEPT**2), np.full(len(X), _INTERCEPT)])
        y = np.clip(y - level * bound, -bound, bound) if self._numeric else y
        found = fitted._release(Dataset.from_arrays(inside, y, domain=Domain(target_bound=bound)), plan, rng).theta
        theta[:-1] = found[:-1] * math.sqrt(1 - _INTERCEPT**2) / radius
        theta[-1] = (level * bound + found[-1] * _INTERCEPT - theta[:-1] @ centre) / last
        theta[:-1] /= reach
        return Release(theta, plan.profile, chosen, plan.notes)


def _shrunk(means: np.ndarray, columns: int, error: float) -> tuple[np.ndarray, float, float]:
    """Centre, mean target and radius from noisy means, all relative to their bounds.

    The centre shrinks by the positive part of James and Stein, and at least as its expected size says.
    """
    centre, variance = means[:columns], columns * error**2
    size, level = (expected**2 for expected in _EXPECTED)
    with np.errstate(divide="ignore"):
        centre = centre * min(max(0.0, 1 - variance / (centre @ centre)), size / (size + variance))
    spread = max(0.0, means[columns] - centre @ centre) + 2 * error
    target = sum(means[columns + 1 :]) * level / (level + error**2)
    return centre, float(np.clip(target, -1, 1)), min(1.0, _ROOM * math.sqrt(spread))


@lru_cache(maxsize=512)
def _planned(learner: Centred, facts: PublicFacts, noise: float, sensitivity: float) -> Plan:
    """The most accurate fit whose composition with the means meets the target."""
    means, gaussian = Gaussian(noise, sensitivity), gaussian_sigma(learner.epsilon, learner.delta, 1.0)
    left = float(Gaussian(gaussian / math.sqrt(1 - _SHARE)).epsilon(learner.delta))
    for share in _REMAINS:
        plan = AMP(learner.loss, share * left, learner.delta, learner.clip).plan(facts)
        whole = compose([(means, 1), (plan.profile, 1)]).upper
        if whole.delta(learner.epsilon) <= learner.delta:
            said = f"A tenth of the budget buys means with noise {noise / facts.n_samples:.3g} of their bounds."
            names = {"sigma_means": noise, **plan.parameters}
            return Plan(whole, names, (said, *plan.notes), {"sigma_means": 1, **plan.noise})
    raise CalibrationError("no share of the budget is enough for the fit: use a larger epsilon or delta")
