"""Secant corrections of a Hessian that is no longer quite right."""

from collections.abc import Callable

import numpy as np

_MOST_PAIRS = 10  # number of corrections that are kept; doubled, a direction costs more
_TINY = np.finfo(float).tiny  # stands for a curvature of 0 where it would be a divisor


class SecantMemory:
    """Limited-memory BFGS around a factorised Hessian; arrays are (n_features,) or (draws, n_features), one memory each.

    Parameters
    ----------
    solve : g ↦ H₀⁻¹g along the last axis, g itself by default; may be exchanged for that of another Hessian

    Attributes
    ----------
    pairs : list of (step, change of gradient, 1/curvature), the latest last
    """

    def __init__(self, solve: Callable[[np.ndarray], np.ndarray] = np.asarray) -> None:
        self.solve = solve
        self.pairs: list[tuple[np.ndarray, ...]] = []

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        r"""−H⁻¹∇J with the corrected H, by the two-loop recursion of L-BFGS.

        A pair (s, c) of a step and the change of the gradient along it replaces H⁻¹ by the nearest matrix that maps c to s,

        .. math:: H^{-1} ← \Big(I − \frac{s c^⊤}{s^⊤c}\Big) H^{-1} \Big(I − \frac{c s^⊤}{s^⊤c}\Big) + \frac{s s^⊤}{s^⊤c}

        applied from the right factors (latest pair first), through H₀⁻¹, to the left ones.
        """
        result, shares = -gradient, []
        for step, change, inverse in reversed(self.pairs):
            shares.append(inverse * _inner(step, result))
            result = result - shares[-1] * change
        result = self.solve(result)
        for (step, change, inverse), share in zip(self.pairs, reversed(shares), strict=True):
            result = result + (share - inverse * _inner(change, result)) * step
        return result

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:
        """Remember a step and the change of the gradient along it; without positive curvature it has no effect."""
        curvature = _inner(step, change)
        inverse = (curvature > 0) / np.maximum(curvature, _TINY)
        self.pairs = [*self.pairs[1 - _MOST_PAIRS :], (step, change, inverse)]

    def keep(self, draws: np.ndarray) -> None:
        """Keep the memories of these draws only."""
        self.pairs = [tuple(array[draws] for array in pair) for pair in self.pairs]

    def forget(self) -> None:
        """Drop all corrections."""
        self.pairs = []


def _inner(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Inner products along the last axis, which is kept; a single one without the overhead of the general function."""
    return first @ second if first.ndim == 1 else np.vecdot(first, second)[..., None]
