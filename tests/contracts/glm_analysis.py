"""What every per-instance analysis of a model beyond linear regression must satisfy; each check takes a release.

The analyses are expansions, so they are compared with themselves under changes that must not matter, with fits to other
rows, and with the worst case. A new entry of `GLM_ANALYSES` and `RELEASES` needs nothing here.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import dpcore as dp
from dpcore.data import Dataset
from dpcore.individual.method import EpsilonMethod
from dpcore.mechanisms import GlmRelease
from dpcore.profiles import DIRECTIONS
from tests.contracts import exposures
from tests.contracts.exposures import LOG_DELTA, data_of, refused, result_of, rows_of, same

ORDER = 2.0


def check_its_numbers_say_that_they_are_an_expansion(mechanism: GlmRelease) -> None:
    assert result_of(mechanism).method is EpsilonMethod.EXPANSION


def check_divergences_are_those_of_the_curve(mechanism: GlmRelease) -> None:
    """e^D of order 2 is 1 + 2∫ e^ε δ + e^{−2ε} δ' dε, δ' the curve of the other direction."""
    rows = rows_of(mechanism).take([0])
    profile = rows.profile(0)
    epsilon = np.linspace(0.0, float(profile.epsilon(1e-13)) + 1e-9, 600)
    for direction, other in (DIRECTIONS, DIRECTIONS[::-1]):
        own, reverse = profile.delta(epsilon, direction), profile.delta(epsilon, other)
        sticks = np.exp(epsilon) * own + np.exp(-2 * epsilon) * reverse
        curve = np.log1p(2 * simpson(sticks, x=epsilon))
        same(rows.renyi(ORDER, direction)[0, 0], curve, rtol=2e-3)


def check_a_row_is_what_it_would_add(mechanism: GlmRelease) -> None:
    """The fit to the other rows instead of one step towards it, within the error the expansion is found to have."""
    dataset = data_of(mechanism)
    result = dp.individual_privacy(dataset, mechanism, 1e-5)
    for row in (0, int(result.most_exposed(1)[0])):
        rest = Dataset.from_arrays(np.delete(dataset.X, row, 0), np.delete(dataset.y, row))
        found = dp.individual_privacy(rest, mechanism, 1e-5).what_if(dataset.X[row], dataset.y[row])
        stated = result.exact(row, 0.02).expansion_error
        assert found.epsilon == pytest.approx(result.epsilon[row], rel=max(0.25, 3 * stated))


def check_a_row_of_zeros_adds_nothing(mechanism: GlmRelease) -> None:
    result = result_of(mechanism, 1e-5)
    assert result.what_if(np.zeros(2), 1.0).epsilon == pytest.approx(0, abs=1e-12)


def check_a_comparison_with_delta_is_that_of_the_curve(mechanism: GlmRelease) -> None:
    rows = result_of(mechanism).exposures
    value = rows.log_delta(np.array(0.05))
    for level in (-20.0, LOG_DELTA, -2.0):
        clear = np.abs(value - level) > 0.05  # the curve itself is known to 1e-3 at kinks
        assert (rows.above(0.05, level) == (value > level))[clear].all()


def check_the_published_bound_is_refused(mechanism: GlmRelease) -> None:
    assert refused(lambda: dp.individual_privacy(data_of(mechanism), mechanism, method="bound"))


def check_exact_rows_keep_the_tolerance_and_are_below_the_worst_case(mechanism: GlmRelease) -> None:
    result, told = result_of(mechanism, 1e-5), []
    found = result.exact(result.most_exposed(2), 0.02, told.append)
    assert (found.error <= 0.02).all()
    assert told == sorted(told)
    assert told[0] == 0
    assert found.expansion_error < 0.5
    if not refused(lambda: result.worst_case):
        assert (found.epsilon - found.error <= result.worst_case_epsilon).all()


def check_the_search_for_the_most_exposed_record_can_be_stopped(mechanism: GlmRelease) -> None:
    result, told = dp.individual_privacy(data_of(mechanism), mechanism), []

    def stop(share: float) -> None:
        told.append(share)
        if share > 0:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        result.for_all_exactly(0.05, stop)
    assert told[0] == 0
    assert told[-1] < 0.5
    assert "for_all" not in vars(result)


def check_the_most_exposed_record_is_confirmed_without_the_expansion(mechanism: GlmRelease) -> None:
    result, told = result_of(mechanism), []
    found = result.for_all_exactly(0.05, told.append)
    assert found is result.for_all
    assert (found.known, found.error) == (found.exact.epsilon[0], found.exact.error[0])
    assert found.error <= 0.05
    assert found.known == pytest.approx(found.epsilon, rel=0.6)
    assert told == sorted(told)
    assert told[-1] <= 1


CHECKS = (*exposures.CHECKS, *(value for name, value in dict(globals()).items() if name.startswith("check_")))
