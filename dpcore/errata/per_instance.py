"""Errata of the paper on per-instance privacy: records, exposures and posterior samples."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq, linprog

from dpcore.data import load_sample
from dpcore.errata.record import DELTA_PARAMETER, Erratum, Kind
from dpcore.individual import individual_privacy
from dpcore.mechanisms import Gaussian, Parameter, PosteriorSampling
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord
from dpcore.numerics import gauss_legendre

_SOURCE = "wang-2019"
_GAMMA = Parameter("gamma", "γ", "Inverse temperature γ", 0.1, 1e-3, 100.0)
_LAMBDA = Parameter("lam", "λ", "Regularisation λ", 1.0, 0.1, 100.0)
_X = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
_Y = np.array([1.0, -1.0, 0.5])
_RECORD = np.array([0.6, -0.8])


def gaussian_epsilon(shift: float, delta: float) -> float:
    """Exact ε at δ of unit Gaussian noise on a query that moves by `shift`."""
    return float(Gaussian(1.0, max(shift, 1e-12)).epsilon(delta))


def _tail_bound(shift: float, delta: float) -> float:
    """Δ²/2 + Δ√(2 log(1/δ)): the privacy loss N(Δ²/2, Δ²) exceeds it with probability at most δ."""
    return shift**2 / 2 + shift * np.sqrt(2 * np.log(1 / delta))


def _shift(gamma: float, target: float, lam: float) -> float:
    """√γ‖θ̂ − θ̂'‖ from two fits."""
    without = np.linalg.solve(_X.T @ _X + lam * np.eye(2), _X.T @ _Y)
    rows, values = np.vstack([_X, _RECORD]), np.append(_Y, target)
    joined = np.linalg.solve(rows.T @ rows + lam * np.eye(2), rows.T @ values)
    return float(np.sqrt(gamma) * np.linalg.norm(without - joined))


def _gradient_form(target: float, lam: float) -> float:
    """gᵀH⁻¹AH⁻¹g with A = I, g the record's gradient at the joint fit, H of the others."""
    rows, values = np.vstack([_X, _RECORD]), np.append(_Y, target)
    joined = np.linalg.solve(rows.T @ rows + lam * np.eye(2), rows.T @ values)
    gradient = (_RECORD @ joined - target) * _RECORD
    moved = np.linalg.solve(_X.T @ _X + lam * np.eye(2), gradient)
    return float(moved @ moved)


_LINE, _LABELS = np.array([1.0, 0.5, -0.8]), np.array([1.0, -1.0, 1.0])
_NODES = 40


def _logistic_fits(lam: float, x: float) -> tuple[float, float]:
    """Minimisers of a one-dimensional logistic regression without and with the record (x, 1)."""

    def slope(theta: float, extra: float) -> float:
        others = -_LABELS * special.expit(-_LABELS * _LINE * theta) @ _LINE
        return float(others + lam * theta - extra * x * special.expit(-x * theta))

    return brentq(slope, -100, 100, args=(0.0,), xtol=1e-14), brentq(slope, -100, 100, args=(1.0,), xtol=1e-14)


def _newton_form(lam: float, x: float) -> float:
    """[∫H]⁻¹∇ℓ(θ'; z) along the segment between the two fits."""
    without, joined = _logistic_fits(lam, x)
    nodes, weights = gauss_legendre(_NODES)
    path = without + (joined - without) * nodes
    p = special.expit(np.multiply.outer(path, _LINE))
    curvature = (p * (1 - p)) @ _LINE**2 + lam
    return float(-x * special.expit(-x * joined) / (weights @ curvature))


@lru_cache(maxsize=64)
def _diabetes(gamma: float, lam: float, delta: float) -> tuple[float, float, float]:
    """(printed, corrected, exact ε) of the diabetes row whose exact ε exceeds the printed bound by most."""
    data = load_sample("diabetes")
    exact = individual_privacy(data, PosteriorSampling(gamma, lam), delta=delta).epsilon
    X, y = data.X, data.y
    inverse = np.linalg.inv(X.T @ X + lam * np.eye(X.shape[1]))
    inside = np.einsum("ij,jk,ik->i", X, inverse, X)
    residual = y - X @ (inverse @ (X.T @ y))
    mu, r = inside / (1 - inside), residual / (1 - inside)
    printed = add_bound(mu, r, gamma, delta, tail=1.0)
    corrected = np.maximum(add_bound(mu, r, gamma, delta), remove_bound(mu, r, gamma, delta))
    worst = int(np.argmax(exact / printed))
    return float(printed[worst]), float(corrected[worst]), float(exact[worst])


