"""Pictures of objective perturbation: the calibration plane with its contours, and the loss that is hardest to hide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.stats import norm

from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation, log_delta_over
from dpcore.mechanisms.objective_perturbation.extremal import extremal_removal
from dpcore.profiles.curves import POINTS, Curve, said
from dpcore.profiles.roots import log_excess, smallest_root

# Mechanisms computed in one call. Each call has a fixed cost, but a long call cannot be interrupted.
_TOGETHER = 48


def swept_curves(
    name: str, mechanisms: Sequence[ObjectivePerturbation], epsilon_max: float, *, points: int = POINTS
) -> Iterator[Curve]:
    """δ(ε) of one bound for many mechanisms that differ in σ and λ only, as from `guarantee_curve`, a few at a time.

    Parameters
    ----------
    name : name of the curves
    mechanisms : with the same bound, one of `SWEPT`
    epsilon_max : right end, nats
    points : number of values of ε
    """
    epsilon = np.linspace(0.0, epsilon_max, points)
    for start in range(0, len(mechanisms), _TOGETHER):
        some = mechanisms[start : start + _TOGETHER]
        for one, log_delta in zip(some, swept_log_deltas(some, epsilon), strict=True):
            yield said(Curve(name, epsilon, np.exp(log_delta), one.bound))


def swept_log_deltas(mechanisms: Sequence[ObjectivePerturbation], epsilon: Sequence[float] | np.ndarray) -> np.ndarray:
    """log δ at each ε under one bound of `SWEPT`; each row is one of many mechanisms that differ in σ and λ only."""
    places = np.asarray(epsilon, dtype=float)
    return _log_delta(mechanisms[0], places, *(column[:, None] for column in _parameters(mechanisms)))


def _parameters(mechanisms: Sequence[ObjectivePerturbation]) -> Iterator[np.ndarray]:
    """Arrays of σ and λ of all mechanisms."""
    return (np.array([getattr(one, name) for one in mechanisms]) for name in ("sigma", "lam"))


def _log_delta(first: ObjectivePerturbation, epsilon: np.ndarray, sigma: np.ndarray, lam: np.ndarray) -> np.ndarray:
    return log_delta_over(
        epsilon, sigma=sigma, lam=lam, lipschitz=first.lipschitz, smoothness=first.smoothness, bound=first.analysis,
        monotone=first.monotone, log_term=first.log_term,
    )  # fmt: skip


def swept_epsilons(mechanisms: Sequence[ObjectivePerturbation], delta: float) -> np.ndarray:
    """ε(δ) of one bound for many mechanisms that differ in σ and λ only.

    All of them together take about as long as two mechanisms one after the other.

    Parameters
    ----------
    mechanisms : with the same bound, one of `SWEPT`
    delta : in (0, 1)
    """

    def excess(epsilon: np.ndarray, sigma: np.ndarray, lam: np.ndarray) -> np.ndarray:
        return log_excess(_log_delta(mechanisms[0], epsilon, sigma, lam), np.log(delta), delta)

    return smallest_root(excess, *_parameters(mechanisms))


def guaranteed(sigma: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A contour, the smallest λ at each σ, without the σ at which the bound gives no guarantee."""
    inside = np.isfinite(lam)
    return sigma[inside], lam[inside]


@dataclass(frozen=True)
class ExtremalCurves:
    """The extremal loss of objective perturbation as curves; `join` is the e at which its ramp begins, if inside."""

    shift: Curve
    other_direction: Curve
    noise: Curve
    reward: Curve
    loss: Curve
    join: float | None
    delta: float


def extremal_curves(epsilon: float, sigma: float, lam: float, lipschitz: float, smoothness: float) -> ExtremalCurves:
    """The shift e(u) at each noise u, the reward along e, whose area is δ, and the loss f with f'(m) = σ e(−λm/σ).

    The loss is that of a single record x = 1 that is added to an empty data set: there θ(b) = −b/λ, so the margin is
    m = −σu/λ.

    Parameters
    ----------
    epsilon : nats
    sigma, lam : noise and penalty
    lipschitz, smoothness : L and β of one record
    """
    shift, kappa = lipschitz / sigma, smoothness / lam
    found = extremal_removal(epsilon, shift, kappa)
    ramp = found.e >= found.join if found.join < shift else np.isfinite(found.u)
    centre = float(np.median(found.u[ramp & np.isfinite(found.u)]))
    left, right = min(-4.0, found.u[-1] - 1.0), max(4.0, min(centre + 2.0, 12.0))
    inside = np.isfinite(found.u) & (found.u < right)
    u, e = found.u[inside][::-1], found.e[inside][::-1]
    if not u.size:
        u, e = np.array([right]), np.array([shift])
    tail = found.e[~inside][-1] if (~inside).any() else 0.0
    x = np.concatenate([[left, u[0]], u, [right]])
    y = np.concatenate([[shift, shift], e, [min(tail, e[-1])]])
    grid = np.linspace(left, right, POINTS)
    density = norm.pdf(grid)
    margin = np.linspace(-right, -left, POINTS) * sigma / lam
    slope = sigma * np.interp(-margin * lam / sigma, x, y)
    return ExtremalCurves(
        Curve("record removed", x, y),
        Curve("record added", np.array([left, right]), np.array([shift, shift])),
        Curve("noise density", grid, density * shift / density.max()),
        Curve("reward", found.e[1::3], found.reward[1::3]),
        Curve("extremal loss", margin, cumulative_trapezoid(slope, margin, initial=0.0)),
        found.join if 0 < found.join < shift else None,
        found.delta,
    )
