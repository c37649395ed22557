"""Every model with every mechanism: one number of a row on the page, in the file of the command line and in the library."""

import shlex
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dpcore.glm import LOSSES
from dpcore.individual.all_rows import exactly
from dpcore.interfaces.command import OK, main
from dpcore.mechanisms import RELEASES
from pages.components.words import number
from pages.your_data.per_instance import exact
from tests.pages.tabs import box, cards, program, said, table_with, uploaded

ROWS = 40
TARGETS = {"numeric": "amount", "binary": "answer", "count": "visits"}


@pytest.fixture(scope="module")
def people() -> bytes:
    """Two features and a target of each kind; the last row stands out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    X[-1] = 3.0, -2.0
    u = X @ [1.0, -0.5]
    frame = pd.DataFrame(X.round(3), columns=["a", "b"]).assign(
        amount=(u + rng.normal(size=ROWS)).round(3),
        answer=np.where(u + rng.normal(size=ROWS) > 0, "yes", "no"),
        visits=rng.poisson(np.exp(u / 3)),
    )
    return frame.to_csv(index=False).encode()


@pytest.fixture(scope="module")
def opened(people):
    """The page for a kind of target, made once for all models of it."""

    @cache
    def app_for(kind: str):
        app = uploaded("your_data/per_instance", "people.csv", people, pi_tab="Code")
        box(app, "Target").set_value(TARGETS[kind]).run()
        return box(app, "Features").set_value(["a", "b"]).run()

    return app_for


@pytest.mark.thorough
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_page_command_and_library_give_one_number(loss, release, opened, people, tmp_path, monkeypatch):
    monkeypatch.setattr(exact, "fill", lambda *_: None)  # rows without the expansion: tested elsewhere
    monkeypatch.setattr(exactly, "wanted", lambda *_: [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(people)
    kind = LOSSES[loss].target.name
    app = opened(kind)
    app.session_state[f"pi_model_{kind}"], app.session_state["pi_kind"] = loss, release
    app.run()
    _, names = program(app)
    result = names["result"]
    assert (result.mechanism.release, result.mechanism.loss or LOSSES["squared"]) == (release, LOSSES[loss])
    table = table_with(app, "epsilon")
    top = result.most_exposed(25)
    assert table["row"].tolist() == result.dataset.row_labels[top].tolist()
    np.testing.assert_allclose(table["epsilon"], result.epsilon[top], rtol=1e-12)
    shown = cards(app)
    sign = "=" if result.mechanism.is_linear else "≈"
    assert shown[f"Median of {ROWS} rows"] == f"ε {sign} {number(float(np.median(result.epsilon)))}"
    row = next(box.value for box in app.selectbox if box.label == "Row")
    assert f"{result.dataset.row_name(row).capitalize()} has ε {sign} {result.epsilon[row]:.3g}" in said(app)
    assert main([*shlex.split(app.code[1].value.replace("\\\n", " "))[3:], "--quiet"]) == OK
    written = next(tmp_path.glob("*.parquet"))
    np.testing.assert_allclose(pd.read_parquet(written)["epsilon"], result.epsilon, rtol=1e-12)