def add_bound(mu: np.ndarray, r: np.ndarray, gamma: float | np.ndarray, delta: float, tail: float = 2.0) -> np.ndarray:
    """Eq. (7): ½|−log(1+μ) + γμr²/(1+μ)| + (t/2)μ log(2/δ) + |r|√(tγμ log(2/δ)); t = 2 corrected, t = 1 printed.

    Parameters
    ----------
    mu, r : leverage and residual of the record
    gamma : inverse temperature
    delta : in (0, 1)
    tail : t
    """
    log = np.log(2 / delta)
    centre = 0.5 * np.abs(-np.log1p(mu) + gamma * mu * r**2 / (1 + mu))
    return centre + tail / 2 * mu * log + np.abs(r) * np.sqrt(tail * gamma * mu * log)


def remove_bound(mu: np.ndarray, r: np.ndarray, gamma: float | np.ndarray, delta: float) -> np.ndarray:
    """Eq. (8), corrected, in terms of the out-of-sample μ and r."""
    inside, residual, log = mu / (1 + mu), r / (1 + mu), np.log(2 / delta)
    centre = 0.5 * (-np.log1p(-inside) + gamma * inside * residual**2 / (1 - inside))
    return centre + inside * log + np.abs(residual) * np.sqrt(2 * gamma * inside * log)


def _log_ratio_at_centre(gamma: float, mu: float, r: float) -> float:
    """log p'/p of s at s = r', from the two normal densities."""
    scale, out = np.sqrt(mu / gamma), mu / (1 - mu)
    return float(stats.norm.logpdf(r, r, scale) - stats.norm.logpdf(r, r / (1 - mu), np.sqrt(out / gamma)))


def _remark_15(mu: float, gamma: float, r: float, delta: float, *, printed: bool) -> float:
    log, tail, seen = np.log(2 / delta), 1.0 if printed else 2.0, r / (1 + mu) if printed else r
    bend = mu / 2 * (1 + tail * log) + 0.5 * gamma * min(mu, 1.0) * seen**2
    return float(bend + seen * np.sqrt(tail * gamma * mu * log))


def _record_epsilon(mu: float, gamma: float, r: float, delta: float) -> float:
    return float(PosteriorSampleRecord(mu, np.sqrt(gamma) * r).epsilon(delta))


def _leverages(length: float, lam: float) -> tuple[float, float]:
    """(in-sample, out-of-sample) leverage of the record times `length`."""
    record = length * _RECORD
    hessian = _X.T @ _X + lam * np.eye(2)
    inside = record @ np.linalg.solve(hessian + np.outer(record, record), record)
    return float(inside), float(record @ np.linalg.solve(hessian, record))


def _log_determinant(length: float, lam: float) -> float:
    """log det H′ − log det H."""
    hessian, record = _X.T @ _X + lam * np.eye(2), length * _RECORD
    return float(np.linalg.slogdet(hessian + np.outer(record, record))[1] - np.linalg.slogdet(hessian)[1])


def _largest_log_odds(epsilon: float, delta: float) -> float:
    """max log p/q over two laws that meet (ε, δ) and an event with p ≥ δ/ε: a linear programme in p/q and 1/q."""
    price = np.exp(epsilon)
    rows = [[1, -delta], [-price, -delta], [price, 1 - price - delta], [-1, 1 - price - delta]]
    limits = [price, -1.0, 1.0, -price]  # of the event, and of its complement
    # order: p − e^ε q, q − e^ε p, then (1−q) − e^ε (1−p) and (1−p) − e^ε (1−q), all ≤ δ and divided by q
    found = linprog(
        [-1.0, 0.0], A_ub=[*rows, [-1, delta / epsilon], [1, -1]], b_ub=[*limits, 0.0, 0.0], bounds=(0, None)
    )
    return float(np.log(-found.fun))


