"""AdaOPS: one posterior sample whose penalty adapts to the data through a private smallest eigenvalue."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import linalg, special

from dpcore import validation
from dpcore.calibration import calibrate
from dpcore.calibration.objective import gaussian_sigma
from dpcore.data import Dataset
from dpcore.errors import CalibrationError
from dpcore.glm import Loss, Squared
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.laws import around_ridge
from dpcore.mechanisms import Gaussian
from dpcore.mechanisms.bounded_leverage import BoundedLeverageSample
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

_METHODS = ("exact", "source")
_KAPPAS = 4.0 * 0.5 ** np.arange(16)  # values of κ that are tried where none is given
_TEMPERATURES = (1e-8, 1e10)  # range of 1/γ that is searched, in units of B²
_SPLITS = np.linspace(0.0, 1.0, 41)  # shares t of ε that are tried for the eigenvalue; doubled, δ takes twice as long
_LARGEST_EPSILON = 1e6  # a larger ε counts as this


@dataclass(frozen=True)
class AdaptiveGuarantee(PrivacyProfile):
    r"""Guarantee of a private eigenvalue, a sample that relies on it, and a small chance that it was wrong.

    .. math:: δ(ε) = \min_{0 ≤ t ≤ 1} δ_\text{eigenvalue}(tε) + δ_\text{sample}((1−t)ε) + δ_\text{wrong}

    Parameters
    ----------
    eigenvalue : Gaussian; sample : BoundedLeverageSample; wrong : probability

    References: wang-2019 (Lemma 18, corrected).
    """

    eigenvalue: Gaussian
    sample: BoundedLeverageSample
    wrong: float

    bound: ClassVar[Bound] = Bound.UPPER

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        epsilon = np.minimum(epsilon, _LARGEST_EPSILON)  # at ∞ a share of 0 would be undefined
        split = epsilon[..., None] * _SPLITS
        parts = self.eigenvalue.delta(split, direction) + self.sample.delta(epsilon[..., None] - split, direction)
        return np.minimum(np.log(parts.min(axis=-1) + self.wrong), 0.0)


@dataclass(frozen=True)
class AdaOPS(Learner):
    r"""Releases λ̃ = λ_min(XᵀX) + N(0, s²R⁴), then one θ ~ N(θ̂, H⁻¹/γ), H = XᵀX + λ_n I, of linear regression.

    .. math:: λ_n = \max\{0, h − λ̃ + R²(sΦ^{-1}(1 − δ/3) + 1)\}, \quad h = \frac{nR²}{dκ}

    so that with probability 1 − δ/3 every record has leverage ≤ R²/h and residual ≤ r̄ = B(1 + √(κd)), also against the
    neighbouring data set. The eigenvalue takes (ε/2, δ/3), the sample (ε/2, δ/3); nothing is regularised where the data
    are well conditioned.

    Parameters
    ----------
    epsilon, delta : target, nats and probability
    kappa : κ > 0, assumed ratio of the average to the smallest eigenvalue, fixed without looking at the data; if not
        given, the one of 4, 2, 1, … with the least predicted excess d/(2γ) + h/2 for data of unknown condition
    method : "exact" takes the largest γ whose exact worst case fits; "source" the (corrected) formula of the paper

    Raises
    ------
    ParameterError

    References: wang-2019 (Algorithm 1, corrected), balle-wang-2018.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    kappa: float | None = None
    method: str = "exact"

    title: ClassVar[str] = "Adaptive posterior sample (AdaOPS)"
    loss: ClassVar[Loss] = Squared()
    card: ClassVar[FormulaCard] = formula_card(__file__, "ada_ops")

    def __post_init__(self) -> None:
        validation.set_checked(self, epsilon=validation.positive, delta=validation.open_probability)
        if self.kappa is not None:
            validation.set_checked(self, kappa=validation.positive)
        validation.choice("method", self.method, _METHODS)

    def plan(self, facts: PublicFacts) -> Plan:
        """Profile, κ, s, γ and the budget of each step; see `Learner.plan`."""
        find = _exact_gamma if self.method == "exact" else _source_gamma
        n, d = facts.n_samples, facts.n_features
        kappas = _KAPPAS if self.kappa is None else [self.kappa]
        feasible: list[tuple[float, float, float]] = []
        for kappa in kappas:
            if feasible and n / (2 * d * kappa) > min(feasible)[0]:
                break  # this term of the excess grows as κ falls
            gamma = find(self.epsilon, self.delta, n, d, float(kappa))
            if gamma is not None:
                # d/(2γ) + λB²/2 at B = 1, λ as if the smallest eigenvalue were 0
                feasible.append((d / (2 * gamma) + n / (2 * d * kappa), gamma, float(kappa)))
        if not feasible:
            raise CalibrationError(
                f"with kappa = {kappas[0]:g} and {n} rows the covariance of the sample alone shows a record more "
                f"clearly than ({self.epsilon / 2:g}, {self.delta / 3:.3g}) allows: use a smaller kappa"
            )
        _, gamma, kappa = min(feasible)
        noise = gaussian_sigma(self.epsilon / 2, self.delta / 3, 1.0)
        sample = _sample(gamma, n, d, kappa)
        square, unit = facts.domain.row_norm**2, facts.domain.target_bound**2
        chosen = {
            "kappa": kappa,
            "gamma": gamma / unit,
            "sigma_eigenvalue": noise * square,
            "offset": (noise * -special.ndtri(self.delta / 3) + 1) * square,
            "target_eigenvalue": sample.curvature * square,
            "epsilon_eigenvalue": self.epsilon / 2,
            "epsilon_sample": self.epsilon / 2,
            "delta_each": self.delta / 3,
        }
        notes = (
            f"Half of ε and a third of δ buy the smallest eigenvalue with noise {chosen['sigma_eigenvalue']:.4g}; the other "
            f"half of ε and a third of δ buy the sample at γ = {chosen['gamma']:.4g}; the last third covers the chance that "
            "the eigenvalue was overestimated.",
            "The number of records, κ and the bounds are public.",
        )
        profile = AdaptiveGuarantee(Gaussian(noise), sample, self.delta / 3)
        return Plan(profile, chosen, notes, noise={"sigma_eigenvalue": 1, "gamma": -2})

    def noisy_fit(self, facts: PublicFacts, smallest: float) -> FitWithNoise:
        """λ_n at the guessed eigenvalue, and γ; see `Learner.noisy_fit`."""
        chosen = self.plan(facts).parameters
        lam = max(0.0, chosen["target_eigenvalue"] - smallest + float(chosen["offset"]))
        return FitWithNoise(lam, gamma=chosen["gamma"])

    def _release(self, dataset: Dataset, plan: Plan, rng: np.random.Generator) -> Release:
        chosen = dict(plan.parameters)
        smallest = float(linalg.eigvalsh(dataset.X.T @ dataset.X)[0])
        released = smallest + chosen["sigma_eigenvalue"] * rng.standard_normal()
        lam = max(0.0, chosen["target_eigenvalue"] - released + chosen["offset"])
        chosen |= {"released_eigenvalue": released, "lam": lam}
        theta = around_ridge(self.loss, dataset, lam, chosen["gamma"]).sample(1, rng)[0]
        said = f"The released eigenvalue {released:.4g} led to λ = {lam:.4g}."
        return Release(theta, plan.profile, chosen, (*plan.notes, said))


