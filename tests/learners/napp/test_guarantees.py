"""What is proven, attained and never exceeded; what is claimed, and how it falls; the learner that tells them apart."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import dpcore as dp
from dpcore.audit import napp as audit
from dpcore.learners import napp
from dpcore.learners.napp import GaussianNoise, NoiseAugmentedLearner, Regularizer, SphericalLaplace
from tests.refusals import refuses

EPSILONS = (0.0, 0.1, 0.4, 0.8, 0.9)


def hockey_stick(p, q, epsilon, breaks):
    """∫[p − e^ε q]₊ by adaptive quadrature between breaks, independent of the library's panels."""
    total = 0.0
    for low, high in itertools.pairwise(breaks):
        total += integrate.quad(
            lambda t: max(p(t) - math.exp(epsilon) * q(t), 0.0), low, high, limit=400, epsabs=1e-11
        )[0]
    return total


def ramp_mechanism(rate, floor, lipschitz, beta, start):
    """argmin f + Λ₀θ² + bθ, f a one-sided Huber ramp from `start` (f' from 0 to L at slope β): densities without and with it."""

    def slope(t):
        return min(max(beta * (t - start), 0.0), lipschitz)

    def bend(t):
        return beta if start < t < start + lipschitz / beta else 0.0

    def absent(t):
        return rate / 2 * math.exp(-rate * abs(2 * floor * t)) * 2 * floor

    def present(t):
        return rate / 2 * math.exp(-rate * abs(2 * floor * t + slope(t))) * (2 * floor + bend(t))

    return absent, present


@pytest.mark.parametrize("start", [-3.0, -1.0, 0.0, 0.7])
@pytest.mark.parametrize(
    ("rate", "floor", "lipschitz", "beta"), [(0.5, 1.0, 1.0, 1.0), (0.2, 0.3, 2.0, 0.5), (1.0, 5.0, 0.5, 4.0)]
)
def test_certified_profile_is_never_below_a_real_mechanism(rate, floor, lipschitz, beta, start):
    profile = napp.SphericalObjectivePerturbation(rate, floor, lipschitz, beta)
    absent, present = ramp_mechanism(rate, floor, lipschitz, beta, start)
    reach = 40 / (rate * 2 * floor)
    zero = optimize.brentq(lambda t: 2 * floor * t + min(max(beta * (t - start), 0), lipschitz), -reach, reach)
    breaks = sorted({-reach, 0.0, zero, start, start + lipschitz / beta, reach})
    for epsilon in EPSILONS:
        for pair, direction in (((absent, present), "add"), ((present, absent), "remove")):
            true = hockey_stick(*pair, epsilon, breaks)
            assert true <= float(profile.delta(epsilon, direction=direction)) + 1e-9


def test_certified_pure_epsilon_is_attained_and_in_one_direction_only():
    """A ramp that is full where the noise decays: the log ratio reaches cL + log(1 + β/2Λ₀) at its upper end."""
    rate, floor, lipschitz, beta = 0.5, 1.0, 1.0, 1.0
    absent, present = ramp_mechanism(rate, floor, lipschitz, beta, -30.0)
    at = -30.0 + lipschitz / beta - 1e-9
    profile = napp.SphericalObjectivePerturbation(rate, floor, lipschitz, beta)
    assert math.log(present(at) / absent(at)) == pytest.approx(profile.pure_epsilon, abs=1e-8)
    assert profile.pure_epsilon == pytest.approx(rate * lipschitz + math.log(1 + beta / (2 * floor)))
    assert float(profile.epsilon(0.0, direction="add")) == pytest.approx(rate * lipschitz)
    grid = np.linspace(-40, 40, 4001)
    ratios = [math.log(absent(t) / present(t)) for t in grid]
    assert max(ratios) <= rate * lipschitz + 1e-12


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_profiles_from_two_ratios_are_the_best_two_outcomes(epsilon):
    """Linear program over pairs on a grid of ratios, sharing no code: the largest H with bounded ratios."""
    claimed = napp.Claimed(epsilon)
    profile = napp.SphericalObjectivePerturbation(epsilon / 2, 1.0, 1.0, 2 * math.expm1(epsilon / 3))
    for curve, own, other, direction in (
        (claimed, epsilon, epsilon, "add"),
        (profile, *profile.budgets, "add"),
        (profile, *profile.budgets[::-1], "remove"),
    ):
        ratios = np.exp(np.linspace(-other, own, 401))
        for look in (0.0, 0.3 * epsilon, 0.9 * epsilon):
            gain = -np.maximum(ratios - math.exp(look), 0.0)
            best = optimize.linprog(gain, A_eq=[np.ones(401), ratios], b_eq=[1, 1], bounds=(0, 1))
            assert float(curve.delta(look, direction=direction)) == pytest.approx(-best.fun, abs=1e-7)
    assert claimed.bound is dp.Bound.CLAIMED
    assert profile.bound is dp.Bound.UPPER


