"""The most exposed record of the domain without the expansion, against integrals over θ for a grid of records."""

import numpy as np
import pytest
from scipy import optimize

import dpcore as dp
from tests.individual.conftest import in_ball

DELTA, LAM = 1e-4, 1.0


def plane_data():
    rng = np.random.default_rng(4)
    X = in_ball(rng.normal(size=(14, 2)) * [0.7, 0.4])
    return dp.Dataset.from_arrays(X, np.where(X[:, 0] + 0.3 * rng.normal(size=14) > 0, 1.0, -1.0), domain=dp.Domain())


class Laws:
    """Densities of θ on a grid over the plane, for logistic rows and for one more of them; shares no code with the product."""

    def __init__(self, dataset, release, reach, points=221):
        side = np.linspace(-reach, reach, points)
        self.theta, self.release = np.stack(np.meshgrid(side, side, indexing="ij")), release
        self.value, self.slope = 0.5 * LAM * np.square(self.theta).sum(axis=0), LAM * self.theta
        self.bend = LAM * np.eye(2)[:, :, None, None] + 0 * self.theta[None]
        for x, y in zip(dataset.X, dataset.y, strict=True):
            self.value, self.slope, self.bend = self.with_row(x, y)

    def with_row(self, x, y):
        u = np.tensordot(x, self.theta, 1)
        p = 1 / (1 + np.exp(y * u))
        bend = self.bend + p * (1 - p) * np.outer(x, x)[:, :, None, None]
        return self.value + np.logaddexp(0, -y * u), self.slope - y * p * x[:, None, None], bend

    def law(self, value, slope, bend):
        if isinstance(self.release, dp.PosteriorSampling):
            logs = -self.release.gamma * value
        else:
            volume = bend[0, 0] * bend[1, 1] - bend[0, 1] ** 2
            logs = np.log(volume) - np.square(slope).sum(axis=0) / (2 * self.release.sigma**2)
        mass = np.exp(logs - logs.max())
        return mass / mass.sum()

    def delta(self, x, y, epsilon):
        one, other = self.law(self.value, self.slope, self.bend), self.law(*self.with_row(x, y))
        return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in ((one, other), (other, one)))


@pytest.mark.parametrize(
    ("release", "reach"),
    [(kind(1.0, lam=LAM, loss="logistic"), 8.0) for kind in (dp.PosteriorSampling, dp.ObjectivePerturbation)],
    ids=["posterior", "objective"],
)
def test_no_record_of_a_grid_is_more_exposed_by_integrals_over_theta(release, reach):
    dataset = plane_data()
    result = dp.individual_privacy(dataset, release, DELTA)
    found = result.for_all_exactly(1e-3)
    laws = Laws(dataset, release, reach)
    own = optimize.brentq(lambda e: np.log(max(laws.delta(found.x, found.y, e), 1e-300) / DELTA), 0.01, 9, xtol=1e-6)
    assert found.known == pytest.approx(own, abs=1e-3 + found.error)
    assert abs(found.known - found.epsilon) > found.error
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    around = [(r * np.array([np.cos(a), np.sin(a)]), y) for a in angle for r in (0.6, 1.0) for y in (-1.0, 1.0)]
    above, below = (max(laws.delta(x, y, share * own) for x, y in around) for share in (1.01, 0.9))
    assert above < DELTA < below