def _sample(gamma: float, n: int, d: int, kappa: float) -> BoundedLeverageSample:
    """Worst case of the sample for R = B = 1."""
    return BoundedLeverageSample(gamma, n / (d * kappa), 1 + np.sqrt(kappa * d))


@lru_cache(maxsize=256)
def _exact_gamma(epsilon: float, delta: float, n: int, d: int, kappa: float) -> float | None:
    """Largest γ whose exact worst case fits (ε/2, δ/3); None if none does, as the covariance alone shows too much."""
    try:
        temperature = calibrate(lambda t: _sample(1 / t, n, d, kappa), epsilon / 2, delta / 3, bracket=_TEMPERATURES)
    except CalibrationError:
        return None
    return 1 / temperature


def _source_gamma(epsilon: float, delta: float, n: int, d: int, kappa: float) -> float | None:
    """γ of Algorithm 1 with its misprints corrected; None where its condition κd(½ + ℓ)/n ≤ ε/8 fails."""
    log_term = np.log(6 / delta)
    if kappa * d * (0.5 + log_term) / n > epsilon / 8:
        return None
    square = (1 + np.sqrt(kappa * d)) ** 2
    return min(n * epsilon**2 / (32 * kappa * d * square * log_term), n * epsilon / (4 * kappa * d * square))