def test_claimed_profile_with_a_failure_probability():
    claimed = napp.Claimed(1.0, 1e-3)
    both = 1e-3 + 0.999 * (math.e - 1) / (1 + math.e)
    assert [float(claimed.delta(epsilon)) for epsilon in (0.0, 1.0, 50.0)] == pytest.approx([both, 1e-3, 1e-3])
    assert float(claimed.epsilon(1e-4)) == np.inf
    refuses(dp.ParameterError, "budget", napp.Claimed, 0.0)


@pytest.mark.parametrize("size", [1, 3, 16])
def test_noise_follows_its_law(size):
    rng = np.random.default_rng(0)
    noise = SphericalLaplace(0.7)
    draws = np.array([noise.sample(size, rng) for _ in range(20_000)])
    norms = np.linalg.norm(draws, axis=1)
    assert stats.kstest(norms, stats.gamma(size, scale=1 / 0.7).cdf).pvalue > 1e-3
    assert np.mean(norms**2) == pytest.approx(noise.mean_square(size), rel=0.05)
    assert draws.var(axis=0).mean() == pytest.approx((size + 1) / 0.7**2, rel=0.05)
    assert np.mean(norms <= noise.norm_quantile(size, 0.9)) == pytest.approx(0.9, abs=0.01)
    gaussian = GaussianNoise(2.0)
    norms = [np.linalg.norm(gaussian.sample(size, rng)) for _ in range(4000)]
    assert np.mean(np.array(norms) <= gaussian.norm_quantile(size, 0.5)) == pytest.approx(0.5, abs=0.03)
    assert np.mean(np.square(norms)) == pytest.approx(gaussian.mean_square(size), rel=0.1)


def test_truncated_noise_is_the_conditional_law():
    rng = np.random.default_rng(1)
    noise = SphericalLaplace(1.0)
    folded = np.array([noise.truncated(2, rng) for _ in range(8000)])
    kept = np.array([b for b in (noise.sample(2, rng) for _ in range(32_000)) if b.min() > 0])
    assert stats.ks_2samp(folded[:, 0], kept[:, 0]).pvalue > 1e-3
    assert folded.min() >= 0
    cut = np.array([noise.truncated(2, rng, -0.5) for _ in range(500)])
    assert cut.min() > -0.5
    assert cut.min() < 0
    refuses(dp.ParameterError, "cut", noise.truncated, 2, rng, 0.1)


def test_gaussian_noise_above_a_cut_is_the_conditional_law_in_any_dimension():
    rng, noise = np.random.default_rng(2), GaussianNoise(3.0)
    direct = np.concatenate([noise.truncated(16, rng, -0.5) for _ in range(400)])
    kept = noise.sample(20_000, rng)
    assert stats.ks_2samp(direct, kept[kept > -0.5]).pvalue > 1e-3
    assert direct.min() > -0.5
    refuses(dp.ParameterError, "too little", SphericalLaplace(1.0).truncated, 40, rng, -1e-3)


