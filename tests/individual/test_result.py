import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import dpcore as dp
from dpcore.data import Dataset
from tests.individual.conftest import random_data

MECHANISMS = [dp.PosteriorSampling(gamma=1.0, lam=0.5), dp.OutputPerturbation(sigma=0.05, lam=0.5)]


@pytest.fixture(params=MECHANISMS, ids=["posterior", "output"])
def result(request, small):
    return dp.individual_privacy(small, request.param, delta=1e-6)


def test_what_if_of_many_records(result):
    many = result.what_if(result.dataset.X[:5], result.dataset.y[:5])
    one = result.what_if(list(result.dataset.X[3]), float(result.dataset.y[3]))
    assert many.epsilon.shape == many.leverage.shape == many.residual.shape == (5,)
    assert one.epsilon == pytest.approx(many.epsilon[3], rel=1e-12)
    assert one.note == ""


def test_what_if_outside_the_domain_is_remarked(result):
    assert "Outside the public domain" in result.what_if([3.0, 0.0, 0.0], 0.5).note
    assert "|y| = 4" in result.what_if([0.0, 0.0, 0.5], -4.0).note


def test_arguments_are_checked(result):
    rows = result.dataset
    for call, message in (
        (lambda: result.what_if([1.0, 2.0], 1.0), "a record needs 3 numbers"),
        (lambda: result.what_if([1.0, np.nan, 3.0], 1.0), "x must not contain nan"),
        (lambda: result.what_if([1.0, 2.0, 3.0], np.inf), "y must be finite"),
        (lambda: result.delta_at([0.1, 0.2]), "one per row"),
        (lambda: result.moments(0), "order must|must be"),
        (lambda: result.quantiles(1.1), "must be in"),
        *((lambda bad=bad: result.explain(bad), "index must be") for bad in (-1, 60, 1.5, True)),
        *(
            (lambda bad=bad: dp.individual_privacy(rows, MECHANISMS[0], bad), "delta must")
            for bad in (0, 1, np.nan, "a")
        ),
        (lambda: dp.individual_privacy(rows, MECHANISMS[0], method="approximate"), "must be one of 'exact', 'bound'"),
        (lambda: dp.individual_privacy(rows.X, MECHANISMS[0]), r"dataset must be a dp\.Dataset"),
    ):
        with pytest.raises(dp.ParameterError, match=message):
            call()


def test_frame_holds_one_line_per_row(result):
    frame = result.frame()
    assert " ".join(frame.columns) == (
        "row epsilon in_sample out_of_sample residual loo_residual recognised_of_100 guessed_of_100 reason"
    )
    assert len(frame) == 60
    high = frame.out_of_sample > 2 * frame.out_of_sample.median()
    large = frame.loo_residual.abs() > 2 * frame.loo_residual.abs().median()
    expected = np.select([high & large, high, large], ["both", "leverage", "residual"], "neither")
    assert (frame.reason == expected).all()
    assert frame.reason.nunique() > 1


def test_rows_without_a_bound_stay_infinite_in_the_summaries(small):
    mechanism = dp.OutputPerturbation(sigma=0.02, lam=0.5)
    result = dp.individual_privacy(small, mechanism, delta=1e-6, method="bound")
    assert np.isinf(result.epsilon).any()
    assert np.isfinite(result.epsilon).any()
    assert result.moments(1) == np.inf
    assert result.quantiles(1.0) == np.inf
    assert np.isfinite(result.quantiles(0.0))
    assert "has no finite bound on ε: its leverage" in result.explain(int(np.argmax(result.epsilon)))


def test_explanation_compares_with_the_medians(result):
    rows = np.arange(60)
    row = int(np.argmax(result.leverage.out_of_sample))
    text = result.explain(row)
    times = result.leverage.out_of_sample[row] / np.median(result.leverage.out_of_sample)
    assert f"Row {row + 1} has ε = {result.epsilon[row]:.3g}" in text
    assert f"its leverage is {times:.3g} times the median" in text
    said = {result.frame().reason[i]: result.explain(i) for i in rows}
    assert "disagrees" in said["residual"]
    assert "Neither stands out" in said["neither"]


def test_explanation_uses_the_row_label_of_the_file():
    ds = Dataset(X=[[0.1], [0.9], [0.4]], y=[0.2, 0.5, 0.1], names=("a",), row_labels=np.array([3, 17, 40]))
    result = dp.individual_privacy(ds, MECHANISMS[0])
    assert result.explain(1).startswith("Row 17 ")
    assert list(result.frame().row) == [3, 17, 40]


def test_results_are_confidential_and_show_no_row(result):
    assert "sensitive" in result.confidentiality
    text = repr(result)
    assert text == f"IndividualPrivacy(n_samples=60, mechanism={result.mechanism!r}, delta=1e-06, method='exact')"
    with pytest.raises(ValueError, match="read-only"):
        result.epsilon[0] = 0


def test_a_domain_taken_from_the_data_is_remarked(small):
    result = dp.individual_privacy(small, MECHANISMS[0], domain=dp.Domain(from_data=True))
    assert "taken from the data" in result.caveat


def test_results_survive_pickling(result):
    _ = result.for_all
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.epsilon, result.epsilon)
    assert again.for_all.epsilon == result.for_all.epsilon


def test_a_mechanism_of_others_is_analysed_as_what_it_derives_from(small):
    class Doubled(dp.PosteriorSampling):
        pass

    a = dp.individual_privacy(small, Doubled(gamma=1.0, lam=1.0)).epsilon
    np.testing.assert_array_equal(a, dp.individual_privacy(small, dp.PosteriorSampling(gamma=1.0, lam=1.0)).epsilon)


def test_many_sessions_at_once_agree_and_leave_the_thread_limits_alone():
    ds = random_data(31, 20_000, 6)
    with threadpool_limits(2, user_api="blas"):
        before = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
        alone = [dp.individual_privacy(ds, mechanism).epsilon for mechanism in MECHANISMS]
        with ThreadPoolExecutor(6) as pool:
            together = list(pool.map(lambda k: dp.individual_privacy(ds, MECHANISMS[k % 2]).epsilon, range(12)))
        for k, epsilon in enumerate(together):
            np.testing.assert_array_equal(epsilon, alone[k % 2])
        assert [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"] == before
