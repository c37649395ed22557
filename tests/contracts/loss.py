"""What every loss of a GLM must satisfy, whatever its formula; each check takes a loss and fails on its own.

Slopes and curvatures are compared with difference quotients, constants with a search over the predictor and the targets of a
public domain: a constant that is too small fails, and so does one more than SLACK too large.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import Clipped, Loss

STEP = 1e-3
SLACK = 1e-3
ROUND_OFF = 1e-12
NEAR = np.linspace(-6.0, 6.0, 241) + 0.00123  # no loss has a kink of its slope at such a point
FAR = np.concatenate([-np.geomspace(1e7, 1e-8, 61), np.geomspace(1e-8, 1e7, 61), np.linspace(-12, 12, 2401)])
SLOPES = np.array([-7.0, -1.3, -0.6, -1e-3, 0.0, 0.2, 0.9, 7.0])
CUT = 0.35
LIMITS = (0.05, 0.3, CUT, 0.5, 0.9, 2.0, np.inf)


def variants(loss: Loss) -> Iterator[Loss]:
    """The loss, each of its parameters at two other values, and all of these clipped."""
    found = [loss]
    for field in dataclasses.fields(loss):
        found += [dataclasses.replace(loss, **{field.name: value}) for value in (0.4, 2.5)]
    yield from found
    for one in found:
        yield Clipped(one, np.array(CUT))


def bounds(loss: Loss) -> tuple[float, ...]:
    """Public bounds B of the target to try."""
    return (1.0,) if loss.target.labels else (0.5, 1.0, 3.0)


def targets(loss: Loss, bound: float = 1.0) -> np.ndarray:
    """Admissible targets up to the bound, the ends among them."""
    ends = loss.target.extremes(bound)
    return np.array(ends) if loss.target.labels else np.linspace(min(ends), max(ends), 7)


def each(loss: Loss, u: np.ndarray, bound: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of predictors and targets, targets along the first axis."""
    y = targets(loss, bound)[:, None]
    return np.broadcast_to(u, (len(y), len(u))), np.broadcast_to(y, (len(y), len(u)))


def supremum(f, loss: Loss, bound: float) -> float:
    """The largest f(u, y) ≥ 0 found over all predictors and targets: far and near, then ever closer to the best."""
    u, y = each(loss, FAR, bound)
    for reach in (0.02, 1e-4, 1e-6):
        found = f(u, y)
        best = np.unravel_index(np.argmax(found), found.shape)
        around = u[best] + reach * np.linspace(-1, 1, 401)
        u, y = np.broadcast_arrays(around, y[best])
    return max(float(found.max()), float(np.max(f(u, y))))


def quotients(f, u: np.ndarray) -> list[np.ndarray]:
    """Derivatives of f by five points about, before and after u; where f' has a kink nearby, one of them is right."""
    stencils = {
        (-2, -1, 0, 1, 2): (1, -8, 0, 8, -1),
        (0, 1, 2, 3, 4): (-25, 48, -36, 16, -3),
        (0, -1, -2, -3, -4): (25, -48, 36, -16, 3),
    }
    return [
        sum(weight * f(u + place * STEP) for place, weight in zip(places, weights, strict=True)) / (12 * STEP)
        for places, weights in stencils.items()
    ]


def curvature_within(loss: Loss, u: np.ndarray, y: np.ndarray, limit: float) -> np.ndarray:
    """f'' where |f'| < limit, else 0."""
    return np.where(np.abs(loss.derivative(u, y)) < limit, loss.second_derivative(u, y), 0.0)


def check_slope_is_the_derivative_of_the_value(loss: Loss) -> None:
    u, y = each(loss, NEAR)
    stated = loss.derivative(u, y)
    error = np.min([np.abs(found - stated) for found in quotients(lambda v: loss.value(v, y), u)], axis=0)
    assert (error <= 1e-7 * (1 + np.abs(stated))).all()


def check_curvature_is_the_derivative_of_the_slope(loss: Loss) -> None:
    u, y = each(loss, NEAR)
    stated = loss.second_derivative(u, y)
    error = np.min([np.abs(found - stated) for found in quotients(lambda v: loss.derivative(v, y), u)], axis=0)
    assert (error <= 1e-6 * (1 + np.abs(stated))).all()


def check_is_convex(loss: Loss) -> None:
    u, y = each(loss, np.sort(FAR))
    slopes = np.minimum(loss.derivative(u, y), np.finfo(float).max)
    assert not np.isnan(slopes).any()
    before, after = slopes[:, :-1], slopes[:, 1:]
    assert ((after >= before) | (np.abs(after - before) <= ROUND_OFF * np.abs(before))).all()
    assert (loss.second_derivative(u, y) >= 0).all()


