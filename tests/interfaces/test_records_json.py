"""Records for other programs: valid by the schema, their numbers those of the result, their direction by quadrature."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import integrate, stats

import dpcore as dp
from dpcore.individual import ExactRows
from dpcore.interfaces.command import OK, USAGE, main
from dpcore.interfaces.records_json import directions, records_json, smallest_cells

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "records.schema.json").read_text(encoding="utf-8"))
HASHES = {"the file": "ab" * 32}


def valid(text: str) -> dict:
    found = json.loads(text)
    jsonschema.validate(found, SCHEMA, jsonschema.Draft202012Validator)
    return found


def people(rows: int = 60) -> bytes:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"K-{k:03}" for k in range(rows)], "a": rng.normal(size=rows).round(3)})
    frame["town"] = rng.choice(["Bern", "Chur", "Genf"], rows, p=[0.6, 0.3, 0.1])
    frame["twice"] = 2 * frame["a"]
    frame["sex"] = rng.choice(["f", "m"], rows)
    frame["y"] = (frame["a"] + rng.normal(size=rows)).round(3)
    return frame.to_csv(index=False).encode()


@pytest.fixture
def data():
    ranges = {"a": (-4, 4), "twice": (-8, 8), "y": (-6, 6)}
    return dp.load_csv(people(), "y", domain=dp.Domain(ranges=ranges))


def test_every_row_is_one_record_with_the_numbers_of_the_result(data):
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    found = valid(records_json(result, HASHES))
    records = pd.DataFrame(found["records"])
    assert records["epsilon"].tolist() == result.epsilon.tolist()
    assert records["id"].tolist() == data.row_ids()
    assert records["reason"].tolist() == result.frame()["reason"].tolist()
    assert set(records["error"]) == {0.0}
    assert (found["n_records"], found["sha256"], found["delta"]) == (60, HASHES, 1e-6)
    assert "sensitive" in found["confidentiality"]


def test_degrees_of_freedom_and_smallest_cells_are_those_of_other_packages(data):
    found = valid(records_json(dp.individual_privacy(data, dp.PosteriorSampling(1.0, 1.0)), HASHES))
    assert (
        found["residual_degrees_of_freedom"] == sm.OLS(data.y, data.X[:, [0, 1, 2, 3, 5]]).fit().df_resid
    )  # of collinear ones one each
    frame = pd.read_csv(pd.io.common.BytesIO(people()))
    table = pd.crosstab(frame["town"], frame["sex"]).to_numpy()
    assert found["smallest_cells"]["together"] == table[table > 0].min()
    by_column = {one["column"]: (one["level"], one["rows"]) for one in found["smallest_cells"]["by_column"]}
    assert by_column["town"] == ("Genf", int((frame["town"] == "Genf").sum()))
    numbers = dp.Dataset.from_arrays(np.eye(3), np.arange(3.0))
    assert smallest_cells(numbers) == {"by_column": [], "together": None}


def test_the_direction_is_the_one_whose_delta_is_larger_by_quadrature():
    rng = np.random.default_rng(1)
    x, y, lam, gamma, delta = rng.uniform(0.2, 1, 12), rng.uniform(-1, 1, 12), 0.5, 2.0, 1e-2
    y[3] = 0.0
    data = dp.Dataset.from_arrays(x[:, None], y)
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=gamma, lam=lam), delta)

    def law(keep):
        h = float(np.sum(x[keep] ** 2) + lam)
        return stats.norm(np.sum(x[keep] * y[keep]) / h, 1 / np.sqrt(gamma * h))

    every, expected = np.ones(12, dtype=bool), []
    for row in range(12):
        with_it, without = law(every), law(every & (np.arange(12) != row))
        beyond, factor = {}, np.exp(result.epsilon[row])
        for name, p, q in (("add", without, with_it), ("remove", with_it, without)):

            def excess(t, p=p, q=q, factor=factor):
                return max(p.pdf(t) - factor * q.pdf(t), 0.0)

            beyond[name] = integrate.quad(excess, -12, 12, limit=2000, points=np.linspace(-3, 3, 40))[0]
        expected.append(max(beyond, key=beyond.get))
        assert max(beyond.values()) == pytest.approx(delta, rel=1e-4)
    assert directions(result).tolist() == expected
    same = dp.individual_privacy(data, dp.OutputPerturbation(sigma=1.0, lam=lam), delta)
    assert set(directions(same)) == {"both"}


@pytest.mark.parametrize("mechanism", [dp.PosteriorSampling, dp.ObjectivePerturbation])
def test_an_expansion_has_a_direction_and_an_error_only_where_it_was_computed(mechanism):
    result = dp.individual_privacy(dp.load_sample("breast_cancer"), mechanism(1.0, 1.0, loss="logistic"))
    some, one = np.array([4, 7]), np.ones(2)
    known = result.with_exact(ExactRows(some, np.array([0.5, np.inf]), 0.01 * one, one, one, one))
    records = valid(records_json(known, HASHES))["records"]
    assert [(records[k]["epsilon"], records[k]["error"], records[k]["method"]) for k in (4, 7, 0)] == [
        (0.5, 0.01, "exact"), (None, 0.01, "exact"), (result.epsilon[0], None, "expansion"),
    ]  # fmt: skip
    for row in (0, 4, 100):
        at = result.epsilon[row] if row != 4 else 0.5
        curve = result.profile(row)
        larger = max(("add", "remove"), key=lambda way: float(curve.log_delta(at, direction=way)))
        assert records[row]["direction"] == larger


def test_the_schema_refuses_what_is_not_a_record(data):
    found = valid(records_json(dp.individual_privacy(data, dp.PosteriorSampling(1.0, 1.0)), HASHES))
    record = found["records"][0]
    for wrong in ({"epsilon": -1.0}, {"direction": "up"}, {"delta": 0}, {"name": "Ada"}, {"row": 0}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, "records": [record | wrong]}, SCHEMA)
    for missing in record:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, "records": [{k: v for k, v in record.items() if k != missing}]}, SCHEMA)


def test_the_command_writes_them_and_refuses_to_in_pieces(tmp_path, capsys):
    (tmp_path / "people.csv").write_bytes(people())
    asked = ["report", str(tmp_path / "people.csv"), "--target", "y", "--mechanism", "posterior_sampling", "--quiet"]
    asked += [word for name, end in (("a", 4), ("twice", 8), ("y", 6)) for word in ("--range", f"{name}=-{end}:{end}")]
    asked += ["--out", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]
    assert main([*asked, "--stream"]) == USAGE
    assert "--json needs all rows in memory" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
    assert main(asked) == OK
    written = valid((tmp_path / "r.json").read_text(encoding="utf-8"))
    table = dp.read_table(tmp_path / "people.csv")
    data = dp.make_dataset(table, "y", domain=dp.Domain(ranges={"a": (-4, 4), "twice": (-8, 8), "y": (-6, 6)}))
    result = dp.individual_privacy(data, dp.PosteriorSampling(1.0, 1.0))
    assert written == valid(records_json(result, {"the file": table.sha256}))
    assert written != valid(records_json(replace(result, delta=1e-5), {"the file": table.sha256}))
