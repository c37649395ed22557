"""Rényi and Kullback–Leibler divergences of every row in closed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore.errors import UnsupportedError
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.individual.exposure import Exposures

ORDERS = np.concatenate([1 + np.geomspace(1e-3, 1.0, 40), np.geomspace(2.1, 5e3, 120)])


def row_renyi(exposures: Exposures, alpha: np.ndarray, direction: str) -> np.ndarray:
    r"""Rényi divergence of order α ≥ 1 of every row, nats, shape (n_rows, n_orders); inf where it is infinite.

    For two normal laws, with s*² = αs₂² + (1−α)s₁²,

    .. math:: D_α = \log\frac{s_2}{s_1} + \frac{1}{2(α−1)}\log\frac{s_2²}{s_*²} + \frac{α(m_1−m_2)²}{2s_*²}

    (the limit at α = 1 is the Kullback–Leibler divergence), averaged over the mixing variable for objective perturbation.

    Parameters
    ----------
    direction : "add" (law without the row against the law with it) or "remove"

    Raises
    ------
    UnsupportedError
    """
    try:
        compute = _FORMS[type(exposures)]
    except KeyError:
        raise UnsupportedError(f"no closed form of the Rényi divergence for {type(exposures).__name__}") from None
    with np.errstate(all="ignore"):
        value = compute(exposures, np.atleast_1d(np.asarray(alpha, dtype=float)), direction)
        return np.where(np.isnan(value), np.inf, value)


def _base(alpha: np.ndarray, ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Terms for s₁ = 1, s₂² = ratio: the part without the means, and the factor of (m₁−m₂)²."""
    mixed = alpha * ratio + (1 - alpha)
    plain = np.where(
        alpha == 1,
        0.5 * np.log(ratio) + 0.5 / ratio - 0.5,
        0.5 * np.log(ratio) + 0.5 * np.log(ratio / mixed) / (alpha - 1),
    )
    return np.where(mixed > 0, plain, np.inf), np.where(mixed > 0, 0.5 * alpha / mixed, np.inf)


def _gaussian(exposures: GaussianOutput, alpha: np.ndarray, direction: str) -> np.ndarray:
    return 0.5 * alpha * np.square(exposures.shift)[:, None]


def _posterior(exposures: PosteriorSample, alpha: np.ndarray, direction: str) -> np.ndarray:
    mu, m = exposures.mu[:, None], exposures.shift[:, None]
    gap = m * m * mu / np.square(1 + mu)  # (m − m/(1+μ))² in units of the variance μ without the row
    if direction == "add":
        plain, factor = _base(alpha, 1 / (1 + mu))
        return plain + factor * gap
    plain, factor = _base(alpha, 1 + mu)
    return plain + factor * gap * (1 + mu)


def _objective(exposures: LinearObjective, alpha: np.ndarray, direction: str) -> np.ndarray:
    square = np.square(1 + exposures.mu)[:, None]
    m, tau = exposures.shift[:, None], exposures.spread[:, None]
    plain, factor = _base(alpha, 1 / square if direction == "add" else square)
    factor = factor / square if direction == "add" else factor
    rate = (alpha - 1) * factor
    rest = 1 - 2 * rate * tau * tau
    mixed = np.where(alpha == 1, factor * (m * m + tau * tau), (rate * m * m / rest - 0.5 * np.log(rest)) / (alpha - 1))
    return np.where(rest > 0, plain + mixed, np.inf)


_FORMS: dict[type, Callable[..., np.ndarray]] = {
    GaussianOutput: _gaussian,
    PosteriorSample: _posterior,
    LinearObjective: _objective,
}
