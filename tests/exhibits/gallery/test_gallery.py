"""Every figure and table of the sources has an exhibit, and verdicts follow from the checks and from nothing else."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, poisson

import dpcore as dp
from dpcore.exhibits.gallery import EXHIBITS, Drawing, Finding, Judgement, Shown, Stroke, objective, shown_of
from dpcore.exhibits.gallery.augmentation import misprints
from dpcore.exhibits.gallery.exhibit import compared
from dpcore.exhibits.gallery.trained import by_budget
from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from tests.data.samples.adult_layout import adult_rows, as_published

PRINTED = {  # captions of the sources; Table 5 is the one of section 5, which has no caption
    "wang-2019": {"Fig. 1", "Fig. 2", "Table 1"},
    "redberg-koskela-wang-2023": {"Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Fig. 5", "Table 1", "Table 2", "Table 5"},
    "li-liu-napp": {f"{kind}{k}" for kind, last in (("Fig. ", 8), ("Fig. S.", 4), ("Table ", 4)) for k in range(1, last + 1)},
}  # fmt: skip
NOTHING = Drawing((Stroke("a", np.array([1.0]), np.array([1.0])),), "x", "y")
QUICK = next(iter(EXHIBITS.values()))


def test_every_caption_has_an_exhibit_and_every_exhibit_a_caption():
    found = {}
    for exhibit in EXHIBITS.values():
        found.setdefault(exhibit.source, set()).add(re.match(r"(Fig\.|Table) (S\.)?\d+", exhibit.number).group())
    assert found == PRINTED


def test_what_other_settings_could_not_save_is_refuted():
    failing = Finding("what", False, "evidence", refutes=True)
    assert QUICK.verdict(Shown(NOTHING, (failing,))).judgement is Judgement.REFUTED
    assert QUICK.verdict(None).judgement is Judgement.WAITING
    missing = dataclasses.replace(QUICK, missing="The file.")
    assert missing.verdict(Shown(NOTHING, (failing,))) == dataclasses.replace(missing.verdict(None), reason="The file.")


def test_a_number_is_compared_on_both_sides():
    assert [compared("a", 1.0, value, 0.1).holds for value in (0.89, 0.91, 1.09, 1.11)] == [False, True, True, False]


def test_a_misprint_of_a_table_is_found_by_its_place():
    assert {finding.what for finding in misprints("Table 4")} >= {"Table 4, as printed"}
    assert not misprints("Table 40")
    assert shown_of("li-liu-table-4").checks[-1].holds is False


def test_figure_3_by_formulas_of_its_own():
    """α/(2σ²) of the Gaussian, log(2Φ((α − 1)/σ))/(α − 1) more for the half-normal, log(1 + β/λ) more for Theorem 3.2."""
    shown = shown_of("redberg-fig-3b")
    alpha = shown.drawing.strokes[0].x
    normal = alpha / (2 * 10.0**2)
    half = normal + np.log(2 * norm.cdf((alpha - 1) / 10.0)) / (alpha - 1)
    for stroke, wanted in zip(shown.drawing.strokes, (half + np.log(2.0), half, normal), strict=True):
        np.testing.assert_allclose(stroke.y, wanted, rtol=1e-6)
    evidence = {check.what: check.evidence for check in shown.checks}
    for sigma, printed in ((1.0, "4.31"), (10.0, "38.2")):
        fine = 1 + np.geomspace(0.1, 1e3, 200_001)
        extra = np.log(2 * norm.cdf((fine - 1) / sigma)) / (fine - 1) / (fine / (2 * sigma**2))
        assert float(printed) == pytest.approx(fine[extra > 0.1].max(), rel=0.03)
        said = f"α = {printed} on at σ = {sigma:g}"
        assert said in evidence["With more noise half-normal joins normal at a larger α"]
    fine = 1 + np.geomspace(0.1, 1e5, 400_001)
    grown = np.log(2 * norm.cdf((fine - 1) / 10.0)) / (fine - 1)
    for extra, printed, name in ((grown, "16.5", "half-normal"), (grown + np.log(2.0), "283", "ObjPert")):
        assert float(printed) == pytest.approx(fine[extra > 0.5 * fine / 200].max(), rel=0.03)
        assert f"{printed} on ({name})" in evidence["Both join the normal curve as α grows"]


def test_a_curve_that_stays_away_does_not_join(monkeypatch):
    monkeypatch.setattr(objective, "_HALF", 1.0)  # a curve that is larger everywhere never is within 1 ×
    both, _ = EXHIBITS["redberg-fig-3d"].make().checks
    assert (both.holds, both.refutes) == (False, True)


def test_honest_tuning_tries_more_than_ten_rates_in_nine_of_ten():
    (check,) = shown_of("redberg-table-5").checks
    mean = float(re.search(r"here ([\d.]+)", check.evidence).group(1))
    assert poisson.sf(10, mean) == pytest.approx(0.9, abs=1e-3)
    assert check.holds


def test_the_rates_of_the_realised_regulariser_are_those_of_its_second_difference():
    def stroke(key, name):
        return next(one for one in shown_of(f"li-liu-fig-1-{key}-elastic-net").drawing.strokes if one.name == name)

    top, realised = stroke("top", "NAPP"), stroke("bottom", "NAPP, as realised")
    bent = np.gradient(np.gradient(top.y, top.x), top.x)
    inside = (np.abs(top.x) > 0.2) & (np.abs(top.x) < 1.1)
    np.testing.assert_allclose(realised.y[inside], bent[inside], rtol=1e-6)


def test_what_is_missing_is_computed_from_the_files_once_they_are_there(tmp_path):
    files, rows = (
        tuple(str(tmp_path / name) for name in ("adult.data", "adult.test")),
        adult_rows(600, np.random.default_rng(0)),
    )
    for file, part, test in zip(files, (rows[:400], rows[400:]), (False, True), strict=True):
        Path(file).write_bytes(as_published(part, test))
    exhibit = EXHIBITS["redberg-table-2"].with_files(files)
    assert exhibit.parameters()["files"] == files
    shown = by_budget((0.1, 8.0, 1.0), 2, 0, "adult", files)
    names = {stroke.name: stroke for stroke in shown.drawing.strokes}
    assert 50.0 < names["Algorithm 1, computed"].y[1] <= 100.0
    assert names["printed: Algorithm 1"].y.tolist() == [81.37, 83.18, 83.99]
    found = {check.what: check.evidence for check in shown.checks}
    complete = sum("?" not in row for row in rows)
    assert found["The files hold all complete records of Adult"] == f"{complete} of 45222"
    assert exhibit.verdict(shown).judgement is Judgement.DIFFERS
    with pytest.raises(dp.ParameterError, match="needs no file"):
        QUICK.with_files(files)


def test_a_card_prints_the_settings_it_is_computed_with():
    """n and ε by model and size, δ of the noise: the words of a card are written beside the call, not made from it."""
    for exhibit in EXHIBITS.values():
        given = exhibit.parameters()
        if "model" in given:
            size, sizes = given["size"], SETTINGS[given["model"]].sizes
            wanted = {"n": sizes[size == "large"], "ε": 1.0 if size == "large" else 0.4, "δ": given["delta"]}
            assert exhibit.settings == wanted, exhibit.key
            assert exhibit.shared == f"{given['model']} {size} {given['delta']}"