def _group_excess(epsilon: float, delta: float) -> float:
    """max P₂(S) − e^ε P₀(S) over P₀, P₁ that are (0, δ)-close and P₁, P₂ that are (ε, 0)-close: a linear programme."""
    e = np.exp(epsilon)
    rows = [
        [1, -1, 0],
        [-1, 1, 0],
        [0, 1, -e],
        [0, -e, 1],
        [0, -1, e],
        [0, e, -1],
    ]  # of the event, then of its complement
    found = linprog([e, 0, -1], A_ub=rows, b_ub=[delta, delta, 0, 0, e - 1, e - 1], bounds=(0, 1))
    return -float(found.fun)


RECORDS = (
    Erratum(
        "pdp-lemma4", _SOURCE, "Lemma 4",
        r"\epsilon=\gamma\,\Delta_A\sqrt{\log(1.25/\delta)}",
        r"\epsilon=\sqrt{2\gamma\log(1/\delta)}\,\Delta_A+\tfrac12\gamma\Delta_A^2",
        "It is the privacy of every output perturbation in the paper; at small γ the printed value is far too low. With the "
        "constant 1.25 the familiar √(2γ log(1.25/δ)) Δ_A holds for ε ≤ 1 only.",
        "ε at δ", "inverting the exact Gaussian profile",
        (_GAMMA, Parameter("distance", "Δ_A", "Change of the estimate Δ_A", 0.5, 0.01, 3.0), DELTA_PARAMETER),
        lambda gamma, distance, delta: gamma * distance * np.sqrt(np.log(1.25 / delta)),
        lambda gamma, distance, delta: _tail_bound(np.sqrt(gamma) * distance, delta),
        lambda gamma, distance, delta: gaussian_epsilon(np.sqrt(gamma) * distance, delta),
        "The printed formula promises ε = {printed}; the mechanism has {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-fact5", _SOURCE, "Fact 5",
        r"\min\{P_Z(S),P_Z(S)\}\ge\tfrac\delta\epsilon\ \Rightarrow\ \Big|\log\tfrac{P_Z(S)}{P_{[Z,z]}(S)}\Big|\le2\epsilon",
        r"\min\{P_Z(S),P_{[Z,z]}(S)\}\ge\tfrac\delta\epsilon\ \Rightarrow\ \le2\epsilon;"
        r"\quad P_Z(S)\ge\tfrac\delta\epsilon\ \text{alone: }\le\epsilon-\log(1-\epsilon)",
        "The minimum names one probability twice. An event that is likely enough without the record may still be too rare with it, "
        "and from ε = 1 on the odds of such an event can be infinite.",
        "largest log odds of an event with P_Z(S) ≥ δ/ε", "a linear programme over all pairs of laws",
        (
            Parameter("epsilon", "ε", "Privacy loss ε", 0.5, 0.05, 0.95, "linear"),
            Parameter("delta", "δ", "δ of (ε, δ)", 0.01, 1e-4, 0.04),
        ),
        lambda epsilon, delta: 2 * epsilon, lambda epsilon, delta: epsilon - np.log1p(-epsilon), _largest_log_odds,
        "Printed at most {printed}; an event that meets its condition has {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-fact6", _SOURCE, "Fact 6, second display",
        r"P_k(S)\le e^{\epsilon_1+\dots+\epsilon_k}P_0(S)+\sum_i\delta_i\,e^{\epsilon_1+\dots+\epsilon_{i-1}}",
        r"P_k(S)\le e^{\epsilon_1+\dots+\epsilon_k}P_0(S)+\sum_i\delta_i\,e^{\epsilon_{i+1}+\dots+\epsilon_k}",
        "The chain of the first display runs from Z to the group, the other one back: each δ is then multiplied by what the later "
        "rows cost. A group whose early rows have the δ and whose late rows have the ε is worse off than printed.",
        "largest P₂(S) − exp(ε₁ + ε₂) P₀(S) with ε₁ = δ₂ = 0", "a linear programme over three laws",
        (
            Parameter("epsilon", "ε₂", "ε of the second row", 2.0, 0.1, 4.0, "linear"),
            Parameter("delta", "δ₁", "δ of the first row", 0.01, 1e-4, 0.015),
        ),
        lambda epsilon, delta: delta, lambda epsilon, delta: delta * np.exp(epsilon), _group_excess,
        "Printed at most {printed}; three laws have {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-eq3", _SOURCE, "Eq. (3)",
        r"\epsilon=\sqrt{g^\top H^{-1}AH^{-1}g\,\log(1.25/\delta)}",
        r"\epsilon=\sqrt{2\gamma q\log(1/\delta)}+\tfrac12\gamma q,\quad q=g^\top H^{-1}AH^{-1}g",
        "Without γ the printed ε does not react to the noise at all.",
        "ε at δ of one record of a small ridge regression", "two fits and the exact Gaussian profile",
        (
            Parameter("gamma", "γ", "Inverse temperature γ", 10.0, 1e-3, 100.0),
            Parameter("target", "y", "Target of the record", 0.5, -1.0, 1.0, "linear"), _LAMBDA, DELTA_PARAMETER,
        ),
        lambda gamma, target, lam, delta: np.sqrt(_gradient_form(target, lam) * np.log(1.25 / delta)),
        lambda gamma, target, lam, delta: _tail_bound(np.sqrt(gamma * _gradient_form(target, lam)), delta),
        lambda gamma, target, lam, delta: gaussian_epsilon(_shift(gamma, target, lam), delta),
        "Printed {printed} whatever γ is; the release has ε = {computed} here.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-lemma13", _SOURCE, "Lemma 13, second line",
        r"\hat\theta-\hat\theta'=-\Big[\int H\Big]^{-1}\nabla\ell(\hat\theta';z)",
        r"\hat\theta-\hat\theta'=+\Big[\int H\Big]^{-1}\nabla\ell(\hat\theta';z)",
        "Norms, and so privacy, are unaffected; a one-step update that follows the printed sign moves the wrong way.",
        "θ̂ − θ̂' of a logistic regression", "two fits by root finding",
        (_LAMBDA, Parameter("x", "x", "The record's x (label 1)", 1.0, 0.1, 1.0, "linear")),
        lambda lam, x: -_newton_form(lam, x),
        _newton_form,
        lambda lam, x: -np.diff(_logistic_fits(lam, x))[0],
        "Printed {printed}, fitted {computed}: the same size, the opposite sign.",
    ),
    Erratum(
        "pdp-mu-swapped", _SOURCE, "after Eq. (4), against Theorem 14",
        r"\mu=x^\top([X,x]^\top[X,x])^{-1}x,\quad\mu'=x^\top(X^\top X)^{-1}x",
        r"\mu=x^\top(X^\top X)^{-1}x,\quad\mu'=x^\top([X,x]^\top[X,x])^{-1}x",
        "Theorem 14 uses the letters the other way round. With the first definition its log(1 + μ) is too small, and its "
        "log(1 − μ') need not exist.",
        "log det of the Hessian's change, log(1 + μ) in Theorem 14", "two determinants",
        (Parameter("length", "‖x‖", "Length of the record ‖x‖", 1.0, 0.05, 1.0), _LAMBDA),
        lambda length, lam: np.log1p(_leverages(length, lam)[0]), lambda length, lam: np.log1p(_leverages(length, lam)[1]),
        _log_determinant,
        "With μ as first defined {printed}; the determinants give {computed}.",
    ),
    Erratum(
        "pdp-thm14-tail", _SOURCE, "proof of Theorem 14",
        r"P\Big(|u|>\sqrt{\tfrac\mu\gamma\log\tfrac2\delta}\Big)\le\delta",
        r"P\Big(|u|>\sqrt{\tfrac{2\mu}\gamma\log\tfrac2\delta}\Big)\le\delta",
        "The bound of Theorem 14 inherits it, and then lies below the truth for some rows.",
        "ε of the diabetes row that the printed bound misses by most", "the exact profile of every row",
        (
            Parameter("gamma", "γ", "Inverse temperature γ", 0.01, 1e-3, 100.0), _LAMBDA,
            Parameter("delta", "δ", "δ of (ε, δ)", 1e-8, 1e-10, 0.1),
        ),
        lambda gamma, lam, delta: _diabetes(gamma, lam, delta)[0],
        lambda gamma, lam, delta: _diabetes(gamma, lam, delta)[1],
        lambda gamma, lam, delta: _diabetes(gamma, lam, delta)[2],
        "The printed bound says {printed} for a row whose exact ε is {computed}: {ratio} of the truth.", points=9, kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-eq8-sign", _SOURCE, "Eq. (8) and the primed log ratio",
        r"\tfrac12\Big|-\log(1-\mu')-\tfrac{\gamma\mu'}{1-\mu'}r'^2\Big|",
        r"\tfrac12\Big(-\log(1-\mu')+\tfrac{\gamma\mu'}{1-\mu'}r'^2\Big)",
        "With opposite signs the two terms cancel, and a leverage and a residual that both give a row away seem to hide it.",
        "log ratio at the centre of the release", "two normal densities",
        (
            _GAMMA, Parameter("mu", "μ'", "In-sample leverage μ'", 0.5, 0.01, 0.95, "linear"),
            Parameter("r", "r'", "In-sample residual r'", 1.0, 0.0, 3.0, "linear"),
        ),
        lambda gamma, mu, r: 0.5 * abs(-np.log1p(-mu) - gamma * mu * r**2 / (1 - mu)),
        lambda gamma, mu, r: 0.5 * (-np.log1p(-mu) + gamma * mu * r**2 / (1 - mu)),
        _log_ratio_at_centre,
        "Printed {printed}, the densities give {computed}.",
    ),
    Erratum(
        "pdp-thm14-equal", _SOURCE, "Theorem 14, “(7) = (8)”",
        r"(7)=(8),\ \text{and either bounds the pDP loss}",
        r"\epsilon\le\max\{(7),(8)\}:\ \text{each bounds one direction}",
        "Using (8) alone covers the removal of the record and not its addition.",
        "ε at δ of one record (printed: Eq. (8) with its signs and tail corrected)", "the exact profile, both directions",
        (
            Parameter("mu", "μ", "Leverage μ", 5.0, 0.01, 50.0), _GAMMA,
            Parameter("r", "r", "Residual |r|", 0.5, 0.0, 3.0, "linear"), DELTA_PARAMETER,
        ),
        lambda mu, gamma, r, delta: float(remove_bound(mu, r, gamma, delta)),
        lambda mu, gamma, r, delta: float(max(remove_bound(mu, r, gamma, delta), add_bound(mu, r, gamma, delta))),
        _record_epsilon,
        "Eq. (8) alone says {printed}; the record's exact ε is {computed}; the larger of the two bounds is {corrected}.", points=13,
        kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-remark15", _SOURCE, "Remark 15",
        r"\tfrac\mu2\big(1+\log\tfrac2\delta\big)+\tfrac12\gamma\min(\mu,1)r'^2+\sqrt{\gamma\mu\log\tfrac2\delta}\,|r'|",
        r"\mu\big(\tfrac12+\log\tfrac2\delta\big)+\tfrac12\gamma\min(\mu,1)r^2+\sqrt{2\gamma\mu\log\tfrac2\delta}\,|r|",
        "It simplifies (7), whose residual is the one under the fit without the record; the one with it is smaller by 1 + μ. The tail "
        "of Theorem 14 is inherited.",
        "ε at δ of one record", "the exact profile, both directions",
        (
            Parameter("mu", "μ", "Leverage μ", 5.0, 0.01, 50.0), Parameter("gamma", "γ", "Inverse temperature γ", 10.0, 1e-3, 100.0),
            Parameter("r", "r", "Residual |r|", 1.0, 0.0, 3.0, "linear"), DELTA_PARAMETER,
        ),
        lambda mu, gamma, r, delta: _remark_15(mu, gamma, r, delta, printed=True),
        lambda mu, gamma, r, delta: _remark_15(mu, gamma, r, delta, printed=False), _record_epsilon,
        "The printed remark says {printed}; the record's exact ε is {computed}; {corrected} is safe.", points=13, kind=Kind.FAILS,
    ),
)  # fmt: skip
