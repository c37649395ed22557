"""One side of a composed curve: from tilted factors to certified values of log δ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dpcore.accountants.pld.convolve import Product, Window, convolve
from dpcore.accountants.pld.discretize import GridLaw, GridPair
from dpcore.accountants.pld.loss_law import log_any
from dpcore.accountants.pld.masses import ON_GRID
from dpcore.numerics import log1mexp

_ROUND = np.finfo(float).eps / 2
_TINY, _LARGEST_LOG = 1e-300, 1e300
_NOISE = 0.02  # of the width asked for that round-off may use up before extended precision is tried
_LARGEST_EXTENDED = 2**23  # longest transform in extended precision


@dataclass(frozen=True)
class CertifiedSide:
    """One side: e^{log_scale}·values at nodes start + step·i, straight in e^x between them, plus what lies at infinity.

    `sign` is +1 for the upper side: errors are added, losses moved up by `shift`; −1 for the lower side.
    """

    start: float
    step: float
    values: np.ndarray
    total: float
    log_scale: float
    log_infinite: float
    log_tail: float
    tilt: float
    shift: float
    slack: float
    sign: float

    def log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """log H of this side."""
        x = epsilon - self.sign * self.shift
        node = np.clip(((x - self.start) // self.step).astype(np.int64), 0, self.values.size - 2)
        offset = x - (self.start + self.step * node)
        after = np.clip(offset, 0.0, self.step)
        share = np.clip(np.exp(after - self.step) * np.expm1(-after) / np.expm1(-self.step), 0.0, 1.0)
        inside = self.values[node] + share * (self.values[node + 1] - self.values[node])
        before = np.exp(np.minimum(offset, 0.0))
        value = np.where(offset < 0, self.values[0] * before + self.total * -np.expm1(np.minimum(offset, 0.0)), inside)
        if self.sign < 0:
            value = np.where(x > self.start + self.step * (self.values.size - 1), 0.0, value)
        log_tail = self.log_tail - self.tilt * x
        if self.sign > 0:
            log_value = np.logaddexp(self.log_scale + np.log(np.maximum(value, _TINY)), log_tail)
        else:
            some = value > 0
            log_value = self.log_scale + np.log(np.where(some, value, 1.0))
            log_value = np.where(some, log_value + log1mexp(np.minimum(log_tail - log_value, 0.0)), -np.inf)
        return np.minimum(np.logaddexp(log_value, self.log_infinite) + self.sign * self.slack, 0.0)


@dataclass(frozen=True)
class Between:
    """The lower side 2·H_U − H_W, from U's curve from below and that of U with noise from above; H_U itself without noise, 0 without U."""

    plain: CertifiedSide | None
    noisy: CertifiedSide | None
    log_infinite: float

    def log_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """log H of this side."""
        if self.plain is None:
            return np.full(epsilon.shape, self.log_infinite)
        value = self.plain.log_delta(epsilon)
        if self.noisy is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                more = np.where(value > -np.inf, self.noisy.log_delta(epsilon) - value, np.inf)
                value = value + np.log1p(-np.minimum(np.expm1(np.minimum(more, 1.0)), 1.0))
        return np.logaddexp(value, self.log_infinite)


