"""The second way agrees with the first, and would notice if it did not."""

import pytest

import dpcore as dp
from dpcore.audit import cross_check


def test_one_table_holds_the_mechanism_and_the_rows():
    checks = cross_check.profile_checks(dp.Gaussian(1.0), 0.5)
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), delta=1e-6)
    refits = cross_check.refit_checks(data, result, [3, 5])
    assert list(refits) == [int(data.row_labels[row]) for row in (3, 5)]
    table = cross_check.table_of_checks([*checks, *refits.values()])
    assert table["app"].tolist() == [check.first for check in (*checks, *refits.values())]
    assert table["second way"].tolist() == [check.second for check in (*checks, *refits.values())]


@pytest.mark.parametrize(("second", "digits"), [(1.0, 16), (1.001, 3), (1e-3, 0), (12.0, 1)])
def test_digits_agree_up_to_those_of_a_float(second, digits):
    assert cross_check.Check("δ", 1.0, second).digits == digits


def test_beside_an_exact_zero_decimal_places_are_compared():
    """Quadrature leaves a rest near 1e-17 where a pure mechanism has δ = 0."""
    rest, wrong = cross_check.Check("δ", 0.0, 3e-17), cross_check.Check("δ", 0.0, 2e-4)
    assert (rest.digits, rest.difference) == (16, 3e-17)
    assert (wrong.digits, wrong.difference, wrong.lines[1]) == (4, 2e-4, "0000200000000000")


def test_both_lines_begin_at_the_same_decimal_place():
    assert cross_check.Check("δ", 0.0123456, 0.0023456).lines == ("1234560000000000", "0234560000000000")


def test_a_wrong_profile_is_noticed():
    class HalfNoise(dp.Gaussian):
        def _log_delta(self, epsilon, direction):
            return dp.Gaussian(2 * self.sigma)._log_delta(epsilon, direction)

    assert cross_check.profile_checks(HalfNoise(1.0), 0.5)[0].difference > 0.1


@pytest.mark.parametrize("mechanism", [
    dp.PosteriorSampling(gamma=1.0, lam=1.0),
    dp.OutputPerturbation(sigma=0.5, lam=1.0),
    dp.OutputPerturbation(sigma=0.5, lam=1.0, shape="gram"),
], ids=repr)  # fmt: skip
def test_rows_agree_with_refits(mechanism):
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, mechanism, delta=1e-6)
    rows = [int(row) for row in result.most_exposed(6)] + [0, 100]
    checks = cross_check.refit_checks(data, result, rows)
    assert len(checks) == 8
    assert max(check.difference for check in checks.values()) < 1e-6
