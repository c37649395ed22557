"""Audit of a privacy claim: play the membership game, attack it, and say what survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.audit import attacks
from dpcore.audit.cross_check import hockey_stick_of
from dpcore.audit.evidence import FEW_EPSILONS, Claim, Evidence, counts_at, gather
from dpcore.audit.game import Game
from dpcore.data.names import raised
from dpcore.errors import UnsupportedError
from dpcore.profiles import DIRECTIONS
from dpcore.references import formula_card

_DRAWN = 201  # largest number of points of a curve that is drawn; doubled, pictures have twice as many points
_TOLERANCE = 1e-7  # error of δ that quadrature may have; doubled, a claim must be exceeded by twice as much
_PLAIN = 1e-3  # p-values above are given in digits, others as a power of ten
MEMBERSHIP_CARD = formula_card(__file__, "membership")


@dataclass(frozen=True, eq=False)
class _Curve:
    """Hit rate at each rate of false alarms.

    Parameters
    ----------
    false_alarm, hit : arrays
    """

    false_alarm: np.ndarray
    hit: np.ndarray

    def hits_at(self, false_alarm: float) -> float:
        """Share of hits at a rate of false alarms, interpolated."""
        return float(np.interp(false_alarm, self.false_alarm, self.hit))

    @property
    def area(self) -> float:
        """Area under the curve: the share of pairs, one output of either case, that the attack puts in order."""
        return float(np.trapezoid(self.hit, self.false_alarm))


@dataclass(frozen=True, eq=False)
class Roc(_Curve):
    """Empirical ROC curve, from all thresholds, with a band that holds everywhere at once.

    Parameters
    ----------
    low, high : arrays (2, thresholds), (false alarm, hit) of the band's lower and upper edge
    """

    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, eq=False)
class Limit(_Curve):
    """Largest hit rate that a claim allows at each rate of false alarms."""

    @classmethod
    def of(cls, claim: Claim) -> Limit:
        """From the claim's δ(ε) in both directions: the least of e^ε FPR + δ and 1 − e^{−ε}(1 − FPR − δ) over its grid."""
        half = np.geomspace(1e-4, 0.5, _DRAWN // 2)
        rates = np.concatenate([[0.0], half, 1 - half[-2::-1], [1.0]])
        price = np.exp(claim.epsilon)[:, None]
        remove = price * rates + claim.remove[:, None]
        add = 1 - (1 - rates - claim.add[:, None]) / price
        return cls(rates, np.clip(np.minimum(remove, add).min(axis=0), rates, 1.0))


@dataclass(frozen=True, eq=False)
class Audit:
    """What an attack showed.

    Parameters
    ----------
    game : what was attacked
    runs : per side
    alpha : level; a true claim is called refuted with at most this probability
    p_value : smallest level at which the claim is refuted, 1 where at none
    epsilon_lower : lower bound on ε at `delta`, at level alpha
    delta_lower : lower bound on δ at `epsilon`, at level alpha
    delta, epsilon : where the bounds were taken
    roc : Roc of all runs
    """

    game: Game
    runs: int
    alpha: float
    p_value: float
    epsilon_lower: float
    delta_lower: float
    delta: float
    epsilon: float
    roc: Roc

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted at level alpha."""
        return self.p_value <= self.alpha

    @property
    def verdict(self) -> str:
        """ "refuted (p < …)" or "not refuted at level …"; no number of runs verifies a claim."""
        if self.refuted and self.p_value > _PLAIN:
            unit = 10.0 ** (np.floor(np.log10(self.p_value)) - 1)
            return f"refuted (p < {(np.floor(self.p_value / unit) + 1) * unit:.2g})"
        if self.refuted:
            power = int(np.ceil(np.log10(self.p_value) - _TOLERANCE))
            return f"refuted (p < 10{raised(power)})"
        return f"not refuted at level {self.alpha:g}"


def judge(
    game: Game,
    absent: np.ndarray,
    present: np.ndarray,
    attack: str = "likelihood_ratio",
    payment: str = "all",
    alpha: float = 0.05,
    delta: float = 1e-5,
    epsilon: float = 1.0,
    claim: Claim | None = None,
) -> Audit:
    """Verdict on outputs whose number was fixed before looking at them.

    Parameters
    ----------
    game : the game that was played
    absent, present : outputs of `Game.play`, shape (runs, d)
    attack : key of `attacks.ATTACKS`
    payment : key of `evidence.PAYMENTS`
    alpha : level in (0, 1)
    delta, epsilon : where lower bounds on ε and δ are wanted
    claim : the claim already sampled, to save time when many audits share it

    Raises
    ------
    UnsupportedError, DataError
    """
    alpha = validation.open_probability("alpha", alpha)
    delta = validation.probability("delta", delta)
    epsilon = validation.non_negative("epsilon", epsilon)
    claim = claim or Claim.of(game.claim)
    scores = attacks.folds(game, attack, absent, present)
    level = alpha / len(scores)
    found = [gather(*fold, payment, claim, level) for fold in scores]
    return Audit(
        game, len(absent), alpha,
        p_value=min(1.0, len(scores) * min(one.p_value(claim) for one in found)),
        epsilon_lower=max(one.epsilon_lower(delta, level) for one in found),
        delta_lower=max(one.delta_lower(epsilon, level) for one in found),
        delta=delta,
        epsilon=epsilon,
        roc=roc(*both_sides(scores), claim, alpha),
    )  # fmt: skip


def both_sides(folds: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (absent, present) of all folds."""
    absent, present = zip(*folds, strict=True)
    return np.concatenate(absent), np.concatenate(present)


def roc(absent: np.ndarray, present: np.ndarray, claim: Claim | None, alpha: float) -> Roc:
    """Empirical curve and two-sided simultaneous band at level alpha, from scores; thinned to what a chart can show."""
    thresholds = np.unique(np.concatenate([absent, present]))[::-1]
    if len(thresholds) > _DRAWN:
        at = np.unique(np.round(np.linspace(0, len(thresholds) - 1, _DRAWN)).astype(int))
        thresholds = thresholds[at]
    alarms, found = counts_at(absent, thresholds), counts_at(present, thresholds)
    evidence: Evidence = gather(absent, present, "all", claim, alpha)
    sides = (evidence.bounds(alarms, len(absent), alpha / 4), evidence.bounds(found, len(present), alpha / 4))
    return Roc(
        np.concatenate([[0.0], alarms / len(absent)]),
        np.concatenate([[0.0], found / len(present)]),
        np.stack([np.append(sides[0][1], 1.0), np.append(sides[1][0], 1.0)]),
        np.stack([np.insert(sides[0][0], 0, 0.0), np.insert(sides[1][1], 0, 0.0)]),
    )


def audit(
    game: Game,
    runs: int,
    rng: int | np.random.Generator,
    **options: Any,
) -> Audit:
    """Play `runs` runs on each side and judge them.

    Parameters
    ----------
    game : Game
    runs : int ≥ 20, fixed in advance
    rng : generator or seed
    options : as for `judge`

    Examples
    --------
    >>> import dpcore as dp
    >>> from dpcore.audit import audit, mechanism_game
    >>> broken = mechanism_game(dp.Gaussian(0.5), claim=dp.Gaussian(1.0))
    >>> audit(broken, 2000, rng=0).refuted
    True
    >>> audit(mechanism_game(dp.Gaussian(1.0)), 2000, rng=0).verdict
    'not refuted at level 0.05'
    """
    runs = validation.integer("runs", runs, minimum=20)
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    absent, present = game.play(False, runs, generator), game.play(True, runs, generator)
    return judge(game, absent, present, **options)


@dataclass(frozen=True)
class ExactAudit:
    """δ(ε) of the pair itself, by quadrature, against the claim, without sampling error: the largest δ − claimed δ."""

    excess: float

    @property
    def refuted(self) -> bool:
        """Whether the claim is exceeded by more than quadrature can be wrong."""
        return self.excess > _TOLERANCE

    @property
    def verdict(self) -> str:
        """ "refuted (by quadrature)" or "not refuted by this pair"."""
        return "refuted (by quadrature)" if self.refuted else "not refuted by this pair"


def exact_audit(game: Game) -> ExactAudit:
    """δ(ε) of a one-dimensional game by quadrature of its densities, or by a sum over its outcomes.

    Raises
    ------
    UnsupportedError
        If the densities are not known.
    """
    known = game.pair.densities
    if known is None:
        raise UnsupportedError(f"{game.name} has no known density on the line: play the game instead")
    over = [
        [hockey_stick_of(known, one, float(at)) for at in FEW_EPSILONS] - game.claim.delta(FEW_EPSILONS, direction=one)
        for one in DIRECTIONS
    ]
    return ExactAudit(float(np.max(over)))