def certified_sides(
    pairs: list[GridPair],
    product: Product,
    of: str,
    window: Window,
    evaluation_errors: list[float],
    tilt: float,
    span: tuple[float, float],
    width: float,
) -> tuple[CertifiedSide, CertifiedSide]:
    r"""The curve from below, without infinite losses, and from above, over the ε of `span`, every error on its side.

    Masses are un-tilted and summed from the right. With m_i the masses at x_i of the composed loss tilted by θ, e^K its total
    before that was made 1, x₀ the first node,

    .. math:: H(x) = e^{K − θx_0} \sum_{x_i > x} m_i\, e^{−θ(x_i − x_0)} \left(1 − e^{x − x_i}\right)

    Errors are of five kinds: round-off of the m_i; nodes that lie a little off (x moves by `shift`); mass outside the
    window; infinite losses; and the profiles' own relative error with that of the sums (`slack`).

    Parameters
    ----------
    pairs : both laws of each mechanism on the grid
    product : the tilted law of this kind of each mechanism, with its count
    of : "upper" or "wider", which of the two laws
    window : indices that the composed loss is folded into
    evaluation_errors : relative error of each mechanism's profile
    tilt : θ > 0
    span : least and greatest ε that will be asked for
    width : relative width of δ aimed at, beside which round-off must not show
    """
    factors, step = product.factors, product.step
    laws = [getattr(pair, of) for pair in pairs]
    parts = list(zip(factors, pairs, laws, strict=True))
    shift = sum(f.count * _misplaced(pair, law) for f, pair, law in parts)
    middle = sum(f.count * (pair.offset + step * f.centre) for f, pair, _ in parts)
    first = int((span[0] - shift - middle) // step) - 2
    first = min(max(window.first, first), window.first + window.size - 2)
    start = middle + step * first
    both = _values(product, first, window, tilt, step, (span[1] - start) / step, width)
    keep = int(min(window.size, max((span[1] + shift - start) // step + 4, 2)))
    log_total = sum(f.count * f.log_total for f in factors)
    rounding = 4 * _ROUND * (window.size + abs(tilt * start))
    slack = rounding + sum(
        f.count * (own + 4 * _ROUND * (law.index.size + 30 + abs(f.log_total)))
        for (f, _, law), own in zip(parts, evaluation_errors, strict=True)
    )
    with np.errstate(divide="ignore"):
        log_kept = float(np.log1p(-min(sum(f.count * pair.lost for f, pair, _ in parts), 1.0)))
    log_infinite = log_any((law.infinite, f.count) for f, _, law in parts)
    below, above = (
        CertifiedSide(
            start,
            step,
            values[:keep].copy(),
            total,
            log_scale=log_total - tilt * start,
            log_infinite=log_infinite if sign > 0 else -np.inf,
            log_tail=log_total + _log_outside(product, window, tilt),
            tilt=tilt,
            shift=shift,
            slack=slack - log_kept if sign < 0 else slack,
            sign=sign,
        )
        for sign, (values, total) in zip((-1.0, 1.0), both, strict=True)
    )
    return below, above


def _misplaced(pair: GridPair, law: GridLaw) -> float:
    """How far a node may lie from where its index says: round-off, and atoms moved up to a node."""
    return 4 * _ROUND * (abs(pair.offset) + pair.step * float(np.abs(law.index).max(initial=0))) + ON_GRID * pair.step


def _log_outside(product: Product, window: Window, tilt: float) -> float:
    r"""log of what tilted mass M outside the window adds to H(x), at most, over e^{K − θx}.

    .. math:: M \max_{y > 0} e^{−θy}(1 − e^{−y}) = \frac{M}{1+θ} \left(\frac{θ}{1+θ}\right)^θ
    """
    with np.errstate(divide="ignore"):
        return float(np.log(product.tail(window))) - np.log1p(tilt) - tilt * np.log1p(1 / tilt)


def _values(
    product: Product, first: int, window: Window, tilt: float, step: float, last: float, width: float
) -> list[tuple[np.ndarray, float]]:
    """The sum at each node from `first` on and the total mass, from below and above; in extended precision where round-off would show."""
    top = product.support[1]
    for precision in (np.float64, np.longdouble):
        masses, error = convolve(product.factors, window, precision)
        both = [_summed(masses, sign * error, first, window, top, tilt, step) for sign in (-1.0, 1.0)]
        if window.size > _LARGEST_EXTENDED or not _is_noisy(both[1][0], error, step, tilt, last, width):
            break
    return both


def _summed(
    masses: np.ndarray, error: float, first: int, window: Window, last: int, tilt: float, step: float
) -> tuple[np.ndarray, float]:
    """Σ over larger losses of mass·e^{−tilt·(loss − start)}·(1 − e^{x − loss}) at each node x, and the total mass."""
    masses = np.maximum(masses[first - window.first :] + error, 0.0)
    masses[max(last - first + 1, 0) :] = 0.0
    masses = np.append(masses * np.exp(-tilt * step * np.arange(masses.size)), 0.0)
    beyond = np.append(np.cumsum(masses[:0:-1])[::-1], 0.0)
    values = scipy.signal.lfilter([-np.expm1(-step)], [1.0, -np.exp(-step)], beyond[::-1])[::-1]
    return values, float(beyond[0] + masses[0])


def _is_noisy(values: np.ndarray, error: float, step: float, tilt: float, last: float, width: float) -> bool:
    """Whether round-off is visible beside the width asked for, at some node of the span."""
    nodes = np.linspace(0, np.clip(last, 0, values.size - 2), 9).astype(np.int64)
    noise = error * np.exp(-tilt * step * nodes) / (step * tilt * (1 + tilt))
    return bool((noise > _NOISE * width * values[nodes]).any())
