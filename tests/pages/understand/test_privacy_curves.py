"""The privacy-curves page: every mechanism answers with dpcore's numbers, and presets do what they say."""

import json

import numpy as np
import pytest
from scipy.stats import norm

import dpcore as dp
from pages.components import live
from pages.components.words import number
from tests.pages.tabs import on_cards, press, run

PAGE = "understand/privacy_curves"


def test_each_mechanism_alone_answers_in_four_numbers():
    app = run(PAGE)
    for key in dp.MECHANISMS:
        app.button_group(key="pc_show").set_value([key]).run()
        mechanism = dp.MECHANISMS[key].default()
        shown = on_cards(app)
        assert shown[1] == number(float(mechanism.epsilon(1e-5))), key
        assert shown[3] == f"{number(float(mechanism.renyi(8.0)))} nats", key
    app.button_group(key="pc_show").set_value([]).run()
    assert any("Choose at least one mechanism" in item.value for item in app.info)


def test_equal_epsilon_preset_is_equal_in_every_digit_shown():
    app = run(PAGE, pc_direction="add")
    press(app, "Equal ε")
    assert on_cards(app) == ["0.500"] * 3
    subsampled = dp.Subsampled(dp.Gaussian(1.8), rate=0.06)
    others = [dp.Gaussian(9.0), dp.Laplace(2.0), subsampled]
    deltas = [number(float(one.delta(0.5, direction="both"))) for one in others]
    assert [metric.delta for metric in app.metric] == [f"δ = {delta} at ε = 0.500" for delta in deltas]


@pytest.mark.thorough
def test_each_chart_is_pointed_at_by_its_ring_and_all_rings_are_one_attack(monkeypatch):
    """Gaussian noise, σ = 1: accuse where x − 1/2 exceeds ε."""
    given = {}
    monkeypatch.setattr(live, "follow", lambda offers, key, pointed, **_: given.update(offers=offers, pointed=pointed))
    app = run(PAGE)
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    keys = ("pc_delta_chart", "pc_Trade-off", "pc_Rényi divergence")
    assert [fig["layout"].get("showlegend", True) for fig in figures] == [True, False, False]  # one legend for three
    for fig, key in zip(figures, keys, strict=True):
        assert fig["data"][given["pointed"][key][1]]["marker"]["symbol"] == "circle-open"
    (offer,) = {offer for offer, _ in given["pointed"].values()}
    build, *arguments = given["offers"][offer]
    decks = dict(filter(None, build(*arguments)))
    tracks = {key: {track.path: track.values for track in deck.tracks} for key, deck in decks.items()}

    def ring(key, axis):
        place = given["pointed"][key][1]
        return np.array(tracks[key][f"data[{place}].{axis}"], dtype=float).ravel()

    delta, alarms, misses = ring(keys[0], "y"), ring(keys[1], "x"), ring(keys[1], "y")
    epsilon = ring(keys[0], "x")
    seen = np.isfinite(epsilon)
    assert seen.sum() > 100
    np.testing.assert_allclose(alarms[seen], norm.sf(epsilon[seen] + 0.5), rtol=1e-5)
    np.testing.assert_allclose(misses[seen], norm.cdf(epsilon[seen] - 0.5), rtol=1e-5)
    np.testing.assert_allclose(1 - misses[seen] - np.exp(epsilon[seen]) * alarms[seen], delta[seen], atol=1e-12)
    orders = ring(keys[2], "x")
    np.testing.assert_allclose(ring(keys[2], "y"), orders / 2, rtol=1e-9)
    assert (np.diff(orders) > 0).all()
