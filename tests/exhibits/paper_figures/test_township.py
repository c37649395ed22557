"""The average income with Laplace noise, against the two densities."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.exhibits.paper_figures.township import MEDIAN_INCOME, income_epsilon, township


def test_epsilon_is_the_largest_log_ratio_of_the_two_laws():
    others, scale = np.array([3.0, 5.0, 10.0]), 0.5
    for income in (0.0, 6.0, 200.0):
        here, there = stats.laplace(others.mean(), scale), stats.laplace(np.append(others, income).mean(), scale)
        x = np.linspace(-20, 120, 10_001)
        assert income_epsilon(income, others, scale) == pytest.approx(np.abs(here.logpdf(x) - there.logpdf(x)).max())


def test_residents_are_private_and_the_richest_person_is_not():
    found = township(300, 0.02, 1e10)
    for row in (0, 150, 299):
        change = abs(found.incomes.mean() - np.delete(found.incomes, row).mean())
        assert found.residents[row] == pytest.approx(change / (0.02 * MEDIAN_INCOME))
    assert found.residents.max() < 2
    assert found.curve.y[-1] == pytest.approx((1e10 - found.incomes.mean()) / (301 * 0.02 * MEDIAN_INCOME))
    with pytest.raises(dp.ParameterError, match="households"):
        township(1, 0.1, 1e9)
