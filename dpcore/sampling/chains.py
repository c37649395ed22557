"""Draws of several chains and what can be said of their convergence."""

from dataclasses import dataclass

import numpy as np

from dpcore.sampling.diagnostics import effective_size, split_rhat

RHAT_LIMIT = 1.01
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