def test_selection_noise_may_be_truncated_anywhere_up_to_zero():
    """Eqs. (9) and (10): c → −∞ is VS, c = 0 is VS+, and the release is the minimiser under that draw of b."""
    data, options = dataset("logistic"), {"variant": "sum", "selection": "vs", "delta": 1e-4}
    released = {
        cut: NoiseAugmentedLearner("logistic", 1.0, cut=cut, **options).fit(data, rng=5).theta
        for cut in (-np.inf, -1e6, -2.0, 0)
    }
    plus = NoiseAugmentedLearner("logistic", 1.0, **(options | {"selection": "vs_plus"})).fit(data, rng=5).theta
    whole = NoiseAugmentedLearner("logistic", 1.0, **options)
    assert np.array_equal(released[-np.inf], whole.fit(data, rng=5).theta)
    assert np.array_equal(released[0], plus)
    chosen = whole.plan(dp.PublicFacts.of(data)).parameters
    b = chosen["noise"].truncated(3, np.random.default_rng(5), -2.0)
    assert b.min() > -2.0
    problem = dp.Problem("logistic", data.X, data.y, lam=0.0)
    assert released[-2.0] == pytest.approx(
        napp.settle(problem, chosen["weighting"], b, selection="vs").theta, abs=1e-9
    )  # fmt: skip
    for cut in (0.5, np.nan, "0", True):
        refuses(dp.ParameterError, "cut must be <= 0", NoiseAugmentedLearner, "logistic", 1.0, cut=cut, **options)
    for selection in ("none", "vs_plus"):
        with pytest.raises(dp.ParameterError, match="selection='vs'"):
            NoiseAugmentedLearner("logistic", 1.0, variant="moor", selection=selection, cut=-1.0)


def test_printed_constants():
    log = math.log(1e-3)
    assert napp.printed_sigma(1.0, 1e-3, 2.0) ** 2 == pytest.approx(2 * 0.5**-2 * 4 * (0.5 - log))
    assert napp.corollary_sigma(1.0, 1e-3, 2.0) == pytest.approx(2 * (math.sqrt(1 - 2 * log) + math.sqrt(-2 * log)))
    assert napp.printed_floor(0.5, 3.0, 0.25) == pytest.approx(3 / (2 * 0.75 * 0.5))


def test_the_claim_falls_where_the_certified_form_stands():
    certified = audit.attack(audit.Scenario(1.0, 4.0, target=2.0), "certified")
    assert certified.delta == 0
    assert certified.largest_ratio <= audit.Scenario(1.0, 4.0, target=2.0).certified.pure_epsilon + 1e-12
    moor = audit.attack(audit.Scenario(1.0, 4.0, target=2.0), "moor")
    assert (moor.delta > 0.02, moor.largest_ratio) == (True, np.inf)
    assert audit.sweep(audit.Scenario(1.0, target=2.0), "moor", (0.5, 4.0)) == pytest.approx([0.0, moor.delta])


def test_the_claim_holds_at_first_and_falls_as_the_iteration_goes_on():
    """δ of Algorithm 1 after T iterations, against its own runs and against the limit."""
    scenario = audit.Scenario(1.0, 4.0, target=2.0)
    rising = [audit.after_iterations(scenario, t) for t in (1, 5, 20)]
    assert rising[0] < 1e-3 < rising[1] < rising[2] < audit.attack(scenario, "moor").delta + 1e-3
    assert audit.after_iterations(scenario, 80) == pytest.approx(audit.attack(scenario, "moor").delta, abs=5e-3)
    b = np.array([-7.0, -4.5, -3.2, -0.4, 2.0, 6.0])
    problem = dp.Problem("squared", [[1.0]], [2.0], lam=0.0, clip=1.0)
    runs = [napp.run(problem.replace(linear=[value]), scenario.weighting("moor"), limit=4).paths[-1][0] for value in b]
    assert audit._iterated(scenario, b, True, 4) == pytest.approx(np.array(runs), abs=1e-7)


def dataset(loss, n=120, p=3):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.clip(X @ np.linspace(1, -1, p), -1, 1)
    y = {"logistic": np.where(y > 0, 1.0, -1.0), "poisson": np.round(np.abs(y))}.get(loss, y)
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain(1.0, 1.0))