def check_curvature_bound_is_the_supremum(loss: Loss) -> None:
    """Over all predictors with |f'| < limit, for every limit."""
    for bound in bounds(loss):
        for limit in LIMITS:
            stated = float(loss.curvature_bound(bound, limit))
            largest = supremum(lambda u, y, s=limit: curvature_within(loss, u, y, s), loss, bound)
            assert largest <= stated * (1 + ROUND_OFF), limit
            if largest:  # else |f'| passes the limit everywhere: f_C is a line, which any bound suits
                assert largest >= min(stated * (1 - SLACK), 1e6), f"the bound is too large at the limit {limit}"


def check_constants_are_those_of_the_worst_record(loss: Loss) -> None:
    """L = sup ‖x‖|f'| and β = sup ‖x‖²f'' over rows up to the bound R, clipped to C: attained, and never passed."""
    bound = bounds(loss)[-1]
    for radius, clip in ((0.5, None), (1.7, None), (1.0, 0.3), (1.7, 0.9)):
        stated = loss.constants(SimpleNamespace(row_norm=radius, target_bound=bound), clip)
        largest_slope = largest_curvature = 0.0
        for norm in radius * np.array([0.1, 0.7, 1.0]):
            limit = np.inf if clip is None else clip / norm
            slope = supremum(lambda u, y, s=limit: np.minimum(np.abs(loss.derivative(u, y)), s), loss, bound)
            bent = supremum(lambda u, y, s=limit: curvature_within(loss, u, y, s), loss, bound)
            largest_slope, largest_curvature = max(largest_slope, norm * slope), max(largest_curvature, norm**2 * bent)
        for largest, constant in ((largest_slope, stated.lipschitz), (largest_curvature, stated.smoothness)):
            assert largest <= constant * (1 + ROUND_OFF)
            assert largest >= min(constant * (1 - SLACK), 1e6), "the constant is too large"
        assert stated.monotone == loss.monotone


def check_monotone_says_whether_the_slope_keeps_its_sign(loss: Loss) -> None:
    slopes = loss.derivative(*each(loss, FAR))
    assert loss.monotone == bool(((slopes >= 0).all(axis=1) | (slopes <= 0).all(axis=1)).all())


def check_predictor_at_a_slope(loss: Loss) -> None:
    for y in targets(loss):
        for slope in SLOPES:
            u = float(loss.predictor_at(np.array(slope), np.array(y)))
            there = float(loss.derivative(np.array(np.clip(u, -1e7, 1e7)), np.array(y)))
            if np.isfinite(u):
                assert there == pytest.approx(slope, abs=1e-12)
            else:
                assert there >= slope - 1e-12 if u < 0 else there <= slope + 1e-12


def check_minimiser(loss: Loss) -> None:
    u, y = each(loss, NEAR)
    best = np.clip(loss.minimiser(y[:, :1]), -600, 600)
    assert (loss.value(u, y) >= loss.value(best, y[:, :1]) - ROUND_OFF).all()


def check_kinks_are_where_the_curvature_jumps(loss: Loss) -> None:
    """Every jump of f'' on a fine grid lies at a stated kink; f'' jumps at each stated one that no clipping hides."""
    u, y = np.linspace(-6.0, 6.0, 12001) + 0.000123, targets(loss)
    stated = np.array([np.broadcast_to(kink, y.shape) for kink in loss.kinks(y)]).reshape(-1, len(y))
    for target, kinks in zip(y, stated.T, strict=True):
        bent = loss.second_derivative(u, np.full(u.shape, target))
        jumps = u[:-1][np.abs(np.diff(bent)) > 0.02 * (1 + bent[:-1])]
        assert all(np.abs(kinks - jump).min(initial=np.inf) <= 1.001 * (u[1] - u[0]) for jump in jumps)
        for kink in [] if isinstance(loss, Clipped) else kinks[np.abs(kinks) < u[-2]]:
            assert np.abs(jumps - kink).min(initial=np.inf) <= 1.001 * (u[1] - u[0])


