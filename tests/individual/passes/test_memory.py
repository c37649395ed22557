"""Large data in steps and in pages: the same numbers, every row on exactly one page."""

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.errors import ParameterError
from dpcore.individual import exposure
from dpcore.individual.passes.paging import SORTS, page, page_count
from tests.individual.conftest import random_data

MECHANISMS = {"sample": dp.PosteriorSampling(gamma=1.0, lam=1.0), "output": dp.OutputPerturbation(sigma=0.05, lam=0.1)}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("step", [1, 17, 10_000])
def test_steps_give_the_same_numbers(name, step, monkeypatch):
    data = random_data(3, 120, 4, domain=dp.Domain())
    seen = []
    whole = dp.individual_privacy(data, MECHANISMS[name], 1e-6)
    monkeypatch.setattr(exposure, "_AT_ONCE", step)
    found = dp.individual_privacy(data, MECHANISMS[name], 1e-6, progress=lambda *now: seen.append(now))
    np.testing.assert_allclose(found.epsilon, whole.epsilon, rtol=1e-11, atol=1e-13)
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) == 3 + -(-120 // step)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_known_serves_again_and_only_where_it_fits(name):
    data, other = random_data(3, 120, 4), random_data(4, 120, 4)
    mechanism = MECHANISMS[name]
    known = dp.individual_privacy(data, mechanism, 1e-6)
    again = dp.individual_privacy(data, mechanism, 1e-3, known=known)
    assert (again.leverage is known.leverage, again.exposures is known.exposures) == (True, True)
    np.testing.assert_array_equal(again.epsilon, dp.individual_privacy(data, mechanism, 1e-3).epsilon)
    colder = dp.PosteriorSampling(gamma=3.0, lam=mechanism.lam)
    found = dp.individual_privacy(data, colder, 1e-6, known=known)
    assert found.leverage is known.leverage
    np.testing.assert_array_equal(found.epsilon, dp.individual_privacy(data, colder, 1e-6).epsilon)
    for changed, release in ((other, mechanism), (data, dp.PosteriorSampling(gamma=1.0, lam=7.0))):
        found = dp.individual_privacy(changed, release, 1e-6, known=known)
        assert found.leverage is not known.leverage
        np.testing.assert_array_equal(found.epsilon, dp.individual_privacy(changed, release, 1e-6).epsilon)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("size", [1, 7, 64, 1_000])
def test_every_row_is_on_one_page_in_order(sort, size):
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, size=(130, 2)) / 2.0  # many equal rows, hence many ties
    data = dp.Dataset.from_arrays(X, rng.integers(-1, 2, size=130) / 2.0)
    result = dp.individual_privacy(data, MECHANISMS["sample"])
    pages = [page(result, number, size, sort) for number in range(page_count(result, size))]
    positions = np.concatenate([found for found, _ in pages])
    frame = pd.concat([rows for _, rows in pages], ignore_index=True)
    expected = result.frame()
    if sort != "row":
        expected = expected.sort_values(sort, key=np.abs, ascending=False, kind="stable").reset_index(drop=True)
    pd.testing.assert_frame_equal(frame, expected)
    np.testing.assert_array_equal(positions, expected["row"] - 1)
    beyond, _ = page(result, 10_000, size, sort)
    np.testing.assert_array_equal(beyond, pages[-1][0])


def test_pages_are_checked():
    result = dp.individual_privacy(random_data(1, 30, 2), MECHANISMS["sample"])
    for options in ({"number": -1}, {"size": 0}, {"sort": "reason"}):
        with pytest.raises(ParameterError):
            page(result, **{"number": 0, "size": 5, **options})
