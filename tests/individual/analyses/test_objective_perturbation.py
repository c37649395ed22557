"""Objective perturbation of linear regression: exact per-instance values against d-dimensional densities."""

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.mechanisms.objective_perturbation.linear_record import LinearRecord, log_mixed_normals
from tests.individual.conftest import random_data


def laws(X, y, lam, sigma, row):
    """Means and standard deviations of the release without and with the row, in the axes where both are products.

    From the d-dimensional normal laws N(θ̂, σ²H⁻²): z = H(θ − θ̂)/σ is standard without the row; with it, z has the
    precision AᵀA, A = H'H⁻¹, whose eigenvectors are the axes. Axes in which the laws agree are dropped.
    """
    eye = lam * np.eye(X.shape[1])
    X_rest, y_rest = np.delete(X, row, axis=0), np.delete(y, row)
    H, H2 = X_rest.T @ X_rest + eye, X.T @ X + eye
    theta, theta2 = np.linalg.solve(H, X_rest.T @ y_rest), np.linalg.solve(H2, X.T @ y)
    A = H2 @ np.linalg.inv(H)
    squares, axes = np.linalg.eigh(A.T @ A)
    mean = axes.T @ (H @ (theta2 - theta)) / sigma
    kept = (np.abs(squares - 1) > 1e-12) | (np.abs(mean) > 1e-12)
    return mean[kept], 1 / np.sqrt(squares[kept])


def hockey_sticks(mean, sd, epsilon):
    """(add, remove) between N(0, I) and the product of N(mean_j, sd_j²): Φ along one axis, quadrature along the other."""
    if len(mean) == 1:
        mean, sd = np.append(mean, 0.0), np.append(sd, 1.0)
    with mp.workdps(30):
        first = int(np.argmax(np.abs(np.log(sd))))  # the axis taken in closed form
        m1, s1 = mp.mpf(float(mean[first])), mp.mpf(float(sd[first]))
        m2, s2 = mp.mpf(float(mean[1 - first])), mp.mpf(float(sd[1 - first]))
        cdf = mp.ncdf
        found = []
        for sign in (1, -1):

            def loss(u, sign=sign):
                """a, b, c of sign·log(P/P') − ε = a v² + b v + c along the first axis, at u on the second."""
                a = sign * (1 / s1**2 - 1) / 2
                b = -sign * m1 / s1**2
                c = sign * (m1**2 / s1**2 / 2 + ((u - m2) ** 2 / s2**2 - u * u) / 2 + mp.log(s1 * s2)) - mp.mpf(epsilon)
                return a, b, c

            def inner(u, loss=loss, sign=sign):
                a, b, c = loss(u)
                root = b * b - 4 * a * c
                if root <= 0:
                    return mp.mpf(0) if a < 0 else weight(u, -mp.inf, mp.inf, sign)
                ends = sorted(((-b - mp.sqrt(root)) / (2 * a), (-b + mp.sqrt(root)) / (2 * a)))
                if a < 0:
                    return weight(u, *ends, sign)
                return weight(u, -mp.inf, ends[0], sign) + weight(u, ends[1], mp.inf, sign)

            def weight(u, low, high, sign):
                p = mp.npdf(u) * (cdf(high) - cdf(low))
                q = mp.npdf(u, m2, s2) * (cdf((high - m1) / s1) - cdf((low - m1) / s1))
                return p - mp.exp(epsilon) * q if sign == 1 else q - mp.exp(epsilon) * p

            # b² − 4ac is a quadratic in u; its roots are where the inner interval appears
            values = [(lambda t: t[1] ** 2 - 4 * t[0] * t[2])(loss(mp.mpf(u))) for u in (-1, 0, 1)]
            k2, k1, k0 = (values[0] + values[2]) / 2 - values[1], (values[2] - values[0]) / 2, values[1]
            reach = 12 + 12 * s2 + abs(m2)
            cuts = {-reach + 2 * reach * k / 24 for k in range(25)}
            if k2 != 0 and k1 * k1 - 4 * k2 * k0 > 0:
                root = mp.sqrt(k1 * k1 - 4 * k2 * k0)
                cuts |= {(-k1 + side * root) / (2 * k2) for side in (1, -1)}
            cuts = sorted(cut for cut in cuts if -reach <= cut <= reach)
            found.append(mp.quad(inner, cuts))
        return found


CASES = {
    "plain": (random_data(1, 40, 3), 1.0, 1.0, 0.5, 7),
    "one dimension": (random_data(2, 12, 1), 0.5, 0.7, 0.3, 3),
    "as many rows as columns and one": (random_data(3, 5, 4), 0.3, 1.5, 0.8, 2),
    "duplicate rows": (
        Dataset.from_arrays(np.repeat(random_data(4, 6, 2).X, 3, axis=0), np.repeat(random_data(4, 6, 2).y, 3)),
        0.2, 0.6, 0.4, 4,
    ),
    "high leverage": (
        Dataset.from_arrays(np.vstack([1e-3 * random_data(5, 20, 2).X, [[1.0, 0.4]]]), np.append(np.zeros(20), 0.9)),
        1e-3, 2.0, 1.0, 20,
    ),
    "little noise": (random_data(6, 30, 2), 1.0, 0.1, 2.0, 5),
    "much noise": (random_data(7, 30, 2), 1.0, 30.0, 0.05, 5),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("ds", "lam", "sigma", "epsilon", "row"), CASES.values(), ids=CASES)