def check_curvature_has_one_peak(loss: Loss) -> None:
    """Between any two predictors f'' is largest at an end, at the stated peak, or beside a kink; for one target at a time."""
    u = np.linspace(-6.0, 6.0, 601) + 0.000123
    for target in targets(loss):
        y = np.array([target])
        places = [loss.peak(y), *(kink + side for kink in loss.kinks(y) for side in (-1e-9, 1e-9))]
        known = np.array([float(place[0]) for place in places if np.isfinite(place).all()])
        bent, stated = (loss.second_derivative(at, np.full(at.shape, target)) for at in (u, known))
        for first in range(0, 601, 50):
            for last in range(first + 1, 601, 50):
                within = stated[(known >= u[first]) & (known <= u[last])]
                most = max(bent[first], bent[last], within.max(initial=0.0))
                assert bent[first : last + 1].max() <= most * (1 + 1e-9)


def check_curvature_grows_no_faster_than_its_rate(loss: Loss) -> None:
    """|log f''(u) − log f''(v)| ≤ κ|u − v| between kinks, and κ is nearly reached where no clipping hides it."""
    found, away = 0.0, np.geomspace(1e-4, 40.0, 2000)
    for target in targets(loss):
        u = target + np.concatenate([-away[::-1], away])
        bent = loss.second_derivative(u, np.full(u.shape, target))
        passed = np.zeros(u.size - 1, dtype=bool)
        for kink in loss.kinks(np.array([target])):
            passed |= (u[:-1] <= kink) & (kink <= u[1:])
        seen = (bent[:-1] > 1e-250) & (bent[1:] > 1e-250) & ~passed
        rate = np.abs(np.diff(np.log(np.maximum(bent, 1e-250)))) / np.diff(u)
        assert (rate[seen] <= loss.bend_rate * (1 + 1e-9) + 1e-9).all()
        found = max(found, rate[seen].max(initial=0.0))
    assert isinstance(loss, Clipped) or found >= 0.95 * loss.bend_rate


def check_a_clipped_loss_has_its_value_where_nothing_is_cut(loss: Loss) -> None:
    u, y = each(loss, NEAR)
    free = np.abs(loss.derivative(u, y)) <= CUT
    np.testing.assert_allclose(Clipped(loss, np.array(CUT)).value(u, y)[free], loss.value(u, y)[free], atol=ROUND_OFF)


def check_targets_are_those_of_its_kind(loss: Loss) -> None:
    for bound in bounds(loss):
        loss.check_target(targets(loss, bound))
    wrong = [np.nan, np.inf]
    wrong += [0.0, 0.5, 2.0] if loss.target.labels else [-1.0] if loss.target.name == "count" else []
    for y in wrong:
        assert not loss.suits(np.array([1.0, y]))
        with pytest.raises(dp.DataError, match=r"The target holds .* \(first at y\[1\]\), but "):
            loss.check_target(np.array([1.0, y]))


def check_scores_judge_predictions(loss: Loss) -> None:
    """The minimiser of each row's loss scores better than its mirror image, in the direction the score states."""
    assert loss.scores
    y = targets(loss, 1.0)
    best = np.clip(loss.minimiser(y), -3, 3)[None]
    for score in loss.scores:
        good, bad = float(score.measure(best, y)[0]), float(score.measure(-best, y)[0])
        assert good > bad if score.higher_is_better else good < bad
        assert score.measure(np.vstack([best, -best]), y).shape == (2,)


def check_is_a_value_with_parameters_in_range(loss: Loss) -> None:
    if isinstance(loss, Clipped):
        return
    again = pickle.loads(pickle.dumps(loss))
    assert again == loss == dataclasses.replace(loss)
    assert hash(again) == hash(loss)
    for field in dataclasses.fields(loss):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(loss, field.name, 1.0)
        with pytest.raises(dp.ParameterError, match=f"^{field.name} must be"):
            dataclasses.replace(loss, **{field.name: -1.0})


def check_solvers_agree_or_refuse_in_a_sentence(loss: Loss) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 3))
    p = dp.Problem(loss, X, rng.choice(targets(loss), 60), lam=3.0)
    fit = dp.solve(p, 1e-8)
    np.testing.assert_allclose(dp.solve(p, 1e-8, "lbfgs").theta, fit.theta, atol=1e-8)
    needed = loss.clipped_mean(p.y) is not None and np.isfinite(p.record_curvatures()).all()
    for solver in ("sag", "sag_shuffled"):
        if needed:
            np.testing.assert_allclose(dp.solve(p, 1e-8, solver).theta, fit.theta, atol=1e-8)
        else:
            with pytest.raises(dp.UnsupportedError, match="solver='newton'"):
                dp.solve(p, 1e-8, solver)


CHECKS = tuple(value for name, value in sorted(globals().items()) if name.startswith("check_"))
