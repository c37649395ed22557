"""The membership game for private learners: the same plan run on a data set with and without one record."""

from __future__ import annotations

import numpy as np

from dpcore import validation
from dpcore.audit.game import Game
from dpcore.audit.gaussian_law import GaussianLaw
from dpcore.data import Dataset
from dpcore.errors import DataError
from dpcore.glm import Problem, solve
from dpcore.glm.losses.clipped import Clipped
from dpcore.learners import (
    AMP,
    Learner,
    ObjectivePerturbationLearner,
    OutputPerturbationLearner,
    Plan,
    PosteriorSamplingLearner,
    PublicFacts,
)
from dpcore.mechanisms.pairs import Densities, Pair, Sampler, Score
from dpcore.profiles import PrivacyProfile

_TAU = 1e-9
_NUMBERS = 2_000_000  # held at once while densities of many outputs are computed
_REACH = 12.0  # standard deviations of the noise covered by quadrature


def without_row(dataset: Dataset, row: int) -> Dataset:
    """The data set with one row's X set to zero, which removes it from any GLM and keeps the number of rows.

    A record with x = 0 has no gradient and no curvature: the minimiser is that of the other rows alone.
    """
    row = validation.integer("row", row, minimum=0)
    if row >= dataset.n_samples:
        raise DataError(f"There is no row at index {row}: the data set has {dataset.n_samples} rows.")
    X = dataset.X.copy()
    X[row] = 0.0
    return Dataset.from_arrays(X, dataset.y, dataset.names, target=dataset.target, domain=dataset.domain)


def learner_game(
    learner: Learner, dataset: Dataset, row: int, claim: PrivacyProfile | None = None, noise_share: float = 1.0
) -> Game:
    """The membership game of one row: is it in the training data?

    Both data sets are fitted under one plan, made from the public facts of the larger one.

    Parameters
    ----------
    learner : Learner
    dataset : Dataset with a public domain
    row : index of the record to look for
    claim : what is claimed; the learner's own profile if not given
    noise_share : the run uses this share of all planned noise, which the claim does not know; 1 for an honest run

    Raises
    ------
    DataError
        If the row does not exist, or is all zeros and so cannot be found by anybody.
    """
    plan = learner.plan(PublicFacts.of(dataset))
    claim = claim or plan.profile
    plan = plan.with_noise(validation.positive("noise_share", noise_share))
    absent = without_row(dataset, row)
    if not np.any(dataset.X[row]):
        raise DataError(f"Row {dataset.row_labels[row]} is all zeros: no GLM can depend on it, choose another row.")
    attack = _Attack(learner, plan, dataset, absent, row)
    pair = Pair(
        _runs(learner, absent, plan),
        _runs(learner, dataset, plan),
        attack.log_ratio(),
        attack.statistic,
        attack.densities(),
    )
    return Game(learner.title, pair, claim, "one row of the data, out and in")


def _runs(learner: Learner, dataset: Dataset, plan: Plan) -> Sampler:
    def sample(count: int, rng: np.random.Generator) -> np.ndarray:
        return np.stack([learner._release(dataset, plan, rng).theta for _ in range(count)])

    return sample


