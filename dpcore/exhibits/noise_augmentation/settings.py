"""The source's simulation settings (Table 4), and the common form of a simulated and of an uploaded data set."""

from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.errors import DataError
from dpcore.glm import Problem
from dpcore.glm.losses import BINARY, Loss, find
from dpcore.learners import rules
from dpcore.learners.base import PublicFacts
from dpcore.learners.napp.noise import GaussianNoise, Noise, SphericalLaplace, printed_sigma

N_COLUMNS, N_NONZERO = 16, 8
SHARE = 0.5  # r, as in all of the source's experiments


@dataclass(frozen=True)
class Setting:
    """One column of Table 4, with the constants the source leaves open.

    Parameters
    ----------
    title : name of the model
    loss : name of the loss
    reach : the columns are uniform on ±reach
    largest, smallest : ends of the eight nonzero coefficients
    sizes : n
    strengths : ends of the range of Λ worth looking at
    lipschitz : ζ, bound on the gradient of one record, enforced by clipping where the loss has none (our choice)
    target_bound : bound on |y| (our choice)
    """

    title: str
    loss: str
    reach: float
    largest: float
    smallest: float
    sizes: tuple[int, ...]
    strengths: tuple[float, float]
    lipschitz: float
    target_bound: float

    @property
    def theta(self) -> np.ndarray:
        """True coefficients, shape (16,)."""
        return np.concatenate([np.linspace(self.largest, self.smallest, N_NONZERO), np.zeros(N_COLUMNS - N_NONZERO)])


SETTINGS = {
    "linear": Setting("linear", "squared", 0.25, 1.0, 0.2, (200, 500), (0.1, 100.0), 1.0, 2.0),
    "logistic": Setting("logistic", "logistic", 0.5, 4.0, 3.5, (500, 1000), (0.3, 200.0), 2.0, 1.0),
    "poisson": Setting("Poisson", "poisson", 0.25, 4.0, 3.5, (500, 1000), (1.0, 500.0), 3.0, 20.0),
}


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """Data and the public constants of one record.

    Parameters
    ----------
    key : identifies the data
    loss : Loss
    X, y : arrays
    lipschitz, smoothness : ζ and ζ₃
    clip : C, or None if the gradient of the loss is bounded already
    domain : public bounds of one record
    truth : true coefficients, if they are known
    """

    key: str
    loss: Loss
    X: np.ndarray
    y: np.ndarray
    lipschitz: float
    smoothness: float
    clip: float | None
    domain: Domain
    truth: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"Case({self.key})"

    @property
    def facts(self) -> PublicFacts:
        """The public facts that a learner may use for planning."""
        return PublicFacts(len(self.X), self.X.shape[1], self.domain)

    @property
    def problem(self) -> Problem:
        """Σ f_C, without penalty and noise."""
        return Problem(self.loss, self.X, self.y, lam=0.0, clip=self.clip)

    def noise(self, epsilon: float, delta: float) -> Noise:
        """The source's noise at r = ½: spherical Laplace of rate rε/ζ for δ = 0, else Gaussian with σ of Eq. (4)."""
        if delta == 0:
            return SphericalLaplace(validation.positive("epsilon", epsilon) * SHARE / self.lipschitz)
        return GaussianNoise(printed_sigma(epsilon, delta, self.lipschitz, SHARE))

    @property
    def plain(self) -> Problem:
        """Σ f, without clipping."""
        return Problem(self.loss, self.X, self.y, lam=0.0)


def simulated(setting: Setting, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    r"""X and y of Table 4, y clipped to ± `target_bound`.

    The misprinted sign of the logistic model is corrected: P(y = 1) = 1/(1 + e^{−xθ}).

    References: li-liu-napp (Table 4, corrected).
    """
    n = validation.at_least_one("n", n)
    X = rng.uniform(-setting.reach, setting.reach, (n, N_COLUMNS))
    margin = X @ setting.theta
    if setting.loss == "squared":
        y = margin + stats.truncnorm(-2, 2, scale=0.25).rvs(n, random_state=rng)
    elif setting.loss == "poisson":
        y = rng.poisson(np.exp(margin)).astype(float)
    else:
        y = np.where(rng.random(n) < special.expit(margin), 1.0, -1.0)
    return X, np.clip(y, -setting.target_bound, setting.target_bound)


def example(name: str, n: int, seed: int = 0) -> Case:
    """A simulated data set of Table 4."""
    setting = SETTINGS[validation.choice("name", name, SETTINGS)]
    X, y = simulated(setting, n, np.random.default_rng(seed))
    return case_of(f"{name}, n={n}, seed={seed}", setting, X, y)


def case_of(key: str, setting: Setting, X: np.ndarray, y: np.ndarray) -> Case:
    """Data of a setting with its constants; `key` identifies them."""
    loss = find(setting.loss)
    row_norm = setting.reach * np.sqrt(N_COLUMNS)
    smoothness = float(loss.curvature_bound(setting.target_bound, setting.lipschitz / row_norm)) * row_norm**2
    clip = None if setting.loss == "logistic" else setting.lipschitz
    domain = Domain(row_norm, setting.target_bound)
    return Case(key, loss, X, y, setting.lipschitz, smoothness, clip, domain, setting.theta)


def from_dataset(dataset: Dataset, loss: str, clip: float | None = None) -> Case:
    """A loaded data set; a target with two values becomes the labels −1 and +1 if the loss needs labels.

    Raises
    ------
    DataError
        If the target does not suit the loss, or the data state no public domain.
    """
    if dataset.domain is None:
        raise DataError("The data set states no public domain; give one, so that one record's gradient has a bound.")
    found, y = find(loss), dataset.y
    levels = np.unique(y)
    if found.target is BINARY and levels.size == 2:
        y = np.where(y == levels[1], 1.0, -1.0)
    found.check_target(y)
    limit = rules.public_clip(found, dataset.domain, clip, "paper")
    constants = found.constants(dataset.domain, limit)
    natural = float(found.slope_bound(dataset.domain.target_bound)) * dataset.domain.row_norm
    return Case(
        f"{dataset.sha256}, {loss}, {limit}", found, dataset.X, y, constants.lipschitz, constants.smoothness,
        None if limit >= natural else limit, dataset.domain,
    )  # fmt: skip
