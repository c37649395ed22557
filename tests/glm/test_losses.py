"""Every loss against its formula at 50 digits, and its constants against a search."""

from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import LOSSES, Clipped, Huber, Logistic, Poisson, SmoothedHinge, Squared

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
}
EVERY = pytest.mark.parametrize("name", CASES)
GRID = np.concatenate([np.linspace(-6.03, 6.03, 81), [-650.1, -37.3, -12.7, 1e-9, 12.7, 37.3, 650.1]])


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
def test_slope_and_curvature_bounds_are_the_suprema(name):
    loss, _, targets = CASES[name]
    u, y = np.meshgrid(np.linspace(-40, 40, 160_001), np.array(targets))
    slopes, curvatures = np.abs(loss.derivative(u, y)), loss.second_derivative(u, y)
    for found, bound in ((slopes.max(), loss.slope_bound(1.0)), (curvatures.max(), loss.curvature_bound(1.0))):
        if np.isfinite(bound):
            assert bound * (1 - 2e-3) <= found <= bound
        else:
            assert found > 30
    for limit in (0.05, 0.3, 0.5, 0.9, 2.0):
        within = curvatures[slopes < limit]
        bound = loss.curvature_bound(1.0, limit)
        assert within.max() <= bound
        if name in ("logistic", "poisson"):
            assert within.max() >= bound * (1 - 2e-3)


@EVERY
def test_curvature_is_bounded_row_by_row_too(name):
    loss, _, targets = CASES[name]
    for target in targets:
        u = np.linspace(-30, 30, 20_001)
        inside = np.abs(loss.derivative(u, target)) < 0.4
        if inside.any():
            assert loss.second_derivative(u, target)[inside].max() <= loss.curvature_bound(np.abs(target), 0.4)


@EVERY
def test_monotone_means_one_sign_for_each_target(name):
    loss, _, targets = CASES[name]
    one_sign = all(
        loss.derivative(GRID, np.full(GRID.shape, y)).min() * loss.derivative(GRID, np.full(GRID.shape, y)).max() >= 0
        for y in targets
    )
    assert loss.monotone == one_sign


@EVERY
def test_derivative_never_decreases(name):
    loss, _, targets = CASES[name]
    u = np.linspace(-50, 50, 5001)
    for y in targets:
        assert (np.diff(loss.derivative(u, np.full(u.shape, y))) >= 0).all()


@EVERY
def test_predictor_at_a_slope(name):
    loss, _, targets = CASES[name]
    for y in targets:
        for slope in (-1.3, -0.6, -1e-3, 0.0, 0.2, 0.9, 7.0):
            u = float(loss.predictor_at(np.array(slope), np.array(y)))
            nearby = np.clip(u, -700, 700)
            got = float(loss.derivative(np.array(nearby), np.array(y)))
            if np.isfinite(u):
                assert got == pytest.approx(slope, abs=1e-14)
            elif u < 0:
                assert got >= slope - 1e-300
            else:
                assert got <= slope + 1e-300


@EVERY
def test_minimiser(name):
    loss, _, targets = CASES[name]
    for y in targets:
        u = np.clip(loss.minimiser(np.array(y)), -600, 600)
        least = loss.value(u, np.array(y))
        assert (loss.value(GRID[np.abs(GRID) < 600], np.full(88 - 2, y)) >= least - 1e-15).all()


@EVERY
def test_the_form_for_compiled_code_is_the_same_derivative(name):
    loss, _, targets = CASES[name]
    means = {"identity": lambda u: u, "logistic": lambda u: 1 / (1 + np.exp(-u)), "exponential": np.exp}
    for limited in (loss, Clipped(loss, np.array(0.4))):
        u, y = _grid(targets)
        form = limited.clipped_mean(y)
        with np.errstate(over="ignore"):
            slope = np.clip(form.scale * (means[form.mean](u) - form.target), form.low, form.high)
        assert np.allclose(slope, limited.derivative(u, y), rtol=1e-14, atol=1e-14)


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


@pytest.mark.parametrize("clip", [None, 0.1, 0.5, 0.9, 3.0])
@pytest.mark.parametrize("radius", [0.5, 1.0, np.sqrt(2)])
@EVERY
def test_constants_bound_every_record_of_the_domain(name, radius, clip):
    loss, _, targets = CASES[name]
    constants = loss.constants(SimpleNamespace(row_norm=radius, target_bound=1.0), clip)
    largest_slope = largest_curvature = 0.0
    u, y = np.meshgrid(np.linspace(-12, 12, 6001), np.array(targets))
    for norm in radius * np.array([0.05, 0.3, 0.7, 1.0]):
        record = loss if clip is None else Clipped(loss, np.array(clip / norm))
        largest_slope = max(largest_slope, norm * np.abs(record.derivative(u, y)).max())
        largest_curvature = max(largest_curvature, norm**2 * record.second_derivative(u, y).max())
    assert largest_slope <= constants.lipschitz * (1 + 1e-15)
    assert largest_curvature <= constants.smoothness * (1 + 1e-15)
    if np.isfinite(constants.lipschitz):
        assert largest_slope >= 0.99 * constants.lipschitz
    if np.isfinite(constants.smoothness) and name != "poisson, bounded":
        assert largest_curvature >= 0.99 * constants.smoothness
    assert constants.monotone == loss.monotone


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


def test_clipping_cannot_raise_a_bound():
    for loss in LOSSES.values():
        clipped = Clipped(loss, np.array([0.2, np.inf]))
        assert np.all(clipped.slope_bound(1.0) <= np.array([0.2, loss.slope_bound(1.0)]))
        assert np.all(clipped.curvature_bound(1.0) <= loss.curvature_bound(1.0))
        assert clipped.monotone == loss.monotone


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


def test_every_registered_loss_has_a_card():
    for loss in LOSSES.values():
        assert loss.card.title
        assert loss.card.latex
        assert set(loss.card.references) <= set(dp.REFERENCES)
        assert loss.card.code.rsplit(".", 1)[1] == type(loss).__name__
