"""The record of a domain that one release would expose most, found by climbing from many records."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from dpcore.data.domain import Domain
from dpcore.individual.exposure import analysis_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.numbers import ENDLESS
from dpcore.mechanisms.releases import GlmRelease

# Lengths tried in each direction, relative to the largest norm R, and tangents, and cotangents, of the angles by which
# records are turned away from the end of the curve below. Twice as many find no more in any of the settings tried.
_SHARES = (1.0, 0.7, 0.4, 0.15)
# Values of (s + λmin(H))/λmin(H) on the curve of records of largest residual (see below). Twice as many find the same
# local maxima.
_ABOVE = np.geomspace(1e-8, 1e8, 33)
# Number of records from which the search climbs. Doubled, the search takes twice as long and finds no more.
_CLIMBS = 2
# Relative step of the finite differences. Doubled, the record found is the same to eight digits.
_STEP = 1e-5


def most_visible(
    mechanism: GlmRelease,
    leverage: Leverage,
    domain: Domain,
    log_delta: float,
    progress: Callable[[float], None],
) -> np.ndarray:
    """The x (n_features,) of the domain whose record, with the target that suits it least, has the largest ε.

    ε is computed along the eigenvectors of H and along the records of largest residual. From the records of largest ε,
    the search climbs in direction and length, by L-BFGS-B with central differences.

    Parameters
    ----------
    mechanism, leverage : the release, and the fit of all rows
    domain : the records that may join
    log_delta : log δ
    progress : called with the share of the work that is done; an exception it raises stops the work
    """
    analysis, targets = analysis_of(mechanism), mechanism.target.extremes(domain.target_bound)

    def epsilon(X: np.ndarray) -> np.ndarray:
        each = [np.where(X @ leverage.theta < 0, 1.0, -1.0) * domain.target_bound]
        each = each if mechanism.is_linear else [np.full(len(X), y) for y in targets]
        return np.max([analysis.of_added(mechanism, leverage, X, y).epsilon(log_delta) for y in each], axis=0)

    vectors, singular, _ = np.linalg.svd(leverage.factor)
    values, theta = np.square(singular), vectors.T @ leverage.theta
    # Among records of equal length and leverage xᵀH⁻¹x, the largest residual is that of x ∝ (I + sH⁻¹)⁻¹θ̂ with
    # s > −λmin(H).
    above = values[-1] * _ABOVE[:, None]
    curve = values * theta / (values - values[-1] + above)
    # If θ̂ is orthogonal to the weakest direction, this curve never reaches it, so it is continued from its end.
    end, weakest = curve[0] / max(float(np.linalg.norm(curve[0])), np.finfo(float).tiny), np.eye(values.size)[-1]
    turned = np.vstack([[end + turn * weakest, turn * end + weakest] for turn in _SHARES])
    ways = np.vstack([np.eye(values.size), theta, curve, turned]) @ vectors.T
    length = np.linalg.norm(ways, axis=1)
    units = ways[length > 0] / length[length > 0, None]
    begun = domain.row_norm * np.vstack([share * units for share in (*_SHARES, *(-share for share in _SHARES))])
    progress(0.0)
    best = begun[np.argsort(-epsilon(begun), kind="stable")[:_CLIMBS]]
    tops = [best]
    for k, x in enumerate(best):
        progress((k + 1) / (_CLIMBS + 1))
        tops.append(_climbed(epsilon, x, domain.row_norm)[None])
    found = np.concatenate(tops)
    return found[int(epsilon(found).argmax())]


def _climbed(objective: Callable[[np.ndarray], np.ndarray], start: np.ndarray, row_norm: float) -> np.ndarray:
    """The local maximiser (n_features,) over ‖x‖ ≤ row_norm that is reached from a start x ≠ 0."""
    share = float(np.linalg.norm(start)) / row_norm
    scale = float(objective(start[None])[0])
    if not 0 < scale < np.inf:
        return start

    def records(z: np.ndarray) -> np.ndarray:
        return row_norm * z[:, -1:] * z[:, :-1] / np.linalg.norm(z[:, :-1], axis=1, keepdims=True)

    def loss(z: np.ndarray) -> tuple[float, np.ndarray]:
        steps = _STEP * np.eye(z.size)
        values = np.minimum(np.nan_to_num(objective(records(np.vstack([z, z + steps, z - steps]))) / scale), ENDLESS)
        return -values[0], -(values[1 : z.size + 1] - values[z.size + 1 :]) / (2 * _STEP)

    bounds = [(None, None)] * start.size + [(_STEP, 1.0)]
    first = np.append(start / (share * row_norm), min(share, 1.0))
    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200, "ftol": 1e-12})
    return records(found.x[None])[0]
