"""Objective perturbation of linear regression: the exact profile of one record in one data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from dpcore.mechanisms.quick_two_normals import quick_log_two_normals
from dpcore.numerics import (
    LARGEST_EXPONENT,
    LARGEST_ROOT,
    LOG_SQRT_2PI,
    NEGLIGIBLE,
    PANEL_NODES,
    OfRows,
    gauss_legendre,
    panel_rule,
)
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

_FEW, _MANY = (np.polynomial.hermite_e.hermegauss(count) for count in (14, 24))  # two rules, which are compared
# Numbers of nodes of the two Gauss–Legendre rules that `_folded` compares. Doubled, the sums take twice as long.
_FOLDED_NODES = (36, 50)
_SCAN = np.linspace(0, 1, 33)  # shares of a window at which `_window` checks whether the integrand is negligible
# How far log of the integrand falls from its peak to the ends of a window. Doubled, windows are wider.
_BEYOND = 30.0
# Relative difference of two rules below which the finer one is right to 1e-11. Doubled, fewer records need a costlier
# rule.
_AGREE = 1e-8
_PANELS = 24  # number of panels of the composite rule; doubled, it takes twice as long
_PROBE = 0.03  # step of the differences that locate the peak, in standard deviations of c
# Largest number of Newton steps towards the peak, and the share of the way to the threshold that each step must leave.
_CLIMBS, _SHRINK = 16, 0.2


def log_mixed_normals(epsilon: Any, leverage: Any, shift: Any, spread: Any, direction: str) -> np.ndarray:
    r"""log δ(ε) of one record, broadcast over ε ≥ 0, leverage μ ≥ 0, shift m and spread τ ≥ 0.

    In u = bᵀx/(σ‖x‖), given c, the release is N(0, 1) without the record and N(−c/(1+μ), (1+μ)⁻²) with it, and c has the
    same law in both:

    .. math:: δ(ε) = E_{c∼N(m, τ²)}\, H_{e^ε}\bigl(N(0,1),\; N(−c/(1+μ), (1+μ)^{−2})\bigr)

    Each H is a pair of normal laws of different variance (two roots of a quadratic); the mean over c is a Gauss–Hermite sum
    around the peak of the integrand, or a composite Gauss–Legendre rule where two such sums disagree.

    Parameters
    ----------
    epsilon : nats, ≥ 0
    leverage : μ ≥ 0
    shift : m
    spread : τ ≥ 0
    direction : "add" or "remove"
    """
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (epsilon, leverage, shift, spread)))
    shape = arrays[0].shape
    epsilon, leverage, shift, spread = (value.reshape(-1) for value in arrays)
    pair = _Pairs(epsilon, leverage, np.abs(shift), spread, direction)
    with np.errstate(all="ignore"):
        return np.minimum(pair.log_delta(), 0.0).reshape(shape)


@dataclass(frozen=True)
class _Pairs(OfRows):
    """Conditional hockey sticks of many records, all arrays (n_records,)."""

    epsilon: np.ndarray
    mu: np.ndarray
    m: np.ndarray
    tau: np.ndarray
    direction: str

    def given(self, c: np.ndarray) -> np.ndarray:
        """log H at c (n_records, k). With μ = 0 both laws have variance 1."""
        mu = np.maximum(self.mu, 1 / LARGEST_ROOT)[:, None]
        excess = mu * (2 + mu)  # the other kernel's leverage: variances 1 and (1+μ)⁻²
        return quick_log_two_normals(
            self.epsilon[:, None], excess, np.abs(c) * (1 + mu) / np.sqrt(excess), self.direction
        )

    def log_integrand(self, z: np.ndarray) -> np.ndarray:
        """log of φ(z)·H at c = m + τz, up to the constant of φ."""
        return self.given(self.m[:, None] + self.tau[:, None] * z) - 0.5 * z * z

    def log_delta(self) -> np.ndarray:
        """log δ by the cheapest rule that two orders agree on."""
        result = self.given(self.m[:, None])[:, 0]
        rest = np.flatnonzero(self.tau > 0)
        if not rest.size:
            return result
        centre, width = self.take(rest)._peak()
        part = self.take(rest)
        c = np.abs(part.m + part.tau * centre)
        single = (2 * c * part.m > NEGLIGIBLE * part.tau**2) | (c < part.tau * width)  # no second peak at −c
        single &= part._threshold() < np.maximum(c - np.sqrt(2 * _BEYOND) * part.tau * width, 1 / LARGEST_ROOT)
        settled = np.zeros(rest.size, dtype=bool)
        for rule, wanted in ((_Pairs._hermite, single), (_Pairs._folded, ~settled)):
            rows = np.flatnonzero(wanted & ~settled)
            if rows.size:
                result[rest[rows]], settled[rows] = rule(part.take(rows), centre[rows], width[rows])
        if not settled.all():
            result[rest[~settled]] = part.take(np.flatnonzero(~settled))._panels(centre[~settled])
        return result

    def _hermite(self, centre: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gauss–Hermite sums around the peak in z, and whether they agree."""
        nodes = np.concatenate([_FEW[0], _MANY[0]])
        values = self.log_integrand(centre[:, None] + width[:, None] * nodes) + 0.5 * nodes * nodes
        few = special.logsumexp(values[:, : _FEW[0].size], b=_FEW[1], axis=1)
        many = special.logsumexp(values[:, _FEW[0].size :], b=_MANY[1], axis=1)
        return many + np.log(width) - LOG_SQRT_2PI, np.abs(few - many) <= _AGREE

    def _folded(self, centre: np.ndarray, _width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gauss–Legendre sums over |c| near its peak, and whether they agree."""
        start, left, right = self._window(centre)
        sums, width = [], (right - left)[:, None]
        for nodes, weights in map(gauss_legendre, _FOLDED_NODES):
            values = self._over_w(start, left[:, None] + width * nodes)
            sums.append(special.logsumexp(values, b=width * weights, axis=1))
        return sums[1], np.abs(sums[0] - sums[1]) <= _AGREE

    def _panels(self, centre: np.ndarray) -> np.ndarray:
        """The same integral, cut into panels."""
        start, left, right = self._window(centre)
        nodes, weights = (part.ravel() for part in panel_rule(np.linspace(0, 1, _PANELS + 1), PANEL_NODES))
        width = (right - left)[:, None]
        return special.logsumexp(self._over_w(start, left[:, None] + width * nodes), b=width * weights, axis=1)

    def _window(self, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The threshold, and the ends of the range of w, |c| = threshold + w², on which the integrand is not negligible."""
        start = self._threshold()
        value = self.log_integrand(centre[:, None])[:, 0]
        reach = self.tau * np.sqrt(
            2 * np.maximum(_BEYOND - np.where(np.isfinite(value), value, -LARGEST_EXPONENT), 1.0)
        )
        left = np.sqrt(np.maximum(self.m - reach - start, 0.0))
        right = np.sqrt(np.maximum(self.m + reach - start, self.tau))
        for _ in range(2):
            w = left[:, None] + (right - left)[:, None] * _SCAN
            values = self._over_w(start, np.maximum(w, 1e-9 * right[:, None]))
            seen = values > (values.max(axis=1) - _BEYOND)[:, None]
            first = np.maximum(np.argmax(seen, axis=1) - 1, 0)[:, None]
            last = np.minimum(_SCAN.size - np.argmax(seen[:, ::-1], axis=1), _SCAN.size - 1)[:, None]
            left, right = np.take_along_axis(w, first, axis=1)[:, 0], np.take_along_axis(w, last, axis=1)[:, 0]
        return start, left, right

    def _over_w(self, start: np.ndarray, w: np.ndarray) -> np.ndarray:
        """log integrand in w (n_records, k) of the integral over |c|."""
        c = start[:, None] + w * w
        left, right = (0.5 * ((c + side * self.m[:, None]) / self.tau[:, None]) ** 2 for side in (1, -1))
        log_density = np.logaddexp(-left, -right) - LOG_SQRT_2PI - np.log(self.tau)[:, None]
        return self.given(c) + log_density + np.log(2 * w)

    def _peak(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and width of the integrand's peak in z, by Newton steps on differences."""
        floor = (self._threshold() - self.m) / self.tau
        z, width = np.maximum(0.0, floor + 0.5), np.ones(self.mu.size)
        active = np.arange(self.mu.size)
        for _ in range(_CLIMBS):
            part = self.take(active)
            at = z[active]
            low, middle, high = part.log_integrand(at[:, None] + _PROBE * np.array([-1.0, 0.0, 1.0])).T
            slope, bend = (high - low) / (2 * _PROBE), (high - 2 * middle + low) / _PROBE**2
            known = np.isfinite(slope) & np.isfinite(bend)
            bend = np.where(known, np.minimum(bend, -0.2), -1.0)
            step = np.where(known, np.clip(-slope / bend, -4.0, 4.0), 0.0)
            width[active] = 1 / np.sqrt(-bend)
            z[active] = np.maximum(at + step, floor[active] + _SHRINK * (at - floor[active]))
            active = active[np.abs(z[active] - at) > 0.1]
            if not active.size:
                break
        return z, width

    def _threshold(self) -> np.ndarray:
        """|c| below which H is 0. In the direction of addition there is none, and the value is 0."""
        if self.direction == "add":
            return np.zeros(self.mu.shape)
        return np.sqrt(np.maximum(2 * self.mu * (2 + self.mu) * (self.epsilon - np.log1p(self.mu)), 0.0))


@dataclass(frozen=True)
class LinearRecord(PrivacyProfile):
    r"""Exact profile of one record under objective perturbation of linear regression: data set and record both fixed.

    Parameters
    ----------
    leverage : μ = xᵀH⁻¹x ≥ 0, H = XᵀX + λI over the other rows
    shift : |m| = ‖x‖|r|/σ ≥ 0, r the residual of the record under the fit to the other rows
    spread : τ = √(‖x‖²‖H⁻¹x‖² − μ²) ≥ 0

    References: wang-2019 (Eq. 5), redberg-koskela-wang-2023.
    """

    leverage: float
    shift: float
    spread: float

    bound: ClassVar[Bound] = Bound.EXACT
    card: ClassVar[FormulaCard] = formula_card(__file__, "linear_record")

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_mixed_normals(epsilon, self.leverage, self.shift, self.spread, direction)
