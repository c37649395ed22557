"""The membership game: what an attacker is told, and who plays it on a mechanism, a learner, or one row of the data."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.audit.ridge_law import RidgeLaw
from dpcore.data import Dataset
from dpcore.errors import ConvergenceError, DataError, UnsupportedError
from dpcore.glm.losses import find
from dpcore.individual import IndividualPrivacy
from dpcore.learners import Learner, Plan, PublicFacts
from dpcore.learners.laws import OutputLaw
from dpcore.mechanisms.pairs import Densities, Pair, Sampler, Score
from dpcore.profiles import PrivacyProfile

_RATIO_DIGITS = 9  # decimals to which log ratios are rounded; `Game.score_by` says why


@dataclass(frozen=True)
class Game:
    """A pair of laws and the guarantee claimed for them.

    Parameters
    ----------
    name : what is attacked
    pair : Pair
    claim : PrivacyProfile
    note : one sentence on what the two data sets are
    """

    name: str
    pair: Pair
    claim: PrivacyProfile
    note: str = field(default="", compare=False)

    def play(self, present: bool, count: int, rng: np.random.Generator) -> np.ndarray:
        """Outputs of `count` runs, shape (count, d).

        Raises
        ------
        ConvergenceError
            If an output is not finite: nothing may be released then, so nothing is attacked.
        """
        count = validation.at_least_one("count", count)
        outputs = np.asarray((self.pair.present if present else self.pair.absent)(count, rng), dtype=float)
        outputs = outputs.reshape(count, -1)
        if not np.isfinite(outputs).all():
            raise ConvergenceError("a run gave an output that is not finite: the game cannot be scored")
        return outputs

    def score_by(self, kind: str) -> Score:
        """The score of an attacker that needs no training: "likelihood_ratio" or "threshold".

        Log ratios are rounded to 1e-9: beyond that they show the last bits of floating-point sums, which tell shifted samples
        from unshifted ones where the real numbers behind them do not (Laplace noise has long stretches of equal ratios).

        Raises
        ------
        UnsupportedError
            If the densities, or a statistic, are not known.
        """
        validation.choice("kind", kind, ("likelihood_ratio", "threshold"))
        found = self.pair.log_ratio if kind == "likelihood_ratio" else self.pair.statistic
        if found is None:
            raise UnsupportedError(
                f"{self.name} has no {kind.replace('_', ' ')} attack: its output density is not known; train a classifier"
                if kind == "likelihood_ratio"
                else f"{self.name} names no statistic to threshold: use the likelihood ratio or a classifier"
            )
        return found if kind == "threshold" else lambda outputs: np.round(found(outputs), _RATIO_DIGITS)


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


def learner_game(learner: Learner, dataset: Dataset, row: int, noise_share: float = 1.0) -> Game:
    """The membership game of one row: is it in the training data?

    Both data sets are fitted under one plan, made from the public facts of the larger one.

    Parameters
    ----------
    learner : Learner
    dataset : Dataset with a public domain
    row : index of the record to look for
    noise_share : the run uses this share of all planned noise, which the claim does not know; 1 for an honest run

    Raises
    ------
    DataError
        If the row does not exist, or is all zeros and so cannot be found by anybody.
    """
    plan = learner.plan(PublicFacts.of(dataset))
    plan = plan.with_noise(validation.positive("noise_share", noise_share))
    absent = empty_row(dataset, row)
    if not np.any(dataset.X[row]):
        raise DataError(f"Row {dataset.row_labels[row]} is all zeros: no GLM can depend on it, choose another row.")
    laws = learner.law(absent, plan), learner.law(dataset, plan)
    pair = Pair(
        _runs(learner, absent, plan),
        _runs(learner, dataset, plan),
        _log_ratio(*laws),
        _own_loss(learner.loss, dataset.X[row], dataset.y[row : row + 1]),
        _densities(*laws),
    )
    return Game(learner.title, pair, plan.profile, "one row of the data, out and in")


def _runs(learner: Learner, dataset: Dataset, plan: Plan) -> Sampler:
    def sample(count: int, rng: np.random.Generator) -> np.ndarray:
        return np.stack([learner._release(dataset, plan, rng).theta for _ in range(count)])

    return sample


def _own_loss(loss: Any, x: np.ndarray, y: np.ndarray) -> Score:
    """Minus the record's own loss (squared residual where the learner names no loss)."""
    return lambda outputs: -(find("squared") if loss is None else loss).value(outputs @ x, y)


def _log_ratio(absent: OutputLaw | None, present: OutputLaw | None) -> Score | None:
    """log p_present − log p_absent where the output density is known."""
    if absent is None or present is None:
        return None
    return lambda outputs: present.log_density(outputs) - absent.log_density(outputs)


def _densities(*laws: OutputLaw | None) -> Densities | None:
    """Both densities, for one coefficient whose law is exact."""
    both = [law for law in laws if law is not None and law.exact and law.breaks]
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


def row_game(dataset: Dataset, result: IndividualPrivacy, row: int) -> Game:
    """Is this row in the data behind one released linear regression? The claim is the row's own exact profile.

    Parameters
    ----------
    dataset : the data set `result` was computed for
    result : exposures of its rows under a release
    row : index of the row

    Raises
    ------
    DataError
        If the row does not exist.
    """
    row, mechanism = checked_row(dataset, row), result.mechanism
    keep = np.arange(dataset.n_samples) != row
    gram = dataset.X.T @ dataset.X
    absent = RidgeLaw.of(mechanism, dataset.X[keep], dataset.y[keep], gram).density()
    present = RidgeLaw.of(mechanism, dataset.X, dataset.y, gram).density()
    x, y = dataset.X[row], dataset.y[row]
    pair = Pair(
        absent.sample,
        present.sample,
        lambda outputs: present.log_density(outputs) - absent.log_density(outputs),
        lambda outputs: -((y - outputs @ x) ** 2),
    )
    return Game(f"R{dataset.row_name(row)[1:]}", pair, result.profile(row), "one row of the data, out and in")


def mechanism_game(mechanism: PrivacyProfile, claim: PrivacyProfile | None = None, name: str = "") -> Game:
    """The membership game on the hardest pair of a mechanism; `mechanism.with_noise(share)` runs it with less noise.

    Parameters
    ----------
    mechanism : what is run
    claim : what is claimed of it; its own profile if not given
    name : what is attacked, in words

    Raises
    ------
    UnsupportedError
        If no hardest pair is known.
    """
    pair = mechanism.pair()
    return Game(name or type(mechanism).__name__, pair, claim or mechanism, pair.note)
