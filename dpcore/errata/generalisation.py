"""Errata of the paper on per-instance privacy: from moments of ε to generalisation."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from dpcore.errata.record import Erratum, Kind
from dpcore.mechanisms import Parameter

_SOURCE = "wang-2019"
_CORNER = r"\mathrm{Gen}\le\tfrac12\big[\mathbb{E}_{\mathcal D}e^{2\epsilon}+\mathbb{E}_{\mathcal D'}e^{2\epsilon}\big]-1+2\delta"


def _answer_delta(advantage: float, epsilon: float) -> float:
    """δ(ε) between a fair coin and one that shows the record's sign with probability ½ + advantage, both directions."""
    coin, law = np.array([0.5, 0.5]), np.array([0.5 + advantage, 0.5 - advantage])
    return max(float(np.maximum(p - np.exp(epsilon) * q, 0).sum()) for p, q in ((coin, law), (law, coin)))


def _proposition_11(advantage: float, epsilon: float, *, printed: bool) -> float:
    delta = _answer_delta(advantage, epsilon)
    return float(np.expm1(2 * epsilon) + delta + (epsilon if printed else np.exp(epsilon)) * delta)


def _cross_domain_gap(advantage: float, rare: float) -> float:
    """Gen of Definition 10, outcome by outcome, for one record: D is −1 with probability `rare`, D′ always, ℓ(θ, z) = 1[θ ≠ z]."""
    signs = (-1.0, 1.0)
    base, target = {-1.0: rare, 1.0: 1 - rare}, {-1.0: 1.0, 1.0: 0.0}
    gap = 0.0
    for record in signs:
        for theta in signs:
            chance = base[record] * (0.5 + advantage * (1 if theta == record else -1))
            weighted = target[record] / base[record] * (theta != record)
            gap += chance * (weighted - sum(target[z] * (theta != z) for z in signs))
    return abs(gap)


def _largest_gap(epsilon: float, delta: float) -> float:
    """max P'[S] − P''[S] over laws P', P, P'' of which each neighbouring two meet (ε, δ), as a linear programme."""
    price = np.exp(epsilon)
    rows, limits = [], []
    for one, other in ((0, 1), (1, 0), (1, 2), (2, 1)):  # P', P, P''
        for sign, free in ((1.0, 0.0), (-1.0, price - 1)):  # p ≤ e^ε q + δ of S, and of its complement
            row = np.zeros(3)
            row[one], row[other] = sign, -sign * price
            rows.append(row)
            limits.append(delta + free)
    found = linprog([-1.0, 0.0, 1.0], A_ub=np.array(rows), b_ub=limits, bounds=(0, 1))
    return -float(found.fun)


RECORDS = (
    Erratum(
        "pdp-prop11", _SOURCE, "Proposition 11, and the proof of Proposition 9",
        r"(e^{\epsilon'+\epsilon''}-1)+\delta'+\epsilon'\,\delta''", r"(e^{\epsilon'+\epsilon''}-1)+\delta'+e^{\epsilon'}\,\delta''",
        "Where ε is small the printed bound drops the second δ altogether; Proposition 9 itself has exp(ε).",
        "generalisation gap to another population", "adding up all outcomes of a noisy answer trained on one record",
        (
            Parameter("advantage", "p − ½", "Advantage of the record's own answer p − ½", 0.2, 0.01, 0.49, "linear"),
            Parameter("epsilon", "ε", "Privacy loss ε of the bound", 0.0, 0.0, 1.0, "linear"),
            Parameter("rare", "η", "Share of the other kind in the training population η", 0.01, 0.001, 0.3),
        ),
        lambda advantage, epsilon, rare: _proposition_11(advantage, epsilon, printed=True),
        lambda advantage, epsilon, rare: _proposition_11(advantage, epsilon, printed=False),
        lambda advantage, epsilon, rare: _cross_domain_gap(advantage, rare),
        "The printed bound allows a gap of {printed}; this release has one of {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "pdp-cor12", _SOURCE, "Corollary 12",
        r"\mathbb{E}e^{2\epsilon}\le1\ \Rightarrow\ " + _CORNER, _CORNER + r"\quad\text{without a condition}",
        "ε is never negative, so the condition holds only where ε = 0 and the bound is 2δ. It is not needed: a change of "
        "probability is at most 1 − exp(−ε' − ε'') + 2δ.",
        "gap at this ε and δ (printed: 2δ, all its condition admits)", "a linear programme over all output laws",
        (
            Parameter("epsilon", "ε", "Privacy loss ε", 0.3, 0.01, 2.0),
            Parameter("delta", "δ", "δ of (ε, δ)", 0.01, 1e-6, 0.2),
        ),
        lambda epsilon, delta: 2 * delta, lambda epsilon, delta: np.expm1(2 * epsilon) + 2 * delta, _largest_gap,
        "Its condition leaves {printed}; a release can have a gap of {computed}; {corrected} holds always.", points=17, kind=Kind.FAILS,
    ),
)  # fmt: skip
