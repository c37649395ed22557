"""Every loss against its formula at many digits, and constants by hand; tests/glm/test_contracts.py does the rest."""

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import Clipped, Huber, Logistic, Poisson, SmoothedHinge, Squared
from dpcore.glm.losses.pseudo_huber import PseudoHuber

LABELS, REALS, COUNTS = [-1.0, 1.0], [-1.0, -0.3, 0.0, 0.7, 1.0], [0.0, 0.25, 1.0]


def _continued(f, bound, u):
    """f carried on linearly beyond |u| ≤ bound."""
    u = mp.mpf(u)
    if abs(u) <= bound:
        return f(u)
    edge = mp.sign(u) * bound
    return f(edge) + mp.diff(f, edge) * (u - edge)


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
    "squared": (Squared(), lambda u, y: (mp.mpf(u) - y) ** 2 / 2, REALS),
    "squared, bounded": (
        Squared(predictor_bound=2.0),
        lambda u, y: _continued(lambda v: (v - y) ** 2 / 2, 2, u),
        REALS,
    ),
    "poisson": (Poisson(), lambda u, y: mp.exp(mp.mpf(u)) - y * mp.mpf(u), COUNTS),
    "poisson, bounded": (
        Poisson(predictor_bound=1.5),
        lambda u, y: _continued(lambda v: mp.exp(v) - y * v, mp.mpf("1.5"), u),
        COUNTS,
    ),
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
    with mp.workdps(340):
        _close(loss.value(u, y), [formula(a, b) for a, b in zip(u, y, strict=True)], 4e-15, 1e-15)
        first = [
            mp.diff(lambda v, b=b: formula(v, b), mp.mpf(a), h=mp.mpf(10) ** -120) for a, b in zip(u, y, strict=True)
        ]
        _close(loss.derivative(u, y), first, 4e-15, cancellation)
        second = [
            mp.diff(lambda v, b=b: formula(v, b), mp.mpf(a), 2, h=mp.mpf(10) ** -100) for a, b in zip(u, y, strict=True)
        ]
        _close(loss.second_derivative(u, y), second, 4e-15, 1e-30)


@EVERY
def test_curvature_is_bounded_row_by_row_too(name):
    loss, _, targets = CASES[name]
    for target in targets:
        u = np.linspace(-30, 30, 20_001)
        inside = np.abs(loss.derivative(u, target)) < 0.4
        if inside.any():
            assert loss.second_derivative(u, target)[inside].max() <= loss.curvature_bound(np.abs(target), 0.4)


@EVERY
@pytest.mark.parametrize("limit", [0.05, 0.4, 1.7])
def test_clipped_loss_is_the_integral_of_the_clipped_derivative(name, limit):
    loss, formula, targets = CASES[name]
    clipped = Clipped(loss, np.array(limit))
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(-9, 9, 3601)
    width = np.diff(edges)[:, None]
    inside = edges[:-1, None] + width * (0.5 + 0.5 * nodes)
    for y in targets:
        areas = (np.clip(loss.derivative(inside, y), -limit, limit) * weights).sum(axis=1) * width[:, 0] / 2
        values = clipped.value(edges, np.full(edges.shape, y))
        assert np.allclose(
            values - values[1800], np.cumsum(np.r_[0, areas]) - np.cumsum(np.r_[0, areas])[1800], atol=2e-6
        )
        untouched = np.abs(loss.derivative(edges, y)) <= limit
        assert np.array_equal(values[untouched], loss.value(edges, np.full(edges.shape, y))[untouched])
        assert np.array_equal(clipped.derivative(edges, y), np.clip(loss.derivative(edges, y), -limit, limit))
        bent = clipped.second_derivative(edges, y)
        assert np.array_equal(bent[~untouched], np.zeros((~untouched).sum()))
        assert bent.max() <= clipped.curvature_bound(1.0)
        assert float(formula(0, y)) == pytest.approx(float(loss.value(np.array(0.0), np.array(y))), abs=1e-15)


def test_constants_by_hand():
    domain = dp.Domain(row_norm=2.0, target_bound=3.0)
    assert Logistic().constants(domain) == dp.glm.LossConstants(2.0, 1.0, True)
    assert Logistic().constants(domain, clip=0.5).smoothness == 0.5 * (2.0 - 0.5)
    assert Squared(predictor_bound=4.0).constants(domain) == dp.glm.LossConstants(14.0, 4.0, False)
    assert Squared().constants(domain).lipschitz == np.inf
    assert Poisson(predictor_bound=1.0).constants(domain).smoothness == pytest.approx(4 * np.e, rel=1e-15)
    assert Poisson().constants(domain).smoothness == np.inf
    assert Poisson().constants(domain, clip=0.5).smoothness == pytest.approx(4 * 3.25, rel=1e-15)
    assert SmoothedHinge(width=0.5).constants(domain) == dp.glm.LossConstants(2.0, 8.0, True)
    assert Huber(threshold=0.3).constants(domain) == dp.glm.LossConstants(0.6, 4.0, False)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: SmoothedHinge(width=0), "width must be > 0, got 0.0"),
        (lambda: Huber(threshold=-1), "threshold must be > 0, got -1.0"),
        (lambda: Poisson(predictor_bound=0), "predictor_bound must be > 0, got 0.0"),
        (lambda: Squared(predictor_bound="2"), "predictor_bound must be a real number, got '2'"),
        (lambda: Logistic().constants(dp.Domain(), clip=0), "clip must be > 0, got 0.0"),
    ],
)
def test_wrong_parameters_are_named(build, sentence):
    with pytest.raises(dp.ParameterError) as error:
        build()
    assert str(error.value) == sentence
