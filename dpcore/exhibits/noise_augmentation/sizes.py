"""How much noise and how many records: Corollary 5, Theorem 10, and two other works that the source compares with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import gaussian_sigma
from dpcore.exhibits.noise_augmentation.settings import SHARE, Case
from dpcore.exhibits.noise_augmentation.utility import noise_bound, sample_complexity
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.noise import corollary_sigma, printed_floor, printed_sigma
from dpcore.learners.napp.weights import Regularizer, Weighting

_FAILURE = 0.05  # probabilities of failure π = π'


def sigma_curves(epsilons: Sequence[float], delta: float, lipschitz: float) -> dict[str, np.ndarray]:
    r"""σ of the linear term against ε at r = ½; every σ meets δ at ε/2, the share of the budget for the noise.

    .. math:: \frac{ζ}{ε}\left(\sqrt{ε − 2\log δ} + \sqrt{−2\log δ}\right) \le \frac{2ζ}{ε}\sqrt{ε − 2\log δ}

    The right side is both Eq. (4) and the simplified form of the corollary. The smallest possible σ is that of the
    exact Gaussian.

    References: li-liu-napp (Corollary 5, Eq. 4).
    """
    return {
        "Eq. (4), simplified form": np.array([printed_sigma(epsilon, delta, lipschitz, SHARE) for epsilon in epsilons]),
        "Corollary 5": np.array([corollary_sigma(epsilon, delta, lipschitz) for epsilon in epsilons]),
        "least possible": np.array([gaussian_sigma(SHARE * epsilon, delta, lipschitz) for epsilon in epsilons]),
    }


@dataclass(frozen=True)
class SampleSize:
    """Theorem 10 at one target.

    Parameters
    ----------
    records : n that the theorem asks for; inf if no n is enough
    least : largest ϱ for which no n is enough, for the assumed C'
    """

    records: float
    least: float


def sample_size(
    case: Case, regularizer: Regularizer, epsilon: float, delta: float, target: float, constant: float = 1.0
) -> SampleSize:
    r"""Number of records for L(θ) ≤ L(θ₀) + ϱ with probability 0.9, by Theorem 10 for the certified form.

    .. math:: n > \frac{R(θ_0) + 2N²/k}{ϱ + C'\log(π')/(2k)}, \qquad k = 2Λ_0, \quad π = π' = 0.05

    Parameters
    ----------
    case : simulated data set, whose θ₀, ζ and ζ₃ are known
    regularizer : ridge, lasso or elastic net
    epsilon, delta : the target of privacy; δ = 0 for spherical Laplace noise
    target : ϱ > 0, allowed excess of the expected loss per record
    constant : C', which the theorem does not give

    References: li-liu-napp (Theorem 10).
    """
    noise, floor = case.noise(epsilon, delta), printed_floor(epsilon, case.smoothness)
    weighting, truth = Weighting(regularizer, floor), np.asarray(case.truth)
    start, regular = 2 * floor, float(weighting.realised(truth).sum())
    bound = noise_bound(noise, truth.size, _FAILURE, delta or None, SHARE * epsilon)
    records = sample_complexity(target, start, regular, bound**2, _FAILURE, constant)
    return SampleSize(records, -constant * float(np.log(_FAILURE)) / (2 * start))


def cms_curves(
    sizes: Sequence[int], strength: float, epsilon: float, columns: int, norm_square: float, constant: float = 1.0
) -> dict[str, np.ndarray]:
    r"""Theorem 10 for a ridge (λ/2)‖θ‖² per record, and the bound of Chaudhuri, Monteleoni and Sarwate.

    .. math:: \frac{λ}{2}‖θ_0‖² + \frac{16p²\log²(p/π)}{ε²n²λ} + \frac{C'\log(1/π')}{nλ}

    is what the source finds with n_eℓ''V = nλ/2, and it says that this is their bound. But the ridge is nλ-strongly
    convex, so with k = nλ the theorem gives half of the last two terms.

    Parameters
    ----------
    sizes : n
    strength : λ > 0 per record
    epsilon : budget, nats; δ = 0
    columns : p
    norm_square : ‖θ₀‖²
    constant : C'

    References: li-liu-napp (section 4.2, corrected).
    """
    n = np.asarray(sizes, dtype=float)
    lam, epsilon = validation.positive("strength", strength), validation.positive("epsilon", epsilon)
    reach = columns / (SHARE * epsilon) * np.log(columns / _FAILURE)  # N at ζ = 1
    tail = -constant * np.log(_FAILURE)
    moduli = {"as printed, and CMS": n * lam / 2, "Theorem 10, k = nλ": n * lam}
    return {name: lam / 2 * norm_square + (2 * reach**2 / n + tail / 2) / modulus for name, modulus in moduli.items()}


def second_terms(case: Case, strength: float, epsilons: Sequence[float]) -> dict[str, np.ndarray]:
    r"""What strong convexity costs per record without noise: R(θ̂) − Λ‖θ̂‖₁ of MOOR, and Λ₀‖θ̂‖² of Kifer et al.

    .. math:: 0 \le \sum_j \int_0^{|\hatθ_j|} \left(2Λ_0 t − Λ\right)_+ dt \le Λ_0 ‖\hatθ‖²

    Parameters
    ----------
    case : data set and loss
    strength : Λ of the lasso
    epsilons : budgets

    References: li-liu-napp (Theorem 8, Section 4.1), kifer-smith-thakurta-2012.
    """
    regularizer = Regularizer("lasso", strength)
    best = stationary_point(case.problem, Weighting(regularizer, 0.0)).theta
    target, squares, n = float(regularizer.value(best).sum()), float(best @ best), len(case.y)
    floors = [printed_floor(epsilon, case.smoothness) for epsilon in epsilons]
    moor = [float(Weighting(regularizer, floor, "moor").realised(best).sum()) - target for floor in floors]
    return {
        "Kifer et al., Λ₀‖θ̂‖²/n": np.array([floor * squares / n for floor in floors]),
        "MOOR, (R(θ̂) − Λ‖θ̂‖₁)/n": np.maximum(np.array(moor), 0.0) / n,
    }
