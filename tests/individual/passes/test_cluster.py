"""On a cluster of two workers the numbers are those of the data in memory."""

import sys
import warnings
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from pyarrow import parquet

import dpcore as dp
from dpcore.errors import Cancelled, DataError, ParameterError
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.passes.cluster import cluster_privacy
from dpcore.mechanisms.objective_perturbation.linear_regression import objective_of
from tests.individual.passes.test_file import decisive, mixed, table
from tests.individual.passes.test_glm import FEATURES, people

MECHANISM = dp.PosteriorSampling(gamma=1.0, lam=1e-3)
LOGISTIC = dp.OutputPerturbation(sigma=0.5, lam=0.1, shape="gram", loss="logistic", clip=0.3)


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # workers would run a page left there by AppTest
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            yield client


CASES = {
    "plain": (table(400, 4), "y", dp.PosteriorSampling(gamma=1.0, lam=1.0), {"domain": dp.Domain()}),
    "output": (table(400, 4), "y", dp.OutputPerturbation(sigma=0.5, lam=0.1, shape="gram"), {"domain": dp.Domain()}),
    "objective": (table(400, 4), "y", objective_of(0.5, 0.1), {"domain": dp.Domain()}),
    "mixed": (mixed(), "y", dp.PosteriorSampling(gamma=1.0, lam=1.0), {"domain": dp.Domain(), "intercept": True}),
    "late levels": (mixed(), "answer", MECHANISM, {"domain": dp.Domain(), "missing": "zero"}),
    "decisive rows": (decisive(), "y", MECHANISM, {}),
    "any model": (people(), "kind", LOGISTIC, {"domain": dp.Domain(), "features": FEATURES, "positive": "b"}),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_data_in_memory(case, client, tmp_path):
    frame, target, mechanism, options = CASES[case]
    path = tmp_path / "people.parquet"
    frame.to_parquet(path, index=False, row_group_size=90)
    rows, seen, close = tmp_path / "rows", [], 1e-12 if mechanism.is_linear else 1e-8
    rows.mkdir()
    dataset = dp.load_csv(path, target, **options)
    result = dp.individual_privacy(dataset, mechanism, 1e-6)
    told = {"progress": lambda stage, _: seen.append(stage)}
    found = cluster_privacy(client, path, target, mechanism, 1e-6, rows=rows, **told, **options)
    assert ("fitting, pass 1" in seen) != mechanism.is_linear
    parts = sorted(rows.iterdir())
    assert len(parts) == -(-len(frame) // 90)
    written = pd.concat([pd.read_parquet(part) for part in parts], ignore_index=True)
    for name in written.columns:
        np.testing.assert_allclose(written[name], result.frame()[name], rtol=close, atol=0.1 * close, err_msg=name)
    expected = ExposureSummary.of(result)
    assert found.summary.report == dataset.report
    assert found.summary.top["row"].tolist() == expected.top["row"].tolist()
    assert found.summary.points.labels.tolist() == expected.points.labels.tolist()
    assert found.summary.worst_case == expected.worst_case
    assert found.summary.for_all == (expected.for_all and pytest.approx(expected.for_all, rel=1e-7))
    assert found.sha256 == dp.read_table(path).sha256


@pytest.mark.thorough
def test_several_files_are_one_table(client, tmp_path):
    frame = table(300, 3)
    paths = [tmp_path / f"{k}.parquet" for k in range(3)]
    for k, path in enumerate(paths):
        frame.iloc[100 * k : 100 * (k + 1)].to_parquet(path, index=False)
    whole = tmp_path / "whole.parquet"
    frame.to_parquet(whole, index=False)
    one = cluster_privacy(client, whole, "y", MECHANISM, domain=dp.Domain())
    several = cluster_privacy(client, paths, "y", MECHANISM, domain=dp.Domain())
    pd.testing.assert_frame_equal(one.summary.top, several.summary.top, rtol=1e-12)
    assert one.sha256 != several.sha256
    frame.rename(columns={"x0": "other"}).to_parquet(paths[1], index=False)
    with pytest.raises(DataError, match="other columns"):
        cluster_privacy(client, paths, "y", MECHANISM)


def test_errors_and_cancelling_leave_nothing_behind(client, tmp_path):
    frame = table(400, 4)
    path, rows = tmp_path / "people.parquet", tmp_path / "rows"
    rows.mkdir()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=50)
    frame.to_csv(tmp_path / "people.csv", index=False)
    seen = []
    with pytest.raises(Cancelled):
        cluster_privacy(
            client, path, "y", MECHANISM, rows=rows,
            progress=lambda *now: seen.append(now), cancelled=lambda: sum(at == "computing" for at, _ in seen) >= 3,
        )  # fmt: skip
    assert seen[-1][0] == "computing"
    assert list(rows.iterdir()) == []
    with pytest.raises(DataError, match="Parquet only"):
        cluster_privacy(client, tmp_path / "people.csv", "y", MECHANISM)
    with pytest.raises(ParameterError, match="no folder"):
        cluster_privacy(client, path, "y", MECHANISM, rows=tmp_path / "none")
    with pytest.raises(DataError, match=r"values of the target 'y' lie outside its stated range"):
        cluster_privacy(client, path, "y", MECHANISM, domain=dp.Domain(ranges={"y": (50.0, 60.0)}))
    with pytest.raises(DataError, match=r"values of 'x0' lie outside the stated range"):
        cluster_privacy(client, path, "y", MECHANISM, domain=dp.Domain(ranges={"x0": (50.0, 60.0)}))
    frame["sum"] = frame["x0"] + frame["x1"]
    frame.to_parquet(path, index=False, row_group_size=50)
    with pytest.raises(DataError, match="collinear"):
        cluster_privacy(client, path, "y", dp.PosteriorSampling(gamma=1.0, lam=0.0), rows=rows)
    assert list(rows.iterdir()) == []
