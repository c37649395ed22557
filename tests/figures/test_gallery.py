"""The still picture holds what the drawing does, where its axes put it, letter by letter."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from dpcore.exhibits.gallery import EXHIBITS, Drawing, Stroke, shown_of
from dpcore.exhibits.gallery.figure import ROLE_COLORS, gallery_figure, still_picture
from dpcore.exhibits.noise_augmentation import figure as napp
from dpcore.exhibits.objective_perturbation import figure as objective_perturbation
from dpcore.exhibits.training import figure as training

X = np.array([1.0, 10.0, 100.0])
DRAWING = Drawing(
    (
        Stroke("<b>line</b> & co", X, np.array([1.0, 2.0, 3.0])),
        Stroke("gap", X, np.array([1.0, np.nan, 3.0])),
        Stroke("one", X, np.array([3.0, 1.0, 2.0]), "printed"),
        Stroke("two", X, np.array([1.0, 3.0, 2.0]), "printed"),
    ),
    "x < 1", "y", x_log=True,
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_still_picture_is_one_file_that_loads_nothing(mode):
    text = still_picture(DRAWING, mode)
    root = ElementTree.fromstring(text)
    words = [node.text for node in root.iter(f"{SVG}text")]
    assert {"<b>line</b> & co", "gap", "x < 1"} <= set(words)
    assert "href" not in text
    assert "url(" not in text


def test_a_logarithmic_axis_puts_ten_in_the_middle_and_a_gap_breaks_the_line():
    root = ElementTree.fromstring(still_picture(DRAWING, "light"))
    first, second = [node.get("d") for node in root.iter(f"{SVG}path") if node.get("stroke-width") == "2"][:2]
    left, middle, right = (float(part.split()[0]) for part in first[1:].replace("L", "|").split("|"))
    assert middle == pytest.approx((left + right) / 2, abs=0.11)
    assert (second.count("M"), second.count("L")) == (2, 0)


def test_two_printed_methods_are_told_apart():
    drawn = gallery_figure(DRAWING, "light").data
    symbols = {trace.marker.symbol for trace in drawn if trace.mode == "markers"}
    assert len(symbols) == 2
    assert all(symbol.endswith("open") for symbol in symbols)
    marks = [node.get("d") for node in ElementTree.fromstring(still_picture(DRAWING, "light")).iter(f"{SVG}path")
             if node.get("stroke-width") == "1.5"]  # fmt: skip
    assert len(marks) == 2 * 3 + 2
    assert len({mark.partition("m")[2] for mark in marks}) == 2
    places = np.array([mark[1:].partition("m")[0].split() for mark in marks], dtype=float)
    assert ((places > (12, 0)) & (places < (300, 250))).all()  # in the picture, in the legend too
    high, low = places[1:3, 1]  # of 1 and 3 on the axis y
    assert abs(high - low) > 50


def test_a_figure_without_a_number_can_still_be_drawn():
    ElementTree.fromstring(still_picture(Drawing((), "x", "y", True, True), "light"))


def test_a_curve_has_the_colour_it_has_on_its_page():
    drawn = [trace.line.color for trace in gallery_figure(shown_of("redberg-fig-1-left").drawing, "light").data]
    assert {objective_perturbation.COLORS[name] for name in ("Tight", "Thm 3.1", "Thm 3.2", "Gaussian")} <= set(drawn)
    assert len(set(drawn)) == len(drawn)
    assert all(ROLE_COLORS[name] == color for name, (_, color, _) in napp.STYLES.items())
    assert ROLE_COLORS["Algorithm 1, published settings"] == training.COLORS["Algorithm 1, published settings"]


def test_every_role_has_a_colour():
    for key in [key for key in EXHIBITS if key.startswith(("redberg-fig-5", "redberg-table-5", "li-liu-table-3"))]:
        assert {stroke.role for stroke in EXHIBITS[key].make().drawing.strokes} <= {"", *ROLE_COLORS}, key


def test_an_error_is_a_bar_of_1_96_either_way_in_both_pictures():
    drawing = Drawing((Stroke("a", X, np.array([1.0, 2.0, 3.0]), error=np.full(3, 0.5)),), "x", "y")
    (trace,) = gallery_figure(drawing, "light").data
    assert list(trace.error_y.array) == pytest.approx([0.98] * 3)
    root = ElementTree.fromstring(still_picture(drawing, "light"))
    bars = next(node.get("d") for node in root.iter(f"{SVG}path") if node.get("d").count("V") == 3)
    start, end = bars.split("V")[:2]
    low, high = float(start.split()[-1]), float(end.split("M")[0])
    ticks = {node.text: float(node.get("y")) for node in root.iter(f"{SVG}text") if node.get("text-anchor") == "end"}
    assert (low - high) / (ticks["1"] - ticks["2"]) == pytest.approx(1.96, rel=0.02)
