"""The table of the most exposed rows."""

import dpcore as dp
from dpcore.individual.all_rows.summary import ExposureSummary
from tests.individual.staff import staff_csv


def test_what_the_owner_calls_a_row_stands_beside_its_number():
    data = dp.load_csv(staff_csv(60), "satisfaction", domain=dp.Domain(from_data=True))
    result = dp.individual_privacy(data, dp.OutputPerturbation(sigma=1.0, lam=1.0))
    top = ExposureSummary.of(result, 3).top
    assert top.columns[:3].tolist() == ["row", "id", "epsilon"]
    assert top["id"].tolist() == list(data.row_ids(result.most_exposed(3)))
