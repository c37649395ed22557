"""Row norms without overflow, and the row-by-row maps into a public domain."""

import numpy as np

from dpcore.data.domain import Domain

_SQUARES_ARE_SAFE = (1e-140, 1e150)  # if a norm is between these, its sum of squares neither overflows nor loses digits
_INSIDE = 1.0 - 1e-15  # rows are scaled to this share of the radius, so that round-off cannot put them outside the ball
_COUNTED = 1.0 + 1e-9  # a row is counted as changed only if its norm exceeds the radius by more than this factor


def row_norms(X: np.ndarray) -> np.ndarray:
    r"""‖x_i‖₂ of every row, even if squares overflow or underflow; inf only if the norm itself exceeds 1.8e308.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)

    Returns
    -------
    array, shape (n_samples,)
    """
    with np.errstate(over="ignore", under="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", X, X))
        low, high = _SQUARES_ARE_SAFE
        extreme = ~((norms > low) & (norms < high))
        if extreme.any():
            unit, largest = _by_largest(X[extreme])
            norms[extreme] = largest * np.sqrt(np.einsum("ij,ij->i", unit, unit))
    return norms


def _by_largest(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows divided by their largest absolute entry (a zero row by 1), and these entries (0 for a zero row)."""
    largest = np.abs(rows).max(axis=1)
    return rows / np.where(largest > 0, largest, 1.0)[:, None], largest


def scale_rows(X: np.ndarray, domain: Domain, norms: np.ndarray | None = None) -> int:
    """Bring every row into the ball of radius R, in place; returns how many rows changed.

    "clip" changes only rows with ‖x‖ > R; "normalize" scales every non-zero row to norm R. `norms` are the norms of the
    rows, if they are known already.
    """
    norms = row_norms(X) if norms is None else norms
    radius = domain.row_norm
    if domain.rows == "clip":
        chosen = norms > radius
        changed = norms > radius * _COUNTED
    else:
        chosen = norms > 0
        changed = chosen & (np.abs(norms - radius) > radius * (_COUNTED - 1.0))
    low, high = _SQUARES_ARE_SAFE
    extreme = chosen & ~((norms > low) & (norms < high) & (low < radius < high))
    ordinary = chosen & ~extreme
    if ordinary.any():
        X *= np.divide(radius * _INSIDE, norms, out=np.ones_like(norms), where=ordinary)[:, None]
    if extreme.any():
        rows, _ = _by_largest(X[extreme])
        rows *= (radius * _INSIDE / np.sqrt(np.einsum("ij,ij->i", rows, rows)))[:, None]
        X[extreme] = rows
    return int(np.count_nonzero(changed))


def map_range(values: np.ndarray, low: float, high: float, bound: float = 1.0) -> tuple[np.ndarray, int]:
    """Map [low, high] affinely to [−bound, bound]; values outside are clipped, missing values stay missing.

    Returns
    -------
    (mapped, clipped) : array of the same shape, and how many values lay outside the range.
    """
    clipped = int(np.count_nonzero((values < low) | (values > high)))
    inside = np.clip(values, low, high)
    position = (inside / 2 - low / 2) / (high / 2 - low / 2)  # computed from halves, since high − low may overflow
    return bound * np.clip(2 * position - 1, -1.0, 1.0), clipped
