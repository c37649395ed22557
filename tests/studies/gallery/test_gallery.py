"""Every figure and table of the sources has an exhibit, and verdicts follow from the checks and from nothing else."""

import dataclasses
import re

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.studies.gallery import EXHIBITS, Drawing, Finding, Judgement, Shown, Stroke, shown_of
from dpcore.studies.gallery import misprints as of_errata
from dpcore.studies.gallery.exhibit import compared
from dpcore.studies.gallery.simulated import simulated_figure

PRINTED = {  # captions of the sources; Table 5 is referred to and not there
    "wang-2019": {"Fig. 1", "Fig. 2", "Table 1"},
    "redberg-koskela-wang-2023": {"Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Fig. 5", "Table 1", "Table 2", "Table 5"},
    "li-liu-napp": {f"Fig. {k}" for k in range(1, 9)}
    | {f"Fig. S.{k}" for k in range(1, 5)}
    | {f"Table {k}" for k in range(1, 5)},
}
NOTHING = Drawing((Stroke("a", np.array([1.0]), np.array([1.0])),), "x", "y")
QUICK = next(iter(EXHIBITS.values()))


def test_every_caption_has_an_exhibit_and_every_exhibit_a_caption():
    found = {}
    for exhibit in EXHIBITS.values():
        found.setdefault(exhibit.source, set()).add(re.match(r"(Fig\.|Table) (S\.)?\d+", exhibit.number).group())
    assert found == PRINTED


@pytest.mark.parametrize(
    ("holds", "judgement"),
    [
        ([True, True], Judgement.REPRODUCED),
        ([True, False], Judgement.DIFFERS),
        ([True, None], Judgement.UNDECIDED),
        ([None, False], Judgement.DIFFERS),
        ([], Judgement.UNDECIDED),
    ],
)
def test_the_verdict_follows_from_the_checks(holds, judgement):
    checks = tuple(Finding(f"what {k}", one, f"evidence {k}") for k, one in enumerate(holds))
    verdict = QUICK.verdict(Shown(NOTHING, checks))
    assert verdict.judgement is judgement
    for k, one in enumerate(holds):
        assert (f"evidence {k}" in verdict.reason) == (one is False)


def test_what_other_settings_could_not_save_is_refuted():
    failing = Finding("what", False, "evidence", refutes=True)
    assert QUICK.verdict(Shown(NOTHING, (failing,))).judgement is Judgement.REFUTED
    assert QUICK.verdict(None).judgement is Judgement.WAITING
    missing = dataclasses.replace(QUICK, missing="The file.")
    assert missing.verdict(Shown(NOTHING, (failing,))) == dataclasses.replace(missing.verdict(None), reason="The file.")


def test_a_number_is_compared_on_both_sides():
    assert [compared("a", 1.0, value, 0.1).holds for value in (0.89, 0.91, 1.09, 1.11)] == [False, True, True, False]


def test_figure_1_by_formulas_of_its_own():
    """δ of the Gaussian and of Kifer et al.: σ² ≥ L²(8 log(2/δ) + 4ε)/ε² and ε ≥ 2β/λ."""
    drawing = shown_of("redberg-fig-1-left").drawing
    strokes = {stroke.name.split(" (")[0]: stroke for stroke in drawing.strokes}
    x, lower = strokes["Gaussian lower bound"].x, strokes["Gaussian lower bound"].y
    shift = 1 / 5.0
    wanted = norm.cdf(shift / 2 - x / shift) - np.exp(x) * norm.cdf(-shift / 2 - x / shift)
    seen = np.isfinite(lower)
    np.testing.assert_allclose(lower[seen], wanted[seen], rtol=1e-6)
    kifer = strokes["Kifer et al."]
    seen = np.isfinite(kifer.y)
    assert kifer.x[seen].min() >= 2 * 1.0 / 20.0
    np.testing.assert_allclose(kifer.y[seen], 2 * np.exp(-(25.0 * x[seen] ** 2 - 4 * x[seen]) / 8), rtol=1e-9)
    assert EXHIBITS["redberg-fig-1-left"].verdict(shown_of("redberg-fig-1-left")).judgement is Judgement.REPRODUCED


def test_a_misprint_of_a_table_is_found_by_its_place():
    assert {finding.what for finding in of_errata.misprints("li-liu-napp", "Table 4")} >= {"Table 4, as printed"}
    assert not of_errata.misprints("li-liu-napp", "Table 40")
    assert shown_of("li-liu-table-4").checks[-1].holds is False


def test_a_simulation_states_its_size_and_its_checks_are_those_of_its_figure():
    shown = simulated_figure("Fig. 3", "linear", 1e-4, 1, 0)
    assert [check.what for check in shown.checks] == [
        "Without noise, MOOR is closer to the lasso than the sum at every Λ and Λ₀"
    ]
    ours, theirs = shown.drawing.strokes
    assert shown.checks[0].holds
    assert (ours.y <= theirs.y + 1e-9).all()
    assert (ours.y < theirs.y).any()
    parameters = EXHIBITS["li-liu-fig-3-linear"].parameters()
    assert f"{parameters['repeats']} repeats" in EXHIBITS["li-liu-fig-3-linear"].assumptions[0]


def test_what_waits_is_slow_and_what_is_missing_is_said():
    for exhibit in EXHIBITS.values():
        assert exhibit.missing or exhibit.assumptions or exhibit.settings, exhibit.key
        assert not exhibit.missing or exhibit.missing.endswith("."), exhibit.key
        assert (exhibit.seed is not None) == ("seed" in exhibit.parameters()), exhibit.key
