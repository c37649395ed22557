"""The gallery opens the states of the pages' presets; what is slow was computed before; a source is entered at one click."""

import re
from html import unescape
from importlib import import_module

import pytest

from dpcore.exhibits.gallery import EXHIBITS, PAPERS, shown_of
from dpcore.exhibits.gallery.figure import still_picture
from dpcore.exhibits.gallery.stored import stored
from dpcore.statements import STATEMENTS
from pages.sources.gallery import cards_of_figures, statements, words
from tests.pages.tabs import run, said

FURTHER = {  # presets that show more of a figure, or something else of it, than a card of the gallery
    "Solver that stops", "Growth, tight", "Distance to the lasso", "Prediction error", "Retrieved budget", "Recycled budget",
}  # fmt: skip
PAGES = sorted({one.page for one in EXHIBITS.values() if one.page})


@pytest.mark.parametrize("page", PAGES)
def test_a_preset_that_is_a_figure_is_the_state_that_its_card_opens(page):
    shell = import_module(f"pages.{page.replace('/', '.')}.page").PAGE
    for name, preset in shell.presets.items():
        figure = re.search(r"(Fig\.|Table) (S\.)?\d+[a-d]?( left| right)?", preset.of)
        if figure and name not in FURTHER:
            opened = [one for one in EXHIBITS.values() if preset.state.items() <= one.state.items()]
            assert figure[0] in " ".join(one.number.replace(",", "") for one in opened if one.page == page), name


def test_what_is_slow_is_shown_as_it_was_computed_before_and_computed_again_when_asked(monkeypatch):
    computed, drawn, quick = [], [], shown_of("redberg-fig-1-left")
    monkeypatch.setattr(cards_of_figures, "still_picture", lambda *one: drawn.append(one) or still_picture(*one))
    monkeypatch.setattr(cards_of_figures, "shown_of", lambda key: computed.append(key) or quick)
    app = run("sources/gallery")
    shown = {key: one for key, one in EXHIBITS.items() if one.source == "redberg-koskela-wang-2023"}
    slow = {key for key, one in shown.items() if one.seconds > 1}
    assert {f"ga_compute_{key}" for key in slow} == {one.key for one in app.button if one.key.startswith("ga_compute_")}
    assert "not computed yet" not in said(app)
    assert len(drawn) == len(shown)
    for key in slow:
        assert any(one.value == EXHIBITS[key].verdict(stored(key)).reason for one in app.caption)
    assert not slow & set(computed)
    app.button(key="ga_compute_redberg-table-1").click().run()
    assert "redberg-table-1" in computed
    assert "ga_compute_redberg-table-1" not in {button.key for button in app.button}
    assert {f"ga_open_{key}" for key in shown} == {one.key for one in app.button if one.key.startswith("ga_open_")}


@pytest.mark.parametrize("source", words.READ)
def test_a_reader_of_a_source_has_its_first_figure_live_at_one_click(source):
    app = run("sources/gallery")
    label, page, state = statements.first(source)
    button = app.button(key=f"ga_first_{source}")
    assert unescape(button.label) == f":primary[{words.SHORT[source]}, {label}]"
    button.click().run()
    assert app.caption[0].value == import_module(f"pages.{page.replace('/', '.')}.page").PAGE.title
    assert all(app.session_state[key] == value for key, value in state.items() if key in app.session_state)


def test_a_lecture_shows_its_statements():
    app = run("sources/gallery", ga_source="lecture-12")
    assert len(app.dataframe[0].value) == sum(one.source == "lecture-12" for one in STATEMENTS)
    assert words.READ["lecture-12"] in app.title[0].value


def test_one_click_opens_the_page_in_that_state_and_its_link_holds_it():
    app = run("sources/gallery").button(key="ga_open_redberg-fig-3b").click().run()
    assert app.caption[0].value == "Objective perturbation"
    assert (app.session_state["op_lambda"], app.session_state["op_sharper"]) == (1.0, True)
    assert (app.query_params["op_lambda"], app.query_params["op_view"]) == ("1.00", "Rényi")


def test_the_index_of_statements_is_a_table_with_a_line_each_and_a_row_opens_its_view():
    row = [(one.source, one.label) for one in STATEMENTS].index(("lecture-12", "Theorem 2"))
    chosen = {"selection": {"rows": [row], "columns": [], "cells": []}}
    app = run("sources/gallery", ga_source="statements", ga_statements=chosen)
    (table,) = app.dataframe
    frame = table.value
    assert len(frame) == len(STATEMENTS)
    assert {"Theorem 3.1", "Lemma 10.1", "Proposition 16", "Eq. (13)"} <= set(frame["statement"])
    assert frame.loc[frame["statement"] == "Corollary 5", "implemented in"].item() == "sigma_curves, corollary_sigma"
    (tests,) = [unescape(one.value) for one in app.markdown if one.value.startswith("Tests: ")]
    assert "mechanisms/test_regularized_exponential.py" in tests
    app.button(key="ga_open_statement").click().run()
    assert (app.caption[0].value, app.session_state["ll_view"]) == ("Learning limits", "sampling")


@pytest.mark.parametrize("source", PAPERS)
def test_the_headline_and_the_verdicts_to_choose_from_count_every_figure(source):
    app, total = run("sources/gallery", ga_source=source), sum(one.source == source for one in EXHIBITS.values())
    (title,), (pills,) = app.title, [one for one in app.button_group if one.key == "ga_verdict"]
    for line in (title.value.partition(":")[2].split(", "), pills.options):
        assert sum(int(re.search(r"\d+", one)[0]) for one in line) == total
    assert len(unescape(title.value)) <= 58


def test_a_verdict_that_the_next_source_does_not_have_chooses_nothing_there():
    app = run("sources/gallery", ga_source="li-liu-napp", ga_verdict=["refuted"])
    assert len([one for one in app.button if one.key.startswith("ga_open_")]) == 7
    app.radio(key="ga_source").set_value("wang-2019").run()
    assert {one.key for one in app.button if one.key.startswith("ga_open_")} >= {"ga_open_wang-fig-1"}
