"""The membership game for private learners: the same plan run on a data set with and without one record."""

import numpy as np

from dpcore import validation
from dpcore.audit.game import Game
from dpcore.data import Dataset
from dpcore.errors import DataError
from dpcore.learners import Learner, Plan, PublicFacts
from dpcore.mechanisms.pairs import Densities, Pair, Sampler, Score
from dpcore.profiles import PrivacyProfile


def checked_row(dataset: Dataset, row: int) -> int:
    """The index of a row that exists.

    Raises
    ------
    DataError
    """
    row = validation.integer("row", row, minimum=0)
    if row >= dataset.n_samples:
        raise DataError(f"There is no row at index {row}: the data set has {dataset.n_samples} rows.")
    return row


def empty_row(dataset: Dataset, row: int) -> Dataset:
    """The data set with one row's X set to zero, which removes it from any GLM and keeps the number of rows.

    A record with x = 0 has no gradient and no curvature: the minimiser is that of the other rows alone.
    """
    X = dataset.X.copy()
    X[checked_row(dataset, row)] = 0.0
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
    absent = empty_row(dataset, row)
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
        self.loss, self.x, self.y = learner.loss, dataset.X[row], dataset.y[row : row + 1]
        self.absent, self.present = learner.law(absent, plan), learner.law(dataset, plan)

    def statistic(self, outputs: np.ndarray) -> np.ndarray:
        """Minus the record's own loss (squared residual where the learner names no loss)."""
        u = outputs @ self.x
        return -((self.y - u) ** 2) / 2 if self.loss is None else -self.loss.value(u, self.y)

    def log_ratio(self) -> Score | None:
        """log p_present − log p_absent where the output density is known."""
        absent, present = self.absent, self.present
        if absent is None or present is None:
            return None
        return lambda outputs: present.log_density(outputs) - absent.log_density(outputs)

    def densities(self) -> Densities | None:
        """Both densities, for one coefficient whose law is exact."""
        both = [law for law in (self.absent, self.present) if law is not None and law.exact and law.breaks]
        if len(both) < 2:
            return None
        breaks = tuple(np.unique([at for law in both for at in law.breaks]))
        return Densities(_on_line(both[0].log_density), _on_line(both[1].log_density), breaks)


def _on_line(law: Score) -> Score:
    """A log density of outputs (count, 1) as one of numbers of any shape."""

    def log_density(theta: np.ndarray) -> np.ndarray:
        theta = np.asarray(theta, dtype=float)
        return law(theta.reshape(-1, 1)).reshape(theta.shape)

    return log_density
