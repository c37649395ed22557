"""Privacy amplification by Poisson subsampling, for any base profile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.pairs import Family, Pair, sampled
from dpcore.mechanisms.sampled_sums import COST, sampled_log_moment, sampled_renyi
from dpcore.numerics import log_complement
from dpcore.profiles import Bound, Lattice, Moment, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

# Largest order α − 1 at which a moment is summed; beyond, a bound stands in. The sum grows with the order: doubled, the
# longest one has up to twice as many terms.
_MOST_MASSES = 1e5


@dataclass(frozen=True)
class Subsampled(PrivacyProfile):
    r"""Runs `base` on a Poisson sample: each record is kept independently with probability `rate`.

    With Q the output law without the record, R with it, P = (1−q)Q + qR and ε ≥ 0:

    .. math::
        δ_\text{remove}(ε) &= q\,H_{e^{ε'}}(R‖Q), \quad e^{ε'} = 1 + (e^ε − 1)/q \\
        δ_\text{add}(ε) &= (1−e^ε(1−q))_+ \, H_{e^{ε''}}(Q‖R), \quad e^{ε''} = \frac{q e^ε}{1 − e^ε(1−q)}

    Exact where `base` is exact.

    Parameters
    ----------
    base : PrivacyProfile under add/remove adjacency.
    rate : float in (0, 1], the sampling probability q.

    References: balle-barthe-gaboardi-2018, zhu-dong-wang-2022.
    """

    base: PrivacyProfile
    rate: float

    symmetric: ClassVar[bool] = False
    asymmetry: ClassVar[str] = (
        "Removing a record is the worse direction; adding one cannot move any likelihood ratio above 1/(1 − q), so that curve "
        "ends at ε = −log(1 − q)."
    )
    card: ClassVar[FormulaCard] = formula_card(__file__, "subsampled")

    def __post_init__(self) -> None:
        if not isinstance(self.base, PrivacyProfile):
            raise ParameterError(f"base must be a mechanism such as dp.Gaussian(sigma=1.0), got {self.base!r}")
        object.__setattr__(self, "rate", validation.probability("rate", self.rate, allow_zero=False))

    @property
    def bound(self) -> Bound:
        return self.base.bound

    @property
    def discrete(self) -> bool:
        """The same as for the base."""
        return self.base.discrete

    @property
    def lattice(self) -> Lattice | None:
        """The grid of the base at rate 1, else None: losses that were on a grid are not on one after sampling."""
        return self.base.lattice if self.rate == 1 else None

    def pair(self) -> Pair:
        return sampled(self.base.pair(), self.rate)

    def pair_family(self) -> Family | None:
        family = self.base.pair_family()
        if family is None:
            return None
        return replace(family, member=lambda at: sampled(family.member(at), self.rate))

    def with_noise(self, share: float) -> Subsampled:
        return replace(self, base=self.base.with_noise(share))

    @property
    def _innermost(self) -> tuple[PrivacyProfile, float]:
        """The mechanism inside all nested samplings, and the product of their rates."""
        base, rate = self.base._innermost if isinstance(self.base, Subsampled) else (self.base, 1.0)
        return base, rate * self.rate

    def log_moment(self, direction: str) -> tuple[Moment, int] | None:
        base, rate = self._innermost
        if rate == 1:
            return base.log_moment(direction)
        return None if base.sums is None else (sampled_log_moment(base.sums, rate, direction), COST)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        if self.rate == 1:
            return self.base.log_delta(epsilon, direction=direction)
        inner, log_factor = self._inner_remove(epsilon) if direction == "remove" else self._inner_add(epsilon)
        return log_factor + self.base.log_delta(inner, direction=direction)

    def _inner_remove(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ε' and log q."""
        small, log_rate = np.minimum(epsilon, 1.0), np.log(self.rate)
        with np.errstate(over="ignore"):
            near = np.log1p(np.minimum(np.expm1(small) / self.rate, np.finfo(float).max))
        far = epsilon + np.log1p((self.rate - 1) * np.exp(-np.maximum(epsilon, 1.0))) - log_rate
        return np.where(epsilon < 1, near, far), log_rate

    def _inner_add(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ε'' and log(1 − e^ε(1−q)). For e^ε ≥ 1/(1−q), ∞ and −∞: no output is so much likelier without the record."""
        high, low = log_complement(self.rate)
        margin = (epsilon + high) + low
        inside = margin < 0
        margin = np.where(inside, margin, -self.rate)
        ratio = np.where(inside, (1 - self.rate) * np.expm1(np.where(inside, epsilon, 0.0)) / self.rate, 0.0)
        log_rest = np.where(ratio < 0.5, np.log1p(-np.minimum(ratio, 0.5)), np.log(-np.expm1(margin) / self.rate))
        return np.where(inside, epsilon - log_rest, np.inf), np.where(inside, np.log(self.rate) + log_rest, -np.inf)

    @property
    def has_closed_renyi(self) -> bool:
        base, rate = self._innermost
        return base.has_closed_renyi if rate == 1 else base.sums is not None and self.discrete

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """D_α of a discrete base as a sum, because its profile has a kink at every loss, which a quadrature would miss.

        Where α is huge, an upper bound: the smaller of the base's divergence and the largest loss.
        """
        base, rate = self._innermost
        sums = base.sums
        if rate == 1:
            return np.asarray(base.renyi(alpha, direction=direction))
        if sums is None or not self.discrete:
            return super()._renyi(alpha, direction)
        order = alpha.reshape(-1) - 1
        huge = order > _MOST_MASSES
        values = np.empty(order.shape)
        largest = self.epsilon(0.0, direction=direction)
        values[huge] = np.minimum(base.renyi(1 + order[huge], direction=direction), largest)
        values[~huge] = [sampled_renyi(sums, rate, direction, float(one)) for one in order[~huge]]
        return values.reshape(alpha.shape)


def _gaussian(sigma: float, rate: float) -> Subsampled:
    return Subsampled(Gaussian(sigma), rate)


ENTRY = entry("subsampled_gaussian", "Subsampled Gaussian", _gaussian, Subsampled.card)