def test_delta_is_the_hockey_stick_of_the_d_dimensional_laws(ds, lam, sigma, epsilon, row):
    mechanism = dp.ObjectivePerturbation(sigma=sigma, lam=lam, lipschitz=1.0, loss="squared")
    profile = dp.individual_privacy(ds, mechanism).profile(row)
    truth = hockey_sticks(*laws(ds.X, ds.y, lam, sigma, row), epsilon)
    for direction, expected in zip(("add", "remove"), truth, strict=True):
        assert float(profile.delta(epsilon, direction)) == pytest.approx(float(expected), rel=1e-9, abs=1e-14)


@pytest.mark.thorough
def test_on_diabetes_the_laws_of_the_most_exposed_row_agree():
    ds = dp.load_sample("diabetes")
    result = dp.individual_privacy(ds, dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared"))
    row = int(result.epsilon.argmax())
    truth = max(hockey_sticks(*laws(ds.X, ds.y, 1.0, 1.0, row), result.epsilon[row]))
    assert float(truth) == pytest.approx(1e-6, rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("epsilon", "mu", "m", "tau"),
    [(3.1, 0.023, 0.05, 0.06), (1.1, 0.11, 0.4, 0.035)],
)
def test_mixture_against_quadrature_with_many_digits(epsilon, mu, m, tau):
    """The mean over c where the integrand has two peaks, a threshold, or a far peak."""
    with mp.workdps(40):
        e, a, mean, spread = mp.mpf(epsilon), 1 + mp.mpf(mu), mp.mpf(m), mp.mpf(tau)
        tail = lambda t: mp.erfc(t / mp.sqrt(2)) / 2  # noqa: E731
        for sign, direction in ((1, "add"), (-1, "remove")):

            def given(c, sign=sign):
                square = c * c + 2 * (a * a - 1) * (mp.log(a) + sign * e)
                if square <= 0:
                    return mp.mpf(0)
                low, high = ((-a * abs(c) + side * mp.sqrt(square)) / (a * a - 1) for side in (-1, 1))
                z = tail(high) + tail(-low), tail(a * high + abs(c)) + tail(-a * low - abs(c))
                if sign == 1:
                    return z[0] - mp.exp(e) * z[1]
                return (1 - z[1]) - mp.exp(e) * (1 - z[0])

            edge = mp.sqrt(max(mp.mpf(0), 2 * (a * a - 1) * (e - mp.log(a)))) if sign == -1 else mp.mpf(0)
            cuts = {mp.mpf(-16) + 4 * k for k in range(9)} | {(edge - mean) / spread, (-edge - mean) / spread}
            total = mp.quad(
                lambda z, given=given: mp.npdf(z) * given(mean + spread * z), sorted(c for c in cuts if abs(c) < 17)
            )
            found = float(log_mixed_normals(epsilon, mu, m, tau, direction))
            assert found == pytest.approx(float(mp.log(total)), abs=1e-9)


def test_the_profile_falls_stays_in_range_and_inverts():
    record = LinearRecord(0.02, 0.3, 0.03)
    epsilon = np.linspace(0, 3, 40)
    for direction in ("add", "remove", "both"):
        delta = record.delta(epsilon, direction)
        assert ((delta >= 0) & (delta <= 1)).all()
        assert (np.diff(delta) <= 0).all()
        assert (np.diff(delta / delta[0], 2) >= -1e-12).all() or direction == "both"
    assert float(record.delta(record.epsilon(1e-4))) == pytest.approx(1e-4, rel=1e-9)
    assert record == LinearRecord(0.02, 0.3, 0.03)


def test_without_spread_and_leverage_it_is_the_gaussian_mechanism():
    epsilon = np.array([0.0, 0.1, 1.0, 3.0])
    gaussian = dp.Gaussian(sigma=2.0).delta(epsilon)
    assert LinearRecord(0.0, 0.5, 0.0).delta(epsilon) == pytest.approx(gaussian, rel=1e-9)


@pytest.mark.parametrize("options", [{"lipschitz": 1.0, "smoothness": 1.0}], ids=str)
def test_a_release_that_names_no_loss_is_refused_with_the_reason(options):
    with pytest.raises(dp.UnsupportedError, match="squared"):
        dp.individual_privacy(random_data(1, 20, 2), dp.ObjectivePerturbation(sigma=1.0, lam=1.0, **options))


def test_the_stated_constant_is_not_a_worst_case_and_no_bound_was_published():
    mechanism = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
    result = dp.individual_privacy(random_data(1, 20, 2, domain=Domain()), mechanism)
    with pytest.raises(dp.UnsupportedError, match="no worst-case guarantee"):
        result.worst_case  # noqa: B018
    with pytest.raises(dp.UnsupportedError, match="no bound"):
        dp.individual_privacy(result.dataset, mechanism, method="bound")
    logistic = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="logistic")
    assert logistic.worst_case(Domain(), 10) == logistic


def test_a_record_has_a_positive_epsilon_where_its_delta_at_zero_exceeds_the_target():
    mu, shift, spread = (
        part.ravel() for part in np.meshgrid([1e-7, 0.01, 0.5], [0.0, 1e-5, 1e-3, 0.5], [0.0, 1e-4, 0.3])
    )
    records = LinearObjective(mu, shift, spread)
    at_zero = records.log_delta(np.zeros(()))
    for log_delta in np.log([1e-6, 1e-3]):
        epsilon = records.epsilon(float(log_delta))
        np.testing.assert_array_equal(epsilon > 0, at_zero > log_delta)
        assert 0 < np.count_nonzero(epsilon) < epsilon.size
