r"""Third derivatives of an objective: how the law of each record's margin is bent.

θ*(m) is the minimiser of the objective J₋ of the other rows among all θ of margin m. To first order in m,

.. math:: \frac{d^2}{dm^2} J_−(θ^*(m)) = \frac1{h_−} + \frac{κ}{h_−}(m − \hat m), \qquad
          ℓ = \frac{d}{dm}\log\det H_⊥(θ^*(m))

where H_⊥ is the Hessian of J₋ within the hyperplane of equal margin. Noise b ~ N(0, σ²I) orthogonal to x moves the
mean of the margin by −σ²τ/2.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from dpcore.glm import Loss
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.releases import GlmRelease

# Largest number of columns d for which third derivatives are computed: beyond it, d³ numbers for each row are more work
# than the fit. Doubled, fits take eight times as long there.
MOST_FEATURES = 48
# Largest relative change of the curvature over the step to the other rows' fit, or over the spread of the margin; κ is
# cut so that it is not exceeded. Doubled, the curvature may fall to 0 there.
MOST_CURVED = 0.5
# Numbers (float64) that are held at once. Doubled, they no longer fit the cache, and it takes twice as long.
_CELLS = 65_536


def bends_matter(release: GlmRelease) -> bool:
    """Whether the expansion of a release depends on third derivatives; for output perturbation it does not."""
    return release.release != OutputPerturbation.release


def third_moments(loss: Loss, theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Σ f''' x⊗x⊗x over rows X (n_rows, n_features), y (n_rows,), as (d, d²); None if f''' is 0, or d is large."""
    features = X.shape[1]
    if not loss.bend_rate or features > MOST_FEATURES:
        return None
    weight, one, other = loss.third_derivative(X @ theta, y), *np.triu_indices(features)
    total = np.zeros((features, one.size))
    step = max(1, _CELLS // one.size)
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        total += (rows * weight[start : start + step, None]).T @ (rows[:, one] * rows[:, other])
    whole = np.empty((features, features, features))
    whole[:, one, other] = whole[:, other, one] = total
    return whole.reshape(features, -1)


def bends(
    third: np.ndarray | None,
    factor: np.ndarray,
    X: np.ndarray,
    in_sample: np.ndarray | float = 0.0,
    own: np.ndarray | float = 0.0,
) -> np.ndarray:
    """κ, ℓ and τ of records X (n_records, n_features), shape (3, n_records); all 0 if the objective is quadratic.

    Parameters
    ----------
    third : `third_moments`, or None
    factor : Cholesky factor of H
    X : records
    in_sample, own : f''h and f''' of each record, if it is one of the rows; its own part is then taken out of their
        sums
    """
    if third is None:
        return np.zeros((3, len(X)))
    features = X.shape[1]
    inverse = linalg.cho_solve((factor, True), np.eye(features))
    gradient, tilt = third @ inverse.ravel(), third @ (inverse @ inverse).ravel()
    cubes, slopes, tilts, h = (np.empty(len(X)) for _ in range(4))
    step = max(1, _CELLS // features**2)
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        w = X[part] @ inverse
        h[part] = np.einsum("ij,ij->i", w, X[part])
        slopes[part], tilts[part] = w @ gradient, w @ tilt
        cubes[part] = np.einsum("ij,ij->i", np.einsum("ijk,ik->ij", (w @ third).reshape(len(w), features, -1), w), w)
    cube, rest = cubes - own * h**3, np.maximum(1 - in_sample, np.finfo(float).eps)
    with np.errstate(all="ignore"):
        skew, drift = cube / (rest * h * h), (slopes - own * h * h) / h - cube / (h * h)
        values = np.stack([skew, drift, tilts / rest - cube / rest**3 / np.square(X).sum(axis=1)])
    return np.where((h > 0) & np.isfinite(values), values, 0.0)
