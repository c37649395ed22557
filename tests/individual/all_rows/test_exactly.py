"""Rows without the expansion: all of small data, against refits that share no code; others go on where one is refused."""

import numpy as np
import pandas as pd

import dpcore as dp
from dpcore.errors import NoPrivacyError, UnsupportedError
from dpcore.individual import IndividualPrivacy
from dpcore.individual.all_rows import exactly
from dpcore.individual.all_rows.exactly import all_affordable, best_known, wanted
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.method import EpsilonMethod
from dpcore.interfaces.command import OK, main
from dpcore.interfaces.report import report_html
from tests.errata.oracles import gaussian_delta, gaussian_epsilon
from tests.individual.oracles import precise_fit

RELEASE = dp.OutputPerturbation(1.0, 0.1, loss="poisson")
DELTA = 1e-6


def skewed():
    """Counts of which two pull hard: one Newton step says 35.0 and 30.6 of what is 11.9 and 17.2."""
    rng = np.random.default_rng(3)
    a = np.round(rng.standard_normal(12) * np.exp(rng.standard_normal(12)), 3)
    return pd.DataFrame({"a": a, "visits": rng.poisson(np.exp(np.clip(np.abs(a), 0, 3)))})


def loaded():
    text = skewed().to_csv(index=False).encode()
    return dp.load_csv(text, "visits", domain=dp.Domain(from_data=True), counts=True)


def refitted(data):
    """ε of every row by two minimisations and the Gaussian's profile."""
    every, X, y = np.arange(data.n_samples), data.X, data.y
    whole, *others = (
        precise_fit("poisson", X[k], y[k], RELEASE.lam) for k in (every, *(every[every != row] for row in every))
    )
    shifts = [float(np.linalg.norm(whole - other)) / RELEASE.sigma for other in others]
    return np.array([gaussian_epsilon(shift, DELTA) if gaussian_delta(0.0, shift) > DELTA else 0.0 for shift in shifts])


def test_all_rows_of_small_skewed_data_are_exact():
    result = dp.individual_privacy(loaded(), RELEASE, DELTA)
    truth = refitted(result.dataset)
    assert (result.epsilon / truth).max() > 2
    assert result.most_exposed(1)[0] != truth.argmax()
    best, refused = best_known(result)
    assert not refused
    assert (best.method, best.is_expansion) == (EpsilonMethod.EXACT, False)
    np.testing.assert_allclose(best.epsilon, truth, rtol=1e-4, atol=1e-5)
    louder = best.with_noise(2.0)
    assert (louder.method, louder.exactly) == (EpsilonMethod.EXPANSION, None)


def test_the_command_writes_the_truth_of_every_row(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    skewed().to_csv("data.csv", index=False)
    words = (
        "--mechanism output_perturbation --sigma 1 --lam 0.1 --model poisson --clip none --counts --ranges-from-data"
    )
    files = f"report data.csv --target visits --delta {DELTA} --out r.html --parquet rows.parquet"
    assert main(f"{files} {words}".split()) == OK
    truth = refitted(loaded())
    written = pd.read_parquet("rows.parquet")
    np.testing.assert_allclose(written["epsilon"], truth, rtol=1e-4, atol=1e-5)
    assert written["error"].notna().all()
    said = capsys.readouterr().out
    assert "ε of every row is computed without the expansion" in said
    assert "times what it says" in said
    assert "≈" not in (tmp_path / "r.html").read_text(encoding="utf-8").partition("<script>")[0]


def test_rows_that_are_refused_do_not_stop_the_others(monkeypatch):
    result = dp.individual_privacy(loaded(), RELEASE, DELTA)
    exact = IndividualPrivacy.exact

    def refusing(self, rows, *further):
        for row, error in ((2, NoPrivacyError("its ε is above 1 000")), (5, UnsupportedError("unsettled"))):
            if row in rows:
                raise error
        return exact(self, rows, *further)

    monkeypatch.setattr(IndividualPrivacy, "exact", refusing)
    best, refused = best_known(result)
    assert refused == {5: "unsettled"}
    assert best.epsilon[2] == np.inf
    assert best.method_of(2) is EpsilonMethod.EXACT
    assert best.method_of(5) is EpsilonMethod.EXPANSION
    assert best.epsilon[5] == result.epsilon[5]
    assert best.exactly.rows.size == 11
    assert "1 row has ε > 1\u202f000: no privacy at this δ" in best.said
    assert np.isfinite(best.exactly.expansion_error)
    html = report_html(ExposureSummary.of(best), hashes={})
    assert "&gt; 1\u202f000" in html


def test_where_all_take_too_long_the_most_exposed_by_other_measures_are_looked_at_too():
    result = dp.individual_privacy(dp.load_sample("breast_cancer"), dp.OutputPerturbation(1.0, 1.0, loss="logistic"))
    assert not all_affordable(result)
    pull = np.abs(result.leverage.residual) * np.linalg.norm(result.dataset.X, axis=1)
    rows = wanted(result, {})
    assert {*result.most_exposed(5), result.leverage.out_of_sample.argmax(), pull.argmax()} == set(rows)


def test_where_every_expansion_is_too_high_the_search_for_the_most_exposed_row_ends(monkeypatch):
    rng = np.random.default_rng(3)
    visits = rng.poisson(2, 400).astype(float)
    visits[57] = 60
    data = dp.Dataset.from_arrays(rng.uniform(-0.5, 0.5, (400, 2)), visits)
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="poisson", clip=0.05)
    result, asked, shares = dp.individual_privacy(data, mechanism, DELTA), [], []
    assert result.is_expansion

    def halved(result, row, progress):
        asked.append(row)
        progress(1.0)
        none = np.zeros(1)
        return ExactRows(np.array([row]), result.epsilon[[row]] / 2, none, result.epsilon[[row]], none, none)

    monkeypatch.setattr(exactly, "all_affordable", lambda result: False)
    monkeypatch.setattr(exactly, "exact_row", halved)
    best, refused = best_known(result, shares.append)
    assert not refused
    assert len(set(asked)) == len(asked) == 15
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert best.most_exposed(1)[0] not in asked
