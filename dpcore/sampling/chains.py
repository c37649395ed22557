"""Draws of several chains and what can be said of their convergence."""

from dataclasses import dataclass

import numpy as np
import scipy
from scipy import special

from dpcore.errors import ParameterError

_FEWEST = 8  # smallest number of steps of a chain


def split_rhat(draws: np.ndarray) -> float:
    r"""Rank-normalised split R̂.

    .. math:: \hat R = \sqrt{\frac{(n−1)W/n + B/n}{W}}

    of the normal scores of the pooled ranks, every chain cut in two; W is the mean variance within the n-draw halves
    and B the variance between them.

    Parameters
    ----------
    draws : array (n_chains, n_steps), at least 8 steps

    Returns
    -------
    float ≥ about 1; inf where the halves do not overlap because nothing moved.

    References: vehtari-et-al-2021.
    """
    halves = _halves(draws)
    scores = special.ndtri((scipy.stats.rankdata(halves).reshape(halves.shape) - 0.375) / (halves.size + 0.25))
    n = scores.shape[1]
    within = float(scores.var(axis=1, ddof=1).mean())
    between = n * float(scores.mean(axis=1).var(ddof=1))
    if not np.ptp(scores, axis=1).any():
        return np.inf
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


def effective_size(draws: np.ndarray) -> float:
    r"""Number of independent draws with the same variance of the mean (Geyer's initial monotone sequence); 1 if nothing moved.

    .. math:: N_\text{eff} = \frac{MN}{1 + 2\sum_t \hat ρ_t}

    Parameters
    ----------
    draws : array (n_chains, n_steps), at least 8 steps

    References: vehtari-et-al-2021.
    """
    halves = _halves(draws)
    chains, n = halves.shape
    if not np.ptp(halves):
        return 1.0
    halves = halves / np.ptp(halves)
    centred = halves - halves.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    covariance = np.fft.irfft(power, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    spread = within * (n - 1) / n + float(halves.mean(axis=1).var(ddof=1))
    rho = 1 - (within - covariance * n / (n - 1)) / spread
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    positive = pairs > 0
    length = int(positive.argmin()) if not positive.all() else len(pairs)
    total = -1 + 2 * float(np.minimum.accumulate(pairs[: max(length, 1)]).sum())
    return float(chains * n / max(total, 1 / np.log10(chains * n)))


def _halves(draws: np.ndarray) -> np.ndarray:
    draws = np.asarray(draws, dtype=float)
    if draws.ndim != 2 or draws.shape[1] < _FEWEST or not np.isfinite(draws).all():
        raise ParameterError(
            f"draws must be a finite array (n_chains, n_steps) with at least {_FEWEST} steps, got shape {draws.shape}"
        )
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


RHAT_LIMIT = 1.01  # R̂ of converged chains is below this
DRAWS_PER_CHAIN = 100  # effective draws per chain below which R̂ itself is unreliable
UNCONVERGED = (
    "The sampler has not converged by its own diagnostics: nothing says that its output follows the target, so the privacy "
    "guarantee of the mechanism does not hold for these draws. Take more steps."
)


@dataclass(frozen=True, eq=False)
class Chains:
    """What a sampler returns.

    Parameters
    ----------
    draws : array (n_chains, n_steps, dimension)
    acceptance : share of proposals accepted
    total_variation : proven distance of the last draw from the target, 1 where nothing is proven
    """

    draws: np.ndarray
    acceptance: float
    total_variation: float = 1.0

    @property
    def last(self) -> np.ndarray:
        """The last draw of every chain (n_chains, dimension)."""
        return self.draws[:, -1]

    @property
    def rhat(self) -> np.ndarray:
        """Rank-normalised split R̂ of each coordinate (dimension,)."""
        return np.array([split_rhat(self.draws[:, :, j]) for j in range(self.draws.shape[2])])

    @property
    def effective(self) -> np.ndarray:
        """Effective number of independent draws of each coordinate (dimension,)."""
        return np.array([effective_size(self.draws[:, :, j]) for j in range(self.draws.shape[2])])

    @property
    def converged(self) -> bool:
        """Whether R̂ < 1.01 and there are at least 100 effective draws per chain, in every coordinate."""
        enough = DRAWS_PER_CHAIN * self.draws.shape[0]
        return bool((self.rhat < RHAT_LIMIT).all() and (self.effective >= enough).all())

    @property
    def warning(self) -> str:
        """Why these draws carry no guarantee; empty where the diagnostics see nothing wrong."""
        return "" if self.converged else UNCONVERGED
