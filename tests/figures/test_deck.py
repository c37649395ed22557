"""What differs between drawings of one figure, put back into the first of them, gives each of the others."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.errors import ParameterError
from dpcore.figures.deck import Deck, differences
from tests.pages.test_live import moved, same


def drawing(height: float, **more) -> go.Figure:
    fig = go.Figure(layout={"title": {"text": "still"}, "yaxis": {"range": [0, height]}})
    return fig.add_scatter(x=np.arange(3.0), y=height * np.arange(3.0), **more)


def test_each_drawing_comes_back():
    drawn = [drawing(1.0), drawing(2.0, marker={"symbol": "x"}, name="claimed"), drawing(2.0, line={"dash": "dot"})]
    tracks = differences(drawn)
    assert {track.path for track in tracks} == {
        "data[0].y", "data[0].marker", "data[0].name", "data[0].line", "layout.yaxis.range",
    }  # fmt: skip
    wire = Deck(("a", "b", "c"), tracks).wire()
    for place, wanted in enumerate(drawn):
        shown = moved(json.loads(drawn[0].to_json()), json.loads(json.dumps(wire)), place)
        assert same(shown, json.loads(wanted.to_json())), place


def test_a_curve_that_comes_and_goes_is_sent_as_it_is():
    (track,) = differences([go.Figure().add_scatter(y=y) for y in (np.arange(2.0), None)])
    assert not track.is_numeric
    assert track.values == [[0.0, 1.0], None]


def test_other_traces_are_refused():
    with pytest.raises(ParameterError, match="other parts at data"):
        differences([drawing(1.0), drawing(1.0).add_scatter(y=[1])])
