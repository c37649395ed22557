"""From per-instance to differential privacy in the paper's four steps, for a posterior sample of linear regression."""

from dataclasses import dataclass

import numpy as np

from dpcore.errors import or_reason
from dpcore.exhibits.paper_figures.study import PAPER_DELTA, paper_data
from dpcore.individual.result import individual_privacy
from dpcore.learners.adaops import AdaOPS
from dpcore.mechanisms.bounded_leverage import BoundedLeverageSample
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

_POINTS = 9

CONVERSION_CARD = formula_card(__file__, "conversion")


@dataclass(frozen=True, eq=False)
class Conversion:
    """The result of each step.

    Parameters
    ----------
    gamma : inverse temperature of the sample
    median, everyone : median ε of the rows, and ε of any record, without regularisation, nats
    unregularised : why there is no worst case without regularisation
    eigenvalue : λ_min, the key quantity; confidential
    bounded : ε of the worst record of any data with this eigenvalue, at δ/3
    curve : ε of the worst record against the smallest eigenvalue of H
    target : n/(dκ), the eigenvalue that is enough
    released, secured : λ̃, and a lower bound that λ_min exceeds with probability 1 − δ/3
    lam : λ added
    epsilon, sample_epsilon : ε of the whole release at δ, and of its sample at δ/3
    """

    gamma: float
    median: float
    everyone: float
    unregularised: str
    eigenvalue: float
    bounded: float
    curve: Curve
    target: float
    released: float
    secured: float
    lam: float
    epsilon: float
    sample_epsilon: float


def _worst(gamma: float, h: float, n: int) -> BoundedLeverageSample:
    """The worst record of any data whose H has no eigenvalue below h, and therefore ‖θ̂‖ ≤ √(n/h)."""
    return BoundedLeverageSample(gamma, h, 1 + float(np.sqrt(n / h)))


def conversion(
    n: int, d: int, noise: float, seed: int, epsilon: float, kappa: float, delta: float = PAPER_DELTA
) -> Conversion:
    """Run AdaOPS on the paper's data and keep the result of each of the four steps.

    Parameters
    ----------
    n, d, noise, seed : of `paper_data`
    epsilon, kappa, delta : of `AdaOPS`

    Raises
    ------
    ParameterError, CalibrationError

    References: wang-2019 (Section 4.2).
    """
    data = paper_data(n, d, noise, seed)
    release = AdaOPS(epsilon, delta, kappa=kappa).fit(data, rng=seed)
    chosen = release.parameters
    plain = individual_privacy(data, PosteriorSampling(chosen["gamma"], 0.0), delta)
    _, reason = or_reason(lambda: plain.worst_case_epsilon)
    eigenvalue, target = float(np.linalg.eigvalsh(data.X.T @ data.X)[0]), chosen["target_eigenvalue"]
    h = np.geomspace(min(eigenvalue, target) / 10, n, _POINTS)
    worst, (bounded, enough) = (
        [float(_worst(chosen["gamma"], float(one), n).epsilon(delta / 3)) for one in some]
        for some in (h, (eigenvalue, target))
    )
    return Conversion(
        chosen["gamma"], float(plain.quantiles(0.5)), float(plain.for_all.epsilon), reason, eigenvalue, bounded,
        Curve("Worst record at this eigenvalue", h, np.array(worst), Bound.EXACT), target, chosen["released_eigenvalue"],
        float(chosen["released_eigenvalue"] - chosen["offset"]), chosen["lam"], float(release.profile.epsilon(delta)), enough,
    )  # fmt: skip
