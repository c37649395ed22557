"""Numbers of any size give an answer or a sentence, never a warning, a nan or a stack trace."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset

SIZES = (1.0, 1.0, 1e-5, 1e5, 1e-100, 1e100, 1e-160, 1e160, 1e-300, 1e300)
PARAMETERS = (1.0, 1.0, 1e-3, 1e3, 1e-100, 1e100, 1e-300, 1e300)


def draw(rng):
    """A data set, a mechanism and a domain, each likely to hold something extreme."""
    n, d = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * rng.choice(SIZES)
    y = rng.normal(size=n) * rng.choice((1.0, 1.0, 1e-200, 1e150, 1e300))
    kind = rng.integers(6)
    if kind == 0:
        X[:, 0] = X[:, -1]
    elif kind == 1:
        X[rng.integers(n)] = 0
    elif kind == 2:
        y[:] = 0
    elif kind == 3 and np.abs(X).max() < 1e200:
        X[rng.integers(n)] *= 10.0 ** rng.integers(-20, 20)
    lam, size = float(rng.choice((0.0, 1.0, 1e-3, 1e3, 1e-300, 1e300, 1e-12))), float(rng.choice(PARAMETERS))
    if rng.integers(2):
        mechanism = dp.PosteriorSampling(gamma=size, lam=lam)
    else:
        mechanism = dp.OutputPerturbation(size, lam, str(rng.choice(["identity", "identity", "gram", "gram_squared"])))
    return Dataset.from_arrays(X, y), mechanism, dp.Domain(*(float(rng.choice((1.0, 1e-5, 1e5, 1e150))) for _ in "xy"))


def use_everything(ds, mechanism, domain, delta):
    for method in ("exact", "bound"):
        result = dp.individual_privacy(ds, mechanism, delta=delta, method=method, domain=domain)
        assert (result.epsilon >= 0).all()
        for epsilon in (0.0, 1.0, 1e3):
            values = result.delta_at(epsilon)
            assert ((values >= 0) & (values <= 1)).all()
        assert result.frame().notna().all().all()
        assert result.moments(2) >= 0
        assert "nan" not in result.explain(0)
    assert min(result.what_if(ds.X[0], ds.y[0]).epsilon, result.for_all.epsilon, result.worst_case_epsilon) >= 0


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_or_a_sentence(seed):
    rng, sentences, cases = np.random.default_rng(seed), [], 14
    for _ in range(cases):
        case = draw(rng)
        try:
            use_everything(*case, delta=float(rng.choice((1e-6, 1e-300, 0.5, 1 - 1e-9))))
        except dp.DPError as error:
            sentences.append(str(error))
    assert len(sentences) < cases
    assert all(len(text) > 30 and "nan" not in text for text in sentences)


def test_numbers_whose_squares_overflow_are_refused():
    for X, y in (([[1e200]], [1.0]), ([[1.0], [2.0]], [1e308, 1e308])):
        with pytest.raises(dp.DataError, match="so large that their squares overflow"):
            dp.leverage(Dataset.from_arrays(X, y), 1.0)


@pytest.mark.parametrize(("size", "domain"), [(0.1, dp.Domain(1e200, 1.0)), (1e100, dp.Domain(1e60, 1e100))])
def test_a_domain_beyond_the_arithmetic_is_refused(size, domain):
    """A leverage whose square overflows, or a residual."""
    ds = Dataset.from_arrays([[1.0], [0.5]], [size, size])
    result = dp.individual_privacy(ds, dp.OutputPerturbation(sigma=1.0, lam=1.0), domain=domain)
    with pytest.raises(dp.ParameterError, match="too large to compute with"):
        _ = result.for_all