@pytest.mark.parametrize(("loss", "kind"), [("squared", "lasso"), ("logistic", "ridge"), ("poisson", "elastic_net")])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_the_default_is_certified_and_meets_its_target(loss, kind, delta):
    clip = None if loss in ("logistic", "smoothed_hinge") else 1.0
    learner = NoiseAugmentedLearner(loss, 1.0, delta, Regularizer(kind, 0.5), clip=clip)
    release = learner.fit(dataset(loss), rng=1)
    assert release.profile.bound in (dp.Bound.UPPER, dp.Bound.EXACT)
    assert float(release.profile.delta(1.0 + 1e-12)) <= delta * (1 + 1e-9) + 1e-12
    assert float(release.profile.delta(0.98)) > delta
    assert release.parameters["proven"]


def test_what_is_public_and_quadratic_counts_for_the_budget():
    data = dataset("logistic")
    learners = (NoiseAugmentedLearner("logistic", 1.0, 0.0, Regularizer("ridge", s)) for s in (0.01, 20.0))
    weak, strong = (learner.fit(data, rng=0) for learner in learners)
    assert strong.parameters["noise"].rate > weak.parameters["noise"].rate
    for release in (weak, strong):
        assert release.profile.pure_epsilon == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("options", [
    {"variant": "moor"}, {"variant": "sum"}, {"variant": "moor", "selection": "vs"}, {"variant": "moor", "selection": "vs_plus"},
    {"variant": "sum", "selection": "vs_plus", "delta": 1e-4}, {"variant": "moor", "retrieval": "return"},
    {"variant": "moor", "retrieval": "recycle"}, {"variant": "moor", "rows": 400, "limit": 5}, {"variant": "moor", "weights": "printed"},
    {"variant": "moor", "limit": 10}, {"variant": "moor", "regularizer": Regularizer("bridge", 0.5)},
])  # fmt: skip
def test_the_sources_variants_run_under_its_claim(options):
    learner = NoiseAugmentedLearner("logistic", 1.0, **{"regularizer": Regularizer("lasso", 0.5), **options})
    release = learner.fit(dataset("logistic"), rng=3)
    assert release.profile.bound is dp.Bound.CLAIMED
    assert not release.parameters["proven"]
    assert any("refutes" in sentence for sentence in release.report)
    assert np.isfinite(release.theta).all()


def test_fixed_weights_are_proven_in_the_sources_form_too():
    for variant in ("moor", "sum"):
        learner = NoiseAugmentedLearner("logistic", 1.0, regularizer=Regularizer("ridge", 0.1), variant=variant)
        release = learner.fit(dataset("logistic"), rng=0)
        assert release.parameters["proven"]
        assert release.profile.pure_epsilon <= 1.0  # log(1 + x) < x: the source spends more than it needs


@pytest.mark.parametrize(("options", "words"), [
    ({"selection": "vs"}, "support"), ({"retrieval": "return"}, "given back"), ({"rows": 100}, "iterates"), ({"limit": 3}, "iterates"),
    ({"regularizer": Regularizer("bridge", 1.0)}, "not convex"), ({"weights": "printed"}, "printed weights"),
])  # fmt: skip
def test_what_is_not_certified_is_refused_with_the_reason(options, words):
    refuses(dp.UnsupportedError, words, NoiseAugmentedLearner, "logistic", 1.0, **options)


def test_certified_rows_stand_beside_the_exact_terms():
    data = dataset("squared")
    learner = NoiseAugmentedLearner("squared", 0.1, 1e-5, Regularizer("ridge", 20.0), rows=40_000, clip=1.0)
    release = learner.fit(data, rng=0)
    assert release.parameters["proven"]
    assert release.profile.lam == 2 * release.parameters["floor"] == pytest.approx(20.0)
    b = release.parameters["noise"].sigma * np.random.default_rng(0).standard_normal(3)
    limit = dp.solve(dp.Problem("squared", data.X, data.y, lam=40.0, linear=b, clip=1.0), 1e-9).theta
    assert np.linalg.norm(release.theta - limit) < 0.05 * np.linalg.norm(limit)


def test_with_rows_and_no_limit_the_iteration_takes_eighty_steps():
    options = {"variant": "sum", "rows": 8, "clip": 1.0}
    fits = (NoiseAugmentedLearner("squared", 1.0, 1e-5, limit=limit, **options) for limit in (None, 80))
    np.testing.assert_array_equal(*(one.fit(dataset("squared", 20, 2), 0).theta for one in fits))
