"""Every loss against its formula at many digits; tests/glm/test_contracts.py does the rest."""

import mpmath as mp
import numpy as np
import pytest

from dpcore.glm import Huber, Logistic, Poisson, SmoothedHinge, Squared
from dpcore.glm.losses.pseudo_huber import PseudoHuber

LABELS, REALS, COUNTS = [-1.0, 1.0], [-1.0, -0.3, 0.0, 0.7, 1.0], [0.0, 0.25, 1.0]


def _squared(u, y):
    return (mp.mpf(u) - y) ** 2 / 2


def _poisson(u, y):
    return mp.exp(mp.mpf(u)) - y * mp.mpf(u)


def _continued(f, bound):
    """f carried on linearly beyond |u| ≤ bound."""

    def carried_on(u, y):
        edge = max(min(mp.mpf(u), bound), -bound)
        return f(edge, y) + (mp.diff(lambda v: f(v, y), edge) * (u - edge) if u != edge else 0)

    return carried_on


def _hinge(width):
    def f(u, y):
        margin = y * mp.mpf(u)
        if margin > 1:
            return mp.mpf(0)
        return (1 - margin) ** 2 / (2 * mp.mpf(width)) if margin > 1 - width else 1 - margin - mp.mpf(width) / 2

    return f


def _huber(threshold):
    def f(u, y):
        residual = abs(mp.mpf(u) - y)
        return residual**2 / 2 if residual <= threshold else threshold * residual - mp.mpf(threshold) ** 2 / 2

    return f


def _pseudo_huber(threshold):
    k = mp.mpf(threshold)
    return lambda u, y: k**2 * (mp.sqrt(1 + ((mp.mpf(u) - y) / k) ** 2) - 1)


CASES = {
    "logistic": (Logistic(), lambda u, y: mp.log1p(mp.exp(-y * mp.mpf(u))), LABELS),
    "squared": (Squared(), _squared, REALS),
    "squared, bounded": (Squared(predictor_bound=2.0), _continued(_squared, mp.mpf(2)), REALS),
    "poisson": (Poisson(), _poisson, COUNTS),
    "poisson, bounded": (Poisson(predictor_bound=1.5), _continued(_poisson, mp.mpf("1.5")), COUNTS),
    "smoothed hinge": (SmoothedHinge(), _hinge(1), LABELS),
    "smoothed hinge, narrow": (SmoothedHinge(width=0.125), _hinge(0.125), LABELS),
    "huber": (Huber(), _huber(1), REALS),
    "huber, wide": (Huber(threshold=2.5), _huber(2.5), REALS),
    "pseudo-huber": (PseudoHuber(), _pseudo_huber(1), REALS),
    "pseudo-huber, narrow": (PseudoHuber(threshold=0.125), _pseudo_huber(0.125), REALS),
}
EVERY = pytest.mark.parametrize("name", CASES)
GRID = np.concatenate([np.linspace(-6.03, 6.03, 41), [-650.1, -37.3, -12.7, 1e-9, 12.7, 37.3, 650.1]])


def _grid(targets):
    u, y = np.meshgrid(GRID, np.array(targets))
    return u.ravel(), y.ravel()


def _close(got, want, relative, absolute=0.0):
    assert np.shape(got) == np.shape(want)
    for a, b in zip(got, want, strict=True):
        assert abs(mp.mpf(float(a)) - b) <= relative * abs(b) + absolute, (a, b)


@EVERY
def test_value_and_derivatives_against_the_formula(name):
    loss, formula, targets = CASES[name]
    u, y = _grid(targets)
    cancellation = 0.0 if name == "logistic" else 5e-15  # the logistic derivative keeps its digits at any margin
    pairs = list(zip(u, y, strict=True))
    with mp.workdps(340):
        _close(loss.value(u, y), [formula(a, b) for a, b in pairs], 4e-15, 1e-15)
        first, second = (
            [mp.diff(lambda v, b=b: formula(v, b), mp.mpf(a), order, h=mp.mpf(10) ** -digits) for a, b in pairs]
            for order, digits in ((1, 120), (2, 100))
        )
        _close(loss.derivative(u, y), first, 4e-15, cancellation)
        _close(loss.second_derivative(u, y), second, 4e-15, 1e-30)
