"""Figures take plain names: whatever a file calls its columns and levels, Plotly shows it and interprets nothing.

Most texts are looked at in the source (`tests/test_architecture.py`); here are those that a figure puts together first.
"""

import json
from html import unescape

import numpy as np
import pytest

from dpcore.exhibits.output_perturbation import figure as output_perturbation
from dpcore.exhibits.per_instance import rows_figure as rows
from dpcore.exhibits.per_instance import story_figure as story
from dpcore.exhibits.privacy_map.figure import variant_map
from dpcore.exhibits.privacy_map.variants import Variant
from dpcore.exhibits.training import figure as training
from dpcore.exhibits.training.pictures import CoefficientSpread
from dpcore.figures import curves
from dpcore.individual.all_rows.pictured import Histogram
from dpcore.individual.rows.cells import Cell
from dpcore.individual.rows.groups import Subgroup
from dpcore.profiles.curves import Curve

WORD = "<a href=//h.example>x</a> $y$ %{z} <b>b</b>"
X = np.array([0.1, 0.2, 0.4])
CURVE = Curve(WORD, X, X, note=WORD)
GROUP = Subgroup(WORD, 3, (0.1, 0.2, 0.3, 0.4, 0.5), 0.3, 0.6)
BINS = Histogram((0.1, 0.2, 0.4), (2, 1), 0, 0, False)
SPREAD = CoefficientSpread((WORD,), X[:1], X[:1], X[:1])
FIGURES = {
    "boxes": lambda: story.boxes([GROUP], WORD, "light", worst=[1.0]),
    "cells": lambda: story.cells([Cell(WORD, WORD, WORD, 0.1, 0.2, 0.6, False)], 0.3, "light"),
    "variant map": lambda: variant_map([Variant(WORD, "fixed", "sup", "epsilon", 0.1, WORD)], "light"),
    "histogram": lambda: rows.epsilon_histogram(BINS, [rows.Marker(WORD, 0.2, "median")], "light"),
    "coefficients": lambda: training.coefficients_figure(SPREAD, "light"),
    "profile": lambda: curves.tradeoff_figure([CURVE], "light", colors={WORD: "#000000"}),
    "penalty": lambda: output_perturbation.lambda_figure([Curve("Bias", X, X)], 0.2, WORD, "light"),
}


def texts(value: object) -> list[str]:
    """Every string in a figure."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", FIGURES)
def test_a_hostile_name_is_shown_letter_by_letter(name):
    drawn = json.loads(FIGURES[name]().to_json())
    drawn["layout"].pop("template")
    held = [text for text in texts(drawn) if "h.example" in unescape(text) or "<a" in unescape(text) or "&#" in text]
    assert held
    for text in held:
        assert not [part for part in ("<a ", "<b>", "</", "$y$", "%{z}") if part in text.replace("</extra>", "")]
        assert "<a href" in unescape(text.replace("<br>", " "))
