"""What the per-instance page says of rows that repeat another."""

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.individual.rows.group_privacy import group_privacy
from pages.components.words import number
from tests.pages import tabs
from tests.pages.tabs import table_with


def uploaded(table: pd.DataFrame, **state):
    return tabs.uploaded("your_data/per_instance", "people.csv", table.to_csv(index=False), **state)


@pytest.mark.thorough
def test_copies_are_counted_and_a_person_has_an_epsilon():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(60, 3)).round(3), columns=["a", "b", "y"])
    assert not uploaded(table).warning
    app = uploaded(pd.concat([table, table.iloc[:20]], ignore_index=True))
    assert ["20 rows are exact copies" in one.value for one in app.warning] == [True]
    data = app.session_state["private_data"]["dataset"]
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    row = int(np.argmax(result.epsilon[:20]))
    together = group_privacy(data, result.mechanism, [row, 60 + row], 1e-6)
    shown = table_with(app, "ε per person")
    line = shown.set_index("rows of one person").loc[f"rows {row + 1} and {61 + row}"]
    assert line.tolist() == [f"≤ {number(together.epsilon)}", number(float(result.epsilon[row]))]
