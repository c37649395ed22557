"""The errata page: its numbers are computed by dpcore now, for every record and at the ends of every slider."""

import dataclasses
import re
from html import unescape

import pytest

from dpcore.errata import ERRATA, Kind
from dpcore.exhibits.errata.changes import coloured
from pages.components.words import number
from pages.sources.errata import register, words
from tests import every
from tests.pages.tabs import on_cards, opened, program, run, table_with

PAGE = "sources/errata"


@pytest.mark.parametrize("key", [key for i, key in enumerate(ERRATA) if i % 8 == 0])
def test_metrics_are_the_three_numbers(key):
    app = opened(PAGE, "er_tab", "Code")
    app.selectbox(key="er_record").set_value(key).run()
    numbers = ERRATA[key].demonstrate()
    assert on_cards(app) == [
        number(numbers.printed), number(numbers.corrected), number(numbers.computed)
    ]  # fmt: skip
    printed, corrected = (block.value.strip("$\n") for block in app.latex)
    both = coloured(ERRATA[key].printed_latex, ERRATA[key].corrected_latex)
    assert (printed.endswith(both[0].strip()), corrected.endswith(both[1].strip())) == (True, True)
    assert any(ERRATA[key].sentence(numbers) in unescape(block.value) for block in app.caption)
    assert program(app)[1]["numbers"] == numbers


@every.each(ERRATA)
def test_no_card_leaves_a_statement_unrepaired(key):
    record, numbers = ERRATA[key], ERRATA[key].demonstrate()
    assert words.of_printed(record, numbers)[1] == (record.kind is not Kind.LOOSE)
    kept = "as computed" if record.kind is Kind.MISPRINT else ("as computed", "holds", "keeps")
    assert words.of_corrected(record, numbers).startswith(kept)


def test_all_records_are_in_one_table_and_a_row_opens_its_record(monkeypatch):
    app = opened(PAGE, "er_tab", "All records")
    table = table_with(app, "statement")
    assert len(table) == len(ERRATA)
    place = list(ERRATA).index("pdp-lemma4")
    for position, key, kind in ((0, "napp-claims", "claim refuted"), (place, "pdp-lemma4", "bound fails")):
        record, row = ERRATA[key], table.iloc[position]
        assert (row["statement"], row["kind"]) == (record.place, kind)
        assert (row["printed"], row["corrected"], row["computed"]) == dataclasses.astuple(record.demonstrate())
    state = {"er_table": {"selection": {"rows": [place]}}, "er_source": "lecture-12"}
    monkeypatch.setattr(register.st, "session_state", state)
    register.open_chosen()
    assert (state["er_source"], state["er_record"]) == (register.ALL, "pdp-lemma4")


def test_sliders_recompute_and_their_ends_hold():
    app = run(PAGE, er_record="pdp-lemma4")
    for value in (1e-3, 100.0):
        app.select_slider(key="er_pdp-lemma4_gamma").set_value(value).run()
        assert app.metric[2].value == number(ERRATA["pdp-lemma4"].demonstrate(gamma=value).computed)


def test_a_source_narrows_the_records():
    app = run(PAGE, er_source="lecture-10")
    assert app.selectbox(key="er_record").value.startswith("lec10-")


def test_each_record_has_a_name_of_its_own():
    names = run(PAGE).selectbox(key="er_record").options
    assert len(set(names)) == len(names) == len(ERRATA)
    assert names[list(ERRATA).index("objpert-31-sign")] == ERRATA["objpert-31-sign"].place


@every.each(
    [key for key, record in ERRATA.items() if record.source == words.LIBRARIES and record.quantity.startswith("ε")]
)
def test_a_library_is_named_with_what_it_claims_and_what_is_true(key):
    app, numbers = run(PAGE, er_record=key), ERRATA[key].demonstrate()
    said = unescape(app.title[0].value)
    assert said.startswith(ERRATA[key].place.partition(",")[0])
    assert [number(numbers.printed), number(numbers.computed)] == re.findall(r"(\d[\d.]*)(?:,|$)", said)
    assert {"As released", "Mended"} <= {one.label for one in app.metric}
    assert ERRATA[key].matters in {unescape(one.value) for one in app.caption}
