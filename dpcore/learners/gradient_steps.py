"""The steps of noisy gradient descent on a GLM, where one record's gradient is a number times its row."""

import numpy as np

from dpcore.data.scaling import row_norms
from dpcore.glm.losses import Loss

_BETA1, _BETA2, _FLOOR = 0.9, 0.999, 1e-8  # of Adam, as published


class Descent:
    """Noisy descent on one data set.

    Parameters
    ----------
    loss : Loss; X : array (n_samples, n_features); y : array (n_samples,)
    clip : C > 0, bound on the norm of one record's gradient
    optimizer : "adam" or "sgd"
    """

    def __init__(self, loss: Loss, X: np.ndarray, y: np.ndarray, clip: float, optimizer: str) -> None:
        loss.check_target(y)
        self.loss, self.X, self.y, self.optimizer = loss, X, y, optimizer
        norms = row_norms(X)
        self.limits = np.divide(clip, norms, out=np.full(len(X), np.inf), where=norms > 0)

    def clipped_sum(self, theta: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sum of the clipped gradients of some rows, shape (n_features,)."""
        X, limits = self.X[rows], self.limits[rows]
        with np.errstate(over="ignore"):
            slopes = self.loss.derivative(X @ theta, self.y[rows])
        return np.minimum(limits, np.maximum(-limits, slopes)) @ X

    def run(
        self, learning_rate: float, steps: int, sampling_rate: float, noise: float, rng: np.random.Generator
    ) -> np.ndarray:
        """θ after the steps from 0, with N(0, noise² I) added to every sum; shape (n_features,).

        A Poisson sample is drawn by its binomial size first: the same law, and a step costs its batch only.

        Parameters
        ----------
        learning_rate : step size > 0
        steps : int ≥ 1
        sampling_rate : q, probability of a record in each step
        noise : standard deviation on each coordinate of a sum
        rng : random generator
        """
        n, d = self.X.shape
        theta, first, second = np.zeros(d), np.zeros(d), np.zeros(d)
        sizes = rng.binomial(n, sampling_rate, steps)
        for step, size in enumerate(sizes, start=1):
            rows = rng.choice(n, size, replace=False, shuffle=False)
            total = self.clipped_sum(theta, rows) + noise * rng.standard_normal(d)
            gradient = total / (sampling_rate * n)
            if self.optimizer == "sgd":
                theta = theta - learning_rate * gradient
                continue
            first = _BETA1 * first + (1 - _BETA1) * gradient
            second = _BETA2 * second + (1 - _BETA2) * np.square(gradient)
            scale = np.sqrt(second / (1 - _BETA2**step)) + _FLOOR
            theta = theta - learning_rate * first / (1 - _BETA1**step) / scale
        return theta


def score_width(loss: Loss, target_bound: float) -> float:
    """w = sup_y f(0; y) − min_u f(u; y) over the public range of the target."""
    widths = []
    for y in loss.target.extremes(target_bound):
        target = np.array([y])
        with np.errstate(invalid="ignore"):
            least = float(loss.value(loss.minimiser(target), target)[0])
        widths.append(float(loss.value(np.zeros(1), target)[0]) - (least if np.isfinite(least) else 0.0))
    return max(widths, default=1.0)


def public_score(loss: Loss, u: np.ndarray, y: np.ndarray, width: float) -> float:
    """Σ clip(f(0; y) − f(u; y), ±w): one record changes it by at most w."""
    with np.errstate(over="ignore"):
        gained = loss.value(np.zeros_like(u), y) - loss.value(u, y)
    return float(np.clip(gained, -width, width).sum())
