"""Presets are named by what they show; where that is a figure of a source, its place is in the tooltip."""

import html
import re

import pytest

from tests.pages.tabs import run

PAPERS = {
    "understand/composition": ("co", 4),
    "understand/objective_perturbation": ("op", 7),
    "sources/noise_augmentation": ("na", 14),
    "your_data/private_training": ("tr", 5),
}
OTHERS = ("understand/privacy_curves", "understand/output_perturbation", "understand/log_concave", "sources/errata")


@pytest.mark.parametrize("page", [*PAPERS, *OTHERS])
def test_presets_are_named_by_what_they_show(page):
    buttons = run(page).button
    assert buttons
    assert not [button.label for button in buttons if re.search(r"\b(Fig|Table|Thm|Theorem)\b", button.label)]


@pytest.mark.parametrize("page", PAPERS)
def test_the_place_in_the_source_is_a_tooltip(page):
    prefix, count = PAPERS[page]
    buttons = [button for button in run(page).button if (button.key or "").startswith(f"{prefix}_")]
    placed = [
        button.label for button in buttons if re.search(r"(Fig\.|Table) (S\.)?\d", html.unescape(button.help or ""))
    ]
    assert len(placed) == count
