"""Any model fitted to rows that pass by: the numbers in memory, whatever the pieces, and a minimiser or a sentence."""

import re

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.errors import ConvergenceError, DataError
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.passes import glm
from dpcore.individual.passes.file import stream_privacy
from tests.individual.passes.test_file import saved, small_pieces

FEATURES = ["x0", "x1", "x2"]


def people(n=201, seed=3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [0.3, 0.5, 0.8]
    u = X @ [2.0, -1.0, 1.0]
    columns = {name: X[:, j] for j, name in enumerate(FEATURES)}
    label = np.where(rng.random(n) < 1 / (1 + np.exp(-3 * u)), "yes", "no")
    kind = rng.choice(["a", "b", "c"], size=n)
    return pd.DataFrame(
        {**columns, "label": label, "kind": kind, "visits": rng.poisson(np.exp(u)), "y": u + rng.normal(size=n)}
    )


CASES = {
    "levels": ("label", dp.PosteriorSampling(gamma=1.0, lam=0.5, loss="logistic"), {"domain": dp.Domain()}),
    "one level": (
        "kind",
        dp.OutputPerturbation(sigma=0.5, lam=0.1, shape="gram", loss="logistic", clip=0.3),
        {"domain": dp.Domain(), "positive": "b", "intercept": True},
    ),
    "counts": (
        "visits",
        dp.OutputPerturbation(sigma=0.5, lam=0.5, loss="poisson", clip=0.8),
        {"domain": dp.Domain(1, 20), "counts": True},
    ),
    "objective": ("label", dp.ObjectivePerturbation(sigma=1.0, lam=0.5, loss="logistic"), {"domain": dp.Domain()}),
    "kinks": ("y", dp.OutputPerturbation(sigma=0.5, lam=0.0, loss="huber"), {"domain": dp.Domain(1, 5)}),
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_data_in_memory(case, tmp_path, monkeypatch):
    target, mechanism, options = CASES[case]
    path, out = saved(people(), tmp_path, ".csv" if case == "counts" else ".parquet"), tmp_path / "rows.parquet"
    options = {**options, "features": FEATURES}
    dataset = dp.load_csv(path, target, **options)
    result = dp.individual_privacy(dataset, mechanism)
    small_pieces(monkeypatch, cells=250)
    monkeypatch.setattr(glm, "BLOCK", 100)
    seen = []
    found = stream_privacy(path, target, mechanism, rows=out, progress=lambda *now: seen.append(now), **options)
    rows = pd.read_parquet(out)
    for name in rows.columns:
        np.testing.assert_allclose(rows[name], result.frame()[name], rtol=1e-8, atol=1e-8, err_msg=name)
    stages = list(dict.fromkeys(stage for stage, _ in seen))
    fits = len(stages) - 2
    assert stages == ["reading", *(f"fitting, pass {k + 1}" for k in range(fits)), "computing"]
    assert 2 <= fits <= 15
    expected = ExposureSummary.of(result)
    assert found.summary.top["row"].tolist() == expected.top["row"].tolist()
    assert found.summary.for_all == pytest.approx(expected.for_all, rel=1e-7)
    assert (found.summary.worst_case, found.summary.unknown) == (expected.worst_case, expected.unknown)
    assert re.fullmatch(r"The ε of every row is its expansion .* neither exact nor .*", found.summary.caveat)
    assert found.summary.caveat.endswith(mechanism.caveat)


def test_rows_beyond_all_numbers_are_told_as_in_memory(tmp_path):
    frame = pd.DataFrame({"x0": [0.7, 0.0, 0.0], "x1": [0.1, 0.0, 0.0], "visits": [2, 1, 0]})
    path, mechanism = saved(frame, tmp_path, ".csv"), dp.ObjectivePerturbation(sigma=1.0, lam=1e-4, loss="poisson")
    result = dp.individual_privacy(dp.load_csv(path, "visits", counts=True), mechanism, 0.1)
    found = stream_privacy(path, "visits", mechanism, 0.1, counts=True)
    assert np.isinf(result.epsilon).sum() == found.summary.histogram.infinite == 1
    assert "ε of 1 row is ∞: under this noise" in found.summary.caveat
    assert found.summary.caveat.endswith(result.caveat)


def test_what_has_no_fit_is_said_as_in_memory(tmp_path, monkeypatch):
    frame = people()
    frame["label"] = np.where(frame["x0"] > 0, "yes", "no")
    path = saved(frame, tmp_path, ".parquet")
    small_pieces(monkeypatch, cells=250)
    monkeypatch.setattr(glm, "BLOCK", 100)
    mechanism, rows = dp.OutputPerturbation(sigma=1.0, lam=0.0, loss="logistic"), tmp_path / "rows.parquet"
    with pytest.raises(ConvergenceError, match="no unique minimiser"):
        stream_privacy(path, "label", mechanism, features=FEATURES, rows=rows)
    with pytest.raises(DataError, match=r"first in row 1\), but the logistic loss needs labels"):
        stream_privacy(path, "y", mechanism, features=FEATURES, rows=rows)
    frame.loc[190:, "visits"] = -1
    path = saved(frame, tmp_path, ".csv")
    with pytest.raises(DataError, match=r"holds -1 \(first in row 191\)"):
        stream_privacy(path, "visits", dp.PosteriorSampling(1.0, 1.0, loss="poisson"), features=FEATURES, rows=rows)
    assert not rows.exists()


def test_a_fit_that_is_not_reached_is_no_answer(tmp_path, monkeypatch):
    path = saved(people(), tmp_path, ".parquet")
    monkeypatch.setattr(glm, "BLOCK", 30)
    monkeypatch.setattr(glm, "MOST_STEPS", 1)
    mechanism = dp.OutputPerturbation(sigma=1.0, lam=1e-3, loss="logistic")
    with pytest.raises(ConvergenceError, match="used up its 1 iterations"):
        stream_privacy(path, "label", mechanism, features=FEATURES)
