import numpy as np
import pytest

from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.mechanisms.quick_two_normals import quick_log_two_normals
from dpcore.mechanisms.two_normals import log_two_normals
from dpcore.profiles.roots import smallest_root


def rows_like_data(seed, n, scale):
    """Leverage and √γ|r| as a regression has them: narrow leverages, residuals down to nothing."""
    rng = np.random.default_rng(seed)
    mu = 5e-5 * rng.chisquare(8, n) / 8
    return mu, scale * np.abs(rng.normal(size=n))


def rows_of_all_kinds(seed, n, scale):
    """Twelve decades of leverage, sixteen of residual, and rows without any leverage."""
    rng = np.random.default_rng(seed)
    mu = 10 ** rng.uniform(-9, 3, n)
    shift = scale * 10 ** rng.uniform(-8, 8, n) * np.sqrt(mu)
    mu[::50] = 0.0
    return mu, shift


def bracketed(mu, shift, log_delta):
    def excess(epsilon, mu, shift):
        both = [log_two_normals(epsilon, mu, shift, direction) for direction in ("add", "remove")]
        return np.clip(np.maximum(*both) - log_delta, -1e4, 1e4)

    return smallest_root(excess, mu, shift)


@pytest.mark.parametrize("rows", [rows_like_data, rows_of_all_kinds])
@pytest.mark.parametrize("scale", [1e-6, 1e-2, 1.0, 300.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-9, 1e-2, 0.7])
def test_newton_equals_a_bracketed_root(rows, scale, delta):
    mu, shift = rows(3, 6_000, scale)
    fast = PosteriorSample(mu, shift).epsilon(np.log(delta))
    chosen = np.r_[0:6_000:29, np.argsort(fast)[:40], np.argsort(fast)[-40:]]
    slow = bracketed(mu[chosen], shift[chosen], np.log(delta))
    np.testing.assert_array_equal(fast[chosen] == 0, slow == 0)
    np.testing.assert_allclose(fast[chosen], slow, rtol=1e-9)


def test_rows_without_leverage_are_invisible_in_any_number():
    assert (PosteriorSample(np.zeros(6_000), np.ones(6_000)).epsilon(np.log(1e-6)) == 0).all()
    assert (PosteriorSample(np.full(6_000, 0.1), np.ones(6_000)).epsilon(-np.inf) == np.inf).all()


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(
    ("leverage", "shift", "at"),
    [((-5, 1), (-3, 2), (-3, 1.5)), ((-12, 6), (-6, 4), (-6, 3)), ((-290, 200), (-140, 140), (-12, 5)), ((-5, 1), (-3, 2), None)],
    ids=["usual", "wide", "extreme", "where the difference cancels"],
)  # fmt: skip
def test_the_quick_form_has_the_digits_of_the_safe_one(leverage, shift, at, direction):
    rng, n = np.random.default_rng(4), 20_000
    mu, m = 10 ** rng.uniform(*leverage, n), 10 ** rng.uniform(*shift, n)
    near = 0.5 * np.log1p(mu) * (1 + 10 ** rng.uniform(-8, 0, n) * rng.choice([-1, 1], n))
    epsilon = near if at is None else 10 ** rng.uniform(*at, n)
    epsilon[::17], mu[::31], m[::37] = 0.0, 0.0, 0.0
    quick = quick_log_two_normals(epsilon, mu, m, direction)
    safe = log_two_normals(epsilon, mu, m, direction)
    np.testing.assert_array_equal(np.isfinite(quick), np.isfinite(safe))
    seen = np.isfinite(safe)
    np.testing.assert_allclose(quick[seen], safe[seen], rtol=2e-11, atol=2e-11)
