"""A curator with a messy staff file: finds the exposed executive, the cell that exposes him, and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from pages.components.words import number
from tests.contracts.page import PAGES, bound, tab_keys, titles
from tests.individual.staff import EXECUTIVE, staff_csv
from tests.pages.tabs import box, cards, open_tab, run, said, table_with, uploaded

SUGGESTED = {"years": (0.0, 100.0), "satisfaction": (0.0, 10.0)}  # by their names; the salary is read off the file


@pytest.fixture(scope="module")
def result():
    data = dp.load_csv(staff_csv(), "satisfaction", domain=dp.Domain(from_data=True, ranges=SUGGESTED), intercept=True)
    return dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), delta=1e-6)


def started(page: str = "your_data/per_instance", **state) -> AppTest:
    return uploaded(page, "staff.csv", staff_csv(), **state)


def find(app: AppTest, text: str) -> AppTest:
    return box(app, "Find a row").set_value(text).run()


def test_what_is_assumed_stands_beside_the_metrics_and_ranges_of_the_file_guarantee_nothing(result):
    app = started()
    shown = cards(app)
    assert shown["Most exposed: row 147"] == f"ε = {number(float(result.epsilon.max()))}"
    badge = next(m for m in app.metric if m.label.startswith("Most exposed")).delta
    assert re.fullmatch(rf"{EXECUTIVE} · [\d.]+\u00a0× median", badge), "longer ones are cut off"
    captions = said(app, "caption")
    assert "260 of 300 rows used" in captions
    assert "the first line after the header is 1" in captions
    out = result.dataset.report.dropped_rows
    assert len(out) == 40
    assert ", ".join(str(number) for number in out[:39]) in captions
    assert shown["DP worst case"] == shown["pDP for all: any record"] == "no guarantee"
    assert all("read off this file" in m.help for m in app.metric if m.value == "no guarantee")
    assert "No guarantee for other records until ranges are stated" in captions


def test_any_row_is_found_one_that_was_left_out_says_so_and_the_label_is_never_in_the_link(result):
    app = started()
    executive = f"147 (id {EXECUTIVE})"
    for text, row in {"row 148": "148 (id K-0148)", EXECUTIVE: executive, "salary > 100000": executive}.items():
        assert f"Row {row} has" in said(find(app, text))
    out = result.dataset.report.dropped_rows[3]
    app = find(app, f"row {out}")
    assert any(f"Row {out} (id K-{out:04}) was left out for a missing cell in" in item.value for item in app.info)
    find(app, "row 147")
    assert box(app, "Label rows by").value == "staff_id"
    box(app, "Label rows by").set_value("").run()
    assert "Row 147 has" in said(app)
    assert not any("staff" in str(value) or "K-0" in str(value) for value in app.query_params.values())


def test_the_cell_that_exposes_the_executive_is_named(result):
    app = find(started(pi_tab="Cell by cell"), EXECUTIVE)
    share = dp.exposing_cells(result, int(result.epsilon.argmax()))[0].share
    assert f"Its salary of 486000 (typical: 48629) accounts for {100 * share:.0f} % of ε" in said(app)


def test_tables_are_in_units_of_the_file_and_scaled_ones_wait_behind_a_toggle(result):
    app = started(pi_tab="Most exposed rows")
    shown = table_with(app, "exposed by")
    first = shown.iloc[0]
    assert (first["row"], first["id"], first["exposed by"], first["salary"]) == (147, EXECUTIVE, "salary", 486_000)
    cell = dp.exposing_cells(result, int(result.epsilon.argmax()))[0]
    assert first["share"] == pytest.approx(100 * cell.share, abs=0.05)
    assert not any("scaled" in name for name in shown.columns)
    app.toggle(key="pi_scaled").set_value(True).run()
    assert table_with(app, "exposed by")["salary (scaled)"].iloc[0] == result.dataset.X[result.epsilon.argmax(), 4]


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_no_control_of_a_readers_data_is_held_by_the_address(page):
    """Neither in its name, which holds a hash of the file, nor in its values, in any tab."""
    if not {one.key for one in run(page).selectbox} & {"source"}:
        return
    app = started(page)
    held = {}
    for title in titles(app) if tab_keys(app) else [""]:
        for key in tab_keys(app):
            open_tab(app, key, title)
        held |= bound(app)
    assert not [key for key in held if re.search("[0-9a-f]{8}", key)]
    assert not re.search("salary|department|K-0|staff|147", repr(list(held.values())))


def test_a_record_is_edited_in_units_of_the_file(result):
    app = started(pi_tab="What-if record")
    shown = cards(app)
    row = int(np.argmax(result.epsilon))
    again = result.what_if(result.dataset.X[row], float(result.dataset.y[row]))
    assert shown["ε of this record"] == number(again.epsilon)


def test_the_audit_attacks_the_row_of_that_number(result):
    app = started("verify/audit", au_subject="learner", au_canary="number")
    row = box(app, "Row")
    row.set_value(147).run()
    assert any(f"Attacked: row 147 (id {EXECUTIVE}) of 260" in item.value for item in app.caption)
    out = result.dataset.report.dropped_rows[0]
    box(app, "Row").set_value(out).run()
    assert any(f"Row {out} (id K-{out:04}) was left out" in item.value for item in app.error)


def test_rows_after_a_release_carry_the_owners_ids():
    app = started(pi_tab="After a release", pi_kind="objective")
    shown = table_with(app, "log ratio")
    assert shown["id"].tolist() == [f"K-{row:04}" for row in shown["row"]]
