"""The rows that noise augmentation appends: targets, slopes at zero, and how they carry noise and regularisation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm.losses import find

_ROWS = {  # e_y of the two kinds of rows by kind of target, and how it differs from the source's Table 1
    "numeric": ((1.0, 1.0), "e_y = 1: with the printed e_y = 0 the slope ℓ'(0) is 0 and carries no noise."),
    "count": ((0.0, 0.0), "e_y = 0: with the printed e_y = 1 the slope ℓ'(0) = 1 − e_y is 0."),
    "binary": (
        (-1.0, 1.0),
        "Each antithetic pair shares its label: paired across the halves as printed, the linear terms add up instead of "
        "cancelling. e* takes the sign of its own row's slope.",
    ),
}  # fmt: skip
_KINK = "ℓ' has a kink at 0: of each antithetic pair one row bends, so that the pair's mean curvature is ½."
_BESIDE = 1e-12  # distance from 0 at which the curvature on one side is read
_BLOCK = 4  # number of rows that belong together: two antithetic pairs, one per label


@dataclass(frozen=True)
class Scheme:
    """What the augmented rows of one model look like.

    Parameters
    ----------
    targets : e_y of the two kinds of rows; equal where the model has no labels
    curvature : ℓ''(0), averaged over an antithetic pair
    note : how this differs from the source's Table 1, in a sentence; empty where it does not
    """

    targets: tuple[float, float]
    curvature: float
    note: str = ""


def scheme(loss: Any) -> Scheme:
    r"""The augmented rows of a loss, read off the loss: targets of its kind with ℓ'(0) ≠ 0, and ℓ'' on both sides of 0.

    .. math:: \overline{ℓ''}(0) = \tfrac12\left(ℓ''(0^-; e_y) + ℓ''(0^+; e_y)\right)

    Raises
    ------
    UnsupportedError
        If the loss is none of the source's models, or has no curvature at 0 for the rows to use.

    References: li-liu-napp (Table 1, section 6, corrected).
    """
    loss = find(loss)
    targets, note = _ROWS[loss.target.name]
    y = np.array(targets)
    sides = np.stack([loss.second_derivative(np.full(2, side * _BESIDE), y) for side in (-1.0, 1.0)])
    curvature = float(sides.mean())
    if curvature == 0 or not loss.augmentable:
        raise UnsupportedError(
            f"noise augmentation needs a loss that is curved at 0 and one of the four models of the source, got {loss!r}: use "
            "'squared', 'logistic', 'poisson' or 'smoothed_hinge' with width >= 1"
        )
    kink = bool((np.abs(sides[0] - sides[1]) > curvature / 2).any())
    return Scheme(targets, curvature, _KINK if kink else note)


def augmentable(loss: Any) -> bool:
    """Whether a loss has augmented rows."""
    try:
        scheme(loss)
    except UnsupportedError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Augmented:
    """Rows to append to the data.

    Parameters
    ----------
    X : array (n_e, n_features), e = ẽ + e*
    y : array (n_e,), e_y
    carried : array (n_features,), Σ ℓ'_i(0) e_i, the linear term the rows carry to first order
    """

    X: np.ndarray
    y: np.ndarray
    carried: np.ndarray


def augmented_rows(
    loss: Any, weights: np.ndarray, linear: np.ndarray | None, rows: int, rng: np.random.Generator
) -> Augmented:
    r"""Rows whose loss is Σ m_j θ_j² + bᵀθ to second order.

    .. math:: e_i = \tilde e_i + \frac{b}{n_e ℓ'_i(0)}, \qquad
              \tilde e_{ij} ∼ N\Big(0, \frac{2m_j}{n_e ℓ''(0)}\Big), \quad \tilde e_{i + n_e/2} = −\tilde e_i

    with the sign of each row's own ℓ'_i(0).

    Parameters
    ----------
    loss : name or Loss
    weights : m, array (n_features,) ≥ 0
    linear : b, array (n_features,), or None for 0
    rows : n_e, a multiple of 4
    rng : random generator

    Raises
    ------
    ParameterError, UnsupportedError

    References: li-liu-napp (Proposition 1, Eqs. 3 and 5, corrected).
    """
    loss = find(loss)
    rows = validation.integer("rows", rows, minimum=_BLOCK)
    if rows % _BLOCK:
        raise ParameterError(f"rows must be a multiple of {_BLOCK}, two antithetic pairs, got {rows}")
    plan, weights = scheme(loss), vector("weights", weights)
    if (weights < 0).any():
        raise ParameterError(f"weights must be >= 0, got {weights.min():g}")
    variance = 2.0 * weights / (rows * plan.curvature)
    half = np.sqrt(variance) * rng.standard_normal((rows // 2, weights.size))
    X = np.concatenate([half, -half])
    y = np.resize(np.array(plan.targets), rows)  # alternating, so that row i and row i + n_e/2 share their target
    slopes = np.asarray(loss.derivative(np.zeros(rows), y), dtype=float)  # ℓ'_i(0)
    if linear is not None:
        X += vector("linear", linear, weights.size) / (rows * slopes[:, None])
    return Augmented(X, y, slopes @ X)


def vector(name: str, value: Any, size: int | None = None) -> np.ndarray:
    """A finite array with one number per column.

    Raises
    ------
    ParameterError
    """
    array = validation.real_array(name, value)
    if array.ndim != 1 or not array.size or (size is not None and array.size != size) or not np.isfinite(array).all():
        wanted = "one finite number per column" if size is None else f"{size} finite numbers, one per column"
        raise ParameterError(f"{name} must hold {wanted}, got an array of shape {array.shape}")
    return array