class _Attack:
    """What an attacker who knows everything but the one row can compute."""

    def __init__(self, learner: Learner, plan: Plan, dataset: Dataset, absent: Dataset, row: int) -> None:
        self.learner, self.plan, self.dataset, self.absent = learner, plan, dataset, absent
        self.x, self.y = dataset.X[row], dataset.y[row : row + 1]
        self.loss = getattr(learner, "loss", None)
        self.noise = plan.parameters

    def statistic(self, outputs: np.ndarray) -> np.ndarray:
        """Minus the record's own loss (squared residual where the learner names no loss)."""
        u = outputs @ self.x
        return -((self.y - u) ** 2) / 2 if self.loss is None else -self.loss.value(u, self.y)

    def log_ratio(self) -> Score | None:
        """log p_present − log p_absent where the output density is known."""
        if isinstance(self.learner, ObjectivePerturbationLearner):
            return lambda outputs: self._objective(outputs, self.dataset) - self._objective(outputs, self.absent)
        if not isinstance(self.learner, OutputPerturbationLearner | PosteriorSamplingLearner):
            return None
        absent, present = self._gaussian(self.absent), self._gaussian(self.dataset)
        return lambda outputs: present.log_density(outputs) - absent.log_density(outputs)

    def _gaussian(self, data: Dataset) -> GaussianLaw:
        """Law of a release that is Gaussian around its minimiser."""
        problem = Problem(self.loss or "squared", data.X, data.y, lam=self.noise["lam"], clip=self.noise.get("clip"))
        centre = solve(problem, _TAU * max(1.0, data.n_samples / 1e3)).theta
        if "sigma_out" in self.noise:
            precision = np.eye(len(centre)) / self.noise["sigma_out"] ** 2
        else:
            precision = self.noise["gamma"] * problem.hessian(centre)
        return GaussianLaw(centre, np.linalg.cholesky(precision))

    def _objective(self, outputs: np.ndarray, data: Dataset) -> np.ndarray:
        block = max(1, _NUMBERS // (data.n_samples * data.n_features))
        parts = [self._objective_block(outputs[at : at + block], data) for at in range(0, len(outputs), block)]
        return np.concatenate(parts)

    def _objective_block(self, outputs: np.ndarray, data: Dataset) -> np.ndarray:
        """log density of the exact minimiser: b = −∇J(θ) is N(0, σ²I) and |db/dθ| = det ∇²J(θ)."""
        loss = self._clipped(data)
        u, y = data.X @ outputs.T, data.y[:, None]
        lam, sigma = self.noise["lam"], self.noise["sigma"]
        b = loss.derivative(u, y).T @ data.X + lam * outputs
        curvature = loss.second_derivative(u, y)
        hessian = np.einsum("nk,ni,nj->kij", curvature, data.X, data.X, optimize=True)
        hessian[:, np.arange(data.n_features), np.arange(data.n_features)] += lam
        return np.linalg.slogdet(hessian)[1] - 0.5 * np.square(b / sigma).sum(axis=1)

    def _clipped(self, data: Dataset) -> Clipped:
        norms = np.linalg.norm(data.X, axis=1)[:, None]
        with np.errstate(divide="ignore"):
            return Clipped(self.loss, np.where(norms > 0, self.noise["clip"] / norms, np.inf))

    def densities(self) -> Densities | None:
        """Both densities, for one coefficient and an exact minimiser."""
        if self.dataset.n_features > 1 or isinstance(self.learner, AMP):
            return None
        both = self.absent, self.dataset
        if isinstance(self.learner, ObjectivePerturbationLearner):
            sigma = self.noise["sigma"]
            shift = -np.log(sigma) - 0.5 * np.log(2 * np.pi)
            reach = (_REACH * sigma + self.noise["clip"] * self.dataset.n_samples) / self.noise["lam"]
            laws = [_on_line(lambda outputs, data=data: shift + self._objective(outputs, data)) for data in both]
            return Densities(*laws, tuple(np.unique([-reach, *self._kinks(reach), reach])))
        if not isinstance(self.learner, OutputPerturbationLearner | PosteriorSamplingLearner):
            return None
        gaussians = [self._gaussian(data) for data in both]
        laws = [
            _on_line(lambda outputs, one=one: one.log_density(outputs) - 0.5 * np.log(2 * np.pi)) for one in gaussians
        ]
        ends = [float(one.centre[0] + side * _REACH / one.factor[0, 0]) for one in gaussians for side in (-1, 1)]
        return Densities(*laws, (min(ends), max(ends)))

    def _kinks(self, reach: float) -> np.ndarray:
        """θ at which some record's gradient starts to be clipped."""
        loss, x = self._clipped(self.dataset), self.dataset.X[:, 0]
        limit = loss.limit[:, 0]
        u = np.concatenate([loss.loss.predictor_at(side * limit, self.dataset.y) for side in (-1.0, 1.0)])
        with np.errstate(divide="ignore", invalid="ignore"):
            theta = u / np.concatenate([x, x])
        return theta[np.abs(theta) < reach]


def _on_line(law: Score) -> Score:
    """A log density of outputs (count, 1) as one of numbers of any shape."""

    def log_density(theta: np.ndarray) -> np.ndarray:
        theta = np.asarray(theta, dtype=float)
        return law(theta.reshape(-1, 1)).reshape(theta.shape)

    return log_density
