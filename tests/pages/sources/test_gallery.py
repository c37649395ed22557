"""The gallery's cards lead to the states of the pages' own presets, and what is slow waits for its button."""

from html import unescape
from importlib import import_module

import pytest

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.statements import STATEMENTS
from tests.pages.tabs import run

PRESETS = {  # exhibit → where its state is a preset
    "redberg-fig-1-left": ("understand.objective_perturbation.presets", "Figure 1, left"),
    "redberg-fig-1-right": ("understand.objective_perturbation.presets", "Figure 1, right"),
    "redberg-fig-3a": ("understand.objective_perturbation.presets", "Rényi, much noise"),
    "redberg-fig-3b": ("understand.objective_perturbation.presets", "Rényi, small λ"),
    "redberg-fig-3c": ("understand.objective_perturbation.presets", "Rényi, larger λ"),
    "redberg-fig-3d": ("understand.objective_perturbation.presets", "Rényi, little noise"),
    "redberg-fig-4": ("understand.composition.presets", "Growth, published"),
    "redberg-fig-5a": ("understand.composition.presets", "Much noise in phases"),
    "redberg-fig-5b": ("understand.composition.presets", "Less noise in phases"),
    "redberg-fig-2-synthetic-l": ("your_data.private_training.words", "Accuracy by budget"),
    "redberg-table-1": ("your_data.private_training.words", "Three budgets"),
    "li-liu-fig-1-top-lasso": ("sources.noise_augmentation.presets", "Noise as a penalty"),
    "li-liu-fig-1-top-elastic-net": ("sources.noise_augmentation.presets", "Noise as an elastic net"),
    "li-liu-fig-1-bottom-l0.5": ("sources.noise_augmentation.presets", "Noise as a bridge"),
    "li-liu-fig-s1-linear": ("sources.noise_augmentation.presets", "Selected variables, ε-DP"),
    "li-liu-fig-s2-linear": ("sources.noise_augmentation.presets", "Prediction error, ε-DP"),
    "li-liu-fig-s3-linear": ("sources.noise_augmentation.presets", "Retrieved budget, ε-DP"),
    "li-liu-fig-s4-linear": ("sources.noise_augmentation.presets", "Recycled budget, ε-DP"),
    "li-liu-fig-6": ("sources.noise_augmentation.presets", "Adult by budget"),
    "li-liu-fig-2": ("sources.noise_augmentation.presets", "Finite rows and rounds"),
}


@pytest.mark.parametrize("key", PRESETS)
def test_a_card_opens_the_state_of_the_page_s_preset(key):
    module, name = PRESETS[key]
    preset = import_module(f"pages.{module}").PRESETS[name]
    state = EXHIBITS[key].state
    assert {widget: state.get(widget) for widget in preset} == dict(preset)


def test_what_is_slow_waits_for_its_button():
    app = run("sources/gallery")
    waiting = [button.key for button in app.button if button.key.startswith("ga_compute_")]
    shown = {key: one for key, one in EXHIBITS.items() if one.source == "redberg-koskela-wang-2023"}
    assert set(waiting) == {f"ga_compute_{key}" for key, one in shown.items() if one.seconds > 1}
    assert "ga_compute_redberg-table-1" in waiting
    assert {f"ga_open_{key}" for key in shown} == {
        button.key for button in app.button if button.key.startswith("ga_open_")
    }
    assert any("β is not printed" in caption.value for caption in app.caption)


def test_one_click_opens_the_page_in_that_state_and_its_link_holds_it():
    app = run("sources/gallery").button(key="ga_open_redberg-fig-3b").click().run()
    assert not app.exception
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
    assert app.caption[0].value == "Learning limits"
    assert app.session_state["ll_view"] == "sampling"
