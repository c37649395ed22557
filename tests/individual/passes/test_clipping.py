"""Where the domain leaves next to nothing of a column it is refused: in memory, in pieces and on a cluster alike.

That a cluster refuses too is asked once in `test_cluster`; case by case among the thorough tests.
"""

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.errors import DataError
from dpcore.individual.passes.cluster import cluster_privacy
from dpcore.individual.passes.file import stream_privacy
from tests.individual.passes.test_cluster import client  # noqa: F401
from tests.individual.passes.test_file import small_pieces

N = 200
MECHANISM = dp.PosteriorSampling(gamma=1.0, lam=1.0)


@pytest.fixture(params=["in memory", "in pieces", pytest.param("on a cluster", marks=pytest.mark.thorough)])
def read(request, tmp_path, monkeypatch):
    """Read a frame as a data set in one of the three ways."""

    def run(frame, target="y", **options):
        path = tmp_path / "people.parquet"
        frame.to_parquet(path, index=False, row_group_size=37)
        if request.param == "in memory":
            return dp.load_csv(path, target, **options)
        if request.param == "in pieces":
            small_pieces(monkeypatch)
            return stream_privacy(path, target, MECHANISM, **options)
        return cluster_privacy(request.getfixturevalue("client"), path, target, MECHANISM, **options)

    return run


def table(**columns) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    base = {f"x{j}": rng.uniform(-0.5, 0.5, size=N) for j in range(4)} | {"y": rng.uniform(-1, 1, size=N)}
    return pd.DataFrame(base | columns)


def with_outside(count: int, inside: float, outside: float) -> np.ndarray:
    """Values close to `inside`, `count` of them close to `outside`; the first and the last are outside."""
    rng = np.random.default_rng(1)
    values = inside + rng.uniform(-0.1, 0.1, size=N)
    values[np.linspace(0, N - 1, count).astype(int)] += outside - inside
    return values


COLUMNS = {  # column, domain, where its values lie and where others, and what is said of the column and of the limit
    "a target beyond a bound": ("y", {"target_bound": 40.0}, 20.0, 47.11, "the target 'y'", r"the bound \|y\| ≤ 40"),
    "below its bound": ("y", {}, 0.5, -47.11, "the target 'y'", r"the bound \|y\| ≤ 1"),
    "beyond its range": ("y", {"ranges": {"y": (0.0, 1.0)}}, 0.5, 47.11, "the target 'y'", "its stated range"),
    "a column beyond its range": ("x1", {"ranges": {"x1": (0.0, 1.0)}}, 0.5, 47.11, "'x1'", "the stated range"),
    "below it": ("x1", {"ranges": {"x1": (0.0, 1.0), "x3": (-1.0, 1.0)}}, 0.5, -47.11, "'x1'", "the stated range"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_column_that_is_clipped_in_more_than_95_of_100_rows_is_refused(case, read):
    column, options, inside, outside, name, where = COLUMNS[case]
    domain = dp.Domain(**options)
    read(table(**{column: with_outside(190, inside, outside)}), domain=domain)
    with pytest.raises(DataError, match=f"^191 of 200 values of {name} lie outside {where}") as caught:
        read(table(**{column: with_outside(191, inside, outside)}), domain=domain)
    assert f"--range {column}=LOW:HIGH" in str(caught.value)
    assert "47" not in str(caught.value)


SAME_TARGET = "target 'y' is the same in all 200 rows that are used"
SPREADS = {  # column, domain, where its values lie, the spread up to which they are the same, and what is said
    "range of the target, large bound": ("y", dp.Domain(target_bound=30.0, ranges={"y": (5.0, 6.0)}), 5.5, 0.5e-6, SAME_TARGET),
    "bound": ("y", dp.Domain(target_bound=2.0), 0.0, 2e-6, SAME_TARGET),
    "range of a column": ("x2", dp.Domain(ranges={"x2": (5.0, 6.0)}), 5.5, 0.5e-6,
                          "The values of 'x2' are all the same when measured against the stated range"),
}  # fmt: skip


@pytest.mark.parametrize("case", SPREADS)
def test_a_column_without_spread_in_its_range_or_bound_is_refused(case, read):
    column, domain, low, spread, said = SPREADS[case]
    read(table(**{column: np.where(np.arange(N) % 2, low, low + 1.03 * spread)}), domain=domain)
    with pytest.raises(DataError, match=said):
        read(table(**{column: np.where(np.arange(N) % 2, low, low + 0.97 * spread)}), domain=domain)


@pytest.mark.parametrize(("other", "domain"), [(0.25, None), ("no", dp.Domain())])
def test_a_target_that_is_constant_once_rows_are_left_out_is_refused(other, domain, read):
    usual = "yes" if other == "no" else 0.75
    gaps = table(x0=np.where(np.arange(N) == 150, np.nan, np.arange(N) / N), y=usual)
    gaps["y"] = gaps["y"].astype(object)
    gaps.loc[150, "y"] = other
    gaps["y"] = gaps["y"].infer_objects()
    read(gaps, missing="zero", domain=domain)
    with pytest.raises(DataError, match="target 'y' is the same in all 199 rows"):
        read(gaps, domain=domain)


def test_missing_cells_do_not_count_as_inside(read):
    domain, values = dp.Domain(ranges={"x1": (0.0, 1.0)}), with_outside(95, 0.5, 47.0)
    values[np.flatnonzero(values < 1)[:100]] = np.nan
    read(table(x1=values), domain=domain, missing="zero")
    values[np.flatnonzero(values < 1)[0]] = 47.0
    with pytest.raises(DataError, match="96 of 100 values of 'x1' lie outside"):
        read(table(x1=values), domain=domain, missing="zero")


def with_long(count: int, norm: float) -> pd.DataFrame:
    """Four columns; the first `count` rows have this norm, most of it in x2, then in x0."""
    frame = table(x0=0.1 + np.arange(N) / 1e4, x1=0.0, x2=0.2, x3=0.1)
    frame.loc[1, "x1"] = 1e-3
    frame.loc[2, "x3"] = 0.11
    direction = np.array([0.6, 0.0, 0.8, 0.0])
    frame.loc[N - count :, ["x0", "x1", "x2", "x3"]] = norm * direction
    return frame


@pytest.mark.parametrize("rows", ["clip", "normalize"])
def test_rows_longer_than_ranges_could_make_them_are_refused(rows, read):
    domain = dp.Domain(rows=rows)
    read(with_long(180, 2.0004), domain=domain)
    read(with_long(181, 2.0001), domain=domain)
    with pytest.raises(DataError, match=r"^181 of 200 rows are longer .*, 'x2' and 'x0' most of all") as caught:
        read(with_long(181, 2.0004), domain=domain)
    assert "Domain(ranges={'x2': (low, high)}), --range x2=LOW:HIGH" in str(caught.value)
    assert "from_data=True, --ranges-from-data" in str(caught.value)
    read(with_long(181, 2.0004), domain=dp.Domain(3.0, rows=rows))
    read(with_long(181, 2.0004), domain=dp.Domain(rows=rows, ranges={"x0": (-2, 2), "x2": (-2, 2)}))


def test_ranges_read_off_the_file_and_a_column_that_becomes_constant_are_accepted():
    frame = table(
        x0=np.where(np.arange(N) == 7, 2.5, 3.5), x1=np.where(np.arange(N) == 7, np.nan, 1000.3 * np.arange(N))
    )
    data = dp.make_dataset(dp.read_table(frame.to_csv(index=False).encode()), "y", domain=dp.Domain(from_data=True))
    assert (data.n_samples, float(np.ptp(data.X[:, 0]))) == (N - 1, 0.0)


def test_numbers_at_the_edge_of_the_doubles_are_refused_in_words():
    frame = table(x0=np.where(np.arange(N) % 2, 1.7e308, -1.7e308), x1=np.where(np.arange(N) % 3, 1.7e308, -1.7e308))
    with pytest.raises(DataError, match="'x0' and 'x1' most of all"):
        dp.make_dataset(dp.read_table(frame.to_csv(index=False).encode()), "y", domain=dp.Domain())
